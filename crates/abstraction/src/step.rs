//! The abstraction of one segment.
//!
//! The segment is executed symbolically; each predicate read in the state after it is the weakest
//! precondition of that predicate, and its cover by the predicates known before is its new value
//! (DESIGN: new value = choose(F(wp(s, e)), F(wp(s, ¬e)))). What a run must satisfy to get through
//! the segment becomes the step's guard: assume(¬F(¬guard)).
//!
//! At a call there are three moments: before the segment that leads to it, when the callee starts,
//! and when it has returned. The caller's own boolean variables keep the values of the first until
//! the segment after the call, global ones are those of the current moment. All of them, with what
//! was passed and what was returned, are literals over one symbolic execution, so that relations
//! across the call are not lost.

use hardbop_base::Stop;
use hardbop_ir::{ExprId, ProcId};
use hardbop_logic::{Node, Term};
use hardbop_semantics::{Encoder, Frame, State};
use hardbop_solver::Solver;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cells::separate;
use crate::contradiction::{Contradictions, Cube, Question, contains};
use crate::execution::Run;
use crate::plain::are_plainly_possible;
use crate::segment::{Finish, Prefix, Segment, Start};
use crate::single;
use crate::untouched::Untouched;
use crate::{Context, Method};

/// So many predicates about one cell are combined without a limit on length.
const MAX_EXACT: usize = 8;

/// A boolean variable as one procedure sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Variable {
    /// The current value of a predicate.
    Predicate(usize),
    /// A predicate of a callee as it is passed to it.
    Argument(usize),
    /// A predicate of a callee as it was returned.
    Result(usize),
    /// The value of a predicate after the step; in constraints only.
    Next(usize),
    /// An argument after the step; in constraints only.
    NextArgument(usize),
}

/// A conjunction of boolean variables and their negations.
pub(crate) type Minterm = Vec<(Variable, bool)>;

/// What a variable gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Update {
    /// True if one of the first holds, false if one of the second does, else anything.
    Choose(Vec<Minterm>, Vec<Minterm>),
    /// The value of a variable, or its negation.
    Copy(Variable, bool),
    /// A constant.
    Constant(bool),
}

/// The abstraction of a segment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AbstractStep {
    /// Under any of these the step is not taken. One without literals: it never is.
    pub(crate) blocked: Vec<Minterm>,
    /// New values, all at once.
    pub(crate) updates: Vec<(Variable, Update)>,
    /// Combinations of old and new values that are excluded.
    pub(crate) excluded: Vec<Minterm>,
}

/// What is remembered from one abstraction to the next.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) encoder: Encoder,
    pub(crate) contradictions: Contradictions,
    pub(crate) untouched: Untouched,
    /// Predicates as terms where nothing that they read was written.
    unwritten: FxHashMap<ExprId, Term>,
}

/// What one thread works with.
pub(crate) struct Worker<'m> {
    pub(crate) memory: &'m mut Memory,
    pub(crate) solver: Box<dyn Solver>,
}

/// Predicates whose values are known before a step, as terms without outer negation.
struct Known {
    by_term: FxHashMap<Term, (Variable, bool)>,
    terms: Vec<Term>,
    /// What each variable says.
    by_variable: FxHashMap<Variable, Term>,
}

impl Known {
    fn new(worker: &Worker<'_>, pairs: Vec<(Variable, Term)>) -> Self {
        let by_variable = pairs.iter().copied().collect();
        let mut known = Known { by_term: FxHashMap::default(), terms: Vec::new(), by_variable };
        for (variable, term) in pairs {
            let (base, positive) = strip(&worker.memory.encoder, term);
            if matches!(worker.memory.encoder.terms.node(base), Node::Bool(_))
                || known.by_term.contains_key(&base)
            {
                continue;
            }
            known.by_term.insert(base, (variable, positive));
            known.terms.push(base);
        }
        known
    }

    fn minterm(&self, cube: &Cube) -> Minterm {
        cube.iter()
            .map(|&(term, holds)| {
                let (variable, positive) = self.by_term[&term];
                (variable, holds == positive)
            })
            .collect()
    }

    fn minterms(&self, cubes: &[Cube]) -> Vec<Minterm> {
        in_order(cubes.iter().map(|cube| self.minterm(cube)).collect())
    }
}

/// Conjunctions in an order that does not depend on how they were found.
fn in_order(mut minterms: Vec<Minterm>) -> Vec<Minterm> {
    minterms.iter_mut().for_each(|minterm| minterm.sort_unstable());
    minterms.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    minterms
}

