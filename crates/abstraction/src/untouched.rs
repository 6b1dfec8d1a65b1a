//! Steps that have nothing to do with any predicate.
//!
//! A driver has thousands of segments, and its predicates are about a few cells. A segment that writes none of these cells
//! leaves all predicates as they are, and one that reads none of them cannot be blocked by what they say. That can be
//! seen in its statements, without executing them. What is left open then is whether a run gets through it at all: if a
//! condition in it is about what it wrote or asked for before, it is executed, once.
//!
//! Whatever is overlooked here only makes a proof that is refused: certificates know nothing of this.

use hardbop_alias::Target;
use hardbop_base::Stop;
use hardbop_ir::{EdgeId, ExprId, ExprKind, ProcId, Statement, VarId, VarKind, visit};
use hardbop_semantics::{Cell, Frame, Subject};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Context;
use crate::segment::{Finish, Prefix, Segment, Start};
use crate::step::{AbstractStep, Update, Variable, Worker};

/// The cells that a statement reads and writes, as seen from its own activation.
#[derive(Debug, Clone, Default)]
struct Footprint {
    reads: Vec<Cell>,
    writes: Vec<Cell>,
    is_condition: bool,
    /// Whether there may be more.
    is_open: bool,
}

/// What is found out once.
#[derive(Default)]
pub(crate) struct Untouched {
    footprints: FxHashMap<(ProcId, EdgeId), Footprint>,
    /// Of segments that had to be executed: whether a run gets through.
    passable: FxHashMap<(ProcId, Segment, Prefix), bool>,
}

/// What the statements of a segment say.
enum Touched {
    /// It leaves all predicates as they are; nothing if no run gets through it.
    Nothing(Option<AbstractStep>),
    /// The same, if a run gets through it.
    PerhapsNothing,
    /// It has to be looked at.
    Something,
}

impl Untouched {
    /// What a segment has to do with predicates.
    fn of(
        &mut self,
        context: &Context<'_>,
        procedure: ProcId,
        segment: &Segment,
        prefix: &Prefix,
    ) -> Touched {
        let signatures = context.signatures;
        let passes = |callee: ProcId| !signatures.of(callee).entry.is_empty();
        let is_first = |at_entry: bool| at_entry && procedure == context.entry && context.starts_once;
        let entry = context.program.procedures[procedure].entry;
        let (at_entry, call) = match segment.start {
            Start::Location(location) => (location == entry, None),
            Start::Call(edge, callee) => (prefix.from_entry, Some((edge, callee))),
        };
        let returns = |callee: ProcId| !signatures.of(callee).results.is_empty();
        if is_first(at_entry)
            || call.is_some_and(|(_, callee)| passes(callee) || returns(callee))
            || matches!(segment.finish, Finish::Call(_, callee) if passes(callee))
        {
            return Touched::Something;
        }
        let mut walked = Walked::default();
        if at_entry {
            let p = &context.program.procedures[procedure];
            for &var in p.locals.iter().chain(&p.result).filter(|&&var| context.alias.in_memory(var)) {
                walked.written.extend(cells_of(context.subject, var));
            }
        }
        let before = prefix.edges.iter().copied().chain(call.map(|(edge, _)| edge));
        for edge in before.chain(segment.edges.iter().copied()) {
            walked.add(self.footprint(context.subject, procedure, edge));
        }
        // What the callee does is not part of it yet.
        if let Finish::Call(edge, _) = segment.finish {
            walked.read.extend(&self.footprint(context.subject, procedure, edge).reads);
        }
        if walked.is_open || Untouched::is_mentioned(context, procedure, &walked) {
            return Touched::Something;
        }
        match (walked.looks_back, self.passable.get(&(procedure, segment.clone(), prefix.clone()))) {
            (false, _) | (true, Some(true)) => {
                Touched::Nothing(Some(forgetting(context, procedure, segment)))
            }
            (true, Some(false)) => Touched::Nothing(None),
            (true, None) => Touched::PerhapsNothing,
        }
    }

    /// Notes whether a run gets through a segment.
    fn note(&mut self, procedure: ProcId, segment: &Segment, prefix: &Prefix, passable: bool) {
        self.passable.insert((procedure, segment.clone(), prefix.clone()), passable);
    }

    fn is_mentioned(context: &Context<'_>, procedure: ProcId, walked: &Walked) -> bool {
        context.in_scope(procedure).any(|i| match &context.cells[i] {
            Some(cells) => cells.iter().any(|cell| walked.has(cell)),
            None => true,
        })
    }

    fn footprint(&mut self, subject: Subject<'_>, procedure: ProcId, edge: EdgeId) -> &Footprint {
        self.footprints.entry((procedure, edge)).or_insert_with(|| Footprint::of(subject, procedure, edge))
    }
}

impl Worker<'_> {
    /// The abstraction of a segment; nothing if no run gets through it.
    pub(crate) fn abstract_segment(
        &mut self,
        context: &Context<'_>,
        procedure: ProcId,
        segment: &Segment,
        prefix: &Prefix,
    ) -> Result<Option<AbstractStep>, Stop> {
        let touched = self.memory.untouched.of(context, procedure, segment, prefix);
        if let Touched::Nothing(step) = touched {
            return Ok(step);
        }
        let step = self.abstract_touched(context, procedure, segment, prefix)?;
        if let Touched::PerhapsNothing = touched {
            self.memory.untouched.note(procedure, segment, prefix, step.is_some());
        }
        Ok(step)
    }
}

