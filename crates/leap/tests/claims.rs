//! Every claim about random small loops is compared with what their states do, one by one.
//!
//! must⁺ and must⁻ of the modal transition system, and what Theorems 1 and 2 conclude of a loop, are checked for all
//! values of the variables in a range. A chain that reaches an error must lead to a run that reaches it.
//!
//! `HARDBOP_RANDOM=2000 cargo test --release -p hardbop-leap --test claims` tries more programs.

use std::collections::BTreeSet;

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Sources};
use hardbop_certify::replay::replay;
use hardbop_ir::Program;
use hardbop_leap::{Branch, Crossing, Kind, LeapOptions, LeapStep, Leaper, NodeId, Set, show};
use hardbop_logic::{Model, Sort, Term, Value};
use hardbop_semantics::Subject;
use hardbop_teach::Integers;
use hardbop_testkit::Rng;

fn lowered(text: &str, integers: Integers) -> Program {
    let mut sources = Sources::new();
    let file = sources.add("test.x", text);
    let options = hardbop_teach::TeachOptions {
        entry: "p".to_owned(),
        error_labels: Vec::new(),
        data_model: DataModel::Lp64,
        integers,
    };
    match hardbop_teach::load(&sources, file, &options) {
        Ok(program) => program,
        Err(errors) => panic!("{text}\n{}", errors.render(&sources)),
    }
}

/// A loop over x and y, with n from outside.
fn random_program(rng: &mut Rng) -> String {
    let number = |rng: &mut Rng| (rng.below(7) as i64 - 2).to_string();
    let value = |rng: &mut Rng| match rng.below(6) {
        0 => "x".to_owned(),
        1 => "y".to_owned(),
        2 => "n".to_owned(),
        _ => number(rng),
    };
    let assignment = |rng: &mut Rng| {
        let target = ["x", "y"][rng.below(2)];
        match rng.below(8) {
            0 => format!("{target} := {}", value(rng)),
            1 => format!("{target} := n - {target}"),
            2 | 3 => format!("{target} := {target} - {}", 1 + rng.below(3)),
            _ => format!("{target} := {target} + {}", 1 + rng.below(3)),
        }
    };
    let condition = |rng: &mut Rng| {
        let (a, b) = (["x", "y"][rng.below(2)], value(rng));
        match rng.below(6) {
            0 => format!("{a} = {b}"),
            1 => format!("{a} mod 2 = {}", rng.below(2)),
            2 => format!("{a} >= {b}"),
            _ => format!("{a} < {b}"),
        }
    };
    let statement = |rng: &mut Rng| match rng.below(5) {
        0 => format!("if {} then {} else {}", condition(rng), assignment(rng), assignment(rng)),
        1 => format!("{{ {} | {} }}", assignment(rng), assignment(rng)),
        2 => format!("{{ {}; {} }}", assignment(rng), assignment(rng)),
        _ => assignment(rng),
    };
    let inner = match rng.below(5) {
        0 => format!("y := 0; while y < n do {}", assignment(rng)),
        _ => statement(rng),
    };
    format!(
        "procedure p(n: int) {{
          x: int := {}; y: int := {};
          while {} do {{ {}; {} }}
          if {} then assert false
        }}",
        number(rng),
        number(rng),
        condition(rng),
        statement(rng),
        inner,
        condition(rng)
    )
}

