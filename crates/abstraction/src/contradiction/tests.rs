//! Random terms over a few bits, all of whose values are tried: what is found is what there is.

use hardbop_base::Budget;
use hardbop_logic::{Model, Sort, Term, Terms, Value};
use hardbop_solver::{Blaster, Limits, Solver, Z3};
use hardbop_testkit::Rng;
use hardbop_testkit::formula::{Recipe, Shape};

use super::{Contradictions, Cube, Literal, Question, contains};

/// A term and the valuations of the symbols under which it holds, one bit each.
type Column = (Term, Vec<u64>);

/// Candidates and a background.
struct Case {
    terms: Terms,
    candidates: Vec<Column>,
    background: Vec<Column>,
}

/// All valuations of some symbols.
fn valuations(terms: &Terms, symbols: &[Term]) -> Vec<Model> {
    let mut all = vec![Model::default()];
    for &symbol in symbols {
        let choices: Vec<Value> = match terms.sort(symbol) {
            Sort::BitVec(width) => (0..1 << width).map(|value| Value::bv(value, width)).collect(),
            _ => [false, true].map(Value::Bool).into(),
        };
        let extended = |model: &Model| {
            let with = |choice: &Value| {
                let mut model = model.clone();
                model.values.insert(symbol, choice.clone());
                model
            };
            choices.iter().map(with).collect::<Vec<Model>>()
        };
        all = all.iter().flat_map(extended).collect();
    }
    all
}

fn case(seed: u64) -> Case {
    let mut rng = Rng::new(seed);
    let shape = Shape {
        steps: 12 + rng.below(20),
        widths: vec![2],
        arrays: false,
        integers: false,
        array_equalities: false,
        products: true,
    };
    let recipe = Recipe::random(&mut rng, &shape);
    let mut terms = Terms::new();
    let cooked = recipe.cook(&mut terms);
    let symbols: Vec<Term> = cooked.iter().copied().filter(|&t| terms.symbol_name(t).is_some()).collect();
    let models = valuations(&terms, &symbols);
    let rows: Vec<Vec<Value>> =
        models.iter().map(|model| recipe.evaluate(&mut terms, model).expect("small values")).collect();
    let holds = |row: &Vec<Value>, i: usize| u64::from(row[i] == Value::Bool(true));
    let word =
        |rows: &[Vec<Value>], i: usize| rows.iter().rev().fold(0, |bits, row| bits << 1 | holds(row, i));
    let column = |i: usize| rows.chunks(64).map(|rows| word(rows, i)).collect();
    let truths = recipe.truths();
    let mut pick = |count: usize| -> Vec<Column> {
        (0..count).map(|_| *rng.pick(&truths).expect("a truth")).map(|i| (cooked[i], column(i))).collect()
    };
    let mut background = pick((seed % 3) as usize);
    let mut candidates = pick(1 + (seed % 6) as usize);
    background.sort();
    background.dedup();
    candidates.retain(|(term, _)| terms.as_bool(*term).is_none());
    candidates.sort();
    candidates.dedup_by_key(|(term, _)| *term);
    Case { terms, candidates, background }
}

/// All minimal contradicting sets, by trying all sets of literals under all valuations.
fn brute_force(case: &Case, impossible: &[Cube], limit: Option<usize>) -> Vec<Cube> {
    let count = case.candidates.len() as u32;
    let mut found: Vec<Cube> = Vec::new();
    let mut sets: Vec<Cube> = (0..3usize.pow(count))
        .map(|number| {
            let digit = |i: usize| number / 3usize.pow(i as u32) % 3;
            let literal = |i: usize| (case.candidates[i].0, digit(i) == 1);
            (0..count as usize).filter(|&i| digit(i) < 2).map(literal).collect()
        })
        .collect();
    sets.sort_by_key(Vec::len);
    for mut set in sets {
        set.sort_unstable();
        let allowed = limit.is_none_or(|limit| set.len() <= limit);
        let minimal = !found.iter().chain(impossible).any(|smaller| contains(&set, smaller));
        if allowed && minimal && contradicts(case, &set) {
            found.push(set);
        }
    }
    found.sort_unstable();
    found
}

