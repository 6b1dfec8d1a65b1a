//! Floating-point arithmetic on the bits of the three formats.
//!
//! binary32 and binary64 use the host's arithmetic, which is that of SSE; the x87 format goes
//! through `rustc_apfloat`. Everything rounds to nearest, ties to even. Each operation rounds to its
//! own type: the excess precision that gcc's `-m32` code may carry in x87 registers is not modelled
//! (gcc `-msse2 -mfpmath=sse` has none either).

use std::cmp::Ordering;

use rustc_apfloat::ieee::{Double, Single, X87DoubleExtended as Extended};
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::{BinaryOp, FloatKind, Undefined};

const SIGN: u128 = 1 << 79;
const INTEGER_BIT: u128 = 1 << 63;
const EXPONENT: u128 = 0x7fff << 64;
/// What the x87 unit yields for an invalid operation.
const INDEFINITE: u128 = SIGN | EXPONENT | (3 << 62);

/// The number of bits that count.
pub(super) fn width(kind: FloatKind) -> u16 {
    match kind {
        FloatKind::F32 => 32,
        FloatKind::F64 => 64,
        FloatKind::F80 => 80,
    }
}

fn f32_of(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

fn f64_of(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

/// The number with these bits. Encodings that the x87 unit rejects count as not-a-number.
fn extended(bits: u128) -> Extended {
    let exponent = bits & EXPONENT;
    let invalid = exponent != 0 && bits & INTEGER_BIT == 0;
    Extended::from_bits(if invalid { INDEFINITE } else { bits & ((1 << 80) - 1) })
}

/// The bits of a result; a not-a-number that no operand was is the x87 unit's own.
fn extended_bits(value: Extended, operands_nan: bool) -> u128 {
    if value.is_nan() && !operands_nan { INDEFINITE } else { value.to_bits() }
}

/// A double in another format.
pub(super) fn from_f64(kind: FloatKind, value: f64) -> u128 {
    convert(FloatKind::F64, kind, u128::from(value.to_bits()))
}

/// The same number in another format, rounded if need be.
pub(super) fn convert(from: FloatKind, to: FloatKind, bits: u128) -> u128 {
    let mut inexact = false;
    match (from, to) {
        (FloatKind::F32, FloatKind::F32)
        | (FloatKind::F64, FloatKind::F64)
        | (FloatKind::F80, FloatKind::F80) => bits,
        (FloatKind::F32, FloatKind::F64) => u128::from(f64::from(f32_of(bits)).to_bits()),
        (FloatKind::F64, FloatKind::F32) => u128::from((f64_of(bits) as f32).to_bits()),
        (FloatKind::F32, FloatKind::F80) => {
            let value: Extended = Single::from_bits(bits).convert(&mut inexact).value;
            value.to_bits()
        }
        (FloatKind::F64, FloatKind::F80) => {
            let value: Extended = Double::from_bits(bits).convert(&mut inexact).value;
            value.to_bits()
        }
        (FloatKind::F80, FloatKind::F32) => {
            let value: Single = extended(bits).convert(&mut inexact).value;
            value.to_bits()
        }
        (FloatKind::F80, FloatKind::F64) => {
            let value: Double = extended(bits).convert(&mut inexact).value;
            value.to_bits()
        }
    }
}

/// Sum, difference, product, quotient, or the remainder that C's `fmod` computes.
pub(super) fn arithmetic(kind: FloatKind, op: BinaryOp, a: u128, b: u128) -> u128 {
    match kind {
        FloatKind::F32 => u128::from(arithmetic_f32(op, f32_of(a), f32_of(b)).to_bits()),
        FloatKind::F64 => u128::from(arithmetic_f64(op, f64_of(a), f64_of(b)).to_bits()),
        FloatKind::F80 => {
            let (a, b) = (extended(a), extended(b));
            let value = match op {
                BinaryOp::Add => (a + b).value,
                BinaryOp::Sub => (a - b).value,
                BinaryOp::Mul => (a * b).value,
                BinaryOp::Div => (a / b).value,
                _ => a.c_fmod(b).value,
            };
            extended_bits(value, a.is_nan() || b.is_nan())
        }
    }
}

#[inline]
pub(super) fn arithmetic_f32(op: BinaryOp, a: f32, b: f32) -> f32 {
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        _ => a % b,
    }
}

#[inline]
pub(super) fn arithmetic_f64(op: BinaryOp, a: f64, b: f64) -> f64 {
    match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div => a / b,
        _ => a % b,
    }
}

/// Compares; not-a-number is unordered.
pub(super) fn compare(kind: FloatKind, op: BinaryOp, a: u128, b: u128) -> bool {
    let order = match kind {
        FloatKind::F32 => f32_of(a).partial_cmp(&f32_of(b)),
        FloatKind::F64 => f64_of(a).partial_cmp(&f64_of(b)),
        FloatKind::F80 => extended(a).partial_cmp(&extended(b)),
    };
    match op {
        BinaryOp::Eq => order == Some(Ordering::Equal),
        BinaryOp::Ne => order != Some(Ordering::Equal),
        BinaryOp::Lt => order == Some(Ordering::Less),
        _ => matches!(order, Some(Ordering::Less | Ordering::Equal)),
    }
}

