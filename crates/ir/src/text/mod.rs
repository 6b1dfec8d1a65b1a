//! The text form of programs: printed losslessly, parsed back, and shown in pieces to people.
//!
//! `docs/ir.md` describes the language. Two ideas keep it short and fast:
//!
//! - Interned types, expressions and places are written out where they are used. Every operator
//!   carries its own parentheses, so there is no precedence to know and one token decides what
//!   comes next.
//! - A constant is written with its type (`5:u8`) unless that type is the one *expected* at its
//!   place. Printer and parser compute the expected type by the same rules.
//!
//! Invariants: for a program without violations (see [`verify`](crate::verify())) `parse(print(p))`
//! succeeds and prints the same text again; printing takes time linear in the text; parsing takes
//! time and memory linear in the text, whatever the text says. Ids may change: they follow the
//! order of the text. The texts of source files are not part of it.

mod lex;
mod parse;
mod parse_body;
mod parse_expr;
mod piece;
mod print;
mod print_expr;

use hardbop_base::text::{is_name, starts_name};

use crate::{ExprId, ExprKind, PlaceId, Program, Statement, Type, TypeId};

pub use parse::parse;
pub use piece::{parse_group, print_group};
pub use print::print;

/// How deep expressions may be nested: what the verifier accepts and the parser reads. A variable
/// and a constant have depth 1; a load is as deep as its place.
pub const MAX_DEPTH: u32 = 500;

/// How many nodes an expression may have when written as a tree.
pub const MAX_NODES: u32 = 1 << 20;

/// How deep types may be nested; records are named and do not count.
pub const MAX_TYPE_DEPTH: u32 = 250;

/// How many nodes a type may have when written out.
pub const MAX_TYPE_NODES: u32 = 1 << 16;

/// How many nodes of an expression a person gets to see.
const SHOWN_NODES: u32 = 200;

/// The version of the text form, which stands in its first line.
const VERSION: u128 = 1;

/// Words that start an expression or the right side of an assignment; a variable of such a name is
/// written in quotes.
const RESERVED: [&str; 8] = ["true", "false", "cast", "if", "fn", "call", "allocate", "bits"];

/// The type that a constant has if none is written.
#[derive(Debug, Clone, Copy)]
enum Expect {
    /// This one.
    Type(TypeId),
    /// The machine integer of this width and sign.
    Machine(u16, bool),
}

impl Expect {
    /// Where nothing else is said: C's `int`.
    const DEFAULT: Expect = Expect::Machine(32, true);

    /// Of sizes and lengths: C's `size_t`.
    fn size(program: &Program) -> Expect {
        Expect::Machine(program.data_model.pointer_bits(), false)
    }

    /// Of the initial values of a variable: the scalar in its arrays, the default in records.
    fn initial(program: &Program, variable: TypeId) -> Expect {
        let mut ty = variable;
        while let Some(&Type::Array { element, .. }) = program.types().get(ty)
            && element < ty
        {
            ty = element;
        }
        match program.types().get(ty) {
            Some(Type::Record(_)) => Expect::DEFAULT,
            _ => Expect::Type(ty),
        }
    }
}

/// For people: without the types of constants, and cut short where an expression is huge.
impl Program {
    /// An expression, as in the text form but without the types of constants.
    pub fn show_expr(&self, expr: ExprId) -> String {
        print_expr::shown(self, |p| p.expr(expr, Expect::DEFAULT))
    }

    /// A place.
    pub fn show_place(&self, place: PlaceId) -> String {
        print_expr::shown(self, |p| p.place(place))
    }

    /// A type.
    pub fn show_type(&self, ty: TypeId) -> String {
        print_expr::shown(self, |p| p.ty(ty))
    }

    /// A statement.
    pub fn show_statement(&self, statement: &Statement) -> String {
        print_expr::shown(self, |p| p.statement(statement))
    }
}

impl std::fmt::Display for Program {
    /// The text form.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&print(self))
    }
}

/// Whether a name is written as it stands, without quotes.
fn is_plain(name: &str) -> bool {
    is_name(name, starts_name, lex::continues_word) && !RESERVED.contains(&name)
}

/// A constant whose literal `-` would swallow, or that would be confused with a negative one.
fn is_literal(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::Int(_) | ExprKind::Float(_))
}
