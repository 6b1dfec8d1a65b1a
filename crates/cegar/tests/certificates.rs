//! A proof is accepted as it was found, and refused when anything in it is changed for the worse.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Sources};
use hardbop_certify::proof::{self, Proof, Rejection, Relation, Slot};
use hardbop_ir::{Order, Procedure, Program, Property, Statement};
use hardbop_portfolio::{PortfolioOptions, RefinementOptions, check};
use hardbop_semantics::{Encoder, Subject};
use hardbop_solver::{Solver, Z3, certifiers};
use hardbop_verdict::{CheckOutcome, Evidence, Verdict};

const LOCK: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int lock;
void acquire(void) { if (lock) reach_error(); lock = 1; }
void release(void) { if (!lock) reach_error(); lock = 0; }
int main(void) {
  int x;
  do { acquire(); x = __VERIFIER_nondet_int(); if (x) release(); } while (x);
  release();
  return 0;
}";

fn lowered(text: &str) -> Program {
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse_bytes(&mut sources, "test.c", text.as_bytes(), &options).1.unwrap().0;
    hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::LowerOptions::default()).unwrap()
}

fn proved(text: &str) -> (Program, Proof) {
    let budget = Budget::unlimited();
    let options = PortfolioOptions { pdr: false, ..PortfolioOptions::default() };
    let CheckOutcome { verdict, program, .. } = check(&lowered(text), &[], &options, &budget, &mut |_| {});
    match verdict {
        Verdict::True(Evidence::Invariants(proof)) => (program, *proof),
        other => panic!("{other:?}"),
    }
}

fn judge(program: &Program, proof: &Proof) -> Result<usize, Rejection> {
    let budget = Budget::unlimited();
    let alias = Alias::of(program, &budget).unwrap();
    let regions = Regions::of(program, &alias, &[], &budget).unwrap();
    let subject = Subject { program, alias: &alias, regions: &regions };
    let mut solvers: Vec<Box<dyn Solver>> = vec![Box::new(Z3::new(&budget))];
    let checked = proof::check(subject, proof, &mut solvers, &mut Encoder::default(), &budget)?;
    Ok(checked.triples)
}

#[test]
fn a_proof_holds_as_it_was_found() {
    let (program, proof) = proved(LOCK);
    assert!(judge(&program, &proof).unwrap() > 6);
}

#[test]
fn weaker_relations_are_refused() {
    let (program, proof) = proved(LOCK);
    let mut refused = 0;
    for key in proof.relations.keys() {
        let mut weaker = proof.clone();
        weaker.relations.insert(*key, Relation { nodes: Vec::new(), root: 1 });
        refused += usize::from(judge(&program, &weaker).is_err());
    }
    // Somewhere the lock must be known; the start of the program needs nothing.
    assert!(refused >= 3, "{refused}");
}

#[test]
fn points_that_are_left_out_are_refused() {
    let (program, proof) = proved(LOCK);
    for key in proof.relations.keys() {
        let mut missing = proof.clone();
        missing.relations.remove(key);
        assert!(judge(&program, &missing).is_err(), "{key:?}");
    }
}

/// The names of globals that the relations of a procedure speak of, and whether they speak of its entry.
fn spoken_of(program: &Program, proof: &Proof, name: &str) -> (Vec<String>, bool) {
    let is_of = |id| program.procedures[id].name == name;
    let relations = proof.relations.iter().filter(|((id, _), _)| is_of(*id)).map(|(_, relation)| relation);
    let slots: Vec<Slot> = relations.flat_map(|relation| &relation.nodes).map(|&(slot, ..)| slot).collect();
    let recalls = slots.iter().any(|slot| matches!(slot, Slot::Entry(_)));
    let read = slots.iter().flat_map(|&(Slot::Entry(i) | Slot::Now(i))| {
        hardbop_predicate::variables(program, proof.predicates[i].expr)
    });
    let mut names: Vec<String> = read.map(|var| program.variables[var].name.clone()).collect();
    names.sort();
    names.dedup();
    (names, recalls)
}

