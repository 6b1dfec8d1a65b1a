//! The program between the heads of its loops, with its calls written out.
//!
//! From each head the program is executed symbolically, in any state, up to the next heads. Paths that meet go on as one.
//! A head of a callee is another one for each chain of calls that leads there.
//!
//! A loop whose condition is decided by constants whenever its head is reached is no cut: its rounds are executed one
//! after the other, so that a search through a table of eight entries is part of one formula.
//!
//! A variable that holds the same number or address whenever a cut point is reached is *pinned* there: behind the cut point it is that
//! number. So `int n = 1000;` before a loop is as good as a macro, and a pointer that was passed as good as the array itself.

use hardbop_base::{Budget, Stop};
use hardbop_ir::{EdgeId, ExprId, ExprKind, LocationId, Orders, ProcId, Statement};
use hardbop_logic::{Node, Sort, Term, Terms, bits};
use hardbop_semantics::walk::{Here, JoinedPaths, Site, Walker, walk};
use hardbop_semantics::{Cell, Coder, Encoder, End, Frame, State, Subject};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most cut points.
const MAX_CUTS: usize = 200;
/// The most edges that are executed between cut points, in all.
const MAX_STEPS: usize = 60_000;
/// The most rounds of a loop that are executed one after the other.
const MAX_ROUNDS: u32 = 64;
/// Remainders of a step that are looked at: those that a loop starts with are mostly small.
const MAX_REMAINDERS: u128 = 8;
/// How often more variables may be pinned.
const MAX_PINNINGS: u32 = 6;
/// The most calls that are open at a time.
const MAX_DEPTH: usize = 64;

/// Why there is no system.
pub(crate) enum Refusal {
    /// The budget is spent.
    Stopped(Stop),
    /// The program is not for this engine.
    Unfit,
}

/// The head of a loop.
type Head = (ProcId, LocationId);

/// Why a walk ends.
pub(crate) enum Halt {
    Refused(Refusal),
    /// This head must be a cut after all.
    Cut(Head),
}

impl From<Stop> for Halt {
    fn from(stop: Stop) -> Self {
        Halt::Refused(Refusal::Stopped(stop))
    }
}

/// The head of a loop, below the calls that are open.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Cut {
    pub(crate) calls: Vec<(ProcId, EdgeId)>,
    pub(crate) procedure: ProcId,
    pub(crate) location: LocationId,
}

/// How a cut point is reached.
pub(crate) struct Exit {
    pub(crate) to: usize,
    pub(crate) guard: Term,
    pub(crate) state: State,
}

/// All that can happen from a cut point, or the start, to the next cut points.
#[derive(Default)]
pub(crate) struct Segment {
    pub(crate) exits: Vec<Exit>,
    /// When an error is reached, or something unsupported.
    pub(crate) errors: Vec<Term>,
    /// What names of guards stand for.
    pub(crate) definitions: Vec<(Term, Term)>,
}

/// The cut points of a program, and what happens between them.
pub(crate) struct System<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) encoder: Encoder,
    pub(crate) cuts: Vec<Cut>,
    /// That of the start of the program; then those of the cut points.
    pub(crate) segments: Vec<Segment>,
    /// What is pinned at each cut point.
    pub(crate) pins: Vec<Pins>,
}

/// Cells that hold the same value whenever a cut point is reached, in order.
pub(crate) type Pins = Vec<(Cell, Term)>;

