//! All paths of a program, executed side by side: what the checkers of proofs and of unrollings have in common.
//!
//! Places are executed in the order of [`Order`], with what is called before what comes behind the call. Paths that
//! meet go on as one, with choices between their values. What happens at calls, at cut points and at errors is for
//! each checker to say ([`Check`]).
//!
//! The searches walk with `semantics::walk`. Nothing here uses that, on purpose: paths that one of the two forgets,
//! or joins wrongly, are found by the other. What a single statement does is the encoder's in both. The order is
//! shared too, but nothing relies on it: it decides how many paths can be joined, and what is pending is executed
//! until nothing is.

use std::collections::BTreeMap;
use std::rc::Rc;

use hardbop_base::{Budget, Stop};
use hardbop_ir::{EdgeId, Key, LocationId, Order, Orders, ProcId, Statement, are_exclusive};
use hardbop_logic::{Sort, Term, Terms};
use hardbop_semantics::{Coder, End, Frame, State, Subject};

use crate::proof::Rejection;

/// All paths to some place.
#[derive(Clone)]
pub(crate) struct Way {
    pub(crate) state: State,
    /// The condition of being on one of them.
    pub(crate) guard: Term,
}

/// A place on the way.
#[derive(Clone)]
pub(crate) struct Place {
    /// The activation that waits for this one, if calls are followed.
    pub(crate) caller: Option<Rc<Caller>>,
    pub(crate) procedure: ProcId,
    pub(crate) location: LocationId,
    /// The location in order, within the activation.
    key: Key,
}

/// An activation that waits for the one it called.
pub(crate) struct Caller {
    /// Where it calls.
    pub(crate) place: Place,
    pub(crate) edge: EdgeId,
    frame: Frame,
    /// The call in order.
    sequence: Key,
}

impl Place {
    /// The activations that wait, the innermost first.
    pub(crate) fn callers(&self) -> impl Iterator<Item = &Caller> {
        std::iter::successors(self.caller.as_deref(), |caller| caller.place.caller.as_deref())
    }

    /// The place in order. Frames that differ are different activations, which are not joined.
    fn sequence(&self, frame: Frame) -> Key {
        let mut sequence = self.caller.as_ref().map(|caller| caller.sequence.clone()).unwrap_or_default();
        sequence.extend(&self.key);
        sequence.push(frame.0);
        sequence
    }
}

/// The places that are still to be executed.
pub(crate) struct Places<'a> {
    subject: Subject<'a>,
    budget: &'a Budget,
    orders: Orders,
    pending: BTreeMap<Key, (Place, Way)>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(subject: Subject<'a>, budget: &'a Budget) -> Self {
        Places { subject, budget, orders: Orders::default(), pending: BTreeMap::new() }
    }

    pub(crate) fn order(&mut self, procedure: ProcId) -> Rc<Order> {
        self.orders.of(self.subject.program, procedure)
    }

    /// A location to which no edge of its activation led.
    pub(crate) fn first(
        &mut self,
        caller: Option<Rc<Caller>>,
        procedure: ProcId,
        location: LocationId,
    ) -> Place {
        let key = self.order(procedure).first(location);
        Place { caller, procedure, location, key }
    }

    /// The entry of what an edge calls. The frame is that of the caller.
    pub(crate) fn entered(&mut self, place: &Place, edge: EdgeId, frame: Frame, callee: ProcId) -> Place {
        let mut sequence = place.sequence(frame);
        sequence.extend([edge.index() as u32, callee.index() as u32]);
        let caller = Caller { place: place.clone(), edge, frame, sequence };
        self.first(Some(Rc::new(caller)), callee, self.subject.program.procedures[callee].entry)
    }

    /// Where an edge leads.
    fn behind(&mut self, place: &Place, edge: EdgeId) -> Place {
        let p = &self.subject.program.procedures[place.procedure];
        let location = p.edges[edge].target;
        // The exit comes last.
        let key = match location == p.exit {
            true => vec![u32::MAX],
            false => self.order(place.procedure).next(place.location, &place.key, location),
        };
        Place { location, key, ..place.clone() }
    }

    /// Keeps paths for later, together with others at the same place.
    pub(crate) fn add(&mut self, coder: &mut Coder<'_>, place: Place, way: Way) {
        let sequence = place.sequence(way.state.frame());
        let before = self.pending.remove(&sequence).map(|(_, way)| way);
        self.pending.insert(sequence, (place, join(coder, before, way)));
    }

    fn next(&mut self) -> Result<Option<(Place, Way)>, Stop> {
        self.budget.check()?;
        Ok(self.pending.pop_first().map(|(_, next)| next))
    }
}

