//! The algorithm of §3: from the first function term to a satisfiability problem, with sharing.
//!
//! A *triple* is an occurrence of a function term with a variable of its own. Figure 2 makes a tree of
//! triples, where a term that already occurs on the path to it is a *fixpoint triple*, which equals
//! `true` (§2.2: one nested invocation reaches the weakest fixpoint of a boolean function). A tree can
//! be exponentially larger than the set of terms, so the paper shares triples between branches, under
//! conditions that it does not give, and then repairs fixpoint triples that are met on new paths.
//!
//! Here a triple is a term with a stamp ([`super::stamp`]), and triples are taken up in the order of
//! their stamps. Links lead to later stamps only, so:
//! - the triples form an acyclic graph and the equations have exactly one solution;
//! - when a triple is taken up, all links to it are known. Whether it is a fixpoint triple is decided
//!   then and for good, and there is nothing to repair.
//!
//! A triple may be `true` if it is no loss to ignore it: in every initial state in which a run gets to
//! it, a run gets to the same term at an earlier stamp. That is known
//! - if an earlier triple of its term lies on every path to it (the paper's reason),
//! - if the condition to get to it implies that of getting to earlier triples of its term, seen from
//!   the form of these conditions or, if asked, by the solver ([`super::coverage`]),
//! - or if control came back within the component more often than there are terms to come back to.
//!
//! Why that is right. For fixed initial values, let a term's *best* stamp be the earliest at which a run
//! gets to it. If the program can go wrong, there is a run to the error that meets every term on its way
//! at its best stamp: the predecessor of a term that is met at its best stamp may be taken at its own
//! best one, since steps are monotone. That run meets no triple that was cut. And no run is invented,
//! since the graph is acyclic and a triple goes wrong only by going wrong itself or through a link.
//! The third rule holds because such a run repeats no term.
//!
//! Copies of a term are thus bounded by the number of terms at which a loop can be re-entered, where
//! trees are bounded by nothing better than the number of paths without repetition.
//!
//! Unlike in the paper, equations go to the solver at once, and it is asked several times: if the
//! problem is unsatisfiable before all triples are defined, the program is correct; if it is
//! satisfiable even when all that is undefined counts as correct, the program has an error.

use std::cmp::Ordering;

use hardbop_base::Id;
use rustc_hash::{FxHashMap, FxHashSet};

use super::args::Arg;
use super::circuit::Lit;
use super::coverage::Coverage;
use super::inline::ContextId;
use super::instantiate::Maker;
use super::solver::Problem;
use super::stamp::{Hop, StampId, Stamps};
use super::terms::{Equation, Link, TermId};
use super::{Halt, SatOptions};

/// An occurrence of a function term.
pub(super) type TripleId = Id<Triple>;

/// See [`TripleId`].
#[derive(Debug)]
pub(super) struct Triple {
    pub term: TermId,
    stamp: StampId,
    /// How many arguments are too complicated; more come first.
    complicated: usize,
    /// The variable that says that it goes wrong.
    pub variable: i32,
    pub state: State,
    /// The initial states in which a run gets here, or goes wrong on the way.
    reach: Lit,
    /// The closest triple on all paths here.
    dominator: Option<TripleId>,
    depth: u32,
    /// A triple far up the chain of dominators.
    jump: Option<TripleId>,
}

/// How far a triple is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum State {
    /// Not taken up yet.
    Open,
    /// Equals `true`.
    Fixpoint,
    /// Defined by its term's equation, with one triple per link.
    Defined(Vec<TripleId>),
}

/// The triples of a run.
pub(super) struct Closure<'a> {
    pub maker: Maker<'a>,
    pub problem: Problem,
    options: &'a SatOptions,
    stamps: Stamps,
    pub triples: Vec<Triple>,
    ids: FxHashMap<(TermId, StampId), TripleId>,
    /// The open triples, as a heap with the earliest first.
    work: Vec<TripleId>,
    /// The defined triples of each term.
    copies: FxHashMap<TermId, Vec<TripleId>>,
    /// The initial states in which a run gets to a defined triple of the term, or goes wrong before.
    reached: FxHashMap<TermId, Lit>,
    pub coverage: Coverage,
    /// Per component of a copy of a procedure, the terms at which control comes back.
    returns: FxHashMap<(ContextId, u32), FxHashSet<TermId>>,
    pub fixpoints: usize,
}

