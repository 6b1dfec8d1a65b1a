//! Stamps: the times at which function terms are met, ordered so that every step leads to a later one.
//!
//! A stamp has one part per open call: the component of the location, how often control came back
//! within that component (the *round*), and the rank of the location. Stamps are compared part by part,
//! outermost first; a callee comes after the call and before what follows it. A step forward raises the
//! rank or the component, a step back raises the round, a call adds a part, and a return drops one and
//! moves the part below it forward. Leaving a component forgets its round.
//!
//! For one location, an earlier stamp before a step is never a later one after it. That monotonicity
//! is what the cuts of [`super::closure`] rest on.

use std::cmp::Ordering;

use hardbop_bp::{EdgeId, LocId};
use rustc_hash::FxHashMap;

use super::inline::{ContextId, Contexts};
use super::order::Order;

/// A stamp of a [`Stamps`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct StampId(u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Part {
    below: Option<StampId>,
    depth: u32,
    /// The call that opened this part.
    call: Option<EdgeId>,
    component: u32,
    round: u32,
    rank: u32,
}

/// How a step changes the stamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Hop {
    /// Not at all: the same block with other arguments.
    Stay,
    /// By leaving all calls above depth `low`, and by coming back within a component at the end.
    Go { low: u32, retreats: bool },
}

/// All stamps of a run.
#[derive(Debug, Default)]
pub(super) struct Stamps {
    parts: Vec<Part>,
    ids: FxHashMap<Part, StampId>,
}

impl Stamps {
    /// The stamp of the start of `main`.
    pub fn start(&mut self, order: &Order, entry: LocId) -> StampId {
        let place = order.place(entry);
        self.intern(Part {
            below: None,
            depth: 0,
            call: None,
            component: place.component,
            round: 0,
            rank: place.rank,
        })
    }

    /// The stamp after a step to the location in the context.
    pub fn after(
        &mut self,
        source: StampId,
        hop: Hop,
        order: &Order,
        contexts: &Contexts,
        (context, location): (ContextId, LocId),
    ) -> StampId {
        let Hop::Go { low, retreats } = hop else { return source };
        // The calls of the target above `low` are new; innermost first.
        let mut opened = vec![(location, contexts.call(context))];
        let mut context = context;
        while contexts.depth(context) > low
            && let Some((caller, source)) = contexts.caller(context)
        {
            context = caller;
            opened.push((source, contexts.call(context)));
        }
        let base = self.lift(source, low);
        let last = opened.len() - 1;
        let mut below = self.part(base).below;
        for (i, (at, call)) in opened.into_iter().rev().enumerate() {
            let place = order.place(at);
            let kept = i == 0 && self.part(base).component == place.component;
            let round = if kept { self.part(base).round } else { 0 } + u32::from(retreats && i == last);
            let depth = low + i as u32;
            let (component, rank) = (place.component, place.rank);
            below = Some(self.intern(Part { below, depth, call, component, round, rank }));
        }
        below.unwrap_or(base)
    }

    /// How often control came back within the current component.
    pub fn round(&self, stamp: StampId) -> usize {
        self.part(stamp).round as usize
    }

    pub fn compare(&self, a: StampId, b: StampId) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let (deep_a, deep_b) = (self.part(a).depth, self.part(b).depth);
        let shallow = deep_a.min(deep_b);
        let (mut a, mut b) = (self.lift(a, shallow), self.lift(b, shallow));
        if a == b {
            return deep_a.cmp(&deep_b);
        }
        loop {
            let (x, y) = (self.part(a), self.part(b));
            match (x.below, y.below) {
                (Some(p), Some(q)) if p != q => (a, b) = (p, q),
                _ => {
                    let key = |part: Part| (part.call, part.component, part.round, part.rank);
                    return key(x).cmp(&key(y));
                }
            }
        }
    }

    fn lift(&self, mut stamp: StampId, depth: u32) -> StampId {
        while self.part(stamp).depth > depth {
            match self.part(stamp).below {
                Some(below) => stamp = below,
                None => break,
            }
        }
        stamp
    }

    fn part(&self, stamp: StampId) -> Part {
        self.parts[stamp.0 as usize]
    }

    fn intern(&mut self, part: Part) -> StampId {
        let next = StampId(self.parts.len() as u32);
        let id = *self.ids.entry(part).or_insert(next);
        if id == next {
            self.parts.push(part);
        }
        id
    }
}
