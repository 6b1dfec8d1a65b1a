//! Programs are changed only where they are made.
//!
//! A program that was loaded is what verdicts are about, so nobody may change it on the way. Front ends,
//! instrumentation and the readers of text build programs and may. Everybody else makes another program (a slice, one with
//! ghosts) or adds expressions to an overlay; who does not is listed, with the reason.

use regex_lite::Regex;

use super::sources::Source;

/// Where programs are made: folders and files.
const MAKERS: [&str; 5] = [
    "crates/lower/src/",
    "crates/teach/src/",
    "crates/instrument/src/",
    "crates/ir/src/text/",
    // The builder, with which all of them work.
    "crates/ir/src/build.rs",
];

const MAKES_VARIANTS: &str = "makes variants of programs, to be checked on their own";

/// Files that change programs all the same, and why.
pub const EXCEPTIONS: &[(&str, &str)] =
    &[("crates/hunt/src/plant.rs", MAKES_VARIANTS), ("crates/hunt/src/shrink.rs", MAKES_VARIANTS)];

/// Files that borrow a program mutably without leave, and leaves that nobody needs.
pub fn offences(sources: &[&Source], exceptions: &[(&str, &str)]) -> Vec<String> {
    let changing: Vec<(&str, usize)> = sources
        .iter()
        .filter(|source| !MAKERS.iter().any(|maker| source.path.starts_with(maker)))
        .filter_map(|source| Some((source.path.as_str(), first_borrow(&source.code)?)))
        .collect();
    let excused = |path: &str| exceptions.iter().any(|(listed, _)| *listed == path);
    let new = changing.iter().filter(|(path, _)| !excused(path));
    let mut found: Vec<String> = new
        .map(|(path, line)| {
            format!("{path}:{line}: borrows a program mutably, which only those who make one may")
        })
        .collect();
    let idle = exceptions.iter().filter(|(listed, _)| !changing.iter().any(|(path, _)| path == listed));
    found.extend(
        idle.map(|(path, _)| {
            format!("{path} borrows no program mutably: drop it from the list of exceptions")
        }),
    );
    found
}

/// The line of the first `&mut Program`, of `ir` or not told; boolean programs are another matter.
fn first_borrow(code: &str) -> Option<usize> {
    let borrow = Regex::new(r"&\s*(?:'\w+\s+)?mut\s+((?:\w+::)*)Program\b").ok()?;
    let first = borrow.captures_iter(code).find(|found| !matches!(&found[1], "bp::" | "hardbop_bp::"))?;
    Some(1 + code[..first.get(0)?.start()].matches('\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borrows_are_found() {
        for text in
            ["fn f(p: &mut Program)", "struct A<'p> { p: &'p mut ir::Program }", "& mut hardbop_ir::Program"]
        {
            assert_eq!(first_borrow(text), Some(1), "{text}");
        }
        for text in ["&Program", "&mut bp::Program", "&mut Programs", "mut program: Program"] {
            assert_eq!(first_borrow(text), None, "{text}");
        }
        assert_eq!(first_borrow("use a;\n\nfn f(p: &mut bp::Program, q: &mut Program)"), Some(3));
    }

    #[test]
    fn the_list_can_only_shrink() {
        let changing = "fn f(p: &mut Program) {}\n";
        let sources = [
            Source::new("crates/lower/src/lib.rs", changing, false),
            Source::new("crates/path/src/lib.rs", changing, false),
            Source::new("crates/path/tests/a.rs", changing, true),
            Source::new("crates/wp/src/lib.rs", changing, false),
            Source::new("crates/slice/src/lib.rs", "", false),
        ];
        let sources: Vec<&Source> = sources.iter().collect();
        let exceptions = [("crates/wp/src/lib.rs", "why"), ("crates/slice/src/lib.rs", "why")];
        assert_eq!(
            offences(&sources, &exceptions),
            [
                "crates/path/src/lib.rs:1: borrows a program mutably, which only those who make one may",
                "crates/slice/src/lib.rs borrows no program mutably: drop it from the list of exceptions",
            ]
        );
    }
}