impl<'a> Closure<'a> {
    pub fn new(maker: Maker<'a>, options: &'a SatOptions, first: TermId) -> Result<Self, Halt> {
        let problem = Problem::new(maker.budget);
        let coverage = Coverage::new(maker.budget, maker.terms.initial().len());
        let mut closure = Closure {
            maker,
            problem,
            options,
            stamps: Stamps::default(),
            triples: Vec::new(),
            ids: FxHashMap::default(),
            work: Vec::new(),
            copies: FxHashMap::default(),
            reached: FxHashMap::default(),
            coverage,
            returns: FxHashMap::default(),
            fixpoints: 0,
        };
        let entry = closure.maker.terms.block_of(first).location;
        let stamp = closure.stamps.start(&closure.maker.order, entry);
        let root = closure.triple(first, stamp)?;
        closure.triples[root.index()].reach = Lit::TRUE;
        let variable = closure.triples[root.index()].variable;
        closure.problem.clause(&[variable]);
        Ok(closure)
    }

    /// Whether the program can go wrong. If so, the solver holds the initial values of a wrong run.
    pub fn run(&mut self) -> Result<bool, Halt> {
        let mut next_check = 64;
        let mut taken = 0;
        while let Some(triple) = self.pop() {
            self.maker.budget.check().map_err(Halt::Stopped)?;
            self.take_up(triple)?;
            taken += 1;
            if self.options.incremental && taken >= next_check && !self.work.is_empty() {
                next_check = taken * 2;
                if let Some(wrong) = self.check_early()? {
                    return Ok(wrong);
                }
            }
        }
        self.problem.solve(None)
    }

    /// Asks the solver before all triples are defined.
    fn check_early(&mut self) -> Result<Option<bool>, Halt> {
        let closed = self.problem.variable()?;
        for triple in &self.work {
            self.problem.clause(&[-closed, -self.triples[triple.index()].variable]);
        }
        if self.problem.solve(Some(closed))? {
            return Ok(Some(true));
        }
        let correct = !self.problem.failed(closed) || !self.problem.solve(None)?;
        self.problem.clause(&[-closed]);
        Ok(correct.then_some(false))
    }

    fn take_up(&mut self, id: TripleId) -> Result<(), Halt> {
        self.settle_dominator(id);
        let (term, variable) = (self.triples[id.index()].term, self.triples[id.index()].variable);
        if self.is_fixpoint(id)? {
            self.fixpoints += 1;
            self.triples[id.index()].state = State::Fixpoint;
            self.problem.clause(&[-variable]);
            return Ok(());
        }
        self.copies.entry(term).or_default().push(id);
        let reached = self.reached.entry(term).or_insert(Lit::FALSE);
        *reached = self.maker.circuit.or(*reached, self.triples[id.index()].reach);
        if self.maker.terms.equation(term).is_none() {
            let equation = self.equation(term)?;
            self.maker.terms.set_equation(term, equation);
        }
        // Links are copied out because following them makes triples.
        let Some(Equation { wrong, links }) = self.maker.terms.equation(term).cloned() else { return Ok(()) };
        let mut reasons = vec![-variable];
        if wrong != Lit::FALSE && wrong != Lit::TRUE {
            reasons.push(self.problem.condition(&self.maker.circuit, wrong)?);
        }
        let mut targets = Vec::with_capacity(links.len());
        for link in links {
            let target = self.follow(id, link)?;
            targets.push(target);
            reasons.push(self.reason(link.guard, target)?);
        }
        if wrong != Lit::TRUE {
            self.problem.clause(&reasons);
        }
        self.triples[id.index()].state = State::Defined(targets);
        Ok(())
    }

