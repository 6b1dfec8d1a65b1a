//! Programs, and whether they have a proof.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Sources};
use hardbop_certify::backward;
use hardbop_ir::Program;
use hardbop_lower::LowerOptions;
use hardbop_semantics::Subject;
use hardbop_solver::certifiers;

const DECLARATIONS: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
    static void assert(int c) { if (!c) reach_error(); }\n";

fn lowered(text: &str) -> Program {
    let mut sources = Sources::new();
    let file = sources.add("test.c", format!("{DECLARATIONS}{text}\n"));
    let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse(&mut sources, file, &options);
    let (unit, _) = unit.unwrap_or_else(|errors| panic!("{}", errors.render(&sources)));
    let program = hardbop_lower::lower(&mut sources, vec![unit], &LowerOptions::default());
    program.unwrap_or_else(|errors| panic!("{}", errors.render(&sources)))
}

/// Whether a proof is found, which is then accepted.
fn is_proved(text: &str) -> bool {
    let (program, budget) = (lowered(text), Budget::unlimited());
    let alias = Alias::of(&program, &budget).unwrap();
    let regions = Regions::of(&program, &alias, &[], &budget).unwrap();
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    let Some(mut found) = hardbop_pdr::prove(subject, &budget).unwrap() else { return false };
    let mut solvers = certifiers(false, &budget);
    let checked = backward::check(subject, &mut found.proof, &mut solvers, &budget);
    assert!(checked.is_ok(), "{checked:?}");
    true
}

/// That a proof is found, or that none is.
pub fn expect(text: &str, proved: bool) {
    assert_eq!(is_proved(text), proved, "{text}");
}
