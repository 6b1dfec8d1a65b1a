//! Arithmetic on words of gates, lowest bit first, with the total functions of SMT-LIB.

use super::gates::{Circuit, Lit};

impl Circuit {
    /// The bits of a number.
    pub fn number(value: u128, width: u32) -> Vec<Lit> {
        (0..width).map(|bit| Lit::constant(value >> bit & 1 == 1)).collect()
    }

    pub fn word_not(a: &[Lit]) -> Vec<Lit> {
        a.iter().map(|&bit| !bit).collect()
    }

    pub fn word_choice(&mut self, condition: Lit, yes: &[Lit], no: &[Lit]) -> Vec<Lit> {
        yes.iter().zip(no).map(|(&yes, &no)| self.choice(condition, yes, no)).collect()
    }

    pub fn word_eq(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut all = Lit::TRUE;
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            all = self.and(all, !differ);
        }
        all
    }

    /// Unsigned `a ≤ b`: from the lowest bit up, the highest bit that differs decides.
    pub fn word_ule(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut below = Lit::TRUE;
        for (&a, &b) in a.iter().zip(b) {
            below = self.majority(!a, b, below);
        }
        below
    }

    /// Signed `a ≤ b`: the unsigned comparison with the roles of the highest bits exchanged.
    pub fn word_sle(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let flip = |word: &[Lit]| {
            let mut word = word.to_vec();
            if let Some(sign) = word.last_mut() {
                *sign = !*sign;
            }
            word
        };
        self.word_ule(&flip(a), &flip(b))
    }

    /// `a + b + carry`, and the carry out of it.
    pub fn word_add_carry(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> (Vec<Lit>, Lit) {
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let half = self.xor(a, b);
            sum.push(self.xor(half, carry));
            carry = self.majority(a, b, carry);
        }
        (sum, carry)
    }

    pub fn word_add(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.word_add_carry(a, b, Lit::FALSE).0
    }

    pub fn word_sub(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        self.word_add_carry(a, &Self::word_not(b), Lit::TRUE).0
    }

    pub fn word_neg(&mut self, a: &[Lit]) -> Vec<Lit> {
        let zero = vec![Lit::FALSE; a.len()];
        self.word_sub(&zero, a)
    }

    /// The word moved up by a fixed number of bits.
    pub fn word_up(a: &[Lit], by: usize) -> Vec<Lit> {
        let by = by.min(a.len());
        std::iter::repeat_n(Lit::FALSE, by).chain(a[..a.len() - by].iter().copied()).collect()
    }

    /// `sum + coefficient · a`, by as few additions and subtractions as the signed digits of the
    /// coefficient need.
    pub fn word_add_multiple(&mut self, mut sum: Vec<Lit>, coefficient: u128, a: &[Lit]) -> Vec<Lit> {
        let mut rest = coefficient;
        for by in 0..a.len() {
            if rest & 1 == 1 {
                let shifted = Self::word_up(a, by);
                // Of a run of ones, subtract the lowest and add what is above it.
                if rest & 3 == 3 && by + 1 < a.len() {
                    sum = self.word_sub(&sum, &shifted);
                    rest = (rest >> 1) + 1;
                    continue;
                }
                sum = self.word_add(&sum, &shifted);
            }
            rest >>= 1;
        }
        sum
    }

    pub fn word_mul(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let constants = |word: &[Lit]| word.iter().filter(|bit| bit.is_constant()).count();
        let (a, b) = if constants(a) > constants(b) { (b, a) } else { (a, b) };
        let mut product = vec![Lit::FALSE; a.len()];
        for (by, &bit) in b.iter().enumerate() {
            if bit == Lit::FALSE {
                continue;
            }
            let row: Vec<Lit> = a[..a.len() - by].iter().map(|&digit| self.and(digit, bit)).collect();
            let high = self.word_add(&product[by..], &row);
            product.truncate(by);
            product.extend(high);
        }
        product
    }

    /// Quotient and remainder by long division. A divisor of zero gives all ones and the dividend, as
    /// SMT-LIB has it, without a case of its own.
    pub fn word_udivrem(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let width = a.len();
        let mut quotient = vec![Lit::FALSE; width];
        let mut remainder = vec![Lit::FALSE; width];
        let divisor: Vec<Lit> = b.iter().copied().chain([Lit::FALSE]).collect();
        for place in (0..width).rev() {
            let shifted: Vec<Lit> = std::iter::once(a[place]).chain(remainder.iter().copied()).collect();
            let (difference, fits) = self.word_add_carry(&shifted, &Self::word_not(&divisor), Lit::TRUE);
            quotient[place] = fits;
            remainder = self.word_choice(fits, &difference[..width], &shifted[..width]);
        }
        (quotient, remainder)
    }

    /// The absolute value of a signed number.
    pub fn word_abs(&mut self, a: &[Lit]) -> Vec<Lit> {
        let negated = self.word_neg(a);
        self.word_choice(sign(a), &negated, a)
    }

    /// The number, negated under a condition.
    pub fn word_negate_if(&mut self, condition: Lit, a: &[Lit]) -> Vec<Lit> {
        let negated = self.word_neg(a);
        self.word_choice(condition, &negated, a)
    }

    pub fn word_shl(&mut self, a: &[Lit], by: &[Lit]) -> Vec<Lit> {
        let reversed: Vec<Lit> = a.iter().rev().copied().collect();
        let mut shifted = self.word_shr(&reversed, by, Lit::FALSE);
        shifted.reverse();
        shifted
    }

    /// Shift to the right, one stage for each bit of the distance that moves less than the width.
    pub fn word_shr(&mut self, a: &[Lit], by: &[Lit], fill: Lit) -> Vec<Lit> {
        let width = a.len();
        let mut word = a.to_vec();
        let mut beyond = Lit::FALSE;
        for (stage, &bit) in by.iter().enumerate() {
            match 1usize.checked_shl(stage as u32).filter(|&distance| stage < 8 && distance < width) {
                Some(distance) => {
                    let moved: Vec<Lit> =
                        (0..width).map(|at| word.get(at + distance).copied().unwrap_or(fill)).collect();
                    word = self.word_choice(bit, &moved, &word);
                }
                None => beyond = self.or(beyond, bit),
            }
        }
        let filled = vec![fill; width];
        self.word_choice(beyond, &filled, &word)
    }
}

