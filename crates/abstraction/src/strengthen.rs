//! Strengthening single steps, where a trace comes back that no run follows.
//!
//! A step of the cartesian abstraction sets each predicate by itself, and covers have a limit on their
//! length; so a trace can stay although the predicates say why it is impossible. Then one of its steps
//! leads between states that no run leads between. The values of that step which contradict it, as few as
//! possible, are excluded from then on: old values alone block the step, old and new ones go into its
//! `constrain` clause. (Where no step of the trace is at fault, predicates are missing, and nothing here
//! helps.)

use hardbop_base::Stop;
use hardbop_bp::{Action, Flow, Trace, VarId};
use hardbop_ir::ProcId;
use hardbop_logic::Term;
use hardbop_semantics::Subject;
use hardbop_solver::{Answer, minimise_core};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::abstractor::{Abstraction, Abstractor, Context};
use crate::live::Liveness;
use crate::segment::{Prefix, Segment, prefix, segments};
use crate::signature::Signatures;
use crate::step::{AbstractStep, Minterm, Variable, Worker, next};
use hardbop_predicate::Predicate;

/// The most queries to make an excluded combination smaller.
const MAX_QUERIES: usize = 200;

/// Combinations of old and new values that steps exclude. Predicates are kept themselves, since their
/// positions change.
#[derive(Default)]
pub(crate) struct Strengthened(FxHashMap<(ProcId, Segment), Vec<Combination>>);

type Combination = Vec<(Variable, Predicate, bool)>;

impl Strengthened {
    /// Adds to a step what is excluded from it.
    pub(crate) fn apply(
        &self,
        procedure: ProcId,
        segment: &Segment,
        predicates: &[Predicate],
        step: &mut AbstractStep,
    ) {
        let Some(combinations) = self.0.get(&(procedure, segment.clone())) else { return };
        let positions: FxHashMap<Predicate, usize> =
            predicates.iter().enumerate().map(|(i, &predicate)| (predicate, i)).collect();
        let positioned = |combination: &Combination| -> Option<Minterm> {
            let literal = |&(variable, predicate, value): &(Variable, Predicate, bool)| {
                Some((variable.at(*positions.get(&predicate)?), value))
            };
            combination.iter().map(literal).collect()
        };
        // Of a predicate that is gone nothing is known.
        for minterm in combinations.iter().filter_map(positioned) {
            step.exclude(minterm);
        }
    }
}

impl Abstractor {
    /// Excludes, from the steps of a trace, combinations of old and new values that no run has. Says how
    /// many it found; they count in all abstractions from now on.
    pub fn strengthen(
        &mut self,
        subject: Subject<'_>,
        predicates: &[Predicate],
        Abstraction { back, .. }: &Abstraction,
        (flow, trace): (&Flow, &Trace),
    ) -> Result<usize, Stop> {
        let signatures = Signatures::new(subject.program, subject.alias, predicates);
        let (options, budget) = (self.options, self.budget.clone());
        let liveness = Liveness::of(subject.program, predicates);
        let opaque = self.opaque.clone();
        let context =
            Context::new(subject, predicates, &signatures, (&options, &budget), (&liveness, &opaque));
        let mut found = 0;
        let mut before = &trace.start;
        for step in &trace.steps {
            budget.check()?;
            let edge = &flow.edges[step.action.edge()];
            let after = &step.state;
            let segment = edge.tag.and_then(|tag| back.segments.get(&tag));
            if let (Action::Edge(_), Some((procedure, segment))) = (step.action, segment) {
                let variables: FxHashMap<Variable, VarId> =
                    flow.scope(edge.procedure).filter_map(|var| Some((back.variable(var)?, var))).collect();
                let old = |v: Variable| variables.get(&v).map(|&var| before.value(flow, var));
                let new = |v: Variable| variables.get(&v).map(|&var| after.value(flow, var));
                let all = segments(
                    context.program,
                    context.alias,
                    (*procedure, context.opaque),
                    options.granularity,
                );
                let prefix = prefix(context.program, *procedure, &all, segment);
                let mut worker = self.worker(&context);
                let fault = worker.fault(&context, (*procedure, segment, &prefix), &old, &new)?;
                if let Some(minterm) = fault {
                    let keep = |(variable, value): (Variable, bool)| {
                        (variable, predicates[variable.position()], value)
                    };
                    let combination = minterm.into_iter().map(keep).collect();
                    let known = self.strengthened.0.entry((*procedure, segment.clone())).or_default();
                    if !known.contains(&combination) {
                        known.push(combination);
                        found += 1;
                    }
                }
            }
            before = after;
        }
        Ok(found)
    }
}

