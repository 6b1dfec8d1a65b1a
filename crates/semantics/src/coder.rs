//! The encoder's memory ([`Encoder`]) and the view through which it is used ([`Coder`]).

use hardbop_alias::{Alias, ObjectId, ObjectKind, RegionId, RegionKind, Regions};
use hardbop_ir::{BinaryOp, ExprId, FloatKind, PlaceId, ProcId, Program, Type, TypeId, VarId, VarKind};
use hardbop_logic::{Node, Sort, Term, Terms};
use rustc_hash::FxHashMap;

use crate::live::Way;
use crate::state::{Cell, Frame, State};

/// Regions, what they held before, and how much was arbitrary already, with what they hold and what is arbitrary in that.
type InitialRegions = FxHashMap<(RegionId, Term, Option<usize>), (Term, Vec<Term>)>;

/// The terms made so far and what their symbols stand for. It outlives single uses, so that equal
/// questions become equal terms.
#[derive(Debug, Default)]
pub struct Encoder {
    /// The store of terms.
    pub terms: Terms,
    pub(crate) cells: FxHashMap<Cell, Term>,
    pub(crate) meanings: FxHashMap<Term, Meaning>,
    pub(crate) addresses: FxHashMap<Object, Term>,
    pub(crate) applications: FxHashMap<Term, Application>,
    /// What regions hold when the program starts, by what they held before that; and what is arbitrary in that, if anything
    /// is, by how much was arbitrary already.
    pub(crate) initial_regions: InitialRegions,
    /// The values made arbitrary, and the number of objects allocated, since the names were restarted.
    pub(crate) arbitrary: Vec<Term>,
    pub(crate) allocations: u32,
    /// How often something may have been freed since then.
    pub(crate) epoch: u32,
    /// Storage that holds what nobody wrote, if anybody wants to know.
    pub(crate) fresh: Option<Vec<crate::fresh::Fresh>>,
    /// Whether runs go on behind a shift by too much, and whether one was seen that may be.
    pub(crate) open_shifts: bool,
    pub(crate) saw_open_shift: bool,
    /// The bytes of all objects whose addresses are symbols, and whether these are too many for memory.
    pub(crate) room: u128,
    pub(crate) crowded: bool,
    /// Where objects get numbers for addresses, if they do.
    pub(crate) layout: Option<crate::layout::Layout>,
    /// Whether floats are computed with.
    pub(crate) exact_floats: bool,
    /// The kinds of heap objects of which is kept track, whether they are counted, and what is known of places for that.
    pub(crate) kinds: FxHashMap<ObjectId, ObjectId>,
    pub(crate) tallies_heap: bool,
    pub(crate) ways: FxHashMap<PlaceId, Vec<Way>>,
}

/// What a symbol stands for. Symbols without a meaning are values about which nothing is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meaning {
    /// The value of a cell at the start.
    Cell(Cell),
    /// The address of an object.
    Address(Object),
    /// The result of a function of which only its name is known; see [`Encoder::application_of`].
    Function,
    /// Any number: a claim about it holds for all of them ([`Encoder::watched`]).
    Watched {
        /// Which one.
        number: u32,
        /// Its width.
        width: u32,
    },
}

/// A function of which only its name is known, applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Application {
    /// The function.
    pub function: Function,
    /// What it is applied to.
    pub arguments: Vec<Term>,
}

/// A function of which only its name is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// An operator on floats.
    Float(FloatKind, BinaryOp),
    /// A conversion from or to a float.
    Convert(TypeId, TypeId),
}

/// Something that has an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    /// A variable; the frame is that of its activation, and [`Frame::ONLY`] for globals.
    Variable(Frame, VarId),
    /// A procedure.
    Procedure(ProcId),
    /// A new object of an allocation.
    Allocated(Allocation),
}

