//! IEEE arithmetic built out of bits: small formats on all operands against exact fractions, `float` and `double` against the
//! machine.

use std::cmp::Ordering;

use hardbop_logic::{FloatFormat, FloatOp, Model, Sort, Tape, Term, Terms, Value};
use hardbop_testkit::Rng;

const OPS: [FloatOp; 4] = [FloatOp::Add, FloatOp::Sub, FloatOp::Mul, FloatOp::Div];

/// What is not a number, in the reference.
const NAN: Option<u128> = None;

/// Terms with two operands as symbols.
struct Bench {
    terms: Terms,
    operands: Vec<Term>,
    model: Model,
}

impl Bench {
    fn new(widths: &[u32]) -> Self {
        let mut terms = Terms::new();
        let operands = widths
            .iter()
            .enumerate()
            .map(|(i, &width)| terms.symbol(&format!("x{i}"), Sort::BitVec(width)))
            .collect();
        Bench { terms, operands, model: Model::default() }
    }

    /// The bits of a result of which only this is known: it is not a number.
    fn nan(&mut self, format: FloatFormat) -> Term {
        let bits = ((1 << (format.exponent + 1)) - 1) << (format.fraction - 1);
        self.terms.bv(bits, format.width())
    }

    fn put(&mut self, values: &[u128]) {
        for (&operand, &value) in self.operands.iter().zip(values) {
            let Sort::BitVec(width) = self.terms.sort(operand) else { unreachable!("operands are bits") };
            self.model.values.insert(operand, Value::bv(value, width));
        }
    }

    fn run(&mut self, tape: &mut Tape, values: &[u128]) {
        self.put(values);
        tape.run(&self.terms, &self.model);
    }

    fn bits(&self, tape: &Tape, term: Term) -> u128 {
        let value = tape.value(&self.terms, term, &self.model).expect("no integers");
        value.as_bits().unwrap_or_else(|| value.as_bool().expect("a truth value").into())
    }
}

/// `numerator / denominator · 2^shift`, with `denominator` positive.
#[derive(Clone, Copy)]
struct Exact {
    numerator: i128,
    denominator: i128,
}

fn compare(a: Exact, b: Exact) -> Ordering {
    (a.numerator * b.denominator).cmp(&(b.numerator * a.denominator))
}

fn stored(format: FloatFormat, bits: u128) -> (bool, u128, u128) {
    let fraction = bits & ((1 << format.fraction) - 1);
    let exponent = bits >> format.fraction & ((1 << format.exponent) - 1);
    (bits >> (format.width() - 1) == 1, exponent, fraction)
}

fn is_nan(format: FloatFormat, bits: u128) -> bool {
    let (_, exponent, fraction) = stored(format, bits);
    exponent == (1 << format.exponent) - 1 && fraction != 0
}

fn is_infinite(format: FloatFormat, bits: u128) -> bool {
    let (_, exponent, fraction) = stored(format, bits);
    exponent == (1 << format.exponent) - 1 && fraction == 0
}

/// The value of finite bits; those of infinity stand for what comes behind the largest number.
fn value(format: FloatFormat, bits: u128) -> Exact {
    let (negative, exponent, fraction) = stored(format, bits);
    let bias = (1i32 << (format.exponent - 1)) - 1;
    let hidden = if exponent == 0 { 0 } else { 1 << format.fraction };
    let shift = exponent.max(1) as i32 - bias - format.fraction as i32;
    let significand = (hidden | fraction) as i128 * if negative { -1 } else { 1 };
    let power = 1i128 << shift.unsigned_abs();
    if shift < 0 {
        Exact { numerator: significand, denominator: power }
    } else {
        Exact { numerator: significand * power, denominator: 1 }
    }
}

/// The nearest number, by looking at all of them; of two, the one with an even last bit.
fn nearest(format: FloatFormat, exact: Exact, zero_sign: bool) -> u128 {
    let sign_bit = 1u128 << (format.width() - 1);
    let negative = exact.numerator < 0 || exact.numerator == 0 && zero_sign;
    let size = Exact { numerator: exact.numerator.abs(), ..exact };
    let infinity = ((1u128 << format.exponent) - 1) << format.fraction;
    let distance = |bits: u128| {
        let at = value(format, bits);
        let apart = at.numerator * size.denominator - size.numerator * at.denominator;
        Exact { numerator: apart.abs(), denominator: at.denominator * size.denominator }
    };
    let mut best = 0;
    for bits in 1..=infinity {
        let order = compare(distance(bits), distance(best));
        if order == Ordering::Less || order == Ordering::Equal && bits & 1 == 0 {
            best = bits;
        }
    }
    if negative { best | sign_bit } else { best }
}

