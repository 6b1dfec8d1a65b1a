//! Programs, procedures and statements.

use hardbop_base::{Arena, Id, Shared, SourceFile, Span};

use crate::interner::Interner;
use crate::{DataModel, Expr, ExprId, ExprKind, Place, PlaceId, Record, Type, TypeId};
use std::hash::Hash;

/// A [`Variable`] of a program.
pub type VarId = Id<Variable>;
/// A [`Procedure`] of a program.
pub type ProcId = Id<Procedure>;
/// A [`Location`] of a procedure.
pub type LocationId = Id<Location>;
/// An [`Edge`] of a procedure.
pub type EdgeId = Id<Edge>;

/// A whole program.
///
/// Those who load a program build it and [`freeze`](Program::freeze) it; from then on it is not changed. Copies are cheap:
/// they share everything until they differ. Expressions can be added through a shared reference, because nothing that
/// the program does speaks of them; engines add theirs to a copy of their own ([`Program::overlay`]).
#[derive(Debug, Clone)]
pub struct Program {
    /// The sizes of C's types that it was made for.
    pub data_model: DataModel,
    /// The files that its spans speak of.
    pub files: Shared<Arena<SourceFile>>,
    /// Structs and unions.
    pub records: Shared<Arena<Record>>,
    /// All variables: globals and those of every procedure.
    pub variables: Shared<Arena<Variable>>,
    /// The global variables, in order of definition.
    pub globals: Vec<VarId>,
    /// The procedures.
    pub procedures: Shared<Arena<Procedure>>,
    /// Where execution starts; it takes no arguments. Programs still to be linked have none.
    pub entry: Option<ProcId>,
    /// What a proof about this program takes for granted.
    pub assumptions: Vec<Assumption>,
    /// Addresses where no object lies, since devices are there.
    pub devices: Vec<Device>,
    pub(crate) types: Interner<Type>,
    pub(crate) exprs: Interner<Expr>,
    pub(crate) places: Interner<Place>,
    is_frozen: bool,
}

/// A range of addresses that belongs to a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Device {
    /// The first address.
    pub first: u64,
    /// The last address, not before the first.
    pub last: u64,
}

impl Device {
    /// Whether some of the bytes from one address up to, and without, another belong to the device.
    pub fn meets(self, start: u64, end: u64) -> bool {
        start <= self.last && self.first < end
    }
}

/// Something that the program's meaning rests on and that its text does not say, such as the effect
/// of a function that is not defined.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Assumption {
    /// Where it is first relied on.
    pub span: Span,
    /// What is assumed, as a sentence.
    pub text: String,
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variable {
    /// The name in the source or a made-up one; unique among the globals, or in its procedure.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// Its role.
    pub kind: VarKind,
    /// Where it was declared.
    pub span: Span,
    /// The alignment in bytes that was asked for, a power of two; 0 for that of its type.
    pub align: u64,
    /// What a global holds at the start. Locals start arbitrary.
    pub initial: Initial,
}

/// The name of string literals, followed by a number.
pub const LITERAL: &str = "$string";

/// The role of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum VarKind {
    /// Lives as long as the program; other translation units can see it.
    Global,
    /// Lives as long as the program; hidden from functions that are not part of it unless its
    /// address reaches them.
    Static,
    /// Receives an argument; never assigned, its address never taken.
    Formal,
    /// Written in the source, one object per activation.
    Local,
    /// Made by lowering; its address is never taken.
    Temp,
    /// Holds the result of its procedure.
    Result,
}

/// The contents of a global at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Initial {
    /// Anything: it is defined elsewhere, or it is not a global.
    Arbitrary,
    /// Zeros, then these values. Values do not overlap except bit-fields of one byte.
    Values(Vec<InitialValue>),
}

/// One scalar of a static initialiser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InitialValue {
    /// Bytes from the start of the variable.
    pub offset: u64,
    /// The bits of a bit-field.
    pub bits: Option<crate::BitRange>,
    /// A constant, an address of (a constant part of) a global or of a procedure, or a sum or a cast
    /// of those.
    pub value: ExprId,
}

