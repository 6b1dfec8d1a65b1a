//! Brackets that could as well not be there.
//!
//! The front end takes brackets up to a certain depth. Texts that nest more deeply are mostly written by
//! programs, and have brackets that mean nothing. Those are left out, in texts that are too deep:
//! - the inner ones of `((x))` and of `{ { x; } }`;
//! - the braces of `else { if (x) { … } else { … } }`.

use rucc_lex::{Keyword, Keywords, PpToken, PpTokenKind, Punct, TokenFlags};

/// Texts that are less deep are left alone.
const DEEP: usize = 200;

/// Texts that are deeper are left alone, too: no program that was written by hand is so deep.
const TOO_DEEP: usize = 5_000;

/// Leaves out what means nothing, if the text is deep.
pub(crate) fn flatten(tokens: Vec<PpToken>, keywords: &Keywords) -> Vec<PpToken> {
    let Some(partners) = partners(&tokens) else { return tokens };
    let scan = Scan { tokens: &tokens, keywords, partners };
    let mut dropped = vec![false; tokens.len()];
    // Where the brackets end that nothing is around.
    let mut outermost = 0;
    for open in 0..tokens.len() {
        let is_body = open >= outermost && scan.punct(open) == Some(Punct::LBrace);
        if open >= outermost && scan.partners[open] != usize::MAX {
            outermost = scan.partners[open];
        }
        // The body of a function shares its scope with the parameters: what is in it stays apart.
        for end in scan.superfluous(open).filter(|_| !is_body).into_iter().flatten() {
            dropped[end] = true;
        }
    }
    let mut kept = Vec::with_capacity(tokens.len());
    // A line starts where one started that is left out: there a pragma ends.
    let mut starts_line = false;
    for (&token, dropped) in tokens.iter().zip(dropped) {
        starts_line |= token.flags.has(TokenFlags::START_OF_LINE);
        if !dropped {
            let flags = if starts_line { token.flags.with(TokenFlags::START_OF_LINE) } else { token.flags };
            kept.push(PpToken { flags, ..token });
            starts_line = false;
        }
    }
    kept
}

/// For each bracket where its partner is; nothing if the text is not deep, or brackets do not match.
fn partners(tokens: &[PpToken]) -> Option<Vec<usize>> {
    let mut partners = vec![usize::MAX; tokens.len()];
    let mut open = Vec::new();
    let mut deepest = 0;
    for (index, token) in tokens.iter().enumerate() {
        let opening = match token.punct() {
            Some(Punct::LParen | Punct::LBracket | Punct::LBrace) => {
                open.push(index);
                deepest = deepest.max(open.len());
                continue;
            }
            Some(Punct::RParen) => Punct::LParen,
            Some(Punct::RBracket) => Punct::LBracket,
            Some(Punct::RBrace) => Punct::LBrace,
            _ => continue,
        };
        let start = open.pop().filter(|&start: &usize| tokens[start].punct() == Some(opening))?;
        (partners[start], partners[index]) = (index, start);
    }
    (open.is_empty() && (DEEP..=TOO_DEEP).contains(&deepest)).then_some(partners)
}

struct Scan<'a> {
    tokens: &'a [PpToken],
    keywords: &'a Keywords,
    partners: Vec<usize>,
}

