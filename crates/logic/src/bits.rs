//! Arithmetic of bit-vectors as SMT-LIB defines it, on `u128`; unused high bits are zero.

/// All ones.
pub fn mask(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

/// The value read as two's complement.
pub fn signed(value: u128, width: u32) -> i128 {
    let spare = 128 - width;
    ((value << spare) as i128) >> spare
}

/// The bits of a number.
pub fn wrap(value: i128, width: u32) -> u128 {
    value as u128 & mask(width)
}

/// The smallest number in two's complement.
pub fn signed_min(width: u32) -> u128 {
    1 << (width - 1)
}

/// The greatest number in two's complement.
pub fn signed_max(width: u32) -> u128 {
    mask(width) >> 1
}

/// The number that gives 0 when `a` is added.
pub fn neg(a: u128, width: u32) -> u128 {
    a.wrapping_neg() & mask(width)
}

/// The quotient of unsigned numbers; all ones if `b` is 0.
pub fn udiv(a: u128, b: u128, width: u32) -> u128 {
    a.checked_div(b).unwrap_or(mask(width))
}

/// The remainder of unsigned numbers; `a` if `b` is 0.
pub fn urem(a: u128, b: u128) -> u128 {
    a.checked_rem(b).unwrap_or(a)
}

/// The quotient in two's complement, rounded towards zero; of division by 0, what [`udiv`] of the magnitudes gives.
pub fn sdiv(a: u128, b: u128, width: u32) -> u128 {
    let quotient = udiv(magnitude(a, width), magnitude(b, width), width);
    if is_negative(a, width) == is_negative(b, width) { quotient } else { neg(quotient, width) }
}

/// The remainder in two's complement, with the sign of `a`; `a` if `b` is 0.
pub fn srem(a: u128, b: u128, width: u32) -> u128 {
    let remainder = urem(magnitude(a, width), magnitude(b, width));
    if is_negative(a, width) { neg(remainder, width) } else { remainder }
}

/// `a` shifted left by `b`; 0 if `b` is the width or more.
pub fn shl(a: u128, b: u128, width: u32) -> u128 {
    if b >= u128::from(width) { 0 } else { (a << b) & mask(width) }
}

/// `a` shifted right by `b`, filled with zeros; 0 if `b` is the width or more.
pub fn lshr(a: u128, b: u128, width: u32) -> u128 {
    if b >= u128::from(width) { 0 } else { a >> b }
}

/// `a` shifted right by `b`, filled with copies of the sign.
pub fn ashr(a: u128, b: u128, width: u32) -> u128 {
    wrap(signed(a, width) >> b.min(127), width)
}

/// The factor that turns an odd number into 1.
pub fn inverse(odd: u128, width: u32) -> u128 {
    // Each step of Newton's iteration doubles the number of right bits, of which an odd number is
    // its own inverse in three.
    let mut inverse = odd;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse & mask(width)
}

fn is_negative(a: u128, width: u32) -> bool {
    a >> (width - 1) & 1 == 1
}

fn magnitude(a: u128, width: u32) -> u128 {
    if is_negative(a, width) { neg(a, width) } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs of 4 bits, against the definitions in terms of integers.
    #[test]
    fn four_bits_exhaustively() {
        for a in 0..16u128 {
            for b in 0..16u128 {
                let (x, y) = (signed(a, 4), signed(b, 4));
                let (quotient, remainder) = (udiv(a, b, 4), urem(a, b));
                match b {
                    0 => assert_eq!((quotient, remainder), (15, a)),
                    _ => assert!(remainder < b && quotient * b + remainder == a),
                }
                let quotient = if y != 0 {
                    x / y
                } else if x < 0 {
                    1
                } else {
                    -1
                };
                assert_eq!(sdiv(a, b, 4), wrap(quotient, 4), "{x} / {y}");
                assert_eq!(srem(a, b, 4), wrap(if y == 0 { x } else { x % y }, 4), "{x} % {y}");
                assert_eq!(shl(a, b, 4), if b < 4 { a << b & 15 } else { 0 });
                assert_eq!(lshr(a, b, 4), if b < 4 { a >> b } else { 0 });
                assert_eq!(ashr(a, b, 4), wrap(x >> b.min(10), 4));
            }
        }
    }

    #[test]
    fn inverses() {
        for width in [1, 2, 3, 8, 31, 64, 127, 128] {
            for odd in [1u128, 3, 5, 0x8765_4321, u128::MAX, u128::MAX / 3] {
                let odd = odd & mask(width);
                assert_eq!(odd.wrapping_mul(inverse(odd, width)) & mask(width), 1, "{odd} of {width}");
            }
        }
    }
}
