//! The typed syntax tree of one translation unit.
//!
//! Flat arenas and ids. Lvalues and values are kept apart the way C does: reading an object is an
//! explicit [`ExprKind::Load`], arrays and functions used as pointers are explicit
//! [`ExprKind::Decay`] nodes, and each implicit conversion is a [`ExprKind::Cast`].

use std::sync::Arc;

use hardbop_base::{Arena, DataModel, FileId, Id, Span};
use rustc_hash::FxHashSet;

/// A type of a unit.
pub type TypeId = Id<Type>;
/// A struct or union of a unit.
pub type RecordId = Id<Record>;
/// An object or function declared in a unit.
pub type DeclId = Id<Decl>;
/// An expression of a unit.
pub type ExprId = Id<Expr>;
/// A statement of a unit.
pub type StmtId = Id<Stmt>;
/// A label of a function.
pub type LabelId = Id<Label>;

/// One translation unit.
#[derive(Debug, Clone)]
pub struct Unit {
    /// The text it was read from.
    pub file: FileId,
    /// The sizes it was read for.
    pub data_model: DataModel,
    /// Types; equal types have equal ids except that records are told apart by declaration.
    pub types: Arena<Type>,
    /// Structs and unions.
    pub records: Arena<Record>,
    /// Objects and functions, at file scope and inside functions.
    pub decls: Arena<Decl>,
    /// Expressions.
    pub exprs: Arena<Expr>,
    /// Statements.
    pub stmts: Arena<Stmt>,
    /// Labels.
    pub labels: Arena<Label>,
    /// What the file declares at file scope (one entry per entity, however often declared), in order.
    /// Functions that a call declares are here; builtins that are called as functions, and what only
    /// a block declares, are not.
    pub top_level: Vec<DeclId>,
    /// `asm` at file scope.
    pub file_asm: Vec<Span>,
    /// Lvalues of a type that is qualified with `volatile`.
    pub volatile: FxHashSet<ExprId>,
}

/// A type without its qualifiers and typedef names.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// `void`.
    Void,
    /// `_Bool`.
    Bool,
    /// An integer type; enumerations and plain `char` included.
    Int {
        /// Bits. Those of an object are 8 to 128, a power of two; the value of a bit-field that is
        /// wider than `int` has as many bits as the bit-field, as in gcc.
        width: u16,
        /// Whether it is signed.
        signed: bool,
    },
    /// A real floating type.
    Float(FloatKind),
    /// A pointer.
    Pointer(TypeId),
    /// An array.
    Array {
        /// The type of each element.
        element: TypeId,
        /// How many.
        length: ArrayLength,
    },
    /// A function.
    Function(FunctionType),
    /// A struct or union.
    Record(RecordId),
    /// A type that Hardbop has no representation for (vectors, complex numbers, decimal floats, …),
    /// with its spelling and its size in bytes.
    Unsupported(String, u64),
}

/// The floating formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FloatKind {
    /// `float`.
    Single,
    /// `double`.
    Double,
    /// `long double` (x87).
    Extended,
}

/// How many elements an array has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArrayLength {
    /// A constant number.
    Fixed(u64),
    /// Not told: `int a[]`, `int a[*]`.
    Unknown,
    /// A variable-length array: the number of elements, evaluated where the declaration is reached.
    /// All uses of the type share this expression; it must be evaluated once per declaration.
    Variable(ExprId),
}

/// The type of a function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// The result.
    pub result: TypeId,
    /// The parameters, arrays and functions already adjusted to pointers.
    pub parameters: Vec<TypeId>,
    /// Whether more arguments may follow.
    pub variadic: bool,
    /// Whether there is a prototype; `int f();` has none. A definition of the old style has none
    /// either but does have parameters.
    pub prototyped: bool,
}

