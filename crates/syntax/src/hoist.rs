//! Functions that are called before they are declared.
//!
//! A call declares an unknown function implicitly, as one that returns `int`, or, if the C library
//! has a function of that name, with the library's type. If a declaration with another type
//! follows, the front end reports a conflict, where gcc 12 only warns. Such a declaration is
//! repeated, without its body, in front of the first function that calls it; then the unit is
//! checked again.

use rucc_ast::{Ast, Decl, DeclId};
use rucc_diag::{BytePos, Diagnostic, Span};
use rucc_lex::{Punct, Token, TokenFlags, TokenKind, Tokens};

/// Adds declarations for the conflicts among the diagnostics; whether there were any that this may
/// help.
pub(crate) fn repeat_declarations(tokens: &mut Tokens, ast: &Ast, diagnostics: &[Diagnostic]) -> bool {
    let mut repeated: Vec<(BytePos, Vec<Token>)> = Vec::new();
    for conflict in diagnostics.iter().filter(|d| d.severity.is_fatal()) {
        let Some(name) = quoted(&conflict.message, "conflicting types for '") else { return false };
        let implicit = diagnostics
            .iter()
            .find(|d| quoted(&d.message, "implicit declaration of function '") == Some(name));
        let Some(implicit) = implicit else { return false };
        let around =
            |span: Span| ast.top_level().iter().copied().find(|&id| ast.decl_span(id).contains(span.lo));
        let (Some(caller), Some(callee)) = (around(implicit.span), around(conflict.span)) else {
            return false;
        };
        let Some(prototype) = prototype(tokens, ast, callee) else { return false };
        repeated.push((ast.decl_span(caller).lo, prototype));
    }
    repeated.sort_by_key(|&(at, _)| at);
    for (at, prototype) in repeated.into_iter().rev() {
        insert(tokens, at, prototype);
    }
    true
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
    let first = tokens.tokens.partition_point(|t| t.span.lo < start);
    let mut copy: Vec<Token> =
        tokens.tokens[first..].iter().copied().take_while(|t| t.span.hi <= end).collect();
    let semicolon = TokenKind::Punct(Punct::Semi);
    copy.push(Token { kind: semicolon, flags: TokenFlags::EMPTY, value: 0, span: Span::empty_at(end) });
    Some(copy)
}

/// Inserts tokens in front of the one that starts at a place, and moves the pragmas that follow.
fn insert(tokens: &mut Tokens, at: BytePos, new: Vec<Token>) {
    let index = tokens.tokens.partition_point(|t| t.span.lo < at);
    let count = u32::try_from(new.len()).unwrap_or(u32::MAX);
    for pragma in &mut tokens.pragmas {
        if pragma.before as usize > index {
            pragma.before = pragma.before.saturating_add(count);
        }
    }
    tokens.tokens.splice(index..index, new);
}
