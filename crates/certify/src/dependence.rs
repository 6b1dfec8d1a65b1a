//! Whether a run depends on what standard functions without a model left behind.
//!
//! Such a value is drawn like any other, but nobody knows whether the function can give it. The run is
//! repeated, and what was computed from such values is followed forwards. It must not matter where control
//! goes, which memory is accessed, how much is copied or allocated, or whether an operation is defined: then the
//! run takes the same steps whatever the values are, those of the real function included.
//!
//! Memory stays marked once it was, also where it is overwritten, because objects are told apart only by
//! where they come from. Global scalars are objects of their own, and are cleaned.

use hardbop_base::Budget;
use hardbop_ir::interpret::{
    Interpreter, Limits, ListInputs, Observer, Origin, Run, RunOptions, Touch, View,
};
use hardbop_ir::{
    Arbitrary, BinaryOp, Callee, EdgeId, Effect, ExprId, ExprKind, PlaceBase, PlaceId, ProcId, Program,
    Projection, Statement, Type, VarId, visit,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Longer runs are taken to depend on whatever they drew.
const MAX_STEPS: u64 = 20_000_000;
/// The most bytes of an access that are marked one by one; of a longer one, the whole object is.
const MAX_BYTES: u64 = 1 << 16;

/// The name of a standard function without a model that the end of a run depends on, if there is one. Where that
/// cannot be found out, any that the run called.
pub(crate) fn on_library(program: &Program, run: &Run, budget: &Budget) -> Option<String> {
    let first = run.draws.iter().find_map(|draw| match run.kind(draw) {
        Some(Arbitrary::Library(name)) => Some(name.clone()),
        _ => None,
    })?;
    if run.steps > MAX_STEPS {
        return Some(first);
    }
    let mut follower = Follower::new(program);
    let limits = Limits { steps: run.steps.saturating_add(1), ..Limits::default() };
    let mut discard = |_: &[u8]| {};
    let options = RunOptions { limits, budget: budget.clone(), sink: Some(&mut discard) };
    let again =
        Interpreter::new(program).observe(&mut ListInputs::replay(&run.draws), options, &mut follower);
    if again.outcome != run.outcome {
        return Some(first);
    }
    follower.found.map(|cause| follower.causes[cause as usize].clone())
}

/// A function that left values behind, by its number.
type Cause = u32;
/// An activation, by its number in the run.
type Frame = u32;

/// Storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Variable(Frame, VarId),
    Byte(Origin, u64),
    /// All bytes of an object.
    Object(Origin),
}

/// The step that is being made. What it reads from memory is known when the next one is about to be made.
#[derive(Default)]
struct Pending {
    at: Option<(ProcId, EdgeId)>,
    /// What the values that it computes depend on.
    cause: Option<Cause>,
    /// What it writes.
    writes: Vec<Key>,
    /// What it leaves by itself.
    leaves: Option<Cause>,
    /// Whether something that it reads from memory decides where it accesses memory, or whether it is defined.
    memory_decides: bool,
    /// The activation that it starts.
    call: Option<Started>,
}

/// An activation that a call starts.
struct Started {
    callee: ProcId,
    result: Option<VarId>,
    /// The formals that get marked values.
    formals: Vec<(VarId, Cause)>,
}

struct Follower<'a> {
    program: &'a Program,
    causes: Vec<String>,
    marked: FxHashMap<Key, Cause>,
    /// Objects with marked bytes, so that most accesses are quick.
    objects: FxHashSet<Origin>,
    stack: Vec<Frame>,
    /// How many activations there were.
    frames: Frame,
    /// The calls that started the activations that are not over: of whom, and where the result goes.
    calls: FxHashMap<Frame, (ProcId, Option<VarId>)>,
    pending: Pending,
    found: Option<Cause>,
}

