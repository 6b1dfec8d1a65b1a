//! All paths of a procedure, executed side by side: the walker of the searches.
//!
//! Locations are executed in the order of [`Order`], so that all paths to a location have arrived when it is its
//! turn. Paths that meet go on as one, with choices between their values ([`JoinedPaths`]). What is done differently
//! by who walks is in [`Walker`]: `unroll` inlines calls and repeats loops as often as bounds allow, `wp` ends at the
//! heads of loops and knows some calls by summaries only.
//!
//! Three others execute paths without this:
//!
//! - [`crate::path`] is given its path, and nothing meets there;
//! - `leap` wants the paths one by one. A must-transition claims that a run exists, so each has its own conditions,
//!   inputs and edges, and whether they are exact; "one of several" is no such claim;
//! - `certify` has a walker of its own, on purpose: it looks for the mistakes of this one.

use std::collections::BTreeMap;

use hardbop_ir::{EdgeId, Key, LocationId, Order, Orders, ProcId, Statement, are_exclusive};
use hardbop_logic::{Sort, Term, Terms};

use crate::coder::Coder;
use crate::state::{Frame, State};
use crate::statement::End;

/// An edge of a procedure.
pub type Site = (ProcId, EdgeId);

/// All paths to some place.
#[derive(Debug, Clone)]
pub struct JoinedPaths {
    /// The state, where one of them is taken.
    pub state: State,
    /// The condition of being on one of them.
    pub guard: Term,
}

impl JoinedPaths {
    /// Executes the statement of an edge.
    pub fn execute(&mut self, coder: &mut Coder<'_>, (procedure, edge): Site) -> End {
        self.under(coder, |coder, state, given| coder.execute(state, procedure, edge, given))
    }

    /// Gives the formals of a callee, in a frame, the values of a call.
    pub fn pass_arguments(&mut self, coder: &mut Coder<'_>, call: Site, callee: ProcId, frame: Frame) {
        self.under(coder, |coder, state, given| coder.pass_arguments(state, call, callee, frame, given));
    }

    /// Takes the result of a callee from its frame.
    pub fn take_result(&mut self, coder: &mut Coder<'_>, call: Site, callee: ProcId, frame: Frame) {
        self.under(coder, |coder, state, given| coder.take_result(state, call, callee, frame, given));
    }

    /// Whether the paths are not plainly impossible.
    pub fn is_open(&self, terms: &Terms) -> bool {
        terms.as_bool(self.guard) != Some(false)
    }

    /// These paths together with others that came to the same place before.
    pub fn join(self, coder: &mut Coder<'_>, before: Option<JoinedPaths>) -> JoinedPaths {
        let Some(before) = before else { return self };
        let state = coder.merge(before.guard, &before.state, &self.state);
        let guard = coder.encoder.terms.or(&[before.guard, self.guard]);
        JoinedPaths { state, guard }
    }

    /// Changes the state; what a run must satisfy for that joins the guard.
    fn under<T>(
        &mut self,
        coder: &mut Coder<'_>,
        change: impl FnOnce(&mut Coder<'_>, &mut State, &mut Vec<Term>) -> T,
    ) -> T {
        let mut conditions = vec![self.guard];
        let result = change(coder, &mut self.state, &mut conditions);
        self.guard = coder.encoder.terms.and(&conditions);
        result
    }
}

/// A location whose turn it is.
pub struct Here<'o> {
    /// The procedure.
    pub procedure: ProcId,
    /// The order of its locations.
    pub order: &'o Order,
    /// The location.
    pub location: LocationId,
    /// In which iterations of the loops around it.
    pub key: Key,
}

/// What is done on the way.
pub trait Walker {
    /// Why a walk is given up.
    type Stop;

