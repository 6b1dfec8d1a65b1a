//! The points-to solver: Andersen's inclusion constraints ("Program Analysis and Specialization for the C
//! Programming Language", 1994) over location sets, with difference propagation (Pearce, Kelly and Hankin,
//! "Efficient field-sensitive pointer analysis for C", PASTE 2004) and the call graph found on the way.
//!
//! A *node* holds [`Facts`]: the locations that a value can point to. Edges between nodes carry a [`Step`].
//! There is a node for each register, for each expression that can hold an address, for the address of each
//! place, and two kinds for memory:
//! - a *stored* cell gets what is stored at some positions of an object;
//! - a *loaded* cell gets what is in stored cells that have bytes in common with it.
//!
//! Keeping the two apart loses nothing when `a[i]` is read and `a[2]` written, although they overlap: `a[3]`
//! does not see what went to `a[2]`. Where two cells can share some bytes but not all, the position in the
//! object pointed to is forgotten, as with any part of an address. Copies of records and of memory lead
//! from stored cells to stored cells; they are taken up anew whenever the source object gets a cell.
//!
//! Writes of anything are kept as ranges of bytes. One that cuts a stored cell, so that some bytes of an address are
//! replaced, lets the cell point anywhere in its objects; a pointer that is read from where numbers were
//! written may be any address that was told (see `flow.rs`).
//!
//! Departures: stored cells are made only once there is a fact to store, so the many stores of plain numbers
//! cost nothing. There is no cycle elimination; measurements showed no need.

use std::collections::VecDeque;

use hardbop_base::{Budget, Stop};
use hardbop_ir::{
    Arbitrary, Callee, EdgeId, Effect, ExprId, ExprKind, Initial, InitialValue, PlaceBase, PlaceId, ProcId,
    Program, Statement, Type, TypeId, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::calls::CallGraph;
use crate::flow::{Flow, Source, Tells, What, bit_field_bytes, whole_variable};
use crate::location::{Cell, Facts, Length, Location, Range, Space, Step, gcd};
use crate::object::{ObjectId, ObjectKind, Objects, can_hold_address, is_elsewhere, is_visible_outside};
use crate::walk;

type NodeId = u32;

/// How many nodes are worked on between two looks at the budget.
const POLL: usize = 1024;

/// If an object has more stored cells than this, copies make no new ones at single positions.
const MAX_CELLS: usize = 512;

#[derive(Default)]
struct Node {
    facts: Facts,
    /// How many of the facts were passed on.
    done: usize,
    successors: Vec<(NodeId, Step)>,
    uses: Vec<Use>,
    queued: bool,
}

/// What has to happen when a node gets facts.
#[derive(Clone, Copy)]
enum Use {
    /// It is an address; what is stored there goes to a node.
    Load { width: u64, target: NodeId, step: Step, pointer: bool },
    /// It is an address; the facts of a node are stored there.
    Store { width: u64, source: NodeId },
    /// It is a value that is stored at the address in a node.
    StoredAt { width: u64, address: NodeId },
    /// It is an address from which on so many bytes are written.
    Write { length: Length, numbers: bool },
    /// It tells control flow what it is.
    Tell(What),
    /// It is the source address of a copy.
    CopyFrom(u32),
    /// It is the target address of a copy.
    CopyTo(u32),
    /// It is called.
    Called(u32),
    /// It is known outside of the program.
    Escape,
}

/// A copy of memory between two addresses.
struct Copy {
    source: NodeId,
    target: NodeId,
    length: Option<u64>,
}

/// A copy from one location to another.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Transfer {
    source: Location,
    target: Location,
    length: Option<u64>,
}

/// What is known of the contents of an object.
#[derive(Default)]
struct Contents {
    stored: Vec<(Cell, NodeId)>,
    stored_index: FxHashMap<Cell, NodeId>,
    loaded: Vec<(Cell, NodeId)>,
    loaded_index: FxHashMap<Cell, NodeId>,
    /// What is written, and whether it may be numbers.
    writes: Vec<(Range, bool)>,
    write_index: FxHashSet<(Range, bool)>,
    /// Where pointers are read, and the nodes that get them.
    pointers: Vec<(Cell, NodeId)>,
    transfers: Vec<Transfer>,
    escaped: bool,
}

/// A call in a procedure that is reached.
#[derive(Clone, Copy)]
struct CallSite {
    procedure: ProcId,
    edge: EdgeId,
}

/// What the solver finds out.
pub(crate) struct Solution {
    pub(crate) objects: Objects,
    pub(crate) calls: CallGraph,
    /// For each variable that is a register.
    pub(crate) registers: Vec<Vec<Location>>,
    /// For each object, the stored cells.
    pub(crate) contents: Vec<Vec<(Cell, Vec<Location>)>>,
    /// For each object, whether external procedures can change it.
    pub(crate) escaped: Vec<bool>,
    /// Whether an external procedure is called that changes what it can reach.
    pub(crate) havoc: bool,
    /// The addresses that control flow was told.
    pub(crate) told: Vec<Location>,
    /// For each object, whether its address is compared with anything but null.
    pub(crate) compared: Vec<bool>,
    /// For each object, whether it may be freed.
    pub(crate) freed: Vec<bool>,
    /// For each object, the ranges to which numbers are written.
    pub(crate) numbers: Vec<Vec<Range>>,
    space: Space,
}

impl Solution {
    /// Whether some bytes of an object were written as numbers.
    pub(crate) fn is_patched(&self, object: ObjectId, cell: Cell) -> bool {
        let meets = |range: &Range| {
            let meeting = range.meets(self.space, cell);
            meeting.whole || meeting.cut
        };
        self.numbers[object.index()].iter().any(meets)
    }
}

