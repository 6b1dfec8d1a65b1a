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
//! cost nothing. Cycles are looked for now and then, and become one node (see `cycles.rs`).

mod cycles;
pub(crate) mod memory;
mod statements;
mod values;

use std::collections::VecDeque;
use std::sync::Arc;

use hardbop_base::{Budget, Stop};
use hardbop_ir::{EdgeId, ExprId, PlaceId, ProcId, Program};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::calls::CallGraph;
use crate::flow::{Comparison, Flow, What};
use crate::location::{AccessBytes, Facts, Length, Location, Range, Space, Step};
use crate::object::{ObjectId, Objects, is_open};
use crate::ranges::Bounds;

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
    /// Whether its facts are about whole objects: it stands for a cycle on which positions are forgotten.
    spreads: bool,
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
    stored: Vec<(AccessBytes, NodeId)>,
    stored_index: FxHashMap<AccessBytes, NodeId>,
    loaded: Vec<(AccessBytes, NodeId)>,
    loaded_index: FxHashMap<AccessBytes, NodeId>,
    /// What is written, and whether it may be numbers.
    writes: Vec<(Range, bool)>,
    write_index: FxHashSet<(Range, bool)>,
    /// Where pointers are read, and the nodes that get them.
    pointers: Vec<(AccessBytes, NodeId)>,
    pointer_index: FxHashSet<(AccessBytes, NodeId)>,
    transfers: Vec<Transfer>,
    escaped: bool,
}

/// A call in a procedure that is reached.
#[derive(Clone, Copy)]
struct CallSite {
    procedure: ProcId,
    edge: EdgeId,
}

/// Locations, in order. Many registers and cells have one in common.
pub(crate) type Set = Arc<[Location]>;

/// What the solver finds out.
pub(crate) struct Solution {
    pub(crate) objects: Objects,
    pub(crate) calls: CallGraph,
    /// For each variable that is a register.
    pub(crate) registers: Vec<Set>,
    /// For each object, the stored cells.
    pub(crate) contents: Vec<Vec<(AccessBytes, Set)>>,
    /// For each object, whether external procedures can change it.
    pub(crate) escaped: Vec<bool>,
    /// For each object, whether its address is known outside of the program.
    pub(crate) known: Vec<bool>,
    /// Whether an external procedure is called that changes what it can reach.
    pub(crate) havoc: bool,
    /// The addresses that control flow was told.
    pub(crate) told: Vec<Location>,
    /// For each object, whether its address is compared with anything but null, or noticed.
    pub(crate) compared: Vec<bool>,
    /// For each object, whether something is computed with its address that depends on where it lies.
    pub(crate) noticed: Vec<bool>,
    /// The pointers that are compared with each other.
    pub(crate) comparisons: Vec<(Set, Set, Comparison)>,
    /// For each object, whether it may be freed.
    pub(crate) freed: Vec<bool>,
    /// For each object, the ranges to which numbers are written.
    pub(crate) numbers: Vec<Vec<Range>>,
    space: Space,
}

impl Solution {
    /// Whether some bytes of an object were written as numbers.
    pub(crate) fn is_patched(&self, object: ObjectId, cell: AccessBytes) -> bool {
        let meets = |range: &Range| {
            let meeting = range.meets(self.space, cell);
            meeting.whole || meeting.cut
        };
        self.numbers[object.index()].iter().any(meets)
    }

    /// Whether numbers may be written to some bytes of a cell of an object and not to the others.
    pub(crate) fn is_mixed(&self, object: ObjectId, cell: AccessBytes) -> bool {
        self.numbers[object.index()].iter().any(|range| range.meets(self.space, cell).cut)
    }
}

