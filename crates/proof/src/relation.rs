//! Relations as formulas that are decision diagrams all the same.
//!
//! A node tests one predicate: `p3 & rest`, `!p3 & rest`, `p3 | rest`, `!p3 | rest` or `p3 ? then : else`. So in a chain
//! of `&` or `|` everything but the last part is a literal, and `&` and `|` are mixed in parentheses only.
//! Nodes that are used more than once have names: `let n5 = …;`.

use std::fmt::Write;

use hardbop_base::text::Parse;
use hardbop_certify::proof::{Relation, Slot};
use rustc_hash::FxHashMap;

use crate::MAX_NESTING;
use crate::cursor::{Cursor, Kind};

/// A node gets a name where its text would be longer or nested deeper than this.
const LONG: usize = 2000;
const DEEP: usize = 40;

/// How a node is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A constant, a literal or a name.
    Atom,
    And,
    Or,
    Choice,
}

struct Written {
    form: Form,
    text: String,
    depth: usize,
}

impl Written {
    fn atom(text: impl Into<String>) -> Self {
        Written { form: Form::Atom, text: text.into(), depth: 0 }
    }

    /// As a part of a chain of some form.
    fn within(&self, form: Form) -> (String, usize) {
        if self.form == Form::Atom || self.form == form && form != Form::Choice {
            return (self.text.clone(), self.depth);
        }
        (format!("({})", self.text), self.depth + 1)
    }
}

/// The text of a relation: definitions of nodes, then the relation itself. Predicates have new numbers.
pub(crate) fn print(relation: &Relation, numbers: &[usize], indent: &str) -> String {
    let mut uses = vec![0usize; relation.nodes.len() + 2];
    for &(_, low, high) in &relation.nodes {
        uses[low] += 1;
        uses[high] += 1;
    }
    let mut out = String::new();
    let mut written = vec![Written::atom("false"), Written::atom("true")];
    for (i, &(slot, low, high)) in relation.nodes.iter().enumerate() {
        let mut node = write_node(&literal(slot, numbers), (low, high), &written);
        let is_shared = uses[i + 2] > 1 && node.form != Form::Atom;
        if i + 2 != relation.root && (is_shared || node.text.len() > LONG || node.depth > DEEP) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\n{indent}let n{} = {};", i + 2, node.text);
            node = Written::atom(format!("n{}", i + 2));
        }
        written.push(node);
    }
    let root = written.get(relation.root).map_or("false", |root| root.text.as_str());
    let gap = if out.is_empty() { " ".to_owned() } else { format!("\n{indent}") };
    let _ = write!(out, "{gap}{root};");
    out
}

fn literal(slot: Slot, numbers: &[usize]) -> String {
    let (word, i) = match slot {
        Slot::Entry(i) => ("old ", i),
        Slot::Now(i) => ("", i),
    };
    format!("{word}p{}", numbers.get(i).copied().unwrap_or(i))
}

fn write_node(literal: &str, (low, high): (usize, usize), written: &[Written]) -> Written {
    let chain = |negated: bool, form: Form, rest: usize| {
        let (text, depth) = written[rest].within(form);
        let sign = if negated { "!" } else { "" };
        let operator = if form == Form::And { "&" } else { "|" };
        Written { form, text: format!("{sign}{literal} {operator} {text}"), depth }
    };
    match (low, high) {
        (0, 1) => Written::atom(literal),
        (1, 0) => Written::atom(format!("!{literal}")),
        (0, _) => chain(false, Form::And, high),
        (_, 0) => chain(true, Form::And, low),
        (_, 1) => chain(false, Form::Or, low),
        (1, _) => chain(true, Form::Or, high),
        _ => {
            let [(yes, a), (no, b)] = [high, low].map(|node| written[node].within(Form::Choice));
            let text = format!("{literal} ? {yes} : {no}");
            Written { form: Form::Choice, text, depth: a.max(b) }
        }
    }
}

/// Reads a relation up to its semicolon. `is_known` says whether a predicate has a meaning there, or why not.
pub(crate) fn parse(
    cursor: &mut Cursor<'_>,
    is_known: &dyn Fn(usize) -> Result<(), String>,
) -> Parse<Relation> {
    let mut parser = Parser { cursor, is_known, nodes: Vec::new(), numbers: FxHashMap::default() };
    let mut names: FxHashMap<usize, usize> = FxHashMap::default();
    while parser.cursor.eat_word("let") {
        let span = parser.cursor.here();
        let name = parser.cursor.numbered('n', "the name of a node like `n5`")?;
        parser.cursor.expect("=")?;
        let node = parser.relation(&names)?;
        parser.cursor.expect(";")?;
        if names.insert(name, node).is_some() {
            return Err(parser.cursor.error(span, format!("`n{name}` is there already")));
        }
    }
    let root = parser.relation(&names)?;
    parser.cursor.expect(";")?;
    Ok(Relation { nodes: parser.nodes, root })
}