#[test]
fn summaries_speak_of_what_procedures_have_to_do_with() {
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
    int a, b;
    void toggle(void) { if (a == 1) a = 2; else a = 1; }
    int main(void) {
      a = 1; b = 1;
      while (__VERIFIER_nondet_int()) {
        toggle();
        if (__VERIFIER_nondet_int()) { toggle(); b = 2; toggle(); }
        if (a != 1 && a != 2) reach_error();
        if (b != 1 && b != 2) reach_error();
      }
      return 0;
    }";
    let (program, proof) = proved(text);
    assert_eq!(spoken_of(&program, &proof, "toggle").0, ["a"]);
    assert_eq!(spoken_of(&program, &proof, "main").0, ["a", "b"]);
    judge(&program, &proof).unwrap();
}

#[test]
fn what_is_called_once_needs_no_memory_of_its_entry() {
    let text = |calls: &str| {
        format!(
            "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
            int a = 1;
            void toggle(void) {{ if (a == 1) a = 2; else a = 1; }}
            int main(void) {{
              while (__VERIFIER_nondet_int()) {{ {calls} if (a != 1 && a != 2) reach_error(); }}
              return 0;
            }}"
        )
    };
    for (calls, recalls) in [("toggle();", false), ("toggle(); toggle();", true)] {
        let (program, proof) = proved(&text(calls));
        assert_eq!(spoken_of(&program, &proof, "toggle"), (vec!["a".to_owned()], recalls));
        judge(&program, &proof).unwrap();
    }
}

#[test]
fn a_proof_of_another_program_is_refused() {
    let (_, proof) = proved(LOCK);
    let wrong = LOCK.replace("lock = 0;", "lock = 2;");
    // The same expressions exist in both: only a constant differs.
    let program = lowered(&wrong);
    let alias = Alias::of(&program, &Budget::unlimited()).unwrap();
    hardbop_abstraction::finite_predicates(&program, &alias);
    assert!(matches!(judge(&program, &proof), Err(Rejection::Wrong(_))));
}

#[test]
fn malformed_proofs_are_refused() {
    let (program, proof) = proved(LOCK);
    for key in proof.relations.keys() {
        let mut broken = proof.clone();
        broken.relations.insert(*key, Relation { nodes: Vec::new(), root: 9 });
        assert!(matches!(judge(&program, &broken), Err(Rejection::Wrong(_))));
    }
}

#[test]
fn a_program_that_calls_its_entry_again_is_checked_from_there_too() {
    // The second activation of main starts with the lock held.
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int depth;
int main(void) {
  if (depth > 1) reach_error();
  if (depth == 0 && __VERIFIER_nondet_int()) { depth = depth + 1; main(); }
  while (__VERIFIER_nondet_int()) ;
  return 0;
}";
    let (program, mut proof) = proved(text);
    assert!(judge(&program, &proof).is_ok());
    let (main, p) = program.procedures.iter().find(|(_, p)| p.name == "main").unwrap();
    let entry = (main, p.entry);
    // Nothing is known of later activations.
    proof.relations.insert(entry, Relation { nodes: Vec::new(), root: 1 });
    assert!(matches!(judge(&program, &proof), Err(Rejection::Wrong(_))));
}

/// Refinement alone.
fn refined(text: &str) -> CheckOutcome {
    let refinement = RefinementOptions { guess: false, ..Default::default() };
    let options = PortfolioOptions {
        refinement,
        probes: 0,
        unroll: false,
        leap: false,
        pdr: false,
        ..PortfolioOptions::default()
    };
    check(&lowered(text), &[], &options, &Budget::unlimited(), &mut |_| {})
}

/// What is initialised before `main` has nothing to do with the state, so the slice starts with `main`.
const BEFORE_MAIN: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
struct attribute { int n; };
struct device { int k; struct attribute attribute; };
struct device device;
struct attribute *list[2] = { &device.attribute, 0 };
int state = 1;
int main(void) {
  while (__VERIFIER_nondet_int()) {
    list[0]->n = 3;
    if (state != 1) reach_error();
    state = 2;
    if (__VERIFIER_nondet_int()) list[0]->n = 4;
    state = 1;
  }
  return 0;
}";

/// Such a proof was refused ("the program starts elsewhere"), and everything was done again without slicing.
#[test]
fn a_proof_may_start_behind_what_comes_before_main() {
    let outcome = refined(BEFORE_MAIN);
    assert!(matches!(outcome.verdict, Verdict::True(_)), "{:?}", outcome.verdict);
    assert!(outcome.slice.is_some_and(|slice| slice.is_proper()));
    // The first abstraction was enough: nothing was done twice.
    assert_eq!(outcome.iterations, 1);
    let (program, proof) = proved(BEFORE_MAIN);
    assert_ne!(Some(proof.entry), program.entry);
    assert!(judge(&program, &proof).is_ok());
}

