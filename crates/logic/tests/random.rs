//! The simplifier against the meaning of what it simplifies, on random formulas.

use hardbop_logic::{Sort, Tape, Terms};
use hardbop_testkit::Rng;
use hardbop_testkit::formula::{Recipe, Shape};
use rustc_hash::FxHashMap;

fn shapes() -> Vec<Shape> {
    let shape = |steps, widths: &[u32], arrays, integers| Shape {
        steps,
        widths: widths.to_vec(),
        arrays,
        integers,
        array_equalities: true,
        products: true,
    };
    vec![
        shape(30, &[], false, false),
        shape(40, &[1, 2, 3], false, false),
        shape(60, &[8, 16, 24, 32], false, false),
        shape(60, &[32, 64, 128], false, false),
        shape(60, &[1, 7, 31, 33, 64, 65, 127], false, false),
        shape(60, &[2, 8], true, false),
        shape(60, &[8, 64], true, false),
        shape(40, &[], false, true),
        shape(60, &[4], true, true),
    ]
}

#[test]
fn simplification_keeps_the_meaning() {
    let mut compared = 0;
    for (number, shape) in shapes().iter().enumerate() {
        for seed in 0..1500 {
            let mut rng = Rng::new(seed * 100 + number as u64);
            let recipe = Recipe::random(&mut rng, shape);
            let mut terms = Terms::new();
            let cooked = recipe.cook(&mut terms);
            for _ in 0..6 {
                let model = recipe.random_model(&mut rng, &mut terms);
                let Some(values) = recipe.evaluate(&mut terms, &model) else { continue };
                for (step, (&term, value)) in cooked.iter().zip(&values).enumerate() {
                    if matches!(terms.sort(term), Sort::Array(..)) {
                        continue;
                    }
                    let found = terms.try_evaluate(term, &model);
                    assert!(
                        found.as_ref() == Some(value),
                        "shape {number}, seed {seed}, step {step}: {found:?}"
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 1_000_000, "only {compared} values were compared");
}

/// A tape has the values of its terms in one model after the other, arrays included.
#[test]
fn tapes_play_what_terms_mean() {
    for (number, shape) in shapes().iter().enumerate() {
        for seed in 0..200 {
            let mut rng = Rng::new(seed * 100 + number as u64 + 25);
            let recipe = Recipe::random(&mut rng, shape);
            let mut terms = Terms::new();
            let cooked = recipe.cook(&mut terms);
            let (half, _) = cooked.split_at(cooked.len() / 2);
            let mut tape = Tape::new(&terms, half);
            for _ in 0..4 {
                let model = recipe.random_model(&mut rng, &mut terms);
                tape.run(&terms, &model);
                for &term in half {
                    let (played, meant) =
                        (tape.value(&terms, term, &model), terms.try_evaluate(term, &model));
                    assert_eq!(played, meant, "shape {number}, seed {seed}");
                }
            }
        }
    }
}

/// Substituting symbols by terms is evaluating in another model.
#[test]
fn substitution_keeps_the_meaning() {
    for (number, shape) in shapes().iter().enumerate() {
        for seed in 0..300 {
            let mut rng = Rng::new(seed * 100 + number as u64 + 50);
            let recipe = Recipe::random(&mut rng, shape);
            let mut terms = Terms::new();
            let cooked = recipe.cook(&mut terms);
            let symbols = terms.symbols_of(&cooked);
            let mut map = FxHashMap::default();
            for &symbol in &symbols {
                let same_sort: Vec<_> =
                    cooked.iter().copied().filter(|&t| terms.sort(t) == terms.sort(symbol)).collect();
                map.insert(symbol, *rng.pick(&same_sort).unwrap());
            }
            let model = recipe.random_model(&mut rng, &mut terms);
            let mut shifted = model.clone();
            let values: Option<Vec<_>> =
                symbols.iter().map(|symbol| terms.try_evaluate(map[symbol], &model)).collect();
            let Some(values) = values else { continue };
            shifted.values.extend(symbols.iter().copied().zip(values));
            for &term in &cooked {
                let substituted = terms.substitute(term, &map);
                let (found, expected) =
                    (terms.try_evaluate(substituted, &model), terms.try_evaluate(term, &shifted));
                if let (Some(found), Some(expected)) = (found, expected)
                    && !matches!(terms.sort(term), Sort::Array(..))
                {
                    assert_eq!(found, expected, "shape {number}, seed {seed}");
                }
            }
        }
    }
}