/// A new object of an allocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Allocation {
    /// Its number.
    pub number: u32,
    /// Its size in bytes, if that is known.
    pub size: Option<u64>,
    /// What `alias` makes of it.
    pub(crate) object: Option<ObjectId>,
    /// How often something may have been freed before.
    pub(crate) epoch: u32,
    /// If there may be no such object: the condition for that.
    pub(crate) fails: Option<Term>,
}

/// The most bytes that one value can have. Bit-fields of a packed record that share bytes with each other
/// may be more together.
pub(crate) const MAX_UNIT: u64 = 16;

/// How the cell of a region looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One value: the region is one place of one variable.
    Single { variable: VarId, offset: u64, bytes: u64 },
    /// An array of values of this many bytes.
    Typed(u64),
    /// An array of bytes.
    Bytes,
}

/// A program with what is known about its memory.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The program.
    pub program: &'a Program,
    /// What its pointers point to.
    pub alias: &'a Alias,
    /// How its memory is cut into regions.
    pub regions: &'a Regions,
}

/// An [`Encoder`] at work on a program.
pub struct Coder<'a> {
    /// The encoder.
    pub encoder: &'a mut Encoder,
    /// The program.
    pub program: &'a Program,
    pub(crate) alias: &'a Alias,
    pub(crate) regions: &'a Regions,
}

/// A condition of more parts than this is long.
const MAX_PARTS: usize = 4;

impl Encoder {
    /// Puts the encoder to work on a program. It must be the same program each time, though it may
    /// have got further expressions in between, and the same regions.
    pub fn on<'a>(&'a mut self, subject: Subject<'a>) -> Coder<'a> {
        Coder { encoder: self, program: subject.program, alias: subject.alias, regions: subject.regions }
    }

    /// Says what a shift by too much does: the run goes on with an arbitrary value, as a compiled program does with
    /// some value (`open`), or it ends, as in the interpreter.
    pub fn leave_shifts_open(&mut self, open: bool) {
        self.open_shifts = open;
    }

    /// Computes floating-point operations bit by bit, as IEEE 754 says; without it, each is some function of its operands. The
    /// terms get large, and are no expressions of the program any more.
    pub fn compute_floats(&mut self) {
        self.exact_floats = true;
    }

    /// Whether a shift was executed while [left open](Self::leave_shifts_open) that may be by too much.
    pub fn saw_open_shift(&self) -> bool {
        self.saw_open_shift
    }

    /// Lets arbitrary values and new objects have the names of earlier ones again, so that equal
    /// questions become equal terms. Terms from before must not meet terms from after in one
    /// question.
    pub fn restart_names(&mut self) {
        self.arbitrary.clear();
        self.allocations = 0;
        self.epoch = 0;
    }

    /// How many values were made arbitrary since the names were restarted.
    pub fn drawn(&self) -> usize {
        self.arbitrary.len()
    }

    /// The values that were made arbitrary after so many others.
    pub fn drawn_since(&self, count: usize) -> &[Term] {
        self.arbitrary.get(count..).unwrap_or_default()
    }

    /// The symbols of results of functions of which only the name is known.
    pub(crate) fn function_symbols(&self) -> Vec<Term> {
        let functions = self.meanings.iter().filter(|(_, meaning)| **meaning == Meaning::Function);
        let mut symbols: Vec<Term> = functions.map(|(&symbol, _)| symbol).collect();
        symbols.sort_unstable();
        symbols
    }

    /// Whether a condition is so long that a name should stand for it where it goes on to grow.
    pub fn is_long(&self, condition: Term) -> bool {
        match self.terms.node(condition) {
            Node::And(parts) => parts.len() > MAX_PARTS,
            &Node::Not(inner) => matches!(self.terms.node(inner), Node::And(_)),
            _ => false,
        }
    }

    /// What a symbol stands for.
    pub fn meaning_of(&self, symbol: Term) -> Option<Meaning> {
        self.meanings.get(&symbol).copied()
    }