/// The step that changes nothing, but for predicates that need not be known any more.
fn forgetting(context: &Context<'_>, procedure: ProcId, segment: &Segment) -> AbstractStep {
    let mut step = AbstractStep::default();
    let sets_own = match (segment.start, segment.finish) {
        (_, Finish::Failure) | (Start::Location(_), Finish::Call(..)) => false,
        (_, Finish::Location(_)) | (Start::Call(..), Finish::Call(..)) => true,
    };
    if sets_own {
        let (unknown, dead) = segment.dead(context, procedure);
        let own = &context.signatures.of(procedure).own;
        for &i in own.iter().filter(|i| dead.contains(i) && !unknown.contains(i)) {
            step.updates.push((Variable::Predicate(i), Update::Choose(Vec::new(), Vec::new())));
        }
    }
    step
}

/// What the statements of a segment read and write, in order.
#[derive(Default)]
struct Walked {
    read: FxHashSet<Cell>,
    written: FxHashSet<Cell>,
    /// What conditions were about.
    asked: FxHashSet<Cell>,
    /// Whether a condition is about something written or asked about before.
    looks_back: bool,
    is_open: bool,
}

impl Walked {
    fn add(&mut self, footprint: &Footprint) {
        self.is_open |= footprint.is_open;
        if footprint.is_condition {
            let is_known = |cell: &Cell| self.written.contains(cell) || self.asked.contains(cell);
            self.looks_back |= footprint.reads.iter().any(is_known);
            self.asked.extend(&footprint.reads);
        }
        self.read.extend(&footprint.reads);
        self.written.extend(&footprint.writes);
    }

    fn has(&self, cell: &Cell) -> bool {
        self.read.contains(cell) || self.written.contains(cell)
    }
}

impl Footprint {
    fn of(subject @ Subject { program, alias, regions }: Subject<'_>, id: ProcId, edge: EdgeId) -> Self {
        let statement = &program.procedures[id].edges[edge].statement;
        let mut found = Footprint::default();
        for expr in visit::roots(program, statement) {
            found.is_open |= !add_read(subject, expr, &mut found.reads);
        }
        if let &Statement::Assume(condition) = statement {
            found.is_condition = true;
            found.is_open |= program.as_truth(condition) == Some(false);
        }
        let place = visit::operands(statement).0;
        if let Some(place) = place.filter(|&place| program.is_scalar(program.place(place).ty)) {
            match regions.target(program, alias, place) {
                Ok(target) => found.writes.extend(cell_of(subject, target)),
                Err(_) => found.is_open = true,
            }
        }
        found.writes.extend(visit::result(statement).into_iter().flat_map(|var| cells_of(subject, var)));
        for leaf in regions.bulks(id, edge).iter().flat_map(|bulk| &bulk.leaves) {
            found.writes.extend(leaf.target.map(Cell::Region));
            found.reads.extend(leaf.source.map(Cell::Region));
        }
        match statement {
            Statement::Call { .. } => {
                for &callee in alias.callees(id, edge) {
                    let modified = regions.modified(callee);
                    found.writes.extend(modified.registers.iter().map(|&var| Cell::Global(var)));
                    found.writes.extend(modified.regions.iter().map(|&region| Cell::Region(region)));
                }
            }
            Statement::Allocate { .. } => match alias.objects().allocation(id, edge) {
                Some(object) => found.writes.extend(regions.regions_of(object).into_iter().map(Cell::Region)),
                None => found.is_open = true,
            },
            _ => {}
        }
        found
    }
}

/// The cells that a predicate reads; nothing if that cannot be told.
pub(crate) fn cells_read(subject: Subject<'_>, expr: ExprId) -> Option<Vec<Cell>> {
    let mut cells = Vec::new();
    add_read(subject, expr, &mut cells).then_some(cells)
}

/// Adds the cells that an expression reads; whether that can be told.
fn add_read(subject: Subject<'_>, expr: ExprId, cells: &mut Vec<Cell>) -> bool {
    let Subject { program, alias, regions } = subject;
    let mut is_told = true;
    visit::exprs(program, [expr], &mut |part| {
        if let ExprKind::Load(place) = program.expr(part).kind {
            match regions.target(program, alias, place) {
                Ok(target) => cells.extend(cell_of(subject, target)),
                // Others are read by bulk accesses, which name their regions.
                Err(_) => is_told &= !program.is_scalar(program.place(place).ty),
            }
        }
    });
    is_told
}

fn cell_of(subject: Subject<'_>, target: Target) -> Option<Cell> {
    match target {
        Target::Register(var) => Some(register(subject, var)),
        Target::Region(region) => Some(Cell::Region(region)),
        Target::Nowhere => None,
    }
}

/// All cells of a variable.
fn cells_of(subject @ Subject { alias, regions, .. }: Subject<'_>, var: VarId) -> Vec<Cell> {
    match alias.objects().variable(var) {
        Some(object) => regions.regions_of(object).into_iter().map(Cell::Region).collect(),
        None => vec![register(subject, var)],
    }
}

fn register(Subject { program, .. }: Subject<'_>, var: VarId) -> Cell {
    match program.variables[var].kind {
        VarKind::Global | VarKind::Static => Cell::Global(var),
        _ => Cell::Local(Frame::ONLY, var),
    }
}
