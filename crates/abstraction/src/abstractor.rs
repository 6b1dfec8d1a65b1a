//! The abstraction of a whole program, step by step and in parallel.

use hardbop_alias::Alias;
use hardbop_base::{Budget, Stop};
use hardbop_bp::ast;
use hardbop_ir::{EdgeId, LocationId, ProcId, Program, Statement};
use hardbop_semantics::{Cell, Subject};
use hardbop_solver::{Limits, Solver};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};

use crate::back::BackMap;
use crate::contradiction::Counts;
use crate::emit::{Abstracted, emit};
use crate::live::Liveness;
use crate::segment::{Granularity, Prefix, Segment, prefix, segments};
use crate::signature::Signatures;
use crate::step::{AbstractStep, Memory, Minterm, Worker};
use crate::strengthen::Strengthened;
use crate::untouched::cells_read;
use hardbop_predicate::Predicate;

/// How precise a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Method {
    /// Each predicate's new value by itself (`003…` §6–7).
    #[default]
    Cartesian,
    /// The relation between all old and new values (`003…` §4), as a `constrain` clause.
    Boolean,
}

/// Who answers the questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Backend {
    /// Bit-blasting; z3 for programs over mathematical integers.
    #[default]
    Auto,
    /// z3.
    Z3,
    /// Bit-blasting onto a SAT solver.
    Blaster,
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct AbstractionOptions {
    /// How precise a step is.
    pub method: Method,
    /// The longest cube that is tried; nothing for no limit.
    pub cube_limit: Option<usize>,
    /// How much is abstracted at once.
    pub granularity: Granularity,
    /// Who answers.
    pub backend: Backend,
    /// How many threads to use.
    pub threads: usize,
    /// Whether predicates keep their values where nothing that they are about is read any more.
    pub keep_dead: bool,
    /// Limits of a single question.
    pub limits: Limits,
}

impl Default for AbstractionOptions {
    fn default() -> Self {
        AbstractionOptions {
            method: Method::Cartesian,
            cube_limit: Some(3),
            granularity: Granularity::Chain,
            backend: Backend::Auto,
            threads: 1,
            keep_dead: true,
            limits: Limits::default(),
        }
    }
}

/// A boolean program with what it stands for.
#[derive(Debug, Clone)]
pub struct Abstraction {
    /// The boolean program. Its statements have tags.
    pub program: ast::Program,
    /// What its statements, procedures and variables stand for.
    pub back: BackMap,
    /// What it took.
    pub statistics: Statistics,
}

/// Counts about an abstraction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Procedures abstracted.
    pub procedures: usize,
    /// Steps abstracted.
    pub steps: usize,
    /// Steps that were taken over from the last time.
    pub kept_steps: usize,
    /// Predicates.
    pub predicates: usize,
    /// What was asked.
    pub counts: Counts,
}

/// What all of one abstraction looks at.
pub(crate) struct Context<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) program: &'a Program,
    pub(crate) alias: &'a Alias,
    pub(crate) predicates: &'a [Predicate],
    pub(crate) signatures: &'a Signatures,
    pub(crate) options: &'a AbstractionOptions,
    pub(crate) budget: &'a Budget,
    liveness: &'a Liveness,
    /// Procedures whose bodies are not looked at.
    pub(crate) opaque: &'a FxHashSet<ProcId>,
    /// For each predicate, the cells that it reads; nothing if that cannot be told.
    pub(crate) cells: Vec<Option<Vec<Cell>>>,
    /// Where the boolean program starts.
    pub(crate) entry: ProcId,
    /// Whether the entry is not called later on.
    pub(crate) starts_once: bool,
}

impl<'a> Context<'a> {
    pub(crate) fn new(
        subject: Subject<'a>,
        predicates: &'a [Predicate],
        signatures: &'a Signatures,
        (options, budget): (&'a AbstractionOptions, &'a Budget),
        (liveness, opaque): (&'a Liveness, &'a FxHashSet<ProcId>),
    ) -> Self {
        let Subject { program, alias, .. } = subject;
        let cells = predicates.iter().map(|predicate| cells_read(subject, predicate.expr)).collect();
        let entry = effective_entry(program, alias).expect("a program with an entry");
        let starts_once = program.entry != Some(entry) || alias.calls().callers(entry).is_empty();
        Context {
            subject,
            program,
            alias,
            predicates,
            signatures,
            options,
            budget,
            liveness,
            opaque,
            cells,
            entry,
            starts_once,
        }
    }

    /// The predicates that need not be known at a location.
    pub(crate) fn dead(&self, procedure: ProcId, location: LocationId) -> FxHashSet<usize> {
        match self.options.keep_dead {
            true => FxHashSet::default(),
            false => self.liveness.dead(self.program, self.alias, procedure, location),
        }
    }

