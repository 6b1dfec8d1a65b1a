//! The backends against each other, against models and against brute force, on random formulas.

use hardbop_base::Budget;
use hardbop_logic::{BvOp, Model, Sort, Term, Terms, Value, smtlib};
use hardbop_solver::{Answer, Blaster, Cached, Limits, Reason, Solver, Z3, minimise_core};
use hardbop_testkit::Rng;
use hardbop_testkit::formula::{Recipe, Shape};

fn shape(steps: usize, widths: &[u32]) -> Shape {
    Shape {
        steps,
        widths: widths.to_vec(),
        arrays: false,
        integers: false,
        array_equalities: false,
        products: widths.iter().all(|&width| width <= 12),
    }
}

/// Terms of a random formula, some of them negated.
fn literals(rng: &mut Rng, terms: &mut Terms, recipe: &Recipe, count: usize) -> Vec<Term> {
    let cooked = recipe.cook(terms);
    let truths = recipe.truths();
    let late = truths.len().saturating_sub(12);
    (0..count)
        .map(|_| {
            let t = cooked[*rng.pick(&truths[late..]).unwrap()];
            if rng.one_in(2) { terms.not(t) } else { t }
        })
        .collect()
}

fn assert_satisfied(terms: &Terms, model: &Model, formula: &[Term], context: &str) {
    for &t in formula {
        let value = terms.try_evaluate(t, model);
        assert_eq!(value, Some(Value::Bool(true)), "{context}: the model breaks a term");
    }
}

/// Asks a solver and checks what can be checked of its answer.
fn ask(solver: &mut dyn Solver, terms: &Terms, asserted: &[Term], assumed: &[Term], context: &str) -> Answer {
    let answer = solver.check(terms, assumed);
    match &answer {
        Answer::Sat => {
            let model = solver.model(terms);
            assert_satisfied(terms, &model, asserted, context);
            assert_satisfied(terms, &model, assumed, context);
        }
        Answer::Unsat => {
            let core: Vec<Term> = solver.core().iter().map(|&i| assumed[i]).collect();
            assert!(solver.core().is_sorted(), "{context}: the core is not sorted");
            let again = solver.check(terms, &core);
            assert_eq!(again, Answer::Unsat, "{context}: the core is satisfiable");
        }
        Answer::Unknown(_) => {}
    }
    answer
}

fn compare(name: &str, shape: &Shape, seeds: u64) {
    let (mut sat, mut unsat, mut undecided) = (0, 0, 0);
    for seed in 0..seeds {
        let context = format!("{name}, seed {seed}");
        let mut rng = Rng::new(seed);
        let recipe = Recipe::random(&mut rng, shape);
        let mut terms = Terms::new();
        let asserted = literals(&mut rng, &mut terms, &recipe, 2);
        let assumed = literals(&mut rng, &mut terms, &recipe, 3);
        let budget = Budget::unlimited();
        let (mut z3, mut blaster) = (Z3::new(&budget), Blaster::new(&budget));
        for &t in &asserted {
            z3.assert(&terms, t);
            blaster.assert(&terms, t);
        }
        // Fewer assumptions, too: the second query sees what the first has left behind.
        for assumed in [&assumed[..], &assumed[..1]] {
            let first = ask(&mut z3, &terms, &asserted, assumed, &context);
            let second = ask(&mut blaster, &terms, &asserted, assumed, &context);
            if shape.array_equalities && matches!(first, Answer::Unknown(Reason::Incomplete(_))) {
                // A wrong model of z3, seen through.
                undecided += 1;
                continue;
            }
            assert_eq!(first, second, "{context}: z3 and the blaster disagree");
            match first {
                Answer::Sat => sat += 1,
                Answer::Unsat => unsat += 1,
                Answer::Unknown(reason) => panic!("{context}: {reason}"),
            }
        }
    }
    assert!(undecided <= seeds / 100, "{name}: z3 does not decide {undecided}");
    assert!(sat > seeds / 5 && unsat > seeds / 5, "{name}: {sat} and {unsat} are no mixture");
}