/// The goals of a segment that something may be read of afterwards; and the predicates that are arbitrary from
/// then on.
fn to_keep(
    context: &Context<'_>,
    procedure: ProcId,
    segment: &Segment,
    known: &Known,
    goals: Vec<(Variable, Term)>,
) -> (Vec<(Variable, Term)>, Vec<Variable>) {
    let (unknown, dead) = segment.dead(context, procedure);
    let (forgotten, kept): (Vec<_>, Vec<_>) = goals
        .into_iter()
        .partition(|(variable, _)| matches!(variable, Variable::Predicate(i) if dead.contains(i)));
    // What was arbitrary before, and does not change, still is.
    let changes = |&(variable, goal): &(Variable, Term)| {
        let was_unknown = matches!(variable, Variable::Predicate(i) if unknown.contains(&i));
        !(was_unknown && known.by_variable.get(&variable) == Some(&goal))
    };
    (kept, forgotten.into_iter().filter(changes).map(|(variable, _)| variable).collect())
}

/// A term without negation around it, and whether there was none.
fn strip(encoder: &Encoder, term: Term) -> (Term, bool) {
    match *encoder.terms.node(term) {
        Node::Not(inner) => (inner, false),
        _ => (term, true),
    }
}

/// A segment, executed.
pub(crate) struct Executed {
    /// Literals before, with their terms.
    pub(crate) known: Vec<(Variable, Term)>,
    /// What a run that gets through satisfies.
    pub(crate) conditions: Vec<Term>,
    /// Predicates after, with their terms.
    pub(crate) goals: Vec<(Variable, Term)>,
}

impl Executed {
    fn terms(&mut self) -> impl Iterator<Item = &mut Term> {
        let predicates = self.known.iter_mut().chain(&mut self.goals).map(|(_, term)| term);
        self.conditions.iter_mut().chain(predicates)
    }
}