    /// The function and the arguments of which a symbol is the result.
    pub fn application_of(&self, symbol: Term) -> Option<&Application> {
        self.applications.get(&symbol)
    }

    /// The locals of an activation whose initial value was asked for, with its symbol.
    pub fn read_in(&self, frame: Frame) -> Vec<(Cell, Term)> {
        let of_frame = |cell: &Cell| matches!(*cell, Cell::Local(of, _) if of == frame);
        let mut cells: Vec<(Cell, Term)> =
            self.cells.iter().filter(|(cell, _)| of_frame(cell)).map(|(&cell, &term)| (cell, term)).collect();
        cells.sort_unstable();
        cells
    }

    /// The cell whose initial value a symbol stands for.
    pub fn cell_of(&self, symbol: Term) -> Option<Cell> {
        match self.meanings.get(&symbol) {
            Some(&Meaning::Cell(cell)) => Some(cell),
            _ => None,
        }
    }
}

impl Coder<'_> {
    pub(crate) fn terms(&mut self) -> &mut Terms {
        &mut self.encoder.terms
    }

    /// The sort of values of a scalar type; nothing for other types.
    pub fn sort_of(&self, ty: TypeId) -> Option<Sort> {
        Some(match *self.program.ty(ty) {
            Type::Bool => Sort::Bool,
            Type::Integer => Sort::Int,
            Type::Machine { width, .. } => Sort::BitVec(u32::from(width)),
            Type::Pointer(_) => Sort::BitVec(self.pointer_bits()),
            Type::Float(FloatKind::F32) => Sort::BitVec(32),
            Type::Float(FloatKind::F64) => Sort::BitVec(64),
            Type::Float(FloatKind::F80) => Sort::BitVec(80),
            Type::Void | Type::Array { .. } | Type::Record(_) | Type::Function(_) => return None,
        })
    }

    pub(crate) fn pointer_bits(&self) -> u32 {
        u32::from(self.program.data_model.pointer_bits())
    }

    pub(crate) fn expr_type(&self, expr: ExprId) -> &Type {
        self.program.ty(self.program.expr(expr).ty)
    }

    /// The cell of a register as seen from a frame.
    pub fn register(&self, frame: Frame, var: VarId) -> Cell {
        match self.program.variables[var].kind {
            VarKind::Global | VarKind::Static => Cell::Global(var),
            _ => Cell::Local(frame, var),
        }
    }

    /// Whether a variable is a cell of its own.
    pub fn is_register(&self, var: VarId) -> bool {
        !self.alias.in_memory(var)
    }

    /// The value of a cell in a state.
    pub fn get(&mut self, state: &State, cell: Cell) -> Term {
        match state.values.get(&cell) {
            Some(&term) => term,
            None => self.initial(cell),
        }
    }

    /// Gives a cell a new value.
    pub fn set(&mut self, state: &mut State, cell: Cell, value: Term) {
        debug_assert_eq!(self.encoder.terms.sort(value), self.cell_sort(cell));
        state.values.insert(cell, value);
    }

    /// The symbol for the value that a cell starts with.
    pub fn initial(&mut self, cell: Cell) -> Term {
        if let Some(&term) = self.encoder.cells.get(&cell) {
            return term;
        }
        let (name, sort) = (self.symbol_name(cell), self.cell_sort(cell));
        let term = self.terms().symbol(&name, sort);
        self.encoder.cells.insert(cell, term);
        self.encoder.meanings.insert(term, Meaning::Cell(cell));
        term
    }

    /// The name of the symbol of a cell. Programs choose the names of their variables, so what comes behind the last `#` tells
    /// symbols apart: two cells with one symbol would be equal in every state.
    fn symbol_name(&self, cell: Cell) -> String {
        match cell {
            Cell::Global(var) => format!("{}#global {}", self.program.variables[var].name, var.index()),
            Cell::Local(frame, var) => self.local_symbol(frame, var),
            Cell::Region(region) => format!("#memory {}", region.index()),
            Cell::Live(kind) => format!("#live {}", kind.index()),
            Cell::Tally(tally, kind) => format!("#{} {}", tally.name(), kind.index()),
        }
    }

    /// What tells a variable of an activation apart.
    pub(crate) fn local_symbol(&self, Frame(frame): Frame, var: VarId) -> String {
        format!("{}#local {} of {frame}", self.program.variables[var].name, var.index())
    }

    /// A cell by name, for people: the variable's name where that is unambiguous.
    pub fn cell_name(&self, cell: Cell) -> String {
        match cell {
            Cell::Global(var) => self.program.variables[var].name.clone(),
            Cell::Local(frame, var) => self.local_name(frame, var),
            Cell::Region(region) => format!("memory.{}", region.index()),
            Cell::Live(kind) => format!("live.{}", kind.index()),
            Cell::Tally(tally, kind) => format!("{}.{}", tally.name(), kind.index()),
        }
    }

    /// Two locals of different procedures may have one name, so the id is part of it.
    pub(crate) fn local_name(&self, frame: Frame, var: VarId) -> String {
        let name = &self.program.variables[var].name;
        match frame {
            Frame::ONLY => format!("{name}.{}", var.index()),
            Frame(n) => format!("{name}.{}@{n}", var.index()),
        }
    }

    /// The sort of a cell's values.
    pub fn cell_sort(&self, cell: Cell) -> Sort {
        match cell {
            Cell::Global(var) | Cell::Local(_, var) => {
                let ty = self.program.variables[var].ty;
                self.sort_of(ty).expect("registers are scalars")
            }
            Cell::Region(region) => self.region_sort(region),
            Cell::Live(_) => self.live_sort(),
            Cell::Tally(tally, _) => self.tally_sort(tally),
        }
    }

    /// A value about which nothing is known.
    pub fn arbitrary(&mut self, sort: Sort) -> Term {
        let number = self.encoder.arbitrary.len();
        let term = self.terms().symbol(&format!("#any {number} {sort:?}"), sort);
        self.encoder.arbitrary.push(term);
        term
    }

    /// How the cell of a region looks.
    pub(crate) fn shape(&self, region: RegionId) -> Shape {
        let region = self.regions.region(region);
        match (region.kind, &region.cells[..]) {
            (RegionKind::Typed(bytes), _) if bytes > MAX_UNIT => Shape::Bytes,
            (RegionKind::Typed(bytes), &[(object, cell)])
                if cell.is_exact() && self.alias.is_single(object) =>
            {
                match self.alias.objects()[object].kind {
                    ObjectKind::Variable(variable) => Shape::Single { variable, offset: cell.offset, bytes },
                    _ => Shape::Typed(bytes),
                }
            }
            (RegionKind::Typed(bytes), _) => Shape::Typed(bytes),
            (RegionKind::Bytes, _) => Shape::Bytes,
        }
    }

    /// One state where a condition holds, another where it does not, as one.
    pub fn merge(&mut self, condition: Term, yes: &State, no: &State) -> State {
        let mut merged = yes.clone();
        for (&cell, &value) in &no.values {
            let other = self.get(yes, cell);
            if other != value {
                let either = self.terms().ite(condition, other, value);
                merged.values.insert(cell, either);
            }
        }
        for (&cell, &value) in &yes.values {
            if !no.values.contains_key(&cell) {
                let other = self.initial(cell);
                if other != value {
                    let either = self.terms().ite(condition, value, other);
                    merged.values.insert(cell, either);
                }
            }
        }
        merged
    }

    /// Makes a cell arbitrary.
    pub fn forget(&mut self, state: &mut State, cell: Cell) {
        let sort = self.cell_sort(cell);
        let value = self.arbitrary(sort);
        state.values.insert(cell, value);
    }
}
