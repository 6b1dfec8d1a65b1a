//! The program as a transition system from cut to cut.
//!
//! The paper's systems (§2) have one transition per statement and a predicate for the program counter.
//! Here a state is a place to stop at (the start, the head of a loop, the entry of a procedure that calls
//! itself, an error, the end) with the values of all variables; a transition is a path between two such
//! places that passes no third one. So the statement "executed in" an abstract state (§4) is the body of a loop.
//! Calls are followed; places inside of callees have the stack of calls that leads there.
//! Paths that meet are not joined, so the walker of the other searches (`semantics::walk`) is not used: a transition
//! has the edges and the inputs of one path.
//!
//! Must-transitions claim that runs exist, so a branch counts for them only if it is exact: what is
//! over-approximated elsewhere (floats, validity of pointers, copies of unknown length) makes a branch
//! inexact. Storage that was not written holds some value, and here it is zero, except where the
//! first activations start: there it is an input like others. Both only leave out runs.
//!
//! Recursion is a loop whose head is the entry of the procedure: a call of a procedure that is already
//! active starts the next round, with the new formals; what its callers hold is forgotten, since a
//! run is not followed beyond the return from such an activation.

use hardbop_base::{Budget, Stop};
use hardbop_ir::{
    EdgeId, ExprId, Initial, LocationId, Orders, PlaceBase, PlaceId, ProcId, Program, Statement, VarId,
    are_exclusive, visit,
};
use hardbop_logic::{Sort, Term};
use hardbop_semantics::{Cell, Encoder, End, Frame, Meaning, State, Subject};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::choice::Schedule;

/// The most places, branches and edges of one branch.
const MAX_NODES: usize = 64;
const MAX_BRANCHES: usize = 600;
const MAX_EDGES: usize = 4000;

/// Where a branch starts or ends.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// The activations, the outermost first, with the edge by which each calls the next.
    pub stack: Vec<(ProcId, Option<EdgeId>)>,
    /// The location in the last of them.
    pub location: LocationId,
}

/// What kind of place a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Where the program starts.
    Start,
    /// The head of a loop.
    Head,
    /// The entry of a procedure that calls itself.
    Recursion,
    /// An error, before this edge.
    Error(EdgeId),
    /// The end of a run without an error.
    End,
}

/// A node by its number.
pub type NodeId = usize;

/// What a value that a branch draws is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Use {
    /// A value that an edge asks for.
    Value(ProcId, EdgeId),
    /// Which of several enabled edges is taken; the edge is the first that leaves the location.
    Choice(ProcId, EdgeId),
    /// What a variable holds before it is written, in this activation of its procedure.
    Storage(ProcId, VarId, u64),
}

/// Something arbitrary that a branch takes from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    /// What for.
    pub purpose: Use,
    /// The symbol for it; for choices the number of the edge as a term.
    pub value: Term,
    /// Whether it is drawn at all.
    pub guard: Term,
}

/// A path from node to node.
#[derive(Debug, Clone)]
pub struct Branch {
    /// Where it starts.
    pub source: NodeId,
    /// Where it ends.
    pub target: NodeId,
    /// What a run along it satisfies, over the values at the source and the values drawn.
    pub conditions: Vec<Term>,
    /// The new values of what changed, by the symbol of the old value.
    pub updates: FxHashMap<Term, Term>,
    /// What it draws, in order.
    pub draws: Vec<Draw>,
    /// Its edges, with their procedures.
    pub edges: Vec<(ProcId, EdgeId)>,
    /// Whether the terms say exactly what the program does.
    pub exact: bool,
}

/// All branches between the nodes that can be reached.
#[derive(Debug, Default)]
pub struct System {
    /// The places.
    pub nodes: Vec<Node>,
    /// The branches.
    pub branches: Vec<Branch>,
}

/// Why there is no system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// A limit.
    Stopped(Stop),
    /// There are too many paths.
    TooLarge,
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        Failure::Stopped(stop)
    }
}

