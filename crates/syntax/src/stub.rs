//! Functions that gcc accepts and the front end does not understand.
//!
//! Their bodies are emptied before the unit is checked again; in the tree they are one unsupported statement.
//! So a header full of vector intrinsics does no harm to a program that does not call them. These are:
//! functions in the headers of the system in which the front end finds errors, and functions that
//! read lists of arguments in Microsoft's convention.

use rucc_ast::{Ast, Decl};
use rucc_base::Interner;
use rucc_diag::{BytePos, Diagnostic, Span};
use rucc_lex::{TokenKind, Tokens};
use rustc_hash::FxHashMap;

/// Why bodies were emptied, by where they start.
pub(crate) type Stubs = FxHashMap<BytePos, &'static str>;

const MS_LIST: &str = "a list of arguments in Microsoft's convention";
const HEADER: &str = "a function of a system header that the front end does not understand";

/// Empties the bodies that read `__builtin_ms_va_list`s; whether there were any.
pub(crate) fn ms_lists(tokens: &mut Tokens, ast: &Ast, names: &Interner, stubs: &mut Stubs) -> bool {
    let operators = ["__builtin_ms_va_start", "__builtin_ms_va_end", "__builtin_ms_va_copy"];
    let operators: Vec<u32> = operators.iter().filter_map(|name| Some(names.find(name)?.raw())).collect();
    let used = tokens.tokens.iter().filter(|t| t.kind == TokenKind::Ident && operators.contains(&t.value));
    let places: Vec<_> = used.map(|t| (t.span, MS_LIST)).collect();
    empty(tokens, ast, &places, stubs)
}

/// Empties the bodies that errors are in, where gcc would find none; whether there were any.
pub(crate) fn errors(
    tokens: &mut Tokens,
    ast: &Ast,
    in_header: impl Fn(Span) -> bool,
    has_ms_lists: bool,
    found: &[Diagnostic],
    stubs: &mut Stubs,
) -> bool {
    let why = |error: &Diagnostic| match error.message.as_str() {
        _ if !error.severity.is_fatal() || error.span.is_dummy() => None,
        _ if in_header(error.span) => Some((error.span, HEADER)),
        "first argument to 'va_arg' not of type 'va_list'" if has_ms_lists => Some((error.span, MS_LIST)),
        _ => None,
    };
    let places: Vec<_> = found.iter().filter_map(why).collect();
    empty(tokens, ast, &places, stubs)
}

/// Takes out what is between the braces of the function bodies that the places are in.
fn empty(tokens: &mut Tokens, ast: &Ast, places: &[(Span, &'static str)], stubs: &mut Stubs) -> bool {
    let body = |&id: &rucc_ast::DeclId| match ast[id] {
        Decl::Function { body, .. } => Some(ast.stmt_span(body)),
        _ => None,
    };
    let all: Vec<Span> = ast.top_level().iter().filter_map(body).collect();
    let mut bodies: Vec<Span> = Vec::new();
    for &(place, why) in places {
        let around = all.iter().find(|body| body.contains(place.lo));
        bodies.extend(around.filter(|body| stubs.insert(body.lo, why).is_none()));
    }
    bodies.sort_by_key(|body| body.lo);
    let inside = |span: Span| {
        let behind = bodies.partition_point(|body| body.lo < span.lo);
        behind > 0 && span.hi < bodies[behind - 1].hi
    };
    let mut kept_before = Vec::with_capacity(tokens.tokens.len() + 1);
    let mut kept = 0;
    for token in &tokens.tokens {
        kept_before.push(kept);
        kept += u32::from(!inside(token.span));
    }
    for pragma in &mut tokens.pragmas {
        pragma.before = kept_before.get(pragma.before as usize).copied().unwrap_or(kept);
    }
    tokens.tokens.retain(|token| !inside(token.span));
    !bodies.is_empty()
}
