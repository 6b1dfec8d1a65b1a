//! Programs, and whether they have a proof.

use std::thread;
use std::time::Duration;

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Sources, Stop};
use hardbop_certify::backward;
use hardbop_ir::Program;
use hardbop_lower::LowerOptions;
use hardbop_semantics::Subject;
use hardbop_solver::splitting_certifiers;

/// How long a proof is waited for that should not be found.
const PATIENCE: Duration = Duration::from_secs(6);

/// How long a proof is waited for that should be found in a second.
const LIMIT: Duration = Duration::from_secs(120);

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

/// Whether a proof is found, which is then accepted. There is none if the budget is spent.
fn is_proved(text: &str, budget: &Budget) -> bool {
    let program = lowered(text);
    let alias = Alias::of(&program, &Budget::unlimited()).unwrap();
    let regions = Regions::of(&program, &alias, &[], &Budget::unlimited()).unwrap();
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    let Ok(Some(mut found)) = hardbop_pdr::prove(subject, budget) else { return false };
    let budget = Budget::unlimited();
    let mut solvers = splitting_certifiers(false, &budget);
    let checked = backward::check(subject, &mut found.proof, &mut solvers, &budget);
    assert!(checked.is_ok(), "{checked:?}");
    true
}

/// That a proof is found, or that there is none where the search ends.
pub fn expect(text: &str, proved: bool) {
    assert_eq!(is_proved(text, &limited(LIMIT)), proved, "{text}");
}

/// That no proof is found in some seconds. Such a search may go on for ever.
#[allow(dead_code, reason = "most searches end")]
pub fn expect_none(text: &str) {
    assert!(!is_proved(text, &limited(PATIENCE)), "{text}");
}

/// A budget that is spent after some time.
fn limited(time: Duration) -> Budget {
    let budget = Budget::unlimited();
    let watched = budget.clone();
    thread::spawn(move || {
        thread::sleep(time);
        watched.stop(Stop::Time);
    });
    budget
}