impl System {
    /// The system of a program, with choices resolved where the schedule says how.
    pub fn of(
        subject: Subject<'_>,
        encoder: &mut Encoder,
        schedule: &Schedule,
        budget: &Budget,
    ) -> Result<System, Failure> {
        let program = subject.program;
        let Some(entry) = program.entry else { return Ok(System::default()) };
        let recursive = recursive(subject);
        let mut builder = Builder {
            subject,
            encoder,
            schedule,
            budget,
            recursive,
            orders: Orders::default(),
            numbers: FxHashMap::default(),
            system: System::default(),
        };
        let location = program.procedures[entry].entry;
        builder.node(Node { kind: Kind::Start, stack: vec![(entry, None)], location })?;
        let mut next = 0;
        while next < builder.system.nodes.len() {
            builder.branches_from(next)?;
            next += 1;
        }
        Ok(builder.system)
    }

    /// The branches that start at a node.
    pub fn leaving(&self, node: NodeId) -> impl Iterator<Item = &Branch> {
        self.branches.iter().filter(move |branch| branch.source == node)
    }

    /// The procedure in which a node lies.
    pub fn procedure(&self, node: NodeId) -> Option<ProcId> {
        self.nodes[node].stack.last().map(|&(procedure, _)| procedure)
    }

    /// The nodes that are errors.
    pub fn errors(&self) -> Vec<NodeId> {
        (0..self.nodes.len()).filter(|&node| matches!(self.nodes[node].kind, Kind::Error(_))).collect()
    }
}

/// The procedures that are active more than once at a time in some run.
fn recursive(subject: Subject<'_>) -> FxHashSet<ProcId> {
    let program = subject.program;
    let mut calls: FxHashMap<ProcId, FxHashSet<ProcId>> = FxHashMap::default();
    for (id, procedure) in program.procedures.iter() {
        for (edge, e) in procedure.edges.iter() {
            if let Statement::Call { .. } = e.statement {
                calls.entry(id).or_default().extend(subject.alias.callees(id, edge));
            }
        }
    }
    let reaches_itself = |&start: &ProcId| {
        let mut open: Vec<ProcId> = calls.get(&start).into_iter().flatten().copied().collect();
        let mut seen: FxHashSet<ProcId> = open.iter().copied().collect();
        while let Some(procedure) = open.pop() {
            for &callee in calls.get(&procedure).into_iter().flatten() {
                if seen.insert(callee) {
                    open.push(callee);
                }
            }
        }
        seen.contains(&start)
    };
    calls.keys().filter(|procedure| reaches_itself(procedure)).copied().collect()
}

struct Builder<'a> {
    subject: Subject<'a>,
    encoder: &'a mut Encoder,
    schedule: &'a Schedule,
    budget: &'a Budget,
    recursive: FxHashSet<ProcId>,
    orders: Orders,
    numbers: FxHashMap<Node, NodeId>,
    system: System,
}

/// A branch on its way.
#[derive(Clone)]
struct Walk {
    state: State,
    stack: Vec<(ProcId, Option<EdgeId>)>,
    location: LocationId,
    conditions: Vec<Term>,
    draws: Vec<Draw>,
    edges: Vec<(ProcId, EdgeId)>,
    exact: bool,
    /// Whether it may end where it is.
    moved: bool,
    /// Whether it comes from the start of the program.
    from_start: bool,
    /// Activations that were started, by procedure.
    entered: Vec<ProcId>,
}

impl Walk {
    fn frame(&self) -> Frame {
        Frame(self.stack.len() as u32 - 1)
    }

    fn procedure(&self) -> ProcId {
        self.stack[self.stack.len() - 1].0
    }
}

