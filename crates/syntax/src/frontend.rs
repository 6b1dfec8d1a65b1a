//! The third-party front end, run from bytes to its own typed tree.
//!
//! Everything that is particular to driving the `rucc` crates is here: the dialect, the target, the
//! order of the phases, and what becomes of its diagnostics. It accepts what gcc 12 accepts by
//! default: implicit declarations and mixed-up pointers are warnings. Panics are caught by the
//! caller.

use hardbop_base::{DataModel, Diagnostic, LineMap, Severity, Span};
use rucc_base::{Interner, Symbol};
use rucc_lex::{Convert, Keywords};
use rucc_sema::{Checked, Checker};
use rucc_session::Std;
use rucc_target::{TargetInfo, Triple};

use crate::markers;
use crate::options::{Options, Standard};
use crate::spans::Lines;

/// What the front end made of a text.
pub(crate) struct Output {
    /// The typed tree, unless there were errors.
    pub typed: Option<Typed>,
    pub lines: LineMap,
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

/// Runs all phases on a text.
pub(crate) fn run(text: &[u8], lines: &Lines, options: &Options) -> Output {
    let std = standard(options.standard);
    let gnu = options.gnu;
    let target = target(options.data_model);
    let mut names = Interner::new();
    let keywords = Keywords::new(&mut names, std, gnu);
    let lexer_options = rucc_lex::Options::for_dialect(std, gnu, false);
    let (raw, found) = rucc_lex::tokenize(text, 0, lexer_options, &mut names);
    let mut diagnostics = Vec::new();
    report(&mut diagnostics, lines, found);

    let stripped = markers::strip(raw, &names, lines);
    diagnostics.extend(stripped.diagnostics);
    let cx = Convert { keywords: &keywords, interner: &names, target: &target, std, gnu, pedantic: false };
    let (tokens, found) = rucc_lex::convert(&stripped.tokens, &cx);
    drop(stripped.tokens);
    report(&mut diagnostics, lines, found);

    let type_names: Vec<Symbol> =
        target.type_names().iter().filter_map(|&(name, _)| names.find(name)).collect();
    let mut cx = rucc_parse::Context::new(&names, std);
    (cx.gnu, cx.error_limit, cx.type_names) = (gnu, ERROR_LIMIT, &type_names);
    let parsed = rucc_parse::parse(&tokens, cx);
    report(&mut diagnostics, lines, parsed.diagnostics);
    // A tree with holes would only give errors about what is missing from it.
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Output { typed: None, lines: stripped.lines, diagnostics };
    }
    drop(tokens);

    let mut cx = rucc_sema::Context::new(&names, &target, std);
    (cx.gnu, cx.permissive, cx.gnuc, cx.error_limit) = (gnu, true, GNUC, ERROR_LIMIT);
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
    let failed = diagnostics.iter().any(|d| d.severity == Severity::Error);
    let typed = (!failed).then_some(Typed { checked, names, target });
    Output { typed, lines: stripped.lines, diagnostics }
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
            message: diagnostic.message,
            notes,
        });
    }
}

/// A span of the front end as a span of ours.
pub(crate) fn span(lines: &Lines, span: rucc_diag::Span) -> Span {
    if span.is_dummy() { Span::none() } else { lines.span(span.lo, span.hi) }
}