impl Worker<'_> {
    /// The abstraction of a segment by executing it; nothing if no run gets through it.
    pub(crate) fn abstract_touched(
        &mut self,
        context: &Context<'_>,
        procedure: ProcId,
        segment: &Segment,
        prefix: &Prefix,
    ) -> Result<Option<AbstractStep>, Stop> {
        self.memory.encoder.restart_names();
        let Some(mut executed) = self.execute(context, procedure, segment, prefix) else { return Ok(None) };
        let all: Vec<Term> = executed.terms().map(|term| *term).collect();
        let mut facts = self.memory.encoder.on(context.subject).axioms(&all);
        separate(&mut self.memory.encoder.terms, executed.terms().chain(&mut facts));
        let conditions = self.split(&executed.conditions);
        let known = Known::new(self, executed.known);
        let (goals, forgotten) = to_keep(context, procedure, segment, &known, executed.goals);
        let mut asker = Asker { worker: self, context, scope: procedure.index() as u32, facts, conditions };
        let blocked = asker.blocked(&known)?;
        if blocked.iter().any(Vec::is_empty) {
            return Ok(None);
        }
        let step = match context.options.method {
            Method::Cartesian => asker.cartesian(&known, &goals, &blocked)?,
            Method::Boolean => asker.boolean(&known, &goals, &blocked)?,
        };
        let mut step = AbstractStep { blocked: known.minterms(&blocked), ..step };
        let anything = || Update::Choose(Vec::new(), Vec::new());
        step.updates.extend(forgotten.into_iter().map(|variable| (variable, anything())));
        Ok(Some(step))
    }

    /// The impossible combinations of the predicates of a scope.
    pub(crate) fn impossible(
        &mut self,
        context: &Context<'_>,
        procedure: ProcId,
    ) -> Result<Vec<Minterm>, Stop> {
        let mut coder = self.memory.encoder.on(context.subject);
        let state = State::new(Frame::ONLY);
        let mut pairs: Vec<(Variable, Term)> = context
            .in_scope(procedure)
            .map(|i| (Variable::Predicate(i), coder.holds(&state, context.predicates[i].expr)))
            .collect();
        let terms: Vec<Term> = pairs.iter().map(|&(_, term)| term).collect();
        let mut facts = coder.axioms(&terms);
        let all = pairs.iter_mut().map(|(_, term)| term).chain(&mut facts);
        separate(&mut self.memory.encoder.terms, all);
        let mut excluded = self.trivially_impossible(&pairs);
        let known = Known::new(self, pairs);
        let mut asker =
            Asker { worker: self, context, scope: procedure.index() as u32, facts, conditions: Vec::new() };
        let cubes = asker.impossible(&known.terms)?;
        excluded.extend(known.minterms(&cubes));
        Ok(excluded)
    }

    /// Predicates that are constant, equal or opposite to another.
    fn trivially_impossible(&self, pairs: &[(Variable, Term)]) -> Vec<Minterm> {
        let mut first: FxHashMap<Term, (Variable, bool)> = FxHashMap::default();
        let mut excluded = Vec::new();
        for &(variable, term) in pairs {
            let (base, positive) = strip(&self.memory.encoder, term);
            if let Node::Bool(value) = *self.memory.encoder.terms.node(base) {
                excluded.push(vec![(variable, value != positive)]);
                continue;
            }
            match first.get(&base) {
                None => {
                    first.insert(base, (variable, positive));
                }
                Some(&(other, sign)) => {
                    let same = sign == positive;
                    excluded.push(vec![(other, true), (variable, !same)]);
                    excluded.push(vec![(other, false), (variable, same)]);
                }
            }
        }
        excluded
    }

    /// Conditions as a set of conjuncts.
    fn split(&mut self, conditions: &[Term]) -> Vec<Term> {
        let all = self.memory.encoder.terms.and(conditions);
        let mut conjuncts = match self.memory.encoder.terms.node(all) {
            Node::And(parts) => parts.to_vec(),
            Node::Bool(true) => Vec::new(),
            _ => vec![all],
        };
        conjuncts.sort_unstable();
        conjuncts
    }

    /// Executes a segment; nothing if no run gets through it.
    pub(crate) fn execute(
        &mut self,
        context: &Context<'_>,
        procedure: ProcId,
        segment: &Segment,
        prefix: &Prefix,
    ) -> Option<Executed> {
        let mut run = Run {
            coder: self.memory.encoder.on(context.subject),
            unwritten: &mut self.memory.unwritten,
            context,
            procedure,
            state: State::new(Frame::ONLY),
            conditions: Vec::new(),
            known: Vec::new(),
        };
        let updated = match segment.start {
            Start::Location(location) => {
                run.begin(location == context.program.procedures[procedure].entry, true);
                !matches!(segment.finish, Finish::Call(..))
            }
            Start::Call(edge, callee) => {
                run.begin(prefix.from_entry, false);
                run.edges(&prefix.edges)?;
                run.returned(edge, callee);
                true
            }
        };
        run.edges(&segment.edges)?;
        let mut goals = Vec::new();
        match segment.finish {
            Finish::Failure => {}
            Finish::Location(_) => {
                goals.extend(run.own_goals());
                goals.extend(run.global_goals());
            }
            Finish::Call(edge, callee) => {
                if updated {
                    goals.extend(run.own_goals());
                }
                goals.extend(run.global_goals());
                goals.extend(run.passed(edge, callee));
            }
        }
        Some(Executed { known: run.known, conditions: run.conditions, goals })
    }
}

/// Conditions and candidates that belong together.
#[derive(Debug, Default)]
struct Group {
    conditions: Vec<Term>,
    candidates: Vec<Term>,
    /// The first of the symbols that they mention.
    anchor: Option<Term>,
    is_about_one_cell: bool,
}

/// Asks about one segment.
struct Asker<'a, 'm> {
    worker: &'a mut Worker<'m>,
    context: &'a Context<'a>,
    scope: u32,
    facts: Vec<Term>,
    conditions: Vec<Term>,
}

impl Asker<'_, '_> {
    /// The minimal sets of literals over the candidates of a group that contradict its conditions.
    fn find(&mut self, group: &Group, impossible: &[Cube], limit: Option<usize>) -> Result<Vec<Cube>, Stop> {
        if group.candidates.is_empty() && group.conditions.is_empty() {
            return Ok(Vec::new());
        }
        if group.is_about_one_cell
            && group.candidates.len() <= MAX_EXACT
            && let Some(mut cubes) = single::contradictions(
                &self.worker.memory.encoder.terms,
                &group.conditions,
                &group.candidates,
            )
        {
            cubes.retain(|cube| !impossible.iter().any(|known| contains(cube, known)));
            return Ok(cubes);
        }
        let question = Question {
            scope: self.scope,
            anchor: group.anchor.filter(|_| group.conditions.is_empty()),
            background: &group.conditions,
            facts: &self.facts,
            candidates: &group.candidates,
            impossible,
            limit,
        };
        let Worker { memory: Memory { encoder, contradictions, .. }, solver } = &mut *self.worker;
        contradictions.find(&mut encoder.terms, &mut **solver, self.context.budget, &question)
    }