fn contradicts(case: &Case, set: &[Literal]) -> bool {
    let column = |&(term, positive): &Literal| {
        let (_, column) = case.candidates.iter().find(|(t, _)| *t == term).expect("a candidate");
        (column, if positive { 0 } else { u64::MAX })
    };
    let all: Vec<(&Vec<u64>, u64)> =
        case.background.iter().map(|(_, column)| (column, 0)).chain(set.iter().map(column)).collect();
    let Some((first, _)) = all.first() else { return false };
    (0..first.len())
        .all(|word| all.iter().fold(u64::MAX, |bits, (column, flip)| bits & (column[word] ^ flip)) == 0)
}

/// Asks about the first so many candidates.
fn ask(
    contradictions: &mut Contradictions,
    case: &mut Case,
    solver: &mut dyn Solver,
    count: usize,
    impossible: &[Cube],
    limit: Option<usize>,
) -> Vec<Cube> {
    let candidates: Vec<Term> = case.candidates[..count].iter().map(|(term, _)| *term).collect();
    let background: Vec<Term> = case.background.iter().map(|(term, _)| *term).collect();
    let question = Question {
        scope: 0,
        anchor: None,
        background: &background,
        facts: &[],
        candidates: &candidates,
        impossible,
        limit,
    };
    let budget = Budget::unlimited();
    let mut found = contradictions.find(&mut case.terms, solver, &budget, &question).expect("no limits");
    found.sort_unstable();
    found
}

fn backends() -> [Box<dyn Solver>; 2] {
    let budget = Budget::unlimited();
    [Box::new(Blaster::new(&budget)), Box::new(Z3::new(&budget))]
}

#[test]
fn finds_exactly_the_minimal_sets() {
    let mut sizes = [0; 4];
    for seed in 0..120 {
        for limit in [None, Some(1), Some(2), Some(3)] {
            for (number, mut solver) in backends().into_iter().enumerate() {
                // z3 takes its time.
                if number == 1 && seed % 25 != 0 {
                    continue;
                }
                let mut case = case(seed);
                let count = case.candidates.len();
                let name = solver.name();
                let found = ask(&mut Contradictions::default(), &mut case, &mut *solver, count, &[], limit);
                assert_eq!(found, brute_force(&case, &[], limit), "seed {seed}, limit {limit:?}, {name}");
                found.iter().for_each(|cube| sizes[cube.len().min(3)] += 1);
            }
        }
    }
    assert!(sizes.iter().all(|&count| count > 20), "{sizes:?}");
}

/// What was known of some candidates, and that some sets are not wanted, changes only the effort.
#[test]
fn extends_what_is_known() {
    for seed in 0..120 {
        for limit in [None, Some(2)] {
            let mut case = case(seed);
            let mut solver = Blaster::new(&Budget::unlimited());
            let alone =
                Case { background: Vec::new(), candidates: case.candidates.clone(), terms: Terms::new() };
            let impossible = brute_force(&alone, &[], limit);
            let mut contradictions = Contradictions::default();
            for count in [case.candidates.len() / 2, case.candidates.len()] {
                let among = |cube: &&Cube| {
                    cube.iter().all(|(t, _)| case.candidates[..count].iter().any(|(c, _)| c == t))
                };
                let unwanted: Vec<Cube> = impossible.iter().filter(among).cloned().collect();
                let found = ask(&mut contradictions, &mut case, &mut solver, count, &unwanted, limit);
                let rest = case.candidates.split_off(count);
                assert_eq!(found, brute_force(&case, &unwanted, limit), "seed {seed}, limit {limit:?}");
                case.candidates.extend(rest);
            }
            let before = contradictions.counts.queries;
            let count = case.candidates.len();
            ask(&mut contradictions, &mut case, &mut solver, count, &impossible, limit);
            assert_eq!(contradictions.counts.queries, before, "seed {seed}: nothing is asked twice");
        }
    }
}

/// A solver that gives up loses sets, and invents none; the search ends.
#[test]
fn giving_up_loses_only() {
    let mut gave_up = 0;
    for seed in 0..30 {
        for limit in [None, Some(3)] {
            let mut case = case(seed);
            let mut solver = Z3::new(&Budget::unlimited());
            solver.set_limits(Limits { work: Some(1 + seed % 40), ..Limits::default() });
            let mut contradictions = Contradictions::default();
            let count = case.candidates.len();
            let found = ask(&mut contradictions, &mut case, &mut solver, count, &[], limit);
            for cube in found {
                assert!(contradicts(&case, &cube), "seed {seed}");
            }
            gave_up += contradictions.counts.gave_up;
        }
    }
    assert!(gave_up > 50, "{gave_up}");
}
