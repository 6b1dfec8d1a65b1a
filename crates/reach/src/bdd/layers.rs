//! Path edges in layers, so that a trace can be found backwards.
//!
//! A layer is keyed by the number of steps from the entry of the procedure ([`super::rings`]) or by the
//! time at which it was new ([`super::fixpoint`]). Either way a path edge that is not at a start follows
//! from path edges and summaries with smaller keys.

use std::collections::BTreeMap;

use hardbop_bp::Flow;

use super::space::Bdd;

/// Sets by key.
pub(super) type ByKey = BTreeMap<usize, Bdd>;

/// All layers of a program.
pub(super) struct Layers {
    /// Path edges, by location.
    pub rings: Vec<ByKey>,
    /// Summaries in the terms of callers, by procedure.
    pub summaries: Vec<ByKey>,
    /// Entry values, by procedure. Keys are steps from the start of the program, or times.
    pub entries: Vec<ByKey>,
}

impl Layers {
    /// Nothing yet.
    pub fn new(flow: &Flow) -> Self {
        Layers {
            rings: vec![ByKey::new(); flow.locations.len()],
            summaries: vec![ByKey::new(); flow.procedures.len()],
            entries: vec![ByKey::new(); flow.procedures.len()],
        }
    }
}
