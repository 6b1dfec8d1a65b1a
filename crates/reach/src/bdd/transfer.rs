//! Steps as relations: built once per edge, applied to sets of states.
//!
//! An assignment touches only its targets, so no step carries an identity over the other variables:
//! the old values of the targets are quantified away and the new ones come in. Which of the following
//! forms a step takes depends on what its expressions read:
//!
//! - new values that read no target: ∃ targets. R, then ∧ (target ↔ value) over current values;
//! - one target that reads itself: if-then-else over the two images ∃ x. R ∧ e and ∃ x. R ∧ ¬e;
//! - otherwise: a product with relations to next values, in clusters, each target quantified as soon
//!   as no later cluster reads it; then next values are renamed to current ones.
//!
//! An expression with choices is a pair of sets: where it can be true and where it can be false
//! (every `*` occurs once, so they follow from those of the operands).

use hardbop_bp::{Assign, Expr, VarId};
use oxidd::VarNo;
use rustc_hash::FxHashSet;

use super::frames::mentioned;
use super::order::Layout;
use super::space::{Bdd, BddResult, Space};

/// Relations of at most this many nodes are conjoined into one cluster.
const CLUSTER: usize = 1_000;

/// Where an expression can be true and where it can be false.
pub(super) struct Values {
    pub yes: Bdd,
    pub no: Bdd,
}

/// Makes sets and relations from expressions.
#[derive(Clone, Copy)]
pub(super) struct Encoder<'a> {
    pub space: &'a Space<'a>,
    pub layout: &'a Layout,
}

impl Encoder<'_> {
    /// The values of an expression over current values.
    pub fn current(&self, e: &Expr) -> BddResult<Values> {
        self.values(e, &|variable| self.layout.now(variable))
    }

    /// The values of an expression over current values and, where primed, what `next` says.
    fn values(&self, e: &Expr, next: &dyn Fn(VarId) -> VarNo) -> BddResult<Values> {
        let space = self.space;
        let literal = |variable| -> BddResult<Values> {
            let yes = space.variable(variable);
            Ok(Values { no: space.not(&yes)?, yes })
        };
        match e {
            Expr::Const(value) => Ok(Values { yes: space.constant(*value), no: space.constant(!value) }),
            Expr::Var(variable) => literal(self.layout.now(*variable)),
            Expr::Next(variable) => literal(next(*variable)),
            Expr::Choice => Ok(Values { yes: space.yes(), no: space.yes() }),
            Expr::Schoose(yes, no) => {
                let (yes, no) = (self.values(yes, next)?, self.values(no, next)?);
                Ok(Values { yes: space.or(&yes.yes, &no.no)?, no: yes.no })
            }
            Expr::Not(e) => self.values(e, next).map(Values::negated),
            Expr::And(operands) => self.all(operands, next, false),
            Expr::Or(operands) => self.all(operands, next, true).map(Values::negated),
            Expr::Xor(operands) => {
                let mut parity = Values { yes: space.no(), no: space.yes() };
                for operand in operands {
                    parity = self.differ(&parity, &self.values(operand, next)?)?;
                }
                Ok(parity)
            }
            Expr::Eq(a, b) => {
                self.differ(&self.values(a, next)?, &self.values(b, next)?).map(Values::negated)
            }
            Expr::Implies(a, b) => {
                let (a, b) = (self.values(a, next)?, self.values(b, next)?);
                Ok(Values { yes: space.or(&a.no, &b.yes)?, no: space.and(&a.yes, &b.no)? })
            }
        }
    }

    /// The conjunction of the operands, each negated first if asked for.
    fn all(&self, operands: &[Expr], next: &dyn Fn(VarId) -> VarNo, negate: bool) -> BddResult<Values> {
        let mut all = Values { yes: self.space.yes(), no: self.space.no() };
        for operand in operands {
            let mut operand = self.values(operand, next)?;
            if negate {
                operand = operand.negated();
            }
            all.yes = self.space.and(&all.yes, &operand.yes)?;
            all.no = self.space.or(&all.no, &operand.no)?;
        }
        Ok(all)
    }

    fn differ(&self, a: &Values, b: &Values) -> BddResult<Values> {
        let either = |a1, b1, a2, b2| -> BddResult<Bdd> {
            self.space.or(&self.space.and(a1, b1)?, &self.space.and(a2, b2)?)
        };
        Ok(Values { yes: either(&a.yes, &b.no, &a.no, &b.yes)?, no: either(&a.yes, &b.yes, &a.no, &b.no)? })
    }

    /// The diagram variable has a value that the expression can take.
    pub fn takes(&self, variable: VarNo, values: &Values) -> BddResult<Bdd> {
        self.space.if_else(&self.space.variable(variable), &values.yes, &values.no)
    }

    /// The cube of the current values of variables.
    pub fn now_cube(&self, variables: impl IntoIterator<Item = VarId>) -> BddResult<Bdd> {
        self.space.cube(variables.into_iter().map(|variable| self.layout.now(variable)))
    }

    /// Pairs of diagram variables are equal.
    pub fn all_equal(&self, pairs: impl IntoIterator<Item = (VarNo, VarNo)>) -> BddResult<Bdd> {
        let mut pairs: Vec<_> = pairs.into_iter().collect();
        pairs.sort_unstable_by_key(|pair| std::cmp::Reverse(*pair));
        pairs.into_iter().try_fold(self.space.yes(), |all, (a, b)| {
            let equal = self.space.equal(&self.space.variable(a), &self.space.variable(b))?;
            self.space.and(&all, &equal)
        })
    }

    /// The relations of an assignment from current to next values, with the variables they read.
    pub fn relations(&self, assign: &Assign) -> BddResult<Vec<(Bdd, FxHashSet<VarId>)>> {
        let assigned: FxHashSet<VarId> = assign.updates.iter().map(|update| update.0).collect();
        let next = |variable| {
            if assigned.contains(&variable) { self.layout.next(variable) } else { self.layout.now(variable) }
        };
        let mut relations = Vec::new();
        for (target, value) in &assign.updates {
            let relation = self.takes(self.layout.next(*target), &self.values(value, &next)?)?;
            relations.push((relation, reads(value)));
        }
        // The values of one place lie together, so neighbouring relations share variables.
        let mut places: Vec<usize> = (0..relations.len()).collect();
        places.sort_by_key(|&i| self.layout.now(assign.updates[i].0));
        let mut relations: Vec<_> = places.into_iter().map(|i| relations[i].clone()).collect();
        for conjunct in assign.constrain.iter().flat_map(conjuncts) {
            relations.push((self.values(conjunct, &next)?.yes, reads(conjunct)));
        }
        Ok(relations)
    }
}

