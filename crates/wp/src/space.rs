//! The program as a graph of cut points, with all that happens between two of them as one formula.
//!
//! The exterior cover is applied at loops and at recursive procedures only (`001…` §3, §6). So the
//! points that matter are the heads of loops and the entries of *units*: the procedure where the
//! program starts, and the targets of back edges of the call graph. Every other procedure is executed
//! where it is called, which is what the summary Δ_p of a procedure without cover amounts to; the head
//! of a loop in it is a cut point for each chain of calls that leads there.
//!
//! From each cut point the program is executed symbolically, in any state, up to the next ones. Ways
//! that meet go on as one. What results is a [`Segment`]: for each point that is arrived at the
//! condition and the state, both in terms of the state at the start. The pre-image of a set of states
//! is then a substitution. A call of a unit leaves what the unit may change arbitrary, and a symbol for
//! the condition that its summary relates the state before to the one after; the user of the segment
//! says which summary.
//!
//! Departures from the text: assignments through references are executed by `semantics` and taken apart
//! in [`crate::memory`], over all dereferences of the postcondition (the text says: of e) and
//! simultaneously. Address and contents of a local belong to an activation: the text's one index per
//! variable would mix up those of a recursive procedure. Writes through `out` parameters change cells
//! of memory, which summaries relate like globals, so that Δ_p does not lose them. Return values are
//! one more cell of the state at the exit (the exercise of §6).

use hardbop_base::{Budget, Stop};
use hardbop_certify::backward::{at_exit, changes};
use hardbop_ir::{EdgeId, LocationId, Orders, ProcId};
use hardbop_logic::{Sort, Term};
use hardbop_semantics::path::PathStep;
use hardbop_semantics::walk::{Here, JoinedPaths, Site, Walker, walk};
use hardbop_semantics::{Cell, Coder, Encoder, End, Frame, Meaning, Object, State, Subject};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::memory::Memory;

/// The frame of the formals of a unit that is called.
const CALLEE: Frame = Frame(1);

/// The most cut points, and the most edges between them.
const MAX_CUTS: usize = 400;
const MAX_STEPS: usize = 50_000;

/// Why there is no graph.
pub(crate) enum Refusal {
    /// The budget is spent.
    Stopped(Stop),
    /// The program is not for this engine.
    Unfit(String),
}

impl From<Stop> for Refusal {
    fn from(stop: Stop) -> Self {
        Refusal::Stopped(stop)
    }
}

/// The start of the program, or a procedure that calls itself, directly or through others.
pub(crate) struct Unit {
    pub(crate) procedure: ProcId,
    /// Its entry among the cut points.
    pub(crate) entry: usize,
    /// Whether it is called from within the program.
    pub(crate) is_called: bool,
    /// What it may change, as it is known to callers, and its result.
    pub(crate) changes: Vec<Cell>,
}

/// The entry of a unit, or the head of a loop in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Cut {
    /// The number of the unit.
    pub(crate) unit: usize,
    /// The calls that are open, from the unit's procedure on.
    pub(crate) calls: Vec<(ProcId, EdgeId)>,
    /// Where.
    pub(crate) procedure: ProcId,
    pub(crate) location: LocationId,
    /// Whether it is the entry of the unit; the same location may be the head of a loop as well.
    pub(crate) is_entry: bool,
}

/// Where a segment leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// To another cut point.
    Cut(usize),
    /// Out of the unit.
    Exit,
}

/// The values of symbols for the state; those that are missing keep theirs.
pub(crate) type Values = FxHashMap<Term, Term>;

/// An arrival.
pub(crate) struct Arrival {
    pub(crate) target: Target,
    /// Whether it is within the loop of the cut point it comes from.
    pub(crate) stays: bool,
    pub(crate) guard: Term,
    pub(crate) values: Values,
}

/// A call of a unit.
pub(crate) struct Call {
    pub(crate) unit: usize,
    /// When it is made.
    pub(crate) guard: Term,
    /// That the summary relates the state before to the one after.
    pub(crate) returns: Term,
    /// What the callee's symbols for the state at its entry and at its exit stand for.
    pub(crate) values: Values,
}

/// All that can happen from a cut point to the next ones.
#[derive(Default)]
pub(crate) struct Segment {
    pub(crate) arrivals: Vec<Arrival>,
    /// When an error is reached.
    pub(crate) errors: Vec<Term>,
    /// When something that has no meaning is reached.
    pub(crate) unsupported: Vec<(Term, String)>,
    pub(crate) calls: Vec<Call>,
    /// The steps, in an order in which runs can take them, each with when it is taken.
    pub(crate) steps: Vec<(PathStep, Term)>,
}