/// A struct or union with gcc's layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The tag.
    pub tag: Option<String>,
    /// Whether it is a union.
    pub is_union: bool,
    /// The members in order; nothing for an incomplete type.
    pub fields: Vec<Field>,
    /// Size and alignment in bytes, absent for an incomplete type.
    pub layout: Option<(u64, u64)>,
    /// What about this record cannot be represented (variable size, reversed byte order).
    pub unsupported: Option<String>,
    /// The definition, or the first mention.
    pub span: Span,
}

/// A member of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name; absent for anonymous members and unnamed bit-fields.
    pub name: Option<String>,
    /// The declared type.
    pub ty: TypeId,
    /// Byte offset; for a bit-field, of the byte with its first bit.
    pub offset: u64,
    /// First bit in that byte (0 to 7, least significant first) and width of a bit-field.
    pub bits: Option<(u8, u8)>,
}

/// An object or a function.
#[derive(Debug, Clone, PartialEq)]
pub struct Decl {
    /// The name; absent for compound literals and unnamed parameters.
    pub name: Option<String>,
    /// The type. Of an object whose initialiser fills a flexible array member, see `size`.
    pub ty: TypeId,
    /// Where it is declared; of a definition, there.
    pub span: Span,
    /// Object or function, and what is special to each.
    pub kind: DeclKind,
    /// Who else can see the name.
    pub linkage: Linkage,
    /// Whether the definition gives way to others, or the symbol may be missing.
    pub weak: bool,
    /// The symbol that this name stands for, if an `asm` label or `alias` attribute renames it, or
    /// if it is a builtin that is a function of the C library (`__builtin_memcpy` is `memcpy`).
    pub symbol: Option<Symbol>,
}

/// What is special to objects and to functions.
#[derive(Debug, Clone, PartialEq)]
pub enum DeclKind {
    /// An object.
    Object(Object),
    /// A function.
    Function(Function),
    /// A block-scope typedef of a variably modified type: its array lengths are evaluated here.
    VariableType,
}

/// An object.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// How long it lives.
    pub storage: Storage,
    /// How much of a definition there is.
    pub definition: Definition,
    /// The initialiser. What it does not mention is zero. Later entries override earlier ones.
    pub init: Option<Vec<InitEntry>>,
    /// Bytes, where the initialiser makes it larger than its type.
    pub size: Option<u64>,
    /// Alignment asked for.
    pub align: Option<u32>,
    /// Whether its type, or that of its elements, is qualified with `const`.
    pub constant: bool,
    /// The function to call with its address when the scope is left.
    pub cleanup: Option<DeclId>,
}

/// How long an object lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storage {
    /// As long as the program.
    Static,
    /// As long as its thread.
    Thread,
    /// As long as its block.
    Automatic,
}

/// How much of a definition a declaration is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definition {
    /// `extern`, defined elsewhere; also a register of the machine that the whole program shares.
    Declared,
    /// A definition unless another one exists.
    Tentative,
    /// A definition.
    Defined,
}

/// Who can see a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    /// Its block only.
    None,
    /// Its unit only.
    Internal,
    /// Every unit.
    External,
}

/// Another name for a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Symbol {
    /// `asm("name")`: the declaration is the entity of that name.
    Named(String),
    /// `__attribute__((alias("name")))`: it is defined as that entity.
    Alias(String),
}

/// A function.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// The parameters of a definition. In a definition of the old style their types may differ from
    /// those in the function's type, which are what callers pass (`char` is passed as `int`, `float`
    /// as `double`): convert on entry.
    pub parameters: Vec<DeclId>,
    /// The body of a definition.
    pub body: Option<StmtId>,
    /// Whether the definition is an inline one, which other units do not see.
    pub inline_only: bool,
    /// Whether calls do not return.
    pub noreturn: bool,
    /// `constructor` with its priority (65535 where none is given).
    pub constructor: Option<u16>,
    /// `destructor`, likewise.
    pub destructor: Option<u16>,
}