    /// The limit on the length of cubes. A few predicates about one cell, such as the bits of its
    /// value, need no limit.
    fn limit(&self, group: &Group) -> Option<usize> {
        let small = group.candidates.len() <= MAX_EXACT && group.is_about_one_cell;
        if small { None } else { self.context.options.cube_limit }
    }

    /// The impossible combinations among some candidates.
    fn impossible(&mut self, candidates: &[Term]) -> Result<Vec<Cube>, Stop> {
        let mut found = Vec::new();
        for group in self.groups(&[], candidates) {
            let limit = self.limit(&group);
            found.extend(self.find(&group, &[], limit)?);
        }
        Ok(found)
    }

    /// The combinations under which no run gets through.
    fn blocked(&mut self, known: &Known) -> Result<Vec<Cube>, Stop> {
        let conditions = self.conditions.clone();
        let mut found = Vec::new();
        for group in self.groups(&conditions, &known.terms) {
            // What nobody speaks of can only block the step for good.
            let encoder = &self.worker.memory.encoder;
            let is_open = group.candidates.is_empty() && are_plainly_possible(encoder, &group.conditions);
            if !group.conditions.is_empty() && !is_open {
                let impossible = self.impossible(&group.candidates)?;
                let limit = self.limit(&group);
                found.extend(self.find(&group, &impossible, limit)?);
            }
        }
        Ok(found)
    }

    /// Conditions and candidates in groups that share no symbol with each other.
    fn groups(&self, conditions: &[Term], candidates: &[Term]) -> Vec<Group> {
        let terms = &self.worker.memory.encoder.terms;
        let mut groups: Vec<(FxHashSet<Term>, Group)> = Vec::new();
        let all = conditions.iter().map(|&t| (t, true)).chain(candidates.iter().map(|&t| (t, false)));
        for (term, is_condition) in all {
            let symbols = terms.symbols(term);
            let mut merged = (FxHashSet::from_iter(symbols.iter().copied()), Group::default());
            if is_condition {
                merged.1.conditions.push(term);
            } else {
                merged.1.candidates.push(term);
            }
            let touching =
                |(known, _): &mut (FxHashSet<Term>, Group)| symbols.iter().any(|s| known.contains(s));
            let parts: Vec<_> = groups.extract_if(.., touching).collect();
            for (known, group) in parts {
                merged.0.extend(known);
                merged.1.conditions.extend(group.conditions);
                merged.1.candidates.extend(group.candidates);
            }
            groups.push(merged);
        }
        let finish = |(symbols, mut group): (FxHashSet<Term>, Group)| {
            group.conditions.sort_unstable();
            group.candidates.sort_unstable();
            group.anchor = symbols.iter().min().copied();
            group.is_about_one_cell = symbols.len() <= 1;
            group
        };
        let mut groups: Vec<Group> = groups.into_iter().map(finish).collect();
        groups.sort_unstable_by_key(|group| group.anchor);
        groups
    }

    /// The conditions and candidates that share a symbol with some terms, directly or through
    /// others: nothing else can matter.
    fn cone(&self, from: &[Term], known: &Known) -> Group {
        let terms = &self.worker.memory.encoder.terms;
        let mut reached: FxHashSet<Term> = FxHashSet::default();
        for &term in from {
            reached.extend(terms.symbols(term).iter().copied());
        }
        let mut inside = Group::default();
        for group in self.groups(&self.conditions, &known.terms) {
            let members = group.conditions.iter().chain(&group.candidates);
            let touches = members.into_iter().any(|&t| terms.symbols(t).iter().any(|s| reached.contains(s)));
            if touches {
                inside.conditions.extend(group.conditions);
                inside.candidates.extend(group.candidates);
            }
        }
        for &term in inside.conditions.iter().chain(&inside.candidates) {
            reached.extend(terms.symbols(term).iter().copied());
        }
        inside.is_about_one_cell = reached.len() <= 1;
        inside.conditions.sort_unstable();
        inside.candidates.sort_unstable();
        inside
    }

    /// The cover F(goal): minimal cubes that imply it, wherever a run gets through.
    fn cover(&mut self, goal: Term, known: &Known, blocked: &[Cube]) -> Result<Vec<Cube>, Stop> {
        let negation = self.worker.memory.encoder.terms.not(goal);
        let mut group = self.cone(&[goal], known);
        let mut impossible = self.impossible(&group.candidates)?;
        impossible.extend(blocked.iter().cloned());
        group.conditions.push(negation);
        group.conditions.sort_unstable();
        let limit = self.limit(&group);
        self.find(&group, &impossible, limit)
    }

