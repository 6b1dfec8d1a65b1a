//! Limits, interruption, threads, and what a memory counts.

use std::time::{Duration, Instant};

use hardbop_base::{Budget, Stop};
use hardbop_logic::{Scalar, Sort, Term, Terms, Value};
use hardbop_solver::{Answer, Blaster, Cached, Limits, Reason, Solver, Z3};

/// A prime of 63 bits as a product: there is none, but that takes long to find out.
fn hard(terms: &mut Terms) -> Term {
    let (x, y) = (terms.symbol("x", Sort::BitVec(64)), terms.symbol("y", Sort::BitVec(64)));
    let product = terms.bv_mul(x, y);
    let number = terms.bv((1 << 63) - 25, 64);
    let (one, bound) = (terms.bv(1, 64), terms.bv(1 << 32, 64));
    let parts = [
        terms.eq(product, number),
        terms.bv_ult(one, x),
        terms.bv_ult(one, y),
        terms.bv_ult(x, bound),
        terms.bv_ult(y, bound),
        terms.bv_ule(x, y),
    ];
    terms.and(&parts)
}

fn clock() -> Duration {
    use std::sync::LazyLock;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

fn both(budget: &Budget) -> [Box<dyn Solver>; 2] {
    [Box::new(Z3::new(budget).with_clock(clock)), Box::new(Blaster::new(budget).with_clock(clock))]
}

#[test]
fn a_timeout_is_an_answer() {
    for mut solver in both(&Budget::unlimited()) {
        let mut terms = Terms::new();
        let hard = hard(&mut terms);
        solver.set_limits(Limits { time: Some(Duration::from_millis(300)), work: None });
        let start = Instant::now();
        let answer = solver.check(&terms, &[hard]);
        assert_eq!(answer, Answer::Unknown(Reason::Time), "{}", solver.name());
        assert!(start.elapsed() < Duration::from_secs(5), "{}: {:?}", solver.name(), start.elapsed());
        assert!(solver.statistics().time >= Duration::from_millis(250), "{:?}", solver.statistics());
        // The solver goes on.
        let x = terms.symbol("x", Sort::BitVec(64));
        let five = terms.bv(5, 64);
        let easy = terms.eq(x, five);
        assert_eq!(solver.check(&terms, &[easy]), Answer::Sat);
        assert_eq!(solver.model(&terms).get(x), Some(&Value::bv(5, 64)));
        let statistics = solver.statistics();
        assert_eq!((statistics.queries, statistics.sat, statistics.unknown), (2, 1, 1));
    }
}

#[test]
fn work_is_limited_without_a_clock() {
    for mut solver in both(&Budget::unlimited()) {
        let mut terms = Terms::new();
        let hard = hard(&mut terms);
        solver.set_limits(Limits { time: None, work: Some(200_000) });
        assert_eq!(solver.check(&terms, &[hard]), Answer::Unknown(Reason::Time), "{}", solver.name());
    }
}

#[test]
fn a_spent_budget_ends_a_query() {
    for which in 0..2 {
        for (stop, reason) in [(Stop::Interrupt, Reason::Interrupted), (Stop::Memory, Reason::Memory)] {
            let budget = Budget::unlimited();
            let mut terms = Terms::new();
            let hard = hard(&mut terms);
            let [z3, blaster] = both(&budget);
            let mut solver = if which == 0 { z3 } else { blaster };
            let watcher = budget.clone();
            let stopper = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(400));
                watcher.stop(stop);
                Instant::now()
            });
            let answer = solver.check(&terms, &[hard]);
            let late = stopper.join().unwrap().elapsed();
            assert_eq!(answer, Answer::Unknown(reason.clone()), "{}", solver.name());
            // About 20 ms on an idle machine.
            assert!(late < Duration::from_millis(1500), "{}: {late:?} late", solver.name());
            let truth = terms.bool(true);
            assert_eq!(solver.check(&terms, &[truth]), Answer::Unknown(reason), "later queries, too");
        }
    }
}

#[test]
fn integers_are_not_for_the_blaster() {
    let mut terms = Terms::new();
    let (x, one) = (terms.symbol("x", Sort::Int), terms.int(1));
    let positive = terms.int_le(one, x);
    let mut solver = Blaster::new(&Budget::unlimited());
    solver.push();
    solver.assert(&terms, positive);
    assert!(matches!(solver.check(&terms, &[]), Answer::Unknown(Reason::Unsupported(_))));
    solver.pop();
    assert_eq!(solver.check(&terms, &[]), Answer::Sat);
}

#[test]
fn values_beyond_128_bits_are_no_model() {
    let mut terms = Terms::new();
    let (x, max) = (terms.symbol("x", Sort::Int), terms.int(i128::MAX));
    let beyond = terms.int_lt(max, x);
    let mut solver = Z3::new(&Budget::unlimited());
    assert!(matches!(solver.check(&terms, &[beyond]), Answer::Unknown(Reason::Incomplete(_))));
    let double = terms.int_add(max, max);
    let bounded = terms.int_le(x, double);
    let not_beyond = terms.not(beyond);
    assert_eq!(solver.check(&terms, &[beyond, not_beyond]), Answer::Unsat);
    assert_eq!(solver.check(&terms, &[not_beyond, bounded]), Answer::Sat);
}

