//! Steps, guards, choices, limits and ends.

use super::*;
use hardbop_base::Stop;

#[test]
fn counts_steps() {
    let mut b = Builder::new();
    let zero = b.num(0);
    b.push(Statement::Skip);
    b.ret(zero);
    let run = b.run(&[]);
    assert_eq!((run.outcome, run.steps), (Outcome::Returned(0), 3));
}

/// `for (i = 0; i < n; i++) sum += i; return sum;`
fn summing_loop(n: i128) -> Builder {
    let mut b = Builder::new();
    let (i, sum) = (b.local("i", b.int), b.local("sum", b.int));
    let (zero, one, limit) = (b.num(0), b.num(1), b.num(n));
    b.set(i, zero);
    b.set(sum, zero);
    let head = b.here();
    let (vi, vs) = (b.var(i), b.var(sum));
    let inside = b.bin(BinaryOp::Lt, vi, limit);
    let outside = b.p.not(inside);
    b.push(Statement::Assume(inside));
    let more = b.bin(BinaryOp::Add, vs, vi);
    b.set(sum, more);
    let next = b.bin(BinaryOp::Add, vi, one);
    let place = b.p.var_place(i);
    let back = b.here();
    b.edge(back, head, Statement::Assign(place, next));
    let after = b.location();
    b.edge(head, after, Statement::Assume(outside));
    b.goto(after);
    b.ret(vs);
    b
}

#[test]
fn loops_run() {
    let run = summing_loop(100).run(&[]);
    assert_eq!(run.outcome, Outcome::Returned(4950));
    assert_eq!(run.steps, 2 + 100 * 3 + 1 + 2);
    assert!(run.draws.is_empty());
}

#[test]
fn step_limit_is_exact() {
    let program = summing_loop(1 << 20).build();
    for steps in [0, 1, 2, 5, 4095, 4096, 4097, 10_000] {
        let limits = Limits { steps, ..Limits::default() };
        let run = super::super::run(&program, &mut ListInputs::default(), limits);
        assert_eq!((run.outcome, run.steps), (Outcome::StepLimit, steps));
    }
    let program = summing_loop(1).build();
    let limits = Limits { steps: 8, ..Limits::default() };
    assert_eq!(super::super::run(&program, &mut ListInputs::default(), limits).outcome, Outcome::Returned(0));
}

#[test]
fn budget_stops_a_run() {
    let program = summing_loop(i32::MAX.into()).build();
    let budget = Budget::unlimited();
    budget.stop(Stop::Interrupt);
    let options = RunOptions { budget, ..RunOptions::default() };
    let run = Interpreter::new(&program).run(&mut ListInputs::default(), options);
    assert_eq!(run.outcome, Outcome::Stopped(Stop::Interrupt));
}

#[test]
fn failed_assumption_blocks() {
    let mut b = Builder::new();
    let x = b.local("x", b.int);
    b.nondet(x);
    let (vx, one) = (b.var(x), b.num(1));
    let holds = b.bin(BinaryOp::Eq, vx, one);
    let at = b.here();
    b.push(Statement::Assume(holds));
    b.ret(vx);
    let program = b.build();
    let go = |x| super::super::run(&program, &mut ListInputs::all([x]), Limits::default()).outcome;
    assert_eq!(go(1), Outcome::Returned(1));
    let blocked = go(2);
    assert!(matches!(blocked, Outcome::Blocked { location, .. } if location == at), "{blocked:?}");
    assert!(blocked.describe(&program).contains("in main"));
}

#[test]
fn dead_end_blocks() {
    let mut b = Builder::new();
    b.push(Statement::Skip);
    assert_eq!(name(&b.outcome(&[])), "blocked");
}

#[test]
fn inputs_choose_among_enabled_edges() {
    // Three ways, of which the second is closed unless x is 5.
    let mut b = Builder::new();
    let x = b.local("x", b.int);
    b.nondet(x);
    let (vx, five) = (b.var(x), b.num(5));
    let guard = b.bin(BinaryOp::Eq, vx, five);
    let fork = b.here();
    for (i, statement) in [Statement::Skip, Statement::Assume(guard), Statement::Skip].into_iter().enumerate()
    {
        let arm = b.location();
        b.edge(fork, arm, statement);
        b.goto(arm);
        let value = b.num(10 + i as i128);
        b.ret(value);
    }
    let program = b.build();
    let go = |inputs: [u128; 2]| super::super::run(&program, &mut ListInputs::all(inputs), Limits::default());
    assert_eq!(go([5, 0]).outcome, Outcome::Returned(10));
    assert_eq!(go([5, 1]).outcome, Outcome::Returned(11));
    assert_eq!(go([5, 2]).outcome, Outcome::Returned(12));
    assert_eq!(go([5, 3]).outcome, Outcome::Returned(10));
    assert_eq!(go([0, 0]).outcome, Outcome::Returned(10));
    assert_eq!(go([0, 1]).outcome, Outcome::Returned(12));
    let run = go([0, 1]);
    assert_eq!(run.draws[1].source, DrawSource::Choice);
    check_replay(&program, &run, Limits::default());
}

