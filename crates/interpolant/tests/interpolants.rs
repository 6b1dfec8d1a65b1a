//! Interpolants of hand-made and random contradictions; their properties are looked at once more, by
//! evaluation over all small values.

use hardbop_base::{Budget, Stop};
use hardbop_interpolant::{Failure, interpolate, sequence};
use hardbop_logic::{Model, Sort, Term, Terms, Value, smtlib};
use hardbop_solver::{Answer, Solver, Z3};
use hardbop_testkit::Rng;

fn integer(terms: &mut Terms, name: &str) -> Term {
    terms.symbol(name, Sort::Int)
}

/// `a + constant`.
fn plus(terms: &mut Terms, a: Term, constant: i128) -> Term {
    let constant = terms.int(constant);
    terms.int_add(a, constant)
}

fn shown(terms: &Terms, found: &Result<Term, Failure>) -> String {
    match found {
        Ok(term) => smtlib::term(terms, *term),
        Err(failure) => failure.to_string(),
    }
}

#[test]
fn sums_of_equations_are_relations() {
    // Two counters, counted up together: x − y is what matters, not their values.
    let terms = &mut Terms::new();
    let [x0, y0, x1, y1, n] = ["x0", "y0", "x1", "y1", "n"].map(|name| integer(terms, name));
    let zero = terms.int(0);
    let (x_next, y_next) = (plus(terms, x0, 1), plus(terms, y0, 1));
    let a = [terms.eq(x0, zero), terms.eq(y0, zero), terms.eq(x1, x_next), terms.eq(y1, y_next)];
    let b = [terms.int_le(n, x1), terms.int_lt(y1, n)];
    let (a, b) = (terms.and(&a), terms.and(&b));
    let found = interpolate(terms, a, b, &Budget::unlimited());
    assert_eq!(found, Ok(terms.eq(x1, y1)), "{}", shown(terms, &found));
}

#[test]
fn a_sequence_comes_from_one_proof() {
    let terms = &mut Terms::new();
    let names = ["x0", "x1", "x2", "y0", "y1", "y2"];
    let [x0, x1, x2, y0, y1, y2] = names.map(|name| integer(terms, name));
    let zero = terms.int(0);
    let start = [terms.eq(x0, zero), terms.eq(y0, zero)];
    let step = |terms: &mut Terms, x, y, next_x, next_y| {
        let (one_x, one_y) = (plus(terms, x, 1), plus(terms, y, 1));
        let both = [terms.eq(next_x, one_x), terms.eq(next_y, one_y)];
        terms.and(&both)
    };
    let formulas =
        [terms.and(&start), step(terms, x0, y0, x1, y1), step(terms, x1, y1, x2, y2), terms.int_lt(x2, y2)];
    let found = sequence(terms, &formulas, &Budget::unlimited());
    let wanted = vec![terms.eq(x0, y0), terms.eq(x1, y1), terms.eq(x2, y2)];
    assert_eq!(found, Ok(wanted));
}

#[test]
fn parity_is_a_congruence() {
    // x = 2k and x = 2m + 1.
    let terms = &mut Terms::new();
    let [x, k, m] = ["x", "k", "m"].map(|name| integer(terms, name));
    let two = terms.int(2);
    let even = terms.int_mul(two, k);
    let odd = terms.int_mul(two, m);
    let odd = plus(terms, odd, 1);
    let (a, b) = (terms.eq(x, even), terms.eq(x, odd));
    let found = interpolate(terms, a, b, &Budget::unlimited());
    let remainder = terms.int_mod(x, two);
    let zero = terms.int(0);
    assert_eq!(found, Ok(terms.eq(remainder, zero)), "{}", shown(terms, &found));
}

#[test]
fn splits_where_only_whole_numbers_contradict() {
    // Between 1 and 4 there is no multiple of 5.
    let terms = &mut Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| integer(terms, name));
    let [zero, one, four, five] = [0, 1, 4, 5].map(|number| terms.int(number));
    let multiple = terms.int_mul(five, x);
    let a = [terms.int_le(y, multiple), terms.int_le(multiple, z)];
    let b = [terms.int_le(one, y), terms.int_le(z, four)];
    let (a, b) = (terms.and(&a), terms.and(&b));
    let found = interpolate(terms, a, b, &Budget::unlimited());
    let either = [terms.int_le(y, zero), terms.int_le(five, z)];
    assert_eq!(found, Ok(terms.or(&either)), "{}", shown(terms, &found));
}

#[test]
fn quotients_and_remainders_by_constants() {
    let terms = &mut Terms::new();
    let [x, y] = ["x", "y"].map(|name| integer(terms, name));
    let (ten, three, seven) = (terms.int(10), terms.int(3), terms.int(7));
    let digit = terms.int_mod(x, ten);
    let tens = terms.int_div(x, ten);
    let a = [terms.eq(digit, three), terms.eq(tens, y), terms.int_le(y, seven)];
    let limit = terms.int(74);
    let a = terms.and(&a);
    let b = terms.int_le(limit, x);
    let found = interpolate(terms, a, b, &Budget::unlimited());
    assert!(found.is_ok(), "{}", shown(terms, &found));
}

#[test]
fn bit_vectors_are_read_as_integers() {
    let terms = &mut Terms::new();
    let [x0, y0, x1, y1, n] = ["x0", "y0", "x1", "y1", "n"].map(|name| terms.symbol(name, Sort::BitVec(32)));
    let (zero, one) = (terms.bv(0, 32), terms.bv(1, 32));
    let (x_next, y_next) = (terms.bv_add(x0, one), terms.bv_add(y0, one));
    let a = [terms.eq(x0, zero), terms.eq(y0, zero), terms.eq(x1, x_next), terms.eq(y1, y_next)];
    let b = [terms.bv_sle(n, x1), terms.bv_slt(y1, n)];
    let (a, b) = (terms.and(&a), terms.and(&b));
    let found = interpolate(terms, a, b, &Budget::unlimited());
    assert_eq!(found, Ok(terms.eq(x1, y1)), "{}", shown(terms, &found));
}