/// The number with its sign turned.
pub(super) fn negate(kind: FloatKind, bits: u128) -> u128 {
    bits ^ (1 << (width(kind) - 1))
}

/// Whether the number is not zero (as not-a-number is not).
pub(super) fn is_nonzero(kind: FloatKind, bits: u128) -> bool {
    bits & ((1 << (width(kind) - 1)) - 1) != 0
}

/// An integer as a floating-point number, rounded once. An unsigned one comes as its bits.
pub(super) fn from_int(kind: FloatKind, signed: bool, value: i128) -> u128 {
    match (kind, signed) {
        (FloatKind::F32, true) => u128::from((value as f32).to_bits()),
        (FloatKind::F32, false) => u128::from((value as u128 as f32).to_bits()),
        (FloatKind::F64, true) => u128::from((value as f64).to_bits()),
        (FloatKind::F64, false) => u128::from((value as u128 as f64).to_bits()),
        (FloatKind::F80, true) => Extended::from_i128(value).value.to_bits(),
        (FloatKind::F80, false) => Extended::from_u128(value as u128).value.to_bits(),
    }
}

/// The integer part, if the type can hold it.
pub(super) fn to_int(kind: FloatKind, bits: u128, width: u16, signed: bool) -> Result<i128, Undefined> {
    let (negative, magnitude) = match kind {
        FloatKind::F32 => magnitude(f64::from(f32_of(bits))),
        FloatKind::F64 => magnitude(f64_of(bits)),
        FloatKind::F80 => {
            let value = extended(bits);
            let mut exact = false;
            let whole = value.abs().to_u128_r(128, Round::TowardZero, &mut exact);
            let fits = !value.is_nan() && !whole.status.contains(rustc_apfloat::Status::INVALID_OP);
            (value.is_negative(), fits.then_some(whole.value))
        }
    };
    let magnitude = magnitude.ok_or(Undefined::FloatConversion)?;
    let width = u32::from(width.clamp(1, 128));
    let largest = match (signed, negative) {
        (true, false) => (1u128 << (width - 1)) - 1,
        (true, true) => 1u128 << (width - 1),
        (false, false) => u128::MAX >> (128 - width),
        (false, true) => 0,
    };
    if magnitude > largest {
        return Err(Undefined::FloatConversion);
    }
    Ok(if negative { (magnitude as i128).wrapping_neg() } else { magnitude as i128 })
}

/// Sign and whole part of a number, if it has fewer than 129 bits.
fn magnitude(value: f64) -> (bool, Option<u128>) {
    let whole = value.abs().trunc();
    let fits = whole < 2f64.powi(128);
    (value.is_sign_negative(), fits.then_some(whole as u128))
}

/// A finite number as `mantissa * 2^exponent` without its sign; nothing for infinities and
/// not-a-number.
pub(super) fn decompose(kind: FloatKind, bits: u128) -> Option<(u64, i32)> {
    let bits = if kind == FloatKind::F80 { bits } else { convert(kind, FloatKind::F80, bits) };
    let exponent = ((bits & EXPONENT) >> 64) as i32;
    let mantissa = bits as u64;
    let valid = exponent != 0x7fff && (exponent == 0 || bits & INTEGER_BIT != 0);
    valid.then_some((mantissa, exponent.max(1) - 16383 - 63))
}

/// Whether the bits are those of an infinity.
pub(super) fn is_infinite(kind: FloatKind, bits: u128) -> bool {
    let bits = if kind == FloatKind::F80 { bits } else { convert(kind, FloatKind::F80, bits) };
    bits & (EXPONENT | u128::from(u64::MAX)) == EXPONENT | INTEGER_BIT
}

