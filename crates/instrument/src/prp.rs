//! Property files: what SV-COMP calls the specification of a task.
//!
//! ```text
//! file     = { check | cover } ;
//! check    = "CHECK" "(" "init" "(" name "(" ")" ")" "," "LTL" "(" formula ")" ")" ;
//! cover    = "COVER" "(" "init" "(" name "(" ")" ")" "," "FQL" "(" anything balanced ")" ")" ;
//! formula  = "G" "!" "call" "(" name "(" ")" ")"        (* never called *)
//!          | "G" "!" "label" "(" name ")"               (* never reached; before 2015 *)
//!          | ( "G" | "F" ) [ "!" ] word ;               (* one of the known others *)
//! ```
//!
//! Blanks and line ends separate words and mean nothing else. A file with several checks asks for all of
//! them. Formulas that are known but cannot be checked are read and keep their name.

use std::fmt;

use hardbop_base::{Diagnostic, Diagnostics, FileId, LineIndex, Span};

use crate::Specification;

/// A property file: all its checks are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PropertyFile {
    /// The checks, at least one.
    pub checks: Vec<Check>,
}

/// One line of a property file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The function where a run starts.
    pub entry: String,
    /// What must hold of every run.
    pub formula: Formula,
    /// Where it is written.
    pub span: Span,
}

/// What must hold of every run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Formula {
    /// The function is never called.
    NoCall(String),
    /// The label is never reached.
    NoLabel(String),
    /// A property that is known by this name and not supported.
    Other(&'static str),
}

/// A property file that asks for something that is not supported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsupported {
    /// Where it does.
    pub span: Span,
    /// What it asks for.
    pub what: String,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is not supported", self.what)
    }
}

impl Formula {
    /// The name that SV-COMP gives to the property.
    pub fn name(&self) -> &'static str {
        match self {
            Formula::NoCall(_) => "unreach-call",
            Formula::NoLabel(_) => "unreach-label",
            Formula::Other(name) => name,
        }
    }
}

impl PropertyFile {
    /// The errors that count.
    ///
    /// # Errors
    /// The first check that is not supported, or that starts elsewhere than the first one.
    pub fn specification(&self) -> Result<Specification, Unsupported> {
        let entry = self.checks.first().map_or("main", |check| &check.entry);
        let mut specification = Specification::only(entry, Vec::new(), Vec::new());
        for check in &self.checks {
            if check.entry != entry {
                let what = format!("a property of `{}` beside one of `{entry}`", check.entry);
                return Err(Unsupported { span: check.span, what });
            }
            match &check.formula {
                Formula::NoCall(name) => add(&mut specification.functions, name),
                Formula::NoLabel(name) => add(&mut specification.labels, name),
                Formula::Other(_) => {
                    let what = format!("the property {}", self.name());
                    return Err(Unsupported { span: check.span, what });
                }
            }
        }
        Ok(specification)
    }

    /// The name that SV-COMP gives to the property, or all names if there are several.
    pub fn name(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for check in &self.checks {
            let name = check.formula.name();
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let part_of_memory_safety = ["valid-free", "valid-deref", "valid-memtrack"];
        if part_of_memory_safety.iter().all(|part| names.contains(part)) {
            names.retain(|name| !part_of_memory_safety.contains(name));
            names.insert(0, "valid-memsafety");
        }
        names.join(", ")
    }
}

fn add(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// Reads a property file.
///
/// # Errors
/// The first error of each check.
pub fn parse(file: FileId, text: &str) -> Result<PropertyFile, Diagnostics> {
    let mut reader = Reader::new(file, text);
    let mut errors = Diagnostics::new();
    let mut checks = Vec::new();
    while reader.peek().kind != Kind::End {
        match reader.check() {
            Ok(check) => checks.push(check),
            Err(error) => {
                errors.push(error);
                reader.recover();
            }
        }
    }
    if errors.is_empty() && checks.is_empty() {
        errors.error(Span::in_line(file, 1, 1, 0), "there is no property in it");
    }
    if errors.is_empty() { Ok(PropertyFile { checks }) } else { Err(errors) }
}

/// The formulas that are known by a name, and their names.
const KNOWN: [(&str, &str); 10] = [
    ("G valid-free", "valid-free"),
    ("G valid-deref", "valid-deref"),
    ("G valid-memtrack", "valid-memtrack"),
    ("G valid-memcleanup", "valid-memcleanup"),
    ("G ! overflow", "no-overflow"),
    ("G ! data-race", "no-data-race"),
    ("G ! deadlock", "no-deadlock"),
    ("G def-behavior", "def-behavior"),
    ("G assert", "assert"),
    ("F end", "termination"),
];

/// The coverage criteria that are known by a name: what occurs in the query, and the name.
const COVERAGE: [(&str, &str); 4] = [
    ("@DECISIONEDGE", "coverage-branches"),
    ("@CONDITIONEDGE", "coverage-conditions"),
    ("@BASICBLOCKENTRY", "coverage-statements"),
    ("@CALL", "coverage-error-call"),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Word,
    Symbol(char),
    End,
}

#[derive(Debug, Clone, Copy)]
struct Token<'t> {
    kind: Kind,
    text: &'t str,
    start: usize,
}

struct Reader<'t> {
    file: FileId,
    lines: LineIndex,
    tokens: Vec<Token<'t>>,
    next: usize,
    end: usize,
}