/// One value of an initialiser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InitEntry {
    /// Bytes from the start of the object.
    pub offset: u64,
    /// First bit in that byte and width of a bit-field.
    pub bits: Option<(u8, u8)>,
    /// The value, of the type that is stored; an array of characters may be a string literal, a
    /// record the value of another record.
    pub value: ExprId,
}

/// A label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub name: String,
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type; of an lvalue, that of the object.
    pub ty: TypeId,
    /// Where it was written.
    pub span: Span,
}

/// What an expression is. Those marked *lvalue* name an object and have no value until loaded.
#[derive(Debug, Clone, PartialEq)]
pub enum ExprKind {
    /// An integer constant, also of pointer type, as its mathematical value (of unsigned 128-bit
    /// types, modulo 2¹²⁸).
    Int(i128),
    /// A floating constant as the bits of its format.
    Float(u128),
    /// An address constant: a symbol and a distance in bytes; integer types of pointer width occur.
    Address(AddressBase, i128),
    /// *lvalue*: a string literal; the bytes of all elements, the terminator included, in target
    /// order. There are as many as the array type says. As an initialiser it is cut to the array
    /// that it is stored in (`char a[3] = "abc"` has no terminator) and not padded to it: what it
    /// does not reach is zero.
    Str(Arc<[u8]>),
    /// *lvalue* (objects) or function designator.
    Decl(DeclId),
    /// *lvalue*: a member of an object (or of a record value, as in `f().x`).
    Member {
        /// The record: an lvalue, or a value of record type.
        base: ExprId,
        /// The member's position.
        field: u32,
    },
    /// *lvalue*: `pointer[index]`.
    Subscript {
        /// A pointer value.
        pointer: ExprId,
        /// An integer value.
        index: ExprId,
    },
    /// *lvalue*: `*pointer`; also a function designator.
    Deref(ExprId),
    /// `&lvalue`, `&function`.
    AddressOf(ExprId),
    /// The value of an lvalue.
    Load(ExprId),
    /// An array lvalue as a pointer to its first element, a function as a pointer to it.
    Decay(ExprId),
    /// A conversion to the expression's type, written or implied. To `void`: the value is dropped.
    /// To [`Type::Bool`]: whether it is not zero.
    Cast(ExprId),
    /// An operator on one value of the result's type (`!`: any scalar).
    Unary(UnaryOp, ExprId),
    /// `++` and `--` on an lvalue.
    Step {
        /// Which.
        op: StepOp,
        /// The lvalue.
        operand: ExprId,
    },
    /// An operator on two values. Both operands of arithmetic operators and comparisons have one
    /// type; shifts and pointer arithmetic may mix.
    Binary(BinaryOp, ExprId, ExprId),
    /// `target = value`.
    Assign {
        /// The lvalue.
        target: ExprId,
        /// A value of its type.
        value: ExprId,
    },
    /// `target op= value`.
    AssignOp {
        /// The operator.
        op: BinaryOp,
        /// The type that the target is converted to for the operation.
        computation: TypeId,
        /// The lvalue.
        target: ExprId,
        /// The right operand.
        value: ExprId,
    },
    /// `condition ? then : otherwise`; the condition is any scalar. (The front end converts
    /// conditions, here and in statements, and the operands of `&&`, `||` and `!` to
    /// [`Type::Bool`].)
    Conditional {
        /// The condition.
        condition: ExprId,
        /// Evaluated if it is not zero.
        then: ExprId,
        /// Evaluated if it is zero.
        otherwise: ExprId,
    },
    /// `value ?: otherwise`: `value` is evaluated once.
    Elvis {
        /// The first operand as written, of its own scalar type.
        value: ExprId,
        /// Evaluated if it is zero. The first operand is converted to the type of the whole.
        otherwise: ExprId,
    },
    /// `first, second`.
    Comma(ExprId, ExprId),
    /// A call.
    Call {
        /// A pointer to a function.
        callee: ExprId,
        /// Values, converted and promoted as the prototype asks.
        arguments: Vec<ExprId>,
    },
    /// *lvalue*: `(T){ … }`; an object that is initialised each time this is evaluated.
    CompoundLiteral(DeclId),
    /// `({ … })`: the value of the last expression statement.
    Statements(StmtId),
    /// `&&label`.
    LabelAddress(LabelId),
    /// `va_arg(list, T)`, T being the type of the expression; the operand is the address of the list.
    VaArg(ExprId),
    /// `va_start` on the list at this address.
    VaStart(ExprId),
    /// `va_end`.
    VaEnd(ExprId),
    /// `va_copy(target, source)`, both addresses.
    VaCopy(ExprId, ExprId),
    /// The size of a type that is computed when the program runs, with the lengths that were
    /// computed where its declaration was reached. The front end spells out `sizeof`, so what occurs
    /// is the length of one dimension: the type is an array of bytes of that length.
    VariableSize(TypeId),
    /// A builtin with a meaning of its own.
    Builtin(Builtin, Vec<ExprId>),
    /// Something that has no representation, with the reason.
    Unsupported(String),
}

