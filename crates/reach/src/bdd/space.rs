//! The decision diagrams of one run, with their limits.
//!
//! A thin layer over the library: every operation that can run out of nodes says so as a value, a
//! collection of garbage is tried first, and between operations the budget is polled. Nothing here
//! knows programs. One operation is never interrupted; the capacity bounds how long it can take.

use std::cell::Cell;

use hardbop_base::{Budget, Stop};
use oxidd::bdd::{BDDFunction, BDDManagerRef};
use oxidd::util::{AllocResult, OptBool};
use oxidd::{
    BooleanFunction, BooleanFunctionQuant, BooleanOperator, Function, FunctionSubst, HasLevel, Manager,
    ManagerRef, Node, Subst, VarNo,
};

/// A set of valuations, or a relation.
pub(super) type Bdd = BDDFunction;

/// A renaming of variables, made once and applied often.
pub(super) type Renaming = Subst<Bdd>;

/// Why a computation ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Halt {
    /// The budget was spent.
    Stopped(Stop),
    /// So many nodes were not enough.
    Nodes(usize),
}

/// What computations return.
pub(super) type BddResult<T> = Result<T, Halt>;

/// Below this many nodes garbage is left alone.
const SMALL: usize = 1 << 18;
/// Nodes are counted, which takes time for each level, at every so many polls.
const COUNT_EVERY: u32 = 16;

/// The diagrams of one run.
pub(super) struct Space<'a> {
    manager: BDDManagerRef,
    budget: &'a Budget,
    variables: Vec<Bdd>,
    no: Bdd,
    yes: Bdd,
    capacity: usize,
    collect_at: Cell<usize>,
    since_count: Cell<u32>,
    peak: Cell<usize>,
}

impl<'a> Space<'a> {
    /// Diagrams over variables 0, 1, …, ordered by their numbers.
    pub fn new(
        manager: BDDManagerRef,
        variables: usize,
        capacity: usize,
        budget: &'a Budget,
    ) -> BddResult<Self> {
        let count = VarNo::try_from(variables).map_err(|_| Halt::Nodes(capacity))?;
        manager.with_manager_exclusive(|manager| manager.add_vars(count));
        let (no, yes) = manager.with_manager_shared(|manager| (Bdd::f(manager), Bdd::t(manager)));
        let variables: AllocResult<Vec<Bdd>> = manager
            .with_manager_shared(|manager| (0..count).map(|variable| Bdd::var(manager, variable)).collect());
        let variables = variables.map_err(|_| Halt::Nodes(capacity))?;
        Ok(Space {
            manager,
            budget,
            variables,
            no,
            yes,
            capacity,
            collect_at: Cell::new(SMALL.min(capacity / 2)),
            since_count: Cell::new(0),
            peak: Cell::new(0),
        })
    }

    /// To be called now and then, where all that matters is held: polls the budget and collects
    /// garbage when there may be much of it.
    pub fn poll(&self) -> BddResult<()> {
        self.budget.check().map_err(Halt::Stopped)?;
        // The estimate is cheap and never too low for long, but lags behind after a collection.
        let estimate = self.manager.with_manager_shared(|manager| manager.approx_num_inner_nodes());
        if estimate < self.collect_at.get() {
            return Ok(());
        }
        self.since_count.set(self.since_count.get() + 1);
        if self.since_count.get() < COUNT_EVERY {
            return Ok(());
        }
        self.since_count.set(0);
        let count = self.count();
        self.peak.set(self.peak.get().max(count));
        if count >= self.collect_at.get() {
            let live = self.collect();
            if live > self.capacity / 4 * 3 {
                return Err(Halt::Nodes(self.capacity));
            }
            self.collect_at.set((3 * live).max(SMALL).min(self.capacity / 8 * 7));
        }
        Ok(())
    }

    fn count(&self) -> usize {
        self.manager.with_manager_shared(|manager| manager.num_inner_nodes())
    }

    /// The largest number of nodes seen, garbage included.
    pub fn peak(&self) -> usize {
        self.peak.get().max(self.count())
    }

    /// Frees nodes that are not referred to; returns the number of nodes left.
    fn collect(&self) -> usize {
        self.manager.with_manager_shared(|manager| {
            manager.gc();
            manager.num_inner_nodes()
        })
    }

    /// Runs an operation; if nodes run out, once more without garbage.
    fn attempt<T>(&self, operation: impl Fn() -> AllocResult<T>) -> BddResult<T> {
        if let Ok(result) = operation() {
            return Ok(result);
        }
        self.peak.set(self.capacity);
        self.collect();
        operation().map_err(|_| Halt::Nodes(self.capacity))
    }

    pub fn no(&self) -> Bdd {
        self.no.clone()
    }

    pub fn yes(&self) -> Bdd {
        self.yes.clone()
    }