fn reference(format: FloatFormat, op: FloatOp, a: u128, b: u128) -> Option<u128> {
    let sign_bit = 1u128 << (format.width() - 1);
    let b = if op == FloatOp::Sub { b ^ sign_bit } else { b };
    if is_nan(format, a) || is_nan(format, b) {
        return NAN;
    }
    let (negative, opposite) = (a & sign_bit != 0, (a ^ b) & sign_bit != 0);
    let sign = if opposite { sign_bit } else { 0 };
    let infinity = ((1u128 << format.exponent) - 1) << format.fraction;
    let (zero_a, zero_b) = (a & !sign_bit == 0, b & !sign_bit == 0);
    let (endless_a, endless_b) = (is_infinite(format, a), is_infinite(format, b));
    match op {
        FloatOp::Add | FloatOp::Sub => match (endless_a, endless_b) {
            (true, true) => (!opposite).then_some(a),
            (true, false) => Some(a),
            (false, true) => Some(b),
            (false, false) => {
                let (x, y) = (value(format, a), value(format, b));
                let numerator = x.numerator * y.denominator + y.numerator * x.denominator;
                let sum = Exact { numerator, denominator: x.denominator * y.denominator };
                Some(nearest(format, sum, negative && !opposite))
            }
        },
        FloatOp::Mul if endless_a || endless_b => (!zero_a && !zero_b).then_some(sign | infinity),
        FloatOp::Mul => {
            let (x, y) = (value(format, a), value(format, b));
            let product =
                Exact { numerator: x.numerator * y.numerator, denominator: x.denominator * y.denominator };
            Some(nearest(format, product, opposite))
        }
        FloatOp::Div if endless_a => (!endless_b).then_some(sign | infinity),
        FloatOp::Div if endless_b => Some(sign),
        FloatOp::Div if zero_b => (!zero_a).then_some(sign | infinity),
        FloatOp::Div => {
            let (x, y) = (value(format, a), value(format, b));
            let turn = if y.numerator < 0 { -1 } else { 1 };
            let quotient = Exact {
                numerator: x.numerator * y.denominator * turn,
                denominator: x.denominator * y.numerator * turn,
            };
            Some(nearest(format, quotient, opposite))
        }
    }
}

const SMALL: [FloatFormat; 4] = [
    FloatFormat { exponent: 3, fraction: 2 },
    FloatFormat { exponent: 3, fraction: 3 },
    FloatFormat { exponent: 2, fraction: 3 },
    FloatFormat { exponent: 4, fraction: 2 },
];

fn check_arithmetic(format: FloatFormat, got: u128, expected: Option<u128>, what: &str) {
    match expected {
        Some(bits) => assert_eq!(got, bits, "{what} of {format:?}: {got:b} instead of {bits:b}"),
        None => assert!(is_nan(format, got), "{what} of {format:?}: {got:b} is a number"),
    }
}

#[test]
fn small_formats_on_all_operands() {
    for format in SMALL {
        let width = format.width();
        let mut bench = Bench::new(&[width, width]);
        let (a, b, nan) = (bench.operands[0], bench.operands[1], bench.nan(format));
        let results = OPS.map(|op| bench.terms.float_arithmetic(format, op, a, b, nan));
        let comparisons = [
            bench.terms.float_eq(format, a, b),
            bench.terms.float_lt(format, a, b),
            bench.terms.float_le(format, a, b),
        ];
        let all: Vec<Term> = results.iter().chain(&comparisons).copied().collect();
        let mut tape = Tape::new(&bench.terms, &all);
        for x in 0..1u128 << width {
            for y in 0..1u128 << width {
                bench.run(&mut tape, &[x, y]);
                for (op, &term) in OPS.iter().zip(&results) {
                    let expected = reference(format, *op, x, y);
                    check_arithmetic(
                        format,
                        bench.bits(&tape, term),
                        expected,
                        &format!("{x:b} {op:?} {y:b}"),
                    );
                    // Constants fold completely, and to the same.
                    let (tx, ty) = (bench.terms.bv(x, width), bench.terms.bv(y, width));
                    let folded = bench.terms.float_arithmetic(format, *op, tx, ty, nan);
                    assert_eq!(
                        bench.terms.as_bits(folded),
                        Some(bench.bits(&tape, term)),
                        "{x:b} {op:?} {y:b}"
                    );
                }
                let order = if is_nan(format, x) || is_nan(format, y) {
                    None
                } else {
                    Some(compare(value(format, x), value(format, y)))
                };
                let expected = [
                    order == Some(Ordering::Equal),
                    order == Some(Ordering::Less),
                    matches!(order, Some(Ordering::Less | Ordering::Equal)),
                ];
                let got = comparisons.map(|term| bench.bits(&tape, term) == 1);
                assert_eq!(got, expected, "{x:b} and {y:b} of {format:?}");
            }
        }
    }
}

