//! The third-party front end, run from bytes to its own typed tree.
//!
//! Everything that is particular to driving the `rucc` crates is here: the dialect, the target, the
//! order of the phases, and what becomes of its diagnostics. It accepts what gcc 12 accepts by
//! default: implicit declarations and mixed-up pointers are warnings. Parsing and checking recurse;
//! the caller provides the stack, and deals with panics.

use std::borrow::Cow;

use hardbop_base::{DataModel, Diagnostic, LineMap, Severity, Span};
use rucc_ast::Ast;
use rucc_base::{Interner, Symbol};
use rucc_lex::{Convert, Keyword, Keywords, PpToken, PpTokenKind, Punct};
use rucc_parse::Parsed;
use rucc_sema::{Checked, Checker};
use rucc_session::Std;
use rucc_target::{TargetInfo, Triple};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::depth::{self, Depth};
use crate::flatten;
use crate::hoist;
use crate::markers::{self, SystemHeaders};
use crate::options::{Standard, SyntaxOptions};
use crate::rewrite;
use crate::spans::Lines;
use crate::stub::{self, Stubs};

/// A text as tokens.
pub(crate) struct Lexed {
    tokens: Vec<PpToken>,
    keywords: Keywords,
    names: Interner,
    target: TargetInfo,
    std: Std,
    gnu: bool,
    headers: SystemHeaders,
    tags: Tags,
    /// What its line markers say.
    pub lines: LineMap,
    /// Complaints so far.
    pub diagnostics: Vec<Diagnostic>,
}

/// A typed tree with what is needed to read it.
pub(crate) struct Typed {
    pub checked: Checked,
    pub names: Interner,
    pub target: TargetInfo,
    pub tags: Tags,
    /// Functions that are not understood.
    pub stubs: Stubs,
}

/// Where each tag of a struct or union is defined, or else first mentioned. (The typed tree does
/// not say. Of tags that are defined in several scopes, the first counts.)
pub(crate) type Tags = FxHashMap<Symbol, rucc_diag::Span>;

/// Errors after this many are not looked for.
const ERROR_LIMIT: usize = 100_000;

/// The release of gcc whose behaviour is followed.
const GNUC: u32 = 12;

/// Splits a text into tokens. Uses little stack whatever the text.
pub(crate) fn lex(text: &[u8], lines: &Lines, options: &SyntaxOptions) -> Lexed {
    let (std, gnu) = (standard(options.standard), options.gnu);
    let mut names = Interner::new();
    let keywords = Keywords::new(&mut names, std, gnu);
    let lexer_options = rucc_lex::Options::for_dialect(std, gnu, false);
    // The scanner wants more text behind a backslash that joins lines.
    let joined = text.iter().rev().take(4).any(|&byte| byte == b'\\');
    let text = if joined { Cow::Owned([text, b"\n\n"].concat()) } else { Cow::Borrowed(text) };
    let (raw, found) = rucc_lex::tokenize(&text, 0, lexer_options, &mut names);
    let mut diagnostics = Vec::new();
    report(&mut diagnostics, lines, found);
    let stripped = markers::strip(raw, &names, lines);
    diagnostics.extend(stripped.diagnostics);
    let target = target(options.data_model);
    let tokens = rewrite::rewrite_tokens(stripped.tokens, &mut names);
    let tokens = flatten::flatten(tokens, &keywords);
    let tags = tags(&tokens, &keywords);
    Lexed {
        tokens,
        keywords,
        names,
        target,
        std,
        gnu,
        headers: stripped.headers,
        tags,
        lines: stripped.lines,
        diagnostics,
    }
}

impl Lexed {
    /// How much the recursion of [`check`] can amount to; where the limit is exceeded, the place.
    pub fn depth(&self, limit: usize) -> Result<Depth, rucc_diag::Span> {
        depth::measure(&self.tokens, &self.keywords, limit)
    }
}

