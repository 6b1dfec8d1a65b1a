//! The abstraction of random steps against its definition, state by state.
//!
//! A step is a guard and assignments to two bytes, all of whose 65,536 states are tried. From the states
//! with the same values of all predicates, Boolean abstraction leads to the values that their successors
//! have (`003…` §4), Cartesian abstraction to all combinations of values of single predicates (§5), except
//! for combinations that no state has.

#[path = "common/pipeline.rs"]
mod pipeline;

use std::collections::{BTreeMap, BTreeSet};

use hardbop_abstraction::{AbstractionOptions, Backend, Granularity, Method};
use hardbop_reach::Slot;
use hardbop_testkit::Rng;
use pipeline::{Subjects, flow, reachable};

/// An expression over the bytes a and b, computed in int.
enum Expr {
    Byte(usize),
    Constant(i32),
    Binary(&'static str, Box<[Expr; 2]>),
}

const ARITHMETIC: [&str; 6] = ["+", "-", "*", "&", "|", "^"];
const COMPARISONS: [&str; 6] = ["<", "<=", "==", "!=", ">", ">="];

impl Expr {
    fn random(rng: &mut Rng, depth: usize) -> Expr {
        match rng.below(if depth == 0 { 3 } else { 6 }) {
            0 | 1 => Expr::Byte(rng.below(2)),
            2 => Expr::Constant([0, 1, 2, 7, 100, 128, 255][rng.below(7)]),
            _ => Expr::binary(rng, &ARITHMETIC, depth),
        }
    }

    fn condition(rng: &mut Rng) -> Expr {
        Expr::binary(rng, &COMPARISONS, 2)
    }

    fn binary(rng: &mut Rng, operators: &[&'static str], depth: usize) -> Expr {
        let operator = operators[rng.below(operators.len())];
        Expr::Binary(operator, Box::new([Expr::random(rng, depth - 1), Expr::random(rng, depth - 1)]))
    }

    fn value(&self, state: [u8; 2]) -> i32 {
        match self {
            Expr::Byte(i) => i32::from(state[*i]),
            Expr::Constant(value) => *value,
            Expr::Binary(operator, operands) => {
                let [a, b] = [operands[0].value(state), operands[1].value(state)];
                match *operator {
                    "+" => a.wrapping_add(b),
                    "-" => a.wrapping_sub(b),
                    "*" => a.wrapping_mul(b),
                    "&" => a & b,
                    "|" => a | b,
                    "^" => a ^ b,
                    "<" => i32::from(a < b),
                    "<=" => i32::from(a <= b),
                    "==" => i32::from(a == b),
                    "!=" => i32::from(a != b),
                    ">" => i32::from(a > b),
                    _ => i32::from(a >= b),
                }
            }
        }
    }

    fn holds(&self, state: [u8; 2]) -> bool {
        self.value(state) != 0
    }

    fn text(&self) -> String {
        match self {
            Expr::Byte(i) => ["a", "b"][*i].to_owned(),
            Expr::Constant(value) => value.to_string(),
            Expr::Binary(op, operands) => format!("({} {op} {})", operands[0].text(), operands[1].text()),
        }
    }
}

/// A random step with predicates.
struct Case {
    guard: Expr,
    assignments: Vec<(usize, Expr)>,
    predicates: Vec<Expr>,
}

/// For each combination of values of predicates that some state has: those of the successors.
type Relation = BTreeMap<Vec<bool>, BTreeSet<Vec<bool>>>;

impl Case {
    fn random(seed: u64) -> Case {
        let rng = &mut Rng::new(seed);
        let mut predicates: Vec<Expr> = (0..1 + rng.below(4)).map(|_| Expr::condition(rng)).collect();
        predicates.sort_by_key(Expr::text);
        predicates.dedup_by_key(|predicate| predicate.text());
        Case {
            guard: if rng.one_in(3) { Expr::Constant(1) } else { Expr::condition(rng) },
            assignments: (0..1 + rng.below(2)).map(|_| (rng.below(2), Expr::random(rng, 2))).collect(),
            predicates,
        }
    }

    fn program(&self) -> String {
        let line = |(target, value): &(usize, Expr)| format!("{} = {};", ["a", "b"][*target], value.text());
        let assignments: Vec<String> = self.assignments.iter().map(line).collect();
        format!(
            "extern unsigned char any(void);
             static unsigned char a, b;
             static void step(void) {{ if ({}) {{ {} }} else for (;;); }}
             int main(void) {{ a = any(); b = any(); step(); return 0; }}",
            self.guard.text(),
            assignments.join(" ")
        )
    }

