//! Following a run step by step.

mod compare;

use hardbop_alias::{AccessBytes as Bytes, RegionId};
use hardbop_ir::interpret::{Interpreter, Limits, Observer, Run, RunOptions, Value as Concrete, View};
use hardbop_ir::{EdgeId, ExprId, ProcId, Statement, VarId};
use hardbop_logic::{Evaluator, Model, Node, Sort, Term, Value};
use hardbop_semantics::{Cell, Coder, Encoder, End, Frame, Function, Meaning, Object, State, Subject, Tally};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Draws;
use crate::actual::{Actual, cells_of_objects, filled};

/// What happened since the last moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The program started.
    Start,
    /// An edge of the current procedure was taken; a call of an external procedure is one.
    Edge(EdgeId),
    /// The arguments of the call on an edge were passed, and its activation is about to start. The run is
    /// not at this moment any more: the view shows the one after.
    Passed(EdgeId, ProcId),
    /// The activation of this procedure, called on the edge, started.
    Enter(EdgeId, ProcId),
    /// This procedure returned to the current one, which called it on the edge.
    Leave(EdgeId, ProcId),
}

/// Looks at the moments of a run that is followed.
pub trait Watch {
    /// The shadow is up to date with what the event led to; the view is just before the next step.
    ///
    /// # Errors
    /// What is wrong.
    fn moment(&mut self, shadow: &mut Shadow<'_>, view: &View<'_, '_>, event: Event) -> Result<(), String>;
}

/// Nobody looks: the shadow checks itself.
impl Watch for () {
    fn moment(&mut self, _: &mut Shadow<'_>, _: &View<'_, '_>, _: Event) -> Result<(), String> {
        Ok(())
    }
}

#[derive(Debug, Clone, Copy)]
struct Activation {
    procedure: ProcId,
    frame: Frame,
    /// The edge that calls the next one.
    call: Option<EdgeId>,
}

/// The encoder's idea of a run.
pub struct Shadow<'a> {
    /// The program.
    pub subject: Subject<'a>,
    /// The encoder.
    pub encoder: Encoder,
    /// What all symbols stand for.
    pub model: Model,
    /// The state reached, as terms over the symbols of where it was last settled.
    pub state: State,
    /// What the run satisfied since then.
    pub conditions: Vec<Term>,
    pub(crate) fill: u8,
    stack: Vec<Activation>,
    /// Frames that occur in terms.
    used: FxHashSet<Frame>,
    pending: Option<(ProcId, EdgeId)>,
    /// After how many steps terms become values.
    interval: usize,
    unsettled: usize,
    /// What was compared already.
    compared: FxHashMap<Cell, Term>,
    compared_conditions: usize,
    /// Values of terms in the model.
    evaluator: Evaluator,
    /// Terms all of whose symbols have values.
    interpreted: FxHashSet<Term>,
    unused_address: u64,
    cells: Vec<Vec<(RegionId, Bytes)>>,
    elements: Vec<Option<Sort>>,
    /// Bits of symbols that were read off the run piece by piece.
    pub(crate) decided: FxHashMap<Term, u128>,
    /// How many steps were compared.
    pub steps: u64,
    /// How many bytes of memory that is alive were compared, each as often as it was.
    pub bytes: u64,
}

/// What following a run amounted to.
#[derive(Debug)]
pub struct Followed {
    /// The run.
    pub run: Run,
    /// How many steps were compared.
    pub steps: u64,
    /// How many bytes of memory that is alive were compared, all of them after each step.
    pub bytes: u64,
}

/// Follows a run of a program from its start. The terms are settled every `interval` steps.
///
/// # Errors
/// What the encoder and the run do not agree about, or what the watch found.
pub fn follow(
    subject: Subject<'_>,
    draws: &mut Draws,
    steps: u64,
    interval: usize,
    watch: &mut dyn Watch,
) -> Result<Followed, String> {
    struct Follower<'a, 'w> {
        shadow: Shadow<'a>,
        watch: &'w mut dyn Watch,
        wrong: Option<String>,
    }
    impl Observer for Follower<'_, '_> {
        fn step(&mut self, view: &View<'_, '_>) {
            if self.wrong.is_none() {
                self.wrong = self.shadow.advance(view, self.watch).err();
            }
        }
    }
    let interpreter = Interpreter::new(subject.program);
    let mut follower = Follower { shadow: Shadow::new(subject, draws.fill(), interval), watch, wrong: None };
    let limits = Limits { steps, depth: 200, ..Limits::default() };
    let options = RunOptions { limits, ..RunOptions::default() };
    let run = interpreter.observe(draws, options, &mut follower);
    match follower.wrong {
        Some(wrong) => Err(wrong),
        None => Ok(Followed { run, steps: follower.shadow.steps, bytes: follower.shadow.bytes }),
    }
}