/// The same in C, with integers of eight bits that wrap, and nothing to choose.
fn random_c_program(rng: &mut Rng) -> String {
    let value = |rng: &mut Rng| match rng.below(6) {
        0 => "x".to_owned(),
        1 => "y".to_owned(),
        2 | 3 => "n".to_owned(),
        _ => [0, 1, 2, 7, 100, 254][rng.below(6)].to_string(),
    };
    let assignment = |rng: &mut Rng| {
        let target = ["x", "y"][rng.below(2)];
        match rng.below(8) {
            0 => format!("{target} = {};", value(rng)),
            1 => format!("{target} = n - {target};"),
            2 => format!("{target} = {target} * 3;"),
            3 => format!("{target} = {target} - {};", 1 + rng.below(3)),
            _ => format!("{target} = {target} + {};", 1 + rng.below(3)),
        }
    };
    let condition = |rng: &mut Rng| {
        let (a, b) = (["x", "y"][rng.below(2)], value(rng));
        match rng.below(6) {
            0 => format!("{a} == {b}"),
            1 => format!("{a} != {b}"),
            2 => format!("{a} >= {b}"),
            _ => format!("{a} < {b}"),
        }
    };
    let statement = |rng: &mut Rng| match rng.below(4) {
        0 => format!("if ({}) {} else {}", condition(rng), assignment(rng), assignment(rng)),
        _ => assignment(rng),
    };
    format!(
        "extern unsigned char nondet(void); extern void reach_error(void);
        int main(void) {{
          unsigned char n = nondet(), x = {}, y = {};
          while ({}) {{ {} {} }}
          if ({}) reach_error();
          return 0;
        }}",
        rng.below(4),
        rng.below(4),
        condition(rng),
        statement(rng),
        statement(rng),
        condition(rng)
    )
}

fn lowered_c(text: &str) -> Program {
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse_bytes(&mut sources, "test.c", text.as_bytes(), &options).1.unwrap().0;
    let options = hardbop_lower::LowerOptions::default();
    hardbop_lower::lower(&mut sources, vec![unit], &options).unwrap()
}

/// Which values are tried.
#[derive(Clone, Copy, PartialEq)]
enum Range {
    /// Those of which all is to hold.
    Narrow,
    /// Those too that may come before them.
    Wide,
}

impl Range {
    fn values(self, sort: Sort, is_n: bool) -> Vec<i128> {
        match (sort, self) {
            // The program does not change n.
            (Sort::Int, _) if is_n => (-3..=8).collect(),
            (Sort::Int, Range::Narrow) => (-3..=8).collect(),
            (Sort::Int, Range::Wide) => (-17..=22).collect(),
            (_, _) if is_n => vec![0, 3, 200],
            (_, Range::Narrow) => (0..=5).chain(98..=101).chain(252..=255).collect(),
            (_, Range::Wide) => (0..=255).collect(),
        }
    }
}

struct Checker<'l, 'a> {
    leaper: &'l Leaper<'a>,
    symbols: Vec<Term>,
    text: &'l str,
}

/// A node with the values of the symbols.
type State = (NodeId, Vec<i128>);

impl Checker<'_, '_> {
    fn model(&self, values: &[i128]) -> Model {
        let mut model = Model::default();
        for (&symbol, &value) in self.symbols.iter().zip(values) {
            let value = match self.leaper.query.encoder.terms.sort(symbol) {
                Sort::BitVec(width) => Value::bv(value.cast_unsigned(), width),
                _ => Value::Int(value),
            };
            model.values.insert(symbol, value);
        }
        model
    }

    fn holds(&self, term: Term, model: &Model) -> bool {
        self.leaper.query.encoder.terms.evaluate(term, model).as_bool() == Some(true)
    }

    fn contains(&self, set: &Set, (node, values): &State) -> bool {
        let model = self.model(values);
        set.iter().any(|(at, condition)| at == *node && self.holds(condition, &model))
    }

    fn after(&self, values: &[i128], updates: &dyn Fn(Term) -> Option<Term>) -> Vec<i128> {
        let model = self.model(values);
        let value = |(i, &symbol): (usize, &Term)| match updates(symbol) {
            Some(term) => {
                let value = self.leaper.query.encoder.terms.evaluate(term, &model);
                value.as_int().or(value.as_bits().map(u128::cast_signed)).unwrap()
            }
            None => values[i],
        };
        self.symbols.iter().enumerate().map(value).collect()
    }

    fn by_branch(&self, branch: &Branch, state: &State) -> Option<State> {
        let model = self.model(&state.1);
        let taken = branch.source == state.0 && branch.conditions.iter().all(|&c| self.holds(c, &model));
        taken.then(|| (branch.target, self.after(&state.1, &|symbol| branch.updates.get(&symbol).copied())))
    }

