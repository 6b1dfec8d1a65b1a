//! The trivectors of the papers' examples, one by one, and the limits.

use std::fmt::Write;

use hardbop_base::Id;
use hardbop_bp::load;

use super::model::width;
use super::*;

fn flow(text: &str) -> Flow {
    load(text, Id::from_usize(0)).unwrap_or_else(|errors| panic!("{errors:?}"))
}

/// The cubes at the label `END` of `main`, sorted, over the globals and locals.
fn cubes(text: &str, values: Values) -> Vec<String> {
    let flow = flow(text);
    let budget = Budget::unlimited();
    let (choice, trivectors) = (Choice { budget: &budget }, Trivectors { budget: &budget });
    let kleene = Kleene { budget: &budget, limit: 1000 };
    let domain: &dyn Domain = match values {
        Values::Choice => &choice,
        Values::Kleene => &kleene,
        _ => &trivectors,
    };
    let focus = |variable: VarId| match &values {
        Values::TrivectorSet(Focus::Variables(chosen)) => chosen.contains(&variable),
        values => *values == Values::TrivectorSet(Focus::Total),
    };
    let model = Model::new(&flow, domain, focus);
    let end = flow.goal_locations(&Goal::Label("END".to_owned()))[0];
    let width = width(&flow, flow.main);
    if values == Values::Trivector {
        let mut join = Join::new(&model, &budget);
        join.run().expect("a fixpoint");
        return join.value(end).iter().map(|cube| cube.text(width)).collect();
    }
    let mut table = Tabulation::new(&model, 10_000, &budget);
    table.start(false).and_then(|()| table.run(&[], false)).expect("a fixpoint");
    let at_end = table.path_edges.iter().filter(|path_edge| path_edge.location == end);
    let mut found: Vec<String> = at_end.map(|path_edge| table.cube(path_edge.state).text(width)).collect();
    found.sort();
    found
}

fn set(focus: Focus) -> Values {
    Values::TrivectorSet(focus)
}

fn variables(indices: &[usize]) -> Values {
    set(Focus::Variables(indices.iter().map(|&index| Id::from_usize(index)).collect()))
}

/// `003…` Example 1: the image of 000 is **0, which adds 000 and 110 to 100 and 010.
#[test]
fn example_1() {
    let text = "decl p1, p2, p3; void main() begin p1, p2, p3 := F, F, F;
        p1, p2 := schoose[F, p3], schoose[F, p3] constrain p3 | 'p1 != 'p2; END: skip; end";
    assert_eq!(cubes(text, Values::Choice), ["010", "100"]);
    assert_eq!(cubes(text, Values::Trivector), ["**0"]);
    assert_eq!(cubes(text, set(Focus::None)), ["**0"]);
    assert_eq!(cubes(text, set(Focus::Total)), ["010", "100"]);
    // Kleene's values split where the condition on the new values is unknown.
    assert_eq!(cubes(text, Values::Kleene), ["010", "100"]);
}

/// The statement of Example 1 as c2bp writes it, without `constrain`: the same trivector, exactly.
#[test]
fn example_1_as_c2bp_writes_it() {
    let text = "decl p1, p2, p3; void main() begin p1, p2, p3 := F, F, F;
        p1, p2 := schoose[F, p3], schoose[F, p3]; END: skip; end";
    assert_eq!(cubes(text, Values::Choice), ["000", "010", "100", "110"]);
    for values in [Values::Trivector, set(Focus::None), set(Focus::Total), Values::Kleene] {
        assert_eq!(cubes(text, values), ["**0"]);
    }
}

/// Example 2: the image of everything is **, which adds 00 and 11 to 01 and 10.
#[test]
fn example_2() {
    let text = "decl x, y; void main() begin x, y := *, * constrain 'x = !'y; END: skip; end";
    assert_eq!(cubes(text, Values::Choice), ["01", "10"]);
    assert_eq!(cubes(text, Values::Trivector), ["**"]);
    assert_eq!(cubes(text, set(Focus::None)), ["**"]);
    assert_eq!(cubes(text, variables(&[0])), ["01", "10"]);
    assert_eq!(cubes(text, set(Focus::Total)), ["01", "10"]);
}

/// Example 3 and §9.3: focus[1, 2] of *** is 00* and 11* behind the filter.
#[test]
fn example_3() {
    let text = "decl x1, x2, x3; void main() begin assume(x1 = x2); END: skip; end";
    assert_eq!(cubes(text, Values::Choice), ["000", "001", "110", "111"]);
    assert_eq!(cubes(text, Values::Trivector), ["***"]);
    assert_eq!(cubes(text, set(Focus::None)), ["***"]);
    assert_eq!(cubes(text, variables(&[0, 1])), ["00*", "11*"]);
    assert_eq!(cubes(text, set(Focus::Total)), ["000", "001", "110", "111"]);
}