impl<'a> System<'a> {
    /// The system of a program, in which heap objects may be counted.
    pub(crate) fn of(subject: Subject<'a>, counts_heap: bool, budget: &'a Budget) -> Result<Self, Refusal> {
        let Some(entry) = subject.program.entry else { return Err(Refusal::Unfit) };
        if subject.alias.shifting_variable().is_some() {
            return Err(Refusal::Unfit);
        }
        let mut certain = FxHashSet::default();
        let mut pinned: FxHashMap<Cut, Pins> = FxHashMap::default();
        let mut encoder = Encoder::default();
        encoder.track_heap(subject, true);
        if counts_heap {
            encoder.tally_heap();
        }
        let mut rounds = 0;
        loop {
            encoder.restart_names();
            let mut builder = Builder {
                subject,
                encoder: std::mem::take(&mut encoder),
                pinned: &pinned,
                budget,
                orders: Orders::default(),
                certain: &certain,
                cuts: Vec::new(),
                numbers: FxHashMap::default(),
                names: FxHashMap::default(),
                stack: Vec::new(),
                entry,
                steps: 0,
                late: None,
                segment: Segment::default(),
            };
            match builder.all() {
                Ok(segments) => {
                    let Builder { encoder: used, cuts, .. } = builder;
                    encoder = used;
                    let known = |cut: &Cut| pinned.get(cut).cloned().unwrap_or_default();
                    let pins: Vec<Pins> = cuts.iter().map(known).collect();
                    let found = pins_of(&mut encoder, subject, &segments, &pins);
                    rounds += 1;
                    if found == pins || rounds > MAX_PINNINGS {
                        return Ok(System { subject, encoder, cuts, segments, pins });
                    }
                    pinned = match rounds {
                        MAX_PINNINGS => FxHashMap::default(),
                        _ => cuts.into_iter().zip(found).collect(),
                    };
                }
                Err(Halt::Refused(refusal)) => return Err(refusal),
                Err(Halt::Cut(head)) => {
                    encoder = builder.encoder;
                    certain.insert(head);
                }
            }
        }
    }

    /// Whether heap objects are allocated or freed behind a cut point, and a number of the state goes up or down there.
    pub(crate) fn has_counters(&mut self) -> bool {
        let System { subject, encoder, segments, .. } = self;
        let kinds = encoder.heap_kinds();
        let exits = || segments.iter().skip(1).flat_map(|segment| &segment.exits);
        if !exits().any(|exit| kinds.iter().any(|&kind| exit.state.is_written(Cell::Live(kind)))) {
            return false;
        }
        exits().any(|exit| {
            exit.state.written().into_iter().any(|(cell, value)| {
                if matches!(encoder.terms.sort(value), Sort::Array(..)) {
                    return false;
                }
                let symbol = encoder.on(*subject).initial(cell);
                encoder.terms.subterms(&[value]).into_iter().any(|t| match encoder.terms.node(t) {
                    Node::BvSum(sum) => sum.constant != 0 && sum.parts[..] == [(1, symbol)],
                    _ => false,
                })
            })
        })
    }
}

/// The cells that hold the same value whenever a cut point is reached: numbers and addresses that were assigned before, as far as they
/// are read behind it. Those that are pinned already stay so.
fn pins_of(encoder: &mut Encoder, subject: Subject<'_>, segments: &[Segment], before: &[Pins]) -> Vec<Pins> {
    let mut cells: FxHashSet<Cell> = before.iter().flatten().map(|&(cell, _)| cell).collect();
    for segment in segments {
        let read = encoder.terms.symbols_of(&segment.roots());
        cells.extend(read.into_iter().filter_map(|symbol| encoder.cell_of(symbol)));
    }
    let mut cells: Vec<Cell> = cells
        .into_iter()
        .filter(|cell| !matches!(cell, Cell::Region(_) | Cell::Live(_) | Cell::Tally(..)))
        .collect();
    cells.sort_unstable();
    // For each cut point that is reached, what each cell holds there, if it is always the same.
    let mut held: Vec<Option<FxHashMap<Cell, Term>>> = vec![None; before.len()];
    let mut open: Vec<usize> = vec![0];
    while let Some(number) = open.pop() {
        let mut values = FxHashMap::default();
        if let Some(known) = number.checked_sub(1).and_then(|cut| held[cut].as_ref()) {
            values.extend(known.iter().map(|(&cell, &value)| (encoder.on(subject).initial(cell), value)));
        }
        for exit in &segments[number].exits {
            let mut now = FxHashMap::default();
            for &cell in &cells {
                let value = encoder.on(subject).get(&exit.state, cell);
                let value = encoder.terms.substitute(value, &values);
                if encoder.is_fixed(value) {
                    now.insert(cell, value);
                }
            }
            if let Some(known) = &held[exit.to] {
                now.retain(|cell, value| known.get(cell) == Some(value));
                if now.len() == known.len() {
                    continue;
                }
            }
            held[exit.to] = Some(now);
            open.push(exit.to + 1);
        }
    }
    let sorted = |held: Option<FxHashMap<Cell, Term>>| {
        let mut pins: Pins = held.unwrap_or_default().into_iter().collect();
        pins.sort_unstable();
        pins
    };
    held.into_iter().map(sorted).collect()
}