pub(crate) struct Solver<'p> {
    program: &'p Program,
    flow: Flow<'p>,
    space: Space,
    objects: Objects,
    nodes: Vec<Node>,
    queue: VecDeque<NodeId>,
    edges: FxHashSet<(NodeId, NodeId, Step)>,
    registers: Vec<Option<NodeId>>,
    values: FxHashMap<ExprId, Option<NodeId>>,
    addresses: FxHashMap<PlaceId, NodeId>,
    contents: Vec<Contents>,
    copies: Vec<Copy>,
    transfers: FxHashSet<Transfer>,
    /// Cells that still have to be copied.
    moves: Vec<(Transfer, Cell, NodeId)>,
    sites: Vec<CallSite>,
    calls: CallGraph,
    pending: Vec<ProcId>,
    /// The procedure that stands for those that a call through a pointer does not fit.
    misfit: Option<ProcId>,
    /// The node of what is known outside of the program, which is also what the world holds.
    outside: NodeId,
    /// The node of the addresses that control flow was told.
    told: NodeId,
    /// The node of the addresses that are compared with anything but null, as numbers or as pointers.
    compared: NodeId,
    /// The node of what is freed.
    freed: NodeId,
    /// Which expressions were looked at for what they tell.
    seen: Vec<bool>,
    /// Whether some external procedure changes what is given to it.
    escapes: bool,
    havoc: bool,
}

/// Solves the constraints of everything that can be reached from the entry, or of all procedures if the
/// program has none.
pub(crate) fn solve(program: &Program, budget: &Budget) -> Result<Solution, Stop> {
    let mut solver = Solver::new(program);
    solver.start();
    let mut count = 0;
    loop {
        while let Some(procedure) = solver.pending.pop() {
            budget.check()?;
            solver.procedure(procedure);
        }
        count += 1;
        if count % POLL == 0 {
            budget.check()?;
        }
        if let Some((transfer, cell, node)) = solver.moves.pop() {
            solver.transfer_cell(transfer, cell, node);
        } else if let Some(node) = solver.queue.pop_front() {
            solver.propagate(node);
        } else {
            break;
        }
    }
    Ok(solver.finish())
}

impl<'p> Solver<'p> {
    fn new(program: &'p Program) -> Self {
        let objects = Objects::of(program);
        let flow = Flow::new(program);
        let contents = (0..objects.len()).map(|_| Contents::default()).collect();
        Solver {
            program,
            flow,
            space: flow.space,
            objects,
            nodes: (0..4).map(|_| Node::default()).collect(),
            queue: VecDeque::new(),
            edges: FxHashSet::default(),
            registers: vec![None; program.variables.len()],
            values: FxHashMap::default(),
            addresses: FxHashMap::default(),
            contents,
            copies: Vec::new(),
            transfers: FxHashSet::default(),
            moves: Vec::new(),
            sites: Vec::new(),
            calls: CallGraph::new(program),
            pending: Vec::new(),
            misfit: program.misfit(),
            outside: 0,
            told: 1,
            compared: 2,
            freed: 3,
            seen: vec![false; program.exprs().len()],
            escapes: false,
            havoc: false,
        }
    }

    fn start(&mut self) {
        let world = Location::anywhere(self.objects.world());
        let inside = self.stored(world.object, Cell { offset: 0, stride: 1, width: 1 });
        self.add(inside, world);
        self.connect(inside, self.outside, Step::ANYWHERE);
        for &global in &self.program.globals {
            self.initial(global);
        }
        match self.program.entry {
            Some(entry) => self.reach(entry),
            None => self.program.procedures.ids().for_each(|procedure| self.reach(procedure)),
        }
    }

    fn finish(self) -> Solution {
        let facts = |node: NodeId| self.nodes[node as usize].facts.locations();
        let escaped = self.contents.iter().map(|contents| contents.escaped).collect();
        let registers = self.registers.iter().map(|node| node.map(facts).unwrap_or_default()).collect();
        let contents = self.contents.iter().map(|contents| {
            let mut cells: Vec<_> = contents.stored.iter().map(|&(cell, node)| (cell, facts(node))).collect();
            cells.sort_unstable();
            cells
        });
        let contents = contents.collect();
        let numbers = |contents: &Contents| {
            contents.writes.iter().filter(|(_, numbers)| *numbers).map(|&(range, _)| range).collect()
        };
        let numbers = self.contents.iter().map(numbers).collect();
        let told = facts(self.told);
        let objects_in = |node: NodeId| {
            let mut found = vec![false; self.contents.len()];
            facts(node).iter().for_each(|fact| found[fact.object.index()] = true);
            found
        };
        let (compared, mut freed) = (objects_in(self.compared), objects_in(self.freed));
        // What is known outside may be freed there.
        freed.iter_mut().zip(&self.contents).for_each(|(freed, contents)| *freed |= contents.escaped);
        let mut calls = self.calls;
        calls.finish(self.program);
        let (objects, havoc, space) = (self.objects, self.havoc, self.space);
        Solution {
            objects,
            calls,
            registers,
            contents,
            escaped,
            havoc,
            told,
            compared,
            freed,
            numbers,
            space,
        }
    }
}