/// A segment as it was executed.
#[derive(Default)]
struct Executed {
    arrivals: Vec<(Target, bool, JoinedPaths)>,
    errors: Vec<Term>,
    unsupported: Vec<(Term, String)>,
    calls: Vec<Made>,
    steps: Vec<(PathStep, Term)>,
}

/// A call in it.
struct Made {
    unit: usize,
    guard: Term,
    /// The state when it is made; formals of the callee are set.
    before: State,
    returns: Term,
    /// The values after, in the order of [`Unit::changes`].
    after: Vec<Term>,
}

/// The graph.
pub(crate) struct Space<'a> {
    pub(crate) subject: Subject<'a>,
    pub(crate) encoder: Encoder,
    pub(crate) units: Vec<Unit>,
    pub(crate) cuts: Vec<Cut>,
    pub(crate) segments: Vec<Segment>,
    orders: Orders,
    numbers: FxHashMap<Cut, usize>,
    exits: FxHashMap<Term, Cell>,
    /// How the program starts: what holds, and the values of the state.
    pub(crate) start: (Vec<Term>, Values),
    memory: Memory,
    steps: usize,
    budget: &'a Budget,
}

impl<'a> Space<'a> {
    /// The graph of a program.
    pub(crate) fn of(subject: Subject<'a>, budget: &'a Budget) -> Result<Self, Refusal> {
        let Some(entry) = subject.program.entry else {
            return Err(Refusal::Unfit("the program has no entry".to_owned()));
        };
        let mut space = Space {
            subject,
            encoder: Encoder::default(),
            units: Vec::new(),
            cuts: Vec::new(),
            segments: Vec::new(),
            orders: Orders::default(),
            numbers: FxHashMap::default(),
            exits: FxHashMap::default(),
            start: (Vec::new(), Values::default()),
            memory: Memory::default(),
            steps: 0,
            budget,
        };
        let called = back_edge_targets(subject, entry);
        let others = called.iter().copied().filter(|&p| p != entry);
        for procedure in std::iter::once(entry).chain(others) {
            space.add_unit(procedure, called.contains(&procedure));
        }
        // Executing a segment finds the cut points that it leads to.
        let mut executed = Vec::new();
        while executed.len() < space.cuts.len() {
            budget.check()?;
            if space.cuts.len() > MAX_CUTS {
                return Err(Refusal::Unfit(
                    "there are too many loops, counted for each chain of calls".into(),
                ));
            }
            let segment = space.execute(executed.len())?;
            executed.push(segment);
        }
        space.settle(executed);
        Ok(space)
    }

    fn add_unit(&mut self, procedure: ProcId, is_called: bool) {
        let changes = changes(&mut self.encoder, self.subject, procedure);
        let unit = self.units.len();
        let location = self.subject.program.procedures[procedure].entry;
        let entry = self.number(Cut { unit, calls: Vec::new(), procedure, location, is_entry: true });
        self.units.push(Unit { procedure, entry, is_called, changes });
    }

    fn number(&mut self, cut: Cut) -> usize {
        if let Some(&number) = self.numbers.get(&cut) {
            return number;
        }
        let number = self.cuts.len();
        self.cuts.push(cut.clone());
        self.numbers.insert(cut, number);
        number
    }

    /// The symbol for the value of a cell when the unit is left.
    pub(crate) fn at_exit(&mut self, cell: Cell) -> Term {
        let symbol = at_exit(&mut self.encoder, self.subject, cell);
        self.exits.insert(symbol, cell);
        symbol
    }

    /// The cell whose value at the exit a symbol stands for.
    pub(crate) fn exit_cell(&self, symbol: Term) -> Option<Cell> {
        self.exits.get(&symbol).copied()
    }

    /// Whether a symbol stands for a value of the state at a cut point.
    pub(crate) fn is_value(&self, symbol: Term) -> bool {
        let cell = match self.memory.place(symbol) {
            Some((array, _)) => self.encoder.cell_of(array),
            None => self.encoder.cell_of(symbol),
        };
        cell.is_some()
    }

    /// Whether a symbol stands for part of the state at a cut point of a unit, or at its exit. Others
    /// are values that were chosen on the way; addresses are constants.
    pub(crate) fn is_state(&self, symbol: Term) -> bool {
        self.exits.contains_key(&symbol)
            || self.is_value(symbol)
            || matches!(self.encoder.meaning_of(symbol), Some(Meaning::Address(_)))
    }

    /// The array and the address whose contents a symbol is.
    pub(crate) fn place(&self, symbol: Term) -> Option<(Term, Term)> {
        self.memory.place(symbol)
    }