#[test]
fn what_comes_before_main_is_checked() {
    let (whole, proof) = proved(BEFORE_MAIN);
    let program = &whole;
    let (start, p) = program.procedures.iter().find(|(id, _)| Some(*id) == program.entry).unwrap();
    let (first, _) = p.edges.iter().find(|(_, edge)| edge.source == p.entry).unwrap();
    let (last, _) = p.edges.iter().find(|(_, edge)| matches!(edge.statement, Statement::Return)).unwrap();
    let (state, variable) = program.variables.iter().find(|(_, v)| v.name == "state").unwrap();
    let program = program.clone();
    let (place, seven) = (program.var_place(state), program.int(7, variable.ty));
    let with = |edge, statement| {
        let mut changed = program.clone();
        changed.procedures[start].edges[edge].statement = statement;
        judge(&changed, &proof)
    };
    // It may set what the proof relies on ...
    assert!(matches!(with(first, Statement::Assign(place, seven)), Err(Rejection::Wrong(_))));
    // ... or fail itself, before or after.
    let error = || Statement::Error(Property::ErrorLabel("wrong".to_owned()));
    assert!(matches!(with(first, error()), Err(Rejection::Wrong(_))));
    assert!(matches!(with(last, error()), Err(Rejection::Wrong(_))));
    assert!(with(first, Statement::Skip).is_ok());
}

/// All ways through `start` lead to a call through a pointer that is no function. It was not seen that it can be entered,
/// and it was thought to return.
#[test]
fn a_call_that_no_procedure_answers_does_not_return() {
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
extern void *calloc(unsigned long, unsigned long);
struct operations { int (*start)(int); };
struct device { struct operations *operations; int k; };
int lock;
int start(struct device *d) { int r = d->operations->start(d->k); if (lock) reach_error(); return r; }
int main(void) {
  struct device *d = calloc(1, sizeof *d);
  while (__VERIFIER_nondet_int()) {
    if (lock) reach_error();
    lock = 1;
    if (start(d)) lock = 0;
    lock = 0;
  }
  return 0;
}";
    let outcome = refined(text);
    assert!(matches!(outcome.verdict, Verdict::True(_)), "{:?}", outcome.verdict);
    // Whatever it would return.
    let outcome = refined(&text.replace("if (start(d)) lock = 0;", "if (start(d) != 3) reach_error();"));
    assert!(matches!(outcome.verdict, Verdict::True(_)), "{:?}", outcome.verdict);
}

/// A proof that claims nothing about a program, and does not rely on the statements that are chosen.
fn claims_nothing(program: &Program, unused: impl Fn(&Statement) -> bool) -> Proof {
    let anything = |id, p: &Procedure| Order::of(p).cuts().into_iter().map(move |at| (id, at)).collect();
    let mut proof = Proof {
        entry: program.entry.unwrap(),
        ghosts: Vec::new(),
        predicates: Vec::new(),
        relations: Default::default(),
        unused: Default::default(),
    };
    for (id, p) in program.procedures.iter().filter(|(_, p)| p.external.is_none()) {
        let points: Vec<_> = anything(id, p);
        proof.relations.extend(points.into_iter().map(|point| (point, Relation::anything())));
        let edges = p.edges.iter().filter(|(_, edge)| unused(&edge.statement));
        proof.unused.extend(edges.map(|(edge, _)| (id, edge)));
    }
    proof
}

/// What the usual solvers say, who are asked about several goals at once.
fn judged_at_once(program: &Program, proof: &Proof) -> Result<usize, Rejection> {
    let budget = Budget::unlimited();
    let alias = Alias::of(program, &budget).unwrap();
    let regions = Regions::of(program, &alias, &[], &budget).unwrap();
    let subject = Subject { program, alias: &alias, regions: &regions };
    let mut solvers = certifiers(false, &budget);
    proof::check(subject, proof, &mut solvers, &mut Encoder::default(), &budget).map(|it| it.triples)
}

