//! Calls by inlining: one copy of a procedure per chain of calls that leads to it.
//!
//! Copies are made when a run first gets there, so a call that constant folding rules out costs
//! nothing. A copy is a [`ContextId`]; its locals are told from those of other copies by their place in
//! the argument list of a term, which has the globals, then the locals of the innermost copy, then for
//! each open call what its caller needs back, outermost first.

use hardbop_bp::{EdgeId, Flow, LocId, ProcId};
use rustc_hash::FxHashMap;

use super::Halt;

/// A copy of a procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ContextId(u32);

impl ContextId {
    /// The copy of `main` that runs start in.
    pub const MAIN: ContextId = ContextId(0);
}

#[derive(Debug)]
struct Context {
    caller: Option<(ContextId, LocId)>,
    call: Option<EdgeId>,
    procedure: ProcId,
    depth: u32,
}

/// All copies made so far.
#[derive(Debug)]
pub(super) struct Contexts {
    contexts: Vec<Context>,
    ids: FxHashMap<(ContextId, EdgeId), ContextId>,
    limit: usize,
}

impl Contexts {
    pub fn new(flow: &Flow, limit: usize) -> Self {
        let main = Context { caller: None, call: None, procedure: flow.main, depth: 0 };
        Contexts { contexts: vec![main], ids: FxHashMap::default(), limit }
    }

    pub fn len(&self) -> usize {
        self.contexts.len()
    }

    /// The copy of the callee for a call from another copy.
    pub fn enter(
        &mut self,
        flow: &Flow,
        caller: ContextId,
        edge: EdgeId,
        callee: ProcId,
    ) -> Result<ContextId, Halt> {
        if let Some(&context) = self.ids.get(&(caller, edge)) {
            return Ok(context);
        }
        if self.contexts.len() >= self.limit {
            return Err(Halt::Limit(format!("inlining needs more than {} copies of procedures", self.limit)));
        }
        let context = ContextId(self.contexts.len() as u32);
        let source = flow.edges[edge].source;
        let depth = self.depth(caller) + 1;
        self.contexts.push(Context {
            caller: Some((caller, source)),
            call: Some(edge),
            procedure: callee,
            depth,
        });
        self.ids.insert((caller, edge), context);
        Ok(context)
    }

    /// The copy that made the call, and where.
    pub fn caller(&self, context: ContextId) -> Option<(ContextId, LocId)> {
        self.contexts[context.0 as usize].caller
    }

    /// The call that leads to the copy.
    pub fn call(&self, context: ContextId) -> Option<EdgeId> {
        self.contexts[context.0 as usize].call
    }

    pub fn procedure(&self, context: ContextId) -> ProcId {
        self.contexts[context.0 as usize].procedure
    }

    /// How many calls are open.
    pub fn depth(&self, context: ContextId) -> u32 {
        self.contexts[context.0 as usize].depth
    }
}
