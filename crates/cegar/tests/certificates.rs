//! A proof is accepted as it was found, and refused when anything in it is changed for the worse.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Sources};
use hardbop_cegar::{Evidence, Options, Outcome, Verdict, check};
use hardbop_certify::proof::{self, Proof, Rejection, Relation};
use hardbop_ir::Program;
use hardbop_semantics::{Encoder, Subject};
use hardbop_solver::{Solver, Z3};

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
    let options = hardbop_syntax::Options::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse_bytes(&mut sources, "test.c", text.as_bytes(), &options).1.unwrap().0;
    hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::Options::default()).unwrap()
}

fn proved(text: &str) -> (Program, Proof) {
    let budget = Budget::unlimited();
    let Outcome { verdict, program, .. } =
        check(lowered(text), &[], &Options::default(), &budget, &mut |_| {});
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

#[test]
fn a_proof_of_another_program_is_refused() {
    let (_, proof) = proved(LOCK);
    let wrong = LOCK.replace("lock = 0;", "lock = 2;");
    // The same expressions exist in both: only a constant differs.
    let mut program = lowered(&wrong);
    let alias = Alias::of(&program, &Budget::unlimited()).unwrap();
    hardbop_abstraction::finite_predicates(&mut program, &alias);
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