#[test]
fn narrow_vectors() {
    compare("narrow", &shape(45, &[1, 2, 3, 4]), 1500);
}

#[test]
fn odd_vectors() {
    compare("odd", &shape(50, &[1, 5, 7, 11]), 700);
}

#[test]
fn wide_vectors() {
    compare("wide", &shape(50, &[8, 16, 32, 64]), 700);
}

#[test]
fn widest_vectors() {
    compare("widest", &shape(50, &[1, 63, 65, 128]), 300);
}

#[test]
fn arrays_of_few_indices() {
    compare("few indices", &Shape { arrays: true, ..shape(60, &[2, 3]) }, 700);
}

#[test]
fn arrays_of_many_indices() {
    compare("many indices", &Shape { arrays: true, ..shape(60, &[8, 32]) }, 500);
}

#[test]
fn equal_arrays() {
    let equal = |widths| Shape { arrays: true, array_equalities: true, ..shape(60, widths) };
    compare("equal, few indices", &equal(&[2, 3]), 500);
    compare("equal, many indices", &equal(&[32]), 500);
}

/// Each operator on given numbers, also at the limits, has the value that folding gives.
#[test]
fn operators_on_numbers() {
    const OPERATORS: [BvOp; 11] = [
        BvOp::Mul,
        BvOp::And,
        BvOp::Or,
        BvOp::Xor,
        BvOp::Udiv,
        BvOp::Urem,
        BvOp::Sdiv,
        BvOp::Srem,
        BvOp::Shl,
        BvOp::Lshr,
        BvOp::Ashr,
    ];
    let mut rng = Rng::new(1);
    for width in [1, 8, 13, 32, 33, 64, 128] {
        let mut terms = Terms::new();
        let (mut z3, mut blaster) = (Z3::new(&Budget::unlimited()), Blaster::new(&Budget::unlimited()));
        let (x, y) = (terms.symbol("x", Sort::BitVec(width)), terms.symbol("y", Sort::BitVec(width)));
        for round in 0..25 {
            let mut number = || match rng.below(6) {
                0 => 0,
                1 => u128::MAX,
                2 => 1 << (width - 1),
                3 => rng.below(2 * width as usize) as u128,
                _ => u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64()),
            };
            let (a, b) = (number(), number());
            let (a, b) = (terms.bv(a, width), terms.bv(b, width));
            let given = [terms.eq(x, a), terms.eq(y, b)];
            let signed = [terms.bv_slt(x, y), terms.bv_slt(a, b)];
            let unsigned = [terms.bv_ult(x, y), terms.bv_ult(a, b)];
            let mut wrong = vec![terms.xor(signed[0], signed[1]), terms.xor(unsigned[0], unsigned[1])];
            for op in OPERATORS {
                let (open, folded) = (terms.bv_apply(op, x, y), terms.bv_apply(op, a, b));
                wrong.push(terms.ne(open, folded));
            }
            let somewhere = terms.or(&wrong);
            let query = [given[0], given[1], somewhere];
            assert_eq!(blaster.check(&terms, &query), Answer::Unsat, "blaster, {width} bits, round {round}");
            assert_eq!(z3.check(&terms, &query), Answer::Unsat, "z3, {width} bits, round {round}");
            assert_eq!(blaster.check(&terms, &given), Answer::Sat);
        }
    }
}

/// Small integers: all models are tried.
#[test]
fn integers_against_brute_force() {
    const VALUES: [i128; 5] = [-2, -1, 0, 1, 3];
    let mut mixture = [0, 0];
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let shape = Shape { integers: true, products: true, ..shape(30, &[]) };
        let recipe = Recipe::random(&mut rng, &shape);
        let mut terms = Terms::new();
        let assumed = literals(&mut rng, &mut terms, &recipe, 3);
        let symbols = terms.symbols_of(&assumed);
        let mut domains = Vec::new();
        for &symbol in &symbols {
            if terms.sort(symbol) == Sort::Int {
                let choices = VALUES.map(|value| {
                    let value = terms.int(value);
                    terms.eq(symbol, value)
                });
                domains.push(terms.or(&choices));
            }
        }
        let mut z3 = Z3::new(&Budget::unlimited());
        for &domain in &domains {
            z3.assert(&terms, domain);
        }
        let answer = ask(&mut z3, &terms, &domains, &assumed, &format!("integers, seed {seed}"));
        let expected = exists(&terms, &symbols, &mut Model::default(), &assumed, &VALUES);
        assert_eq!(answer, if expected { Answer::Sat } else { Answer::Unsat }, "seed {seed}");
        mixture[usize::from(expected)] += 1;
    }
    assert!(mixture.iter().all(|&count| count > 50), "{mixture:?}");
}

