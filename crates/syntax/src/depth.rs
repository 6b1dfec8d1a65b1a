//! How deeply a text nests, before anything walks it by recursion.
//!
//! The front end descends recursively and caps only some brackets: a chain of unary operators, of
//! `else if`s or of case labels, and a sum of a hundred thousand operands, take a level of stack
//! each. One pass over the tokens bounds the levels from above, so that a stack of the right size
//! can be provided, or the text be rejected, without ever overflowing.
//!
//! The bound is a sum over what is open at a token: a level for each enclosing statement and
//! bracket, and a level for each operator and keyword since the last point at which the parser
//! must have returned to the statement or list that it is in. Statements without braces need care:
//! `if (x) ; else if (x) ; else …` nests ever deeper although each part ends with a semicolon.

use rucc_lex::{Keyword, Keywords, PpToken, PpTokenKind, Punct};

/// What the front end's recursion can amount to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Depth {
    /// Levels of statements and expressions, at most.
    pub levels: usize,
    /// Levels of types built from types, at most.
    pub types: usize,
}

/// Bounds the nesting of a text, or says where it exceeds the limit.
pub(crate) fn measure(
    tokens: &[PpToken],
    keywords: &Keywords,
    limit: usize,
) -> Result<Depth, rucc_diag::Span> {
    let depth = Depth { levels: 0, types: 0 };
    let mut scan = Scan {
        depth,
        frames: Vec::new(),
        open: 0,
        count: 0,
        brackets: 0,
        header: false,
        assigned: false,
        in_typedef: false,
        last: Last::Other,
    };
    for (index, token) in tokens.iter().enumerate() {
        let keyword = token.value.filter(|_| token.kind == PpTokenKind::Ident).and_then(|s| keywords.get(s));
        let else_follows = || {
            let next = tokens.get(index + 1);
            let symbol = next.filter(|t| t.kind == PpTokenKind::Ident).and_then(|t| t.value);
            symbol.and_then(|symbol| keywords.get(symbol)) == Some(Keyword::Else)
        };
        scan.token(token, keyword, else_follows);
        if scan.depth.levels > limit || scan.depth.types > limit {
            return Err(token.span);
        }
    }
    Ok(scan.depth)
}

/// Something that is open, and what had been counted when it was opened.
struct Frame {
    kind: FrameKind,
    count: usize,
    brackets: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FrameKind {
    /// Braces around statements.
    Block,
    /// Braces around members, initialisers or enumerators; what they are part of goes on.
    Part,
    /// An `if` that may still get an `else`.
    If,
    /// Any other statement that ends with the statement in it.
    Statement,
}

/// What the last token tells about a brace that follows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// `=`, or a comma or brace between initialisers.
    BeforePart,
    /// `struct`, `union` or `enum`, with or without a tag.
    Tag,
    /// The closing parenthesis of `if (…)` and the like.
    Header,
    /// Any other closing parenthesis.
    Close,
    Other,
}

struct Scan {
    depth: Depth,
    frames: Vec<Frame>,
    /// Levels of all frames together.
    open: usize,
    /// Levels since the last point of return.
    count: usize,
    /// Parentheses and square brackets open in the innermost frame.
    brackets: usize,
    /// Whether the parenthesis of an `if` or the like is still to come.
    header: bool,
    /// Whether there was a `=` since the last statement or declaration ended.
    assigned: bool,
    in_typedef: bool,
    last: Last,
}

impl Scan {
    fn token(&mut self, token: &PpToken, keyword: Option<Keyword>, else_follows: impl Fn() -> bool) {
        self.last = match (token.kind, keyword) {
            (PpTokenKind::Punct(punct), _) => self.punct(punct, else_follows),
            (_, Some(keyword)) => self.keyword(keyword),
            (PpTokenKind::Ident, None) if self.last == Last::Tag => Last::Tag,
            _ => Last::Other,
        };
        self.depth.levels = self.depth.levels.max(self.open + self.count);
    }

    fn keyword(&mut self, keyword: Keyword) -> Last {
        match keyword {
            Keyword::If => self.open_frame(FrameKind::If, true),
            Keyword::While | Keyword::For | Keyword::Switch => self.open_frame(FrameKind::Statement, true),
            Keyword::Else | Keyword::Do => self.open_frame(FrameKind::Statement, false),
            Keyword::Typedef => {
                self.in_typedef = true;
                self.depth.types += 1;
            }
            Keyword::Struct | Keyword::Union | Keyword::Enum => {
                self.count += 1;
                return Last::Tag;
            }
            _ => self.count += 1,
        }
        Last::Other
    }

    fn punct(&mut self, punct: Punct, else_follows: impl Fn() -> bool) -> Last {
        match punct {
            Punct::LBrace => {
                let part = self.opens_part();
                self.depth.types += usize::from(self.last == Last::Tag);
                self.open_frame(if part { FrameKind::Part } else { FrameKind::Block }, false);
                return if part { Last::BeforePart } else { Last::Other };
            }
            Punct::RBrace => self.close_brace(else_follows()),
            Punct::Semi if self.brackets == 0 => {
                self.end_statement(else_follows());
                // Members of a record that is being named do not end the naming.
                self.in_typedef &= self.innermost() == Some(FrameKind::Part);
            }
            Punct::LParen | Punct::LBracket => {
                self.brackets += 1;
                self.count += 1;
                self.depth.types += usize::from(self.in_typedef);
            }
            Punct::RParen | Punct::RBracket => return self.close_bracket(),
            Punct::Comma if self.brackets == 0 && self.innermost() == Some(FrameKind::Part) => {
                self.count = 0;
                return Last::BeforePart;
            }
            Punct::Eq => {
                self.count += 1;
                self.assigned = true;
                return Last::BeforePart;
            }
            _ => {
                self.count += 1;
                self.depth.types += usize::from(self.in_typedef && punct == Punct::Star);
            }
        }
        Last::Other
    }