    /// A literal that implies that the guard holds and the target goes wrong.
    fn reason(&mut self, guard: Lit, target: TripleId) -> Result<i32, Halt> {
        let target = self.triples[target.index()].variable;
        if guard == Lit::TRUE {
            return Ok(target);
        }
        let guard = self.problem.condition(&self.maker.circuit, guard)?;
        let both = self.problem.variable()?;
        self.problem.clause(&[-both, guard]);
        self.problem.clause(&[-both, target]);
        Ok(both)
    }

    /// By (12), with ∨ in its middle, if an argument is too complicated; else from the block.
    fn equation(&mut self, term: TermId) -> Result<Equation, Halt> {
        let maker = &mut self.maker;
        let arguments = self.options.arguments;
        let position = maker.terms.complicated(term, &maker.args, arguments).next();
        let Some(position) = position else { return maker.equation(term) };
        let condition = maker.args.gate(maker.terms.args(term)[position], &mut maker.circuit);
        // It is not ANY, so it has a gate.
        let Some(condition) = condition else { return maker.equation(term) };
        let mut links = Vec::new();
        for (guard, value) in [(condition.negated(), Arg::FALSE), (condition, Arg::TRUE)] {
            let term = maker.terms.replace(term, position, value);
            links.push(Link { guard, term, hop: Hop::Stay });
        }
        Ok(Equation { wrong: Lit::FALSE, links })
    }

    /// The triple that a link leads to.
    fn follow(&mut self, source: TripleId, link: Link) -> Result<TripleId, Halt> {
        let block = self.maker.terms.block_of(link.term);
        let (context, location) = (block.context, block.location);
        let from = self.triples[source.index()].stamp;
        let (order, contexts) = (&self.maker.order, &self.maker.contexts);
        let stamp = self.stamps.after(from, link.hop, order, contexts, (context, location));
        if let Hop::Go { retreats: true, .. } = link.hop {
            let component = self.maker.order.place(location).component;
            self.returns.entry((context, component)).or_default().insert(link.term);
        }
        let target = self.triple(link.term, stamp)?;
        if self.triples[target.index()].state != State::Open {
            // Would make the cuts unsound.
            return Err(Halt::Defect("a step does not lead to a later stamp".to_owned()));
        }
        let circuit = &mut self.maker.circuit;
        let by_link = circuit.and(self.triples[source.index()].reach, link.guard);
        let reach = circuit.or(self.triples[target.index()].reach, by_link);
        let dominator = match self.triples[target.index()].dominator {
            None => source,
            Some(known) => self.common_dominator(known, source),
        };
        let target_data = &mut self.triples[target.index()];
        target_data.reach = reach;
        target_data.dominator = Some(dominator);
        Ok(target)
    }

    fn is_fixpoint(&mut self, id: TripleId) -> Result<bool, Halt> {
        let triple = &self.triples[id.index()];
        let block = self.maker.terms.block_of(triple.term);
        let component = self.maker.order.place(block.location).component;
        let returns = self.returns.get(&(block.context, component)).map_or(0, FxHashSet::len);
        if self.stamps.round(triple.stamp) > returns {
            return Ok(true);
        }
        let copies = self.copies.get(&triple.term).map_or(&[][..], |copies| copies);
        if copies.iter().any(|copy| self.ancestor(id, self.triples[copy.index()].depth) == *copy) {
            return Ok(true);
        }
        let reached = self.reached.get(&triple.term).copied().unwrap_or(Lit::FALSE);
        let fresh = self.maker.circuit.and(triple.reach, reached.negated());
        if !self.options.prune {
            return Ok(fresh == Lit::FALSE);
        }
        Ok(!self.coverage.satisfiable(&self.maker.circuit, fresh)?)
    }

