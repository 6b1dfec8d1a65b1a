//! Arithmetic on machine integers, held as `i128`: sign-extended where the type is signed,
//! zero-extended where it is not (an unsigned 128-bit value is kept as the same bits).
//!
//! What C leaves open is fixed here as the design says: overflow wraps; division by zero,
//! `INT_MIN / -1` and shifts by the width or more are [`Undefined`] and end the run.

use std::fmt;

use crate::BinaryOp;

/// An operation without a result: a run that performs it ends there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Undefined {
    /// Division or remainder by zero.
    DivisionByZero,
    /// The quotient does not fit: the least value divided by −1.
    DivisionOverflow,
    /// A shift by a negative amount, or by the width or more.
    ShiftOutOfRange,
    /// A floating-point value whose integer part does not fit the integer type.
    FloatConversion,
}

impl fmt::Display for Undefined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Undefined::DivisionByZero => "division by zero",
            Undefined::DivisionOverflow => "the quotient does not fit its type",
            Undefined::ShiftOutOfRange => "shift by a negative amount, or by the width or more",
            Undefined::FloatConversion => "the floating-point value does not fit the integer type",
        })
    }
}

/// The value of the type with this width and sign that has the same low bits.
pub fn wrap(width: u16, signed: bool, value: i128) -> i128 {
    let unused = 128 - u32::from(width.clamp(1, 128));
    if signed { (value << unused) >> unused } else { ((value as u128) << unused >> unused) as i128 }
}

/// Applies an arithmetic or bitwise operator to two values of one machine type; for shifts, the
/// second may be of any machine type and comes as its mathematical value.
pub(crate) fn binary(op: BinaryOp, width: u16, signed: bool, a: i128, b: i128) -> Result<i128, Undefined> {
    let value = match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Sub => a.wrapping_sub(b),
        BinaryOp::Mul => a.wrapping_mul(b),
        BinaryOp::Div | BinaryOp::Rem => return divide(op, width, signed, a, b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Shl | BinaryOp::Shr => {
            let amount =
                u32::try_from(b).ok().filter(|&n| n < u32::from(width)).ok_or(Undefined::ShiftOutOfRange)?;
            match op {
                BinaryOp::Shl => a << amount,
                _ if signed => a >> amount,
                _ => (a as u128 >> amount) as i128,
            }
        }
        BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le => {
            unreachable!("comparisons go through compare")
        }
        BinaryOp::PointerAdd | BinaryOp::PointerDiff => unreachable!("pointers are not machine integers"),
    };
    Ok(wrap(width, signed, value))
}

fn divide(op: BinaryOp, width: u16, signed: bool, a: i128, b: i128) -> Result<i128, Undefined> {
    if b == 0 {
        return Err(Undefined::DivisionByZero);
    }
    let least = wrap(width, true, 1i128 << (width - 1));
    if signed && b == -1 && a == least {
        return Err(Undefined::DivisionOverflow);
    }
    Ok(match (op, signed) {
        (BinaryOp::Div, true) => a / b,
        (BinaryOp::Div, false) => (a as u128 / b as u128) as i128,
        (_, true) => a % b,
        (_, false) => (a as u128 % b as u128) as i128,
    })
}

/// Compares two values of one type; unsigned values are compared as such.
pub(crate) fn compare(op: BinaryOp, signed: bool, a: i128, b: i128) -> bool {
    match op {
        BinaryOp::Eq => a == b,
        BinaryOp::Ne => a != b,
        BinaryOp::Lt if signed => a < b,
        BinaryOp::Lt => (a as u128) < b as u128,
        BinaryOp::Le if signed => a <= b,
        _ => a as u128 <= b as u128,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wraps_to_width() {
        assert_eq!(wrap(8, true, 200), -56);
        assert_eq!(wrap(8, false, -1), 255);
        assert_eq!(wrap(64, false, -1), i128::from(u64::MAX));
        assert_eq!(wrap(128, false, -1), -1);
    }

    #[test]
    fn arithmetic_agrees_with_rust_on_all_bytes() {
        for a in i8::MIN..=i8::MAX {
            for b in i8::MIN..=i8::MAX {
                let at = |op| binary(op, 8, true, a.into(), b.into());
                assert_eq!(at(BinaryOp::Add), Ok(a.wrapping_add(b).into()));
                assert_eq!(at(BinaryOp::Mul), Ok(a.wrapping_mul(b).into()));
                assert_eq!(at(BinaryOp::Div).ok(), a.checked_div(b).map(i128::from));
                assert_eq!(at(BinaryOp::Rem).ok(), a.checked_rem(b).map(i128::from));
                let shift = u32::try_from(b).ok();
                assert_eq!(at(BinaryOp::Shr).ok(), shift.and_then(|n| a.checked_shr(n)).map(i128::from));
                let (ua, ub) = (a as u8, b as u8);
                let at = |op| binary(op, 8, false, ua.into(), ub.into());
                assert_eq!(at(BinaryOp::Sub), Ok(ua.wrapping_sub(ub).into()));
                assert_eq!(at(BinaryOp::Div).ok(), ua.checked_div(ub).map(i128::from));
                assert_eq!(at(BinaryOp::Shl).ok(), ua.checked_shl(ub.into()).map(i128::from));
                assert_eq!(compare(BinaryOp::Lt, false, ua.into(), ub.into()), ua < ub);
                assert_eq!(compare(BinaryOp::Le, true, a.into(), b.into()), a <= b);
            }
        }
    }
}