    /// A term that reads memory instead of having symbols for its contents.
    pub(crate) fn in_memory(&mut self, term: Term) -> Term {
        let mut reads = FxHashMap::default();
        for symbol in self.encoder.terms.symbols(term) {
            if let Some((array, address)) = self.memory.place(symbol) {
                let read = self.encoder.terms.select(array, address);
                reads.insert(symbol, read);
            }
        }
        self.encoder.terms.substitute(term, &reads)
    }

    /// The inverse of [`Space::in_memory`].
    pub(crate) fn plain(&mut self, term: Term) -> Term {
        self.memory.plain(&mut self.encoder, term)
    }

    /// Whether a symbol is the address of a variable of an activation.
    pub(crate) fn is_own_address(&self, symbol: Term) -> bool {
        match self.encoder.meaning_of(symbol) {
            Some(Meaning::Address(Object::Variable(_, var))) => {
                let kind = self.subject.program.variables[var].kind;
                !matches!(kind, hardbop_ir::VarKind::Global | hardbop_ir::VarKind::Static)
            }
            _ => false,
        }
    }

    /// Whether a term can be known at a cut point: nothing in it was chosen on the way, and at the
    /// entry of a unit that is called, nothing belongs to the activation but formals.
    pub(crate) fn is_known_at(&self, cut: usize, term: Term) -> bool {
        let Cut { unit, is_entry, .. } = self.cuts[cut];
        let formals = &self.subject.program.procedures[self.units[unit].procedure].formals;
        let fits = |&symbol: &Term| {
            self.is_state(symbol)
                && !(self.memory.is_separate() && matches!(self.encoder.terms.sort(symbol), Sort::Array(..)))
                && !(is_entry
                    && self.units[unit].is_called
                    && (self.is_own_address(symbol)
                        || matches!(self.encoder.cell_of(symbol),
                            Some(Cell::Local(_, var)) if !formals.contains(&var))))
        };
        self.encoder.terms.symbols(term).iter().all(fits)
    }

    /// A condition on the state at a point, in terms of the state from which the point is arrived at.
    pub(crate) fn before(&mut self, condition: Term, values: &Values) -> Term {
        self.encoder.terms.substitute(condition, values)
    }

    /// A condition on the state at the entry of a unit and at its exit, at a call.
    pub(crate) fn at_call(&mut self, condition: Term, (cut, call): (usize, usize)) -> Term {
        self.encoder.terms.substitute(condition, &self.segments[cut].calls[call].values)
    }

    /// That the state at the exit is the one of an arrival there.
    pub(crate) fn exits_with(&mut self, unit: usize, values: &Values) -> Term {
        let cells = self.units[unit].changes.clone();
        let mut same = Vec::new();
        for cell in cells {
            let after = self.at_exit(cell);
            let symbol = self.encoder.on(self.subject).initial(cell);
            let value = values.get(&symbol).copied().unwrap_or(symbol);
            same.push(self.encoder.terms.eq(after, value));
        }
        self.encoder.terms.and(&same)
    }

    /// Turns what was executed into segments. If the contents of variables can be values of their own,
    /// they are; what it takes for that is known when all reads are.
    fn settle(&mut self, executed: Vec<Executed>) {
        let mut initial = State::new(Frame::ONLY);
        let mut conditions = Vec::new();
        self.encoder.on(self.subject).initialise(&mut initial, &mut conditions);
        for segment in &executed {
            self.segment(segment);
        }
        if self.units.iter().all(|unit| !unit.is_called) {
            self.memory.separate();
        }
        for segment in &executed {
            let segment = self.segment(segment);
            self.segments.push(segment);
        }
        let values = self.values(&initial);
        let conditions = conditions.into_iter().map(|condition| self.plain(condition)).collect();
        self.start = (conditions, values);
    }

    fn segment(&mut self, executed: &Executed) -> Segment {
        let mut segment = Segment::default();
        segment.errors.extend(executed.errors.iter().map(|&guard| self.plain(guard)));
        for (guard, what) in &executed.unsupported {
            segment.unsupported.push((self.plain(*guard), what.clone()));
        }
        segment.steps.extend(executed.steps.iter().map(|&(step, guard)| (step, self.plain(guard))));
        for &(target, stays, JoinedPaths { ref state, guard }) in &executed.arrivals {
            let (guard, values) = (self.plain(guard), self.values(state));
            segment.arrivals.push(Arrival { target, stays, guard, values });
        }
        for made in &executed.calls {
            let values = self.values_at_call(made);
            segment.calls.push(Call {
                unit: made.unit,
                guard: self.plain(made.guard),
                returns: made.returns,
                values,
            });
        }
        segment
    }