/// §9.2: sets keep apart what a join mixes.
#[test]
fn joins_and_sets() {
    let text = "decl x, y; void main() begin
        if (*) then x, y := F, T; else x, y := T, F; fi END: skip; end";
    assert_eq!(cubes(text, Values::Trivector), ["**"]);
    assert_eq!(cubes(text, set(Focus::None)), ["01", "10"]);
}

/// §7: a trivector satisfies what all its bit-vectors satisfy, which Kleene's tables cannot see.
#[test]
fn satisfaction_is_not_evaluation() {
    let text = "decl x, y; void main() begin x := y | !y; END: skip; end";
    assert_eq!(cubes(text, set(Focus::None)), ["1*"]);
    assert_eq!(cubes(text, Values::Kleene), ["**"]);
}

/// `enforce` restricts what a trivector means, before a step and after it.
#[test]
fn enforced_trivectors() {
    let text = "decl x, y, z; void main() begin enforce !(x & y); z := !(x & y); END: skip; end";
    assert_eq!(cubes(text, set(Focus::None)), ["**1"]);
    let text = "decl x, y; void main() begin enforce x = y; y := T; END: skip; end";
    assert_eq!(cubes(text, Values::Trivector), ["11"]);
}

fn check_text(text: &str, options: &ExplicitOptions) -> Report {
    check(&flow(text), &Goal::Assertion, options, &Budget::unlimited())
}

#[test]
fn limits_end_in_unknown() {
    let text = "decl a,b,c,d,e,f,g,h,i,j; void main() begin assert(a | !a); end";
    for values in [Values::Choice, set(Focus::Total)] {
        let options = ExplicitOptions { values, limit: 500, ..ExplicitOptions::default() };
        assert_eq!(check_text(text, &options).answer, Answer::Unknown(Reason::States(500)));
    }
    let budget = Budget::unlimited();
    budget.stop(Stop::Memory);
    for values in [Values::Choice, Values::Trivector, set(Focus::None), Values::Kleene] {
        let options = ExplicitOptions { values, ..ExplicitOptions::default() };
        let report = check(&flow(text), &Goal::Assertion, &options, &budget);
        assert_eq!(report.answer, Answer::Unknown(Reason::Stopped(Stop::Memory)));
    }
}

/// A chain of procedures, each of which calls the next one `calls` times.
fn chain(length: usize, calls: &str) -> String {
    let mut text = "decl g; void main() begin g := T; p0(); assert(g); end\n".to_owned();
    for i in 0..length {
        let body = calls.replace('@', &format!("p{}", i + 1));
        writeln!(text, "void p{i}() begin {body} end").expect("a string");
    }
    writeln!(text, "void p{length}() begin g := F; end").expect("a string");
    text
}

/// Summaries make the verdict cheap where the trace is exponential and cannot be written down.
#[test]
fn traces_of_exponential_length() {
    let options = ExplicitOptions { trace: true, ..ExplicitOptions::default() };
    let report = check_text(&chain(100, "@(); @();"), &options);
    assert_eq!(report.answer, Answer::Reachable(None));
    let Answer::Reachable(Some(trace)) = check_text(&chain(8, "@(); @();"), &options).answer else {
        panic!("a trace");
    };
    // 256 assignments, a call and a return for each of 511 activations, and what main does.
    assert_eq!(trace.len(), 256 + 2 * 511 + 2);
}

#[test]
fn deep_stacks() {
    let options = ExplicitOptions { trace: true, ..ExplicitOptions::default() };
    let Answer::Reachable(Some(trace)) = check_text(&chain(5_000, "@();"), &options).answer else {
        panic!("a trace");
    };
    assert_eq!(trace.len(), 3 + 2 * 5_001);
}

/// Post is the best one even where `constrain` relates new values that stem from one old value.
#[test]
fn constrained_updates_of_one_variable() {
    let text = "decl x, y, z; void main() begin x, y := z, z constrain 'x != 'y; END: skip; end";
    assert!(cubes(text, set(Focus::None)).is_empty());
    let text = "decl x, y, z; void main() begin x, y := z, z constrain 'x | 'y; END: skip; end";
    assert_eq!(cubes(text, Values::Trivector), ["111"]);
}

/// A call and a return count as one step each, so three calls of three steps lie between 8 and 10 skips.
#[test]
fn calls_and_returns_count() {
    for (skips, expected) in [(8, 8), (10, 9)] {
        let long = "skip; ".repeat(skips);
        let text = format!(
            "void f() begin skip; end
            void main() begin if (*) then f(); f(); f(); else {long} fi assert(F); end"
        );
        let options = ExplicitOptions { trace: true, ..ExplicitOptions::default() };
        let Answer::Reachable(Some(trace)) = check_text(&text, &options).answer else { panic!("a trace") };
        assert_eq!(trace.len(), 1 + expected + 1);
    }
}