    /// The predicates that a procedure sees.
    pub(crate) fn in_scope(&self, procedure: ProcId) -> impl Iterator<Item = usize> {
        self.signatures.globals.iter().chain(&self.signatures.of(procedure).own).copied()
    }
}

/// Makes abstractions of one program, and remembers what the solver said.
pub struct Abstractor {
    pub(crate) options: AbstractionOptions,
    memories: Vec<Memory>,
    pub(crate) budget: Budget,
    pub(crate) strengthened: Strengthened,
    pub(crate) liveness: Liveness,
    pub(crate) opaque: FxHashSet<ProcId>,
}

/// One unit of work.
enum Task {
    Step { procedure: ProcId, segment: Segment, prefix: Prefix },
    Impossible(ProcId),
}

/// What became of it.
enum Done {
    Step(Option<AbstractStep>),
    Impossible(Vec<Minterm>),
}

impl Abstractor {
    /// An abstractor for one program; the budget ends every call when it is spent.
    pub fn new(options: AbstractionOptions, budget: Budget) -> Self {
        Abstractor {
            options,
            memories: Vec::new(),
            budget,
            strengthened: Strengthened::default(),
            liveness: Liveness::default(),
            opaque: FxHashSet::default(),
        }
    }

    /// From now on, calling one of these procedures makes arbitrary what it may change, and its body is not
    /// abstracted. That only adds runs.
    pub fn set_opaque(&mut self, procedures: &FxHashSet<ProcId>) {
        self.opaque.clone_from(procedures);
    }

    /// The abstraction of a program that has an entry. Successive calls must be about the same
    /// program and regions; predicates may change.
    pub fn run(&mut self, subject: Subject<'_>, predicates: &[Predicate]) -> Result<Abstraction, Stop> {
        let signatures = Signatures::new(subject.program, subject.alias, predicates);
        let options = self.options;
        let budget = self.budget.clone();
        let mut liveness = std::mem::take(&mut self.liveness);
        liveness.update(subject.program, predicates);
        let opaque = self.opaque.clone();
        let context =
            Context::new(subject, predicates, &signatures, (&options, &budget), (&liveness, &opaque));
        let before = self.counts();
        let (procedures, tasks) = plan(&context);
        let done = self.work(&context, &tasks)?;
        let mut abstracted: Vec<Abstracted> = procedures
            .iter()
            .map(|&procedure| Abstracted { procedure, steps: Vec::new(), impossible: Vec::new() })
            .collect();
        let steps = tasks.len() - procedures.len();
        for (task, done) in tasks.into_iter().zip(done) {
            let find = |p: ProcId| procedures.iter().position(|&q| q == p).expect("planned");
            match (task, done) {
                (Task::Step { procedure, segment, .. }, Done::Step(mut step)) => {
                    if let Some(step) = &mut step {
                        self.strengthened.apply(procedure, &segment, predicates, step);
                    }
                    abstracted[find(procedure)].steps.push((segment, step));
                }
                (Task::Impossible(procedure), Done::Impossible(cubes)) => {
                    abstracted[find(procedure)].impossible = cubes;
                }
                _ => unreachable!("tasks and results are in one order"),
            }
        }
        let (program, back) = emit(&context, &abstracted);
        self.liveness = liveness;
        let counts = difference(self.counts(), before);
        let statistics = Statistics {
            procedures: procedures.len(),
            steps,
            kept_steps: 0,
            predicates: predicates.len(),
            counts,
        };
        Ok(Abstraction { program, back, statistics })
    }

    /// What a single thread works with.
    pub(crate) fn worker(&mut self, context: &Context<'_>) -> Worker<'_> {
        self.memories.resize_with(self.options.threads.max(1), Memory::default);
        Worker { memory: &mut self.memories[0], solver: new_solver(context) }
    }

    /// Does all tasks. A task goes to the same memory each time, which knows the answers of before.
    fn work(&mut self, context: &Context<'_>, tasks: &[Task]) -> Result<Vec<Done>, Stop> {
        let count = self.options.threads.max(1);
        self.memories.resize_with(count, Memory::default);
        let perform = |number: usize, memory: &mut Memory| -> Result<Vec<(usize, Done)>, Stop> {
            // A solver belongs to the thread that made it. It keeps all that it was ever asked, and each
            // answer takes the longer for it; what it could share between steps is less.
            let mut worker = Worker { memory, solver: new_solver(context) };
            let mine = tasks.iter().enumerate().filter(|(_, task)| task.worker(count) == number);
            mine.map(|(i, task)| {
                let before = worker.memory.contradictions.counts.queries;
                let done = worker.perform(context, task)?;
                if worker.memory.contradictions.counts.queries > before {
                    worker.solver = new_solver(context);
                }
                Ok((i, done))
            })
            .collect()
        };
        let mut done = if let [only] = &mut self.memories[..] {
            perform(0, only)?
        } else {
            let perform = &perform;
            let results: Vec<Result<Vec<(usize, Done)>, Stop>> = std::thread::scope(|scope| {
                let memories = self.memories.iter_mut().enumerate();
                let start = |(number, memory)| {
                    std::thread::Builder::new().spawn_scoped(scope, move || perform(number, memory))
                };
                let threads: Vec<_> = memories.map(start).collect();
                let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                };
                // A thread that cannot be had is for lack of memory.
                threads.into_iter().map(|thread| thread.map_or(Err(Stop::Memory), join)).collect()
            });
            let mut all = Vec::new();
            for result in results {
                all.extend(result?);
            }
            all
        };
        done.sort_unstable_by_key(|&(i, _)| i);
        Ok(done.into_iter().map(|(_, done)| done).collect())
    }

