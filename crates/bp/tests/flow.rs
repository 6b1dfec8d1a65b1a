//! The control-flow form, traces as text, and what the replayer refuses.

use expect_test::{Expect, expect};
use hardbop_base::Id;
use hardbop_bp::ast::{Item, Stmt, StmtKind, Tag};
use hardbop_bp::{Action, EdgeId, Fault, Flow, Goal, Program, State, Trace, load, parse, replay, resolve};

fn flow(text: &str) -> Flow {
    load(text, Id::from_usize(0)).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&flow(text).to_string());
}

#[test]
fn structured_statements() {
    check(
        "decl g; void main() begin decl l; enforce g | l; enforce T;
           if (l) then skip; elsif (g) then M: else g := F; fi
           while (*) do if (g) then fi od;
           N: assert(l & *);
         end",
        expect![[r#"
            globals: g
            procedure main: l
              entry n0, exit n1, error n9
              enforce (g | l) & T
              M: n5
              N: n7
              n0 -> n3  assume(l)
              n0 -> n4  assume(!l)
              n3 -> n2  skip
              n4 -> n5  assume(g)
              n4 -> n6  assume(!g)
              n5 -> n2  skip
              n6 -> n2  g := F
              n2 -> n8  assume(*)
              n2 -> n7  assume(*)
              n8 -> n2  assume(g)
              n8 -> n2  assume(!g)
              n7 -> n1  assume(l & *)
              n7 -> n9  assume(!(l & *))
        "#]],
    );
}

#[test]
fn simple_statements() {
    check(
        "decl g, h; void main(x) begin decl l; 
           g, _, l := l, T, * constrain 'g != 'h; decl k; dead g; abortif !g; abortif g; 
           g, _ := f(g); f(F);
           L: O: goto L, E, L; E: 
         end
         bool<2> f(a) begin decl l; if (a) then return a, *; fi end
         bool one() begin return schoose[g, h ^ T ^ F]; end
         bool none() begin end void empty() begin end",
        expect![[r#"
            globals: g, h
            procedure main: x, l, k
              entry n0, exit n1
              L, O: n16
              E: n17
              n0 -> n10  g, l := l, * constrain 'g ^ 'h
              n10 -> n11  k := *
              n11 -> n12  g := *
              n12 -> n13  assume(g)
              n13 -> n14  assume(!g)
              n14 -> n15  g, _ := f(g)
              n15 -> n16  _, _ := f(F)
              n17 -> n1  skip
              n16 -> n16  skip
              n16 -> n17  skip
            procedure f: a, l, return.0, return.1
              entry n2, exit n3
              n2 -> n19  assume(a)
              n2 -> n18  assume(!a)
              n19 -> n3  return.0, return.1 := a, *
              n18 -> n3  return.0, return.1 := *, *
            procedure one: return
              entry n4, exit n5
              n4 -> n5  return := schoose[g, h ^ T ^ F]
            procedure none: return
              entry n6, exit n7
              n6 -> n7  return := *
            procedure empty: 
              entry n8, exit n9
              n8 -> n9  skip
        "#]],
    );
}

#[test]
fn blocks() {
    check(
        "var x, y; A: x := T; goto B; B: assert x; x := x & y; goto B or C; C:",
        expect![[r#"
        globals: x, y
        procedure main: 
          entry n0, exit n1, error n5
          A: n0
          B: n3
          C: n7
          n0 -> n2  x := T
          n3 -> n4  assume(x)
          n3 -> n5  assume(!x)
          n4 -> n6  x := x & y
          n7 -> n1  skip
          n2 -> n3  skip
          n6 -> n3  skip
          n6 -> n7  skip
    "#]],
    );
}

#[test]
fn bottom_up_order_and_recursion() {
    let names = |text: &str| {
        let flow = flow(text);
        flow.bottom_up()
            .map(|order| order.iter().map(|&p| flow.procedures[p].name.clone()).collect::<Vec<_>>())
    };
    let order = names(
        "void main() begin a(); b(); end void a() begin b(); c(); end void b() begin c(); end
         void c() begin end void unused() begin unused(); end",
    );
    assert_eq!(order, Some(["c", "b", "a", "main"].map(str::to_owned).to_vec()));
    assert_eq!(names("void main() begin a(); end void a() begin if (*) then main(); fi end"), None);
}

/// A program with a call, and the run that breaks its assertion.
fn failing_run() -> (Flow, Trace) {
    let flow = flow(
        "decl g;
         bool f(a) begin
           g := !a;
           return a;
         end
         void main() begin
           decl l;
           enforce g => !l;
           l := f(T & *);
           assert(l);
         end",
    );
    let main = &flow.procedures[flow.main];
    let callee = &flow.procedures[flow.procedure("f").expect("f")];
    let edge = |text: &str, branch| {
        flow.edges.iter().find(|(_, e)| &*e.text == text && e.branch == branch).map(|(id, _)| id).expect(text)
    };
    let target = |edge: EdgeId| flow.edges[edge].target;
    let state = |location, depth, globals: &[bool], locals: &[bool]| State {
        location,
        depth,
        globals: globals.to_vec(),
        locals: locals.to_vec(),
    };
    let mut trace = Trace::new(state(main.entry, 0, &[false], &[true]));
    let call = edge("l := f(T & *);", None);
    trace.push(Action::Call(call), state(callee.entry, 1, &[false], &[false, false]));
    let assign = edge("g := !a;", None);
    trace.push(Action::Edge(assign), state(target(assign), 1, &[true], &[false, false]));
    let back = edge("return a;", None);
    trace.push(Action::Edge(back), state(callee.exit, 1, &[true], &[false, false]));
    trace.push(Action::Return(call), state(target(call), 0, &[true], &[false]));
    let fail = edge("assert(l);", Some(false));
    trace.push(Action::Edge(fail), state(target(fail), 0, &[true], &[false]));
    (flow, trace)
}

/// Tags the statements of a list and of all lists in it, from the outside in.
fn tag(body: &mut [Stmt], next: &mut usize) {
    for stmt in body {
        stmt.tag = Some(Tag::from_usize(*next));
        *next += 1;
        match &mut stmt.kind {
            StmtKind::If { branches, otherwise } => {
                branches.iter_mut().for_each(|branch| tag(&mut branch.body, next));
                tag(otherwise.as_deref_mut().unwrap_or_default(), next);
            }
            StmtKind::While(branch) => tag(&mut branch.body, next),
            _ => {}
        }
    }
}

#[test]
fn edges_have_the_tags_of_their_statements() {
    let text = "decl g; void main() begin decl l;
           if (l) then skip; elsif (g) then M: else g := F; fi
           while (*) do if (g) then fi od;
           goto M, N; N: assert(l & *);
         end
         bool f() begin g := f(); end";
    let read: Program = parse(text, Id::from_usize(0)).0;
    let mut program = read.clone();
    let mut next = 0;
    for item in &mut program.items {
        if let Item::Procedure(procedure) = item {
            tag(&mut procedure.body, &mut next);
        }
    }
    assert_eq!(program, read, "tags are no part of the text");
    assert_eq!(program.to_string(), read.to_string());
    let edges = |program: &Program| -> String {
        let flow = resolve(program).expect("a valid program");
        let line = |tag: Option<Tag>| tag.map_or("-".to_owned(), |tag| tag.index().to_string());
        flow.edges.values().map(|edge| format!("{} {}\n", line(edge.tag), edge.text)).collect()
    };
    assert!(edges(&read).lines().all(|line| line.starts_with("- ")), "what is read has no tags");
    expect![[r#"
        1 if (l)
        1 if (l)
        2 skip;
        1 elsif (g)
        1 elsif (g)
        3 ;
        4 g := F;
        5 while (*)
        5 while (*)
        6 if (g)
        6 if (g)
        8 assert(l & *);
        8 assert(l & *);
        7 goto M, N;
        7 goto M, N;
        9 g := f();
        - end
    "#]]
    .assert_eq(&edges(&program));
}

#[test]
fn ids_follow_the_order_of_the_text() {
    let flow = flow(
        "decl b, a; bool f(d, c) begin decl e; if (d) then decl z, y; fi end
         decl x; bool<2> main() begin decl b; end void none() begin end",
    );
    let procedures: Vec<&str> = flow.procedures.values().map(|p| p.name.as_str()).collect();
    assert_eq!(procedures, ["f", "main", "none"]);
    let variables: Vec<&str> = flow.variables.values().map(|v| v.name.as_str()).collect();
    let expected = ["b", "a", "x", "d", "c", "e", "z", "y", "return", "b", "return.0", "return.1"];
    assert_eq!(variables, expected);
    let frames = flow.procedures.values().flat_map(|p| &p.locals);
    assert!(flow.globals.iter().chain(frames).copied().eq(flow.variables.ids()));
}

#[test]
fn trace_text() {
    let (flow, trace) = failing_run();
    expect![[r#"
        start in main  g=0 l=1
        9: l := f(T & *);  enter f  a=0
          3: g := !a;  g=1
          4: return a;  return=0
        9: return to main  g=1 l=0
        10: assert(l);  fails
    "#]]
    .assert_eq(&trace.display(&flow).to_string());
}

/// A hundred thousand open calls neither fill the screen with blanks nor exceed what can be formatted.
#[test]
fn deep_calls_are_not_indented_for_ever() {
    let flow = flow("void main() begin main(); end");
    let main = &flow.procedures[flow.main];
    let state = |depth| State { location: main.entry, depth, globals: Vec::new(), locals: Vec::new() };
    let mut trace = Trace::new(state(0));
    (1..=100_000).for_each(|depth| trace.push(Action::Call(main.edges[0]), state(depth)));
    let text = trace.display(&flow).to_string();
    let line = |number: usize| text.lines().nth(number).unwrap_or_default();
    assert_eq!(line(41), format!("{}1: main();  enter main", " ".repeat(80)));
    assert_eq!(line(100_000), format!("{}[99999] 1: main();  enter main", " ".repeat(80)));
}

#[test]
fn replay_accepts_the_run() {
    let (flow, trace) = failing_run();
    assert_eq!(replay(&flow, &trace, &Goal::Assertion), Ok(()));
    let error = replay(&flow, &trace, &Goal::Label("L".to_owned())).map_err(|e| e.fault);
    assert_eq!(error, Err(Fault::Goal));
}

/// Changes a copy of the run and expects the replayer to object at the given step.
fn check_refused(step: usize, fault: Fault, change: impl Fn(&mut Trace)) {
    let (flow, mut trace) = failing_run();
    change(&mut trace);
    let error = replay(&flow, &trace, &Goal::Assertion).expect_err("a refusal");
    assert_eq!((error.step, error.fault), (step, fault));
}

#[test]
fn replay_refuses_what_is_no_run() {
    let value = |name: &str| Fault::Value(name.to_owned());
    check_refused(0, Fault::Start, |t| t.start.depth = 1);
    check_refused(0, Fault::Shape, |t| t.start.locals.clear());
    check_refused(0, Fault::Shape, |t| t.start.location = Id::from_usize(1000));
    check_refused(0, Fault::Enforce, |t| t.start.globals[0] = true);
    check_refused(1, value("g"), |t| t.steps[0].state.globals[0] = true);
    check_refused(1, value("return"), |t| t.steps[0].state.locals[1] = true);
    check_refused(1, Fault::Depth, |t| t.steps[0].state.depth = 0);
    check_refused(1, Fault::Edge, |t| t.steps[0].action = Action::Edge(t.steps[0].action.edge()));
    check_refused(1, Fault::Edge, |t| t.steps[0].action = Action::Call(Id::from_usize(1000)));
    check_refused(2, value("g"), |t| t.steps[1].state.globals[0] = false);
    check_refused(2, value("a"), |t| t.steps[1].state.locals[0] = true);
    check_refused(2, Fault::Target, |t| t.steps[1].state.location = t.steps[0].state.location);
    check_refused(3, value("return"), |t| t.steps[2].state.locals[1] = true);
    check_refused(2, Fault::Edge, |t| drop(t.steps.remove(1)));
    check_refused(3, Fault::Return, |t| drop(t.steps.remove(2)));
    check_refused(4, value("l"), |t| t.steps[3].state.locals[0] = true);
    check_refused(4, Fault::Goal, |t| drop(t.steps.pop()));
    check_refused(5, Fault::Edge, |t| t.steps[4].action = t.steps[1].action);
}

#[test]
fn replay_checks_conditions_and_constrain() {
    let flow = flow("decl g; void main() begin g := * constrain 'g = !g; assume(g); L: skip; end");
    let main = &flow.procedures[flow.main];
    let first = flow.locations[main.entry].successors[0];
    let second = flow.locations[flow.edges[first].target].successors[0];
    let run = |values: [bool; 3]| {
        let state = |location, value| State { location, depth: 0, globals: vec![value], locals: Vec::new() };
        let mut trace = Trace::new(state(main.entry, values[0]));
        trace.push(Action::Edge(first), state(flow.edges[first].target, values[1]));
        trace.push(Action::Edge(second), state(flow.edges[second].target, values[2]));
        replay(&flow, &trace, &Goal::Label("L".to_owned())).map_err(|e| (e.step, e.fault))
    };
    assert_eq!(run([false, true, true]), Ok(()));
    assert_eq!(run([true, true, true]), Err((1, Fault::Constrain)));
    assert_eq!(run([true, false, false]), Err((2, Fault::Condition)));
}