#[test]
fn small_formats_with_constants() {
    let format = SMALL[1];
    let width = format.width();
    for y in 0..1u128 << width {
        let mut bench = Bench::new(&[width]);
        let (a, nan) = (bench.operands[0], bench.nan(format));
        let b = bench.terms.bv(y, width);
        let results = OPS.map(|op| bench.terms.float_arithmetic(format, op, a, b, nan));
        let turned = OPS.map(|op| bench.terms.float_arithmetic(format, op, b, a, nan));
        let mut tape =
            Tape::new(&bench.terms, &results.iter().chain(&turned).copied().collect::<Vec<Term>>());
        for x in 0..1u128 << width {
            bench.run(&mut tape, &[x]);
            for (i, op) in OPS.iter().enumerate() {
                let (got, other) = (bench.bits(&tape, results[i]), bench.bits(&tape, turned[i]));
                check_arithmetic(format, got, reference(format, *op, x, y), &format!("{x:b} {op:?} {y:b}"));
                check_arithmetic(format, other, reference(format, *op, y, x), &format!("{y:b} {op:?} {x:b}"));
            }
        }
    }
}

#[test]
fn small_formats_from_and_to_whole_numbers() {
    for format in SMALL {
        for (bits, signed) in [(1, false), (3, true), (3, false), (9, true), (9, false)] {
            let mut bench = Bench::new(&[bits]);
            let from = bench.operands[0];
            let term = bench.terms.float_from_bits(format, signed, from);
            let mut tape = Tape::new(&bench.terms, &[term]);
            for x in 0..1u128 << bits {
                bench.run(&mut tape, &[x]);
                let number = if signed && x >> (bits - 1) == 1 { x as i128 - (1 << bits) } else { x as i128 };
                let expected = nearest(format, Exact { numerator: number, denominator: 1 }, false);
                check_arithmetic(format, bench.bits(&tape, term), Some(expected), &format!("{number}"));
            }
        }
        for (bits, signed) in [(1, false), (3, true), (3, false), (4, true), (9, true), (9, false)] {
            let width = format.width();
            let mut bench = Bench::new(&[width]);
            let from = bench.operands[0];
            let (whole, in_range) = bench.terms.float_to_bits(format, from, bits, signed);
            let mut tape = Tape::new(&bench.terms, &[whole, in_range]);
            for x in 0..1u128 << width {
                bench.run(&mut tape, &[x]);
                let (low, high) = if signed {
                    (-(1i128 << (bits - 1)), (1 << (bits - 1)) - 1)
                } else {
                    (0, (1 << bits) - 1)
                };
                let finite = !is_nan(format, x) && !is_infinite(format, x);
                let Exact { numerator, denominator } = value(format, x);
                let number = numerator / denominator;
                let fits = finite && (low..=high).contains(&number);
                assert_eq!(bench.bits(&tape, in_range) == 1, fits, "{x:b} of {format:?} to {bits} {signed}");
                if fits {
                    let expected = number.cast_unsigned() & ((1 << bits) - 1);
                    assert_eq!(bench.bits(&tape, whole), expected, "{x:b} of {format:?} to {bits} {signed}");
                }
            }
        }
    }
}