impl Values {
    fn negated(self) -> Self {
        Values { yes: self.no, no: self.yes }
    }
}

/// The variables whose old values an expression reads.
fn reads(e: &Expr) -> FxHashSet<VarId> {
    let mut found = FxHashSet::default();
    e.visit(&mut |part| {
        if let Expr::Var(variable) = part {
            found.insert(*variable);
        }
    });
    found
}

/// What must all be possible for the expression to be possible.
fn conjuncts(e: &Expr) -> Vec<&Expr> {
    match e {
        Expr::And(operands) => operands.iter().flat_map(conjuncts).collect(),
        e => vec![e],
    }
}

/// A step in the form in which it is applied.
pub(super) enum Transfer {
    /// Changes nothing.
    Skip,
    /// Cuts off states.
    Guard(Bdd),
    /// Forgets targets, then says what they are.
    Replace { forget: Bdd, values: Bdd },
    /// One target that reads itself: where it becomes true and where false.
    Update { target: Bdd, cube: Bdd, yes: Bdd, no: Bdd },
    /// A product with relations to next values.
    Product(Product),
}

impl Transfer {
    /// The transfer of an assignment.
    pub fn assign(encoder: Encoder, assign: &Assign) -> BddResult<Self> {
        let targets: FxHashSet<VarId> = assign.updates.iter().map(|update| update.0).collect();
        let mut reads_target = false;
        for (_, value) in &assign.updates {
            mentioned(value, &mut |variable| reads_target |= targets.contains(&variable));
        }
        if let Some(constrain) = &assign.constrain {
            reads_target |= reads(constrain).iter().any(|variable| targets.contains(variable));
        }
        let (space, layout) = (encoder.space, encoder.layout);
        if !reads_target {
            let mut values = space.yes();
            for (target, value) in &assign.updates {
                let value = encoder.takes(layout.now(*target), &encoder.current(value)?)?;
                values = space.and(&values, &value)?;
            }
            if let Some(constrain) = &assign.constrain {
                values = space.and(&values, &encoder.current(constrain)?.yes)?;
            }
            return Ok(Transfer::Replace { forget: encoder.now_cube(targets)?, values });
        }
        if let ([(target, value)], None) = (&assign.updates[..], &assign.constrain) {
            let Values { yes, no } = encoder.current(value)?;
            let target = layout.now(*target);
            return Ok(Transfer::Update {
                target: space.variable(target),
                cube: space.cube([target])?,
                yes,
                no,
            });
        }
        let order: Vec<VarId> = assign.updates.iter().map(|update| update.0).collect();
        Product::new(encoder, &order, encoder.relations(assign)?).map(Transfer::Product)
    }

