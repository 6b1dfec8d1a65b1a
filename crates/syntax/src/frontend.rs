//! The third-party front end, run from bytes to its own typed tree.
//!
//! Everything that is particular to driving the `rucc` crates is here: the dialect, the target, the
//! order of the phases, and what becomes of its diagnostics. It accepts what gcc 12 accepts by
//! default: implicit declarations and mixed-up pointers are warnings. Parsing and checking recurse;
//! the caller provides the stack, and deals with panics.

use hardbop_base::{DataModel, Diagnostic, LineMap, Severity, Span};
use rucc_base::{Interner, Symbol};
use rucc_lex::{Convert, Keywords, PpToken};
use rucc_sema::{Checked, Checker};
use rucc_session::Std;
use rucc_target::{TargetInfo, Triple};

use crate::depth::{self, Depth};
use crate::markers::{self, SystemHeaders};
use crate::options::{Options, Standard};
use crate::spans::Lines;

/// A text as tokens.
pub(crate) struct Lexed {
    tokens: Vec<PpToken>,
    keywords: Keywords,
    names: Interner,
    target: TargetInfo,
    std: Std,
    gnu: bool,
    headers: SystemHeaders,
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
}

/// Errors after this many are not looked for.
const ERROR_LIMIT: usize = 1000;

/// The release of gcc whose behaviour is followed.
const GNUC: u32 = 12;

/// Splits a text into tokens. Uses little stack whatever the text.
pub(crate) fn lex(text: &[u8], lines: &Lines, options: &Options) -> Lexed {
    let (std, gnu) = (standard(options.standard), options.gnu);
    let mut names = Interner::new();
    let keywords = Keywords::new(&mut names, std, gnu);
    let lexer_options = rucc_lex::Options::for_dialect(std, gnu, false);
    let (raw, found) = rucc_lex::tokenize(text, 0, lexer_options, &mut names);
    let mut diagnostics = Vec::new();
    report(&mut diagnostics, lines, found);
    let stripped = markers::strip(raw, &names, lines);
    diagnostics.extend(stripped.diagnostics);
    let target = target(options.data_model);
    Lexed {
        tokens: stripped.tokens,
        keywords,
        names,
        target,
        std,
        gnu,
        headers: stripped.headers,
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
    let Lexed { tokens, keywords, names, target, std, gnu, headers, mut diagnostics, .. } = lexed;
    let cx = Convert { keywords: &keywords, interner: &names, target: &target, std, gnu, pedantic: false };
    let (converted, found) = rucc_lex::convert(&tokens, &cx);
    drop(tokens);
    report(&mut diagnostics, lines, found);

    let type_names: Vec<Symbol> =
        target.type_names().iter().filter_map(|&(name, _)| names.find(name)).collect();
    let mut cx = rucc_parse::Context::new(&names, std);
    (cx.gnu, cx.error_limit, cx.type_names) = (gnu, ERROR_LIMIT, &type_names);
    let mut parsed = rucc_parse::parse(&converted, cx);
    report(&mut diagnostics, lines, std::mem::take(&mut parsed.diagnostics));
    // A tree with holes would only give errors about what is missing from it.
    if has_errors(&diagnostics) {
        cut_at_nesting(&mut diagnostics);
        return (None, diagnostics);
    }
    drop(converted);

    let own = defined_functions(&parsed.ast, &names);
    let mut cx = rucc_sema::Context::new(&names, &target, std);
    (cx.gnu, cx.permissive, cx.gnuc, cx.error_limit) = (gnu, true, GNUC, ERROR_LIMIT);
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
    report(&mut diagnostics, lines, std::mem::take(&mut checked.diagnostics));
    diagnostics.retain(|d| d.severity == Severity::Error || !headers.contains(d.span.line));
    let typed = (!has_errors(&diagnostics)).then_some(Typed { checked, names, target });
    (typed, diagnostics)
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

/// The functions that the program defines. Calls of them are calls, also where the C library has a
/// function of that name with a meaning that the front end knows.
fn defined_functions(ast: &rucc_ast::Ast, names: &Interner) -> Vec<String> {
    let name = |&id: &rucc_ast::DeclId| match ast[id] {
        rucc_ast::Decl::Function { declarator, .. } => ast[declarator].name,
        _ => None,
    };
    ast.top_level().iter().filter_map(name).map(|name| names.resolve(name).to_owned()).collect()
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
    for diagnostic in found {
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