    fn predicate_file(&self) -> String {
        let texts: Vec<String> = self.predicates.iter().map(Expr::text).collect();
        format!("global: {};", texts.join(", "))
    }

    fn values(&self, state: [u8; 2]) -> Vec<bool> {
        self.predicates.iter().map(|predicate| predicate.holds(state)).collect()
    }

    /// What the Boolean abstraction is by definition.
    fn boolean(&self) -> Relation {
        let mut relation = Relation::new();
        for number in 0..=u16::MAX {
            let mut state = number.to_le_bytes();
            let successors = relation.entry(self.values(state)).or_default();
            if self.guard.holds(state) {
                for (target, value) in &self.assignments {
                    state[*target] = value.value(state) as u8;
                }
                successors.insert(self.values(state));
            }
        }
        relation
    }

    /// What the Cartesian abstraction is by definition.
    fn cartesian(&self) -> Relation {
        let boolean = self.boolean();
        let possible: Vec<&Vec<bool>> = boolean.keys().collect();
        let product = |successors: &BTreeSet<Vec<bool>>| {
            let occurs = |i: usize, value: bool| successors.iter().any(|successor| successor[i] == value);
            let within = |values: &&&Vec<bool>| (0..values.len()).all(|i| occurs(i, values[i]));
            possible.iter().filter(within).map(|&values| values.clone()).collect()
        };
        boolean.iter().map(|(values, successors)| (values.clone(), product(successors))).collect()
    }

    /// What the boolean program does.
    fn abstracted(&self, options: AbstractionOptions) -> Relation {
        let subjects = Subjects::new(&self.program(), &self.predicate_file());
        let text = subjects.text(options, &subjects.predicates);
        let flow = flow(&text);
        let invariant = reachable(&flow);
        let step = flow.procedure("step").expect("a procedure");
        let (entry, exit) = (flow.procedures[step].entry, flow.procedures[step].exit);
        let names: Vec<String> = flow.globals.iter().map(|&v| flow.variables[v].name.clone()).collect();
        assert_eq!(names.len(), self.predicates.len(), "{text}");
        let all: Vec<Vec<bool>> =
            (0..1 << names.len()).map(|n: u32| (0..names.len()).map(|i| n >> i & 1 == 1).collect()).collect();
        let position = |variable| flow.globals.iter().position(|&v| v == variable).expect("a global");
        let related = |location, before: &Vec<bool>, after: &Vec<bool>| {
            invariant.locations.get(&location).is_some_and(|&node| {
                invariant.diagram.eval(node, |slot| match slot {
                    Slot::Entry(variable) => before[position(variable)],
                    Slot::Now(variable) => after[position(variable)],
                })
            })
        };
        let entered = all.iter().filter(|before| related(entry, before, before));
        let successors = |before| all.iter().filter(|after| related(exit, before, after)).cloned().collect();
        entered.map(|before| (before.clone(), successors(before))).collect()
    }
}

fn check(seeds: std::ops::Range<u64>, backend: Backend) {
    let mut blocked = 0;
    let mut lost = 0;
    for seed in seeds {
        let case = Case::random(seed);
        for granularity in [Granularity::Chain, Granularity::Statement] {
            // Single statements are as precise as the chain only if there is just one.
            if granularity == Granularity::Statement && (case.assignments.len() > 1 || case.has_guard()) {
                continue;
            }
            let options = AbstractionOptions {
                cube_limit: None,
                granularity,
                backend,
                ..AbstractionOptions::default()
            };
            let context = format!("seed {seed}\n{}\n{}", case.program(), case.predicate_file());
            let [cartesian, boolean] = [case.cartesian(), case.boolean()];
            assert_eq!(case.abstracted(options), cartesian, "Cartesian, {context}");
            let options = AbstractionOptions { method: Method::Boolean, ..options };
            assert_eq!(case.abstracted(options), boolean, "Boolean, {context}");
            blocked += usize::from(boolean.values().any(BTreeSet::is_empty));
            lost += usize::from(cartesian != boolean);
        }
    }
    assert!(blocked > 3 && lost > 3, "{blocked} guards matter, {lost} lose precision");
}

impl Case {
    fn has_guard(&self) -> bool {
        !matches!(self.guard, Expr::Constant(_))
    }
}

#[test]
fn steps_are_what_they_are_defined_to_be() {
    check(0..60, Backend::Blaster);
}

#[test]
fn steps_by_z3_are_what_they_are_defined_to_be() {
    check(0..20, Backend::Z3);
}