/// Nodes.
impl Solver<'_> {
    fn node(&mut self) -> NodeId {
        self.nodes.push(Node::default());
        (self.nodes.len() - 1) as NodeId
    }

    fn enqueue(&mut self, node: NodeId) {
        if !std::mem::replace(&mut self.nodes[node as usize].queued, true) {
            self.queue.push_back(node);
        }
    }

    fn add(&mut self, node: NodeId, fact: Location) {
        if self.nodes[node as usize].facts.insert(self.space, fact) {
            self.enqueue(node);
        }
    }

    /// A fact as it arrives after a step. The world has no positions.
    fn moved(&self, fact: Location, step: Step) -> Location {
        if fact.object == self.objects.world() { fact } else { self.space.moved(fact, step) }
    }

    /// Lets facts flow from one node to another.
    fn connect(&mut self, from: NodeId, to: NodeId, step: Step) {
        if from == to && step == Step::NONE || !self.edges.insert((from, to, step)) {
            return;
        }
        self.nodes[from as usize].successors.push((to, step));
        for i in 0..self.nodes[from as usize].done {
            let fact = self.nodes[from as usize].facts.log[i];
            self.add(to, self.moved(fact, step));
        }
    }

    /// Adds something to be done with the facts of a node, and does it for those that are there.
    fn attach(&mut self, node: NodeId, what: Use) {
        self.nodes[node as usize].uses.push(what);
        let done = self.nodes[node as usize].done;
        if done > 0 {
            self.apply(node, what, 0, done);
        }
    }

    /// Passes on the facts of a node that are new.
    fn propagate(&mut self, node: NodeId) {
        let this = &mut self.nodes[node as usize];
        this.queued = false;
        let (first, last) = (this.done, this.facts.log.len());
        this.done = last;
        // What is added to these lists meanwhile takes care of the facts up to `done` itself.
        let (successors, uses) = (this.successors.len(), this.uses.len());
        for s in 0..successors {
            let (to, step) = self.nodes[node as usize].successors[s];
            for i in first..last {
                let fact = self.nodes[node as usize].facts.log[i];
                self.add(to, self.moved(fact, step));
            }
        }
        for u in 0..uses {
            let what = self.nodes[node as usize].uses[u];
            self.apply(node, what, first, last);
        }
    }

    fn fact(&self, node: NodeId, index: usize) -> Location {
        self.nodes[node as usize].facts.log[index]
    }

    /// Does something with a range of the facts of a node.
    fn apply(&mut self, node: NodeId, what: Use, first: usize, last: usize) {
        match what {
            Use::Load { width, target, step, pointer } => {
                for i in first..last {
                    if let Some((object, cell)) = self.cell(self.fact(node, i), width) {
                        let from = self.loaded(object, cell);
                        self.connect(from, target, step);
                        if pointer {
                            self.pointer_loaded(object, cell, target);
                        }
                    }
                }
            }
            Use::Write { length, numbers } => {
                (first..last).for_each(|i| self.written(self.fact(node, i), length, numbers));
            }
            Use::Tell(what) => (first..last).for_each(|i| self.tell(self.fact(node, i), what)),
            Use::Store { width, source } => {
                if !self.nodes[source as usize].facts.is_empty() {
                    (first..last).for_each(|i| self.store(source, self.fact(node, i), width));
                }
            }
            // The first fact opens the way; later ones follow the edges.
            Use::StoredAt { width, address } if first == 0 => {
                for i in 0..self.nodes[address as usize].done {
                    self.store(node, self.fact(address, i), width);
                }
            }
            Use::StoredAt { .. } => {}
            Use::CopyFrom(number) => {
                let Copy { target, length, .. } = self.copies[number as usize];
                for i in first..last {
                    for j in 0..self.nodes[target as usize].done {
                        self.transfer(self.fact(node, i), self.fact(target, j), length);
                    }
                }
            }
            Use::CopyTo(number) => {
                let Copy { source, length, .. } = self.copies[number as usize];
                for i in first..last {
                    for j in 0..self.nodes[source as usize].done {
                        self.transfer(self.fact(source, j), self.fact(node, i), length);
                    }
                }
            }
            Use::Called(site) => (first..last).for_each(|i| self.call_object(site, self.fact(node, i))),
            Use::Escape => (first..last).for_each(|i| self.escape(self.fact(node, i).object)),
        }
    }

    /// Control flow is told of an address.
    fn tell(&mut self, fact: Location, what: What) {
        if !what.whole && fact.stride != 1 {
            return;
        }
        let fact = self.moved(fact, Step::ANYWHERE);
        self.add(self.compared, fact);
        if what.number {
            self.add(self.told, fact);
        }
    }

    /// The bytes of an access through a fact.
    fn cell(&self, fact: Location, width: u64) -> Option<(ObjectId, Cell)> {
        Some((fact.object, self.space.cell(&self.objects, fact, width)?))
    }

    fn store(&mut self, source: NodeId, at: Location, width: u64) {
        if let Some((object, cell)) = self.cell(at, width) {
            let target = self.stored(object, cell);
            self.connect(source, target, Step::NONE);
        }
    }
}