impl<'a> Follower<'a> {
    fn new(program: &'a Program) -> Self {
        Follower {
            program,
            causes: Vec::new(),
            marked: FxHashMap::default(),
            objects: FxHashSet::default(),
            stack: Vec::new(),
            frames: 0,
            calls: FxHashMap::default(),
            pending: Pending::default(),
            found: None,
        }
    }

    /// The number of a function.
    fn cause(&mut self, name: &str) -> Cause {
        // A procedure made for a function may carry a number.
        let name = name.split('$').next().unwrap_or(name);
        let known = self.causes.iter().position(|cause| cause == name);
        known.unwrap_or_else(|| {
            self.causes.push(name.to_owned());
            self.causes.len() - 1
        }) as Cause
    }

    fn mark(&mut self, key: Key, cause: Option<Cause>) {
        match (cause, key) {
            (Some(cause), _) => {
                if let Key::Byte(origin, _) | Key::Object(origin) = key {
                    self.objects.insert(origin);
                }
                self.marked.insert(key, cause);
            }
            (None, Key::Variable(..)) => _ = self.marked.remove(&key),
            (None, Key::Byte(Origin::Global(var), _))
                if self.program.is_scalar(self.program.variables[var].ty) =>
            {
                self.marked.remove(&key);
            }
            (None, _) => {}
        }
    }

    /// What an access to memory reads.
    fn read(&self, touch: &Touch) -> Option<Cause> {
        if !self.objects.contains(&touch.origin) {
            return None;
        }
        if let Some(&cause) = self.marked.get(&Key::Object(touch.origin)) {
            return Some(cause);
        }
        if touch.size > MAX_BYTES {
            let within = |(key, _): &(&Key, _)| matches!(key, Key::Byte(o, _) if *o == touch.origin);
            return self.marked.iter().find(within).map(|(_, &cause)| cause);
        }
        bytes(touch).find_map(|key| self.marked.get(&key).copied())
    }

    /// What variables that are not in memory depend on.
    fn variables(&self, vars: &[VarId]) -> Option<Cause> {
        let frame = self.stack.last().copied().unwrap_or_default();
        vars.iter().find_map(|&var| self.marked.get(&Key::Variable(frame, var)).copied())
    }

    fn decide(&mut self, cause: Option<Cause>) {
        self.found = self.found.or(cause);
    }

    /// Completes the step that was being made.
    fn settle(&mut self) {
        let step = std::mem::take(&mut self.pending);
        let cause = step.leaves.or(step.cause);
        for key in step.writes {
            self.mark(key, cause);
        }
        let Some(started) = step.call else { return };
        // It gets the next number.
        for (formal, cause) in started.formals {
            self.mark(Key::Variable(self.frames, formal), Some(cause));
        }
        self.calls.insert(self.frames, (started.callee, started.result));
    }

    /// Follows calls and returns since the last step.
    fn follow_stack(&mut self, depth: usize) {
        while self.stack.len() > depth {
            let Some(ended) = self.stack.pop() else { return };
            let Some(&caller) = self.stack.last() else { return };
            let Some((callee, result)) = self.calls.remove(&ended) else { continue };
            if let (Some(from), Some(to)) = (self.program.procedures[callee].result, result) {
                let cause = self.marked.get(&Key::Variable(ended, from)).copied();
                self.mark(Key::Variable(caller, to), cause);
            }
        }
        while self.stack.len() < depth {
            self.stack.push(self.frames);
            self.frames += 1;
        }
    }

    /// Takes in expressions whose values are stored.
    fn compute(&mut self, used: &Used) {
        self.decide(self.variables(&used.deciding));
        self.pending.cause = self.pending.cause.or(self.variables(&used.all));
        self.pending.memory_decides |= used.memory_decides;
    }

    /// Takes in expressions that say where, how much or which way.
    fn choose(&mut self, used: &Used) {
        self.decide(self.variables(&used.all));
        self.pending.memory_decides |= used.reads_memory;
    }

