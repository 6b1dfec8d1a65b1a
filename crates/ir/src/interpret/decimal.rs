//! Floating-point numbers in decimal, exactly as C's `printf` shows them.
//!
//! Every binary floating-point number has a finite decimal expansion. It is computed in full with
//! big-integer arithmetic and then rounded, ties to even, at the digit asked for, which is what glibc
//! does for all three formats.

use super::float;
use crate::FloatKind;

/// A non-negative number `0.d₁d₂… × 10^point`; no digits for zero.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Decimal {
    digits: Vec<u8>,
    point: i32,
}

/// How to show a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// `%f`.
    Fixed,
    /// `%e`.
    Exponent,
    /// `%g`.
    Shortest,
}

/// The number without its sign. `alternate` is the flag `#`.
pub(super) fn format(kind: FloatKind, bits: u128, style: Style, precision: usize, alternate: bool) -> String {
    let Some((mantissa, exponent)) = float::decompose(kind, bits) else {
        return if float::is_infinite(kind, bits) { "inf".into() } else { "nan".into() };
    };
    let exact = Decimal::new(mantissa, exponent);
    match style {
        Style::Fixed => exact.fixed(precision, alternate),
        Style::Exponent => exact.exponent(precision, alternate),
        Style::Shortest => exact.shortest(precision.max(1), alternate),
    }
}

impl Decimal {
    /// `mantissa × 2^exponent`.
    fn new(mantissa: u64, exponent: i32) -> Decimal {
        if mantissa == 0 {
            return Decimal { digits: Vec::new(), point: 0 };
        }
        let zeros = mantissa.trailing_zeros() as i32;
        let (mantissa, exponent) = (mantissa >> zeros, exponent + zeros);
        let mut number = Big::from(mantissa);
        // m × 2^-k is m × 5^k × 10^-k.
        let places = (-exponent).max(0);
        for _ in 0..exponent.max(0) / 29 {
            number.multiply(1 << 29);
        }
        number.multiply(1 << (exponent.max(0) % 29));
        for _ in 0..places / 12 {
            number.multiply(5u32.pow(12));
        }
        number.multiply(5u32.pow(places.unsigned_abs() % 12));
        let digits = number.digits();
        let point = digits.len() as i32 - places;
        Decimal { digits, point }
    }

    /// Keeps so many digits.
    fn round(&self, keep: i64) -> Decimal {
        let Ok(keep) = usize::try_from(keep) else {
            return Decimal { digits: Vec::new(), point: 0 };
        };
        if keep >= self.digits.len() {
            return self.clone();
        }
        let (kept, rest) = self.digits.split_at(keep);
        let half = rest[0] == 5 && rest[1..].iter().all(|&d| d == 0);
        let odd = kept.last().is_some_and(|d| d % 2 == 1);
        let up = if half { odd } else { rest[0] >= 5 };
        let mut digits = kept.to_vec();
        let mut point = self.point;
        if up {
            while digits.last() == Some(&9) {
                digits.pop();
            }
            match digits.last_mut() {
                Some(digit) => *digit += 1,
                None => {
                    digits.push(1);
                    point += 1;
                }
            }
        }
        Decimal { digits, point }
    }

    /// The digit with weight `10^place`.
    fn digit(&self, place: i32) -> char {
        let index = i64::from(self.point) - 1 - i64::from(place);
        let digit = usize::try_from(index).ok().and_then(|i| self.digits.get(i)).copied();
        char::from(b'0' + digit.unwrap_or(0))
    }

    fn fixed(&self, precision: usize, alternate: bool) -> String {
        let rounded = self.round(i64::from(self.point) + precision as i64);
        let whole = rounded.point.max(1);
        let mut text: String = (0..whole).rev().map(|place| rounded.digit(place)).collect();
        if precision > 0 || alternate {
            text.push('.');
        }
        text.extend((1..=precision as i32).map(|place| rounded.digit(-place)));
        text
    }

    fn exponent(&self, precision: usize, alternate: bool) -> String {
        let rounded = self.round(precision as i64 + 1);
        let top = if rounded.digits.is_empty() { 0 } else { rounded.point - 1 };
        let mut text = String::from(rounded.digit(top));
        if precision > 0 || alternate {
            text.push('.');
        }
        text.extend((1..=precision as i32).map(|place| rounded.digit(top - place)));
        let sign = if top < 0 { '-' } else { '+' };
        text + &format!("e{sign}{:02}", top.abs())
    }