/// The highest bit.
pub fn sign(a: &[Lit]) -> Lit {
    a.last().copied().unwrap_or(Lit::FALSE)
}

#[cfg(test)]
mod tests {
    use hardbop_logic::{BvOp, Terms};

    use super::super::gates::tests::values;
    use super::*;

    const OPERATORS: [BvOp; 11] = [
        BvOp::Mul,
        BvOp::And,
        BvOp::Or,
        BvOp::Xor,
        BvOp::Udiv,
        BvOp::Urem,
        BvOp::Sdiv,
        BvOp::Srem,
        BvOp::Shl,
        BvOp::Lshr,
        BvOp::Ashr,
    ];

    /// All operators on all operands of up to five bits, gate by gate, against folded constants.
    #[test]
    fn narrow_words_exhaustively() {
        for width in 1..=5u32 {
            let mut encoder = super::super::encoder::Encoder::default();
            let a: Vec<Lit> = encoder.circuit.inputs(width as usize);
            let b: Vec<Lit> = encoder.circuit.inputs(width as usize);
            let words = OPERATORS.map(|op| encoder.operator(op, &a.as_slice().into(), &b.as_slice().into()));
            let circuit = &mut encoder.circuit;
            let comparisons = [circuit.word_eq(&a, &b), circuit.word_ule(&a, &b), circuit.word_sle(&a, &b)];
            let multiples: Vec<Vec<Lit>> = (0..1u128 << width)
                .map(|coefficient| circuit.word_add_multiple(a.clone(), coefficient, &b))
                .collect();
            let mut terms = Terms::new();
            for inputs in 0..1u32 << (2 * width) {
                let gates = values(circuit, inputs);
                let bit = |lit: Lit| gates[lit.gate()] != lit.is_negated();
                let number =
                    |word: &[Lit]| word.iter().rev().fold(0u128, |n, &lit| n << 1 | u128::from(bit(lit)));
                let (x, y) = (number(&a), number(&b));
                let (tx, ty) = (terms.bv(x, width), terms.bv(y, width));
                for (op, word) in OPERATORS.iter().zip(&words) {
                    let expected = terms.bv_apply(*op, tx, ty);
                    assert_eq!(Some(number(word)), terms.as_bits(expected), "{x} {op:?} {y} of {width} bits");
                }
                let expected = [terms.eq(tx, ty), terms.bv_ule(tx, ty), terms.bv_sle(tx, ty)];
                assert_eq!(
                    comparisons.map(|lit| Some(bit(lit))),
                    expected.map(|t| terms.as_bool(t)),
                    "{x} {y}"
                );
                for (coefficient, word) in multiples.iter().enumerate() {
                    let expected = (x + coefficient as u128 * y) & ((1 << width) - 1);
                    assert_eq!(number(word), expected, "{x} + {coefficient} * {y} of {width} bits");
                }
            }
        }
    }
}