    /// The states after the step.
    pub fn apply(&self, space: &Space, states: &Bdd) -> BddResult<Bdd> {
        match self {
            Transfer::Skip => Ok(states.clone()),
            Transfer::Guard(guard) => space.and(states, guard),
            Transfer::Replace { forget, values } => space.and(&space.exists(states, forget)?, values),
            Transfer::Update { target, cube, yes, no } => {
                let yes = space.and_exists(states, yes, cube)?;
                let no = space.and_exists(states, no, cube)?;
                space.if_else(target, &yes, &no)
            }
            Transfer::Product(product) => product.apply(space, states),
        }
    }
}

/// A change of some variables by relations from current values to next values.
pub(super) struct Product {
    /// Relations, each with the current values that no later one reads.
    clusters: Vec<(Bdd, Bdd)>,
    shift: Shift,
}

impl Product {
    fn new(encoder: Encoder, targets: &[VarId], relations: Vec<(Bdd, FxHashSet<VarId>)>) -> BddResult<Self> {
        let space = encoder.space;
        let mut merged: Vec<(Bdd, FxHashSet<VarId>)> = Vec::new();
        for (relation, reads) in relations {
            if let Some((last, last_reads)) = merged.last_mut() {
                let both = space.and(last, &relation)?;
                if space.size(&both) <= CLUSTER {
                    *last = both;
                    last_reads.extend(reads);
                    continue;
                }
            }
            merged.push((relation, reads));
        }
        // Targets that nothing reads can go with the first cluster.
        let mut forget = vec![Vec::new(); merged.len()];
        for &target in targets {
            let last = merged.iter().rposition(|(_, reads)| reads.contains(&target)).unwrap_or(0);
            forget[last].push(target);
        }
        let clusters = merged
            .into_iter()
            .zip(forget)
            .map(|((relation, _), forget)| Ok((relation, encoder.now_cube(forget)?)));
        Ok(Product { clusters: clusters.collect::<BddResult<_>>()?, shift: Shift::new(encoder, targets)? })
    }

    fn apply(&self, space: &Space, states: &Bdd) -> BddResult<Bdd> {
        let mut states = states.clone();
        for (relation, forget) in &self.clusters {
            states = space.and_exists(&states, relation, forget)?;
        }
        self.shift.apply(space, &states)
    }
}

/// Makes next values the current ones.
pub(super) struct Shift {
    equal: Bdd,
    forget: Bdd,
}

impl Shift {
    /// For these variables; their current values must have been quantified.
    pub fn new(encoder: Encoder, variables: &[VarId]) -> BddResult<Self> {
        let layout = encoder.layout;
        // A conjunction with equalities keeps neighbours together and, other than the library's
        // substitution, costs nothing for the levels that stay.
        let equal = encoder.all_equal(variables.iter().map(|&v| (layout.now(v), layout.next(v))))?;
        let forget = encoder.space.cube(variables.iter().map(|&v| layout.next(v)))?;
        Ok(Shift { equal, forget })
    }

    pub fn apply(&self, space: &Space, states: &Bdd) -> BddResult<Bdd> {
        space.and_exists(states, &self.equal, &self.forget)
    }
}
