//! Intervals of integers (Cousot and Cousot, "Abstract interpretation", POPL 1977).

use hardbop_ir::{BinaryOp, UnaryOp};

/// The widest machine integers that are followed, in bits.
const MAX_WIDTH: u16 = 64;

/// All integers from one to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    /// The least.
    pub low: i128,
    /// The greatest; not less than the least.
    pub high: i128,
}

impl Interval {
    /// One number.
    pub const fn exact(value: i128) -> Self {
        Interval { low: value, high: value }
    }

    /// All numbers of a machine integer type; nothing if it is too wide.
    pub fn of_type(width: u16, signed: bool) -> Option<Self> {
        match (width, signed) {
            (0, _) => None,
            (width, _) if width > MAX_WIDTH => None,
            (width, true) => Some(Interval { low: -(1 << (width - 1)), high: (1 << (width - 1)) - 1 }),
            (width, false) => Some(Interval { low: 0, high: (1 << width) - 1 }),
        }
    }

    /// From one number to another, if there are any.
    pub fn between(low: i128, high: i128) -> Option<Self> {
        (low <= high).then_some(Interval { low, high })
    }

    /// Whether all of another interval is in this one.
    pub fn includes(self, other: Interval) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The least interval that includes both.
    pub fn join(self, other: Interval) -> Self {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What is in both, if there is anything.
    pub fn meet(self, other: Interval) -> Option<Self> {
        Interval::between(self.low.max(other.low), self.high.min(other.high))
    }

    /// The number, if there is only one.
    pub fn number(self) -> Option<i128> {
        (self.low == self.high).then_some(self.low)
    }

    /// The values of a type that these numbers become in it: themselves if all fit, else any.
    pub fn in_type(self, all: Interval) -> Self {
        if all.includes(self) { self } else { all }
    }

    /// The results of an operator on machine integers of a type, if it is one that gives a machine integer.
    pub fn unary(op: UnaryOp, a: Interval, all: Interval) -> Option<Self> {
        let result = match op {
            UnaryOp::Neg => Interval { low: -a.high, high: -a.low },
            // `~x` is `-1 - x`, and the same number from above in an unsigned type.
            UnaryOp::BitNot if all.low < 0 => Interval { low: -1 - a.high, high: -1 - a.low },
            UnaryOp::BitNot => Interval { low: all.high - a.high, high: all.high - a.low },
            UnaryOp::Not => return None,
        };
        Some(result.in_type(all))
    }

    /// The results of an operator on machine integers of a type (the amount of a shift may be of another one), if it is
    /// one that gives a machine integer.
    pub fn binary(op: BinaryOp, a: Interval, b: Interval, all: Interval) -> Option<Self> {
        let result = match op {
            BinaryOp::Add => Interval { low: a.low + b.low, high: a.high + b.high },
            BinaryOp::Sub => Interval { low: a.low - b.high, high: a.high - b.low },
            BinaryOp::Mul => product(a, b)?,
            BinaryOp::Div => quotient(a, b, all),
            BinaryOp::Rem => remainder(a, b, all),
            BinaryOp::Shl => shifted_left(a, b, all),
            BinaryOp::Shr => shifted_right(a, b, all),
            BinaryOp::And => conjunction(a, b, all),
            BinaryOp::Or | BinaryOp::Xor if a.low >= 0 && b.low >= 0 => {
                let low = if op == BinaryOp::Or { a.low.max(b.low) } else { 0 };
                Interval { low, high: ones(a.high.max(b.high)) }
            }
            BinaryOp::Or | BinaryOp::Xor => all,
            _ => return None,
        };
        Some(result.in_type(all))
    }
}

/// The least number of the form `2^n - 1` that is not less.
fn ones(n: i128) -> i128 {
    if n <= 0 { 0 } else { (1 << (128 - n.leading_zeros())) - 1 }
}

fn product(a: Interval, b: Interval) -> Option<Interval> {
    let corners = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
    let mut products = corners.into_iter().map(|(x, y)| x.checked_mul(y));
    let first = products.next()??;
    products.try_fold(Interval::exact(first), |all, product| Some(all.join(Interval::exact(product?))))
}

/// Quotients are rounded towards zero; dividing by zero ends the run.
fn quotient(a: Interval, b: Interval, all: Interval) -> Interval {
    let divisors = [Interval::between(b.low, b.high.min(-1)), Interval::between(b.low.max(1), b.high)];
    let parts = divisors.into_iter().flatten().map(|b| {
        let corners = [(a.low, b.low), (a.low, b.high), (a.high, b.low), (a.high, b.high)];
        let mut found = Interval::exact(corners[0].0 / corners[0].1);
        for (x, y) in corners {
            found = found.join(Interval::exact(x / y));
        }
        found
    });
    parts.reduce(Interval::join).unwrap_or(all)
}

/// Remainders have the sign of the dividend, and are nearer to zero than the divisor.
fn remainder(a: Interval, b: Interval, all: Interval) -> Interval {
    let most = b.low.abs().max(b.high.abs()) - 1;
    if most < 0 {
        return all;
    }
    let least = if b.low > 0 {
        b.low
    } else if b.high < 0 {
        -b.high
    } else {
        1
    };
    if a.low > -least && a.high < least {
        return a;
    }
    Interval { low: a.low.clamp(-most, 0), high: a.high.clamp(0, most) }
}

/// The bits of the type, from the number of its values.
fn width(all: Interval) -> i128 {
    (128 - (all.high - all.low).leading_zeros()).into()
}

fn shifted_left(a: Interval, b: Interval, all: Interval) -> Interval {
    if b.low < 0 || b.high >= width(all) {
        return all;
    }
    // A number of at most 64 bits, by at most 63.
    let powers = Interval { low: 1 << b.low, high: 1 << b.high };
    product(a, powers).unwrap_or(all)
}

fn shifted_right(a: Interval, b: Interval, all: Interval) -> Interval {
    if b.low < 0 || b.high >= width(all) {
        return all;
    }
    let low = if a.low < 0 { a.low >> b.low } else { a.low >> b.high };
    let high = if a.high < 0 { a.high >> b.high } else { a.high >> b.low };
    Interval { low, high }
}

fn conjunction(a: Interval, b: Interval, all: Interval) -> Interval {
    match (a.low >= 0, b.low >= 0) {
        (true, true) => Interval { low: 0, high: a.high.min(b.high) },
        (true, false) => Interval { low: 0, high: a.high },
        (false, true) => Interval { low: 0, high: b.high },
        (false, false) => all,
    }
}

#[cfg(test)]
mod tests {
    use hardbop_ir::wrap;