/// What an address constant is an address of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressBase {
    /// An object or function.
    Decl(DeclId),
    /// A string literal, as in [`ExprKind::Str`]; the type is that of the array.
    Str(Arc<[u8]>, TypeId),
    /// A label.
    Label(LabelId),
}

/// An operator on one value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-`.
    Minus,
    /// `~`.
    BitNot,
    /// `!`.
    Not,
}

/// An operator that changes its operand by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepOp {
    /// `++x`.
    PreIncrement,
    /// `--x`.
    PreDecrement,
    /// `x++`.
    PostIncrement,
    /// `x--`.
    PostDecrement,
}

/// An operator on two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the C operator of that name")]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    And,
    Or,
}

/// Builtins that the front end recognises. All others are calls of functions by their name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Builtin {
    /// Magnitude of an integer.
    Abs,
    /// Bytes in the other order.
    ByteSwap,
    /// `clz`: undefined for 0.
    LeadingZeros,
    /// `ctz`: undefined for 0.
    TrailingZeros,
    /// `popcount`.
    PopCount,
    /// `parity`.
    Parity,
    /// `ffs`.
    FirstSet,
    /// `clrsb`.
    RedundantSignBits,
    /// `__builtin_add_overflow(a, b, p)` and its kin: the exact result, cut to the destination, is
    /// stored through the third operand if `stores` (else its type is what counts and it is not
    /// evaluated); the value is whether the exact result did not fit.
    Overflow {
        /// Add, Sub or Mul.
        op: BinaryOp,
        /// A type that holds every value of the operands and of the destination. The exact result
        /// may need up to twice its bits.
        at: TypeId,
        /// Whether the third operand is a pointer to store through.
        stores: bool,
    },
    /// An atomic operation, taken as plain code.
    Atomic(AtomicOp),
    /// `__builtin_expect(value, hint)`: the value.
    Expect,
    /// `__builtin_prefetch(address)`: evaluated, no effect.
    Prefetch,
    /// Never reached.
    Unreachable,
    /// Aborts.
    Trap,
    /// `alloca(size)`.
    Alloca,
    /// `__builtin_constant_p(value)` that was not folded: 0. (At present all are folded.)
    ConstantP,
    /// `__builtin_object_size` that was not folded; the operand is not evaluated. (All are folded.)
    ObjectSize,
    /// `isnan(x)`.
    IsNan,
    /// `isinf(x)`.
    IsInfinite,
    /// `isfinite(x)`.
    IsFinite,
    /// `isnormal(x)`.
    IsNormal,
    /// `signbit(x)`.
    SignBit,
    /// `isinf_sign(x)`.
    InfiniteSign,
    /// `isunordered(x, y)`.
    Unordered,
    /// `islessgreater(x, y)`.
    LessGreater,
    /// `fabs(x)`.
    FloatAbs,
    /// `copysign(x, y)`.
    CopySign,
    /// `__builtin_fpclassify`: the value, then the answers for a NaN, an infinity, a normal number,
    /// a subnormal number and zero.
    FloatClass,
    /// `__builtin_frame_address`, `__builtin_return_address`: an arbitrary address.
    FrameAddress,
}