    fn by_step(&self, step: &LeapStep, state: &State) -> Option<State> {
        let model = self.model(&state.1);
        let taken = step.source == state.0 && self.holds(step.condition, &model);
        taken.then(|| (step.target, self.after(&state.1, &|symbol| step.updates.get(&symbol).copied())))
    }

    /// All states of a set with values in a range.
    fn states(&self, set: &Set, range: Range) -> Vec<State> {
        let mut found = vec![Vec::new()];
        for &symbol in &self.symbols {
            let is_n = show::name(&self.leaper.query, symbol) == "n";
            let more = range.values(self.leaper.query.encoder.terms.sort(symbol), is_n);
            found = found
                .into_iter()
                .flat_map(|values: Vec<i128>| {
                    more.clone().into_iter().map(move |value| [values.clone(), vec![value]].concat())
                })
                .collect();
        }
        let nodes: Vec<NodeId> = set.nodes().collect();
        let all = nodes.iter().flat_map(|&node| found.iter().map(move |values| (node, values.clone())));
        all.filter(|state| self.contains(set, state)).collect()
    }

    fn check_moves(&self) {
        let (mts, system) = (&self.leaper.mts, &self.leaper.system);
        for m in &mts.moves {
            let (from, to) = (&mts.states[m.from], &mts.states[m.to]);
            if from.nodes().any(|node| system.nodes[node].kind == Kind::Start) {
                continue;
            }
            let next = |state: &State| -> Vec<State> {
                system.branches.iter().filter_map(|branch| self.by_branch(branch, state)).collect()
            };
            if m.plus {
                for state in self.states(from, Range::Narrow) {
                    let goes = next(&state).iter().any(|after| self.contains(to, after));
                    assert!(goes, "must+ s{} s{} at {state:?}\n{}", m.from, m.to, self.text);
                }
            }
            if m.minus {
                let reached: BTreeSet<State> = self.states(from, Range::Wide).iter().flat_map(next).collect();
                for state in self.states(to, Range::Narrow) {
                    assert!(
                        reached.contains(&state),
                        "must- s{} s{} at {state:?}\n{}",
                        m.from,
                        m.to,
                        self.text
                    );
                }
            }
        }
    }

    /// The step from a state that is not in the exit port; it must be the only one.
    fn step(&self, crossing: &Crossing, state: &State) -> Option<State> {
        let mut next: Vec<State> =
            crossing.steps.iter().filter_map(|step| self.by_step(step, state)).collect();
        next.dedup();
        assert!(next.len() <= 1, "two successors of {state:?}\n{}", self.text);
        next.pop()
    }

    fn check_crossing(&self, crossing: &Crossing) {
        // Whose turn it is, is part of the state.
        let mut own = Checker { leaper: self.leaper, symbols: self.symbols.clone(), text: self.text };
        own.symbols.extend(&crossing.turns);
        if own.symbols.len() > 4 {
            return;
        }
        let shown = |set: &Set| show::set(&self.leaper.query, &self.leaper.system, set);
        let ports = || format!("{} to {}\n{}", shown(&crossing.e), shown(&crossing.x), self.text);
        if crossing.second_holds() {
            for start in own.states(&crossing.e, Range::Narrow) {
                let mut state = start.clone();
                let mut rounds = 0;
                while !own.contains(&crossing.x, &state) {
                    let next = own.step(crossing, &state);
                    let Some(next) = next else { panic!("stuck in {state:?} from {start:?}: {}", ports()) };
                    assert!(own.contains(&crossing.a, &next), "{next:?} is outside: {}", ports());
                    state = next;
                    rounds += 1;
                    assert!(rounds < 100_000, "no way out from {start:?}: {}", ports());
                }
            }
        }
        if crossing.first_holds() && crossing.turns.is_empty() {
            let mut reached: BTreeSet<State> = own.states(&crossing.e, Range::Wide).into_iter().collect();
            let mut open: Vec<State> = reached.iter().cloned().collect();
            while let Some(state) = open.pop() {
                for step in &crossing.steps {
                    if let Some(next) = own.by_step(step, &state)
                        && next.1.iter().all(|value| (-100..=255).contains(value))
                        && reached.insert(next.clone())
                    {
                        open.push(next);
                    }
                }
            }
            for state in own.states(&crossing.x, Range::Narrow) {
                assert!(reached.contains(&state), "{state:?} is not reached: {}", ports());
            }
        }
    }
}