/// A procedure: its control-flow graph, or what to assume of it if it is not defined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Procedure {
    /// The name; unique in the program.
    pub name: String,
    /// Where it was defined or declared.
    pub span: Span,
    /// The formals, in order.
    pub formals: Vec<VarId>,
    /// Whether the last formal points to variable arguments.
    pub variadic: bool,
    /// The other variables of an activation, without the result.
    pub locals: Vec<VarId>,
    /// The variable that holds the result at the exit.
    pub result: Option<VarId>,
    /// The effect of a procedure that has no body.
    pub external: Option<Effect>,
    /// The locations; none if the procedure is external.
    pub locations: Arena<Location>,
    /// The edges.
    pub edges: Arena<Edge>,
    /// Where an activation starts.
    pub entry: LocationId,
    /// Where it ends.
    pub exit: LocationId,
}

/// What a call of a procedure without a body does. Its result is arbitrary in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Effect {
    /// Nothing else.
    Pure,
    /// Everything that can be reached from its arguments and from the globals (not the statics)
    /// becomes arbitrary.
    Havoc,
    /// Nothing else, but it is a standard function: its result is not any value, only one that is not
    /// known here. See [`Arbitrary::Library`].
    Computes,
    /// Everything that can be reached from its arguments becomes arbitrary, and so does what was reached from
    /// those of earlier calls. It is a standard function as well, and knows no variables of the program by name.
    Reaches,
}

impl Effect {
    /// Whether it changes what its arguments reach.
    pub fn reaches_memory(self) -> bool {
        matches!(self, Effect::Havoc | Effect::Reaches)
    }

    /// Whether it is that of a standard function: what it leaves is not just anything.
    pub fn is_standard(self) -> bool {
        matches!(self, Effect::Computes | Effect::Reaches)
    }
}

/// A point of control.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Location {
    /// The labels of the source that stand here.
    pub labels: Vec<String>,
}

/// A step from one location to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// Before the step.
    pub source: LocationId,
    /// After it. Of a call: the return location.
    pub target: LocationId,
    /// What happens.
    pub statement: Statement,
    /// The source text that says so.
    pub span: Span,
}

/// What happens on an edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Statement {
    /// Nothing.
    Skip,
    /// Stores a value; records and arrays are copied whole. Target and source are either equal or
    /// do not overlap.
    Assign(PlaceId, ExprId),
    /// Passes only if the condition holds.
    Assume(ExprId),
    /// Stores an arbitrary value.
    Havoc(PlaceId, Arbitrary),
    /// Calls a procedure.
    Call {
        /// A temporary that gets the result.
        result: Option<VarId>,
        /// Whom.
        callee: Callee,
        /// Constants or temporaries, as many as the callee has formals.
        arguments: Vec<ExprId>,
    },
    /// Leaves the procedure; the target is its exit.
    Return,
    /// Stores the address of a new object.
    Allocate {
        /// A temporary of pointer type.
        result: VarId,
        /// Bytes, as a machine integer.
        size: ExprId,
        /// How long it lives and what it holds.
        kind: MemoryKind,
        /// Whether the result may be null instead.
        may_fail: bool,
    },
    /// Ends the life of a heap object; the null pointer is fine.
    Free(ExprId),
    /// Copies bytes; the ranges may overlap.
    Copy {
        /// To here.
        target: ExprId,
        /// From here.
        source: ExprId,
        /// How many.
        length: ExprId,
    },
    /// Copies the contents of one heap object to another, as many bytes as both have; the pointers
    /// are the starts of the objects.
    CopyObject {
        /// To this one.
        target: ExprId,
        /// From this one.
        source: ExprId,
    },
    /// Sets bytes.
    Fill {
        /// From here on.
        target: ExprId,
        /// To the low byte of this machine integer.
        byte: ExprId,
        /// How many.
        length: ExprId,
    },
    /// Shows something to the outside (`printf` and its kin); no effect on the state.
    Output {
        /// The function of the C library that does it.
        function: String,
        /// Its arguments, all scalars.
        arguments: Vec<ExprId>,
    },
    /// Ends the run without an error.
    Halt(Halt),
    /// Breaks a property.
    Error(Property),
    /// Something that has no representation; reaching it makes the verdict unknown.
    Unsupported(String),
}

/// Who is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A procedure of the program.
    Direct(ProcId),
    /// The procedure at an address. Anything but the address of a procedure ends the run; a procedure
    /// that the call does not fit (see [`Program::fits`]) is unsupported.
    Indirect(ExprId),
}