#[test]
fn small_formats_from_one_to_another() {
    let formats = SMALL.into_iter().chain([
        FloatFormat { exponent: 5, fraction: 4 },
        FloatFormat { exponent: 2, fraction: 6 },
        FloatFormat { exponent: 5, fraction: 2 },
    ]);
    for from in formats.clone() {
        for to in formats.clone() {
            let mut bench = Bench::new(&[from.width()]);
            let (a, nan) = (bench.operands[0], bench.nan(to));
            let term = bench.terms.float_convert(from, to, a, nan);
            let mut tape = Tape::new(&bench.terms, &[term]);
            for x in 0..1u128 << from.width() {
                bench.run(&mut tape, &[x]);
                let negative = x >> (from.width() - 1) == 1;
                let infinity = ((1u128 << to.exponent) - 1) << to.fraction;
                let expected = if is_nan(from, x) {
                    NAN
                } else if is_infinite(from, x) {
                    Some(infinity | if negative { 1 << (to.width() - 1) } else { 0 })
                } else {
                    Some(nearest(to, value(from, x), negative))
                };
                check_arithmetic(to, bench.bits(&tape, term), expected, &format!("{x:b} from {from:?}"));
            }
        }
    }
}

/// Bits that are likely to meet borders: special ones, near others, few or many bits set, exponents alike.
fn interesting(rng: &mut Rng, format: FloatFormat, near: u128) -> u128 {
    let mask = (1u128 << format.width()) - 1;
    let infinity = ((1u128 << format.exponent) - 1) << format.fraction;
    let random = u128::from(rng.next_u64()) & mask;
    let sign = random & 1 << (format.width() - 1);
    let bits = match rng.below(10) {
        0 => [0, 1, infinity, infinity - 1, infinity + 1, 1 << format.fraction, (1 << format.fraction) - 1]
            [rng.below(7)],
        1 => random & ((1 << format.fraction) - 1),
        2 => random & (infinity | random >> 7 & 0xff),
        3 => near ^ (random & 0xff),
        4 => near ^ 1 << rng.below(format.width() as usize),
        5 => near & infinity | random & ((1 << format.fraction) - 1),
        // An exponent near the one that makes the product leave the normal numbers.
        6 => {
            let middle = (1u128 << (format.exponent - 1)) - 1;
            let other = near >> format.fraction & ((1 << format.exponent) - 1);
            let exponent =
                (middle + rng.below(60) as u128).saturating_sub(other) & ((1 << format.exponent) - 1);
            exponent << format.fraction | random & ((1 << format.fraction) - 1)
        }
        7 => {
            let middle = ((1u128 << (format.exponent - 1)) - 1 + rng.below(70) as u128) << format.fraction;
            middle
                | random & (u128::MAX << rng.below(format.fraction as usize)) & ((1 << format.fraction) - 1)
        }
        _ => random,
    };
    (bits | sign) & mask
}

fn rounds() -> usize {
    let times = std::env::var("HARDBOP_RANDOM").ok().and_then(|times| times.parse().ok()).unwrap_or(1);
    4_000 * times
}

macro_rules! against_the_machine {
    ($name:ident, $format:expr, $float:ty, $bits:ty, $other:ty, $other_format:expr) => {
        #[test]
        fn $name() {
            let format = $format;
            let width = format.width();
            let mut bench = Bench::new(&[width, width]);
            let (a, b, nan) = (bench.operands[0], bench.operands[1], bench.nan(format));
            let other_nan = bench.nan($other_format);
            let terms = &mut bench.terms;
            let results = OPS.map(|op| terms.float_arithmetic(format, op, a, b, nan));
            let square = terms.float_arithmetic(format, FloatOp::Mul, a, a, nan);
            let comparisons =
                [terms.float_eq(format, a, b), terms.float_lt(format, a, b), terms.float_le(format, a, b)];
            let converted = terms.float_convert(format, $other_format, a, other_nan);
            let (int, int_fits) = terms.float_to_bits(format, a, 32, true);
            let (long, long_fits) = terms.float_to_bits(format, a, 64, false);
            let roots: Vec<Term> = results
                .into_iter()
                .chain(comparisons)
                .chain([square, converted, int, int_fits, long, long_fits])
                .collect();
            let mut tape = Tape::new(&bench.terms, &roots);
            let mut rng = Rng::new(width.into());
            for _ in 0..rounds() {
                let near = interesting(&mut rng, format, 0);
                let other = interesting(&mut rng, format, near);
                bench.run(&mut tape, &[near, other]);
                let (x, y) = (<$float>::from_bits(near as $bits), <$float>::from_bits(other as $bits));
                let what = format!("{x:e} and {y:e} ({near:#x}, {other:#x})");
                let outcome = |value: $float| (!value.is_nan()).then(|| u128::from(value.to_bits()));
                for (expected, term) in [x + y, x - y, x * y, x / y].into_iter().zip(results) {
                    check_arithmetic(format, bench.bits(&tape, term), outcome(expected), &what);
                }
                check_arithmetic(format, bench.bits(&tape, square), outcome(x * x), &what);
                let got = comparisons.map(|term| bench.bits(&tape, term) == 1);
                assert_eq!(got, [x == y, x < y, x <= y], "{what}");
                let other = x as $other;
                let expected = (!other.is_nan()).then(|| u128::from(other.to_bits()));
                check_arithmetic($other_format, bench.bits(&tape, converted), expected, &what);
                let wide = f64::from(x);
                let fits = wide > -2147483649.0 && wide < 2147483648.0;
                assert_eq!(bench.bits(&tape, int_fits) == 1, fits, "{what}");
                if fits {
                    assert_eq!(bench.bits(&tape, int), u128::from((x as i32).cast_unsigned()), "{what}");
                }
                let fits = wide > -1.0 && wide < 18446744073709551616.0;
                assert_eq!(bench.bits(&tape, long_fits) == 1, fits, "{what}");
                if fits {
                    assert_eq!(bench.bits(&tape, long), u128::from(x as u64), "{what}");
                }
            }
        }
    };
}