/// How many loops were crossed, and how many errors found.
fn check(text: &str, program: Program, integers: Integers) -> (usize, usize) {
    let budget = Budget::unlimited();
    let alias = Alias::of(&program, &budget).unwrap();
    let regions = Regions::of(&program, &alias, &[], &budget).unwrap();
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    let options = LeapOptions { thorough: true, range: integers.range(), ..LeapOptions::default() };
    let mut leaper = Leaper::new(subject, &options, &budget).unwrap();
    let from = leaper.states_at(|kind| kind == Kind::Start);
    let to = leaper.states_at(|kind| matches!(kind, Kind::Error(_)));
    let leap = leaper.search(&from, &to).completed().unwrap();
    // Each loop on its own, too: the shortest way to an error may be around it.
    let loops: Vec<usize> = leaper.mts.moves.iter().filter(|m| m.from == m.to).map(|m| m.from).collect();
    let mut through = Vec::new();
    for state in loops {
        let exits: Vec<usize> = leaper.mts.successors(state).filter(|&next| next != state).collect();
        for next in exits {
            let path = vec![from.clone(), vec![state], vec![next]];
            through.extend(leaper.along(vec![path]).completed().unwrap().chains);
        }
    }
    let symbols = leaper.relevant.clone();
    assert!(symbols.len() <= 3, "{text}");
    let checker = Checker { leaper: &leaper, symbols, text };
    checker.check_moves();
    let mut crossed = 0;
    for (_, chain) in leap.chains.iter().chain(&through) {
        for crossing in chain.links.iter().flat_map(|link| link.forward.iter().chain(&link.backward)) {
            crossed += usize::from(crossing.first_holds() || crossing.second_holds());
            checker.check_crossing(crossing);
        }
    }
    let Some(chain) = leap.found() else { return (crossed, 0) };
    let forward = chain.flip == Some(0);
    match leaper.plan(chain).unwrap() {
        Some(mut plan) => {
            let run = replay(&program, &mut plan, &budget);
            assert!(run.is_ok(), "inputs without a run: {run:?}\n{text}");
            (crossed, 1)
        }
        None => {
            assert!(!forward, "must+* without inputs\n{text}");
            (crossed, 0)
        }
    }
}

fn count(default: u64) -> u64 {
    std::env::var("HARDBOP_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(1u64) * default
}

#[test]
fn claims_about_random_loops_hold() {
    let (mut crossed, mut found) = (0, 0);
    for seed in 0..count(60) {
        let text = random_program(&mut Rng::new(seed));
        let (more, errors) = check(&text, lowered(&text, Integers::Unbounded), Integers::Unbounded);
        crossed += more;
        found += errors;
    }
    assert!(crossed >= 3 && found >= 10, "{crossed} loops crossed, {found} errors found");
}

#[test]
fn claims_about_random_loops_over_a_range_hold() {
    let (mut crossed, mut found) = (0, 0);
    for seed in 0..count(40) {
        let integers = [Integers::Wrap(4), Integers::Stop(4)][seed as usize % 2];
        let text = random_program(&mut Rng::new(seed));
        let (more, errors) = check(&text, lowered(&text, integers), integers);
        crossed += more;
        found += errors;
    }
    assert!(crossed >= 3 && found >= 5, "{crossed} loops crossed, {found} errors found");
}

#[test]
fn claims_about_random_loops_over_machine_integers_hold() {
    let (mut crossed, mut found) = (0, 0);
    for seed in 0..count(60) {
        let text = random_c_program(&mut Rng::new(seed));
        let (more, errors) = check(&text, lowered_c(&text), Integers::Unbounded);
        crossed += more;
        found += errors;
    }
    assert!(crossed >= 3 && found >= 10, "{crossed} loops crossed, {found} errors found");
}