fn exists(terms: &Terms, symbols: &[Term], model: &mut Model, formula: &[Term], values: &[i128]) -> bool {
    let Some((&symbol, rest)) = symbols.split_first() else {
        return formula.iter().all(|&t| terms.try_evaluate(t, model) == Some(Value::Bool(true)));
    };
    let choices: Vec<Value> = match terms.sort(symbol) {
        Sort::Bool => [false, true].map(Value::Bool).into(),
        _ => values.iter().map(|&value| Value::Int(value)).collect(),
    };
    choices.into_iter().any(|choice| {
        model.values.insert(symbol, choice);
        exists(terms, rest, model, formula, values)
    })
}

/// What simplification does, z3 confirms: a formula and its simplified form are never different.
#[test]
fn simplification_is_valid() {
    for seed in 0..300 {
        let mut rng = Rng::new(seed + 7_000);
        let recipe = Recipe::random(&mut rng, &shape(40, &[3, 4, 8]));
        let mut terms = Terms::new();
        let cooked = recipe.cook(&mut terms);
        // The same steps over other symbols, then renamed: built in another order, simplified otherwise.
        let symbols = terms.symbols_of(&cooked);
        let mut there = rustc_hash::FxHashMap::default();
        let mut back = rustc_hash::FxHashMap::default();
        for &symbol in symbols.iter().rev() {
            let other = terms.fresh("r", terms.sort(symbol));
            there.insert(symbol, other);
            back.insert(other, symbol);
        }
        let mut solver = Z3::new(&Budget::unlimited());
        for &t in cooked.iter().rev().take(8) {
            let renamed = terms.substitute(t, &there);
            let restored = terms.substitute(renamed, &back);
            let differ = terms.ne(t, restored);
            assert_eq!(solver.check(&terms, &[differ]), Answer::Unsat, "seed {seed}");
        }
    }
}

/// z3 reads out of a script what it is given term by term.
#[test]
fn scripts_mean_the_same() {
    let mut mixture = [0, 0];
    for seed in 0..400 {
        let mut rng = Rng::new(seed + 9_000);
        let integers = seed % 2 == 0;
        let widths: &[u32] = if integers { &[4] } else { &[1, 3, 8, 12] };
        let shape =
            Shape { arrays: true, array_equalities: true, integers, products: true, ..shape(60, widths) };
        let recipe = Recipe::random(&mut rng, &shape);
        let mut terms = Terms::new();
        let formula = literals(&mut rng, &mut terms, &recipe, 4);
        let mut solver = Z3::new(&Budget::unlimited());
        solver.set_limits(Limits { time: None, work: Some(1_000_000) });
        let answer = solver.check(&terms, &formula);
        let direct = z3::Solver::new();
        let mut params = z3::Params::new();
        params.set_u32("rlimit", 2_000_000);
        direct.set_params(&params);
        direct.from_string(smtlib::script(&terms, &formula));
        assert_eq!(direct.get_assertions().len(), formula.len(), "seed {seed}: z3 does not read the script");
        match (answer, direct.check()) {
            (Answer::Sat, z3::SatResult::Sat) => mixture[0] += 1,
            (Answer::Unsat, z3::SatResult::Unsat) => mixture[1] += 1,
            (Answer::Unknown(_), _) | (_, z3::SatResult::Unknown) => {}
            (ours, theirs) => panic!("seed {seed}: {ours:?} and {theirs:?}"),
        }
    }
    assert!(mixture.iter().all(|&count| count > 80), "{mixture:?}");
}