    /// The values of a state, by symbol.
    fn values(&mut self, state: &State) -> Values {
        let mut values = Values::default();
        for (cell, value) in state.written() {
            let symbol = self.encoder.on(self.subject).initial(cell);
            let value = self.plain(value);
            if !self.memory.is_separate() || !matches!(self.encoder.terms.sort(symbol), Sort::Array(..)) {
                values.insert(symbol, value);
                continue;
            }
            for address in self.memory.addresses() {
                let slot = self.memory.read(&mut self.encoder, symbol, address);
                let contents = self.memory.read(&mut self.encoder, value, address);
                values.insert(slot, contents);
            }
        }
        values
    }

    /// What the symbols of a callee stand for at a call.
    fn values_at_call(&mut self, made: &Made) -> Values {
        let mut values = Values::default();
        for (cell, value) in made.before.written() {
            let known = match cell {
                Cell::Local(CALLEE, var) => Cell::Local(Frame::ONLY, var),
                Cell::Local(..) => continue,
                shared => shared,
            };
            let symbol = self.encoder.on(self.subject).initial(known);
            let value = self.plain(value);
            values.insert(symbol, value);
        }
        for (cell, &value) in self.units[made.unit].changes.clone().into_iter().zip(&made.after) {
            let symbol = self.at_exit(cell);
            values.insert(symbol, value);
        }
        values
    }

    /// Executes everything from a cut point to the next ones.
    fn execute(&mut self, from: usize) -> Result<Executed, Refusal> {
        let Cut { calls, procedure, location, is_entry, .. } = self.cuts[from].clone();
        let mut state = State::new(Frame::ONLY);
        if is_entry {
            self.encoder.on(self.subject).forget_locals(&mut state, procedure);
        }
        let guard = self.encoder.terms.bool(true);
        let mut run = Run { space: self, from, calls, segment: Executed::default() };
        let mut callee = procedure;
        let mut left = walk(&mut run, procedure, location, JoinedPaths { state, guard })?;
        while let Some((caller, edge)) = run.calls.pop() {
            let Some(way) = left else { break };
            let way = run.leave((caller, edge), callee, way);
            let target = run.space.subject.program.procedures[caller].edges[edge].target;
            callee = caller;
            left = match run.cut(caller, target, way) {
                Some(way) => walk(&mut run, caller, target, way)?,
                None => None,
            };
        }
        run.segment.arrivals.extend(left.map(|way| (Target::Exit, false, way)));
        Ok(run.segment)
    }
}

/// The execution of a segment.
struct Run<'s, 'a> {
    space: &'s mut Space<'a>,
    from: usize,
    /// The calls that are open.
    calls: Vec<(ProcId, EdgeId)>,
    segment: Executed,
}

impl Run<'_, '_> {
    fn coder(&mut self) -> Coder<'_> {
        self.space.encoder.on(self.space.subject)
    }

    /// Comes to a location: the segment ends at the head of a loop, and goes on elsewhere.
    fn cut(&mut self, procedure: ProcId, location: LocationId, way: JoinedPaths) -> Option<JoinedPaths> {
        if !self.space.orders.of(self.space.subject.program, procedure).is_head(location) {
            return Some(way);
        }
        let unit = self.space.cuts[self.from].unit;
        let calls = self.calls.clone();
        let cut = self.space.number(Cut { unit, calls, procedure, location, is_entry: false });
        let stays = self.stays(cut);
        let target = Target::Cut(cut);
        let before = self.segment.arrivals.iter().position(|(known, ..)| *known == target);
        let before = before.map(|i| self.segment.arrivals.remove(i).2);
        let way = way.join(&mut self.coder(), before);
        self.segment.arrivals.push((target, stays, way));
        None
    }

    /// Whether a cut point lies in the loop whose head is the start of the segment.
    fn stays(&mut self, cut: usize) -> bool {
        let (from, to) = (self.space.cuts[self.from].clone(), self.space.cuts[cut].clone());
        if from.is_entry || !to.calls.starts_with(&from.calls) {
            return false;
        }
        let order = self.space.orders.of(self.space.subject.program, from.procedure);
        let within = match to.calls.get(from.calls.len()) {
            Some(&(caller, edge)) => self.space.subject.program.procedures[caller].edges[edge].source,
            None => to.location,
        };
        order.is_in_loop(within, from.location)
    }

    /// Returns from a procedure that was executed where it was called.
    fn leave(&mut self, call: Site, callee: ProcId, mut way: JoinedPaths) -> JoinedPaths {
        way.take_result(&mut self.coder(), call, callee, Frame::ONLY);
        self.segment.steps.push((PathStep::Leave, way.guard));
        way
    }

    /// A call of which only the summary is known.
    fn summarised(&mut self, call: Site, unit: usize, mut way: JoinedPaths) -> JoinedPaths {
        let callee = self.space.units[unit].procedure;
        let cells = self.space.units[unit].changes.clone();
        let mut coder = self.coder();
        way.pass_arguments(&mut coder, call, callee, CALLEE);
        let JoinedPaths { state: before, guard } = way.clone();
        let returns = coder.arbitrary(Sort::Bool);
        let mut after = Vec::new();
        for cell in cells {
            let here = match cell {
                Cell::Local(_, var) => Cell::Local(CALLEE, var),
                other => other,
            };
            coder.forget(&mut way.state, here);
            after.push(coder.get(&way.state, here));
        }
        way.guard = coder.encoder.terms.and(&[guard, returns]);
        way.take_result(&mut coder, call, callee, CALLEE);
        way.state.drop_locals(CALLEE);
        self.segment.calls.push(Made { unit, guard, before, returns, after });
        way
    }
}