impl Builder<'_> {
    fn node(&mut self, node: Node) -> Result<NodeId, Failure> {
        if let Some(&known) = self.numbers.get(&node) {
            return Ok(known);
        }
        let number = self.system.nodes.len();
        if number >= MAX_NODES {
            return Err(Failure::TooLarge);
        }
        self.system.nodes.push(node.clone());
        self.numbers.insert(node, number);
        Ok(number)
    }

    fn branches_from(&mut self, source: NodeId) -> Result<(), Failure> {
        let node = self.system.nodes[source].clone();
        if matches!(node.kind, Kind::Error(_) | Kind::End) {
            return Ok(());
        }
        let mut walk = Walk {
            state: State::new(Frame::ONLY),
            stack: node.stack,
            location: node.location,
            conditions: Vec::new(),
            draws: Vec::new(),
            edges: Vec::new(),
            exact: true,
            moved: node.kind == Kind::Start,
            from_start: node.kind == Kind::Start,
            entered: Vec::new(),
        };
        walk.state.enter(walk.frame());
        if node.kind == Kind::Start {
            self.start(&mut walk);
        }
        let mut open = vec![walk];
        while let Some(walk) = open.pop() {
            self.budget.check()?;
            self.advance(source, walk, &mut open)?;
        }
        Ok(())
    }

    /// Gives globals their initial values; those without one hold zero.
    fn start(&mut self, walk: &mut Walk) {
        let program = self.subject.program;
        let mut coder = self.encoder.on(self.subject);
        coder.initialise(&mut walk.state, &mut walk.conditions);
        for &var in &program.globals {
            if coder.is_register(var) && program.variables[var].initial == Initial::Arbitrary {
                let cell = Cell::Global(var);
                let sort = coder.cell_sort(cell);
                let zero = zero(coder.encoder, sort);
                coder.set(&mut walk.state, cell, zero);
            }
        }
        let mut zeros = FxHashMap::default();
        for (region, _) in self.subject.regions.regions().iter() {
            let mut coder = self.encoder.on(self.subject);
            let symbol = coder.initial(Cell::Region(region));
            let sort = coder.cell_sort(Cell::Region(region));
            let value = coder.get(&walk.state, Cell::Region(region));
            coder.set(&mut walk.state, Cell::Region(region), value);
            zeros.insert(symbol, zero(self.encoder, sort));
        }
        self.replace(walk, &zeros);
        let entry = walk.procedure();
        self.enter(walk, entry);
    }

    /// Starts an activation: what its variables hold is an input on the way from the start, else zero.
    fn enter(&mut self, walk: &mut Walk, procedure: ProcId) {
        let program = self.subject.program;
        let p = &program.procedures[procedure];
        let number = walk.entered.iter().filter(|&&entered| entered == procedure).count() as u64;
        walk.entered.push(procedure);
        let before = self.encoder.drawn();
        self.encoder.on(self.subject).enter(&mut walk.state, procedure);
        let drawn: Vec<Term> = self.encoder.drawn_since(before).to_vec();
        let zeros = drawn.into_iter().map(|symbol| {
            let sort = self.encoder.terms.sort(symbol);
            (symbol, zero(self.encoder, sort))
        });
        let zeros: FxHashMap<Term, Term> = zeros.collect();
        self.replace(walk, &zeros);
        let truth = self.encoder.terms.bool(true);
        for &var in p.locals.iter().chain(&p.result) {
            let mut coder = self.encoder.on(self.subject);
            if !coder.is_register(var) || coder.sort_of(program.variables[var].ty).is_none() {
                continue;
            }
            let cell = coder.register(walk.frame(), var);
            let sort = coder.cell_sort(cell);
            let value = if walk.from_start {
                let value = coder.arbitrary(sort);
                walk.draws.push(Draw { purpose: Use::Storage(procedure, var, number), value, guard: truth });
                value
            } else {
                zero(coder.encoder, sort)
            };
            let mut coder = self.encoder.on(self.subject);
            coder.set(&mut walk.state, cell, value);
        }
    }

    /// Replaces symbols in all that a walk has.
    fn replace(&mut self, walk: &mut Walk, map: &FxHashMap<Term, Term>) {
        if map.is_empty() {
            return;
        }
        for (cell, value) in walk.state.written() {
            let value = self.encoder.terms.substitute(value, map);
            self.encoder.on(self.subject).set(&mut walk.state, cell, value);
        }
        for condition in &mut walk.conditions {
            *condition = self.encoder.terms.substitute(*condition, map);
        }
    }

    /// Goes on from where a walk is, along all edges.
    fn advance(&mut self, source: NodeId, mut walk: Walk, open: &mut Vec<Walk>) -> Result<(), Failure> {
        let program = self.subject.program;
        if walk.edges.len() > MAX_EDGES || open.len() > MAX_BRANCHES {
            return Err(Failure::TooLarge);
        }
        let procedure = walk.procedure();
        let p = &program.procedures[procedure];
        let order = self.orders.of(program, procedure);
        if walk.location == p.exit {
            return self.leave(source, walk, open);
        }
        if walk.moved && order.is_head(walk.location) {
            return self.arrive(source, walk, Kind::Head);
        }
        walk.moved = true;
        let edges = order.leaving(walk.location);
        if are_exclusive(program, p, edges) {
            for &edge in edges {
                self.edge(source, walk.clone(), edge, open)?;
            }
            return Ok(());
        }
        let enabled = self.encoder.on(self.subject).enabled(&walk.state, procedure, edges);
        let scheduled = self.schedule.at(procedure, edges);
        let mut number = self.encoder.terms.int(0);
        let one = self.encoder.terms.int(1);
        let mut several = self.encoder.terms.bool(false);
        let mut any = self.encoder.terms.bool(false);
        for &enabled in &enabled {
            let terms = &mut self.encoder.terms;
            let both = terms.and(&[any, enabled]);
            several = terms.or(&[several, both]);
            any = terms.or(&[any, enabled]);
        }
        for (i, (&edge, &enabled)) in edges.iter().zip(&enabled).enumerate() {
            let mut taken = walk.clone();
            let purpose = Use::Choice(procedure, edges[0]);
            taken.draws.push(Draw { purpose, value: number, guard: several });
            if let Some(predicates) = scheduled {
                let Some(&predicate) = predicates.get(i) else { continue };
                let holds = self.encoder.on(self.subject).holds(&taken.state, predicate);
                taken.conditions.push(holds);
            }
            self.edge(source, taken, edge, open)?;
            let terms = &mut self.encoder.terms;
            let more = terms.int_add(number, one);
            number = terms.ite(enabled, more, number);
        }
        Ok(())
    }

    fn edge(
        &mut self,
        source: NodeId,
        mut walk: Walk,
        edge: EdgeId,
        open: &mut Vec<Walk>,
    ) -> Result<(), Failure> {
        let program = self.subject.program;
        let procedure = walk.procedure();
        let statement = &program.procedures[procedure].edges[edge].statement;
        if let Statement::Error(_) = statement {
            return self.arrive(source, walk, Kind::Error(edge));
        }
        walk.edges.push((procedure, edge));
        if let Statement::Call { .. } = statement {
            return self.call(source, walk, edge, open);
        }
        walk.exact &= is_exact(program, statement);
        let before = self.encoder.drawn();
        let frame = walk.frame();
        walk.state.enter(frame);
        let end =
            self.encoder.on(self.subject).execute(&mut walk.state, procedure, edge, &mut walk.conditions);
        self.note_draws(&mut walk, (procedure, edge), before);
        if self.contradicts(&walk) {
            return Ok(());
        }
        walk.location = program.procedures[procedure].edges[edge].target;
        match end {
            End::Continues => open.push(walk),
            End::Stops => self.arrive(source, walk, Kind::End)?,
            End::Error(_) | End::Unsupported(_) => {}
        }
        Ok(())
    }

    fn contradicts(&mut self, walk: &Walk) -> bool {
        let all = self.encoder.terms.and(&walk.conditions);
        self.encoder.terms.as_bool(all) == Some(false)
    }

    /// Values that an edge asks for are inputs; what it leaves unset is zero; whatever else it makes
    /// arbitrary is not known exactly.
    fn note_draws(&mut self, walk: &mut Walk, (procedure, edge): (ProcId, EdgeId), before: usize) {
        let asked = self.encoder.on(self.subject).asked_for(procedure, edge, before);
        let truth = self.encoder.terms.bool(true);
        let mut zeros = FxHashMap::default();
        for symbol in self.encoder.drawn_since(before).to_vec() {
            if asked.contains(&symbol) {
                let purpose = Use::Value(procedure, edge);
                walk.draws.push(Draw { purpose, value: symbol, guard: truth });
                continue;
            }
            let statement = &self.subject.program.procedures[procedure].edges[edge].statement;
            walk.exact &= matches!(statement, Statement::Havoc(..));
            let sort = self.encoder.terms.sort(symbol);
            zeros.insert(symbol, zero(self.encoder, sort));
        }
        self.replace(walk, &zeros);
    }

    fn call(
        &mut self,
        source: NodeId,
        walk: Walk,
        edge: EdgeId,
        open: &mut Vec<Walk>,
    ) -> Result<(), Failure> {
        let procedure = walk.procedure();
        let target = self.subject.program.procedures[procedure].edges[edge].target;
        for callee in self.subject.alias.callees(procedure, edge).to_vec() {
            let mut walk = walk.clone();
            let frame = walk.frame();
            walk.state.enter(frame);
            let mut coder = self.encoder.on(self.subject);
            coder.require_callee(&walk.state, procedure, edge, callee, &mut walk.conditions);
            if !coder.has_body(callee) {
                let before = coder.encoder.drawn();
                coder.execute(&mut walk.state, procedure, edge, &mut walk.conditions);
                self.note_draws(&mut walk, (procedure, edge), before);
                walk.location = target;
                open.push(walk);
                continue;
            }
            let inner = Frame(frame.0 + 1);
            coder.pass_arguments(&mut walk.state, (procedure, edge), callee, inner, &mut walk.conditions);
            if self.contradicts(&walk) {
                continue;
            }
            let depth = walk.stack.len() - 1;
            walk.stack[depth].1 = Some(edge);
            walk.stack.push((callee, None));
            walk.state.enter(inner);
            self.enter(&mut walk, callee);
            walk.location = self.subject.program.procedures[callee].entry;
            walk.moved = true;
            if self.recursive.contains(&callee) {
                self.next_round(&mut walk, callee);
                self.arrive(source, walk, Kind::Recursion)?;
            } else {
                open.push(walk);
            }
        }
        Ok(())
    }

    /// If the procedure that was just entered was active before, the new activation takes its place.
    fn next_round(&mut self, walk: &mut Walk, callee: ProcId) {
        let inner = walk.frame();
        let Some(before) = walk.stack[..walk.stack.len() - 1].iter().position(|&(p, _)| p == callee) else {
            return;
        };
        let p = &self.subject.program.procedures[callee];
        for &var in p.formals.iter().chain(&p.locals).chain(&p.result) {
            let mut coder = self.encoder.on(self.subject);
            if !coder.is_register(var) || coder.sort_of(self.subject.program.variables[var].ty).is_none() {
                walk.exact = false;
                continue;
            }
            let value = coder.get(&walk.state, Cell::Local(inner, var));
            coder.set(&mut walk.state, Cell::Local(Frame(before as u32), var), value);
        }
        for depth in before + 1..walk.stack.len() {
            walk.state.drop_locals(Frame(depth as u32));
        }
        walk.stack.truncate(before);
        walk.stack.push((callee, None));
        let frame = walk.frame();
        walk.state.enter(frame);
    }

    fn leave(&mut self, source: NodeId, mut walk: Walk, open: &mut Vec<Walk>) -> Result<(), Failure> {
        let callee = walk.procedure();
        let frame = walk.frame();
        if walk.stack.len() == 1 {
            return self.arrive(source, walk, Kind::End);
        }
        if self.recursive.contains(&callee) {
            return Ok(());
        }
        walk.stack.pop();
        let depth = walk.stack.len() - 1;
        let (caller, Some(edge)) = walk.stack[depth] else { return Ok(()) };
        walk.stack[depth].1 = None;
        let outer = walk.frame();
        walk.state.enter(outer);
        self.encoder.on(self.subject).take_result(
            &mut walk.state,
            (caller, edge),
            callee,
            frame,
            &mut walk.conditions,
        );
        walk.state.drop_locals(frame);
        walk.location = self.subject.program.procedures[caller].edges[edge].target;
        open.push(walk);
        Ok(())
    }

    /// Ends a branch.
    fn arrive(&mut self, source: NodeId, walk: Walk, kind: Kind) -> Result<(), Failure> {
        if self.system.branches.len() >= MAX_BRANCHES {
            return Err(Failure::TooLarge);
        }
        let (stack, location) = match kind {
            Kind::End => (vec![walk.stack[0]], LocationId::from_usize(0)),
            _ => (walk.stack.clone(), walk.location),
        };
        let depth = stack.len() as u32;
        let target = self.node(Node { kind, stack, location })?;
        let mut updates = FxHashMap::default();
        for (cell, value) in walk.state.written() {
            if matches!(cell, Cell::Local(frame, _) if frame.0 >= depth) {
                continue;
            }
            let symbol = self.encoder.on(self.subject).initial(cell);
            if symbol != value {
                updates.insert(symbol, value);
            }
        }
        let all = self.encoder.terms.and(&walk.conditions);
        let parts: Vec<Term> = updates.values().copied().chain([all]).collect();
        let known = |symbol: &Term| self.encoder.meaning_of(*symbol) != Some(Meaning::Function);
        let exact = walk.exact && self.encoder.terms.symbols_of(&parts).iter().all(known);
        let Walk { conditions, draws, edges, .. } = walk;
        self.system.branches.push(Branch { source, target, conditions, updates, draws, edges, exact });
        Ok(())
    }
}