/// What a checker does on the way.
pub(crate) trait Check<'a> {
    /// The encoder at work, and what is to be executed.
    fn parts(&mut self) -> (Coder<'_>, &mut Places<'a>);

    /// It is the turn of a place: how the paths go on from it, if they do.
    fn pass(&mut self, place: &Place, way: Way) -> Result<Option<Way>, Rejection>;

    /// Paths come to a place: it is a cut point, or they are kept for later.
    fn arrive(&mut self, place: Place, way: Way) -> Result<(), Rejection>;

    /// A procedure with a body is called: how the paths go on behind the call, if that is known at once.
    fn call(&mut self, at: (&Place, EdgeId), callee: ProcId, way: Way) -> Result<Option<Way>, Rejection>;

    /// An edge is an error, or something unsupported.
    fn error(&mut self, procedure: ProcId, edge: EdgeId, way: &Way) -> Result<(), Rejection>;

    /// Whether it may be used that the statement of an edge can be executed: that its condition holds, and that what it
    /// evaluates is defined. If not, paths go on from more states than they really do.
    fn relies_on(&self, _procedure: ProcId, _edge: EdgeId) -> bool {
        true
    }
}

/// Follows all paths until none is pending.
pub(crate) fn follow<'a>(check: &mut impl Check<'a>) -> Result<(), Rejection> {
    while let Some((place, way)) = check.parts().1.next()? {
        let Some(way) = check.pass(&place, way)? else { continue };
        let (coder, places) = check.parts();
        if place.location == coder.program.procedures[place.procedure].exit {
            leave(check, &place, way)?;
            continue;
        }
        let order = places.order(place.procedure);
        let edges = order.leaving(place.location);
        let relied_on = edges.iter().all(|&edge| check.relies_on(place.procedure, edge));
        let (mut coder, _) = check.parts();
        let choices = match relied_on {
            true => choices(&mut coder, place.procedure, edges),
            // Guards that are not used tell nothing apart.
            false => at_will(&mut coder, edges.len()),
        };
        for (&edge, choice) in edges.iter().zip(choices) {
            let guard = check.parts().0.encoder.terms.and(&[way.guard, choice]);
            step(check, &place, edge, Way { state: way.state.clone(), guard })?;
        }
    }
    Ok(())
}

/// Takes an edge.
fn step<'a>(check: &mut impl Check<'a>, place: &Place, edge: EdgeId, mut way: Way) -> Result<(), Rejection> {
    let procedure = place.procedure;
    let relies = check.relies_on(procedure, edge);
    let (mut coder, _) = check.parts();
    if let Statement::Call { .. } = coder.program.procedures[procedure].edges[edge].statement {
        return call(check, place, edge, &way);
    }
    let mut conditions = vec![way.guard];
    let end = coder.execute(&mut way.state, procedure, edge, &mut conditions);
    if relies {
        way.guard = coder.encoder.terms.and(&conditions);
    }
    match end {
        End::Continues => go_on(check, place, edge, way),
        End::Stops => Ok(()),
        End::Error(_) | End::Unsupported(_) => check.error(procedure, edge, &way),
    }
}

