//! Random programs survive printing and parsing, and satisfy the verifier.

use hardbop_base::{Diagnostics, Id, Sources};
use hardbop_ir::testing::{Random, Size, random_program};
use hardbop_ir::{Program, text, verify};

fn read(text: &str) -> Result<Program, Diagnostics> {
    text::parse(Id::from_usize(0), text)
}

fn rendered(text: &str, diagnostics: &Diagnostics) -> String {
    let mut sources = Sources::new();
    sources.add("program.ir", text);
    diagnostics.render(&sources)
}

#[test]
fn random_programs_come_back() {
    for seed in 0..300 {
        let program = random_program(seed, Size { edges: 40, ..Size::default() });
        let violations: Vec<_> = verify(&program).iter().map(|v| v.show(&program)).collect();
        assert!(violations.is_empty(), "seed {seed}: {violations:#?}");
        let printed = text::print(&program);
        let again = match read(&printed) {
            Ok(program) => program,
            Err(errors) => panic!("seed {seed}:\n{}", rendered(&printed, &errors)),
        };
        assert_eq!(text::print(&again), printed, "seed {seed}");
        assert_same(&program, &again);
        assert_eq!(verify(&again), [], "seed {seed}");
    }
}

/// Everything that the text form keeps by itself, compared without going through text.
fn assert_same(a: &Program, b: &Program) {
    assert_eq!(a.data_model, b.data_model);
    assert_eq!(a.files, b.files);
    assert_eq!(a.assumptions, b.assumptions);
    assert_eq!(a.entry, b.entry);
    assert_eq!(a.globals.len(), b.globals.len());
    for (x, y) in a.records.values().zip(b.records.values()) {
        assert_eq!((&x.name, x.kind, x.size, x.align, x.span), (&y.name, y.kind, y.size, y.align, y.span));
        for (f, g) in x.fields.iter().zip(&y.fields) {
            assert_eq!((&f.name, f.offset, f.bits), (&g.name, g.offset, g.bits));
            assert_eq!(a.show_type(f.ty), b.show_type(g.ty));
        }
    }
    for (x, y) in a.procedures.values().zip(b.procedures.values()) {
        assert_eq!((&x.name, x.external, x.span), (&y.name, y.external, y.span));
        assert_eq!((&x.locations, x.entry, x.exit), (&y.locations, y.entry, y.exit));
        assert_eq!(x.edges.len(), y.edges.len());
        for (e, f) in x.edges.values().zip(y.edges.values()) {
            assert_eq!((e.source, e.target, e.span), (f.source, f.target, f.span));
            assert_eq!(a.show_statement(&e.statement), b.show_statement(&f.statement));
        }
        let lists = [(&x.formals, &y.formals), (&x.locals, &y.locals)];
        let pairs =
            lists.into_iter().flat_map(|(x, y)| x.iter().zip(y)).chain(x.result.iter().zip(&y.result));
        for (&v, &w) in pairs {
            let (v, w) = (&a.variables[v], &b.variables[w]);
            assert_eq!((&v.name, v.kind, v.span), (&w.name, w.kind, w.span));
            assert_eq!(a.show_type(v.ty), b.show_type(w.ty));
        }
    }
}

/// Damaged texts give errors or other programs, never a panic; what does parse prints to a fixpoint
/// if it is sound.
#[test]
fn damaged_text_never_panics() {
    let mut random = Random::new(7);
    let texts: Vec<_> = (0..20)
        .map(|seed| text::print(&random_program(seed, Size { procedures: 2, edges: 8, ..Size::default() })))
        .collect();
    let pieces =
        ["(", ")", "{", "}", "\"", "\\", "@", "-", "99999999999999999999", "L7", "\n", "ü", "*", "fn "];
    let mut parsed = 0;
    for _ in 0..6000 {
        let mut bytes = texts[random.below(texts.len())].clone().into_bytes();
        for _ in 0..1 + random.below(4) {
            damage(&mut random, &mut bytes, &pieces);
        }
        let text = String::from_utf8_lossy(&bytes);
        match read(&text) {
            Err(errors) => assert!(errors.has_errors()),
            Ok(program) => {
                parsed += 1;
                let printed = text::print(&program);
                if verify(&program).is_empty() {
                    let again = read(&printed).unwrap_or_else(|e| panic!("{}", rendered(&printed, &e)));
                    assert_eq!(text::print(&again), printed);
                }
            }
        }
    }
    assert!(parsed > 100, "the damage is too heavy: {parsed}");
}

fn damage(random: &mut Random, bytes: &mut Vec<u8>, pieces: &[&str]) {
    let at = random.below(bytes.len());
    match random.below(5) {
        0 => bytes[at] = random.bits() as u8,
        1 => {
            bytes.remove(at);
        }
        2 => {
            let piece = pieces[random.below(pieces.len())];
            bytes.splice(at..at, piece.bytes());
        }
        3 => {
            let end = (at + random.below(30)).min(bytes.len());
            bytes.drain(at..end);
        }
        _ => {
            let end = (at + random.below(30)).min(bytes.len());
            let copy = bytes[at..end].to_vec();
            let to = random.below(bytes.len());
            bytes.splice(to..to, copy);
        }
    }
}