against_the_machine!(singles_are_the_machines, FloatFormat::BINARY32, f32, u32, f64, FloatFormat::BINARY64);
against_the_machine!(doubles_are_the_machines, FloatFormat::BINARY64, f64, u64, f32, FloatFormat::BINARY32);

#[test]
fn whole_numbers_round_as_the_machine_rounds_them() {
    let mut bench = Bench::new(&[128]);
    let x = bench.operands[0];
    let mut cases = Vec::new();
    for width in [8u32, 16, 31, 32, 64, 128] {
        for signed in [false, true] {
            for format in [FloatFormat::BINARY32, FloatFormat::BINARY64] {
                let number = bench.terms.extract(width - 1, 0, x);
                let term = bench.terms.float_from_bits(format, signed, number);
                cases.push((width, signed, format, term));
            }
        }
    }
    let roots: Vec<Term> = cases.iter().map(|case| case.3).collect();
    let mut tape = Tape::new(&bench.terms, &roots);
    let mut rng = Rng::new(7);
    for _ in 0..rounds() {
        let random = u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64());
        let mut bits = random >> rng.below(128) << rng.below(128);
        // Near the middle between two numbers.
        if rng.one_in(2) {
            bits = bits.wrapping_add(1 << rng.below(128)).wrapping_sub(rng.below(3) as u128);
        }
        bench.run(&mut tape, &[bits]);
        for &(width, signed, format, term) in &cases {
            let cut = bits << (128 - width) >> (128 - width);
            let number = (bits << (128 - width)).cast_signed() >> (128 - width);
            let expected: u128 = match (format, signed) {
                (FloatFormat::BINARY32, true) => (number as f32).to_bits().into(),
                (FloatFormat::BINARY32, false) => (cut as f32).to_bits().into(),
                (_, true) => (number as f64).to_bits().into(),
                (_, false) => (cut as f64).to_bits().into(),
            };
            assert_eq!(bench.bits(&tape, term), expected, "{cut:#x} of {width} bits {signed} {format:?}");
        }
    }
}

#[test]
fn constants_are_computed_at_once() {
    let mut terms = Terms::new();
    let nan = terms.symbol("nan", Sort::BitVec(64));
    let of = |terms: &mut Terms, value: f64| terms.bv(value.to_bits().into(), 64);
    let (third, zero) = (of(&mut terms, 1.0 / 3.0), of(&mut terms, 0.0));
    let square = terms.float_arithmetic(FloatFormat::BINARY64, FloatOp::Mul, third, third, nan);
    assert_eq!(terms.as_bits(square), Some((1.0f64 / 3.0 * (1.0 / 3.0)).to_bits().into()));
    // What bits it has that no number is, the caller says.
    assert_eq!(terms.float_arithmetic(FloatFormat::BINARY64, FloatOp::Div, zero, zero, nan), nan);
    let quiet = terms.float_quiet_nan(FloatFormat::BINARY64, nan);
    let is_number = terms.float_eq(FloatFormat::BINARY64, quiet, quiet);
    let mut model = Model::default();
    for bits in [0, u128::from(u64::MAX)] {
        model.values.insert(nan, Value::bv(bits, 64));
        assert_eq!(terms.evaluate(is_number, &model), Value::Bool(false));
    }
}
