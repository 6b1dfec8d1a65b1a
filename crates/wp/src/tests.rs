//! The paper's claims about the cover and about bounded pre-images, on small programs.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Sources};
use hardbop_logic::Term;
use hardbop_semantics::{Cell, Frame, Subject};

use crate::ask::Asker;
use crate::bounded::Layers;
use crate::cover::Cover;
use crate::fixpoint::{Predicates, rounds};
use crate::space::Space;

/// Lays out a program and asks about it.
fn with(text: &str, ask: impl FnOnce(&mut Space<'_>, &mut Asker<'_>)) {
    let mut sources = Sources::new();
    let file = sources.add("test.x", text);
    let program = hardbop_teach::load(&sources, file, &hardbop_teach::TeachOptions::default()).unwrap();
    let budget = Budget::unlimited();
    let alias = Alias::of(&program, &budget).unwrap();
    let regions = Regions::of(&program, &alias, &[], &budget).unwrap();
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    let Ok(mut space) = Space::of(subject, &budget) else { panic!("{text} is not laid out") };
    ask(&mut space, &mut Asker::new(subject, &budget));
}

/// The symbol for the value of a variable of `main`.
fn value(space: &mut Space<'_>, name: &str) -> Term {
    let program = space.subject.program;
    let var = program.variables.iter().find(|(_, variable)| variable.name == name).unwrap().0;
    space.encoder.on(space.subject).initial(Cell::Local(Frame::ONLY, var))
}

fn implies(space: &mut Space<'_>, asker: &mut Asker<'_>, a: Term, b: Term) -> bool {
    let not = space.encoder.terms.not(b);
    !asker.is_possible(&mut space.encoder, &[a, not]).unwrap()
}

const COUNTER: &str = "main() { x, y: int; x := 0; while ? do x := x + 1; assert x != 3 }";

#[test]
fn the_exterior_cover_has_the_properties_of_section_3() {
    with(COUNTER, |space, asker| {
        let (x, y) = (value(space, "x"), value(space, "y"));
        let terms = &mut space.encoder.terms;
        let [zero, one, two, five] = [0, 1, 2, 5].map(|n| terms.int(n));
        let sum = terms.int_add(x, y);
        let predicates = [terms.int_le(x, one), terms.int_le(x, y), terms.eq(y, two)];
        let chosen = terms.symbol("chosen on the way", hardbop_logic::Sort::Int);
        let mut conditions = vec![
            terms.int_le(x, zero),
            terms.int_lt(five, x),
            terms.eq(x, y),
            terms.int_le(sum, two),
            terms.eq(sum, chosen),
            terms.bool(false),
        ];
        let both = terms.and(&[conditions[0], conditions[3]]);
        conditions.push(both);
        let covers: Vec<Term> = conditions.iter().map(|&e| ec(space, asker, &predicates, e)).collect();
        for (&e, &covered) in conditions.iter().zip(&covers) {
            assert!(implies(space, asker, e, covered));
            for cube in 0..8 {
                let literal = |i: usize| {
                    let p = predicates[i];
                    if cube >> i & 1 == 1 { p } else { space.encoder.terms.not(p) }
                };
                let mut question: Vec<Term> = (0..3).map(literal).collect();
                question.push(covered);
                let inside = asker.is_possible(&mut space.encoder, &question).unwrap();
                question[3] = e;
                let possible = asker.is_possible(&mut space.encoder, &question).unwrap();
                assert_eq!(inside, possible, "the cover is the strongest one");
            }
            let not = space.encoder.terms.not(e);
            let of_not = ec(space, asker, &predicates, not);
            let not_covered = space.encoder.terms.not(covered);
            assert!(implies(space, asker, not_covered, of_not));
        }
        for (i, &e) in conditions.iter().enumerate() {
            for (j, &f) in conditions.iter().enumerate() {
                let (either, both) = (space.encoder.terms.or(&[e, f]), space.encoder.terms.and(&[e, f]));
                let either = ec(space, asker, &predicates, either);
                let joined = space.encoder.terms.or(&[covers[i], covers[j]]);
                assert!(implies(space, asker, either, joined) && implies(space, asker, joined, either));
                let both = ec(space, asker, &predicates, both);
                let met = space.encoder.terms.and(&[covers[i], covers[j]]);
                assert!(implies(space, asker, both, met));
                if implies(space, asker, e, f) {
                    assert!(implies(space, asker, covers[i], covers[j]));
                }
            }
        }
    });
}

