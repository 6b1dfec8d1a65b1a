//! How fast the solvers answer the queries of predicate abstraction.
//!
//! `cargo run --release -p hardbop-solver --example cubes`: for each of some statements, all cubes of up to
//! three literals over ten predicates are tried on the weakest precondition of a predicate.

#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use hardbop_base::Budget;
use hardbop_logic::{Scalar, Sort, Term, Terms};
use hardbop_solver::{Answer, Blaster, Cached, Solver, Z3};
use rustc_hash::FxHashMap;

struct Job {
    predicates: Vec<Term>,
    /// What the cubes are tried on, each with its negation.
    goals: Vec<Term>,
}

fn scalars(t: &mut Terms) -> Job {
    let v: Vec<Term> =
        ["x", "y", "z", "n", "i"].iter().map(|name| t.symbol(name, Sort::BitVec(32))).collect();
    let [zero, one, ten, seven] = [0, 1, 10, 7].map(|value| t.bv(value, 32));
    let (sum, next) = (t.bv_add(v[0], v[1]), t.bv_add(v[4], one));
    let masked = t.bv_and(v[2], seven);
    let predicates = vec![
        t.bv_slt(v[0], v[1]),
        t.bv_slt(v[1], v[2]),
        t.bv_sle(v[2], ten),
        t.eq(v[3], next),
        t.bv_slt(zero, v[3]),
        t.eq(masked, zero),
        t.eq(v[1], seven),
        t.bv_slt(sum, v[3]),
        t.bv_sle(v[4], v[3]),
        t.bv_ult(v[4], v[2]),
    ];
    let assignments = [(v[0], sum), (v[4], next), (v[2], v[3]), (v[1], masked)];
    Job { goals: goals(t, &predicates, &assignments), predicates }
}

fn memory(t: &mut Terms) -> Job {
    let heap = t.symbol("heap", Sort::Array(Scalar::BitVec(64), Scalar::BitVec(32)));
    let [p, q, r] = ["p", "q", "r"].map(|name| t.symbol(name, Sort::BitVec(64)));
    let (null, four) = (t.bv(0, 64), t.bv(4, 64));
    let (one, ten) = (t.bv(1, 32), t.bv(10, 32));
    let after = t.bv_add(p, four);
    let [at_p, at_q, at_r, at_after] = [p, q, r, after].map(|at| t.select(heap, at));
    let predicates = vec![
        t.eq(p, q),
        t.eq(p, null),
        t.eq(q, null),
        t.eq(q, r),
        t.eq(at_p, one),
        t.bv_slt(at_p, at_q),
        t.eq(at_q, ten),
        t.bv_sle(at_r, at_after),
        t.eq(q, after),
        t.bv_slt(at_after, ten),
    ];
    let incremented = t.bv_add(at_p, one);
    let (write, copy) = (t.store(heap, p, incremented), t.store(heap, q, at_r));
    Job { goals: goals(t, &predicates, &[(heap, write), (heap, copy), (q, after)]), predicates }
}

/// The predicates after each assignment, and their negations.
fn goals(t: &mut Terms, predicates: &[Term], assignments: &[(Term, Term)]) -> Vec<Term> {
    let mut goals = Vec::new();
    for &(target, value) in assignments {
        let map = FxHashMap::from_iter([(target, value)]);
        for &predicate in predicates {
            let after = t.substitute(predicate, &map);
            if after != predicate {
                goals.push(after);
                goals.push(t.not(after));
            }
        }
    }
    goals
}

/// All cubes of up to three literals.
fn cubes(terms: &mut Terms, predicates: &[Term]) -> Vec<Vec<Term>> {
    // A cube, and the number of the first predicate that may still be added.
    let mut cubes: Vec<(Vec<Term>, usize)> = vec![(Vec::new(), 0)];
    let mut from = 0;
    for _ in 0..3 {
        let to = cubes.len();
        for at in from..to {
            let (cube, first) = cubes[at].clone();
            for (number, &predicate) in predicates.iter().enumerate().skip(first) {
                for literal in [predicate, terms.not(predicate)] {
                    let longer = cube.iter().copied().chain([literal]).collect();
                    cubes.push((longer, number + 1));
                }
            }
        }
        from = to;
    }
    cubes.into_iter().map(|(cube, _)| cube).collect()
}

fn run(name: &str, terms: &mut Terms, job: &Job, new: &dyn Fn() -> Box<dyn Solver>) {
    let cubes = cubes(terms, &job.predicates);
    let start = Instant::now();
    let (mut queries, mut found) = (0u32, 0);
    let mut cached = 0;
    for &goal in &job.goals {
        let mut solver = new();
        solver.assert(terms, goal);
        for cube in &cubes {
            queries += 1;
            found += u32::from(solver.check(terms, cube) == Answer::Unsat);
        }
        let statistics = solver.statistics();
        cached += statistics.by_model + statistics.by_query;
    }
    let time = start.elapsed();
    let each: Duration = time / queries.max(1);
    println!("{name:24} {queries} queries, {found} unsat, {cached} from memory, {time:.1?}, {each:.1?} each");
}

fn main() {
    let budget = Budget::unlimited();
    for build in [scalars, memory] {
        let mut terms = Terms::new();
        let mut job = build(&mut terms);
        run("blaster", &mut terms, &job, &|| Box::new(Blaster::new(&budget)));
        run("blaster with memory", &mut terms, &job, &|| Box::new(Cached::new(Blaster::new(&budget))));
        run("z3 with memory", &mut terms, &job, &|| Box::new(Cached::new(Z3::new(&budget))));
        job.goals.truncate(2);
        run("z3", &mut terms, &job, &|| Box::new(Z3::new(&budget)));
    }
}