/// That cells hold what they are pinned to.
pub(crate) fn pinned(encoder: &mut Encoder, subject: Subject<'_>, pins: &Pins) -> Vec<Term> {
    let mut found = Vec::new();
    for &(cell, value) in pins {
        let symbol = encoder.on(subject).initial(cell);
        found.push(encoder.terms.eq(symbol, value));
    }
    found
}

/// The numbers of the state that a round of a loop makes larger or smaller by more than one, and by how much.
pub(crate) fn steps(encoder: &mut Encoder, subject: Subject<'_>, segments: &[Segment]) -> Vec<(Term, u128)> {
    let mut found = Vec::new();
    for (cut, segment) in segments.iter().skip(1).enumerate() {
        for (cell, value) in
            segment.exits.iter().filter(|exit| exit.to == cut).flat_map(|exit| exit.state.written())
        {
            let symbol = encoder.on(subject).initial(cell);
            let Node::BvSum(sum) = encoder.terms.node(value) else { continue };
            let step = bits::signed(sum.constant, encoder.terms.width(value)).unsigned_abs();
            if sum.parts[..] == [(1, symbol)] && step > 1 {
                found.push((symbol, step));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// That a number leaves some remainder when it is divided by a step, for the remainders that loops start with.
pub(crate) fn remainders(terms: &mut Terms, number: Term, step: u128) -> Vec<Term> {
    let width = terms.width(number);
    let divisor = terms.bv(step, width);
    let rest = terms.bv_urem(number, divisor);
    let mut found = Vec::new();
    for remainder in 0..step.min(MAX_REMAINDERS) {
        let remainder = terms.bv(remainder, width);
        found.push(terms.eq(rest, remainder));
    }
    found
}

impl Segment {
    /// All that it says.
    pub(crate) fn roots(&self) -> Vec<Term> {
        let guards = self.exits.iter().map(|exit| exit.guard);
        let written = self.exits.iter().flat_map(|exit| exit.state.written()).map(|(_, value)| value);
        let definitions = self.definitions.iter().map(|&(_, definition)| definition);
        self.errors.iter().copied().chain(definitions).chain(guards).chain(written).collect()
    }
}

struct Builder<'a, 'c> {
    subject: Subject<'a>,
    encoder: Encoder,
    /// What is pinned.
    pinned: &'c FxHashMap<Cut, Pins>,
    budget: &'a Budget,
    orders: Orders,
    /// Heads that are cuts, whatever the state there.
    certain: &'c FxHashSet<Head>,
    cuts: Vec<Cut>,
    numbers: FxHashMap<Cut, usize>,
    /// Symbols that stand for large guards.
    names: FxHashMap<Term, Term>,
    /// The calls that are open.
    stack: Vec<(ProcId, EdgeId)>,
    entry: ProcId,
    steps: usize,
    /// A head that must be a cut after all.
    late: Option<Head>,
    segment: Segment,
}

impl Builder<'_, '_> {
    fn all(&mut self) -> Result<Vec<Segment>, Halt> {
        let mut segments = vec![self.start()?];
        while let Some(cut) = self.cuts.get(segments.len() - 1).cloned() {
            if self.cuts.len() > MAX_CUTS {
                return Err(Halt::Refused(Refusal::Unfit));
            }
            segments.push(self.behind(cut)?);
        }
        Ok(segments)
    }

    /// What happens from the start of the program on.
    fn start(&mut self) -> Result<Segment, Halt> {
        let mut state = State::new(Frame::ONLY);
        let mut conditions = Vec::new();
        let mut coder = self.encoder.on(self.subject);
        coder.initialise(&mut state, &mut conditions);
        coder.forget_locals(&mut state, self.entry);
        let guard = coder.encoder.terms.and(&conditions);
        let first = self.subject.program.procedures[self.entry].entry;
        self.enter(self.entry, first, JoinedPaths { state, guard })?;
        self.segment()
    }

    /// What happens from a cut point on, in the callers too when its procedure is left.
    fn behind(&mut self, cut: Cut) -> Result<Segment, Halt> {
        self.stack.clone_from(&cut.calls);
        self.names.clear();
        let mut state = State::new(Frame::ONLY);
        let mut coder = self.encoder.on(self.subject);
        coder.hold_constants(&mut state);
        for &(cell, value) in self.pinned.get(&cut).into_iter().flatten() {
            coder.set(&mut state, cell, value);
        }
        let way = JoinedPaths { state, guard: self.encoder.terms.bool(true) };
        let mut callee = cut.procedure;
        let mut left = walk(self, callee, cut.location, way)?;
        while let Some((caller, edge)) = self.stack.pop() {
            let Some(mut way) = left else { break };
            way.take_result(&mut self.encoder.on(self.subject), (caller, edge), callee, Frame::ONLY);
            let target = self.subject.program.procedures[caller].edges[edge].target;
            left = self.enter(caller, target, way)?;
            callee = caller;
        }
        self.segment()
    }

    /// The segment that was executed.
    fn segment(&mut self) -> Result<Segment, Halt> {
        match self.late.take() {
            Some(head) => Err(Halt::Cut(head)),
            None => Ok(std::mem::take(&mut self.segment)),
        }
    }

    /// Goes on at a location to which no edge of this walk led.
    fn enter(
        &mut self,
        procedure: ProcId,
        location: LocationId,
        way: JoinedPaths,
    ) -> Result<Option<JoinedPaths>, Halt> {
        let order = self.orders.of(self.subject.program, procedure);
        if order.is_head(location) && self.is_cut(procedure, location, 0, &way).map_err(Halt::Cut)? {
            self.note_exit(procedure, location, way);
            return Ok(None);
        }
        walk(self, procedure, location, way)
    }

    /// Whether paths end at the head of a loop, unless it must be a cut and is none yet.
    fn is_cut(
        &mut self,
        procedure: ProcId,
        head: LocationId,
        round: u32,
        way: &JoinedPaths,
    ) -> Result<bool, Head> {
        if self.certain.contains(&(procedure, head)) {
            return Ok(true);
        }
        if round < MAX_ROUNDS && self.is_decided(procedure, head, way) {
            return Ok(false);
        }
        Err((procedure, head))
    }

    /// Whether constants decide what happens at the head of a loop, which are not in the program text itself.
    fn is_decided(&mut self, procedure: ProcId, head: LocationId, way: &JoinedPaths) -> bool {
        let program = self.subject.program;
        let order = self.orders.of(program, procedure);
        let mut conditions: Vec<ExprId> = Vec::new();
        for &edge in order.leaving(head) {
            match program.procedures[procedure].edges[edge].statement {
                Statement::Assume(condition) => conditions.push(condition),
                _ => return false,
            }
        }
        let mut coder = self.encoder.on(self.subject);
        conditions.into_iter().all(|condition| {
            let plain = matches!(program.expr(condition).kind, ExprKind::Bool(_) | ExprKind::Int(_));
            let holds = coder.holds(&way.state, condition);
            !plain && coder.encoder.terms.as_bool(holds).is_some()
        })
    }

    fn note_exit(&mut self, procedure: ProcId, location: LocationId, way: JoinedPaths) {
        let cut = Cut { calls: self.stack.clone(), procedure, location };
        let next = self.cuts.len();
        let to = *self.numbers.entry(cut.clone()).or_insert(next);
        if to == next {
            self.cuts.push(cut);
        }
        let known = self.segment.exits.iter().position(|exit| exit.to == to);
        let before = known.map(|at| self.segment.exits.swap_remove(at));
        let before = before.map(|Exit { guard, state, .. }| JoinedPaths { state, guard });
        let JoinedPaths { state, guard } = way.join(&mut self.encoder.on(self.subject), before);
        let guard = self.named(guard);
        self.segment.exits.push(Exit { to, guard, state });
    }

    /// A guard under a short name.
    fn named(&mut self, guard: Term) -> Term {
        if !self.encoder.is_long(guard) {
            return guard;
        }
        if let Some(&name) = self.names.get(&guard) {
            return name;
        }
        let name = self.encoder.on(self.subject).arbitrary(Sort::Bool);
        let definition = self.encoder.terms.iff(name, guard);
        self.names.insert(guard, name);
        self.segment.definitions.push((name, definition));
        name
    }
}

impl Walker for Builder<'_, '_> {
    type Stop = Halt;

    fn parts(&mut self) -> (Coder<'_>, &mut Orders) {
        (self.encoder.on(self.subject), &mut self.orders)
    }

    fn pass(&mut self, _: &Here<'_>, mut way: JoinedPaths) -> Result<Option<JoinedPaths>, Halt> {
        self.budget.check()?;
        way.guard = self.named(way.guard);
        Ok(Some(way))
    }

    fn take(&mut self) -> Result<(), Halt> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(Halt::Refused(Refusal::Unfit));
        }
        self.late.take().map_or(Ok(()), |head| Err(Halt::Cut(head)))
    }

    fn call(
        &mut self,
        call: Site,
        callee: ProcId,
        mut way: JoinedPaths,
    ) -> Result<Option<JoinedPaths>, Halt> {
        let is_open = call.0 == callee || self.stack.iter().any(|&(caller, _)| caller == callee);
        if is_open || self.stack.len() >= MAX_DEPTH {
            return Err(Halt::Refused(Refusal::Unfit));
        }
        let mut coder = self.encoder.on(self.subject);
        way.pass_arguments(&mut coder, call, callee, Frame::ONLY);
        coder.forget_locals(&mut way.state, callee);
        self.stack.push(call);
        let left = self.enter(callee, self.subject.program.procedures[callee].entry, way)?;
        self.stack.pop();
        Ok(left.map(|mut way| {
            way.take_result(&mut self.encoder.on(self.subject), call, callee, Frame::ONLY);
            way
        }))
    }

    fn end(&mut self, _: Site, end: End, way: JoinedPaths) {
        if let End::Error(_) | End::Unsupported(_) = end {
            let guard = self.named(way.guard);
            self.segment.errors.push(guard);
        }
    }

    fn arrive(&mut self, from: &Here<'_>, target: LocationId, way: JoinedPaths) -> Option<JoinedPaths> {
        if !from.order.is_head(target) {
            return Some(way);
        }
        let key = from.order.next(from.location, &from.key, target);
        let round = key.len().checked_sub(2).and_then(|at| key.get(at)).copied().unwrap_or(0);
        match self.is_cut(from.procedure, target, round, &way) {
            Ok(false) => return Some(way),
            Ok(true) => self.note_exit(from.procedure, target, way),
            Err(head) => self.late = Some(head),
        }
        None
    }
}