impl<'t> Reader<'t> {
    fn new(file: FileId, text: &'t str) -> Self {
        let lines = LineIndex::new(text.as_bytes());
        Reader { file, lines, tokens: tokens(text), next: 0, end: text.len() }
    }

    fn peek(&self) -> Token<'t> {
        self.tokens.get(self.next).copied().unwrap_or(Token { kind: Kind::End, text: "", start: self.end })
    }

    fn advance(&mut self) -> Token<'t> {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn span(&self, from: Token<'_>, to: Token<'_>) -> Span {
        let offset = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        self.lines.span(self.file, offset(from.start), offset(to.start + to.text.len()))
    }

    fn wrong(&self, token: Token<'_>, expected: &str) -> Diagnostic {
        let found = match token.kind {
            Kind::End => "the file ends".to_owned(),
            _ => format!("`{}` stands", token.text),
        };
        Diagnostic::error(self.span(token, token), format!("{found} where {expected} is expected"))
    }

    /// Goes on at what looks like the next check.
    fn recover(&mut self) {
        while !matches!(self.peek().text, "CHECK" | "COVER") && self.peek().kind != Kind::End {
            self.next += 1;
        }
    }

    fn word(&mut self, expected: &str) -> Result<(), Diagnostic> {
        let token = self.peek();
        if token.text != expected {
            return Err(self.wrong(token, &format!("`{expected}`")));
        }
        self.next += 1;
        Ok(())
    }

    fn words(&mut self, expected: &[&str]) -> Result<(), Diagnostic> {
        expected.iter().try_for_each(|word| self.word(word))
    }

    fn name(&mut self) -> Result<String, Diagnostic> {
        let token = self.peek();
        let first = token.text.chars().next();
        if token.kind != Kind::Word
            || token.text.contains('-')
            || first.is_none_or(|first| first.is_ascii_digit())
        {
            return Err(self.wrong(token, "a name of C"));
        }
        self.next += 1;
        Ok(token.text.to_owned())
    }

    fn check(&mut self) -> Result<Check, Diagnostic> {
        let first = self.advance();
        if !matches!(first.text, "CHECK" | "COVER") {
            return Err(self.wrong(first, "`CHECK`"));
        }
        self.words(&["(", "init", "("])?;
        let entry = self.name()?;
        self.words(&["(", ")", ")", ","])?;
        let formula = if first.text == "CHECK" {
            self.words(&["LTL", "("])?;
            self.formula()?
        } else {
            self.words(&["FQL", "("])?;
            self.coverage()?
        };
        self.word(")")?;
        let last = self.peek();
        self.word(")")?;
        Ok(Check { entry, formula, span: self.span(first, last) })
    }

    fn formula(&mut self) -> Result<Formula, Diagnostic> {
        let first = self.peek();
        let mut text = String::new();
        loop {
            let token = self.peek();
            match (text.as_str(), token.text) {
                ("G !", "call") => {
                    self.words(&["call", "("])?;
                    let name = self.name()?;
                    self.words(&["(", ")", ")"])?;
                    return Ok(Formula::NoCall(name));
                }
                ("G !", "label") => {
                    self.words(&["label", "("])?;
                    let name = self.name()?;
                    self.word(")")?;
                    return Ok(Formula::NoLabel(name));
                }
                (_, ")") => break,
                _ if matches!(token.kind, Kind::Word | Kind::Symbol('!')) && text.len() < 80 => {
                    if !text.is_empty() {
                        text.push(' ');
                    }
                    text.push_str(token.text);
                    self.next += 1;
                }
                _ => return Err(self.wrong(token, "a formula that is known")),
            }
        }
        match KNOWN.iter().find(|(formula, _)| *formula == text) {
            Some((_, name)) => Ok(Formula::Other(name)),
            None if text.is_empty() => Err(self.wrong(first, "a formula")),
            None => {
                let last = self.tokens[self.next - 1];
                Err(Diagnostic::error(self.span(first, last), format!("no property `{text}` is known")))
            }
        }
    }

    /// Skips a query to the parenthesis that closes it.
    fn coverage(&mut self) -> Result<Formula, Diagnostic> {
        let mut open = 0usize;
        let mut name = "coverage";
        loop {
            let token = self.peek();
            match token.kind {
                Kind::End => return Err(self.wrong(token, "`)`")),
                Kind::Symbol('(') => open += 1,
                Kind::Symbol(')') if open == 0 => return Ok(Formula::Other(name)),
                Kind::Symbol(')') => open -= 1,
                _ => {
                    if let Some((_, known)) = COVERAGE.iter().find(|(criterion, _)| *criterion == token.text)
                    {
                        name = known;
                    }
                }
            }
            self.next += 1;
        }
    }
}