/// Parses and checks a text: the typed tree unless there are errors, and all complaints.
pub(crate) fn check(lexed: Lexed, lines: &Lines) -> (Option<Typed>, Vec<Diagnostic>) {
    let Lexed { tokens, keywords, names, target, std, gnu, headers, tags, mut diagnostics, .. } = lexed;
    let cx = Convert { keywords: &keywords, interner: &names, target: &target, std, gnu, pedantic: false };
    let (mut converted, found) = rucc_lex::convert(&tokens, &cx);
    drop(tokens);
    report(&mut diagnostics, lines, found);
    let language = Language { names: &names, target: &target, std, gnu };
    let mut parsed = language.parse(&converted);
    report(&mut diagnostics, lines, std::mem::take(&mut parsed.diagnostics));
    // A tree with holes would only give errors about what is missing from it.
    if has_errors(&diagnostics) {
        cut_at_nesting(&mut diagnostics);
        return (None, diagnostics);
    }
    let mut repairs = Repairs {
        language: &language,
        in_header: &|span: rucc_diag::Span| headers.contains(lines.line(span.lo)),
        stubs: Stubs::default(),
        delayed: FxHashSet::default(),
    };
    let mut checked = repairs.check(&mut converted, parsed);
    let stubs = repairs.stubs;
    report(&mut diagnostics, lines, std::mem::take(&mut checked.diagnostics));
    diagnostics.retain(|d| d.severity == Severity::Error || !headers.contains(d.span.line));
    let typed = (!has_errors(&diagnostics)).then_some(Typed { checked, names, target, tags, stubs });
    (typed, diagnostics)
}

fn tags(tokens: &[PpToken], keywords: &Keywords) -> Tags {
    let mut mentioned = Tags::default();
    let mut defined = Tags::default();
    for window in tokens.windows(3) {
        let [keyword, tag, next] = window else { continue };
        let (Some(word), Some(name)) = (keyword.value, tag.value) else { continue };
        if !matches!(keywords.get(word), Some(Keyword::Struct | Keyword::Union))
            || tag.kind != PpTokenKind::Ident
        {
            continue;
        }
        let table = if next.punct() == Some(Punct::LBrace) { &mut defined } else { &mut mentioned };
        table.entry(name).or_insert(keyword.span.to(tag.span));
    }
    mentioned.extend(defined);
    mentioned
}

/// How often a unit is checked again, with what gcc accepts and the front end does not in other words.
const REPAIRS: usize = 8;

/// What has been done about errors that gcc does not find.
struct Repairs<'a> {
    language: &'a Language<'a>,
    in_header: &'a dyn Fn(rucc_diag::Span) -> bool,
    stubs: Stubs,
    delayed: FxHashSet<rucc_diag::BytePos>,
}

impl Repairs<'_> {
    /// Checks a unit until there are no errors, or none that something can be done about. Then the first ones
    /// are reported.
    fn check(&mut self, tokens: &mut rucc_lex::Tokens, mut parsed: Parsed) -> Checked {
        if stub::ms_lists(tokens, &parsed.ast, self.language.names, &mut self.stubs) {
            parsed = self.language.parse(tokens);
        }
        let mut first = self.language.check(&parsed);
        let mut found = first.diagnostics.clone();
        for _ in 0..REPAIRS {
            if !found.iter().any(|d| d.severity.is_fatal()) || !self.repair(tokens, &parsed.ast, &found) {
                break;
            }
            parsed = self.language.parse(tokens);
            let again = self.language.check(&parsed);
            found.clone_from(&again.diagnostics);
            if parsed.diagnostics.is_empty() && !again.failed() {
                let mut before = std::mem::replace(&mut first, again).diagnostics;
                before.retain(|d| d.message.starts_with("implicit declaration"));
                first.diagnostics.extend(before);
                break;
            }
        }
        first
    }

    fn repair(&mut self, tokens: &mut rucc_lex::Tokens, ast: &Ast, found: &[rucc_diag::Diagnostic]) -> bool {
        let has_ms_lists = self.language.names.find("__builtin_ms_va_list").is_some();
        let repeated = hoist::repeat_declarations(tokens, ast, found);
        let delayed = hoist::delay_definitions(tokens, ast, found, &mut self.delayed);
        let emptied = stub::errors(tokens, ast, self.in_header, has_ms_lists, found, &mut self.stubs);
        repeated || delayed || emptied
    }
}

/// Errors of the front end that are warnings of gcc, or none, by how they begin and end. It goes on as gcc does
/// after the first; for the others there is nothing that would have to be different here.
const WARNINGS: [(&str, &str); 4] = [
    ("pointer/integer type mismatch in conditional expression", ""),
    ("memory input ", " is not directly addressable"),
    ("attribute 'target' argument '", "' is unknown"),
    ("defining a variadic function with '__attribute__((ms_abi))'", " is not supported on this target"),
];

fn downgrade(diagnostics: &mut [rucc_diag::Diagnostic]) {
    for diagnostic in diagnostics.iter_mut().filter(|d| d.severity == rucc_diag::Severity::Error) {
        let message = &diagnostic.message;
        if WARNINGS.iter().any(|(start, end)| message.starts_with(start) && message.ends_with(end)) {
            diagnostic.severity = rucc_diag::Severity::Warning;
        }
    }
}

