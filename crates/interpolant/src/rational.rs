//! Fractions of 128-bit integers. Operations whose result does not fit return `None`, and the caller gives up.

use std::cmp::Ordering;

/// A fraction in lowest terms with a positive denominator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rational {
    numerator: i128,
    denominator: i128,
}

impl Rational {
    pub(crate) const ZERO: Rational = Rational { numerator: 0, denominator: 1 };
    pub(crate) const ONE: Rational = Rational { numerator: 1, denominator: 1 };

    pub(crate) fn integer(value: i128) -> Self {
        Rational { numerator: value, denominator: 1 }
    }

    fn new(numerator: i128, denominator: i128) -> Option<Self> {
        let divisor = gcd(numerator, denominator)?.max(1);
        let (numerator, denominator) = (numerator / divisor, denominator / divisor);
        if denominator < 0 {
            return Some(Rational {
                numerator: numerator.checked_neg()?,
                denominator: denominator.checked_neg()?,
            });
        }
        (denominator != 0).then_some(Rational { numerator, denominator })
    }

    pub(crate) fn is_zero(self) -> bool {
        self.numerator == 0
    }

    pub(crate) fn is_negative(self) -> bool {
        self.numerator < 0
    }

    pub(crate) fn is_integer(self) -> bool {
        self.denominator == 1
    }

    /// The largest integer that is not larger.
    pub(crate) fn floor(self) -> i128 {
        self.numerator.div_euclid(self.denominator)
    }

    /// The integer that a multiple of the denominator makes of it.
    pub(crate) fn times(self, multiple: i128) -> Option<i128> {
        self.numerator.checked_mul(multiple / self.denominator)
    }

    pub(crate) fn add(self, other: Self) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Rational::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?)
    }

    pub(crate) fn neg(self) -> Option<Self> {
        Some(Rational { numerator: self.numerator.checked_neg()?, denominator: self.denominator })
    }

    pub(crate) fn sub(self, other: Self) -> Option<Self> {
        self.add(other.neg()?)
    }

    pub(crate) fn mul(self, other: Self) -> Option<Self> {
        Rational::new(
            self.numerator.checked_mul(other.numerator)?,
            self.denominator.checked_mul(other.denominator)?,
        )
    }

    pub(crate) fn div(self, other: Self) -> Option<Self> {
        Rational::new(
            self.numerator.checked_mul(other.denominator)?,
            self.denominator.checked_mul(other.numerator)?,
        )
    }

    pub(crate) fn compare(self, other: Self) -> Option<Ordering> {
        let left = self.numerator.checked_mul(other.denominator)?;
        Some(left.cmp(&other.numerator.checked_mul(self.denominator)?))
    }
}

/// The greatest common divisor, which is not negative.
pub(crate) fn gcd(a: i128, b: i128) -> Option<i128> {
    let (mut a, mut b) = (a.checked_abs()?, b.checked_abs()?);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    Some(a)
}

/// The least common multiple of denominators.
pub(crate) fn common_denominator(numbers: impl IntoIterator<Item = Rational>) -> Option<i128> {
    numbers.into_iter().try_fold(1i128, |all, number| {
        let divisor = gcd(all, number.denominator)?;
        (all / divisor).checked_mul(number.denominator)
    })
}