    fn statement(&mut self, view: &View<'_, '_>) {
        let program = self.program;
        let procedure = &program.procedures[view.procedure()];
        let frame = self.stack.last().copied().unwrap_or_default();
        let used = |exprs: &[ExprId]| Used::by(program, exprs);
        match &procedure.edges[view.edge()].statement {
            Statement::Assume(_) => {
                let source = procedure.edges[view.edge()].source;
                let guards = procedure.edges.values().filter(|edge| edge.source == source);
                let conditions: Vec<ExprId> = guards
                    .filter_map(|edge| match edge.statement {
                        Statement::Assume(condition) => Some(condition),
                        _ => None,
                    })
                    .collect();
                // What they read from memory is told before the step.
                self.decide(self.variables(&used(&conditions).all));
            }
            Statement::Assign(place, value) => {
                self.compute(&used(&[*value]));
                self.store(frame, *place);
            }
            Statement::Havoc(place, from) => {
                if let Arbitrary::Library(name) = from {
                    self.pending.leaves = Some(self.cause(name));
                }
                self.store(frame, *place);
            }
            Statement::Call { result, callee, arguments } => {
                if let Callee::Indirect(pointer) = callee {
                    self.choose(&used(&[*pointer]));
                }
                if let Some(target) = view.callee() {
                    self.call(frame, target, *result, arguments);
                }
            }
            Statement::Allocate { result, size, .. } => {
                self.choose(&used(&[*size]));
                self.pending.writes.push(Key::Variable(frame, *result));
            }
            Statement::Fill { target, byte, length } => {
                self.choose(&used(&[*target, *length]));
                self.compute(&used(&[*byte]));
            }
            Statement::Output { arguments, .. } => self.compute(&used(arguments)),
            Statement::Halt(_) => {}
            statement => self.choose(&used(&visit::operands(statement).1)),
        }
    }

    /// A place that is written: where it is must not depend on anything.
    fn store(&mut self, frame: Frame, place: PlaceId) {
        let mut used = Used::default();
        used.address(self.program, place);
        self.decide(self.variables(&used.deciding));
        self.pending.memory_decides |= used.memory_decides;
        let place = self.program.place(place);
        if let PlaceBase::Var(var) = place.base
            && place.path.is_empty()
        {
            self.pending.writes.push(Key::Variable(frame, var));
        }
    }

    fn call(&mut self, frame: Frame, target: ProcId, result: Option<VarId>, arguments: &[ExprId]) {
        let program = self.program;
        let callee = &program.procedures[target];
        let causes: Vec<Option<Cause>> =
            arguments.iter().map(|&a| self.variables(&Used::by(program, &[a]).all)).collect();
        let Some(effect) = callee.external else {
            let formals = callee.formals.iter().zip(&causes);
            let formals = formals.filter_map(|(&formal, cause)| Some((formal, (*cause)?))).collect();
            self.pending.call = Some(Started { callee: target, result, formals });
            return;
        };
        self.pending.writes.extend(result.map(|result| Key::Variable(frame, result)));
        if effect.is_standard() {
            self.pending.leaves = Some(self.cause(&callee.name));
        }
        for (&argument, cause) in arguments.iter().zip(causes) {
            // What it changes is found from its arguments.
            let address = match program.ty(program.expr(argument).ty) {
                Type::Pointer(_) => true,
                Type::Machine { width, .. } => *width >= program.data_model.pointer_bits(),
                _ => false,
            };
            if effect == Effect::Havoc || effect == Effect::Reaches && address {
                self.decide(cause);
            }
        }
    }
}

