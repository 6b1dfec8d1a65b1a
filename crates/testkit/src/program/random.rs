//! Small random programs: machine integers of several widths, pointers, a record, an array, loops,
//! labels, calls with recursion and through pointers. They are for abstraction: they are not run, and
//! loops need not end.

use crate::Rng;
use crate::program::Subject;

const GLOBALS: [&str; 4] = ["g0", "g1", "u", "c"];
const CONSTANTS: [&str; 6] = ["0", "1", "2", "-1", "255", "3"];

/// Declarations that all programs share.
const PREAMBLE: &str = "\
extern int any(void);
extern void reach_error(void);
struct pair { int first; unsigned char second; struct pair *next; };
static int g0, g1;
static unsigned u;
static unsigned char c;
static int *p = &g1;
static struct pair s, *q = &s;
static int row[3];
";

/// The program of a seed, with about so many statements per function, and up to so many predicates.
pub fn random(seed: u64, statements: usize, predicates: usize) -> Subject {
    let mut writer =
        Writer { rng: Rng::new(seed), text: PREAMBLE.to_owned(), labels: 0, relevant: Vec::new() };
    let functions = 1 + writer.rng.below(2);
    for number in 0..functions {
        writer.text.push_str(&format!("static int f{number}(int x, int *r);\n"));
    }
    writer.text.push_str("static int (*fp)(int, int *) = f0;\n");
    for number in 0..functions {
        let start = writer.value();
        writer.text.push_str(&format!("static int f{number}(int x, int *r)\n{{\n  int y = {start};\n"));
        writer.block(statements, 2, functions);
        let result = writer.value();
        writer.text.push_str(&format!("  return {result};\n}}\n"));
    }
    writer.text.push_str("int main(void)\n{\n  int x = any(), y = 0, *r = &y;\n");
    // Everything is used, so that predicates may speak of it.
    writer.text.push_str("  if (any()) row[0] = g0 + *p + u + c + q->first + s.second + fp(x, r)");
    (0..functions).for_each(|number| writer.text.push_str(&format!(" + f{number}(g1, p)")));
    writer.text.push_str(";\n");
    writer.block(statements, 2, functions);
    writer.text.push_str("  return 0;\n}\n");
    let found = (0..predicates).map(|_| writer.predicate(functions)).collect();
    Subject { text: writer.text, predicates: found }
}

struct Writer {
    rng: Rng,
    text: String,
    labels: usize,
    /// Predicates that tell something about the program.
    relevant: Vec<(Option<String>, String)>,
}

impl Writer {
    fn pick(&mut self, items: &[&str]) -> String {
        self.rng.pick(items).map(|item| (*item).to_owned()).unwrap_or_default()
    }

    fn block(&mut self, statements: usize, nesting: usize, functions: usize) {
        for _ in 0..1 + self.rng.below(statements) {
            self.statement(statements, nesting, functions);
        }
    }

    fn statement(&mut self, statements: usize, nesting: usize, functions: usize) {
        if self.rng.one_in(3) {
            self.text.push_str(&format!("  label{}:;\n", self.labels));
            self.labels += 1;
        }
        match self.rng.below(if nesting == 0 { 8 } else { 11 }) {
            0..4 => {
                let (place, value) = (self.place(), self.value());
                self.text.push_str(&format!("  {place} = {value};\n"));
            }
            4 => {
                let line = self.pick(&[
                    "  p = &g0;\n",
                    "  p = &g1;\n",
                    "  p = r;\n",
                    "  p = &row[1];\n",
                    "  r = p;\n",
                    "  q = &s;\n",
                    "  q = 0;\n",
                    "  fp = f0;\n",
                    "  r = &q->first;\n",
                ]);
                self.text.push_str(&line);
            }
            5 if self.rng.one_in(3) => {
                let condition = self.condition();
                self.text.push_str(&format!("  if ({condition}) reach_error();\n"));
            }
            5 => self.impossible(),
            6 | 7 => self.call(functions),
            8 | 9 => {
                let condition = self.condition();
                self.text.push_str(&format!("  if ({condition}) {{\n"));
                self.block(statements / 2, nesting - 1, functions);
                if self.rng.one_in(2) {
                    self.text.push_str("  } else {\n");
                    self.block(statements / 2, nesting - 1, functions);
                }
                self.text.push_str("  }\n");
            }
            _ => {
                let condition = self.condition();
                self.text.push_str(&format!("  while ({condition}) {{\n"));
                self.block(statements / 2, nesting - 1, functions);
                self.text.push_str("  }\n");
            }
        }
    }