impl Scan<'_> {
    /// A pair of brackets that mean nothing, at this token or behind it.
    fn superfluous(&self, open: usize) -> Option<[usize; 2]> {
        match self.punct(open)? {
            Punct::LParen if self.is_expression(open) => self.inner(open),
            Punct::LBrace if self.is_else_if(open) => Some([open, self.partners[open]]),
            Punct::LBrace => self.inner(open).filter(|&[_, close]| self.ends_block(close)),
            _ => None,
        }
    }

    fn punct(&self, index: usize) -> Option<Punct> {
        self.tokens.get(index)?.punct()
    }

    fn keyword(&self, index: usize) -> Option<Keyword> {
        let token = self.tokens.get(index).filter(|t| t.kind == PpTokenKind::Ident)?;
        self.keywords.get(token.value?)
    }

    /// The brackets of the same kind that are all there is in these.
    fn inner(&self, open: usize) -> Option<[usize; 2]> {
        let close = *self.partners.get(open + 1)?;
        let same = self.punct(open) == self.punct(open + 1) && close > open;
        (same && close.checked_add(1) == Some(self.partners[open])).then_some([open + 1, close])
    }

    /// Whether a parenthesis is one around an expression: nothing that could be called stands before it.
    fn is_expression(&self, open: usize) -> bool {
        let Some(before) = open.checked_sub(1) else { return false };
        match self.punct(before) {
            Some(punct) => !matches!(punct, Punct::RParen | Punct::RBracket | Punct::RBrace),
            None => matches!(
                self.keyword(before),
                Some(Keyword::Return | Keyword::If | Keyword::While | Keyword::Switch)
            ),
        }
    }

    /// Whether a brace closes a block: the last thing in an initialiser is no semicolon.
    fn ends_block(&self, mut close: usize) -> bool {
        loop {
            match close.checked_sub(1).and_then(|last| self.punct(last)) {
                Some(Punct::Semi) => return true,
                Some(Punct::RBrace) => close -= 1,
                _ => return false,
            }
        }
    }

    /// Whether this is the brace of `else { if (…) { … } else { … } }`, with any number of `else if`s. The last
    /// `else` has to be there: without it, one behind the braces would become its part.
    fn is_else_if(&self, open: usize) -> bool {
        if open.checked_sub(1).and_then(|before| self.keyword(before)) != Some(Keyword::Else) {
            return false;
        }
        let mut at = open + 1;
        while self.keyword(at) == Some(Keyword::If) && self.punct(at + 1) == Some(Punct::LParen) {
            let then = self.partners[at + 1] + 1;
            if self.punct(then) != Some(Punct::LBrace) {
                return false;
            }
            let behind = self.partners[then] + 1;
            if self.keyword(behind) != Some(Keyword::Else) {
                return false;
            }
            at = behind + 1;
        }
        at > open + 1 && self.punct(at) == Some(Punct::LBrace) && self.partners[at] + 1 == self.partners[open]
    }
}

#[cfg(test)]
mod tests {
    use rucc_base::Interner;
    use rucc_session::Std;

    use super::*;

    /// What becomes of a text around something deep.
    fn flat(text: &str) -> String {
        let deep = format!("{}1{}", "(a+".repeat(DEEP), ")".repeat(DEEP));
        let mut names = Interner::new();
        let keywords = Keywords::new(&mut names, Std::C17, true);
        let text = format!("{text} deep {deep}");
        let (tokens, _) = rucc_lex::tokenize(text.as_bytes(), 0, rucc_lex::Options::new(), &mut names);
        let spelled = |t: &PpToken| match t.value {
            Some(name) => names.resolve(name).to_owned(),
            None => t.punct().map_or("", Punct::as_str).to_owned(),
        };
        let words: Vec<String> = flatten(tokens, &keywords).iter().map(spelled).collect();
        words.join(" ").split(" deep ").next().unwrap_or_default().to_owned()
    }

    #[test]
    fn brackets_that_mean_nothing_go() {
        assert_eq!(flat("x = (((a)));"), "x = ( a ) ;");
        assert_eq!(flat("return ((a)) + (({ b; }));"), "return ( a ) + ( { b ; } ) ;");
        assert_eq!(flat("{ if (((a))) { { { b; } } } }"), "{ if ( a ) { b ; } }");
        assert_eq!(flat("{ else { if (a) { b; } else { c; } } }"), "{ else if ( a ) { b ; } else { c ; } }");
        assert_eq!(
            flat("{ else { if (a) { } else { if (b) { } else if (c) { } else { } } } }"),
            "{ else if ( a ) { } else if ( b ) { } else if ( c ) { } else { } }"
        );
    }

    #[test]
    fn others_stay() {
        for text in [
            "f ( ( a , b ) ) ;",
            "__attribute__ ( ( x ) ) ;",
            "x = ( ( a ) + ( b ) ) ;",
            "int x [ ] [ 1 ] = { { 1 } } ;",
            "struct s x = { { { 1 } , 2 } } ;",
            "x = ( T ) { { 1 } } ;",
            "{ { a ; } b ; }",
            "{ a ; { b ; } }",
            "else { if ( a ) { b ; } }",
            "else { if ( a ) b ; else { c ; } }",
            "else { if ( a ) { b ; } else { c ; } d ; }",
            "else { int x ; if ( a ) { b ; } else { c ; } }",
        ] {
            let text = format!("{{ {text} }}");
            assert_eq!(flat(&text), text);
        }
    }

    #[test]
    fn what_is_in_a_body_stays_apart_from_the_parameters() {
        assert_eq!(flat("void f ( int x ) { { { int x ; } } }"), "void f ( int x ) { { int x ; } }");
    }

    #[test]
    fn texts_that_do_not_match_are_left_alone() {
        assert_eq!(flat("x = ((a)]);"), "x = ( ( a ) ] ) ;");
    }
}
