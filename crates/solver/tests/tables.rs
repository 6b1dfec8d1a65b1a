//! Reads of arrays that were written at offsets of few objects, as programs do: the backends against each other and
//! against models.

use hardbop_base::Budget;
use hardbop_logic::{Scalar, Sort, Term, Terms, Value};
use hardbop_solver::{Answer, Blaster, Limits, Solver, Z3};
use hardbop_testkit::Rng;

/// The symbols of a formula: two objects, two numbers of few bits, and a truth value.
struct Symbols {
    width: u32,
    objects: [Term; 2],
    numbers: [Term; 2],
    truth: Term,
}

impl Symbols {
    fn new(terms: &mut Terms, rng: &mut Rng, width: u32) -> Self {
        let few = 1 + rng.below(3.min(width as usize - 1)) as u32;
        let objects = ["p", "q"].map(|name| terms.symbol(name, Sort::BitVec(width)));
        let numbers = ["i", "j"].map(|name| terms.symbol(name, Sort::BitVec(few)));
        Symbols { width, objects, numbers, truth: terms.symbol("c", Sort::Bool) }
    }

    /// An object, or one of several.
    fn base(&self, terms: &mut Terms, rng: &mut Rng) -> Term {
        let [p, q] = self.objects;
        match rng.below(8) {
            0 => q,
            1 => terms.ite(self.truth, p, q),
            2 => {
                let (next, zero) = (self.moved(terms, rng, q), terms.bv(0, self.width));
                let below = terms.ite(self.truth, next, zero);
                let first = terms.eq(p, q);
                terms.ite(first, p, below)
            }
            3 => terms.bv(rng.below(8) as u128, self.width),
            _ => p,
        }
    }

    /// An address with a small constant added.
    fn moved(&self, terms: &mut Terms, rng: &mut Rng, address: Term) -> Term {
        let offset = (rng.below(10) as u128).wrapping_sub(1) & (u128::MAX >> (128 - self.width));
        let offset = terms.bv(offset, self.width);
        terms.bv_add(address, offset)
    }

    fn address(&self, terms: &mut Terms, rng: &mut Rng, unknown: usize) -> Term {
        let mut address = self.base(terms, rng);
        if rng.one_in(unknown) {
            let number = self.numbers[rng.below(2)];
            let number = match rng.one_in(2) {
                true => terms.zero_extend(self.width, number),
                false => terms.sign_extend(self.width, number),
            };
            let size = [1u128, 2, 3, 6, u128::MAX][rng.below(5)] & (u128::MAX >> (128 - self.width));
            let size = terms.bv(size, self.width);
            let distance = terms.bv_mul(number, size);
            address = terms.bv_add(address, distance);
        }
        self.moved(terms, rng, address)
    }
}

/// A few facts about what is read.
fn formula(terms: &mut Terms, rng: &mut Rng, width: u32) -> Vec<Term> {
    let symbols = Symbols::new(terms, rng, width);
    let element = Sort::BitVec(3);
    let (zero, zero_address) = (terms.bv(0, 3), terms.bv(0, width));
    let mut array = match rng.one_in(2) {
        true => terms.constant_array(Scalar::BitVec(width), zero),
        false => terms.symbol("memory", Sort::Array(Scalar::BitVec(width), Scalar::BitVec(3))),
    };
    let mut facts = Vec::new();
    let mut read = Vec::new();
    for step in 0..4 + rng.below(14) {
        let at = symbols.address(terms, rng, 6);
        let value = match rng.below(6) {
            0 => terms.symbol(&format!("v{step}"), element),
            value => terms.bv(value as u128, 3),
        };
        let written = terms.store(array, at, value);
        array = if rng.one_in(8) { terms.ite(symbols.truth, written, array) } else { written };
        if rng.one_in(4) {
            let at = symbols.address(terms, rng, 2);
            read.push(terms.select(array, at));
        }
    }
    for _ in 0..3 {
        let at = symbols.address(terms, rng, 2);
        read.push(terms.select(array, at));
    }
    for _ in 0..3 {
        let (a, b) = (read[rng.below(read.len())], read[rng.below(read.len())]);
        let number = terms.bv(rng.below(7) as u128, 3);
        let fact = if rng.one_in(2) { terms.eq(a, b) } else { terms.eq(a, number) };
        facts.push(if rng.one_in(2) { terms.not(fact) } else { fact });
    }
    if rng.one_in(2) {
        // Objects that lie apart.
        let distance = terms.bv_sub(symbols.objects[0], symbols.objects[1]);
        let size = terms.bv(2, width);
        let beyond = terms.bv_sub(distance, size);
        let most = terms.bv_neg(size);
        let most = terms.bv_sub(most, size);
        facts.push(terms.bv_ule(beyond, most));
    }
    if rng.one_in(2) {
        // Any bound on any distance.
        let (a, b) = (symbols.address(terms, rng, 3), symbols.address(terms, rng, 3));
        let (distance, bound) = (terms.bv_sub(a, b), symbols.moved(terms, rng, zero_address));
        let fact = if rng.one_in(2) { terms.bv_ule(distance, bound) } else { terms.bv_ule(bound, distance) };
        facts.push(if rng.one_in(3) { terms.not(fact) } else { fact });
    }
    facts
}