#[test]
fn a_guess_that_is_wrong_is_refused() {
    // x + 1 ≤ x holds for the largest x only: no contradiction of integers that wrap around.
    let terms = &mut Terms::new();
    let x = terms.symbol("x", Sort::BitVec(8));
    let y = terms.symbol("y", Sort::BitVec(8));
    let one = terms.bv(1, 8);
    let next = terms.bv_add(x, one);
    let a = terms.eq(y, next);
    let b = terms.bv_sle(y, x);
    assert_eq!(interpolate(terms, a, b, &Budget::unlimited()), Err(Failure::Consistent));
}

#[test]
fn a_spent_budget_ends_the_search() {
    let terms = &mut Terms::new();
    let x = integer(terms, "x");
    let zero = terms.int(0);
    let (a, b) = (terms.int_lt(x, zero), terms.int_lt(zero, x));
    let budget = Budget::unlimited();
    budget.stop(Stop::Interrupt);
    assert_eq!(interpolate(terms, a, b, &budget), Err(Failure::Stopped(Stop::Interrupt)));
}

/// A formula over two symbols of its own and two common ones, integers, and a truth value of each kind.
fn random_formula(
    rng: &mut Rng,
    terms: &mut Terms,
    integers: &[Term],
    truths: &[Term],
    depth: usize,
) -> Term {
    if depth > 0 && !rng.one_in(4) {
        let parts: Vec<Term> =
            (0..2 + rng.below(2)).map(|_| random_formula(rng, terms, integers, truths, depth - 1)).collect();
        return if rng.one_in(2) { terms.and(&parts) } else { terms.or(&parts) };
    }
    if rng.one_in(6) {
        let truth = truths[rng.below(truths.len())];
        return if rng.one_in(2) { terms.not(truth) } else { truth };
    }
    let mut sum = terms.int(rng.below(7) as i128 - 3);
    for _ in 0..1 + rng.below(3) {
        let coefficient = terms.int([1, -1, 1, -1, 2, -3][rng.below(6)]);
        let mut part = integers[rng.below(integers.len())];
        if rng.one_in(8) {
            let divisor = terms.int(2 + rng.below(2) as i128);
            part = terms.int_mod(part, divisor);
        } else if rng.one_in(8) {
            let condition = truths[rng.below(truths.len())];
            let other = integers[rng.below(integers.len())];
            part = terms.ite(condition, part, other);
        }
        let product = terms.int_mul(coefficient, part);
        sum = terms.int_add(sum, product);
    }
    let zero = terms.int(0);
    match rng.below(4) {
        0 => terms.eq(sum, zero),
        1 => terms.ne(sum, zero),
        _ => terms.int_le(sum, zero),
    }
}

/// Whether a formula holds for all small values of all symbols.
fn holds_everywhere(terms: &Terms, formula: Term) -> bool {
    let symbols = terms.symbols(formula).to_vec();
    let range: i128 = if symbols.len() > 4 { 2 } else { 4 };
    let mut values = vec![-range; symbols.len()];
    loop {
        let mut model = Model::default();
        for (&symbol, &value) in symbols.iter().zip(&values) {
            let value = match terms.sort(symbol) {
                Sort::Bool => Value::Bool(value > 0),
                _ => Value::Int(value),
            };
            model.values.insert(symbol, value);
        }
        if terms.evaluate(formula, &model) != Value::Bool(true) {
            return false;
        }
        let Some(next) = values.iter().position(|&value| value < range) else { return true };
        values[next] += 1;
        values[..next].fill(-range);
    }
}

#[test]
fn random_contradictions() {
    let (mut contradictions, mut found) = (0, 0);
    for seed in 0..250 {
        let mut rng = Rng::new(seed);
        let terms = &mut Terms::new();
        let [x, y, u, v] = ["x", "y", "u", "v"].map(|name| integer(terms, name));
        let [p, q, r] = ["p", "q", "r"].map(|name| terms.symbol(name, Sort::Bool));
        let a = random_formula(&mut rng, terms, &[x, y, u], &[p, q], 3);
        let b = random_formula(&mut rng, terms, &[x, y, v], &[p, r], 3);
        let mut solver = Z3::new(&Budget::unlimited());
        let answer = solver.check(terms, &[a, b]);
        match interpolate(terms, a, b, &Budget::unlimited()) {
            Ok(interpolant) => {
                assert_eq!(answer, Answer::Unsat, "seed {seed}");
                contradictions += 1;
                found += 1;
                assert!(terms.symbols(interpolant).iter().all(|s| [x, y, p].contains(s)), "seed {seed}");
                let follows = terms.implies(a, interpolant);
                assert!(holds_everywhere(terms, follows), "seed {seed}");
                let both = terms.and(&[interpolant, b]);
                let neither = terms.not(both);
                assert!(holds_everywhere(terms, neither), "seed {seed}");
            }
            Err(Failure::Consistent) => assert_eq!(answer, Answer::Sat, "seed {seed}"),
            Err(_) => contradictions += usize::from(answer == Answer::Unsat),
        }
    }
    assert!(contradictions >= 40, "only {contradictions} contradictions");
    assert!(found * 100 >= contradictions * 95, "{found} of {contradictions}");
}