/// Memory.
impl Solver<'_> {
    fn stored(&mut self, object: ObjectId, cell: Cell) -> NodeId {
        if let Some(&node) = self.contents[object.index()].stored_index.get(&cell) {
            return node;
        }
        let node = self.node();
        let contents = &mut self.contents[object.index()];
        contents.stored_index.insert(cell, node);
        contents.stored.push((cell, node));
        for i in 0..self.contents[object.index()].loaded.len() {
            let (other, to) = self.contents[object.index()].loaded[i];
            self.connect_cells(cell, node, other, to);
        }
        for i in 0..self.contents[object.index()].writes.len() {
            let (range, _) = self.contents[object.index()].writes[i];
            self.cut(range, cell, node);
        }
        let transfers = &self.contents[object.index()].transfers;
        self.moves.extend(transfers.iter().map(|&transfer| (transfer, cell, node)));
        if self.contents[object.index()].escaped || object == self.objects.world() {
            self.connect(node, self.outside, Step::ANYWHERE);
        }
        node
    }

    fn loaded(&mut self, object: ObjectId, cell: Cell) -> NodeId {
        if let Some(&node) = self.contents[object.index()].loaded_index.get(&cell) {
            return node;
        }
        let node = self.node();
        let contents = &mut self.contents[object.index()];
        contents.loaded_index.insert(cell, node);
        contents.loaded.push((cell, node));
        for i in 0..self.contents[object.index()].stored.len() {
            let (other, from) = self.contents[object.index()].stored[i];
            self.connect_cells(other, from, cell, node);
        }
        node
    }

    /// Notes that bytes are written. The world and procedures have none that matter.
    fn written(&mut self, start: Location, length: Length, numbers: bool) {
        let is_memory = self.objects[start.object].is_memory() && start.object != self.objects.world();
        let inside = length.known().is_none_or(|width| self.cell(start, width).is_some());
        let (index, write) = (start.object.index(), (Range { start, length }, numbers));
        if !is_memory || !inside || !self.contents[index].write_index.insert(write) {
            return;
        }
        self.contents[index].writes.push(write);
        for i in 0..self.contents[index].stored.len() {
            let (cell, node) = self.contents[index].stored[i];
            self.cut(write.0, cell, node);
        }
        for i in 0..self.contents[index].pointers.len() {
            let (cell, to) = self.contents[index].pointers[i];
            self.patch(write, cell, to);
        }
    }

    /// An address of which a write replaces some bytes leads anywhere.
    fn cut(&mut self, range: Range, cell: Cell, node: NodeId) {
        if range.meets(self.space, cell).cut {
            self.connect(node, node, Step::ANYWHERE);
        }
    }

    /// Notes that a pointer is read.
    fn pointer_loaded(&mut self, object: ObjectId, cell: Cell, to: NodeId) {
        let contents = &mut self.contents[object.index()];
        contents.pointers.push((cell, to));
        for i in 0..self.contents[object.index()].writes.len() {
            let write = self.contents[object.index()].writes[i];
            self.patch(write, cell, to);
        }
    }

    /// A pointer that is read where numbers were written may be any address that was told.
    fn patch(&mut self, (range, numbers): (Range, bool), cell: Cell, to: NodeId) {
        let meeting = range.meets(self.space, cell);
        if numbers && (meeting.whole || meeting.cut) {
            self.connect(self.told, to, Step::NONE);
        }
    }

    /// Lets facts flow from a stored cell to a loaded one, as far as they have bytes in common.
    fn connect_cells(&mut self, stored: Cell, from: NodeId, loaded: Cell, to: NodeId) {
        let meeting = stored.meets(loaded);
        if meeting.equal {
            self.connect(from, to, Step::NONE);
        }
        if meeting.partial {
            self.connect(from, to, Step::ANYWHERE);
        }
    }

    /// Copies memory between the addresses in two nodes.
    fn copy(&mut self, source: NodeId, target: NodeId, length: Length) {
        let number = self.copies.len() as u32;
        self.copies.push(Copy { source, target, length: length.known() });
        self.attach(source, Use::CopyFrom(number));
        self.attach(target, Use::CopyTo(number));
        self.attach(target, Use::Write { length, numbers: true });
    }

    /// Copies memory between two locations.
    fn transfer(&mut self, source: Location, target: Location, length: Option<u64>) {
        let transfer = Transfer { source, target, length };
        let memory = |at: Location| self.objects[at.object].is_memory();
        if source == target || !memory(source) || !memory(target) || !self.transfers.insert(transfer) {
            return;
        }
        let contents = &mut self.contents[source.object.index()];
        contents.transfers.push(transfer);
        self.moves.extend(contents.stored.iter().map(|&(cell, node)| (transfer, cell, node)));
    }

    /// Copies one cell as part of a copy.
    fn transfer_cell(&mut self, transfer: Transfer, cell: Cell, node: NodeId) {
        for part in parts(self.space, transfer.source, transfer.length, cell) {
            let mut target = self.moved(transfer.target, part.step);
            // Copying an object onto itself could otherwise go on without end.
            if self.contents[target.object.index()].stored.len() > MAX_CELLS {
                target = self.moved(target, Step { shift: 0, spread: self.space.pointer_bytes() });
            }
            let Some((object, to)) = self.cell(target, part.width) else { continue };
            let to = self.stored(object, to);
            self.connect(node, to, if part.width == cell.width { Step::NONE } else { Step::ANYWHERE });
        }
    }

    /// Makes an object known outside of the program, where an external procedure may change it and learn
    /// what it points to.
    fn escape(&mut self, object: ObjectId) {
        let is_memory = self.objects[object].is_memory() && object != self.objects.world();
        if !is_memory || std::mem::replace(&mut self.contents[object.index()].escaped, true) {
            return;
        }
        for i in 0..self.contents[object.index()].stored.len() {
            let (_, node) = self.contents[object.index()].stored[i];
            self.connect(node, self.outside, Step::ANYWHERE);
        }
        let everywhere = self.stored(object, Cell { offset: 0, stride: 1, width: 1 });
        self.connect(self.outside, everywhere, Step::NONE);
    }

    /// From the first call of an external procedure that changes memory on, what is given away is changed.
    fn start_escape(&mut self) {
        if !std::mem::replace(&mut self.escapes, true) {
            self.attach(self.outside, Use::Escape);
        }
    }

    /// From the first call of a procedure with [`Effect::Havoc`] on, everything that it can know counts.
    fn start_havoc(&mut self) {
        if std::mem::replace(&mut self.havoc, true) {
            return;
        }
        self.start_escape();
        self.know_globals();
        for &global in &self.program.globals {
            if !is_visible_outside(self.program, global) {
                continue;
            }
            if self.objects.variable(global).is_none()
                && can_hold_address(self.program, self.program.variables[global].ty)
            {
                let node = self.register(global);
                self.connect(node, self.outside, Step::ANYWHERE);
                // Arbitrary integers are numbers.
                if self.program.is_pointer(self.program.variables[global].ty) {
                    self.connect(self.outside, node, Step::NONE);
                }
            }
        }
    }
}