/// What parsing and checking depend on.
struct Language<'a> {
    names: &'a Interner,
    target: &'a TargetInfo,
    std: Std,
    gnu: bool,
}

impl Language<'_> {
    fn parse(&self, tokens: &rucc_lex::Tokens) -> Parsed {
        let type_names = self.target.type_names().iter();
        let type_names: Vec<Symbol> = type_names.filter_map(|&(name, _)| self.names.find(name)).collect();
        let mut cx = rucc_parse::Context::new(self.names, self.std);
        (cx.gnu, cx.error_limit, cx.type_names) = (self.gnu, ERROR_LIMIT, &type_names);
        rucc_parse::parse(tokens, cx)
    }

    fn check(&self, parsed: &Parsed) -> Checked {
        let own = self.defined_functions(&parsed.ast);
        let mut cx = rucc_sema::Context::new(self.names, self.target, self.std);
        (cx.gnu, cx.permissive, cx.gnuc, cx.error_limit) = (self.gnu, true, GNUC, ERROR_LIMIT);
        cx.no_builtin = &own;
        let mut checker = Checker::new(&parsed.ast, cx);
        checker.check_unit();
        for line in &parsed.weak_pragmas {
            checker.pragma_weak(line.name, line.target, line.span);
        }
        for line in &parsed.extname_pragmas {
            checker.pragma_extname(line.old, line.new, line.span);
        }
        let mut checked = checker.finish();
        downgrade(&mut checked.diagnostics);
        checked
    }

    /// The functions that the program defines. Calls of them are calls, also where the C library
    /// has a function of that name with a meaning that the front end knows.
    fn defined_functions(&self, ast: &Ast) -> Vec<String> {
        let name = |&id: &rucc_ast::DeclId| match ast[id] {
            rucc_ast::Decl::Function { declarator, .. } => ast[declarator].name,
            _ => None,
        };
        let defined = ast.top_level().iter().filter_map(name);
        defined.map(|name| self.names.resolve(name).to_owned()).collect()
    }
}

/// Once the parser has given up on deep brackets it does not find its way back; what it says from
/// there on is noise.
fn cut_at_nesting(diagnostics: &mut Vec<Diagnostic>) {
    let nesting = |d: &Diagnostic| d.severity == Severity::Error && d.message.contains("nested more deeply");
    if let Some(at) = diagnostics.iter().position(nesting) {
        diagnostics.truncate(at + 1);
    }
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|d| d.severity == Severity::Error)
}

fn standard(standard: Standard) -> Std {
    match standard {
        Standard::C89 => Std::C89,
        Standard::C99 => Std::C99,
        Standard::C11 => Std::C11,
        Standard::C17 => Std::C17,
        Standard::C23 => Std::C23,
    }
}

fn target(data_model: DataModel) -> TargetInfo {
    use rucc_target::{Arch, Env, Os};
    let arch = match data_model {
        DataModel::Ilp32 => Arch::X86,
        DataModel::Lp64 => Arch::X86_64,
    };
    TargetInfo::new(Triple::new(arch, Os::Linux, Env::Gnu))
}

fn report(out: &mut Vec<Diagnostic>, lines: &Lines, found: Vec<rucc_diag::Diagnostic>) {
    // gcc's defaults: it says nothing about the signedness of characters unless asked.
    let mut wanted = rucc_diag::Named::default();
    wanted.flag("no-pointer-sign");
    for diagnostic in found.into_iter().filter(|d| !wanted.silenced(d)) {
        let severity = match diagnostic.severity {
            rucc_diag::Severity::Note | rucc_diag::Severity::Help => Severity::Note,
            rucc_diag::Severity::Warning => Severity::Warning,
            rucc_diag::Severity::Error | rucc_diag::Severity::Ice => Severity::Error,
        };
        let notes = diagnostic.children.into_iter().map(|c| (span(lines, c.span), c.message)).collect();
        out.push(Diagnostic {
            severity,
            span: span(lines, diagnostic.span),
            message: printable(diagnostic.message),
            notes,
        });
    }
}

/// A message without the control characters that a text may have brought into it.
fn printable(message: String) -> String {
    if !message.contains(char::is_control) {
        return message;
    }
    message
        .chars()
        .map(|c| if c.is_control() { c.escape_default().to_string() } else { c.to_string() })
        .collect()
}

/// A span of the front end as a span of ours.
pub(crate) fn span(lines: &Lines, span: rucc_diag::Span) -> Span {
    if span.is_dummy() { Span::none() } else { lines.span(span.lo, span.hi) }
}