    /// The encoder at work, and the orders that are known.
    fn parts(&mut self) -> (Coder<'_>, &mut Orders);

    /// It is the turn of a location: how the paths go on from it, if they do.
    fn pass(&mut self, here: &Here<'_>, way: JoinedPaths) -> Result<Option<JoinedPaths>, Self::Stop>;

    /// An edge is about to be taken.
    fn take(&mut self) -> Result<(), Self::Stop>;

    /// Executes an edge that is no call, or the call of a procedure without a body.
    fn execute(&mut self, edge: Site, way: &mut JoinedPaths) -> End {
        way.execute(&mut self.parts().0, edge)
    }

    /// A procedure with a body is called: how the paths go on behind the call, if they do.
    fn call(
        &mut self,
        edge: Site,
        callee: ProcId,
        way: JoinedPaths,
    ) -> Result<Option<JoinedPaths>, Self::Stop>;

    /// Paths end with an edge.
    fn end(&mut self, edge: Site, end: End, way: JoinedPaths);

    /// Paths lead to a location: what is executed from there. Nothing if the walk ends there.
    fn arrive(&mut self, from: &Here<'_>, target: LocationId, way: JoinedPaths) -> Option<JoinedPaths>;

    /// Which of several edges is taken whose guards leave that open: a condition for each.
    fn choices(&mut self, _procedure: ProcId, edges: &[EdgeId], _way: &JoinedPaths) -> Vec<Term> {
        let (mut coder, _) = self.parts();
        let mut rest = coder.encoder.terms.bool(true);
        let mut choices = Vec::new();
        for _ in 1..edges.len() {
            let this = coder.arbitrary(Sort::Bool);
            choices.push(coder.encoder.terms.and(&[rest, this]));
            let other = coder.encoder.terms.not(this);
            rest = coder.encoder.terms.and(&[rest, other]);
        }
        choices.push(rest);
        choices
    }
}

/// Walks through a procedure from a location on: all paths to its exit.
pub fn walk<W: Walker>(
    walker: &mut W,
    procedure: ProcId,
    start: LocationId,
    way: JoinedPaths,
) -> Result<Option<JoinedPaths>, W::Stop> {
    let (coder, orders) = walker.parts();
    let (exit, order) = (coder.program.procedures[procedure].exit, orders.of(coder.program, procedure));
    let mut pending = BTreeMap::from([(order.first(start), (start, way))]);
    let mut left = None;
    while let Some((key, (location, way))) = pending.pop_first() {
        if location == exit {
            // The others that are pending lead elsewhere.
            left = Some(way);
            continue;
        }
        let here = Here { procedure, order: &order, location, key };
        let Some(way) = walker.pass(&here, way)? else { continue };
        let edges = order.leaving(location);
        for (&edge, choice) in edges.iter().zip(choices(walker, procedure, edges, &way)) {
            walker.take()?;
            let (coder, _) = walker.parts();
            let guard = coder.encoder.terms.and(&[way.guard, choice]);
            let target = coder.program.procedures[procedure].edges[edge].target;
            let taken = JoinedPaths { state: way.state.clone(), guard };
            let Some(taken) = step(walker, (procedure, edge), taken)? else { continue };
            let Some(taken) = walker.arrive(&here, target, taken) else { continue };
            let next = order.next(location, &here.key, target);
            let before = pending.remove(&next).map(|(_, way)| way);
            pending.insert(next, (target, taken.join(&mut walker.parts().0, before)));
        }
    }
    Ok(left)
}

fn choices<W: Walker>(walker: &mut W, procedure: ProcId, edges: &[EdgeId], way: &JoinedPaths) -> Vec<Term> {
    let (coder, _) = walker.parts();
    match are_exclusive(coder.program, &coder.program.procedures[procedure], edges) {
        true => vec![coder.encoder.terms.bool(true); edges.len()],
        false => walker.choices(procedure, edges, way),
    }
}

/// Takes an edge; nothing if no run gets past it.
fn step<W: Walker>(
    walker: &mut W,
    (procedure, edge): Site,
    mut way: JoinedPaths,
) -> Result<Option<JoinedPaths>, W::Stop> {
    let program = walker.parts().0.program;
    if let Statement::Call { .. } = program.procedures[procedure].edges[edge].statement {
        return call(walker, (procedure, edge), &way);
    }
    let end = walker.execute((procedure, edge), &mut way);
    if !way.is_open(&walker.parts().0.encoder.terms) {
        return Ok(None);
    }
    if end == End::Continues {
        return Ok(Some(way));
    }
    walker.end((procedure, edge), end, way);
    Ok(None)
}

/// Calls whatever an edge may call.
fn call<W: Walker>(
    walker: &mut W,
    (procedure, edge): Site,
    way: &JoinedPaths,
) -> Result<Option<JoinedPaths>, W::Stop> {
    let mut behind = None;
    for callee in walker.parts().0.alias.callees(procedure, edge).to_vec() {
        let mut way = way.clone();
        let (mut coder, _) = walker.parts();
        way.under(&mut coder, |coder, state, given| {
            coder.require_callee(state, procedure, edge, callee, given);
        });
        if !way.is_open(&coder.encoder.terms) {
            continue;
        }
        let returned = if coder.has_body(callee) {
            walker.call((procedure, edge), callee, way)?
        } else {
            walker.execute((procedure, edge), &mut way);
            Some(way)
        };
        let (mut coder, _) = walker.parts();
        if let Some(way) = returned.filter(|way| way.is_open(&coder.encoder.terms)) {
            behind = Some(way.join(&mut coder, behind));
        }
    }
    Ok(behind)
}