/// The value of a variable in a state; nothing for those that do not exist there.
type Values<'a> = &'a dyn Fn(Variable) -> Option<bool>;

impl Worker<'_> {
    /// If no run takes a segment from some values to others: a small part of them that shows it.
    fn fault(
        &mut self,
        context: &Context<'_>,
        (procedure, segment, prefix): (ProcId, &Segment, &Prefix),
        old: Values<'_>,
        new: Values<'_>,
    ) -> Result<Option<Minterm>, Stop> {
        self.memory.encoder.restart_names();
        let Some(executed) = self.execute(context, procedure, segment, prefix) else {
            return Ok(Some(Vec::new()));
        };
        // What need not be known has any value.
        let (unknown, forgotten) = segment.dead(context, procedure);
        let counts =
            |v: Variable, dead: &FxHashSet<usize>| !matches!(v, Variable::Predicate(i) if dead.contains(&i));
        let known = executed.known.iter().filter(|&&(v, _)| counts(v, &unknown));
        let known = known.filter_map(|&(v, term)| Some((v, term, old(v)?)));
        let goals = executed.goals.iter().filter(|&&(v, _)| counts(v, &forgotten));
        let goals = goals.filter_map(|&(v, term)| Some((next(v), term, new(v)?)));
        let mut literals: FxHashMap<Term, (Variable, bool)> = FxHashMap::default();
        for (variable, term, value) in known.chain(goals) {
            let literal = if value { term } else { self.memory.encoder.terms.not(term) };
            literals.entry(literal).or_insert((variable, value));
        }
        let mut assumptions: Vec<Term> = literals.keys().copied().collect();
        assumptions.sort_unstable();
        let all: Vec<Term> = executed.conditions.iter().chain(&assumptions).copied().collect();
        let facts = self.memory.encoder.on(context.subject).axioms(&all);
        let terms = &self.memory.encoder.terms;
        self.solver.push();
        for &fact in facts.iter().chain(&executed.conditions) {
            self.solver.assert(terms, fact);
        }
        let core = match self.solver.check(terms, &assumptions) {
            Answer::Unsat => {
                let core: Vec<Term> = self.solver.core().iter().map(|&i| assumptions[i]).collect();
                Some(minimise_core(&mut *self.solver, terms, &core, MAX_QUERIES))
            }
            Answer::Sat | Answer::Unknown(_) => None,
        };
        self.solver.pop();
        context.budget.check()?;
        Ok(core.map(|core| core.iter().map(|literal| literals[literal]).collect()))
    }
}

impl AbstractStep {
    /// Excludes a combination of old and new values. What the step does not change is now what it was.
    fn exclude(&mut self, minterm: Minterm) {
        let changes = |variable: Variable| self.updates.iter().any(|&(v, _)| next(v) == variable);
        let settle = |(variable, value): (Variable, bool)| match variable {
            Variable::Next(i) if !changes(variable) => (Variable::Predicate(i), value),
            _ => (variable, value),
        };
        let mut minterm: Minterm = minterm.into_iter().map(settle).collect();
        minterm.sort_unstable();
        minterm.dedup();
        if minterm.iter().any(|&(variable, value)| minterm.contains(&(variable, !value))) {
            return;
        }
        let is_new = |&(v, _): &(Variable, bool)| matches!(v, Variable::Next(_) | Variable::NextArgument(_));
        let list = if minterm.iter().any(is_new) { &mut self.excluded } else { &mut self.blocked };
        if !list.contains(&minterm) {
            list.push(minterm);
        }
    }
}

impl Variable {
    /// The position of its predicate.
    fn position(self) -> usize {
        match self {
            Variable::Predicate(i)
            | Variable::Argument(i)
            | Variable::Result(i)
            | Variable::Next(i)
            | Variable::NextArgument(i) => i,
        }
    }

    /// The same of the predicate at another position.
    fn at(self, i: usize) -> Self {
        match self {
            Variable::Predicate(_) => Variable::Predicate(i),
            Variable::Argument(_) => Variable::Argument(i),
            Variable::Result(_) => Variable::Result(i),
            Variable::Next(_) => Variable::Next(i),
            Variable::NextArgument(_) => Variable::NextArgument(i),
        }
    }
}