/// Integers among bit-vectors, after queries without: z3's solver is exchanged in between.
#[test]
fn integers_may_come_late() {
    let mut terms = Terms::new();
    let (p, v) = (terms.symbol("p", Sort::Bool), terms.symbol("v", Sort::BitVec(8)));
    let (x, one, ten) = (terms.symbol("x", Sort::Int), terms.int(1), terms.bv(10, 8));
    let (small, positive) = (terms.bv_ult(v, ten), terms.int_le(one, x));
    let linked = terms.implies(small, p);
    let mut solver = Z3::new(&Budget::unlimited());
    solver.assert(&terms, linked);
    solver.push();
    solver.assert(&terms, small);
    assert_eq!(solver.check(&terms, &[p]), Answer::Sat);
    let choice = terms.iff(p, positive);
    let not_positive = terms.not(positive);
    solver.assert(&terms, choice);
    assert_eq!(solver.check(&terms, &[not_positive]), Answer::Unsat);
    assert_eq!(solver.core(), [0]);
    solver.pop();
    assert_eq!(solver.check(&terms, &[not_positive]), Answer::Sat);
}

#[test]
fn threads_do_not_meet() {
    std::thread::scope(|scope| {
        for thread in 0..4u32 {
            scope.spawn(move || {
                let mut terms = Terms::new();
                for solver in &mut both(&Budget::unlimited()) {
                    for round in 0..30 {
                        let width = 8 + thread;
                        let x = terms.symbol(&format!("x{width}"), Sort::BitVec(width));
                        let (square, number) = (terms.bv_mul(x, x), terms.bv(round * round, width));
                        let equation = terms.eq(square, number);
                        assert_eq!(solver.check(&terms, &[equation]), Answer::Sat);
                        let root = solver.model(&terms).get(x).and_then(Value::as_bits).unwrap();
                        assert_eq!((root * root) % (1 << width), (round * round) % (1 << width));
                    }
                }
            });
        }
    });
}

#[test]
fn a_memory_answers_for_the_solver() {
    let mut terms = Terms::new();
    let x = terms.symbol("x", Sort::BitVec(32));
    let bounds: Vec<Term> = (1..100u32)
        .map(|bound| {
            let bound = terms.bv(u128::from(bound), 32);
            terms.bv_ult(x, bound)
        })
        .collect();
    let mut solver = Cached::new(Blaster::new(&Budget::unlimited()));
    solver.assert(&terms, bounds[50]);
    for &bound in bounds.iter().rev() {
        assert_eq!(solver.check(&terms, &[bound]), Answer::Sat);
    }
    let contradiction = terms.not(bounds[60]);
    for _ in 0..3 {
        assert_eq!(solver.check(&terms, &[bounds[3], contradiction]), Answer::Unsat);
        assert!(solver.core().contains(&1));
    }
    let statistics = solver.statistics();
    assert_eq!((statistics.queries, statistics.sat, statistics.unsat), (102, 99, 3));
    assert_eq!(statistics.by_query, 2);
    assert!(statistics.by_model >= 90, "{statistics:?}");
    assert_eq!(solver.inner().statistics().queries, 102 - statistics.by_query - statistics.by_model);
}

/// Long chains of writes and deep terms pass both backends.
#[test]
fn deep_terms() {
    const STEPS: u32 = 40;
    let mut terms = Terms::new();
    let memory = terms.symbol("m", Sort::Array(Scalar::BitVec(32), Scalar::BitVec(8)));
    let (p, q) = (terms.symbol("p", Sort::BitVec(32)), terms.symbol("q", Sort::BitVec(32)));
    let mut array = memory;
    let mut sum = p;
    for i in 0..STEPS {
        let (offset, value) = (terms.bv(u128::from(i), 32), terms.bv(u128::from(i % 7), 8));
        let at = terms.bv_add(p, offset);
        array = terms.store(array, at, value);
        let mask = terms.bv(u128::from(i) | 1, 32);
        sum = terms.bv_xor(sum, mask);
        sum = terms.bv_add(sum, mask);
    }
    let (read, nine) = (terms.select(array, q), terms.bv(9, 8));
    let found = terms.eq(read, nine);
    let (last, start) = (terms.bv(u128::from(STEPS - 1), 32), terms.bv_sub(q, p));
    let inside = terms.bv_ule(start, last);
    let zero = terms.bv(0, 32);
    let deep = terms.eq(sum, zero);
    for mut solver in both(&Budget::unlimited()) {
        assert_eq!(solver.check(&terms, &[found, deep]), Answer::Sat, "{}", solver.name());
        let model = solver.model(&terms);
        assert_eq!(terms.evaluate(found, &model), Value::Bool(true), "{}", solver.name());
        assert_eq!(terms.evaluate(deep, &model), Value::Bool(true), "{}", solver.name());
        assert_eq!(solver.check(&terms, &[found, inside]), Answer::Unsat, "{}", solver.name());
        assert_eq!(solver.core(), [0, 1], "{}", solver.name());
    }
}