/// What the rest of the world knows.
impl Solver<'_> {
    /// Other files can name the globals: what they hold may be addresses of those.
    fn know_globals(&mut self) {
        for &global in &self.program.globals {
            if is_visible_outside(self.program, global)
                && let Some(object) = self.objects.variable(global)
            {
                self.add(self.outside, Location::anywhere(object));
            }
        }
        let world = self.objects.world();
        let inside = self.stored(world, Cell { offset: 0, stride: 1, width: 1 });
        self.connect(self.outside, inside, Step::ANYWHERE);
    }

    /// What a global that another file defines points to at the start.
    fn initial_elsewhere(&mut self, global: VarId) {
        self.know_globals();
        let value = self.outside;
        for (step, width) in addresses_in(self.program, self.program.variables[global].ty) {
            match self.objects.variable(global) {
                None => self.assign_variable(global, value),
                Some(object) => {
                    let at = self.space.moved(Location::exact(object, 0), step);
                    self.attach_store(value, at, width);
                }
            }
        }
    }
}

/// A part of a cell that a copy takes along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// From the start of the copy to the part.
    pub(crate) step: Step,
    pub(crate) width: u64,
}

/// What a copy of `length` bytes from a location on takes along of a cell of the same object: all of it or
/// the bytes at one end. A copy of unknown length is taken to copy whole cells.
pub(crate) fn parts(space: Space, start: Location, length: Option<u64>, cell: Cell) -> Vec<Part> {
    let step = gcd(start.stride, cell.stride);
    let from = if start.stride == 0 { space.signed(start.offset).into() } else { i128::from(start.offset) };
    let distance = i128::from(cell.offset) - from;
    let width = i128::from(cell.width);
    let end = length.map_or(i128::MAX, i128::from);
    let piece = |at: i128| {
        let (first, last) = (at.max(0), at.saturating_add(width).min(end));
        (first < last).then(|| Part {
            step: Step { shift: space.distance(first), spread: 0 },
            width: (last - first) as u64,
        })
    };
    if step == 0 {
        return piece(distance).into_iter().collect();
    }
    let rest = distance.rem_euclid(step.into());
    if end <= i128::from(step) {
        return [rest, rest - i128::from(step)].into_iter().filter_map(piece).collect();
    }
    vec![Part { step: Step { shift: space.distance(rest), spread: step }, width: cell.width }]
}