fn compare(width: u32, seeds: u64) {
    let (mut sat, mut unsat) = (0, 0);
    for seed in 0..seeds {
        let mut terms = Terms::new();
        let facts = formula(&mut terms, &mut Rng::new(seed), width);
        let budget = Budget::unlimited();
        let mut solvers: [Box<dyn Solver>; 2] = [Box::new(Z3::new(&budget)), Box::new(Blaster::new(&budget))];
        // Sums of wide words are hard where they are not taken apart.
        solvers[0].set_limits(Limits { work: Some(100_000), ..Limits::default() });
        let [first, second] = solvers.map(|mut solver| {
            // What is asserted for good may be used in another way than what is assumed.
            let (asserted, assumed) = facts.split_at(if seed % 2 == 0 { 0 } else { facts.len() });
            let is_level = seed % 4 == 3;
            if is_level {
                solver.push();
            }
            asserted.iter().for_each(|&fact| solver.assert(&terms, fact));
            let answer = solver.check(&terms, assumed);
            if answer == Answer::Sat {
                let model = solver.model(&terms);
                for &fact in &facts {
                    let value = terms.evaluate(fact, &model);
                    assert_eq!(value, Value::Bool(true), "{width}, seed {seed}: {}", solver.name());
                }
            }
            if is_level {
                // What was said of a level is no longer true behind it.
                solver.pop();
                let again = facts.get(..2).unwrap_or_default();
                let again = (solver.check(&terms, again), Blaster::new(&budget).check(&terms, again));
                if !matches!(again.0, Answer::Unknown(_)) {
                    assert_eq!(again.0, again.1, "{width}, seed {seed}: {} after a level", solver.name());
                }
            }
            answer
        });
        if matches!(first, Answer::Unknown(_)) {
            continue;
        }
        assert_eq!(first, second, "{width}, seed {seed}");
        sat += u64::from(first == Answer::Sat);
        unsat += u64::from(first == Answer::Unsat);
    }
    assert!(sat > seeds / 10 && unsat > seeds / 10, "{sat} and {unsat} are no mixture");
}

#[test]
fn few_addresses() {
    compare(2, 100);
    compare(3, 200);
    compare(5, 200);
}

#[test]
fn many_addresses() {
    compare(8, 100);
    compare(32, 50);
}

#[test]
fn the_widest_addresses() {
    compare(64, 50);
    compare(128, 20);
}

/// A table of many entries, read at an unknown index, and behind a pointer to one of two tables.
#[test]
fn a_table_is_a_function_of_its_index() {
    let mut terms = Terms::new();
    let objects = ["t", "u"].map(|name| terms.symbol(name, Sort::BitVec(64)));
    let zero = terms.bv(0, 16);
    let mut memory = terms.constant_array(Scalar::BitVec(64), zero);
    for (object, factor) in objects.into_iter().zip([7, 11]) {
        for entry in 0..1000u128 {
            let (offset, value) = (terms.bv(12 * entry, 64), terms.bv(factor * entry, 16));
            let at = terms.bv_add(object, offset);
            memory = terms.store(memory, at, value);
        }
    }
    let (index, which) = (terms.symbol("i", Sort::BitVec(16)), terms.symbol("c", Sort::Bool));
    let distance = {
        let (wide, size) = (terms.zero_extend(64, index), terms.bv(12, 64));
        terms.bv_mul(wide, size)
    };
    let pointer = terms.ite(which, objects[0], objects[1]);
    let at = terms.bv_add(pointer, distance);
    let read = terms.select(memory, at);
    let expected = {
        let factors = [7, 11].map(|factor| terms.bv(factor, 16));
        let factor = terms.ite(which, factors[0], factors[1]);
        terms.bv_mul(index, factor)
    };
    let (inside, same) = {
        let count = terms.bv(1000, 16);
        (terms.bv_ult(index, count), terms.eq(read, expected))
    };
    let apart = {
        let (size, most) = (terms.bv(12000, 64), terms.bv(u128::from(u64::MAX) - 23_999, 64));
        let distance = terms.bv_sub(objects[0], objects[1]);
        let beyond = terms.bv_sub(distance, size);
        terms.bv_ule(beyond, most)
    };
    let differs = terms.not(same);
    let mut solver = Blaster::new(&Budget::unlimited());
    assert_eq!(solver.check(&terms, &[apart, inside, differs]), Answer::Unsat);
    assert_eq!(solver.check(&terms, &[apart, differs]), Answer::Sat);
    assert_eq!(solver.check(&terms, &[inside, same]), Answer::Sat);
}
