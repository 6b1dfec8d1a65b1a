//! The checkers as data: each `tests/data/PROGRAM.CASE.proof` says in its first line what becomes of it.
//!
//! `UPDATE_EXPECT=1` rewrites the first lines. Hashes are not compared here.

use std::fs;
use std::path::{Path, PathBuf};

use hardbop_base::{Budget, DataModel, Diagnostics, FileId, Sources};
use hardbop_ir::Program;
use hardbop_proof::{Header, Judgement, Kind, Unreadable, judge, open, print};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn lowered(name: &str) -> Program {
    let text = fs::read(folder().join(format!("{name}.c"))).unwrap();
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse_bytes(&mut sources, &format!("{name}.c"), &text, &options).1.unwrap().0;
    hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::LowerOptions::default()).unwrap()
}

/// The proofs: file, program, text.
fn proofs() -> Vec<(PathBuf, String, String)> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|e| e == "proof")).collect();
    files.sort();
    let program =
        |file: &Path| file.file_name().unwrap().to_str().unwrap().split('.').next().unwrap().to_owned();
    files.into_iter().map(|file| (file.clone(), program(&file), fs::read_to_string(&file).unwrap())).collect()
}

fn malformed(errors: &Diagnostics) -> String {
    let first = errors.iter().next().unwrap();
    format!("malformed at {}:{}: {}", first.span.line, first.span.column, first.message)
}

/// What becomes of a proof, in one line.
fn fate(program: &Program, text: &str) -> String {
    let budget = Budget::unlimited();
    let opened = match open(FileId::from_usize(0), text) {
        Ok(opened) => opened,
        Err(errors) => return malformed(&errors),
    };
    let (found, mut evidence) = match opened.evidence(program, &budget) {
        Ok(read) => read,
        Err(Unreadable::Malformed(errors)) => return malformed(&errors),
        Err(Unreadable::Stopped(stop)) => return format!("stopped: {stop}"),
    };
    match judge(program, &found, &mut evidence, None, &budget) {
        Judgement::Accepted(work) => format!("accepted: {work}"),
        Judgement::Refused(refused) => {
            let broken = refused.broken.map_or(String::new(), |broken| {
                let from = broken.from.map_or("start".to_owned(), |(_, at)| format!("L{}", at.index()));
                let names: Vec<&str> =
                    broken.before.iter().chain(&broken.after).map(|(name, _)| &name[..]).collect();
                format!(", from {from}, with values of {}", names.join(" and "))
            });
            format!("refused: {}{broken}", refused.why)
        }
        Judgement::Undecided(why) => format!("undecided: {why}"),
        Judgement::Stopped(stop) => format!("stopped: {stop}"),
    }
}

#[test]
fn proofs_are_judged_as_they_say() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut wrong = Vec::new();
    let (mut accepted, mut refused, mut malformed) = (0, 0, 0);
    for (file, program, text) in proofs() {
        let (first, rest) = text.split_once('\n').unwrap();
        let fate = fate(&lowered(&program), &text);
        accepted += usize::from(fate.starts_with("accepted"));
        refused += usize::from(fate.starts_with("refused"));
        malformed += usize::from(fate.starts_with("malformed"));
        if first != format!("// EXPECT: {fate}") {
            wrong.push(format!("{}: {fate}", file.display()));
            if update {
                fs::write(&file, format!("// EXPECT: {fate}\n{rest}")).unwrap();
            }
        }
    }
    assert!(update || wrong.is_empty(), "UPDATE_EXPECT=1 accepts this:\n{}", wrong.join("\n"));
    assert!(accepted > 8 && refused > 12 && malformed > 15, "{accepted} {refused} {malformed}");
}

/// Whatever is cut off, or changed, nothing panics, and what is cut off is missed.
#[test]
fn damaged_texts_are_refused() {
    let mut random = hardbop_ir::testing::Random::new(7);
    for (file, name, text) in proofs() {
        if !file.to_string_lossy().ends_with(".found.proof") {
            continue;
        }
        let program = lowered(&name);
        let budget = Budget::unlimited();
        let read = |text: &str| {
            let opened = open(FileId::from_usize(0), text).ok()?;
            opened.evidence(&program, &budget).ok()
        };
        assert!(read(&text).is_some());
        let whole = text.trim_end().len();
        // A relation that is left out is one that no run reaches: that is for the checker to refuse.
        let is_whole = |cut: &str| cut.ends_with("}\n") || cut.ends_with('}');
        for end in (0..whole).filter(|&end| text.is_char_boundary(end)) {
            let cut = &text[..end];
            if read(cut).is_some() {
                assert!(is_whole(cut.trim_end()), "{cut}");
                assert!(!fate(&program, cut).starts_with("accepted"), "{cut}");
            }
        }
        for _ in 0..300 {
            let mut bytes = text.clone().into_bytes();
            let at = (random.bits() % bytes.len() as u64) as usize;
            bytes[at] = b" (){};:\"!&|?p0L9#x-"[(random.bits() % 19) as usize];
            if let Ok(changed) = String::from_utf8(bytes) {
                let _ = read(&changed);
            }
        }
    }
}

/// What is read is printed as it was, but for comments and numbers of nodes.
#[test]
fn texts_are_printed_as_they_were_read() {
    for (file, name, text) in
        proofs().into_iter().filter(|(file, ..)| file.to_string_lossy().contains(".found."))
    {
        let loaded = lowered(&name);
        let budget = Budget::unlimited();
        let opened = open(FileId::from_usize(0), &text).unwrap();
        let (program, evidence) = opened.evidence(&loaded, &budget).unwrap();
        let printed = print(&opened.header, &loaded, &program, evidence.shown(), &budget).unwrap();
        let again = open(FileId::from_usize(0), &printed).unwrap();
        assert_eq!(again.header, opened.header);
        let (program, evidence) = again.evidence(&loaded, &budget).unwrap();
        let twice = print(&opened.header, &loaded, &program, evidence.shown(), &budget).unwrap();
        assert_eq!(twice, printed, "{}", file.display());
        if opened.header.kind != Kind::Backward {
            assert_eq!(printed, text.split_once('\n').unwrap().1, "{}", file.display());
        }
    }
}

#[test]
fn names_in_headers_are_anything() {
    let header = Header {
        kind: Kind::Unrolled,
        producer: "a \"b\" \\ ä\t\r\n */".to_owned(),
        inputs: vec![hardbop_proof::Input { name: "; { // \"".to_owned(), sha256: "0".repeat(64) }],
        options: vec![("error-label".to_owned(), vec![String::new(), "ERROR\n".to_owned()])],
        program: "f".repeat(64),
    };
    let program = lowered("sum");
    let budget = Budget::unlimited();
    let text = print(&header, &program, &program, hardbop_proof::Shown::Unrolled(3), &budget).unwrap();
    assert_eq!(open(FileId::from_usize(0), &text).unwrap().header, header);
}