/// Constraints of values and places.
impl Solver<'_> {
    fn register(&mut self, var: VarId) -> NodeId {
        if let Some(node) = self.registers[var.index()] {
            return node;
        }
        let node = self.node();
        self.registers[var.index()] = Some(node);
        node
    }

    /// The node of an expression; nothing if it can hold no address.
    fn value(&mut self, expr: ExprId) -> Option<NodeId> {
        if let Some(&known) = self.values.get(&expr) {
            return known;
        }
        let sources = self.flow.sources(expr);
        let node = match *sources {
            [] => None,
            [Source::Value(operand, Step::NONE)] => self.value(operand),
            [Source::Address(place)] => Some(self.address(place)),
            [Source::Load(place)] => self.load(place),
            _ => {
                let node = self.node();
                for source in sources {
                    self.flow_from(source, node);
                }
                Some(node)
            }
        };
        self.values.insert(expr, node);
        node
    }

    fn flow_from(&mut self, source: Source, to: NodeId) {
        let (from, step) = match source {
            Source::Procedure(procedure) => {
                return self.add(to, Location::exact(self.objects.procedure(procedure), 0));
            }
            Source::Address(place) => (Some(self.address(place)), Step::NONE),
            Source::Load(place) => (self.load(place), Step::NONE),
            Source::Value(operand, step) => (self.value(operand), step),
            Source::Told => (Some(self.told), Step::NONE),
        };
        if let Some(from) = from {
            self.connect(from, to, step);
        }
    }

    fn load(&mut self, place: PlaceId) -> Option<NodeId> {
        if let Some(var) = whole_variable(self.program, place)
            && self.objects.variable(var).is_none()
        {
            return Some(self.register(var));
        }
        let (address, target) = (self.address(place), self.node());
        let is_bit_field = self.flow.path(place).bits.is_some();
        let step = if is_bit_field { Step::ANYWHERE } else { Step::NONE };
        let pointer = self.program.is_pointer(self.program.place(place).ty);
        self.attach(address, Use::Load { width: self.flow.width(place), target, step, pointer });
        Some(target)
    }

    /// The node of the address of a place that is no register.
    fn address(&mut self, place: PlaceId) -> NodeId {
        if let Some(&known) = self.addresses.get(&place) {
            return known;
        }
        let node = self.node();
        self.addresses.insert(place, node);
        let path = self.flow.path(place);
        match path.base {
            PlaceBase::Var(var) => {
                if let Some(object) = self.objects.variable(var) {
                    self.add(node, self.space.moved(Location::exact(object, 0), path.step));
                }
            }
            PlaceBase::Deref(pointer) => {
                if let Some(pointer) = self.value(pointer) {
                    self.connect(pointer, node, path.step);
                }
            }
        }
        for index in path.indices {
            if let Some(index) = self.value(index) {
                self.connect(index, node, Step::ANYWHERE);
            }
        }
        node
    }

    /// Stores the value of a node in a scalar place.
    fn assign(&mut self, place: PlaceId, value: NodeId) {
        if let Some(var) = whole_variable(self.program, place)
            && self.objects.variable(var).is_none()
        {
            let target = self.register(var);
            return self.connect(value, target, Step::NONE);
        }
        let (address, width) = (self.address(place), self.flow.width(place));
        let value = if self.flow.path(place).bits.is_some() { self.piece_of(value) } else { value };
        self.attach(value, Use::StoredAt { width, address });
        self.attach(address, Use::Store { width, source: value });
    }

    /// The node of some bits of a value.
    fn piece_of(&mut self, value: NodeId) -> NodeId {
        let piece = self.node();
        self.connect(value, piece, Step::ANYWHERE);
        piece
    }

    /// Makes the pointers in a place arbitrary.
    fn havoc(&mut self, place: PlaceId) {
        let ty = self.program.place(place).ty;
        let mut offsets = Vec::new();
        pointers_in(self.program, ty, 0, &mut offsets);
        if offsets.is_empty() {
            return;
        }
        let world = Location::anywhere(self.objects.world());
        let value = self.node();
        self.add(value, world);
        if self.program.is_scalar(ty) {
            return self.assign(place, value);
        }
        let address = self.address(place);
        for step in offsets {
            let part = self.node();
            self.connect(address, part, step);
            let width = self.space.pointer_bytes();
            self.attach(value, Use::StoredAt { width, address: part });
            self.attach(part, Use::Store { width, source: value });
        }
    }

    /// What a global points to at the start.
    fn initial(&mut self, global: VarId) {
        match &self.program.variables[global].initial {
            Initial::Arbitrary if is_elsewhere(self.program, global) => self.initial_elsewhere(global),
            Initial::Arbitrary => {
                let mut offsets = Vec::new();
                pointers_in(self.program, self.program.variables[global].ty, 0, &mut offsets);
                let world = Location::anywhere(self.objects.world());
                for step in offsets {
                    match self.objects.variable(global) {
                        None => {
                            let node = self.register(global);
                            self.add(node, world);
                        }
                        Some(object) => {
                            let at = self.space.moved(Location::exact(object, 0), step);
                            if let Some((object, cell)) = self.cell(at, self.space.pointer_bytes()) {
                                let node = self.stored(object, cell);
                                self.add(node, world);
                            }
                        }
                    }
                }
            }
            Initial::Values(values) => values.iter().for_each(|value| self.initial_value(global, value)),
        }
    }

    fn initial_value(&mut self, global: VarId, initial: &InitialValue) {
        if matches!(self.program.expr(initial.value).kind, ExprKind::Int(_) | ExprKind::Float(_)) {
            return;
        }
        let Some(value) = self.value(initial.value) else { return };
        let Some(object) = self.objects.variable(global) else {
            let node = self.register(global);
            return self.connect(value, node, Step::NONE);
        };
        let (width, step) = match initial.bits {
            Some(bits) => (bit_field_bytes(bits), Step::ANYWHERE),
            None => (self.flow.scalar_width(self.program.expr(initial.value).ty), Step::NONE),
        };
        if let Some((object, cell)) = self.cell(Location::exact(object, initial.offset), width) {
            let node = self.stored(object, cell);
            self.connect(value, node, step);
        }
    }
}

/// The steps from the start of a value to the pointers in it. All elements of an array count as one.
fn pointers_in(program: &Program, ty: TypeId, at: i64, out: &mut Vec<Step>) {
    let mut scalars = Vec::new();
    scalars_in(program, ty, at, &mut scalars);
    out.extend(scalars.into_iter().filter(|&(_, ty)| program.is_pointer(ty)).map(|(step, _)| step));
}

/// The steps from the start of a value to all in it that may be an address or a part of one, with its bytes.
fn addresses_in(program: &Program, ty: TypeId) -> Vec<(Step, u64)> {
    let mut scalars = Vec::new();
    scalars_in(program, ty, 0, &mut scalars);
    scalars.retain(|&(_, ty)| program.machine_shape(ty).is_some());
    scalars.into_iter().map(|(step, ty)| (step, program.size_of(ty))).collect()
}

/// The steps from the start of a value to the scalars in it. All elements of an array count as one.
fn scalars_in(program: &Program, ty: TypeId, at: i64, out: &mut Vec<(Step, TypeId)>) {
    match *program.ty(ty) {
        Type::Array { element, .. } => {
            let mut inside = Vec::new();
            scalars_in(program, element, at, &mut inside);
            let spread = program.size_of(element);
            let spread = Step { shift: 0, spread };
            out.extend(inside.into_iter().map(|(step, ty)| (step.then(spread), ty)));
        }
        Type::Record(record) => {
            for field in &program.records[record].fields {
                scalars_in(program, field.ty, at.saturating_add_unsigned(field.offset), out);
            }
        }
        _ => out.push((Step { shift: at, spread: 0 }, ty)),
    }
}

