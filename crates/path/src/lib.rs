//! Newton: decides whether a path of the program can be run, and if not, finds predicates that say
//! why.
//!
//! The path is executed symbolically from the start of the program, each activation in a frame of its
//! own. If its conditions can be satisfied, the model says which inputs lead along it. If not, the
//! unsatisfiable core, minimised by greedy deletion (`000…` §5: what remains is an ICPP), selects the
//! conditions that matter. Then, from each point of the path, what remains of the path is executed in
//! any state: the conditions of the core that lie ahead, read as conditions on that state, are the
//! weakest precondition of getting through, and their atoms are what a proof has to track there.
//!
//! A second source of proposals are the strongest postconditions along the path: contexts ⟨Ω, Π, Φ⟩ over
//! symbolic constants ([`Contexts`], `000…` §4.2), of the smallest projection of the path that cannot be
//! run ([`explain`], §5), said in what is in scope ([`relations`]).
//!
//! A third one are interpolants at points that the path passes several times ([`interpolants`]).
//!
//! Proposals need not be interpolants: abstraction checks everything again.

mod atoms;
mod between;
mod context;
mod feasible;
mod ghost;
mod needed;
mod projection;
mod propose;
mod reference;
mod relations;
mod show;

use hardbop_base::{Budget, Stop};
use hardbop_ir::ProcId;
use hardbop_predicate::Predicate;
use hardbop_semantics::path::PathStep;
use hardbop_semantics::{Guide, Subject};

pub use atoms::atoms;
pub use between::interpolants;
pub use context::{Change, Context, Contexts};
pub use ghost::{Auxiliary, ghosts};
pub use needed::steps_that_matter;
pub use projection::{Explanation, Projection, explain, explain_core, is_infeasible, without};
pub use propose::{activations, scoped};
pub use relations::relations;
pub use show::show;

/// A path from the start of a procedure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// Where it starts, with the program's globals initialised.
    pub entry: ProcId,
    /// What happens.
    pub steps: Vec<PathStep>,
}

/// What is found out about a path.
#[derive(Debug)]
pub enum PathVerdict {
    /// A run may lead along it, with these inputs.
    Feasible(Box<Guide>),
    /// No run does.
    Infeasible {
        /// The steps whose conditions contradict each other, in order.
        core: Vec<usize>,
        /// What a proof may have to track, the most promising first.
        proposals: Vec<Predicate>,
    },
    /// The solver gave up.
    Unknown(String),
}

/// Decides a path. The program gets new expressions for the proposals.
pub fn analyse(subject: Subject<'_>, path: &Path, budget: &Budget) -> Result<PathVerdict, Stop> {
    let decided = feasible::decide(subject, path, budget)?;
    Ok(match decided {
        feasible::Decided::Feasible(guide) => PathVerdict::Feasible(guide),
        feasible::Decided::Unknown(reason) => PathVerdict::Unknown(reason),
        feasible::Decided::Infeasible(core) => {
            let proposals = propose::propose(subject, path, &core, budget)?;
            PathVerdict::Infeasible { core, proposals }
        }
    })
}