    /// The triple of a term at a stamp; open if it is new.
    fn triple(&mut self, term: TermId, stamp: StampId) -> Result<TripleId, Halt> {
        if let Some(&id) = self.ids.get(&(term, stamp)) {
            return Ok(id);
        }
        if self.triples.len() >= self.options.triples {
            let what = format!("there are more than {} occurrences of function terms", self.options.triples);
            return Err(Halt::Limit(what));
        }
        let id = TripleId::from_usize(self.triples.len());
        let maker = &self.maker;
        self.triples.push(Triple {
            term,
            stamp,
            complicated: maker.terms.complicated(term, &maker.args, self.options.arguments).count(),
            variable: self.problem.variable()?,
            state: State::Open,
            reach: Lit::FALSE,
            dominator: None,
            depth: 0,
            jump: None,
        });
        self.ids.insert((term, stamp), id);
        self.push(id);
        Ok(id)
    }
}

/// Dominators, as a tree with links that jump over ever more levels.
impl Closure<'_> {
    /// To be called when all links to the triple are known.
    fn settle_dominator(&mut self, id: TripleId) {
        let Some(parent) = self.triples[id.index()].dominator else { return };
        let parent_data = &self.triples[parent.index()];
        let depth = parent_data.depth + 1;
        let far = parent_data.jump.map(|jump| &self.triples[jump.index()]);
        let jump = match far {
            Some(far) => match far.jump.map(|jump| self.triples[jump.index()].depth) {
                Some(farther) if parent_data.depth - far.depth == far.depth - farther => far.jump,
                _ => Some(parent),
            },
            None => Some(parent),
        };
        let triple = &mut self.triples[id.index()];
        (triple.depth, triple.jump) = (depth, jump);
    }

    /// The dominator of a triple at a depth, or the triple itself if it is not deeper.
    fn ancestor(&self, mut id: TripleId, depth: u32) -> TripleId {
        while self.triples[id.index()].depth > depth {
            let triple = &self.triples[id.index()];
            let jump = triple.jump.filter(|jump| self.triples[jump.index()].depth >= depth);
            match jump.or(triple.dominator) {
                Some(next) => id = next,
                None => break,
            }
        }
        id
    }

    fn common_dominator(&self, a: TripleId, b: TripleId) -> TripleId {
        let depth = |id: TripleId| self.triples[id.index()].depth;
        let (mut a, mut b) = (self.ancestor(a, depth(b)), self.ancestor(b, depth(a)));
        while a != b {
            let (x, y) = (&self.triples[a.index()], &self.triples[b.index()]);
            match (x.jump, y.jump, x.dominator, y.dominator) {
                (Some(p), Some(q), _, _) if p != q => (a, b) = (p, q),
                (_, _, Some(p), Some(q)) => (a, b) = (p, q),
                // Both chains end at the first triple.
                _ => break,
            }
        }
        a
    }
}

/// The heap of open triples.
impl Closure<'_> {
    fn earlier(&self, a: TripleId, b: TripleId) -> bool {
        let (x, y) = (&self.triples[a.index()], &self.triples[b.index()]);
        let order = self.stamps.compare(x.stamp, y.stamp);
        order.then(y.complicated.cmp(&x.complicated)).then(a.cmp(&b)) == Ordering::Less
    }

    fn push(&mut self, id: TripleId) {
        self.work.push(id);
        let mut child = self.work.len() - 1;
        while child > 0 {
            let parent = (child - 1) / 2;
            if !self.earlier(self.work[child], self.work[parent]) {
                break;
            }
            self.work.swap(child, parent);
            child = parent;
        }
    }

    fn pop(&mut self) -> Option<TripleId> {
        let last = self.work.len().checked_sub(1)?;
        self.work.swap(0, last);
        let first = self.work.pop();
        let mut parent = 0;
        loop {
            let children = [2 * parent + 1, 2 * parent + 2];
            let mut least = parent;
            for child in children.into_iter().filter(|child| *child < self.work.len()) {
                if self.earlier(self.work[child], self.work[least]) {
                    least = child;
                }
            }
            if least == parent {
                return first;
            }
            self.work.swap(parent, least);
            parent = least;
        }
    }
}