/// Whether the sign bit is set.
pub(super) fn is_negative(kind: FloatKind, bits: u128) -> bool {
    bits >> (width(kind) - 1) & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [f64; 24] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        0.1,
        1.0 / 3.0,
        127.9,
        128.0,
        -128.9,
        -129.0,
        255.5,
        256.0,
        2147483647.0,
        2147483648.0,
        -2147483648.9,
        9.3e18,
        1.9e19,
        1e30,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::INFINITY,
        f64::NAN,
    ];

    #[test]
    fn doubles_are_the_hosts() {
        for a in SAMPLES {
            for b in SAMPLES {
                let (x, y) = (u128::from(a.to_bits()), u128::from(b.to_bits()));
                for (op, expected) in [
                    (BinaryOp::Add, a + b),
                    (BinaryOp::Sub, a - b),
                    (BinaryOp::Mul, a * b),
                    (BinaryOp::Div, a / b),
                ] {
                    let got = f64_of(arithmetic(FloatKind::F64, op, x, y));
                    assert!(got == expected || got.is_nan() && expected.is_nan(), "{a} {op:?} {b}");
                }
                assert_eq!(compare(FloatKind::F64, BinaryOp::Lt, x, y), a < b);
                assert_eq!(compare(FloatKind::F64, BinaryOp::Le, x, y), a <= b);
                assert_eq!(compare(FloatKind::F64, BinaryOp::Eq, x, y), a == b);
                assert_eq!(compare(FloatKind::F64, BinaryOp::Ne, x, y), a != b);
            }
        }
    }

    #[test]
    fn singles_round_each_step() {
        for a in SAMPLES {
            for b in SAMPLES {
                let (a, b) = (a as f32, b as f32);
                let (x, y) = (u128::from(a.to_bits()), u128::from(b.to_bits()));
                let got = f32_of(arithmetic(FloatKind::F32, BinaryOp::Mul, x, y));
                assert!(got == a * b || got.is_nan() && (a * b).is_nan());
                // The double of a single is exact, and back.
                let wide = convert(FloatKind::F32, FloatKind::F80, x);
                let back = f32_of(convert(FloatKind::F80, FloatKind::F32, wide));
                assert!(back == a || back.is_nan() && a.is_nan());
            }
        }
    }

    #[test]
    fn extended_numbers_are_those_of_the_x87_unit() {
        let of = |value: f64| from_f64(FloatKind::F80, value);
        assert_eq!(of(1.0), 0x3fff_8000_0000_0000_0000);
        assert_eq!(of(-2.5), 0xc000_a000_0000_0000_0000);
        // (long double)1 / 3, as gcc computes it.
        assert_eq!(arithmetic(FloatKind::F80, BinaryOp::Div, of(1.0), of(3.0)), 0x3ffd_aaaa_aaaa_aaaa_aaab);
        // 2^63 + 1 fits 64 bits of mantissa but not 53.
        let big = from_int(FloatKind::F80, true, (1 << 63) + 1);
        assert_eq!(to_int(FloatKind::F80, big, 128, true), Ok((1 << 63) + 1));
        assert_eq!(arithmetic(FloatKind::F80, BinaryOp::Div, of(0.0), of(0.0)), INDEFINITE);
        assert_eq!(arithmetic(FloatKind::F80, BinaryOp::Rem, of(7.5), of(2.0)), of(1.5));
        assert!(compare(FloatKind::F80, BinaryOp::Lt, of(-1.0), of(0.5)));
        // An unnormal is no number.
        assert!(!compare(FloatKind::F80, BinaryOp::Eq, 0x3fff << 64, 0x3fff << 64));
    }

    #[test]
    fn truncation_is_partial() {
        for value in SAMPLES {
            let bits = u128::from(value.to_bits());
            for (width, signed, low, high) in [
                (8, true, -129.0, 128.0),
                (8, false, -1.0, 256.0),
                (32, true, -2147483649.0, 2147483648.0),
                (64, false, -1.0, 2f64.powi(64)),
                (64, true, -(2f64.powi(63)) * 1.000_000_000_000_001, 2f64.powi(63)),
            ] {
                let fits = value > low && value < high;
                let expected = if fits { Ok(value as i128) } else { Err(Undefined::FloatConversion) };
                assert_eq!(to_int(FloatKind::F64, bits, width, signed), expected, "{value} to {width}");
                let wide = convert(FloatKind::F64, FloatKind::F80, bits);
                assert_eq!(to_int(FloatKind::F80, wide, width, signed), expected, "{value} to {width}");
            }
        }
    }

    #[test]
    fn integers_round_once() {
        assert_eq!(from_int(FloatKind::F32, true, 16_777_217), u128::from(16_777_216f32.to_bits()));
        assert_eq!(
            from_int(FloatKind::F64, false, i128::from(u64::MAX)),
            u128::from((u64::MAX as f64).to_bits())
        );
        assert_eq!(from_int(FloatKind::F64, false, -1), u128::from((u128::MAX as f64).to_bits()));
        assert_eq!(from_int(FloatKind::F80, true, -3), from_f64(FloatKind::F80, -3.0));
    }

    #[test]
    fn decomposition_is_exact() {
        for value in SAMPLES {
            let bits = u128::from(value.to_bits());
            match decompose(FloatKind::F64, bits) {
                None => assert!(!value.is_finite()),
                Some((mantissa, exponent)) => {
                    // In two steps: the power alone may be out of range.
                    let half = exponent / 2;
                    let back = mantissa as f64 * 2f64.powi(half) * 2f64.powi(exponent - half);
                    assert_eq!(back, value.abs());
                }
            }
            assert_eq!(is_infinite(FloatKind::F64, bits), value.is_infinite());
            assert_eq!(is_negative(FloatKind::F64, bits), value.is_sign_negative());
        }
    }
}