pub(crate) struct Solver<'p> {
    program: &'p Program,
    flow: Flow<'p>,
    space: Space,
    objects: Objects,
    nodes: Vec<Node>,
    /// For each node, the one that stands for it.
    roots: Vec<NodeId>,
    /// Facts that were sent on since cycles were last looked for, and how many are sent until then.
    sent: usize,
    patience: usize,
    queue: VecDeque<NodeId>,
    edges: FxHashSet<(NodeId, NodeId, Step)>,
    registers: Vec<Option<NodeId>>,
    values: FxHashMap<ExprId, Option<NodeId>>,
    addresses: FxHashMap<PlaceId, NodeId>,
    contents: Vec<Contents>,
    copies: Vec<Copy>,
    transfers: FxHashSet<Transfer>,
    /// Cells that still have to be copied.
    moves: Vec<(Transfer, AccessBytes, NodeId)>,
    sites: Vec<CallSite>,
    calls: CallGraph,
    pending: Vec<ProcId>,
    /// The procedure that stands for those that a call through a pointer does not fit.
    misfit: Option<ProcId>,
    /// Pointers that are read from memory and not called: the node of the address, the bytes, and the node of the value.
    pointer_loads: Vec<(NodeId, u64, NodeId)>,
    /// The procedure that stands for those outside of the program.
    outsider: Option<ProcId>,
    /// The node of what is known outside of the program, which is also what the world holds.
    outside: NodeId,
    /// The node of the addresses that control flow was told.
    told: NodeId,
    /// The node of the addresses that are compared with anything but null, as numbers or as pointers.
    compared: NodeId,
    /// The node of the addresses with which something is computed that depends on where their objects lie.
    noticed: NodeId,
    /// The nodes of pointers that are compared with each other.
    comparisons: Vec<(NodeId, NodeId, Comparison)>,
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
pub(crate) fn solve(program: &Program, bounds: &Bounds, budget: &Budget) -> Result<Solution, Stop> {
    let open = is_open(program);
    let solution = solve_with(program, bounds, Objects::of(program, open), budget)?;
    // A pointer may lead to a function outside of the program that knows the globals.
    if solution.havoc && !open {
        solve_with(program, bounds, Objects::of(program, true), budget)
    } else {
        Ok(solution)
    }
}

fn solve_with(
    program: &Program,
    bounds: &Bounds,
    objects: Objects,
    budget: &Budget,
) -> Result<Solution, Stop> {
    let mut solver = Solver::new(Flow::within(program, bounds), objects);
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
        if solver.sent > solver.patience {
            solver.merge_cycles();
        }
        if let Some((transfer, cell, node)) = solver.moves.pop() {
            solver.transfer_cell(transfer, cell, node);
        } else if let Some(node) = solver.queue.pop_front() {
            solver.propagate(node);
        } else if !solver.lead_unset_outside() {
            break;
        }
    }
    Ok(solver.finish())
}

impl<'p> Solver<'p> {
    fn new(flow: Flow<'p>, objects: Objects) -> Self {
        let program = flow.program;
        let contents = (0..objects.len()).map(|_| Contents::default()).collect();
        Solver {
            program,
            flow,
            space: flow.space,
            objects,
            nodes: (0..5).map(|_| Node::default()).collect(),
            roots: (0..5).collect(),
            sent: 0,
            patience: cycles::PATIENCE,
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
            pointer_loads: Vec::new(),
            outsider: program.outside(),
            outside: 0,
            told: 1,
            compared: 2,
            freed: 3,
            noticed: 4,
            comparisons: Vec::new(),
            seen: vec![false; program.exprs().len()],
            escapes: false,
            havoc: false,
        }
    }