fn ec(space: &mut Space<'_>, asker: &mut Asker<'_>, predicates: &[Term], condition: Term) -> Term {
    let mut cover = Cover::new(predicates).unwrap();
    cover.include(space, asker, condition).unwrap();
    cover.term(&mut space.encoder.terms)
}

/// Predicates that compare a variable with some numbers, at all cut points.
fn compared(space: &mut Space<'_>, name: &str, with: &[i128]) -> Vec<Predicates> {
    let variable = value(space, name);
    let terms = &mut space.encoder.terms;
    let mut fails = Vec::new();
    for &number in with {
        let number = terms.int(number);
        fails.push(terms.eq(variable, number));
    }
    vec![Predicates { fails, returns: Vec::new() }; space.cuts.len()]
}

#[test]
fn the_least_number_of_rounds_is_found() {
    // Into the loop, three rounds, and out of it.
    with(COUNTER, |space, asker| {
        let exact = compared(space, "x", &[0, 1, 2, 3]);
        let found = rounds(space, asker, &exact, true).unwrap();
        assert_eq!((found.reaches, found.history.len() - 1), (true, 4));
        let none = vec![Predicates::default(); space.cuts.len()];
        let found = rounds(space, asker, &none, true).unwrap();
        assert_eq!((found.reaches, found.history.len() - 1), (true, 2), "the cover adds shorter ways");
        for (k, fails) in [(2, false), (3, false), (4, true), (5, true)] {
            let mut layers = Layers::of(space, k);
            let errors = layers.errors(space);
            assert_eq!(asker.is_possible(&mut space.encoder, &[errors]).unwrap(), fails, "{k}");
        }
    });
}

#[test]
fn a_loop_without_end_leads_nowhere() {
    let text = "main() { x, y: int; while x = x do x := x + 1; assert y = 3 }";
    with(text, |space, asker| {
        let none = vec![Predicates::default(); space.cuts.len()];
        for sharp in [false, true] {
            let found = rounds(space, asker, &none, sharp).unwrap();
            assert!(!found.reaches, "{sharp}");
        }
        let longer = Layers::of(space, 3).longer(space);
        assert!(asker.is_possible(&mut space.encoder, &[longer]).unwrap(), "runs have no bound");
    });
}

#[test]
fn runs_that_are_bounded_are_known_to_be() {
    let text = "main() { x: int; x := 0; while x < 2 do x := x + 1; assert x = 2 }";
    with(text, |space, asker| {
        for (k, more) in [(1, true), (2, true), (3, false), (4, false)] {
            let longer = Layers::of(space, k).longer(space);
            assert_eq!(asker.is_possible(&mut space.encoder, &[longer]).unwrap(), more, "{k}");
        }
    });
}

/// §6: only targets of back edges of the call graph have summaries; every other procedure is looked through.
#[test]
fn recursive_procedures_are_units() {
    let text = "g: int := 0;
        even(n: int) { if n > 0 then odd(n - 1) }
        odd(n: int) { if n > 0 then even(n - 1) else { while g < n do g := g + 1 } }
        leaf() { while ? do g := g + 1 }
        main() { leaf(); even(5); leaf(); assert g >= 0 }";
    with(text, |space, _| {
        let name = |p| space.subject.program.procedures[p].name.clone();
        let units: Vec<String> = space.units.iter().map(|unit| name(unit.procedure)).collect();
        assert_eq!(units, ["$start", "even"]);
        let heads = space.cuts.iter().filter(|cut| !cut.is_entry);
        let mut heads: Vec<(String, usize)> = heads.map(|cut| (name(cut.procedure), cut.unit)).collect();
        heads.sort();
        // The loop in `leaf` is there for each of its calls.
        assert_eq!(heads, [("leaf".into(), 0), ("leaf".into(), 0), ("odd".into(), 1)]);
    });
}

/// §7: what references point to is read by cases (Morris), and the contents of variables are values.
#[test]
fn references_leave_no_arrays_behind() {
    let text = "store(ref f: int, ref g: int) { *f := 1; *g := 2; assert f = g || *f = 1 }
        main() { x, y: int; while ? do { store(x, y); store(y, y) }; assert x = 1 }";
    with(text, |space, _| {
        for segment in &space.segments {
            let mut all: Vec<Term> = segment.errors.clone();
            for arrival in &segment.arrivals {
                all.push(arrival.guard);
                all.extend(arrival.values.values());
            }
            let is_array = |t: Term| matches!(space.encoder.terms.sort(t), hardbop_logic::Sort::Array(..));
            assert!(!space.encoder.terms.subterms(&all).into_iter().any(is_array));
        }
    });
}
