//! Types, with everything that depends on the data model resolved: a record carries its offsets,
//! a machine integer its width.

use hardbop_base::{Id, Span};

/// An interned [`Type`].
pub type TypeId = Id<Type>;

/// A [`Record`] of a program.
pub type RecordId = Id<Record>;

/// A type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// No value: the result of a procedure that has none, the target of `void *`.
    Void,
    /// A truth value: what comparisons yield and conditions are. C's `_Bool` is a machine integer.
    Bool,
    /// A mathematical integer (X language). In memory it takes 16 bytes that mean nothing by themselves:
    /// every access is at this type.
    Integer,
    /// A machine integer in two's complement. In memory it takes `width / 8` bytes, little endian.
    Machine {
        /// Bits: 8, 16, 32, 64 or 128; in expressions and temporaries any number up to 64 (what gcc
        /// makes of wide bit-fields).
        width: u16,
        /// Whether it is signed.
        signed: bool,
    },
    /// An IEEE floating-point number.
    Float(FloatKind),
    /// A pointer to a value of the given type.
    Pointer(TypeId),
    /// An array; a flexible or incomplete one has length 0.
    Array {
        /// The type of each element.
        element: TypeId,
        /// The number of elements.
        length: u64,
    },
    /// A struct or union.
    Record(RecordId),
    /// A procedure, which only occurs behind a pointer.
    Function(FunctionType),
}

/// The floating-point formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FloatKind {
    /// binary32, C's `float`.
    F32,
    /// binary64, C's `double`.
    F64,
    /// The x87 extended format, C's `long double`: 10 bytes of value in 12 (ILP32) or 16 (LP64).
    F80,
}

/// The type of a procedure.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FunctionType {
    /// The type of the result, [`Type::Void`] if there is none.
    pub result: TypeId,
    /// The types of the formals. A variadic C function has one more than the source shows: a
    /// pointer to the variable arguments.
    pub formals: Vec<TypeId>,
    /// Whether the last formal is that pointer.
    pub variadic: bool,
}

/// Whether the fields of a record follow each other or share their storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RecordKind {
    /// One field after the other.
    Struct,
    /// All fields at offset 0.
    Union,
}

/// A struct or union with its layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The tag, or a made-up name; unique in the program.
    pub name: String,
    /// Struct or union.
    pub kind: RecordKind,
    /// The fields in order of declaration.
    pub fields: Vec<Field>,
    /// Bytes of an object of this type, 0 if the type is incomplete.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Where it was defined.
    pub span: Span,
}

/// A field of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name, empty for an unnamed struct or union member.
    pub name: String,
    /// The type; of a bit-field the declared one.
    pub ty: TypeId,
    /// Bytes from the start of the record; for a bit-field, of the byte that holds its first bit.
    pub offset: u64,
    /// The bits of a bit-field.
    pub bits: Option<BitRange>,
}

/// Where a bit-field lies, counted in little-endian bit order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BitRange {
    /// The first bit, counted from the least significant bit of the byte at the field's offset: 0 to 7.
    pub first: u8,
    /// The number of bits, 1 to 128.
    pub width: u8,
}