    fn start(&mut self) {
        let world = Location::anywhere(self.objects.world());
        let inside = self.stored(world.object, AccessBytes::every_byte());
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
        let sets: Vec<Set> = self.nodes.iter().map(|node| node.facts.locations().into()).collect();
        let facts = |node: NodeId| sets[self.at(node)].clone();
        let escaped = self.contents.iter().map(|contents| contents.escaped).collect();
        let registers = self.registers.iter().map(|node| node.map_or_else(|| Set::from([]), facts)).collect();
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
        let told = facts(self.told).to_vec();
        let objects_in = |node: NodeId| {
            let mut found = vec![false; self.contents.len()];
            facts(node).iter().for_each(|fact| found[fact.object.index()] = true);
            found
        };
        let (mut compared, mut freed) = (objects_in(self.compared), objects_in(self.freed));
        let noticed = objects_in(self.noticed);
        // Differences, remainders, sizes and the like tell where an object lies, too.
        compared.iter_mut().zip(&noticed).for_each(|(compared, noticed)| *compared |= noticed);
        let comparisons = self.comparisons.iter().map(|&(a, b, how)| (facts(a), facts(b), how)).collect();
        let known = objects_in(self.outside);
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
            known,
            havoc,
            told,
            compared,
            noticed,
            comparisons,
            freed,
            numbers,
            space,
        }
    }
}

/// Nodes.
impl Solver<'_> {
    fn node(&mut self) -> NodeId {
        let node = self.nodes.len() as NodeId;
        self.nodes.push(Node::default());
        self.roots.push(node);
        node
    }

    /// Where a node is, or the one that stands for it.
    fn at(&self, node: NodeId) -> usize {
        self.roots[node as usize] as usize
    }

    fn enqueue(&mut self, node: NodeId) {
        let at = self.at(node);
        if !std::mem::replace(&mut self.nodes[at].queued, true) {
            self.queue.push_back(at as NodeId);
        }
    }

    fn add(&mut self, node: NodeId, fact: Location) {
        let at = self.at(node);
        let fact = if self.nodes[at].spreads { self.moved(fact, Step::ANYWHERE) } else { fact };
        self.sent += 1;
        if self.nodes[at].facts.insert(self.space, fact) {
            self.enqueue(node);
        }
    }

    /// A fact as it arrives after a step. The world has no positions.
    fn moved(&self, fact: Location, step: Step) -> Location {
        if fact.object == self.objects.world() { fact } else { self.space.moved(fact, step) }
    }

    /// Lets facts flow from one node to another.
    fn connect(&mut self, from: NodeId, to: NodeId, step: Step) {
        let (from, to) = (self.roots[from as usize], self.roots[to as usize]);
        let step = self.visible(from, to, step);
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
        let node = self.roots[node as usize];
        self.nodes[node as usize].uses.push(what);
        let done = self.nodes[node as usize].done;
        if done > 0 {
            self.apply(node, what, 0, done);
        }
    }

    /// Passes on the facts of a node that are new.
    fn propagate(&mut self, node: NodeId) {
        let node = self.roots[node as usize];
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
        self.nodes[self.at(node)].facts.log[index]
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
                if !self.nodes[self.at(source)].facts.is_empty() {
                    (first..last).for_each(|i| self.store(source, self.fact(node, i), width));
                }
            }
            // The first fact opens the way; later ones follow the edges.
            Use::StoredAt { width, address } if first == 0 => {
                for i in 0..self.nodes[self.at(address)].done {
                    self.store(node, self.fact(address, i), width);
                }
            }
            Use::StoredAt { .. } => {}
            Use::CopyFrom(number) => {
                let Copy { target, length, .. } = self.copies[number as usize];
                for i in first..last {
                    for j in 0..self.nodes[self.at(target)].done {
                        self.transfer(self.fact(node, i), self.fact(target, j), length);
                    }
                }
            }
            Use::CopyTo(number) => {
                let Copy { source, length, .. } = self.copies[number as usize];
                for i in first..last {
                    for j in 0..self.nodes[self.at(source)].done {
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
        if !what.whole {
            self.add(self.noticed, fact);
        }
        if what.number {
            self.add(self.told, fact);
        }
    }

    /// The bytes of an access through a fact.
    fn cell(&self, fact: Location, width: u64) -> Option<(ObjectId, AccessBytes)> {
        Some((fact.object, self.space.cell(&self.objects, fact, width)?))
    }

    fn store(&mut self, source: NodeId, at: Location, width: u64) {
        if let Some((object, cell)) = self.cell(at, width) {
            let target = self.stored(object, cell);
            self.connect(source, target, Step::NONE);
        }
    }
}