/// The atomic operations; the first operand is the address of the object. Memory orders are not
/// operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AtomicOp {
    /// `(p)`: the value.
    Load,
    /// `(p, q)`: the value is written to `*q`.
    LoadInto,
    /// `(p, v)`.
    Store,
    /// A barrier, without operands.
    Fence,
    /// `(p, expected_address, desired)`: on a mismatch what was found is written to the second;
    /// whether it matched.
    CompareExchange,
    /// `(p, expected, desired)`: whether it matched.
    SwapBool,
    /// `(p, expected, desired)`: what was found.
    SwapValue,
    /// `(p, v)`: what was there.
    Exchange,
    /// `(p, v, q)`: what was there is written to `*q`.
    ExchangeInto,
    /// `(p)`: sets the byte to one; whether it was set.
    TestAndSet,
    /// `(p, v)`: the old value.
    Fetch(AtomicUpdate),
    /// `(p, v)`: the new value.
    Update(AtomicUpdate),
}

/// What an atomic read-modify-write does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "each is the operation of that name")]
pub enum AtomicUpdate {
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// Where it was written.
    pub span: Span,
}

/// What a statement is.
#[derive(Debug, Clone, PartialEq)]
pub enum StmtKind {
    /// `;`.
    Empty,
    /// An expression for its effects.
    Expr(ExprId),
    /// `{ … }`.
    Block(Vec<StmtId>),
    /// Declarations.
    Decls(Vec<DeclId>),
    /// `if`.
    If {
        /// Any scalar.
        condition: ExprId,
        /// If it is not zero.
        then: StmtId,
        /// If it is zero.
        otherwise: Option<StmtId>,
    },
    /// `while`.
    While {
        /// Any scalar.
        condition: ExprId,
        /// The body.
        body: StmtId,
    },
    /// `do … while`.
    DoWhile {
        /// The body.
        body: StmtId,
        /// Any scalar.
        condition: ExprId,
    },
    /// `for`.
    For {
        /// A declaration or an expression statement.
        init: Option<StmtId>,
        /// Any scalar.
        condition: Option<ExprId>,
        /// For its effects.
        step: Option<ExprId>,
        /// The body.
        body: StmtId,
    },
    /// `switch`.
    Switch {
        /// The promoted value.
        value: ExprId,
        /// The body, with [`StmtKind::Case`] and [`StmtKind::Default`] in it.
        body: StmtId,
    },
    /// `case low ... high:` (equal for a plain case), in the type of the switch value.
    Case {
        /// The least value.
        low: i128,
        /// The greatest value.
        high: i128,
        /// The statement it labels.
        body: StmtId,
    },
    /// `default:`.
    Default(StmtId),
    /// `label: body`.
    Label(LabelId, StmtId),
    /// `goto label;`.
    Goto(LabelId),
    /// `goto *address;`.
    ComputedGoto(ExprId),
    /// `break;`.
    Break,
    /// `continue;`.
    Continue,
    /// `return value;`.
    Return(Option<ExprId>),
    /// `asm`.
    Asm(Asm),
    /// Something that has no representation, with the reason.
    Unsupported(String),
}

/// An inline assembly statement.
#[derive(Debug, Clone, PartialEq)]
pub struct Asm {
    /// The template.
    pub template: String,
    /// Lvalues that it writes, and whether it reads them too (`+`).
    pub outputs: Vec<(ExprId, bool)>,
    /// Values it is given; those in memory are lvalues (second component true).
    pub inputs: Vec<(ExprId, bool)>,
    /// Whether memory is clobbered.
    pub clobbers_memory: bool,
    /// Where `asm goto` may go.
    pub labels: Vec<LabelId>,
}