/// A switch on a nondeterministic value; the default guard is the conjunction of all negations.
fn switch(cases: &[i128], ways: impl Fn(&mut Builder, LocationId, ExprId, ExprId)) -> Program {
    let mut b = Builder::new();
    let x = b.local("x", b.int);
    b.nondet(x);
    let vx = b.var(x);
    let fork = b.here();
    let mut none = b.p.truth(true);
    for &case in cases {
        let constant = b.num(case);
        let is = b.bin(BinaryOp::Eq, vx, constant);
        let is_not = b.p.not(is);
        none = b.bin(BinaryOp::And, none, is_not);
        let arm = b.location();
        b.edge(fork, arm, Statement::Assume(is));
        b.goto(arm);
        let value = b.num(case * 10);
        b.ret(value);
    }
    ways(&mut b, fork, vx, none);
    b.build()
}

#[test]
fn switches_go_to_their_case() {
    let program = switch(&[1, 2, -3, 400], |b, fork, _, none| {
        let arm = b.location();
        b.edge(fork, arm, Statement::Assume(none));
        b.goto(arm);
        let value = b.num(-1);
        b.ret(value);
    });
    for (x, expected) in [(1, 10), (2, 20), (-3i32, -30), (400, 4000), (0, -1), (i32::MIN, -1)] {
        let mut inputs = ListInputs::all([x as u32 as u128]);
        let run = super::super::run(&program, &mut inputs, Limits::default());
        assert_eq!((run.outcome, run.steps), (Outcome::Returned(expected), 4), "{x}");
    }
}

#[test]
fn overlapping_guards_are_no_switch() {
    // The last guard is x != 1 only: for x == 2 two edges are enabled.
    let program = switch(&[1, 2], |b, fork, vx, _| {
        let one = b.num(1);
        let is_not = b.bin(BinaryOp::Ne, vx, one);
        let arm = b.location();
        b.edge(fork, arm, Statement::Assume(is_not));
        b.goto(arm);
        let value = b.num(-1);
        b.ret(value);
    });
    let go = |inputs: [u128; 2]| {
        super::super::run(&program, &mut ListInputs::all(inputs), Limits::default()).outcome
    };
    assert_eq!(go([2, 0]), Outcome::Returned(20));
    assert_eq!(go([2, 1]), Outcome::Returned(-1));
    assert_eq!(go([1, 1]), Outcome::Returned(10));
}