    /// Whether a brace here belongs to an expression, an initialiser or a type.
    fn opens_part(&self) -> bool {
        match self.last {
            Last::BeforePart | Last::Tag => true,
            Last::Header => false,
            // `(T){ … }`, unless it is the body of a function.
            Last::Close => self.assigned || !self.frames.is_empty(),
            Last::Other => false,
        }
    }

    fn innermost(&self) -> Option<FrameKind> {
        self.frames.last().map(|frame| frame.kind)
    }

    fn open_frame(&mut self, kind: FrameKind, header: bool) {
        self.open += self.count + 1;
        self.frames.push(Frame { kind, count: self.count, brackets: self.brackets });
        (self.count, self.brackets, self.header) = (0, 0, header);
    }

    fn close_frame(&mut self) -> Option<FrameKind> {
        let frame = self.frames.pop()?;
        self.open -= frame.count + 1;
        (self.count, self.brackets, self.header) = (frame.count, frame.brackets, false);
        Some(frame.kind)
    }

    fn close_bracket(&mut self) -> Last {
        self.brackets = self.brackets.saturating_sub(1);
        if self.brackets == 0 && self.header {
            (self.header, self.count) = (false, 0);
            return Last::Header;
        }
        Last::Close
    }

    fn close_brace(&mut self, else_follows: bool) {
        // Statements that the brace cuts off end here too.
        while let Some(kind) = self.close_frame() {
            match kind {
                FrameKind::Part => return,
                FrameKind::Block => break,
                FrameKind::If | FrameKind::Statement => {}
            }
        }
        // Behind the block of a statement expression, the expression goes on.
        if self.brackets == 0 {
            self.end_statement(else_follows);
        }
    }

    /// Closes the statements that end with the one that has just ended: all, or those within the
    /// `if` that an `else` continues.
    fn end_statement(&mut self, else_follows: bool) {
        (self.count, self.assigned) = (0, false);
        while let Some(FrameKind::If | FrameKind::Statement) = self.innermost() {
            let closed = self.close_frame();
            if closed == Some(FrameKind::If) && else_follows {
                return;
            }
            self.count = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use rucc_base::Interner;
    use rucc_session::Std;

    use super::*;

    fn depth(text: &str) -> Depth {
        let mut interner = Interner::new();
        let keywords = Keywords::new(&mut interner, Std::C17, true);
        let (tokens, _) = rucc_lex::tokenize(text.as_bytes(), 0, rucc_lex::Options::new(), &mut interner);
        measure(&tokens, &keywords, 10_000).unwrap()
    }

    #[track_caller]
    fn grows(unit: &str, before: &str, after: &str) {
        let levels = |n: usize| depth(&format!("{before}{}{after}", unit.repeat(n))).levels;
        assert!(levels(200) >= levels(100) + 100, "{unit}: {} {}", levels(100), levels(200));
    }

    #[track_caller]
    fn constant(unit: &str, before: &str, after: &str) {
        let levels = |n: usize| depth(&format!("{before}{}{after}", unit.repeat(n))).levels;
        assert_eq!(levels(100), levels(200), "{unit}");
    }

    #[test]
    fn nesting_counts() {
        for unit in [
            "if (x) ; else ",
            "if (x) { } else ",
            "if (x) while (x) ",
            "do ",
            "l: ",
            "case 1: if (x) ; else ",
        ] {
            grows(unit, "void f(void) { ", ";}");
        }
        for unit in [
            "- ",
            "a + ",
            "(int) ",
            "sizeof ",
            "a ? b : ",
            "(T){1} + ",
            "({ 1; }) + ",
            "a, ",
            "f(",
            "({ ",
            "a = ",
        ] {
            grows(unit, "int f(void) { return ", "1;");
        }
        grows("{", "int x = ", "");
        grows("*", "int ", "x;");
    }

    #[test]
    fn sequences_do_not() {
        for unit in [
            "x = a + b;",
            "if (x) y; ",
            "if (x) { } ",
            "if (x) { y; } else { z; }",
            "{ x; }",
            "case 1: break;",
        ] {
            constant(unit, "void f(void) { ", "}");
        }
        for unit in ["while (a + b * (c)) ;", "for (;;) { x = (T){ 1, 2 }; }", "do { x; } while (y);"] {
            constant(unit, "void f(void) { ", "}");
        }
        for unit in [
            "int f(int x) { return x; }",
            "struct s { int x; } y;",
            "int x[] = { 1, 2 };",
            "int f(a) int a; { }",
        ] {
            constant(unit, "", "");
        }
        constant("{ 1, -2 }, ", "struct s x[] = {", "};");
        constant("A = 1 << 2, ", "enum e {", "};");
    }

    #[test]
    fn types_count() {
        assert_eq!(depth("typedef struct s { int x; } **p, a[3]; int *x; struct t { int y; };").types, 6);
    }
}
