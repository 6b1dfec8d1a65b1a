//! Operations on values that need more than a line: partial ones, floats, wide and mathematical
//! integers, conversions.

use super::code::{Scalar, Shape};
use super::float;
use crate::{BinaryOp, FloatKind, Undefined, number};

/// Why an operation has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stuck {
    Undefined(Undefined),
    /// A mathematical integer that does not fit 128 bits.
    TooLarge,
}

impl From<Undefined> for Stuck {
    fn from(undefined: Undefined) -> Self {
        Stuck::Undefined(undefined)
    }
}

/// Quotient, remainder and shifts of values in one slot.
#[inline]
pub(super) fn partial(op: BinaryOp, shape: Shape, a: u64, b: u64) -> Result<u64, Undefined> {
    match op {
        BinaryOp::Shl | BinaryOp::Shr => {
            // A negative amount is a huge one here.
            if b >= u64::from(shape.width()) {
                return Err(Undefined::ShiftOutOfRange);
            }
            Ok(match op {
                BinaryOp::Shl => shape.wrap(a << b),
                _ if shape.signed => (a.cast_signed() >> b).cast_unsigned(),
                _ => a >> b,
            })
        }
        _ if b == 0 => Err(Undefined::DivisionByZero),
        _ if shape.signed => {
            let (a, b) = (a.cast_signed(), b.cast_signed());
            if b == -1 && a == i64::MIN >> shape.unused {
                return Err(Undefined::DivisionOverflow);
            }
            Ok(if op == BinaryOp::Div { a / b } else { a % b }.cast_unsigned())
        }
        BinaryOp::Div => Ok(a / b),
        _ => Ok(a % b),
    }
}

/// The distance of two addresses in units of a size, rounded towards zero. Objects without a size
/// have no distance.
pub(super) fn distance(shape: Shape, a: u64, b: u64, size: u64) -> Result<u64, Undefined> {
    let bytes = i128::from(shape.wrap(a.wrapping_sub(b)).cast_signed());
    match size {
        0 => Err(Undefined::DivisionByZero),
        _ => Ok(shape.wrap((bytes / i128::from(size)) as u64)),
    }
}

/// An arithmetic or bitwise operator on values of two slots. The amount of a shift is a `u64`.
pub(super) fn wide(scalar: Scalar, op: BinaryOp, a: i128, b: i128) -> Result<i128, Stuck> {
    match scalar {
        Scalar::Integer => integer(op, a, b),
        Scalar::Wide { signed } => Ok(number::binary(op, 128, signed, a, b)?),
        _ => Ok(0),
    }
}

/// An operator on mathematical integers: division rounds towards −∞.
fn integer(op: BinaryOp, a: i128, b: i128) -> Result<i128, Stuck> {
    let value = match op {
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        _ if b == 0 => return Err(Undefined::DivisionByZero.into()),
        BinaryOp::Div => a.checked_div(b).map(|q| if a % b != 0 && (a < 0) != (b < 0) { q - 1 } else { q }),
        // What −∞-rounding leaves has the sign of the divisor.
        _ => a.checked_rem(b).or(Some(0)).map(|r| if r != 0 && (r < 0) != (b < 0) { r + b } else { r }),
    };
    value.ok_or(Stuck::TooLarge)
}

/// The negation of a value of two slots.
pub(super) fn wide_negation(scalar: Scalar, a: i128) -> Result<i128, Stuck> {
    match scalar {
        Scalar::Integer => a.checked_neg().ok_or(Stuck::TooLarge),
        _ => Ok(a.wrapping_neg()),
    }
}