    fn counts(&self) -> Counts {
        self.memories.iter().fold(Counts::default(), |sum, memory| {
            let counts = memory.contradictions.counts;
            Counts {
                queries: sum.queries + counts.queries,
                by_model: sum.by_model + counts.by_model,
                remembered: sum.remembered + counts.remembered,
                gave_up: sum.gave_up + counts.gave_up,
            }
        })
    }
}

impl Task {
    fn worker(&self, count: usize) -> usize {
        let mut hasher = FxHasher::default();
        match self {
            Task::Step { procedure, segment, .. } => (procedure, segment).hash(&mut hasher),
            Task::Impossible(procedure) => procedure.hash(&mut hasher),
        }
        (hasher.finish() >> 32) as usize % count
    }
}

fn new_solver(context: &Context<'_>) -> Box<dyn Solver> {
    let integers = match context.options.backend {
        Backend::Auto => context.program.uses_integers(),
        Backend::Z3 => true,
        Backend::Blaster => false,
    };
    let mut solver = hardbop_solver::new_solver(integers, context.budget);
    solver.set_limits(context.options.limits);
    solver
}

impl Worker<'_> {
    fn perform(&mut self, context: &Context<'_>, task: &Task) -> Result<Done, Stop> {
        match task {
            Task::Step { procedure, segment, prefix } => {
                Ok(Done::Step(self.abstract_segment(context, *procedure, segment, prefix)?))
            }
            Task::Impossible(procedure) => Ok(Done::Impossible(self.impossible(context, *procedure)?)),
        }
    }
}

/// All procedures that can be reached, the entry first, and what there is to do about them.
fn plan(context: &Context<'_>) -> (Vec<ProcId>, Vec<Task>) {
    let mut procedures = vec![context.entry];
    let mut tasks = Vec::new();
    let mut next = 0;
    while let Some(&procedure) = procedures.get(next) {
        next += 1;
        let all = segments(
            context.program,
            context.alias,
            (procedure, context.opaque),
            context.options.granularity,
        );
        for segment in &all {
            if let crate::segment::Finish::Call(_, callee) = segment.finish
                && !procedures.contains(&callee)
            {
                procedures.push(callee);
            }
        }
        tasks.push(Task::Impossible(procedure));
        for segment in &all {
            let prefix = prefix(context.program, procedure, &all, segment);
            tasks.push(Task::Step { procedure, segment: segment.clone(), prefix });
        }
    }
    (procedures, tasks)
}

/// Where the boolean program starts. The procedure that lowering puts in front of `main` is left
/// out if it does nothing but call it, and no other procedure calls `main`.
pub(crate) fn effective_entry(program: &Program, alias: &Alias) -> Option<ProcId> {
    let entry = program.entry?;
    let edges = program.procedures[entry].edges.iter();
    let calls = edges.filter(|(_, e)| matches!(e.statement, Statement::Call { .. })).map(|(edge, _)| edge);
    let calls: Vec<EdgeId> = calls.collect();
    let statements = program.procedures[entry].edges.values().map(|e| &e.statement);
    let plain = statements.into_iter().all(|statement| match statement {
        Statement::Call { .. } | Statement::Return | Statement::Skip => true,
        Statement::Assign(place, _) => {
            Some(program.place(*place).base)
                == program.procedures[entry].result.map(hardbop_ir::PlaceBase::Var)
        }
        _ => false,
    });
    if let ([edge], true) = (&calls[..], plain && program.procedures[entry].name.starts_with('$'))
        && let [callee] = alias.callees(entry, *edge)
        && program.procedures[*callee].external.is_none()
        && program.procedures[*callee].formals.is_empty()
        && alias.calls().callers(*callee).len() == 1
    {
        return Some(*callee);
    }
    Some(entry)
}

fn difference(now: Counts, before: Counts) -> Counts {
    Counts {
        queries: now.queries - before.queries,
        by_model: now.by_model - before.by_model,
        remembered: now.remembered - before.remembered,
        gave_up: now.gave_up - before.gave_up,
    }
}