#[test]
fn goals_that_are_asked_about_at_once_are_told_apart() {
    let (program, proof) = proved(LOCK);
    assert_eq!(judged_at_once(&program, &proof), judge(&program, &proof));
    for key in proof.relations.keys() {
        let mut weaker = proof.clone();
        weaker.relations.insert(*key, Relation::anything());
        assert_eq!(judged_at_once(&program, &weaker).is_ok(), judge(&program, &weaker).is_ok(), "{key:?}");
        weaker.relations.remove(key);
        assert_eq!(judged_at_once(&program, &weaker), judge(&program, &weaker), "{key:?}");
    }
}

/// Which of two branches is taken decides, and both are possible.
const BRANCH: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int(), y;
  if (x > 3) y = 1; else y = 2;
  if (y == SAFE) reach_error();
  return 0;
}";

#[test]
fn branches_that_are_not_relied_on_are_taken_at_will() {
    // Only the branch at `x`.
    let about_x = |program: &Program, statement: &Statement| match *statement {
        Statement::Assume(e) => {
            hardbop_predicate::variables(program, e).iter().any(|&v| program.variables[v].name == "x")
        }
        _ => false,
    };
    for (value, holds) in [("1", false), ("2", false), ("3", true)] {
        let program = lowered(&BRANCH.replace("SAFE", value));
        let proof = claims_nothing(&program, |statement| about_x(&program, statement));
        assert_eq!(proof.unused.len(), 2);
        assert_eq!(judge(&program, &proof).is_ok(), holds, "{value}");
        assert_eq!(judged_at_once(&program, &proof).is_ok(), holds, "{value}");
        // Without what the branch at `y` tells, the error can be reached.
        let proof = claims_nothing(&program, |_| true);
        assert!(matches!(judge(&program, &proof), Err(Rejection::Wrong(_))), "{value}");
    }
}

#[test]
fn functions_that_are_not_relied_on_are_called_at_will() {
    // What `p` is does not matter only if both functions may be called.
    let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int one(void) { return 1; }
int two(void) { return 2; }
int main(void) {
  int (*p)(void) = one;
  if (__VERIFIER_nondet_int()) p = two;
  if (p() == 2) reach_error();
  return 0;
}";
    let program = lowered(text);
    for unused in [false, true] {
        let is_call = |statement: &Statement| matches!(statement, Statement::Call { .. });
        let proof = claims_nothing(&program, |statement| unused && is_call(statement));
        assert!(matches!(judge(&program, &proof), Err(Rejection::Wrong(_))));
    }
}

#[test]
fn procedures_that_claim_nothing_may_neither_fail_nor_need_anything() {
    let text = LOCK.replace("int main", "void both(void) { acquire(); release(); }\nint main");
    let text = text.replace("release();\n  return", "release(); both();\n  return");
    let (program, proof) = proved(&text);
    assert!(judge(&program, &proof).is_ok());
    for name in ["both", "acquire", "release"] {
        let (id, _) = program.procedures.iter().find(|(_, p)| p.name == name).unwrap();
        let mut weaker = proof.clone();
        for ((_, _), relation) in weaker.relations.iter_mut().filter(|((of, _), _)| *of == id) {
            *relation = Relation::anything();
        }
        assert!(matches!(judge(&program, &weaker), Err(Rejection::Wrong(_))), "{name}");
    }
}

/// What the slice leaves out costs no triples, however much it is.
#[test]
fn procedures_without_influence_cost_no_triples() {
    let helper = |i: usize| {
        format!(
            "int table{i}[9]; int seen{i};
void helper{i}(int n) {{ int k; for (k = 0; k < 9; k++) if (table{i}[k] == n) seen{i} = k; }}\n"
        )
    };
    let program = |count: usize| {
        let helpers: String = (0..count).map(helper).collect();
        let calls: String = (0..count).map(|i| format!("helper{i}(x); ")).collect();
        let text = LOCK.replace("int main", &format!("{helpers}int main"));
        text.replace("acquire(); x =", &format!("acquire(); {calls} x ="))
    };
    let triples = |count: usize| {
        let outcome = refined(&program(count));
        assert!(matches!(outcome.verdict, Verdict::True(_)), "{:?}", outcome.verdict);
        outcome.triples
    };
    let (none, some) = (triples(0), triples(8));
    // Each call is one that plainly holds.
    assert!(some <= none + 2 * 8, "{none} {some}");
}
