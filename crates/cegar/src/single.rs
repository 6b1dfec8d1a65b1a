//! One turn of the loop up to the path: what the shortest error trace of the abstraction stands for.

use hardbop_abstraction::Abstractor;
use hardbop_base::Budget;
use hardbop_bp::Goal;
use hardbop_ir::{EdgeId, ProcId};
use hardbop_path::Path;
use hardbop_predicate::Predicate;
use hardbop_reach::{Answer, bdd};
use hardbop_semantics::Subject;

use crate::RefinementOptions;
use crate::refine::gave_up;
use crate::trace::path_of;
use hardbop_verdict::Reason;

/// A path that the abstraction has, and the edge at its end, where a property breaks.
#[derive(Debug)]
pub struct ErrorPath {
    /// The path.
    pub path: Path,
    /// The procedure and the edge that the path leads to.
    pub end: (ProcId, EdgeId),
}

/// The path of the shortest error trace, or nothing if the boolean program has no error.
pub fn error_path(
    subject: Subject<'_>,
    predicates: &[Predicate],
    options: &RefinementOptions,
    budget: &Budget,
) -> Result<Option<ErrorPath>, Reason> {
    let abstraction = Abstractor::new(options.abstraction, budget.clone()).run(subject, predicates)?;
    let flow = hardbop_bp::resolve(&abstraction.program)
        .map_err(|_| Reason::Certificate("the boolean program is malformed".to_owned()))?;
    let reach = bdd::BddOptions { trace: true, ..bdd::BddOptions::default() };
    let trace = match bdd::check(&flow, &Goal::Assertion, &reach, budget).answer {
        Answer::Unreachable => return Ok(None),
        Answer::Reachable(Some(trace)) => trace,
        Answer::Reachable(None) => return Err(Reason::Checker("there is no trace".to_owned())),
        Answer::Unknown(reason) => return Err(gave_up(reason)),
    };
    let back = &abstraction.back;
    let (path, end) = path_of(back.entry, &flow, back, &trace, subject.program)
        .ok_or_else(|| Reason::Certificate("a trace stands for no path".to_owned()))?;
    Ok(Some(ErrorPath { path, end }))
}