/// Constraints of statements.
impl Solver<'_> {
    fn reach(&mut self, procedure: ProcId) {
        if self.calls.reach(procedure) {
            self.pending.push(procedure);
        }
    }

    fn procedure(&mut self, procedure: ProcId) {
        let program = self.program;
        for (edge, e) in program.procedures[procedure].edges.iter() {
            self.statement(procedure, edge, &e.statement);
            self.telling(&e.statement);
        }
    }

    /// What the expressions of a statement tell control flow.
    fn telling(&mut self, statement: &Statement) {
        let mut told = Vec::new();
        let flow = self.flow;
        walk::statement_exprs(self.program, statement, &mut self.seen, &mut |expr| {
            told.extend(flow.tells(expr))
        });
        if let (Some(place), _) = walk::operands(statement) {
            told.extend(flow.told_by_indices(place));
        }
        for Tells { expr, what } in told {
            if let Some(node) = self.value(expr) {
                self.attach(node, Use::Tell(what));
            }
        }
    }

    /// Notes that a scalar place is written.
    fn overwrite(&mut self, place: PlaceId) {
        if whole_variable(self.program, place).is_some_and(|var| self.objects.variable(var).is_none()) {
            return;
        }
        let address = self.address(place);
        let numbers = !self.program.is_pointer(self.program.place(place).ty);
        let length = Length::Known(self.flow.width(place));
        self.attach(address, Use::Write { length, numbers });
    }

    fn statement(&mut self, procedure: ProcId, edge: EdgeId, statement: &Statement) {
        match *statement {
            Statement::Assign(place, expr) if self.program.is_scalar(self.program.place(place).ty) => {
                self.overwrite(place);
                if let Some(value) = self.value(expr) {
                    self.assign(place, value);
                }
            }
            Statement::Assign(place, expr) => {
                if let ExprKind::Load(source) = self.program.expr(expr).kind {
                    let (source, target) = (self.address(source), self.address(place));
                    let length = Length::Known(self.program.size_of(self.program.place(place).ty));
                    self.copy(source, target, length);
                }
            }
            // Storage without a value points nowhere.
            Statement::Havoc(_, Arbitrary::Uninitialised) => {}
            Statement::Havoc(place, _) => {
                if self.program.is_scalar(self.program.place(place).ty) {
                    self.overwrite(place);
                }
                self.havoc(place);
            }
            Statement::Call { callee, .. } => {
                let site = self.sites.len() as u32;
                self.sites.push(CallSite { procedure, edge });
                match callee {
                    Callee::Direct(target) => self.call(site, target),
                    Callee::Indirect(pointer) => {
                        if let Some(pointer) = self.value(pointer) {
                            self.attach(pointer, Use::Called(site));
                        }
                    }
                }
            }
            Statement::Allocate { result, .. } => {
                if let Some(object) = self.objects.allocation(procedure, edge) {
                    let value = self.node();
                    self.add(value, Location::exact(object, 0));
                    self.assign_variable(result, value);
                }
            }
            Statement::Copy { target, source, length } => {
                self.copy_between(source, target, self.flow.length(length));
            }
            // Of what both objects have room for no part is left out.
            Statement::CopyObject { target, source } => {
                let whole = self.space.pointer_bytes();
                self.copy_between(source, target, Length::Multiple(whole));
            }
            Statement::Free(pointer) => {
                if let Some(pointer) = self.value(pointer) {
                    self.connect(pointer, self.freed, Step::NONE);
                }
            }
            Statement::Fill { target, length, .. } => {
                if let Some(target) = self.value(target) {
                    let length = self.flow.length(length);
                    self.attach(target, Use::Write { length, numbers: true });
                }
            }
            _ => {}
        }
    }

    fn copy_between(&mut self, source: ExprId, target: ExprId, length: Length) {
        if let (Some(source), Some(target)) = (self.value(source), self.value(target)) {
            self.copy(source, target, length);
        }
    }

    /// Stores the value of a node in a whole scalar variable.
    fn assign_variable(&mut self, var: VarId, value: NodeId) {
        match self.objects.variable(var) {
            None => {
                let target = self.register(var);
                self.connect(value, target, Step::NONE);
            }
            Some(object) => {
                let width = self.flow.scalar_width(self.program.variables[var].ty);
                self.attach_store(value, Location::exact(object, 0), width);
            }
        }
    }

    fn attach_store(&mut self, value: NodeId, at: Location, width: u64) {
        let address = self.node();
        self.add(address, at);
        self.attach(value, Use::StoredAt { width, address });
        self.attach(address, Use::Store { width, source: value });
    }
}

/// Calls.
impl<'p> Solver<'p> {
    fn parts_of(&self, site: u32) -> (Option<VarId>, &'p [ExprId]) {
        let CallSite { procedure, edge } = self.sites[site as usize];
        let program: &'p Program = self.program;
        match &program.procedures[procedure].edges[edge].statement {
            Statement::Call { result, arguments, .. } => (*result, arguments),
            _ => (None, &[]),
        }
    }

    /// A call through a pointer reaches an object.
    fn call_object(&mut self, site: u32, at: Location) {
        let CallSite { procedure, edge } = self.sites[site as usize];
        match self.objects[at.object].kind {
            ObjectKind::Procedure(target) if at.offset == 0 => {
                let statement = &self.program.procedures[procedure].edges[edge].statement;
                if self.program.fits(statement, target) {
                    self.call(site, target);
                } else {
                    self.calls.add_misfit(procedure, edge, target);
                    if let Some(misfit) = self.misfit {
                        self.call(site, misfit);
                    }
                }
            }
            ObjectKind::World => self.calls.add_unknown(procedure, edge),
            _ => {}
        }
    }

