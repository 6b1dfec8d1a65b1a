//! Random C programs with places where something is observed.
//!
//! A line `@CHECK(e);` observes the value of an expression. For gcc it becomes a call that tells the value, for the
//! checker one of them becomes `if (e == value) reach_error();` and the others nothing. So one compilation says for
//! all inputs which errors are reached.

use hardbop_ir::testing::Random;

/// A random program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// What it is about.
    pub kind: &'static str,
    /// The texts of its files.
    pub files: Vec<String>,
    /// How many inputs it reads.
    pub inputs: usize,
    /// They are less than this, and not negative.
    pub range: u64,
    /// Whether what it does depends on where objects lie, so that gcc shows one way of many.
    pub layout: bool,
}

/// What marks an observation.
const MARK: &str = "@CHECK(";

impl Case {
    /// How many observations there are.
    pub fn points(&self) -> usize {
        self.files.iter().map(|file| file.matches(MARK).count()).sum()
    }

    /// The files with each observation replaced, given its number and its expression.
    fn with(&self, mut replacement: impl FnMut(usize, &str) -> String) -> Vec<String> {
        let mut number = 0;
        let mut replace = |line: &str| match line.split_once(MARK) {
            None => line.to_owned(),
            Some((before, rest)) => {
                let expression = rest.trim_end().strip_suffix(");").unwrap_or(rest);
                let replaced = replacement(number, expression);
                number += 1;
                format!("{before}{replaced}")
            }
        };
        let lines =
            |file: &String| file.lines().map(&mut replace).flat_map(|l| [l, "\n".to_owned()]).collect();
        self.files.iter().map(lines).collect()
    }

    /// The program as gcc gets it.
    pub fn observed(&self) -> Vec<String> {
        let declared = "void oracle_check(int, long long);\n";
        let files = self.with(|number, e| format!("oracle_check({number}, (long long)({e}));"));
        files.into_iter().map(|file| format!("{declared}{file}")).collect()
    }

    /// The program in which an observation of a value is the error.
    pub fn question(&self, goal: &Goal) -> Vec<String> {
        self.with(|number, e| {
            let gate = if goal.gated { " && __VERIFIER_nondet_int() == 7654321" } else { "" };
            if number != goal.point {
                ";".to_owned()
            } else if goal.value == i64::MIN {
                format!("if ((long long)({e}) == -9223372036854775807LL - 1{gate}) reach_error();")
            } else {
                format!("if ((long long)({e}) == {}LL{gate}) reach_error();", goal.value)
            }
        })
    }
}

/// What counts as the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Goal {
    /// The observation.
    pub point: usize,
    /// Its value.
    pub value: i64,
    /// Whether one more input must be right.
    pub gated: bool,
    /// Whether the error is reached.
    pub reached: bool,
}

/// Writes a program.
pub struct Writer {
    /// Random choices.
    pub random: Random,
    /// The lines so far.
    lines: Vec<String>,
    indent: usize,
    /// Inputs are less than this.
    pub range: u64,
    /// Names that were used.
    names: usize,
}

/// What all files start with.
pub const HEADER: &str = "#include <stdlib.h>\n#include <string.h>\n#include <stddef.h>\n\
    extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

impl Writer {
    /// An empty program.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let range = 2 + random.below(5) as u64;
        Writer { random, lines: Vec::new(), indent: 0, range, names: 0 }
    }

    /// A line; braces at its end and start make blocks.
    pub fn line(&mut self, text: impl Into<String>) {
        let text = text.into();
        if text.starts_with('}') {
            self.indent = self.indent.saturating_sub(1);
        }
        self.lines.push(format!("{}{text}", "  ".repeat(self.indent)));
        if text.ends_with('{') {
            self.indent += 1;
        }
    }

    /// An observation.
    pub fn check(&mut self, expression: impl AsRef<str>) {
        self.line(format!("{MARK}{});", expression.as_ref()));
    }

    /// The start of `main`, which reads the inputs.
    pub fn main(&mut self, inputs: &[&str]) {
        self.line("int main(void) {");
        for input in inputs {
            self.line(format!("int {input} = __VERIFIER_nondet_int();"));
            self.line(format!("if ({input} < 0 || {input} >= {}) return 0;", self.range));
        }
    }

    /// The end of `main`.
    pub fn end(&mut self) {
        self.line("return 0;");
        self.line("}");
    }

    /// A new name.
    pub fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// The text so far, which is taken away.
    pub fn take(&mut self) -> String {
        let text = self.lines.join("\n") + "\n";
        self.lines.clear();
        self.indent = 0;
        text
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound as usize) as u64
    }

    /// True in one of so many cases.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.random.one_in(n)
    }

    /// One of some texts.
    pub fn pick(&mut self, items: &[&'static str]) -> &'static str {
        self.random.pick(items)
    }

    /// An expression over an input whose value is at most `most`.
    pub fn at_most(&mut self, input: &str, most: u64) -> String {
        let top = self.range - 1;
        let factors: Vec<u64> = [1, 2, 3, 4, 5, 8].into_iter().filter(|f| f * top <= most).collect();
        if factors.is_empty() || self.one_in(3) {
            return self.below(most + 1).to_string();
        }
        let factor = self.random.pick(&factors);
        let rest = self.below(most - factor * top + 1);
        match (factor, rest) {
            (1, 0) => input.to_owned(),
            (1, rest) => format!("({input} + {rest})"),
            (factor, 0) => format!("({input} * {factor})"),
            (factor, rest) => format!("({input} * {factor} + {rest})"),
        }
    }

    /// An expression over some names, with any value.
    pub fn value(&mut self, names: &[&str]) -> String {
        let name = names[self.random.below(names.len())].to_owned();
        let other = names[self.random.below(names.len())].to_owned();
        let constant = self.below(300);
        match self.random.below(8) {
            0 => constant.to_string(),
            1 => format!("{name} + {constant}"),
            2 => format!("{name} * {constant}"),
            3 => format!("{name} - {other}"),
            4 => format!("({name} ^ {constant})"),
            5 => format!("({name} == {other} ? {constant} : {name})"),
            6 => format!("-{name} - 1"),
            _ => name,
        }
    }
}
