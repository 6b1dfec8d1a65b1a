//! The program representation that every stage after the front ends works on.
//!
//! A [`Program`] is a set of procedures, each a control-flow graph whose edges carry
//! [`Statement`]s over typed, side-effect-free expressions. C and the X language both end up here.
//!
//! Invariants (checked by the verifier):
//! - types, places and expressions are interned: equal ids mean equal structure;
//! - formals are never assigned, so at the exit a formal still names the value passed in;
//! - the arguments of a call are constants or temporaries, and so is its result, so that what a
//!   caller passed survives the call;
//! - a procedure has one entry, which no edge enters, and one exit, which no edge leaves; only
//!   `return` edges enter the exit;
//! - what could not be represented is a [`Statement::Unsupported`] at its place, never a guess.
//!
//! This crate knows nothing of C syntax, of logic, or of who made the program.

mod build;
mod callback;
mod ends;
mod errors;
mod expr;
mod fit;
mod guards;
mod interner;
pub mod interpret;
mod number;
mod order;
mod program;
pub mod testing;
pub mod text;
mod types;
mod verify;
pub mod visit;

pub use callback::{GIVEN, ITSELF, KNOWN, WHICH, calls_nothing};
pub use ends::{End, EndKind, ends};
pub use errors::ErrorSite;
pub use expr::{BinaryOp, Expr, ExprId, ExprKind, Place, PlaceBase, PlaceId, Projection, UnaryOp};
pub use fit::{MISFIT, OUTSIDE};
pub use guards::{are_exclusive, open_locations};
pub use hardbop_base::DataModel;
pub use interner::Interner;
pub use number::{Undefined, wrap};
pub use order::{Key, Order, Orders};
pub use program::{
    Arbitrary, Assumption, Callee, Device, Edge, EdgeId, Effect, Halt, Initial, InitialValue, LITERAL,
    Location, LocationId, MemoryKind, ProcId, Procedure, Program, Property, Statement, VarId, VarKind,
    Variable,
};
pub use types::{BitRange, Field, FloatKind, FunctionType, Record, RecordId, RecordKind, Type, TypeId};
pub use verify::{Violation, verify, verify_exprs};