impl Observer for Follower<'_> {
    const TOUCHES: bool = true;

    fn touched(&mut self, touches: &[Touch]) {
        for touch in touches {
            let is_pending = self.pending.at == Some((touch.procedure, touch.edge));
            if !is_pending {
                // The step is over: what follows reads what it wrote.
                self.settle();
            }
            if !touch.write {
                let cause = self.read(touch);
                if is_pending && !self.pending.memory_decides {
                    self.pending.cause = self.pending.cause.or(cause);
                } else {
                    // A guard, or the result of a call that is no scalar.
                    self.decide(cause);
                }
            } else if is_pending && touch.size > MAX_BYTES {
                self.pending.writes.push(Key::Object(touch.origin));
            } else if is_pending {
                self.pending.writes.extend(bytes(touch));
            }
        }
    }

    fn step(&mut self, view: &View<'_, '_>) {
        self.settle();
        self.follow_stack(view.depth() + 1);
        if self.found.is_some() {
            return;
        }
        self.pending.at = Some((view.procedure(), view.edge()));
        self.statement(view);
    }
}

fn bytes(touch: &Touch) -> impl Iterator<Item = Key> {
    let (origin, offset) = (touch.origin, touch.offset);
    (0..touch.size).map(move |byte| Key::Byte(origin, offset + byte))
}

/// What expressions read.
#[derive(Default)]
struct Used {
    /// All variables.
    all: Vec<VarId>,
    /// Those that decide which memory is read, or whether the value is defined.
    deciding: Vec<VarId>,
    /// Whether there is more than variables.
    reads_memory: bool,
    /// Whether what is read from memory decides as well.
    memory_decides: bool,
    /// What has been looked at, and whether as something that decides: expressions share parts.
    seen: FxHashSet<(ExprId, bool)>,
}

impl Used {
    fn by(program: &Program, exprs: &[ExprId]) -> Self {
        let mut used = Used::default();
        exprs.iter().for_each(|&expr| used.add(program, expr, false));
        used
    }

    fn add(&mut self, program: &Program, expr: ExprId, decides: bool) {
        if !self.seen.insert((expr, decides)) {
            return;
        }
        match program.expr(expr).kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
            ExprKind::Load(place) => {
                // A variable may be in memory.
                self.reads_memory = true;
                self.memory_decides |= decides;
                if let PlaceBase::Var(var) = program.place(place).base {
                    self.all.push(var);
                    self.deciding.extend(decides.then_some(var));
                }
                self.address(program, place);
            }
            ExprKind::AddressOf(place) => self.address(program, place),
            ExprKind::Unary(_, a) => self.add(program, a, decides),
            ExprKind::Cast(a) => {
                let partial = matches!(program.ty(program.expr(a).ty), Type::Float(_))
                    && !matches!(program.ty(program.expr(expr).ty), Type::Float(_));
                self.add(program, a, decides || partial);
            }
            ExprKind::Binary(op, a, b) => {
                let float = matches!(program.ty(program.expr(a).ty), Type::Float(_));
                let partial = match op {
                    _ if float => false,
                    BinaryOp::Div | BinaryOp::Rem => program.as_int(b).is_none_or(|n| n == 0 || n == -1),
                    BinaryOp::Shl | BinaryOp::Shr => program.as_int(b).is_none(),
                    _ => false,
                };
                self.add(program, a, decides || partial);
                self.add(program, b, decides || partial);
            }
            ExprKind::If(c, a, b) => {
                // Which part is evaluated may decide whether that can be done.
                self.add(program, c, decides || is_partial(program, a) || is_partial(program, b));
                self.add(program, a, decides);
                self.add(program, b, decides);
            }
        }
    }

    /// What decides where a place is.
    fn address(&mut self, program: &Program, place: PlaceId) {
        let place = program.place(place);
        if let PlaceBase::Deref(pointer) = place.base {
            self.add(program, pointer, true);
        }
        for step in &place.path {
            if let Projection::Index(index) = *step {
                self.add(program, index, true);
            }
        }
    }
}

/// Whether evaluating an expression may end the run.
fn is_partial(program: &Program, expr: ExprId) -> bool {
    let mut used = Used::default();
    used.add(program, expr, false);
    used.memory_decides || !used.deciding.is_empty()
}