/// Zero, of any sort.
pub(crate) fn zero(encoder: &mut Encoder, sort: Sort) -> Term {
    match sort {
        Sort::Bool => encoder.terms.bool(false),
        Sort::Int => encoder.terms.int(0),
        Sort::BitVec(width) => encoder.terms.bv(0, width),
        Sort::Array(index, element) => {
            let element = zero(encoder, element.into());
            encoder.terms.constant_array(index, element)
        }
    }
}

/// Whether the encoder models a statement exactly: nothing goes through a pointer, whose validity is not
/// modelled, and no block of memory is moved.
fn is_exact(program: &Program, statement: &Statement) -> bool {
    match *statement {
        Statement::Assign(place, expr) => {
            program.is_scalar(program.place(place).ty) && named(program, place) && direct(program, expr)
        }
        Statement::Havoc(place, _) => program.is_scalar(program.place(place).ty) && named(program, place),
        Statement::Assume(expr) => direct(program, expr),
        Statement::Skip | Statement::Return | Statement::Halt(_) | Statement::Error(_) => true,
        Statement::Output { ref arguments, .. } => {
            arguments.iter().all(|&argument| direct(program, argument))
        }
        _ => false,
    }
}

fn named(program: &Program, place: PlaceId) -> bool {
    let mut indices = visit::place_parts(program, place);
    matches!(program.place(place).base, PlaceBase::Var(_)) && indices.all(|index| direct(program, index))
}

fn direct(program: &Program, expr: ExprId) -> bool {
    let kind = &program.expr(expr).kind;
    let mut parts = visit::operator_parts(kind);
    visit::place_of(kind).is_none_or(|place| named(program, place)) && parts.all(|part| direct(program, part))
}