    pub fn is_empty(&self, f: &Bdd) -> bool {
        *f == self.no
    }

    pub fn is_full(&self, f: &Bdd) -> bool {
        *f == self.yes
    }

    pub fn constant(&self, value: bool) -> Bdd {
        if value { self.yes() } else { self.no() }
    }

    pub fn variable(&self, variable: VarNo) -> Bdd {
        self.variables[variable as usize].clone()
    }

    pub fn not(&self, f: &Bdd) -> BddResult<Bdd> {
        self.attempt(|| f.not())
    }

    pub fn and(&self, f: &Bdd, g: &Bdd) -> BddResult<Bdd> {
        self.attempt(|| f.and(g))
    }

    pub fn or(&self, f: &Bdd, g: &Bdd) -> BddResult<Bdd> {
        self.attempt(|| f.or(g))
    }

    /// What is in `f` but not in `g`.
    pub fn minus(&self, f: &Bdd, g: &Bdd) -> BddResult<Bdd> {
        self.attempt(|| g.imp_strict(f))
    }

    pub fn equal(&self, f: &Bdd, g: &Bdd) -> BddResult<Bdd> {
        self.attempt(|| f.equiv(g))
    }

    pub fn if_else(&self, condition: &Bdd, then: &Bdd, otherwise: &Bdd) -> BddResult<Bdd> {
        self.attempt(|| condition.ite(then, otherwise))
    }

    pub fn exists(&self, f: &Bdd, cube: &Bdd) -> BddResult<Bdd> {
        if self.is_full(cube) { Ok(f.clone()) } else { self.attempt(|| f.exists(cube)) }
    }

    /// ∃ cube. f ∧ g
    pub fn and_exists(&self, f: &Bdd, g: &Bdd, cube: &Bdd) -> BddResult<Bdd> {
        if self.is_full(cube) {
            return self.and(f, g);
        }
        self.attempt(|| f.apply_exists(BooleanOperator::And, g, cube))
    }

    /// The function with the variables of a cube of literals fixed.
    pub fn restrict(&self, f: &Bdd, cube: &Bdd) -> BddResult<Bdd> {
        if self.is_full(cube) { Ok(f.clone()) } else { self.attempt(|| f.restrict(cube)) }
    }

    pub fn rename(&self, f: &Bdd, renaming: &Renaming) -> BddResult<Bdd> {
        self.attempt(|| f.substitute(renaming))
    }

    /// The renaming with these pairs of old and new variables, which all differ.
    pub fn renaming(&self, pairs: &[(VarNo, VarNo)]) -> Renaming {
        let old = pairs.iter().map(|pair| pair.0).collect();
        Subst::new(old, pairs.iter().map(|pair| self.variable(pair.1)).collect())
    }

    /// The conjunction of variables, for quantification.
    pub fn cube(&self, variables: impl IntoIterator<Item = VarNo>) -> BddResult<Bdd> {
        self.literals(variables.into_iter().map(|variable| (variable, true)))
    }

    /// The conjunction of literals of distinct variables.
    pub fn literals(&self, literals: impl IntoIterator<Item = (VarNo, bool)>) -> BddResult<Bdd> {
        let mut literals: Vec<(VarNo, bool)> = literals.into_iter().collect();
        // From the bottom up each conjunction adds one node.
        literals.sort_unstable_by_key(|literal| std::cmp::Reverse(literal.0));
        literals.into_iter().try_fold(self.yes(), |cube, (variable, value)| {
            let f = self.variable(variable);
            if value { self.and(&f, &cube) } else { self.minus(&cube, &f) }
        })
    }

    /// A valuation in the set, or nothing if it is empty; variables that do not matter are missing.
    pub fn pick(&self, f: &Bdd) -> Option<Vec<Option<bool>>> {
        let cube = f.pick_cube(|_, _, _| false)?;
        let value = |value: OptBool| match value {
            OptBool::None => None,
            OptBool::False => Some(false),
            OptBool::True => Some(true),
        };
        Some(cube.into_iter().map(value).collect())
    }

    /// The topmost variable with the functions where it is false and true; nothing for a constant.
    pub fn decision(&self, f: &Bdd) -> Option<(VarNo, Bdd, Bdd)> {
        let level = f.with_manager_shared(|manager, edge| match manager.get_node(edge) {
            Node::Inner(node) => Some(node.level()),
            Node::Terminal(_) => None,
        })?;
        let (high, low) = f.cofactors()?;
        // Variables are never reordered, so levels are variables.
        Some((level, low, high))
    }

    /// The one with the fewest nodes.
    pub fn smallest<const N: usize>(&self, sets: [&Bdd; N]) -> Bdd {
        sets.into_iter().min_by_key(|set| self.size(set)).unwrap_or(&self.no).clone()
    }

    pub fn size(&self, f: &Bdd) -> usize {
        f.node_count()
    }
}
