//! Proofs are accepted as they were found, and refused when anything in them is changed for the worse;
//! what the engine does not take on it refuses with the reason.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Sources};
use hardbop_certify::backward::{self, Backward};
use hardbop_certify::proof::Rejection;
use hardbop_ir::Program;
use hardbop_semantics::Subject;
use hardbop_solver::{Solver, Z3};
use hardbop_verdict::{Evidence, Reason, Verdict};
use hardbop_wp::{WpOptions, WpOutcome};

const RECURSIVE: &str = "
g: int;
add(n: int) { if n > 0 then { g := g + 1; add(n - 1) } }
main() {
  old, n: int;
  old := g;
  assume n >= 0;
  add(n);
  while ? do g := g + 1;
  assert g >= old + n
}";

fn x(text: &str) -> Program {
    let mut sources = Sources::new();
    let file = sources.add("test.x", text);
    hardbop_teach::load(&sources, file, &hardbop_teach::TeachOptions::default()).unwrap()
}

fn c(text: &str) -> Program {
    let text = format!("extern int nondet(void); extern void reach_error(void);\n{text}");
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse_bytes(&mut sources, "test.c", text.as_bytes(), &options).1.unwrap().0;
    let options = hardbop_lower::LowerOptions { externals: hardbop_ir::Effect::Pure, ..Default::default() };
    hardbop_lower::lower(&mut sources, vec![unit], &options).unwrap()
}

fn check(program: Program) -> WpOutcome {
    hardbop_wp::check(&program, &[], &WpOptions::default(), &Budget::unlimited(), &mut |_| {})
}

fn proved(text: &str) -> Backward {
    match check(x(text)).outcome.verdict {
        Verdict::True(Evidence::Backward(evidence)) => evidence.proof,
        other => panic!("{other:?}"),
    }
}

fn judge(program: &Program, proof: &mut Backward) -> Result<usize, Rejection> {
    let budget = Budget::unlimited();
    let alias = Alias::of(program, &budget).unwrap();
    let regions = Regions::of(program, &alias, &[], &budget).unwrap();
    let subject = Subject { program, alias: &alias, regions: &regions };
    let mut solvers: Vec<Box<dyn Solver>> = vec![Box::new(Z3::new(&budget))];
    backward::check(subject, proof, &mut solvers, &budget).map(|checked| checked.triples)
}

#[test]
fn a_proof_holds_as_it_was_found() {
    let mut proof = proved(RECURSIVE);
    assert_eq!(proof.units.len(), 1);
    assert_eq!(proof.claims.len(), 2);
    assert!(judge(&x(RECURSIVE), &mut proof).unwrap() >= 6);
}

#[test]
fn claims_that_something_does_not_happen_are_refused() {
    let mut refused = 0;
    let points: Vec<_> = proved(RECURSIVE).claims.into_keys().collect();
    for point in points {
        for returns in [false, true] {
            let mut proof = proved(RECURSIVE);
            let never = proof.encoder.terms.bool(false);
            let claim = proof.claims.get_mut(&point).unwrap();
            let set = if returns { &mut claim.returns } else { &mut claim.fails };
            let changed = *set != never;
            *set = never;
            let is_refused = judge(&x(RECURSIVE), &mut proof).is_err();
            assert_eq!(is_refused, changed, "{point:?}");
            refused += usize::from(is_refused);
        }
    }
    assert_eq!(refused, 2, "the loop fails in some states, and the procedure returns");
}

#[test]
fn claims_that_anything_may_happen_do_not_prove_anything() {
    let points: Vec<_> = proved(RECURSIVE).claims.into_keys().collect();
    for point in points {
        let mut proof = proved(RECURSIVE);
        let always = proof.encoder.terms.bool(true);
        let claim = proof.claims.get_mut(&point).unwrap();
        (claim.fails, claim.returns) = (always, always);
        assert!(matches!(judge(&x(RECURSIVE), &mut proof), Err(Rejection::Wrong(_))), "{point:?}");
    }
}

#[test]
fn points_and_units_that_are_left_out_are_refused() {
    let points: Vec<_> = proved(RECURSIVE).claims.into_keys().collect();
    for point in points {
        let mut proof = proved(RECURSIVE);
        proof.claims.remove(&point);
        assert!(judge(&x(RECURSIVE), &mut proof).is_err(), "{point:?}");
    }
    let mut proof = proved(RECURSIVE);
    proof.units.clear();
    assert!(judge(&x(RECURSIVE), &mut proof).is_err());
}

#[test]
fn claims_about_what_is_not_there_are_refused() {
    let mut proof = proved(RECURSIVE);
    let other = proof.encoder.terms.symbol("other", hardbop_logic::Sort::Bool);
    for claim in proof.claims.values_mut() {
        claim.fails = other;
    }
    assert!(matches!(judge(&x(RECURSIVE), &mut proof), Err(Rejection::Wrong(_))));
}

#[test]
fn a_proof_of_another_program_is_refused() {
    for (from, to) in
        [("g + 1; add", "g - 1; add"), ("do g := g + 1", "do g := g - 1"), ("old + n", "old + n + 1")]
    {
        let wrong = RECURSIVE.replace(from, to);
        assert_ne!(wrong, RECURSIVE);
        assert!(judge(&x(&wrong), &mut proved(RECURSIVE)).is_err(), "{to}");
    }
}

#[test]
fn structured_c_is_decided() {
    let lock = "int lock, count;
        void acquire(void) { if (lock) reach_error(); lock = 1; }
        void release(void) { if (!lock) reach_error(); lock = 0; }
        int main(void) { int old; do { acquire(); old = count; if (nondet()) { release(); count++; } }
          while (old != count); release(); return 0; }";
    assert!(matches!(check(c(lock)).outcome.verdict, Verdict::True(Evidence::Backward(_))));
    let wrong = lock.replace("count++", "count += nondet() & 1");
    assert!(matches!(check(c(&wrong)).outcome.verdict, Verdict::False(_)));
    let references = "void add(int *to, int n) { *to += n; }
        int main(void) { int a = 0, b = 0; while (nondet()) { add(&a, 1); add(&b, 2); add(&b, -1); }
          if (a != b) reach_error(); return 0; }";
    assert!(matches!(check(c(references)).outcome.verdict, Verdict::True(_)));
}

#[test]
fn what_is_not_for_this_engine_is_refused_with_the_reason() {
    let refused = |text: &str| match check(c(text)).outcome.verdict {
        Verdict::Unknown(Reason::Unfit(why)) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        refused(
            "extern void *malloc(unsigned long); int main(void) { int *p = malloc(4); if (p) reach_error(); return 0; }"
        ),
        "memory is allocated in `main`"
    );
    assert_eq!(
        refused(
            "int main(void) { int i = nondet(); if (i) goto in; while (i < 9) { i++; in: i += 2; } if (i > 11) reach_error(); return 0; }"
        ),
        "a loop is entered elsewhere than at its head in `main`"
    );
    assert_eq!(
        refused(
            "void f(void) {} void g(void) { reach_error(); } int main(void) { void (*p)(void) = nondet() ? f : g; p(); return 0; }"
        ),
        "a procedure is called through a pointer in `main`"
    );
    assert_eq!(
        refused("int main(void) { double d = nondet(); if (d > 3) reach_error(); return 0; }"),
        "the program computes with floating-point numbers"
    );
}