#[test]
fn ends_are_told_apart() {
    let end = |statement: Statement| {
        let mut b = Builder::new();
        b.push(statement);
        b.run(&[]).outcome
    };
    assert_eq!(name(&end(Statement::Halt(Halt::Abort))), "aborted");
    assert_eq!(name(&end(Statement::Halt(Halt::Unreachable))), "unreachable");
    let property = Property::ErrorFunction("reach_error".into());
    match end(Statement::Error(property.clone())) {
        Outcome::Error { property: p, site } => {
            assert_eq!(p, property);
            assert_eq!(site.span.line, 1);
        }
        other => panic!("{other:?}"),
    }
    match end(Statement::Unsupported("threads".into())) {
        Outcome::Unsupported { reason, site: Some(_) } => assert_eq!(reason, "threads"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn exits_with_a_status() {
    let mut b = Builder::new();
    let status = b.num(-7);
    b.push(Statement::Halt(Halt::Exit(status)));
    assert_eq!(b.outcome(&[]), Outcome::Exited(-7));
}

#[test]
fn programs_without_a_usable_entry_do_not_start() {
    let program = Program::new(DataModel::Lp64);
    assert_eq!(
        name(&super::super::run(&program, &mut ListInputs::default(), Limits::default()).outcome),
        "unsupported"
    );
    let mut b = Builder::new();
    b.formal("argc", b.int);
    b.finish();
    assert_eq!(name(&b.outcome(&[])), "unsupported");
    let mut b = Builder::new();
    let entry = b.external("main", &[], None, crate::Effect::Pure);
    let mut program = b.build();
    program.entry = Some(entry);
    assert_eq!(
        name(&super::super::run(&program, &mut ListInputs::default(), Limits::default()).outcome),
        "unsupported"
    );
}

#[test]
fn expressions_may_be_deeper_than_the_stack() {
    let mut b = Builder::new();
    let x = b.local("x", b.int);
    b.nondet(x);
    let vx = b.var(x);
    let mut sum = vx;
    for _ in 0..200_000 {
        sum = b.bin(BinaryOp::Add, sum, vx);
    }
    b.ret(sum);
    assert_eq!(b.outcome(&[1]), Outcome::Returned(200_001));
}

#[test]
fn shared_expressions_are_evaluated_once() {
    // 2^60 leaves without sharing.
    let mut b = Builder::new();
    let x = b.local("x", b.int);
    b.nondet(x);
    let mut sum = b.var(x);
    for _ in 0..60 {
        sum = b.bin(BinaryOp::Add, sum, sum);
    }
    b.ret(sum);
    assert_eq!(b.outcome(&[1]), Outcome::Returned(0));
}

#[test]
fn unfolding_conditionals_are_refused() {
    let mut b = Builder::new();
    let x = b.local("x", b.int);
    b.nondet(x);
    let (vx, zero) = (b.var(x), b.num(0));
    let mut value = vx;
    for i in 1..40 {
        let limit = b.num(i);
        let condition = b.bin(BinaryOp::Lt, vx, limit);
        let one = b.num(1);
        let more = b.bin(BinaryOp::Add, value, one);
        value = b.p.if_then_else(condition, value, more);
    }
    let positive = b.bin(BinaryOp::Lt, zero, vx);
    b.push(Statement::Assume(positive));
    b.ret(value);
    assert_eq!(name(&b.outcome(&[1])), "unsupported");
}

/// Collects what an observer sees.
#[derive(Default)]
struct Watch {
    steps: Vec<(u64, usize, Option<Value>)>,
    var: Option<VarId>,
    unheard: u64,
}

impl Observer for Watch {
    fn unheard(&self) -> u64 {
        self.unheard
    }

    fn step(&mut self, view: &View<'_, '_>) {
        let value = self.var.and_then(|var| view.variable(var).ok());
        self.steps.push((view.steps(), view.depth(), value));
        assert_eq!(view.stack().count(), view.depth() + 1);
    }
}

#[test]
fn observers_see_each_step_and_values() {
    let mut b = Builder::new();
    let x = b.local("x", b.int);
    let (one, two) = (b.num(1), b.num(2));
    b.set(x, one);
    b.set(x, two);
    let vx = b.var(x);
    b.ret(vx);
    let program = b.build();
    let mut watch = Watch { var: Some(x), ..Watch::default() };
    let run =
        Interpreter::new(&program).observe(&mut ListInputs::default(), RunOptions::default(), &mut watch);
    assert_eq!(run.outcome, Outcome::Returned(2));
    let values: Vec<_> = watch.steps.iter().map(|s| s.2).collect();
    assert_eq!(values, [None, Some(Value::Integer(1)), Some(Value::Integer(2)), Some(Value::Integer(2))]);
    assert_eq!(watch.steps.iter().map(|s| s.0).collect::<Vec<_>>(), [1, 2, 3, 4]);
}

#[test]
fn observers_may_come_late() {
    let mut b = Builder::new();
    let x = b.local("x", b.int);
    b.nondet(x);
    for i in 0..5 {
        let number = b.num(i);
        b.set(x, number);
    }
    b.nondet(x);
    let vx = b.var(x);
    b.ret(vx);
    let program = b.build();
    let interpreter = Interpreter::new(&program);
    let run = |unheard: u64| {
        let mut watch = Watch { var: Some(x), unheard, ..Watch::default() };
        let run = interpreter.observe(&mut ListInputs::all([3, 4]), RunOptions::default(), &mut watch);
        (run, watch.steps)
    };
    let (whole, all) = run(0);
    assert_eq!(whole.outcome, Outcome::Returned(4));
    for unheard in 1..all.len() + 3 {
        let (same, heard) = run(unheard as u64);
        assert_eq!((&same.outcome, same.steps, &same.draws), (&whole.outcome, whole.steps, &whole.draws));
        assert_eq!(heard, all.get(unheard..).unwrap_or_default(), "{unheard}");
    }
    let limits = Limits { steps: 4, ..Limits::default() };
    let mut watch = Watch { unheard: 6, ..Watch::default() };
    let options = RunOptions { limits, ..RunOptions::default() };
    let run = interpreter.observe(&mut ListInputs::default(), options, &mut watch);
    assert_eq!((run.outcome, run.steps, watch.steps.len()), (Outcome::StepLimit, 4, 0));
}

#[test]
fn limits_fall_on_the_same_step_whether_observed_or_not() {
    for n in -1..4 {
        let program = summing_loop(n).build();
        let interpreter = Interpreter::new(&program);
        for steps in 0..30 {
            let options =
                || RunOptions { limits: Limits { steps, ..Limits::default() }, ..RunOptions::default() };
            let alone = interpreter.run(&mut ListInputs::default(), options());
            let mut watch = Watch::default();
            let watched = interpreter.observe(&mut ListInputs::default(), options(), &mut watch);
            assert_eq!((&alone.outcome, alone.steps), (&watched.outcome, watched.steps), "{n}, {steps}");
            assert_eq!(watch.steps.len() as u64, alone.steps, "{n}, {steps}");
        }
    }
}