/// Words and single symbols.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let in_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-' | '@');
    let mut tokens = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, first)) = rest.next() {
        if first.is_whitespace() || first == '\u{feff}' {
            continue;
        }
        let mut end = start + first.len_utf8();
        if !in_word(first) {
            tokens.push(Token { kind: Kind::Symbol(first), text: &text[start..end], start });
            continue;
        }
        while let Some((place, c)) = rest.next_if(|&(_, c)| in_word(c)) {
            end = place + c.len_utf8();
        }
        tokens.push(Token { kind: Kind::Word, text: &text[start..end], start });
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Id;

    fn read(text: &str) -> Result<PropertyFile, Vec<String>> {
        parse(Id::from_usize(0), text).map_err(|errors| {
            let line = |e: &Diagnostic| format!("{}:{}: {}", e.span.line, e.span.column, e.message);
            errors.iter().map(line).collect()
        })
    }

    fn functions(text: &str) -> Vec<String> {
        read(text).unwrap().specification().unwrap().functions
    }

    #[test]
    fn calls_are_supported_in_old_and_new_form() {
        assert_eq!(functions("CHECK( init(main()), LTL(G ! call(reach_error())) )\n\n"), ["reach_error"]);
        assert_eq!(
            functions("CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )"),
            ["__VERIFIER_error"]
        );
        assert_eq!(
            functions("CHECK(init(main()),LTL(G!call(f())))\r\nCHECK(init(main()),LTL(G!call(g())))"),
            ["f", "g"]
        );
        let labels = read("CHECK( init(start()), LTL(G ! label(ERROR)) )").unwrap().specification().unwrap();
        assert_eq!(labels, Specification::only("start", Vec::new(), vec!["ERROR".into()]));
    }

    #[test]
    fn other_properties_keep_their_names() {
        let memory = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
            CHECK( init(main()), LTL(G valid-memtrack) )\n";
        let mixed = "CHECK( init(main()), LTL(G ! call(f())) )\nCHECK( init(main()), LTL(F end) )";
        for (text, name, line) in [
            (memory, "valid-memsafety", 1),
            ("CHECK( init(main()), LTL(G valid-memcleanup) )", "valid-memcleanup", 1),
            ("CHECK( init(main()), LTL(G ! overflow) )", "no-overflow", 1),
            ("CHECK( init(main()), LTL(G ! data-race) )", "no-data-race", 1),
            ("CHECK( init(main()), LTL(F end) )", "termination", 1),
            ("CHECK( init(main()), LTL(G def-behavior) )", "def-behavior", 1),
            ("COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )", "coverage-branches", 1),
            ("COVER( init(main()), FQL(COVER EDGES(@CALL(__VERIFIER_error))) )", "coverage-error-call", 1),
            ("COVER( init(main()), FQL(something (else)) )", "coverage", 1),
            (mixed, "unreach-call, termination", 2),
        ] {
            let unsupported = read(text).unwrap().specification().unwrap_err();
            assert_eq!(unsupported.to_string(), format!("the property {name} is not supported"));
            assert_eq!(unsupported.span.line, line, "{text}");
        }
        let entries = "CHECK( init(a()), LTL(G ! call(f())) )\nCHECK( init(b()), LTL(G ! call(f())) )";
        let unsupported = read(entries).unwrap().specification().unwrap_err();
        assert_eq!(unsupported.to_string(), "a property of `b` beside one of `a` is not supported");
    }

    #[test]
    fn errors_have_places_and_do_not_hide_each_other() {
        for (text, errors) in [
            ("", &["1:1: there is no property in it"][..]),
            ("int main() {}", &["1:1: `int` stands where `CHECK` is expected"]),
            ("CHECK( init(main()), LTL(G ! call(f())) ", &["1:41: the file ends where `)` is expected"]),
            (
                "CHECK( init(main()), LTL(G ! call(1())) )",
                &["1:35: `1` stands where a name of C is expected"],
            ),
            ("CHECK( init(Main.main()), LTL(G assert) )", &["1:17: `.` stands where `(` is expected"]),
            ("CHECK( init(main()), LTL(G ! sleep) )", &["1:26: no property `G ! sleep` is known"]),
            ("CHECK( init(main()), LTL() )", &["1:26: `)` stands where a formula is expected"]),
            (
                "CHECK( init(main()), LTL(G ! call(f()) & F end) )",
                &["1:40: `&` stands where `)` is expected"],
            ),
            (
                "CHECK(\n init(), LTL(F end))\nCHECK( init(main()), LTL(F end) )\nCHECK( é",
                &[
                    "2:7: `)` stands where a name of C is expected",
                    "4:8: `é` stands where `init` is expected",
                ],
            ),
        ] {
            assert_eq!(read(text).unwrap_err(), errors, "{text}");
        }
    }

    #[test]
    fn long_and_odd_texts_are_errors() {
        for text in [
            "(".repeat(1 << 20),
            "CHECK( init(main()), LTL(".to_owned() + &"G ".repeat(1 << 20),
            "\u{0}".into(),
        ] {
            assert!(read(&text).is_err());
        }
        let cover = format!("COVER( init(main()), FQL({}", "(".repeat(1 << 20));
        assert!(read(&cover).is_err());
    }
}