/// Converts a value between scalar types. Integers come sign- or zero-extended, floats as bits.
pub(super) fn cast(from: Scalar, to: Scalar, value: i128) -> Result<i128, Stuck> {
    if let Scalar::Truth = to {
        return Ok(i128::from(match from {
            Scalar::Float(kind) => float::is_nonzero(kind, value as u128),
            _ => value != 0,
        }));
    }
    match (from, to) {
        (Scalar::Float(from), Scalar::Float(to)) => Ok(float::convert(from, to, value as u128) as i128),
        (Scalar::Float(kind), Scalar::Narrow(shape)) => {
            Ok(float::to_int(kind, value as u128, shape.width(), shape.signed)?)
        }
        (Scalar::Float(kind), Scalar::Wide { signed }) => {
            Ok(float::to_int(kind, value as u128, 128, signed)?)
        }
        (Scalar::Float(kind), _) => Ok(float::to_int(kind, value as u128, 128, true)?),
        (_, Scalar::Float(kind)) => Ok(float::from_int(kind, is_signed(from), value) as i128),
        (Scalar::Wide { signed: false }, Scalar::Integer) if value < 0 => Err(Stuck::TooLarge),
        _ => Ok(to.canonical(value as u128)),
    }
}

fn is_signed(scalar: Scalar) -> bool {
    match scalar {
        Scalar::Narrow(shape) => shape.signed,
        Scalar::Wide { signed } => signed,
        Scalar::Integer => true,
        Scalar::Truth | Scalar::Float(_) => false,
    }
}

/// Arithmetic on floats of one slot.
#[inline]
pub(super) fn narrow_float(kind: FloatKind, op: BinaryOp, a: u64, b: u64) -> u64 {
    if kind == FloatKind::F64 {
        float::arithmetic_f64(op, f64::from_bits(a), f64::from_bits(b)).to_bits()
    } else {
        float::arithmetic_f32(op, f32::from_bits(a as u32), f32::from_bits(b as u32)).to_bits().into()
    }
}

/// The low bits of `bytes` from bit `first` on, `width` of them, as a value of the scalar type.
pub(super) fn extract_bits(bytes: &[u8], first: u8, width: u8, scalar: Scalar) -> i128 {
    let mut low = 0u128;
    for (i, byte) in bytes.iter().take(16).enumerate() {
        low |= u128::from(*byte) << (8 * i);
    }
    let first = u32::from(first & 7);
    let mut value = low >> first;
    if let (Some(&last), 1..) = (bytes.get(16), first) {
        value |= u128::from(last) << (128 - first);
    }
    let signed = is_signed(scalar);
    let value = number::wrap(u16::from(width), signed, value as i128);
    if scalar == Scalar::Truth { i128::from(value != 0) } else { scalar.canonical(value as u128) }
}

/// Puts the low `width` bits of a value into `bytes` from bit `first` on.
pub(super) fn insert_bits(bytes: &mut [u8], first: u8, width: u8, value: u128) {
    for (i, byte) in bytes.iter_mut().enumerate() {
        let mask = bit_mask(i, first, width);
        // The value's bits that belong into this byte.
        let start = 8 * i as i32 - i32::from(first);
        let part = if start < 0 { value << -start } else { value.checked_shr(start as u32).unwrap_or(0) };
        *byte = *byte & !mask | part as u8 & mask;
    }
}

/// Which bits of byte `index` belong to the bit-field.
pub(super) fn bit_mask(index: usize, first: u8, width: u8) -> u8 {
    let low = (i32::from(first) - 8 * index as i32).clamp(0, 8);
    let high = (i32::from(first) + i32::from(width) - 8 * index as i32).clamp(0, 8);
    (((1u16 << high) - 1) & !((1u16 << low) - 1)) as u8
}