/// Random sequences of all operations, each query against a fresh solver.
fn stack(new: &dyn Fn() -> Box<dyn Solver>, shape: &Shape, seeds: u64) {
    for seed in 0..seeds {
        let mut rng = Rng::new(seed + 1_000);
        let recipe = Recipe::random(&mut rng, shape);
        let mut terms = Terms::new();
        let pool = literals(&mut rng, &mut terms, &recipe, 12);
        let mut solver = new();
        let mut levels: Vec<Vec<Term>> = vec![Vec::new()];
        for step in 0..40 {
            let context = format!("seed {seed}, step {step}");
            match rng.below(8) {
                0 | 1 => {
                    solver.push();
                    levels.push(Vec::new());
                }
                2 => {
                    solver.pop();
                    if levels.len() > 1 {
                        levels.pop();
                    }
                }
                3 if levels.len() > 1 => {
                    let t = *rng.pick(&pool).unwrap();
                    solver.assert(&terms, t);
                    levels.last_mut().unwrap().push(t);
                }
                _ => {
                    let asserted = levels.concat();
                    let assumed: Vec<Term> = (0..rng.below(4)).map(|_| *rng.pick(&pool).unwrap()).collect();
                    let answer = ask(&mut *solver, &terms, &asserted, &assumed, &context);
                    let mut fresh = Blaster::new(&Budget::unlimited());
                    for &t in asserted.iter().chain(&assumed) {
                        fresh.assert(&terms, t);
                    }
                    assert_eq!(answer, fresh.check(&terms, &[]), "{context}");
                }
            }
        }
    }
}

#[test]
fn levels_of_z3() {
    let arrays = Shape { arrays: true, array_equalities: true, ..shape(60, &[2, 32]) };
    stack(&|| Box::new(Z3::new(&Budget::unlimited())), &arrays, 40);
    stack(&|| Box::new(Z3::new(&Budget::unlimited())), &shape(45, &[2, 3, 8]), 60);
}

#[test]
fn levels_of_the_blaster() {
    let arrays = Shape { arrays: true, array_equalities: true, ..shape(60, &[2, 32]) };
    stack(&|| Box::new(Blaster::new(&Budget::unlimited())), &shape(45, &[2, 3, 8]), 150);
    stack(&|| Box::new(Blaster::new(&Budget::unlimited())), &arrays, 100);
}

#[test]
fn levels_of_a_memory() {
    stack(&|| Box::new(Cached::new(Blaster::new(&Budget::unlimited()))), &shape(45, &[2, 3, 8]), 150);
    let boxed = || -> Box<dyn Solver> { Box::new(Z3::new(&Budget::unlimited())) };
    stack(&|| Box::new(Cached::new(boxed())), &shape(45, &[2, 3, 8]), 30);
}

#[test]
fn minimal_cores() {
    let mut smaller = 0;
    for seed in 0..200 {
        let mut rng = Rng::new(seed + 5_000);
        let recipe = Recipe::random(&mut rng, &shape(45, &[2, 3, 8]));
        let mut terms = Terms::new();
        let assumed = literals(&mut rng, &mut terms, &recipe, 10);
        let mut solver = Blaster::new(&Budget::unlimited());
        if solver.check(&terms, &assumed) != Answer::Unsat {
            continue;
        }
        let mut z3 = Z3::new(&Budget::unlimited());
        let core = minimise_core(&mut solver, &terms, &assumed, 1000);
        smaller += usize::from(core.len() < assumed.len());
        assert_eq!(z3.check(&terms, &core), Answer::Unsat, "seed {seed}");
        for i in 0..core.len() {
            let mut fewer = core.clone();
            fewer.remove(i);
            assert_eq!(z3.check(&terms, &fewer), Answer::Sat, "seed {seed}: {i} is not needed");
        }
    }
    assert!(smaller > 50, "only {smaller} cores became smaller");
}