impl Walker for Run<'_, '_> {
    type Stop = Refusal;

    fn parts(&mut self) -> (Coder<'_>, &mut Orders) {
        (self.space.encoder.on(self.space.subject), &mut self.space.orders)
    }

    fn pass(&mut self, _: &Here<'_>, way: JoinedPaths) -> Result<Option<JoinedPaths>, Refusal> {
        self.space.budget.check()?;
        Ok(Some(way))
    }

    fn take(&mut self) -> Result<(), Refusal> {
        self.space.steps += 1;
        if self.space.steps > MAX_STEPS {
            return Err(Refusal::Unfit("the program is too large with its calls written out".to_owned()));
        }
        Ok(())
    }

    fn execute(&mut self, edge: Site, way: &mut JoinedPaths) -> End {
        let end = way.execute(&mut self.coder(), edge);
        if way.is_open(&self.space.encoder.terms) {
            self.segment.steps.push((PathStep::Edge(edge.1), way.guard));
        }
        end
    }

    fn call(
        &mut self,
        call: Site,
        callee: ProcId,
        mut way: JoinedPaths,
    ) -> Result<Option<JoinedPaths>, Refusal> {
        let is_called = |unit: &Unit| unit.is_called && unit.procedure == callee;
        if let Some(unit) = self.space.units.iter().position(is_called) {
            return Ok(Some(self.summarised(call, unit, way)));
        }
        let mut coder = self.coder();
        way.pass_arguments(&mut coder, call, callee, Frame::ONLY);
        coder.forget_locals(&mut way.state, callee);
        self.segment.steps.push((PathStep::Enter(call.1, callee), way.guard));
        self.calls.push(call);
        let entry = self.space.subject.program.procedures[callee].entry;
        let left = walk(self, callee, entry, way)?;
        self.calls.pop();
        Ok(left.map(|left| self.leave(call, callee, left)))
    }

    fn end(&mut self, _: Site, end: End, way: JoinedPaths) {
        match end {
            End::Error(_) => self.segment.errors.push(way.guard),
            End::Unsupported(what) => self.segment.unsupported.push((way.guard, what)),
            End::Continues | End::Stops => {}
        }
    }

    fn arrive(&mut self, from: &Here<'_>, target: LocationId, way: JoinedPaths) -> Option<JoinedPaths> {
        self.cut(from.procedure, target, way)
    }
}

/// The procedures that a depth-first search of the call graph comes back to.
fn back_edge_targets(subject: Subject<'_>, entry: ProcId) -> Vec<ProcId> {
    let callees = |procedure: ProcId| {
        let p = &subject.program.procedures[procedure];
        let calls = p.edges.ids().flat_map(|edge| subject.alias.callees(procedure, edge));
        calls.copied().filter(|&q| subject.program.procedures[q].external.is_none()).collect::<Vec<_>>()
    };
    let (mut open, mut done) = (FxHashSet::default(), FxHashSet::default());
    let mut targets = Vec::new();
    let mut stack = vec![(entry, callees(entry))];
    open.insert(entry);
    while let Some((procedure, rest)) = stack.last_mut() {
        match rest.pop() {
            Some(callee) if open.contains(&callee) => targets.push(callee),
            Some(callee) if done.contains(&callee) => {}
            Some(callee) => {
                open.insert(callee);
                stack.push((callee, callees(callee)));
            }
            None => {
                open.remove(procedure);
                done.insert(*procedure);
                stack.pop();
            }
        }
    }
    targets.sort_unstable();
    targets.dedup();
    targets
}
