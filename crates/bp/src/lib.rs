//! Boolean programs: the language that abstraction produces and the reachability engines decide.
//!
//! ```text
//!  text ──parse──▶ Program (tree) ──resolve──▶ Flow (locations and edges) ──engine──▶ Trace ──replay──▶ ok
//!    ◀──Display──
//! ```
//!
//! - [`parse`] reads the text form into a [`Program`] and reports all syntax errors; printing it
//!   (`to_string`) is the inverse. [`ast`] has constructors for generated programs.
//! - [`resolve`] is the verifier: it reports all errors that are not syntax and makes the [`Flow`],
//!   the one form that every engine works on.
//! - A [`Trace`] is a run with all values; [`replay`] checks one against the semantics below.
//!
//! ```
//! use hardbop_base::Id;
//! use hardbop_bp::{Goal, load, parse};
//!
//! let text = "decl locked;\nvoid main() begin\n  locked := *;\n  assert(locked);\nend\n";
//! let (program, messages) = parse(text, Id::from_usize(0));
//! assert!(!messages.has_errors());
//! assert_eq!(parse(program.to_string(), Id::from_usize(0)).0.to_string(), program.to_string());
//!
//! let flow = load(text, Id::from_usize(0)).unwrap();
//! assert_eq!(flow.goal_locations(&Goal::Assertion).len(), 1);
//! assert!(load("void main() begin x := T; end", Id::from_usize(0)).is_err(), "x is not declared");
//! ```
//!
//! The crate knows nothing of C, of predicates, or of the engines, and does no input or output.
//!
//! # Semantics
//!
//! A *state* is a stack of activations, each with a location of its procedure and values of its
//! locals, and values of the globals. A run starts at the entry of `main` with nothing on the stack
//! but `main`. Globals, locals and the formals of `main` start arbitrary; the locals of a callee are
//! arbitrary at each call; result variables start `F`.
//!
//! **Expressions.** `*` is an arbitrary value, a new one at each occurrence and each evaluation.
//! `schoose[p, n]` is `p | (!n & *)`: true if `p`, else false if `n`, else arbitrary. An expression
//! *can be true* in a state if some outcome of its choices makes it so. Since each `*` occurs once,
//! whether it can be true (false) follows from what its operands can be.
//!
//! **Steps** lead from a state at the source of an edge to one at its target:
//!
//! | step | allowed if | effect |
//! |---|---|---|
//! | `Skip` | always | none |
//! | `Assume(e)` | `e` can be true | none |
//! | `Assign` | each new value is one its expression can take on the old values; and `constrain`, read on old and new values, can be true | assigned variables change at once; the others stay, so `'v = v` for them |
//! | `Call` | always | pushes an activation of the callee, its formals set to values that the arguments can take on the caller's state |
//!
//! From the exit of a callee the run returns to the target of the call's edge: the caller's locals
//! are as before, globals as the callee left them, and then the targets of the call get the results,
//! all at once. Where several edges leave a location, any may be taken. A run that cannot go on, or
//! that is at the exit of the first `main`, ends there; that is never an error.
//!
//! **`enforce e`** restricts the states of its procedure: a state whose *top* activation is of that
//! procedure exists only if `e` can be true in it. It is thus assumed at entry (after the formals
//! are set), after every edge of the procedure, and after every return into it, but not while a
//! callee runs. Several clauses are a conjunction.
//!
//! **Lowering.** `if (e)`, `elsif (e)` and `while (e)` become an edge `Assume(e)` and an edge
//! `Assume(!e)`; with choices in `e` both may be possible. `assert(e)` becomes `Assume(e)` to the next
//! statement and `Assume(!e)` to the *error location* of the procedure, so it fails iff some choice
//! makes `e` false, and passes iff some choice makes it true. `abortif e` is `assume(!e)`.
//! `dead x` is `x := *`, and so is a declaration that control passes behind the first statement (all
//! locals belong to the whole procedure). `goto` is one `Skip` edge per target. `return` assigns the
//! results and goes to the exit; falling off the end makes the results arbitrary. A label is reached
//! when control is at the statement it stands before.

pub mod ast;
mod dump;
pub mod flow;
mod lexer;
mod parser;
mod print;
mod replay;
mod resolve;
mod trace;

pub use ast::{Program, Tag};
pub use flow::{Assign, Call, Edge, EdgeId, Expr, Flow, FlowStep, Goal, LocId, ProcId, VarId, VarKind};
pub use parser::{MAX_NESTING, MAX_RESULTS, parse};
pub use replay::{Fault, ReplayError, replay};
pub use resolve::{load, resolve, verify};
pub use trace::{Action, State, Trace, TraceStep};
