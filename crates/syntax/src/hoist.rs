//! Functions that are called before they are declared.
//!
//! A call declares an unknown function implicitly, as one that returns `int`, or, if the C library
//! has a function of that name, with the library's type. If a declaration with another type
//! follows, the front end reports a conflict, where gcc 12 only warns. Such a declaration is
//! repeated, without its body, in front of the first function that calls it; then the unit is
//! checked again.
//!
//! Also variables that are declared before their type is complete: that is a tentative definition, which counts
//! at the end of the file. It is repeated there, and is `extern` where it stood.

use rucc_ast::{Ast, Decl, DeclId};
use rucc_diag::{BytePos, Diagnostic, Span};
use rucc_lex::{Keyword, Punct, Token, TokenFlags, TokenKind, Tokens};
use rustc_hash::FxHashSet;

/// Adds declarations for the conflicts among the diagnostics; whether there were any.
pub(crate) fn repeat_declarations(tokens: &mut Tokens, ast: &Ast, diagnostics: &[Diagnostic]) -> bool {
    let mut repeated: Vec<(BytePos, Vec<Token>)> = Vec::new();
    for conflict in diagnostics.iter().filter(|d| d.severity.is_fatal()) {
        let Some(name) = quoted(&conflict.message, "conflicting types for '") else { continue };
        let implicit = diagnostics
            .iter()
            .find(|d| quoted(&d.message, "implicit declaration of function '") == Some(name));
        let Some(implicit) = implicit else { continue };
        let (Some(caller), Some(callee)) = (around(ast, implicit.span), around(ast, conflict.span)) else {
            continue;
        };
        let Some(prototype) = prototype(tokens, ast, callee) else { continue };
        repeated.push((ast.decl_span(caller).lo, prototype));
    }
    let any = !repeated.is_empty();
    repeated.sort_by_key(|&(at, _)| at);
    for (at, prototype) in repeated.into_iter().rev() {
        insert(tokens, at, prototype);
    }
    any
}

/// Moves tentative definitions of incomplete types to the end; whether there were any.
pub(crate) fn delay_definitions(
    tokens: &mut Tokens,
    ast: &Ast,
    diagnostics: &[Diagnostic],
    delayed: &mut FxHashSet<BytePos>,
) -> bool {
    let mut any = false;
    let incomplete = |d: &&Diagnostic| d.severity.is_fatal() && d.message.starts_with("storage size of '");
    for error in diagnostics.iter().filter(incomplete) {
        let Some(id) = around(ast, error.span) else { continue };
        let span = ast.decl_span(id);
        let Some(first) = tokens.tokens.iter().position(|t| t.span.lo == span.lo) else { continue };
        let length = tokens.tokens[first..].iter().take_while(|t| !is_punct(t, Punct::Semi)).count() + 1;
        let Some(copy) = tokens.tokens.get(first..first + length).map(<[Token]>::to_vec) else { continue };
        let plain = !copy.iter().any(|t| {
            is_punct(t, Punct::LBrace)
                || is_punct(t, Punct::Eq)
                || matches!(t.kind, TokenKind::Keyword(Keyword::Static | Keyword::Extern | Keyword::Typedef))
        });
        if !plain || !delayed.insert(span.lo) {
            continue;
        }
        let end = tokens.tokens.len().saturating_sub(1);
        tokens.tokens.splice(end..end, copy);
        let kind = TokenKind::Keyword(Keyword::Extern);
        let flags = TokenFlags::EMPTY;
        let word = Token { kind, flags, value: 0, span: Span::empty_at(span.lo) };
        insert_at(tokens, first, vec![word]);
        any = true;
    }
    any
}

/// The declaration at file scope that a place is in.
fn around(ast: &Ast, span: Span) -> Option<DeclId> {
    ast.top_level().iter().copied().find(|&id| ast.decl_span(id).contains(span.lo))
}

fn is_punct(token: &Token, punct: Punct) -> bool {
    token.kind == TokenKind::Punct(punct)
}

/// What a message that starts in a certain way quotes next.
fn quoted<'a>(message: &'a str, start: &str) -> Option<&'a str> {
    message.strip_prefix(start)?.split('\'').next()
}

/// The tokens that declare the function, with a semicolon.
fn prototype(tokens: &Tokens, ast: &Ast, id: DeclId) -> Option<Vec<Token>> {
    let start = ast.decl_span(id).lo;
    let end = match ast[id] {
        Decl::Function { declarator, params, .. } if params.is_empty() => ast[declarator].span.hi,
        Decl::Var { declarators, .. } => match &ast[declarators] {
            [only] => only.span.hi,
            _ => return None,
        },
        _ => return None,
    };
    let first = original(tokens, start)?;
    let mut copy: Vec<Token> =
        tokens.tokens[first..].iter().copied().take_while(|t| t.span.hi <= end).collect();
    let semicolon = TokenKind::Punct(Punct::Semi);
    copy.push(Token { kind: semicolon, flags: TokenFlags::EMPTY, value: 0, span: Span::empty_at(end) });
    Some(copy)
}

/// Inserts tokens in front of the one that starts at a place, and moves the pragmas that follow.
fn insert(tokens: &mut Tokens, at: BytePos, new: Vec<Token>) {
    let Some(index) = original(tokens, at) else { return };
    insert_at(tokens, index, new);
}

/// Where the token is that starts at a place. Copies of a function's declaration stand before it.
fn original(tokens: &Tokens, at: BytePos) -> Option<usize> {
    tokens.tokens.iter().rposition(|t| t.span.lo == at)
}

fn insert_at(tokens: &mut Tokens, index: usize, new: Vec<Token>) {
    let count = u32::try_from(new.len()).unwrap_or(u32::MAX);
    for pragma in &mut tokens.pragmas {
        if pragma.before as usize > index {
            pragma.before = pragma.before.saturating_add(count);
        }
    }
    tokens.tokens.splice(index..index, new);
}