/// Where an arbitrary value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Arbitrary {
    /// A function of the verification harness, by name.
    Nondet(String),
    /// Storage that was never written; it holds one value until it is.
    Uninitialised,
    /// The result of an external function, by name.
    External(String),
    /// Inline assembly.
    Assembly,
    /// What a standard function without a model leaves, by name: some value that a proof has to reckon with,
    /// although it is not known whether the function can leave it. A run that depends on it is no counterexample.
    Library(String),
}

/// The lifetime and contents of an allocated object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Until freed; contents arbitrary.
    Heap,
    /// Until freed; zeros.
    ZeroedHeap,
    /// Until the activation ends; contents arbitrary.
    Stack,
}

/// Why a run ends without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Halt {
    /// The program exits with this status.
    Exit(ExprId),
    /// The program aborts itself.
    Abort,
    /// Control reached a point that the source promises is never reached.
    Unreachable,
}

/// A property that can be broken.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Property {
    /// A call of an error function, by name.
    ErrorFunction(String),
    /// A failed assertion, with its text.
    Assertion(String),
    /// An error label.
    ErrorLabel(String),
}

impl Program {
    /// An empty program.
    pub fn new(data_model: DataModel) -> Self {
        Program {
            data_model,
            files: Shared::default(),
            records: Shared::default(),
            variables: Shared::default(),
            globals: Vec::new(),
            procedures: Shared::default(),
            entry: None,
            assumptions: Vec::new(),
            devices: Vec::new(),
            types: Interner::default(),
            exprs: Interner::default(),
            places: Interner::default(),
            is_frozen: false,
        }
    }

    /// The program as it stays: nothing can be added to it but in an overlay.
    pub fn freeze(self) -> Self {
        Program {
            types: self.types.freeze(),
            exprs: self.exprs.freeze(),
            places: self.places.freeze(),
            is_frozen: true,
            ..self
        }
    }

    /// The same program, to which expressions can be added. What is there already is shared.
    pub fn overlay(&self) -> Self {
        Program { is_frozen: false, ..self.clone() }
    }

    /// This program with the expressions of an overlay of it, or of a program that shares its expressions. Nothing if
    /// the other one has other expressions.
    pub fn with_expressions_of(&self, overlay: &Program) -> Option<Self> {
        let extends = overlay.types.extends(&self.types)
            && overlay.exprs.extends(&self.exprs)
            && overlay.places.extends(&self.places);
        extends.then(|| Program {
            types: overlay.types.clone(),
            exprs: overlay.exprs.clone(),
            places: overlay.places.clone(),
            ..self.clone()
        })
    }

    /// Whether a variable is a string literal. Two of them may share their storage, or not (C17 6.4.5p7).
    pub fn is_literal(&self, var: VarId) -> bool {
        let variable = &self.variables[var];
        variable.kind == VarKind::Static && variable.name.starts_with(LITERAL)
    }

    /// Interns a type.
    pub fn intern_type(&self, ty: Type) -> TypeId {
        self.added(&self.types, ty)
    }

    /// Interns an expression as it stands; see also the constructors that fold constants.
    pub fn intern_expr(&self, kind: ExprKind, ty: TypeId) -> ExprId {
        self.added(&self.exprs, Expr { kind, ty })
    }

    /// Interns a place as it stands.
    pub fn intern_place(&self, place: Place) -> PlaceId {
        self.added(&self.places, place)
    }

    /// The id of a value in a table. Threads share frozen programs: if they added to them, ids would depend on who came
    /// first.
    fn added<T: Clone + Eq + Hash>(&self, table: &Interner<T>, item: T) -> Id<T> {
        let before = table.len();
        let id = table.intern(item);
        debug_assert!(!self.is_frozen || table.len() == before, "something was added to a frozen program");
        id
    }

    /// The types in use.
    pub fn types(&self) -> &Interner<Type> {
        &self.types
    }

    /// The type with this id.
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    /// The expression with this id.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id]
    }

    /// The place with this id.
    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id]
    }

    /// All expressions.
    pub fn exprs(&self) -> &Interner<Expr> {
        &self.exprs
    }

    /// All places.
    pub fn places(&self) -> &Interner<Place> {
        &self.places
    }
}
