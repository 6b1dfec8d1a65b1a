//! What gcc has a name for and the front end has not, spelled in other words that mean the same.
//!
//! - `__float80` is `long double` on x86.
//! - `__builtin_ms_va_list` is `char *`. What reads such a list is left out by [`stub`](crate::stub).
//! - `a->b` in `__builtin_offsetof` is `a[0].b`: `a` can only be an array there.

use rucc_base::{Interner, Symbol};
use rucc_diag::Span;
use rucc_lex::{PpToken, PpTokenKind, Punct, TokenFlags};

/// Rewrites a text, if it has anything to be rewritten.
pub(crate) fn rewrite_tokens(tokens: Vec<PpToken>, names: &mut Interner) -> Vec<PpToken> {
    let known = ["__float80", "__builtin_ms_va_list", "__builtin_offsetof"].map(|name| names.find(name));
    let [float80, ms_va_list, offsetof] = known;
    let named = |t: &PpToken, name| t.kind == PpTokenKind::Ident && t.value.is_some() && t.value == name;
    if !tokens.iter().any(|t| known.iter().any(|&name| named(t, name))) {
        return tokens;
    }
    let mut out = Vec::with_capacity(tokens.len() + 16);
    // Brackets that are open since the last `__builtin_offsetof`, which its own may still have to come.
    let mut offset_path: Option<usize> = None;
    for (index, token) in tokens.iter().enumerate() {
        let mut replacement = Replacement { out: &mut out, names, span: token.span, flags: token.flags };
        let after_dot = index > 0 && matches!(tokens[index - 1].punct(), Some(Punct::Dot | Punct::Arrow));
        if named(token, float80) && !after_dot {
            replacement.words(&["long", "double"]);
        } else if named(token, ms_va_list) && !after_dot {
            replacement.words(&["__typeof__"]);
            replacement.punct(Punct::LParen);
            replacement.words(&["char"]);
            replacement.punct(Punct::Star);
            replacement.punct(Punct::RParen);
        } else if offset_path == Some(1) && token.punct() == Some(Punct::Arrow) {
            replacement.punct(Punct::LBracket);
            replacement.token(PpTokenKind::Number, "0");
            replacement.punct(Punct::RBracket);
            replacement.punct(Punct::Dot);
        } else {
            out.push(*token);
            offset_path = match token.punct() {
                _ if named(token, offsetof) => Some(0),
                Some(Punct::LParen | Punct::LBracket) => offset_path.map(|open| open + 1),
                Some(Punct::RParen | Punct::RBracket) => offset_path.and_then(|open| open.checked_sub(1)),
                _ => offset_path,
            };
            offset_path = offset_path.filter(|&open| open > 0 || named(token, offsetof));
        }
    }
    out
}

/// Tokens that stand where one stood.
struct Replacement<'a> {
    out: &'a mut Vec<PpToken>,
    names: &'a mut Interner,
    span: Span,
    /// Those of the next one. The first one starts a line if what it stands for did: there a pragma ends.
    flags: TokenFlags,
}

impl Replacement<'_> {
    fn words(&mut self, words: &[&str]) {
        for word in words {
            self.token(PpTokenKind::Ident, word);
        }
    }

    fn token(&mut self, kind: PpTokenKind, text: &str) {
        let value = Some(self.names.intern(text));
        self.push(kind, value);
    }

    fn punct(&mut self, punct: Punct) {
        self.push(PpTokenKind::Punct(punct), None);
    }

    fn push(&mut self, kind: PpTokenKind, value: Option<Symbol>) {
        let flags = std::mem::replace(&mut self.flags, TokenFlags::LEADING_SPACE);
        self.out.push(PpToken { kind, flags, value, span: self.span });
    }
}