    fn call(&mut self, site: u32, target: ProcId) {
        let CallSite { procedure, edge } = self.sites[site as usize];
        if !self.calls.add(procedure, edge, target) {
            return;
        }
        let program = self.program;
        let callee = &program.procedures[target];
        let (result, arguments) = self.parts_of(site);
        if let Some(effect) = callee.external {
            return self.call_external(effect, result, arguments);
        }
        self.reach(target);
        for (&argument, &formal) in arguments.iter().zip(&callee.formals) {
            self.pass(argument, formal);
        }
        if let (Some(from), Some(to)) = (callee.result, result) {
            let scalar = program.is_scalar(program.variables[to].ty);
            match (self.objects.variable(from), self.objects.variable(to)) {
                (None, _) if scalar => {
                    let value = self.register(from);
                    let value = self.passed(value, program.variables[from].ty, program.variables[to].ty);
                    self.assign_variable(to, value);
                }
                (Some(from), Some(to)) => {
                    let length = self.objects[to].size;
                    self.transfer(Location::exact(from, 0), Location::exact(to, 0), length);
                }
                _ => {}
            }
        }
    }

    fn pass(&mut self, argument: ExprId, formal: VarId) {
        let expr = self.program.expr(argument);
        if self.program.is_scalar(expr.ty) {
            if let Some(value) = self.value(argument) {
                let value = self.passed(value, expr.ty, self.program.variables[formal].ty);
                self.assign_variable(formal, value);
            }
        } else if let (ExprKind::Load(source), Some(target)) = (&expr.kind, self.objects.variable(formal)) {
            let (source, address) = (self.address(*source), self.node());
            self.add(address, Location::exact(target, 0));
            self.copy(source, address, Length::Known(self.program.size_of(expr.ty)));
        }
    }

    /// The node of a value that a call passes as one of another type.
    fn passed(&mut self, value: NodeId, from: TypeId, to: TypeId) -> NodeId {
        let whole = self.program.size_of(from) <= self.program.size_of(to);
        if whole { value } else { self.piece_of(value) }
    }

    fn call_external(&mut self, effect: Effect, result: Option<VarId>, arguments: &[ExprId]) {
        let value = self.node();
        match effect {
            Effect::Pure | Effect::Computes => self.add(value, Location::anywhere(self.objects.world())),
            Effect::Havoc | Effect::Reaches => {
                self.start_escape();
                if effect == Effect::Havoc {
                    self.start_havoc();
                }
                self.connect(self.outside, value, Step::NONE);
                arguments.iter().for_each(|&argument| self.give_away(argument));
            }
        }
        let Some(result) = result else { return };
        let ty = self.program.variables[result].ty;
        let offsets = match effect {
            Effect::Pure | Effect::Computes => {
                let mut offsets = Vec::new();
                pointers_in(self.program, ty, 0, &mut offsets);
                offsets.into_iter().map(|step| (step, self.space.pointer_bytes())).collect()
            }
            Effect::Havoc | Effect::Reaches => addresses_in(self.program, ty),
        };
        for (step, width) in offsets {
            match self.objects.variable(result) {
                None => self.assign_variable(result, value),
                Some(object) => {
                    let at = self.space.moved(Location::exact(object, 0), step);
                    self.attach_store(value, at, width);
                }
            }
        }
    }

    /// Makes an argument known outside of the program.
    fn give_away(&mut self, argument: ExprId) {
        let expr = self.program.expr(argument);
        match expr.kind {
            ExprKind::Load(source) if !self.program.is_scalar(expr.ty) => {
                let (source, world) = (self.address(source), self.node());
                self.add(world, Location::anywhere(self.objects.world()));
                self.copy(source, world, Length::Known(self.program.size_of(expr.ty)));
            }
            _ => {
                if let Some(value) = self.value(argument) {
                    self.connect(value, self.outside, Step::ANYWHERE);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hardbop_base::Id;

    use super::*;

    /// The positions of a location from -30 to 30.
    fn positions(space: Space, at: Location) -> Vec<i64> {
        let exact = |p: i64| Location::exact(at.object, p.cast_unsigned());
        (-30..30).filter(|&p| space.covers(at, exact(p))).collect()
    }

    /// The parts of a cell that a copy takes along, against single bytes: if a position of the cell has
    /// bytes in the copied range, a part has exactly those bytes, or (with strides) at least the whole cell.
    #[test]
    fn copies_take_along_what_they_should() {
        let space = Space::new(64);
        let object = Id::from_usize(1);
        let locations =
            [Location::exact(object, 4), space.strided(object, 1, 3), space.strided(object, 0, 8)];
        let cells = [(0, 0), (2, 0), (5, 0), (9, 0), (0, 4), (3, 8), (1, 2)];
        for start in locations {
            for (offset, stride) in cells {
                for width in [1, 2, 4] {
                    for length in [Some(1), Some(3), Some(8), Some(11), None] {
                        check_parts(space, start, length, Cell { offset, stride, width });
                    }
                }
            }
        }
    }

    fn check_parts(space: Space, start: Location, length: Option<u64>, cell: Cell) {
        let found = parts(space, start, length, cell);
        let (width, end) = (cell.width.cast_signed(), length.map_or(40, u64::cast_signed));
        for from in positions(space, start) {
            for at in positions(space, cell.location(start.object)).into_iter().filter(|&p| p >= 0) {
                let (first, last) = ((at - from).max(0), (at - from + width).min(end));
                let exact = |part: &Part| {
                    let begin = Location::exact(start.object, 0);
                    let reached = space.moved(begin, part.step);
                    let covers =
                        |p: i64| space.covers(reached, Location::exact(start.object, p.cast_unsigned()));
                    let pieces = part.width == (last - first).cast_unsigned() && covers(first);
                    pieces || part.width == cell.width && covers(at - from)
                };
                if first < last {
                    assert!(found.iter().any(exact), "{start:?} {length:?} {cell:?} {from} {at}: {found:?}");
                }
            }
        }
    }
}