/// The number of bytes that a bit-field touches.
pub(super) fn bit_field_bytes(first: u8, width: u8) -> usize {
    (usize::from(first) + usize::from(width)).div_ceil(8).clamp(1, 17)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrow(width: u16, signed: bool) -> Shape {
        Shape { unused: 64 - width as u8, signed }
    }

    #[test]
    fn partial_operations_agree_with_the_reference() {
        let interesting = [0, 1, 2, 3, 7, 8, 31, 32, 63, 64, 127, 128, 255, -1, -2, -128, i64::MIN, i64::MAX];
        for width in [8, 16, 32, 64] {
            for signed in [false, true] {
                let shape = narrow(width, signed);
                for a in interesting {
                    for b in interesting {
                        let (a, b) = (shape.wrap(a.cast_unsigned()), shape.wrap(b.cast_unsigned()));
                        let wide = |v: u64| if signed { i128::from(v.cast_signed()) } else { i128::from(v) };
                        for op in [BinaryOp::Div, BinaryOp::Rem, BinaryOp::Shl, BinaryOp::Shr] {
                            let expected =
                                number::binary(op, width, signed, wide(a), wide(b)).map(|v| v as u64);
                            assert_eq!(
                                partial(op, shape, a, b),
                                expected,
                                "{a} {op:?} {b} at {width} {signed}"
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn integers_divide_downwards() {
        for a in -7..=7i128 {
            for b in [-3, -2, -1, 1, 2, 3i128] {
                let q = integer(BinaryOp::Div, a, b).unwrap();
                let r = integer(BinaryOp::Rem, a, b).unwrap();
                assert_eq!(q * b + r, a);
                assert!(r == 0 || (r < 0) == (b < 0), "{a} {b} {r}");
                assert_eq!(q, (a as f64 / b as f64).floor() as i128);
            }
        }
        assert_eq!(integer(BinaryOp::Mul, i128::MAX, 2), Err(Stuck::TooLarge));
        assert_eq!(integer(BinaryOp::Div, i128::MIN, -1), Err(Stuck::TooLarge));
        assert_eq!(integer(BinaryOp::Rem, i128::MIN, -1), Ok(0));
        assert_eq!(integer(BinaryOp::Div, 1, 0), Err(Undefined::DivisionByZero.into()));
    }

    /// Bit-fields against a reference that moves single bits.
    #[test]
    fn bit_fields_agree_with_single_bits() {
        for first in 0..8u8 {
            for width in 1..=128u8 {
                let length = bit_field_bytes(first, width);
                let mut bytes: Vec<u8> = (0..length as u8).map(|i| i.wrapping_mul(91) ^ 0x5a).collect();
                let bit = |bytes: &[u8], n: u32| bytes[n as usize / 8] >> (n % 8) & 1;
                let reference = |bytes: &[u8]| {
                    let bits =
                        (0..u32::from(width)).map(|n| u128::from(bit(bytes, u32::from(first) + n)) << n);
                    bits.fold(0u128, |all, b| all | b)
                };
                let unsigned = Scalar::Wide { signed: false };
                assert_eq!(extract_bits(&bytes, first, width, unsigned) as u128, reference(&bytes));
                let signed = extract_bits(&bytes, first, width, Scalar::Wide { signed: true });
                assert_eq!(signed, number::wrap(width.into(), true, reference(&bytes) as i128));

                let before = bytes.clone();
                let value = 0x0123_4567_89ab_cdef_fedc_ba98_7654_3210u128.rotate_left(width.into());
                insert_bits(&mut bytes, first, width, value);
                assert_eq!(reference(&bytes), value & (u128::MAX >> (128 - u32::from(width))));
                for n in 0..8 * length as u32 {
                    let inside = (u32::from(first)..u32::from(first) + u32::from(width)).contains(&n);
                    assert!(inside || bit(&bytes, n) == bit(&before, n), "bit {n} of {first} {width}");
                }
            }
        }
    }

    #[test]
    fn distances_round_towards_zero() {
        let shape = narrow(32, true);
        assert_eq!(distance(shape, 0x1000, 0x1007, 4), Ok((-1i64).cast_unsigned()));
        assert_eq!(distance(shape, 0x1007, 0x1000, 4), Ok(1));
        assert_eq!(distance(shape, 1, 0, 0), Err(Undefined::DivisionByZero));
    }
}
