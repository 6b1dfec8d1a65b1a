//! What happens along a segment: its edges, executed symbolically, with what is known of predicates before and asked of them after.

use hardbop_ir::{EdgeId, ExprId, ProcId};
use hardbop_logic::Term;
use hardbop_semantics::{Coder, End, Frame, State};
use rustc_hash::FxHashMap;

use crate::Context;
use crate::step::Variable;

/// The frame of a callee, next to that of the caller.
const CALLEE: Frame = Frame(1);

/// A symbolic execution under way.
pub(crate) struct Run<'a> {
    pub(crate) coder: Coder<'a>,
    pub(crate) unwritten: &'a mut FxHashMap<ExprId, Term>,
    pub(crate) context: &'a Context<'a>,
    pub(crate) procedure: ProcId,
    pub(crate) state: State,
    pub(crate) conditions: Vec<Term>,
    pub(crate) known: Vec<(Variable, Term)>,
}

impl Run<'_> {
    /// A predicate in the current state. Most have nothing to do with what was executed.
    fn predicate(&mut self, i: usize) -> Term {
        let expr = self.context.predicates[i].expr;
        let cells = self.context.cells[i].as_ref().filter(|_| self.state.frame() == Frame::ONLY);
        let unwritten = cells.is_some_and(|cells| !cells.iter().any(|&cell| self.state.is_written(cell)));
        if unwritten && let Some(&term) = self.unwritten.get(&expr) {
            return term;
        }
        let drawn = self.coder.encoder.drawn();
        let term = self.coder.holds(&self.state, expr);
        if unwritten && self.coder.encoder.drawn() == drawn {
            self.unwritten.insert(expr, term);
        }
        term
    }

    /// What is known where the execution starts. At the entry of a procedure its locals in memory
    /// are new. A program starts with what its globals are initialised to, and its boolean
    /// variables know nothing yet; but not if what it starts with may be called again.
    pub(crate) fn begin(&mut self, at_entry: bool, with_globals: bool) {
        let first = at_entry && self.procedure == self.context.entry;
        if first && self.context.starts_once {
            self.coder.initialise(&mut self.state, &mut self.conditions);
        } else {
            self.know_own();
            if with_globals {
                self.know_globals();
            }
        }
        if at_entry {
            self.coder.enter(&mut self.state, self.procedure);
        }
    }

    fn know_own(&mut self) {
        for &i in &self.context.signatures.of(self.procedure).own {
            let term = self.predicate(i);
            self.known.push((Variable::Predicate(i), term));
        }
    }

    fn know_globals(&mut self) {
        for &i in &self.context.signatures.globals {
            let term = self.predicate(i);
            self.known.push((Variable::Predicate(i), term));
        }
    }

    pub(crate) fn own_goals(&mut self) -> Vec<(Variable, Term)> {
        let own = &self.context.signatures.of(self.procedure).own;
        own.iter().map(|&i| (Variable::Predicate(i), self.predicate(i))).collect()
    }

    pub(crate) fn global_goals(&mut self) -> Vec<(Variable, Term)> {
        let globals = &self.context.signatures.globals;
        globals.iter().map(|&i| (Variable::Predicate(i), self.predicate(i))).collect()
    }

    /// Executes edges; nothing if the run ends on the way.
    pub(crate) fn edges(&mut self, edges: &[EdgeId]) -> Option<()> {
        for &edge in edges {
            match self.coder.execute(&mut self.state, self.procedure, edge, &mut self.conditions) {
                End::Stops => return None,
                // What fails is the last edge of its segment.
                End::Continues | End::Error(_) | End::Unsupported(_) => {}
            }
        }
        Some(())
    }

    /// The predicates of a callee as it starts.
    pub(crate) fn passed(&mut self, edge: EdgeId, callee: ProcId) -> Vec<(Variable, Term)> {
        let call = (self.procedure, edge);
        self.coder.require_callee(&self.state, self.procedure, edge, callee, &mut self.conditions);
        self.coder.pass_arguments(&mut self.state, call, callee, CALLEE, &mut self.conditions);
        self.state.enter(CALLEE);
        let entry = &self.context.signatures.of(callee).entry;
        let passed = entry.iter().map(|&i| (Variable::Argument(i), self.predicate(i))).collect();
        self.state.enter(Frame::ONLY);
        passed
    }

    /// The callee has returned.
    pub(crate) fn returned(&mut self, edge: EdgeId, callee: ProcId) {
        let passed = self.passed(edge, callee);
        self.known.extend(passed);
        self.coder.forget_modified(&mut self.state, callee);
        self.state.enter(CALLEE);
        self.coder.forget_result(&mut self.state, callee);
        for &i in &self.context.signatures.of(callee).results {
            let term = self.predicate(i);
            self.known.push((Variable::Result(i), term));
        }
        self.state.enter(Frame::ONLY);
        let call = (self.procedure, edge);
        self.coder.take_result(&mut self.state, call, callee, CALLEE, &mut self.conditions);
        self.know_globals();
    }
}
