//! Small random programs in X: integers, loops, procedures with results and references, recursion,
//! assertions. They are for engines to be compared on: runs need not end, and about as many programs
//! have an error as have none.

use crate::Rng;

/// The program of a seed.
pub fn structured(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    for _ in 0..4 {
        rng.next_u64();
    }
    let mut writer = Writer { rng, text: String::new(), procedures: Vec::new() };
    writer.line(0, "g: int := 0;");
    let count = writer.rng.below(3);
    for _ in 0..count {
        writer.procedure();
    }
    writer.line(0, "main() {");
    let start = writer.constant();
    writer.line(1, &format!("x, y: int := ?, {start};"));
    writer.body(1, &["x", "y", "g"], 2);
    writer.assertion(1, &["x", "y", "g"]);
    writer.line(0, "}");
    writer.text
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Takes a number and returns one.
    Function,
    /// Takes two references.
    References,
    /// Calls itself, with a smaller number.
    Recursive,
}

struct Writer {
    rng: Rng,
    text: String,
    procedures: Vec<Kind>,
}

impl Writer {
    fn line(&mut self, depth: usize, line: &str) {
        self.text.push_str(&"  ".repeat(depth));
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn pick(&mut self, from: &[&str]) -> String {
        self.rng.pick(from).map(|&item| item.to_owned()).unwrap_or_default()
    }

    fn constant(&mut self) -> String {
        self.pick(&["0", "1", "2", "3", "5"])
    }

    fn value(&mut self, of: &[&str]) -> String {
        let (a, b, c) = (self.pick(of), self.pick(of), self.constant());
        match self.rng.below(7) {
            0 => c,
            1 => a,
            2 | 3 => format!("{a} + {c}"),
            4 => format!("{a} - {c}"),
            5 => format!("{a} + {b}"),
            _ => format!("{a} - {b}"),
        }
    }

    fn condition(&mut self, of: &[&str]) -> String {
        let (a, b, c) = (self.pick(of), self.pick(of), self.constant());
        let op = self.pick(&["<", "<=", "=", "!=", ">"]);
        match self.rng.below(6) {
            0 => "?".to_owned(),
            1 | 2 => format!("{a} {op} {b}"),
            _ => format!("{a} {op} {c}"),
        }
    }

    fn procedure(&mut self) {
        let number = self.procedures.len();
        let kind = match self.rng.below(3) {
            0 => Kind::Function,
            1 => Kind::References,
            _ => Kind::Recursive,
        };
        match kind {
            Kind::Function => {
                self.line(0, &format!("p{number}(a: int): int {{"));
                self.line(1, "b: int := a;");
                self.body(1, &["a", "b", "g"], 1);
                let result = self.value(&["a", "b", "g"]);
                self.line(1, &format!("return {result}"));
            }
            Kind::References => {
                self.line(0, &format!("p{number}(ref r: int, ref s: int) {{"));
                self.body(1, &["*r", "*s", "g"], 1);
            }
            Kind::Recursive => {
                self.line(0, &format!("p{number}(n: int) {{"));
                let limit = self.constant();
                self.line(1, &format!("if n > {limit} then {{"));
                self.assignment(2, &["g", "n"], &["g"]);
                let step = 1 + self.rng.below(2);
                self.line(2, &format!("p{number}(n - {step});"));
                if self.rng.one_in(2) {
                    self.assignment(2, &["g", "n"], &["g"]);
                }
                self.line(1, "}");
            }
        }
        self.line(0, "}");
        self.procedures.push(kind);
    }

    fn assignment(&mut self, depth: usize, of: &[&str], to: &[&str]) {
        let (target, value) = (self.pick(to), self.value(of));
        self.line(depth, &format!("{target} := {value};"));
    }

    fn body(&mut self, depth: usize, of: &[&str], nesting: usize) {
        for _ in 0..1 + self.rng.below(3) {
            self.statement(depth, of, nesting);
        }
    }

    fn statement(&mut self, depth: usize, of: &[&str], nesting: usize) {
        match self.rng.below(if nesting == 0 { 4 } else { 10 }) {
            0..3 => self.assignment(depth, of, of),
            3 => {
                let condition = self.condition(of);
                self.line(depth, &format!("assume {condition};"));
            }
            4 | 5 => {
                let condition = self.condition(of);
                self.line(depth, &format!("if {condition} then {{"));
                self.body(depth + 1, of, nesting - 1);
                self.line(depth, "} else {");
                self.body(depth + 1, of, nesting - 1);
                self.line(depth, "}");
            }
            6 | 7 => {
                let condition = self.condition(of);
                self.line(depth, &format!("while {condition} do {{"));
                self.body(depth + 1, of, nesting - 1);
                self.line(depth, "}");
            }
            _ => self.call(depth, of),
        }
    }

    /// Calls a procedure that is there already.
    fn call(&mut self, depth: usize, of: &[&str]) {
        if self.procedures.is_empty() {
            return self.assertion(depth, of);
        }
        let number = self.rng.below(self.procedures.len());
        let (a, b, value) = (self.pick(of), self.pick(of), self.value(of));
        // A reference is passed on as it is.
        let (first, second) = (a.trim_start_matches('*'), b.trim_start_matches('*'));
        match self.procedures[number] {
            Kind::Function => self.line(depth, &format!("{a} := p{number}({value});")),
            Kind::References if of.contains(&"a") => self.line(depth, &format!("{b} := {value};")),
            Kind::References => self.line(depth, &format!("p{number}({first}, {second});")),
            Kind::Recursive => self.line(depth, &format!("p{number}({value});")),
        }
    }

    fn assertion(&mut self, depth: usize, of: &[&str]) {
        let condition = self.condition(of);
        let condition = if condition == "?" { format!("{} >= 0", of[0]) } else { condition };
        self.line(depth, &format!("assert {condition};"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_names_a_program() {
        assert_eq!(structured(7), structured(7));
        let loops = (0..200).filter(|&seed| structured(seed).contains("while")).count();
        let calls = (0..200).filter(|&seed| structured(seed).contains(" p0(")).count();
        assert!(loops > 50 && calls > 50, "{loops} with loops, {calls} with calls");
    }
}