struct Parser<'a, 't> {
    cursor: &'a mut Cursor<'t>,
    is_known: &'a dyn Fn(usize) -> Result<(), String>,
    nodes: Vec<(Slot, usize, usize)>,
    /// Nodes that are there, so that equal ones are one.
    numbers: FxHashMap<(Slot, usize, usize), usize>,
}

#[derive(Clone, Copy)]
enum Part {
    Literal(Slot, bool),
    Node(usize),
}

impl Parser<'_, '_> {
    fn node(&mut self, slot: Slot, low: usize, high: usize) -> usize {
        let nodes = &mut self.nodes;
        *self.numbers.entry((slot, low, high)).or_insert_with(|| {
            nodes.push((slot, low, high));
            nodes.len() + 1
        })
    }

    /// A literal that is true, or else another node, and the other way round.
    fn test(&mut self, (slot, truth): (Slot, bool), yes: usize, no: usize) -> usize {
        if truth { self.node(slot, no, yes) } else { self.node(slot, yes, no) }
    }

    fn finish(&mut self, part: Part) -> usize {
        match part {
            Part::Literal(slot, truth) => self.test((slot, truth), 1, 0),
            Part::Node(node) => node,
        }
    }

    fn relation(&mut self, names: &FxHashMap<usize, usize>) -> Parse<usize> {
        let span = self.cursor.here();
        let first = self.part(names)?;
        if self.cursor.eat("?") {
            let Part::Literal(slot, truth) = first else {
                return Err(self.cursor.error(span, "only a predicate can be tested"));
            };
            let yes = self.part(names)?;
            let yes = self.finish(yes);
            self.cursor.expect(":")?;
            let no = self.part(names)?;
            let no = self.finish(no);
            return Ok(self.test((slot, truth), yes, no));
        }
        for operator in ["&", "|"] {
            if self.cursor.at(operator) {
                return self.chain(names, operator, (first, span));
            }
        }
        Ok(self.finish(first))
    }

    fn chain(
        &mut self,
        names: &FxHashMap<usize, usize>,
        operator: &'static str,
        first: (Part, hardbop_base::Span),
    ) -> Parse<usize> {
        let mut parts = vec![first];
        while self.cursor.eat(operator) {
            let span = self.cursor.here();
            parts.push((self.part(names)?, span));
        }
        let Some((last, _)) = parts.pop() else { return Ok(0) };
        let mut rest = self.finish(last);
        for (part, span) in parts.into_iter().rev() {
            let Part::Literal(slot, truth) = part else {
                let message = format!("only the last part of a chain of `{operator}` may be no literal");
                return Err(self.cursor.error(span, message));
            };
            rest = match operator {
                "&" => self.test((slot, truth), rest, 0),
                _ => self.test((slot, truth), 1, rest),
            };
        }
        Ok(rest)
    }

    fn part(&mut self, names: &FxHashMap<usize, usize>) -> Parse<Part> {
        if self.cursor.eat("(") {
            if !self.cursor.enter(MAX_NESTING) {
                return Err(self.cursor.error_here(format!("nested more than {MAX_NESTING} deep")));
            }
            let inner = self.relation(names)?;
            self.cursor.leave();
            self.cursor.expect(")")?;
            return Ok(Part::Node(inner));
        }
        let truth = !self.cursor.eat("!");
        let is_plain = truth && !self.cursor.at_word("old");
        let span = self.cursor.here();
        match self.cursor.token.kind {
            Kind::Word("true") if is_plain => {
                self.cursor.advance();
                return Ok(Part::Node(1));
            }
            Kind::Word("false") if is_plain => {
                self.cursor.advance();
                return Ok(Part::Node(0));
            }
            Kind::Word(word) if is_plain && word.starts_with('n') => {
                let name = self.cursor.numbered('n', "a node, a predicate or `(`")?;
                return match names.get(&name) {
                    Some(&node) => Ok(Part::Node(node)),
                    None => Err(self.cursor.error(span, format!("there is no `n{name}` above"))),
                };
            }
            _ => {}
        }
        let is_old = self.cursor.eat_word("old");
        let span = self.cursor.here();
        let i = self.cursor.numbered('p', "a predicate like `p3`, `true`, `false` or `(`")?;
        (self.is_known)(i).map_err(|why| self.cursor.error(span, why))?;
        Ok(Part::Literal(if is_old { Slot::Entry(i) } else { Slot::Now(i) }, truth))
    }
}