    use super::*;

    /// What the interpreter computes with numbers of a type; nothing where the run ends.
    fn compute(op: BinaryOp, a: i128, b: i128, (bits, signed): (u16, bool)) -> Option<i128> {
        let amount = u32::try_from(b).ok().filter(|&b| b < u32::from(bits));
        let exact = match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::Div => a.checked_div(b)?,
            BinaryOp::Rem => a.checked_rem(b)?,
            BinaryOp::Shl => a << amount?,
            BinaryOp::Shr => a >> amount?,
            BinaryOp::And => a & b,
            BinaryOp::Or => a | b,
            _ => a ^ b,
        };
        Some(wrap(bits, signed, exact))
    }

    /// All intervals of numbers of four bits, against all numbers in them.
    #[test]
    fn operators_include_all_results() {
        use BinaryOp::{Add, And, Div, Mul, Or, Rem, Shl, Shr, Sub, Xor};
        for signed in [false, true] {
            let all = Interval::of_type(4, signed).expect("a small type");
            let mut intervals = Vec::new();
            for low in all.low..=all.high {
                intervals.extend((low..=all.high).filter_map(|high| Interval::between(low, high)));
            }
            for op in [Add, Sub, Mul, Div, Rem, Shl, Shr, And, Or, Xor] {
                for &a in &intervals {
                    for &b in &intervals {
                        let found = Interval::binary(op, a, b, all).expect("a machine integer");
                        for (x, y) in (a.low..=a.high).flat_map(|x| (b.low..=b.high).map(move |y| (x, y))) {
                            let Some(result) = compute(op, x, y, (4, signed)) else { continue };
                            let result = Interval::exact(result);
                            assert!(found.includes(result), "{op:?} {a:?} {b:?}: {x} {y} {found:?}");
                        }
                    }
                }
            }
            for &a in &intervals {
                for (op, f) in [(UnaryOp::Neg, (|x| -x) as fn(i128) -> i128), (UnaryOp::BitNot, |x| !x)] {
                    let found = Interval::unary(op, a, all).expect("a machine integer");
                    for x in a.low..=a.high {
                        assert!(found.includes(Interval::exact(wrap(4, signed, f(x)))), "{op:?} {a:?} {x}");
                    }
                }
            }
        }
    }

    #[test]
    fn masks_and_remainders_are_bounds() {
        let all = Interval::of_type(32, false).expect("a small type");
        let mask = |op, n| Interval::binary(op, all, Interval::exact(n), all);
        assert_eq!(mask(BinaryOp::And, 15), Interval::between(0, 15));
        assert_eq!(mask(BinaryOp::Rem, 10), Interval::between(0, 9));
        assert_eq!(mask(BinaryOp::Shr, 28), Interval::between(0, 15));
        assert_eq!(mask(BinaryOp::Add, 1), Some(all));
    }
}