impl<'a> Shadow<'a> {
    fn new(subject: Subject<'a>, fill: u8, interval: usize) -> Self {
        Shadow {
            subject,
            encoder: Encoder::default(),
            model: Model::default(),
            state: State::new(Frame::ONLY),
            conditions: Vec::new(),
            fill,
            stack: Vec::new(),
            used: FxHashSet::default(),
            pending: None,
            interval,
            unsettled: 0,
            compared: FxHashMap::default(),
            compared_conditions: 0,
            evaluator: Evaluator::new(),
            interpreted: FxHashSet::default(),
            unused_address: if subject.program.data_model.pointer_bits() == 64 {
                1 << 50
            } else {
                0xff00_0000
            },
            cells: Vec::new(),
            elements: Vec::new(),
            decided: FxHashMap::default(),
            steps: 0,
            bytes: 0,
        }
    }

    /// The encoder at work.
    pub fn coder(&mut self) -> Coder<'_> {
        self.encoder.on(self.subject)
    }

    /// The current procedure.
    pub fn procedure(&self) -> ProcId {
        self.stack.last().expect("a run is somewhere").procedure
    }

    /// How many activations wait for the current one.
    pub fn depth(&self) -> usize {
        self.stack.len() - 1
    }

    /// The truth value of a predicate now.
    pub fn holds(&mut self, predicate: ExprId) -> bool {
        let state = self.state.clone();
        let term = self.coder().holds(&state, predicate);
        self.evaluate(term) == Value::Bool(true)
    }

    /// Whether everything in a predicate is defined now, as far as the encoder knows.
    pub fn is_defined(&mut self, predicate: ExprId) -> bool {
        let (state, mut conditions) = (self.state.clone(), Vec::new());
        self.coder().value(&state, predicate, &mut conditions);
        conditions.into_iter().all(|condition| self.evaluate(condition) == Value::Bool(true))
    }

    /// Whether a predicate depends on something that the encoder leaves open.
    pub fn is_open(&mut self, predicate: ExprId) -> bool {
        let state = self.state.clone();
        let term = self.coder().holds(&state, predicate);
        self.encoder.terms.symbols(term).into_iter().any(|symbol| self.is_open_symbol(symbol))
    }

    /// The value of a term in the model. Integers that do not fit make it any value.
    pub fn evaluate(&mut self, term: Term) -> Value {
        self.interpret_symbols(term);
        let value = self.evaluator.value(&self.encoder.terms, term, &self.model);
        value.unwrap_or_else(|| Value::zero(self.encoder.terms.sort(term)))
    }

    /// Gives a symbol a value.
    pub(crate) fn set(&mut self, symbol: Term, value: Value) {
        self.model.values.insert(symbol, value);
        self.evaluator = Evaluator::new();
        self.interpreted.clear();
    }

    /// Gives values to symbols that need none from the run. Floating-point results are those of the
    /// interpreter.
    fn interpret_symbols(&mut self, term: Term) {
        let new = self.encoder.terms.subterms_until(&[term], |t| self.interpreted.contains(&t));
        self.interpreted.extend(new.iter().copied());
        for symbol in new {
            self.lazy_address(symbol);
            let Some(application) = self.encoder.application_of(symbol).cloned() else { continue };
            let arguments: Vec<u128> = application
                .arguments
                .iter()
                .map(|&argument| match self.evaluate(argument) {
                    Value::Bool(value) => value.into(),
                    Value::Int(value) => value.cast_unsigned(),
                    other => other.as_bits().unwrap_or(0),
                })
                .collect();
            let result = match application.function {
                Function::Float(kind, op) => {
                    Some(hardbop_ir::interpret::float_operation(kind, op, arguments[0], arguments[1]))
                }
                Function::Convert(from, to) => {
                    hardbop_ir::interpret::converted(self.subject.program, from, to, arguments[0])
                }
            };
            let Some(bits) = result else { continue };
            let value = match self.encoder.terms.sort(symbol) {
                Sort::Bool => Value::Bool(bits != 0),
                Sort::Int => Value::Int(bits.cast_signed()),
                Sort::BitVec(width) => Value::bv(bits, width),
                Sort::Array(..) => continue,
            };
            // No term that was evaluated before depends on it.
            self.model.values.insert(symbol, value);
        }
    }

    /// An object that no activation has gets an address that nothing else has.
    fn lazy_address(&mut self, symbol: Term) {
        if let Some(Meaning::Address(object)) = self.encoder.meaning_of(symbol)
            && self.model.get(symbol).is_none()
        {
            let size = match object {
                Object::Variable(_, var) => {
                    self.subject.program.size_of(self.subject.program.variables[var].ty)
                }
                Object::Procedure(_) => 1,
                Object::Allocated(new) => new.size.unwrap_or(1),
            };
            let address = self.unused_address;
            self.unused_address += size.next_multiple_of(16) + 16;
            let width = self.encoder.terms.width(symbol);
            self.model.values.insert(symbol, Value::bv(address.into(), width));
        }
    }

    fn set_address(&mut self, symbol: Term, address: u64) {
        let width = self.encoder.terms.width(symbol);
        self.set(symbol, Value::bv(address.into(), width));
    }

    /// The run is about to take the step that the view shows: the one before is done.
    fn advance(&mut self, view: &View<'_, '_>, watch: &mut dyn Watch) -> Result<(), String> {
        let (procedure, edge) = (view.procedure(), view.edge());
        let event = match self.pending {
            None => {
                self.start(view);
                Event::Start
            }
            Some((at, taken)) => {
                self.steps += 1;
                let depth = self.stack.len() - 1;
                if view.depth() == depth + 1 {
                    self.enter(view, taken, procedure, watch)?;
                    Event::Enter(taken, procedure)
                } else if view.depth() == depth {
                    self.edge(view, at, taken).map_err(|e| format!("{}: {e}", self.describe(at, taken)))?;
                    Event::Edge(taken)
                } else {
                    self.leave()
                }
            }
        };
        self.pending = Some((procedure, edge));
        let context = |shadow: &Self, e: String| {
            let before = match event {
                Event::Start => "at the start".to_owned(),
                Event::Edge(edge) => shadow.describe(procedure, edge),
                Event::Passed(edge, callee) | Event::Enter(edge, callee) => {
                    let caller = shadow.stack[shadow.stack.len() - 2].procedure;
                    format!("{}, entering {}", shadow.describe(caller, edge), shadow.name(callee))
                }
                Event::Leave(edge, callee) => {
                    format!("{}, back from {}", shadow.describe(procedure, edge), shadow.name(callee))
                }
            };
            format!("step {}, {before}: {e}", shadow.steps)
        };
        self.synchronise(view).map_err(|e| context(self, e))?;
        self.compare(view).map_err(|e| context(self, e))?;
        watch.moment(self, view, event).map_err(|e| context(self, e))?;
        self.unsettled += 1;
        if self.unsettled >= self.interval {
            self.settle();
        }
        Ok(())
    }

    fn name(&self, procedure: ProcId) -> &'a str {
        &self.subject.program.procedures[procedure].name
    }

    fn describe(&self, procedure: ProcId, edge: EdgeId) -> String {
        let program = self.subject.program;
        let e = &program.procedures[procedure].edges[edge];
        format!("{} line {}: `{}`", self.name(procedure), e.span.line, program.show_statement(&e.statement))
    }

    /// Gives all cells that exist from the start their symbols and values.
    fn start(&mut self, view: &View<'_, '_>) {
        let Subject { program, alias, regions } = self.subject;
        let procedure = view.procedure();
        let frame = Frame::ONLY;
        self.stack.push(Activation { procedure, frame, call: None });
        self.used.insert(frame);
        for id in program.procedures.ids() {
            let symbol = self.coder().procedure_address(id);
            self.set_address(symbol, view.procedure_address(id));
        }
        for &var in &program.globals {
            if alias.in_memory(var) {
                self.bind_address(view, frame, var);
            } else {
                self.give_value(Cell::Global(var));
            }
        }
        self.encoder.track_heap(self.subject, true);
        self.encoder.tally_heap();
        for kind in self.encoder.heap_kinds() {
            Tally::ALL.into_iter().for_each(|tally| self.give_value(Cell::Tally(tally, kind)));
        }
        self.cells = cells_of_objects(self.subject);
        for region in regions.regions().ids() {
            self.give_value(Cell::Region(region));
            let element = match self.coder().cell_sort(Cell::Region(region)) {
                Sort::Array(_, element) => Some(element.into()),
                _ => None,
            };
            self.elements.push(element);
        }
        self.bind_frame(view, frame, procedure);
        self.take_over_globals(view);
        let (mut state, mut conditions) = (State::new(frame), Vec::new());
        let mut coder = self.coder();
        coder.initialise(&mut state, &mut conditions);
        coder.enter(&mut state, procedure);
        (self.state, self.conditions) = (state, conditions);
    }

    /// What the encoder leaves open about the start is as in the run.
    fn take_over_globals(&mut self, view: &View<'_, '_>) {
        self.take_over(view, |_| true);
        let globals = self.subject.program.globals.iter();
        let registers = globals.filter(|&&var| !self.subject.alias.in_memory(var));
        let mut cells: Vec<Cell> = registers.map(|&var| Cell::Global(var)).collect();
        cells.extend(self.subject.regions.regions().ids().map(Cell::Region));
        for cell in cells {
            let symbol = self.coder().initial(cell);
            let sort = self.encoder.terms.sort(symbol);
            if let Some(value) = self.actual_scalar(view, cell, sort) {
                self.set(symbol, value);
            }
        }
    }

    fn give_value(&mut self, cell: Cell) {
        let fill = self.fill;
        let mut coder = self.coder();
        let (symbol, sort) = (coder.initial(cell), coder.cell_sort(cell));
        self.set(symbol, filled(sort, fill));
    }

    fn bind_address(&mut self, view: &View<'_, '_>, frame: Frame, var: VarId) {
        let symbol = self.coder().variable_address(frame, var);
        if let Ok(address) = view.address(var) {
            self.set_address(symbol, address);
        }
    }

    /// Gives the variables of a new activation their addresses and first values.
    fn bind_frame(&mut self, view: &View<'_, '_>, frame: Frame, procedure: ProcId) {
        let procedure = &self.subject.program.procedures[procedure];
        let all = procedure.formals.iter().chain(&procedure.locals).chain(&procedure.result);
        for &var in all {
            if self.subject.alias.in_memory(var) {
                self.bind_address(view, frame, var);
            } else {
                self.give_value(Cell::Local(frame, var));
            }
        }
    }

    /// Whether an activation has variables that the encoder knows at another address.
    fn moves_variables(&mut self, view: &View<'_, '_>, procedure: ProcId) -> bool {
        let Subject { program, alias, .. } = self.subject;
        let procedure = &program.procedures[procedure];
        let all = procedure.formals.iter().chain(&procedure.locals).chain(&procedure.result);
        all.filter(|&&var| alias.objects().variable(var).is_some_and(|o| alias.is_single(o))).any(|&var| {
            let symbol = self.coder().variable_address(Frame::ONLY, var);
            let known = self.model.get(symbol).and_then(Value::as_bits);
            known.is_some_and(|known| view.address(var).ok().map(u128::from) != Some(known))
        })
    }

    fn edge(&mut self, view: &View<'_, '_>, procedure: ProcId, edge: EdgeId) -> Result<(), String> {
        if let Statement::Allocate { result, .. } = *self.statement(procedure, edge)
            && let Ok(Concrete::Address(address)) = view.variable(result)
        {
            // What the encoder knows of memory by now is not about the new object.
            self.settle();
            self.foresee(view, address);
        }
        let (mut state, mut conditions) = (self.state.clone(), std::mem::take(&mut self.conditions));
        let end = self.coder().execute(&mut state, procedure, edge, &mut conditions);
        (self.state, self.conditions) = (state, conditions);
        if end == End::Continues { Ok(()) } else { Err(format!("the run goes on after {end:?}")) }
    }

    /// To the encoder a new object is memory of unknown contents. So what it holds now is taken as what it held all
    /// along.
    fn foresee(&mut self, view: &View<'_, '_>, object: u64) {
        if let Some(object) = view.objects().find(|o| o.address == object) {
            self.take_over(view, |address| {
                object.address <= address && address - object.address < object.size
            });
        }
    }

    /// Takes over what memory holds in the run.
    fn take_over(&mut self, view: &View<'_, '_>, wanted: impl Fn(u64) -> bool) {
        let width = self.pointer_bits();
        for (region, at, value) in self.actual(view).contents(None) {
            let symbol = self.coder().initial(Cell::Region(region));
            if let Some(Value::Array { entries, .. }) = self.model.values.get_mut(&symbol)
                && wanted(at)
            {
                entries.insert(Value::bv(at.into(), width), value);
            }
        }
        self.evaluator = Evaluator::new();
    }

    fn enter(
        &mut self,
        view: &View<'_, '_>,
        edge: EdgeId,
        callee: ProcId,
        watch: &mut dyn Watch,
    ) -> Result<(), String> {
        if self.moves_variables(view, callee) {
            // Activations that share an address in the encoder do not in the run.
            self.settle();
        }
        let frame = (0..).map(Frame).find(|f| !self.used.contains(f)).expect("frames are many");
        self.used.insert(frame);
        self.bind_frame(view, frame, callee);
        let caller = self.stack.last_mut().expect("a run is somewhere");
        caller.call = Some(edge);
        let procedure = caller.procedure;
        self.stack.push(Activation { procedure: callee, frame, call: None });
        let (mut state, mut conditions) = (self.state.clone(), std::mem::take(&mut self.conditions));
        let mut coder = self.coder();
        coder.require_callee(&state, procedure, edge, callee, &mut conditions);
        coder.pass_arguments(&mut state, (procedure, edge), callee, frame, &mut conditions);
        state.enter(frame);
        (self.state, self.conditions) = (state, conditions);
        watch.moment(self, view, Event::Passed(edge, callee))?;
        let mut state = self.state.clone();
        self.coder().enter(&mut state, callee);
        self.state = state;
        Ok(())
    }

    fn leave(&mut self) -> Event {
        let callee = self.stack.pop().expect("a call is open");
        let caller = self.stack.last_mut().expect("a caller waits");
        let edge = caller.call.take().expect("it called");
        let caller = *caller;
        let (mut state, mut conditions) = (self.state.clone(), std::mem::take(&mut self.conditions));
        state.enter(caller.frame);
        let call = (caller.procedure, edge);
        self.coder().take_result(&mut state, call, callee.procedure, callee.frame, &mut conditions);
        (self.state, self.conditions) = (state, conditions);
        Event::Leave(edge, callee.procedure)
    }

    pub(crate) fn actual<'v, 'r>(&'v self, view: &'v View<'v, 'r>) -> Actual<'v, 'v, 'r> {
        let (subject, fill) = (self.subject, self.fill);
        Actual { subject, view, fill, cells: &self.cells, elements: &self.elements }
    }

    /// Reads off the run what the encoder leaves open, and checks what the run must have satisfied.
    fn synchronise(&mut self, view: &View<'_, '_>) -> Result<(), String> {
        let mut written = self.state.written();
        written.retain(|(cell, term)| self.compared.get(cell) != Some(term));
        self.compared.extend(written.iter().copied());
        for &(cell, term) in &written {
            self.match_cell(view, cell, term);
        }
        let conditions = self.conditions[self.compared_conditions..].to_vec();
        self.compared_conditions = self.conditions.len();
        let facts = self.coder().axioms(&conditions);
        for condition in conditions.into_iter().chain(facts) {
            if self.evaluate(condition) != Value::Bool(true) {
                let symbols = self.encoder.terms.symbols(condition);
                let values: Vec<String> = symbols
                    .into_iter()
                    .map(|s| {
                        let name = self.encoder.terms.symbol_name(s).unwrap_or("?").to_owned();
                        let value = self.model.get(s).map_or("none".to_owned(), compare::short);
                        format!("{name} = {value}")
                    })
                    .collect();
                return Err(format!(
                    "the condition {} does not hold, with {}",
                    self.show(condition),
                    values.join(", ")
                ));
            }
        }
        Ok(())
    }

    /// A term, not too long.
    pub fn show(&self, term: Term) -> String {
        let mut text = String::new();
        self.write_term(term, 6, &mut text);
        text
    }

    fn write_term(&self, term: Term, depth: usize, text: &mut String) {
        let terms = &self.encoder.terms;
        match terms.node(term) {
            Node::Symbol { name, .. } => text.push_str(name),
            node if node.is_constant() => {
                text.push_str(&terms.evaluate(term, &Model::default()).to_string());
            }
            _ if depth == 0 => text.push('…'),
            node => {
                let head = format!("{node:?}");
                let head = head.split(['(', '{', ' ']).next().unwrap_or_default();
                text.push_str(&format!("({head}"));
                if let Node::Bv(op, ..) = node {
                    text.push_str(&format!(".{op:?}"));
                }
                if let Node::BvSum(sum) = node {
                    text.push_str(&format!(" {}", sum.constant));
                }
                if let Node::Extract { high, low, .. } = node {
                    text.push_str(&format!(" {high} {low}"));
                }
                node.for_each_operand(|operand| {
                    text.push(' ');
                    self.write_term(operand, depth - 1, text);
                });
                text.push(')');
            }
        }
    }

    /// What a cell of one scalar holds in the run, if it is alive there.
    pub(crate) fn actual_scalar(&mut self, view: &View<'_, '_>, cell: Cell, sort: Sort) -> Option<Value> {
        match cell {
            Cell::Global(var) => self.actual(view).variable(var, sort),
            Cell::Local(frame, var) if frame == self.state.frame() => self.actual(view).variable(var, sort),
            Cell::Local(..) | Cell::Live(_) | Cell::Tally(..) => None,
            Cell::Region(region) => {
                let &[(object, bytes)] = &self.subject.regions.region(region).cells[..] else { return None };
                let hardbop_alias::ObjectKind::Variable(var) = self.subject.alias.objects()[object].kind
                else {
                    return None;
                };
                let owner = self.subject.alias.objects().owner(var);
                if owner.is_some_and(|owner| self.stack.iter().all(|a| a.procedure != owner)) {
                    return None;
                }
                let frame = self.state.frame();
                let symbol = self.coder().variable_address(frame, var);
                let base = self.model.get(symbol)?.as_bits()? as u64;
                self.actual(view).element(base.wrapping_add(bytes.offset), sort)
            }
        }
    }

    /// Turns terms into values: what is reached becomes the new start.
    pub fn settle(&mut self) {
        let written = self.state.written();
        let values: Vec<(Cell, Value)> =
            written.into_iter().map(|(cell, term)| (cell, self.evaluate(term))).collect();
        for (cell, value) in values {
            let symbol = self.coder().initial(cell);
            self.set(symbol, value);
        }
        let open: FxHashSet<Frame> = self.stack.iter().map(|a| a.frame).collect();
        let encoder = &self.encoder;
        self.model.values.retain(|&symbol, _| match encoder.meaning_of(symbol) {
            Some(Meaning::Cell(Cell::Local(frame, _))) => open.contains(&frame),
            Some(Meaning::Cell(_)) => true,
            Some(Meaning::Address(Object::Allocated(..)) | Meaning::Function | Meaning::Watched { .. })
            | None => false,
            Some(Meaning::Address(Object::Variable(frame, _))) => open.contains(&frame),
            Some(Meaning::Address(Object::Procedure(_))) => true,
        });
        self.used = open;
        self.state = State::new(self.state.frame());
        self.conditions.clear();
        self.encoder.restart_names();
        self.evaluator = Evaluator::new();
        self.interpreted.clear();
        self.decided.clear();
        self.unsettled = 0;
        self.compared.clear();
        self.compared_conditions = 0;
    }

    pub(crate) fn pointer_bits(&self) -> u32 {
        self.subject.program.data_model.pointer_bits().into()
    }

    pub(crate) fn new_address(&mut self) -> u64 {
        self.unused_address += 64;
        self.unused_address - 64
    }

    /// The statement of an edge.
    pub fn statement(&self, procedure: ProcId, edge: EdgeId) -> &'a Statement {
        &self.subject.program.procedures[procedure].edges[edge].statement
    }

    /// The values that cells had where the terms were last settled.
    pub fn settled_values(&self) -> FxHashMap<Cell, Value> {
        let cells = self.model.values.iter();
        cells.filter_map(|(&symbol, value)| Some((self.encoder.cell_of(symbol)?, value.clone()))).collect()
    }
}
