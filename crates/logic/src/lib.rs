//! Terms over booleans, mathematical integers, bit-vectors and arrays.
//!
//! A [`Term`] is a number in a store, [`Terms`]; equal numbers are equal terms. Terms are only made by
//! the constructors of the store, which simplify as they build, so that most of what a program's
//! arithmetic repeats is gone before a solver sees it.
//!
//! Invariants:
//! - the operands of a term have smaller numbers than the term: sorting by number is sorting
//!   topologically, and no walk needs a deep stack;
//! - every simplification is an equivalence: a term and what it was built from have the same value in
//!   every model ([`Terms::evaluate`] is the reference);
//! - every function is total and has one meaning: bit-vectors follow SMT-LIB (division by zero gives all
//!   ones, shifts by the width or more give zero or the sign); integer division is Euclidean, and where
//!   SMT-LIB leaves it open, `x div 0` is 0 and `x mod 0` is `x`, which printers and solvers spell out;
//! - bit-vectors are 1 to 128 bits wide. Floats are bit-vectors, too: what IEEE 754 says of them is built out of bits
//!   ([`FloatFormat`]).
//!
//! ```
//! use hardbop_logic::{Model, Sort, Terms, Value};
//!
//! let mut terms = Terms::new();
//! let x = terms.symbol("x", Sort::BitVec(8));
//! let one = terms.bv(1, 8);
//! let next = terms.bv_add(x, one);
//! // Equal terms are one term, and what cancels is gone.
//! assert_eq!(terms.bv_sub(next, one), x);
//!
//! let wraps = terms.bv_ult(next, x);
//! let mut model = Model::default();
//! for (value, expected) in [(254, false), (255, true)] {
//!     model.values.insert(x, Value::bv(value, 8));
//!     assert_eq!(terms.evaluate(wraps, &model), Value::Bool(expected));
//! }
//! ```
//!
//! Terms of a wrong sort are defects of the caller; constructors panic with the operands' sorts.
//! Nothing here knows programs, C types or solvers.

mod array;
pub mod bits;
mod bitvec;
mod boolean;
mod compare;
mod equality;
mod evaluate;
mod float;
mod integer;
mod linear;
mod node;
mod print;
mod slices;
mod sort;
mod store;
mod value;
mod walk;

pub use evaluate::{Evaluator, Tape};
pub use float::{FloatFormat, FloatOp};
pub use node::{BvOp, Node, Sum, Term};
pub use print::{c, smtlib};
pub use sort::{Scalar, Sort};
pub use store::Terms;
pub use value::{Model, Value};