/// Calls whatever an edge may call.
fn call<'a>(check: &mut impl Check<'a>, place: &Place, edge: EdgeId, way: &Way) -> Result<(), Rejection> {
    let relies = check.relies_on(place.procedure, edge);
    let callees = check.parts().1.subject.alias.callees(place.procedure, edge);
    // Which one is called is told by the pointer, if that may be used.
    let choices = match relies {
        true => vec![check.parts().0.encoder.terms.bool(true); callees.len()],
        false => at_will(&mut check.parts().0, callees.len()),
    };
    for (&callee, choice) in callees.iter().zip(choices) {
        let mut way = way.clone();
        let (mut coder, _) = check.parts();
        way.guard = coder.encoder.terms.and(&[way.guard, choice]);
        let mut conditions = vec![way.guard];
        coder.require_callee(&way.state, place.procedure, edge, callee, &mut conditions);
        let followed = coder.has_body(callee);
        if !followed {
            coder.execute(&mut way.state, place.procedure, edge, &mut conditions);
        }
        if relies {
            way.guard = coder.encoder.terms.and(&conditions);
        }
        let behind = if followed { check.call((place, edge), callee, way)? } else { Some(way) };
        behind.map_or(Ok(()), |way| go_on(check, place, edge, way))?;
    }
    Ok(())
}

/// Goes on behind an edge, unless that is plainly impossible.
fn go_on<'a>(check: &mut impl Check<'a>, place: &Place, edge: EdgeId, way: Way) -> Result<(), Rejection> {
    let (coder, places) = check.parts();
    if !is_open(&coder.encoder.terms, way.guard) {
        return Ok(());
    }
    let target = places.behind(place, edge);
    check.arrive(target, way)
}

/// Returns to the activation that waits, if there is one.
fn leave<'a>(check: &mut impl Check<'a>, place: &Place, mut way: Way) -> Result<(), Rejection> {
    let Some(caller) = &place.caller else { return Ok(()) };
    let frame = way.state.frame();
    way.state.enter(caller.frame);
    let mut conditions = vec![way.guard];
    let (mut coder, _) = check.parts();
    let call = (caller.place.procedure, caller.edge);
    coder.take_result(&mut way.state, call, place.procedure, frame, &mut conditions);
    way.guard = coder.encoder.terms.and(&conditions);
    if frame != caller.frame {
        way.state.drop_locals(frame);
    }
    go_on(check, &caller.place, caller.edge, way)
}

/// Paths that came to a place before, and others.
pub(crate) fn join(coder: &mut Coder<'_>, before: Option<Way>, way: Way) -> Way {
    let Some(before) = before else { return way };
    let state = coder.merge(before.guard, &before.state, &way.state);
    let guard = coder.encoder.terms.or(&[before.guard, way.guard]);
    Way { state, guard }
}

/// Whether a condition is not plainly false.
pub(crate) fn is_open(terms: &Terms, guard: Term) -> bool {
    terms.as_bool(guard) != Some(false)
}

/// A guard under a short name, and what the name stands for, if it got one.
pub(crate) fn named(coder: &mut Coder<'_>, guard: Term) -> (Term, Option<Term>) {
    if !coder.encoder.is_long(guard) {
        return (guard, None);
    }
    let name = coder.arbitrary(Sort::Bool);
    (name, Some(coder.encoder.terms.iff(name, guard)))
}

/// Which of several edges is taken, if their guards leave that open.
fn choices(coder: &mut Coder<'_>, procedure: ProcId, edges: &[EdgeId]) -> Vec<Term> {
    if are_exclusive(coder.program, &coder.program.procedures[procedure], edges) {
        return vec![coder.encoder.terms.bool(true); edges.len()];
    }
    at_will(coder, edges.len())
}

/// Conditions of which exactly one holds, whichever it is.
fn at_will(coder: &mut Coder<'_>, count: usize) -> Vec<Term> {
    let mut rest = coder.encoder.terms.bool(true);
    let mut choices = Vec::new();
    for _ in 1..count {
        let this = coder.arbitrary(Sort::Bool);
        choices.push(coder.encoder.terms.and(&[rest, this]));
        let other = coder.encoder.terms.not(this);
        rest = coder.encoder.terms.and(&[rest, other]);
    }
    choices.push(rest);
    choices
}