    /// A label that no run gets to, for a reason that predicates may see.
    fn impossible(&mut self) {
        let constant = self.pick(&CONSTANTS);
        let predicates = ["g0", "g1"].map(|name| (None, format!("{name} == {constant}")));
        let (before, [(_, first), (_, second)]) = match self.rng.below(3) {
            0 => ("", [predicates[0].clone(), predicates[0].clone()]),
            1 => ("g1 = g0; ", predicates.clone()),
            // Only the relation of both says that they are equal.
            _ => ("g0 = any(); g1 = g0; ", predicates.clone()),
        };
        self.relevant.extend(predicates);
        let label = self.labels;
        self.labels += 1;
        self.text.push_str(&format!("  {before}if ({first}) if (!({second})) {{ label{label}: c++; }}\n"));
    }

    fn call(&mut self, functions: usize) {
        let callee = self.rng.below(functions + 1);
        let callee = if callee == functions { "fp".to_owned() } else { format!("f{callee}") };
        let (place, argument) = (self.place(), self.value());
        let reference = self.pick(&["r", "p", "&g0", "&y"]);
        self.text.push_str(&format!("  {place} = {callee}({argument}, {reference});\n"));
    }

    /// Something that can be assigned to.
    fn place(&mut self) -> String {
        match self.rng.below(3) {
            0 => self.pick(&GLOBALS),
            1 => self.pick(&["x", "y"]),
            _ => self.pick(&["*p", "*r", "s.first", "q->first", "q->second", "row[1]", "row[y & 1]"]),
        }
    }

    fn value(&mut self) -> String {
        match self.rng.below(6) {
            0 => "any()".to_owned(),
            1 => self.pick(&CONSTANTS),
            2 => {
                let (place, constant) = (self.place(), self.pick(&CONSTANTS));
                let operator = self.pick(&["+", "-", "&", "^"]);
                format!("{place} {operator} {constant}")
            }
            _ => self.place(),
        }
    }

    fn condition(&mut self) -> String {
        if self.rng.one_in(4) {
            return "any()".to_owned();
        }
        let left = self.place();
        self.comparison(&left)
    }

    fn comparison(&mut self, left: &str) -> String {
        let operator = self.pick(&["==", "!=", "<", "<=", ">"]);
        let right = if self.rng.one_in(3) { self.place() } else { self.pick(&CONSTANTS) };
        format!("{left} {operator} {right}")
    }

    fn predicate(&mut self, functions: usize) -> (Option<String>, String) {
        if !self.relevant.is_empty() && self.rng.one_in(2) {
            return self.relevant.swap_remove(self.rng.below(self.relevant.len()));
        }
        let local = self.rng.one_in(2);
        if !local {
            let left = self.global();
            let operator = self.pick(&["==", "<", "<=", "!="]);
            let right = if self.rng.one_in(3) { self.global() } else { self.pick(&CONSTANTS) };
            return (None, format!("{left} {operator} {right}"));
        }
        let number = self.rng.below(functions + 1);
        let owner = if number == functions { "main".to_owned() } else { format!("f{number}") };
        let text = match self.rng.below(6) {
            0 => self.pick(&["r == p", "r == &g0", "p == &g1", "q == 0", "fp == f0"]),
            1 if number < functions => {
                format!("return {} {}", self.pick(&["==", "<"]), self.pick(&CONSTANTS))
            }
            2 if number < functions => format!("x$in {} {}", self.pick(&["==", "<"]), self.pick(&CONSTANTS)),
            _ => {
                let left = self.place();
                self.comparison(&left)
            }
        };
        (Some(owner), text)
    }

    fn global(&mut self) -> String {
        self.pick(&["g0", "g1", "u", "c", "*p", "s.first", "q->second", "row[1]"])
    }
}