    /// Whether a goal is what some variable, preferably its own, says already, or a constant.
    fn trivial(&self, variable: Variable, goal: Term, known: &Known) -> Option<Update> {
        if known.by_variable.get(&variable) == Some(&goal) {
            return Some(Update::Copy(variable, true));
        }
        let (base, positive) = strip(&self.worker.memory.encoder, goal);
        if let Node::Bool(value) = *self.worker.memory.encoder.terms.node(base) {
            return Some(Update::Constant(value == positive));
        }
        let &(variable, sign) = known.by_term.get(&base)?;
        Some(Update::Copy(variable, sign == positive))
    }

    fn cartesian(
        &mut self,
        known: &Known,
        goals: &[(Variable, Term)],
        blocked: &[Cube],
    ) -> Result<AbstractStep, Stop> {
        let mut step = AbstractStep::default();
        for &(variable, goal) in goals {
            let update = match self.trivial(variable, goal, known) {
                Some(update) => update,
                None => {
                    let yes = self.cover(goal, known, blocked)?;
                    let opposite = self.worker.memory.encoder.terms.not(goal);
                    let no = self.cover(opposite, known, blocked)?;
                    simplified(known.minterms(&yes), known.minterms(&no))
                }
            };
            if update != Update::Copy(variable, true) {
                step.updates.push((variable, update));
            }
        }
        Ok(step)
    }

    /// The most precise relation between old and new values: all impossible combinations of them
    /// (`003…` §4). A cube of the cover with the negated goal is one of those, so the limit on
    /// length is one more.
    fn boolean(
        &mut self,
        known: &Known,
        goals: &[(Variable, Term)],
        blocked: &[Cube],
    ) -> Result<AbstractStep, Stop> {
        let mut step = AbstractStep::default();
        let mut new: FxHashMap<Term, (Variable, bool)> = FxHashMap::default();
        let mut terms = Vec::new();
        for &(variable, goal) in goals {
            if let Some(update) = self.trivial(variable, goal, known) {
                if update != Update::Copy(variable, true) {
                    step.updates.push((variable, update));
                }
                continue;
            }
            let (base, positive) = strip(&self.worker.memory.encoder, goal);
            step.updates.push((variable, Update::Choose(Vec::new(), Vec::new())));
            let next = next(variable);
            match new.get(&base) {
                None => {
                    new.insert(base, (next, positive));
                    terms.push(base);
                }
                Some(&(other, sign)) => {
                    let same = sign == positive;
                    step.excluded.push(vec![(other, true), (next, !same)]);
                    step.excluded.push(vec![(other, false), (next, same)]);
                }
            }
        }
        let mut group = self.cone(&terms, known);
        let mut impossible = self.impossible(&group.candidates)?;
        impossible.extend(blocked.iter().cloned());
        group.candidates.extend(&terms);
        group.candidates.sort_unstable();
        let limit = self.limit(&group).map(|limit| limit + 1);
        for cube in self.find(&group, &impossible, limit)? {
            if cube.iter().any(|(term, _)| new.contains_key(term)) {
                let literal = |&(term, holds): &(Term, bool)| {
                    let (variable, positive) =
                        new.get(&term).copied().unwrap_or_else(|| known.by_term[&term]);
                    (variable, holds == positive)
                };
                step.excluded.push(cube.iter().map(literal).collect());
            }
        }
        step.excluded = in_order(step.excluded);
        Ok(step)
    }
}

/// The variable after the step.
pub(crate) fn next(variable: Variable) -> Variable {
    match variable {
        Variable::Predicate(i) => Variable::Next(i),
        Variable::Argument(i) => Variable::NextArgument(i),
        other => other,
    }
}

/// Recognises values that need no choice.
fn simplified(yes: Vec<Minterm>, no: Vec<Minterm>) -> Update {
    if yes.iter().any(Vec::is_empty) {
        return Update::Constant(true);
    }
    if no.iter().any(Vec::is_empty) {
        return Update::Constant(false);
    }
    if let ([only], [opposite]) = (&yes[..], &no[..])
        && let (&[(variable, value)], &[(other, negated)]) = (&only[..], &opposite[..])
        && variable == other
        && value != negated
    {
        return Update::Copy(variable, value);
    }
    Update::Choose(yes, no)
}
