//! The checkers as data: each `tests/data/PROGRAM.CASE.proof` says in its first line what becomes of it.
//!
//! `UPDATE_EXPECT=1` rewrites the first lines. Hashes are not compared here.

use std::fs;
use std::path::{Path, PathBuf};

use hardbop_base::{Budget, DataModel, Diagnostics, FileId, Sources};
use hardbop_ir::Program;
use hardbop_proof::{Ghost, Header, Judgement, Kind, Unreadable, add_ghosts, judge, open, print};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn lowered(name: &str) -> Program {
    let text = fs::read(folder().join(format!("{name}.c"))).unwrap();
    let mut sources = Sources::new();
    let options = hardbop_syntax::Options::new(DataModel::Lp64);
    let unit = hardbop_syntax::parse_bytes(&mut sources, &format!("{name}.c"), &text, &options).1.unwrap().0;
    hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::Options::default()).unwrap()
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
    let mut program = program.clone();
    let opened = match open(FileId::from_usize(0), text) {
        Ok(opened) => opened,
        Err(errors) => return malformed(&errors),
    };
    let mut evidence = match opened.evidence(&mut program, &budget) {
        Ok(evidence) => evidence,
        Err(Unreadable::Malformed(errors)) => return malformed(&errors),
        Err(Unreadable::Stopped(stop)) => return format!("stopped: {stop}"),
    };
    match judge(&program, &mut evidence, None, &budget) {
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
            opened.evidence(&mut program.clone(), &budget).ok()
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

/// Ghosts that somebody else added are found again, also where one was added behind another, and where code of
/// others is left over.
#[test]
fn ghosts_are_found_again() {
    let loaded = lowered("ghost");
    let main = loaded.procedures.iter().find(|(_, p)| p.name == "main").unwrap().0;
    let of = |name: &str| {
        let own = &loaded.procedures[main].locals;
        *own.iter().find(|&&var| loaded.variables[var].name == name).unwrap()
    };
    let at = |n: usize| hardbop_base::Id::from_usize(n);
    let locations = loaded.procedures[main].locations.len();
    let ghost = |name: &str, of, location| Ghost { procedure: main, name: name.to_owned(), of, location };
    let ghosts =
        [ghost("$g1", of("b"), at(4)), ghost("$g2", of("x"), at(4)), ghost("$g3", of("y"), at(locations))];
    let mut found = loaded.clone();
    add_ghosts(&mut found, &ghosts).unwrap();
    let recovered = hardbop_proof::recover_ghosts(&loaded, &found).unwrap();
    assert_eq!(recovered.ghosts, ghosts);

    // The second is taken out again: its edge is left, and goes round where nothing leads to.
    let mut left = found.clone();
    let p = &mut left.procedures[main];
    let edges = loaded.procedures[main].edges.len();
    let (second, behind) = (at2(edges + 1), at(locations + 1));
    let source = p.edges[second].source;
    for (_, edge) in p.edges.iter_mut() {
        if edge.source == behind {
            edge.source = source;
        }
    }
    p.edges[second].source = behind;
    p.edges[second].statement = hardbop_ir::Statement::Skip;
    let recovered = hardbop_proof::recover_ghosts(&loaded, &left).unwrap();
    assert_eq!(recovered.ghosts, [ghosts[0].clone(), ghosts[2].clone()]);
    assert_eq!(recovered.moved[&(main, at(locations + 2))], at(locations + 1));

    // With something else in it, it is no program with ghosts.
    let mut other = found;
    other.procedures[main].edges[at2(edges)].statement = hardbop_ir::Statement::Skip;
    assert!(hardbop_proof::recover_ghosts(&loaded, &other).is_none());
}

fn at2(n: usize) -> hardbop_ir::EdgeId {
    hardbop_base::Id::from_usize(n)
}

/// What is read is printed as it was, but for comments and numbers of nodes.
#[test]
fn texts_are_printed_as_they_were_read() {
    for (file, name, text) in
        proofs().into_iter().filter(|(file, ..)| file.to_string_lossy().contains(".found."))
    {
        let loaded = lowered(&name);
        let mut program = loaded.clone();
        let budget = Budget::unlimited();
        let opened = open(FileId::from_usize(0), &text).unwrap();
        let evidence = opened.evidence(&mut program, &budget).unwrap();
        let printed = print(&opened.header, &loaded, &program, evidence.shown(), &budget).unwrap();
        let again = open(FileId::from_usize(0), &printed).unwrap();
        assert_eq!(again.header, opened.header);
        let evidence = again.evidence(&mut loaded.clone(), &budget).unwrap();
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