    fn shortest(&self, precision: usize, alternate: bool) -> String {
        let rounded = self.round(precision as i64);
        let top = if rounded.digits.is_empty() { 0 } else { rounded.point - 1 };
        let scientific = top < -4 || i64::from(top) >= precision as i64;
        let text = if scientific {
            self.exponent(precision - 1, alternate)
        } else {
            self.fixed((precision as i64 - 1 - i64::from(top)).max(0) as usize, alternate)
        };
        if alternate || !text.contains('.') {
            return text;
        }
        let (number, exponent) = text.find('e').map_or((text.as_str(), ""), |at| text.split_at(at));
        number.trim_end_matches('0').trim_end_matches('.').to_owned() + exponent
    }
}

/// A natural number in base 10⁹, least significant first.
struct Big {
    limbs: Vec<u32>,
}

const BASE: u64 = 1_000_000_000;

impl Big {
    fn from(mut value: u64) -> Big {
        let mut limbs = Vec::new();
        while value > 0 {
            limbs.push((value % BASE) as u32);
            value /= BASE;
        }
        Big { limbs }
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0;
        for limb in &mut self.limbs {
            let product = u64::from(*limb) * u64::from(factor) + carry;
            *limb = (product % BASE) as u32;
            carry = product / BASE;
        }
        if carry > 0 {
            self.limbs.push(carry as u32);
        }
    }

    fn digits(&self) -> Vec<u8> {
        let mut text = String::new();
        for (i, limb) in self.limbs.iter().rev().enumerate() {
            text += &if i == 0 { limb.to_string() } else { format!("{limb:09}") };
        }
        text.bytes().map(|b| b - b'0').collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(value: f64, style: Style, precision: usize) -> String {
        format(FloatKind::F64, value.to_bits().into(), style, precision, false)
    }

    #[test]
    fn agrees_with_the_exact_formatting_of_the_standard_library() {
        let mut state = 1u64;
        for _ in 0..2000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = f64::from_bits(state & !(1 << 63));
            if value.is_finite() {
                for precision in [1, 6, 17] {
                    assert_eq!(show(value, Style::Fixed, precision), format!("{value:.precision$}"));
                }
            }
        }
    }

    #[test]
    fn ties_go_to_even() {
        assert_eq!(show(0.5, Style::Fixed, 0), "0");
        assert_eq!(show(1.5, Style::Fixed, 0), "2");
        assert_eq!(show(2.5, Style::Fixed, 0), "2");
        assert_eq!(show(0.125, Style::Fixed, 2), "0.12");
        assert_eq!(show(9.5, Style::Fixed, 0), "10");
        assert_eq!(show(0.0625, Style::Exponent, 1), "6.2e-02");
    }

    #[test]
    fn styles_are_those_of_printf() {
        assert_eq!(show(0.0, Style::Exponent, 3), "0.000e+00");
        assert_eq!(show(12345.678, Style::Exponent, 2), "1.23e+04");
        assert_eq!(show(999.99, Style::Exponent, 1), "1.0e+03");
        assert_eq!(show(100000.0, Style::Shortest, 6), "100000");
        assert_eq!(show(1000000.0, Style::Shortest, 6), "1e+06");
        assert_eq!(show(0.0001, Style::Shortest, 6), "0.0001");
        assert_eq!(show(0.00001, Style::Shortest, 6), "1e-05");
        assert_eq!(show(0.1, Style::Shortest, 20), "0.10000000000000000555");
        assert_eq!(show(f64::INFINITY, Style::Fixed, 2), "inf");
        assert_eq!(show(f64::NAN, Style::Fixed, 2), "nan");
        let third = super::float::arithmetic(
            FloatKind::F80,
            crate::BinaryOp::Div,
            super::float::from_f64(FloatKind::F80, 1.0),
            super::float::from_f64(FloatKind::F80, 3.0),
        );
        // printf("%.25Lf", 1.0L / 3)
        assert_eq!(format(FloatKind::F80, third, Style::Fixed, 25, false), "0.3333333333333333333423684");
    }
}
