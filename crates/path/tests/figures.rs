//! Fig. 7 of `000…`: the projections p2 and p3 of the path p1.

mod common;

use common::Straight;
use hardbop_base::Budget;
use hardbop_path::{Contexts, Projection, explain, is_infeasible, show, without};

fn p1() -> Straight {
    Straight::new(include_str!("../../../examples/papers/000-figure-7-p1.x"))
}

/// The statements that a projection keeps, without those that make variables arbitrary.
fn kept(straight: &Straight, projection: &Projection) -> Vec<String> {
    let statements = projection.steps().map(|step| straight.statements[step].clone());
    statements.filter(|s| !s.starts_with("havoc") && !s.starts_with("call")).collect()
}

fn step(straight: &Straight, statement: &str) -> usize {
    straight.statements.iter().position(|s| s == statement).unwrap()
}

const P2: [&str; 6] =
    ["assume (0 < b)", "c := (b + b)", "a := b", "a := (a - 1)", "assume (a < b)", "assume (c == a)"];
const P3: [&str; 4] = ["assume (0 < b)", "c := (b + b)", "assume (a < b)", "assume (c == a)"];

#[test]
fn both_projections_are_icpps_of_the_path() {
    let (p1, budget) = (p1(), Budget::unlimited());
    let (subject, path) = (p1.subject(), &p1.path);
    let p2 = without(subject, path, &Projection::whole(path), &[step(&p1, "z := c"), step(&p1, "x := b")]);
    assert_eq!(kept(&p1, &p2), P2);
    assert_eq!(is_infeasible(subject, path, &p2, &budget), Ok(Some(true)));
    // Without the second assignment to `a` there must not be the first.
    let p3 = without(subject, path, &p2, &[step(&p1, "a := (a - 1)")]);
    assert_eq!(kept(&p1, &p3), P3);
    assert_eq!(is_infeasible(subject, path, &p3, &budget), Ok(Some(true)));
}

#[test]
fn nothing_more_can_be_left_out() {
    let (p1, budget) = (p1(), Budget::unlimited());
    let explanation = explain(p1.subject(), &p1.path, &budget).unwrap().unwrap();
    assert_eq!(kept(&p1, &explanation.referenced), P2);
    assert_eq!(kept(&p1, &explanation.icpp), P3);
    for statement in P3 {
        let fewer = without(p1.subject(), &p1.path, &explanation.icpp, &[step(&p1, statement)]);
        assert_eq!(is_infeasible(p1.subject(), &p1.path, &fewer, &budget), Ok(Some(false)), "{statement}");
    }
}

#[test]
fn the_contexts_are_those_of_the_figure() {
    let (p1, budget) = (p1(), Budget::unlimited());
    let explanation = explain(p1.subject(), &p1.path, &budget).unwrap().unwrap();
    let shown = |projection: &Projection| {
        let contexts = Contexts::along(p1.subject(), &p1.path, projection, &budget).unwrap();
        // The first line keeps the indentation of the others.
        format!("path\n{}", show(p1.subject(), &p1.path, projection, &contexts))
    };
    expect_test::expect![[r#"
        path
          test.x:11:3: main: assume (0 < b)
              Ω  b = θb
              Φ  θb > 0
          test.x:12:3: main: c := (b + b)
              Ω  c = 2 * θb
          test.x:14:3: main: a := b
              Ω  a = θb
          test.x:15:3: main: a := (a - 1)
              Ω  a = θb - 1
              Π  a = θb
          test.x:17:3: main: assume (a < b)
              Φ  true
          test.x:18:3: main: assume (c == a)
              Φ  θb == -1
    "#]]
    .assert_eq(&shown(&explanation.referenced));
    expect_test::expect![[r#"
        path
          test.x:11:3: main: assume (0 < b)
              Ω  b = θb
              Φ  θb > 0
          test.x:12:3: main: c := (b + b)
              Ω  c = 2 * θb
          test.x:17:3: main: assume (a < b)
              Ω  a = θa
              Φ  θb > θa
          test.x:18:3: main: assume (c == a)
              Φ  2 * θb == θa
    "#]]
    .assert_eq(&shown(&explanation.icpp));
}
