//! What machines make of mathematical integers.
//!
//! §3: on a machine all types are finite, and what happens beyond their range is a matter of policy, to which the
//! transitions are adjusted. That is about programs in X; C's integers are machine integers and wrap
//! by themselves. Where the range makes the states finite, it is part of every abstract state.

use hardbop_logic::{Node, Sort, Term};
use hardbop_semantics::Encoder;

use crate::system::System;

/// What mathematical integers are taken for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Integers {
    /// What they are.
    #[default]
    Unbounded,
    /// Signed integers of so many bits that go on at the other end of their range.
    Wrap(u32),
    /// Signed integers of so many bits; a run that leaves their range ends.
    Stop(u32),
}

impl Integers {
    fn width(self) -> Option<u32> {
        match self {
            Integers::Unbounded => None,
            Integers::Wrap(width) | Integers::Stop(width) => Some(width),
        }
    }

    /// Adjusts the branches of a system: what they assign and draw is in the range.
    pub(crate) fn apply(self, system: &mut System, encoder: &mut Encoder) {
        let Some(width) = self.width() else { return };
        let is_integer = |encoder: &Encoder, term: Term| encoder.terms.sort(term) == Sort::Int;
        for branch in &mut system.branches {
            let mut symbols: Vec<Term> = branch.updates.keys().copied().collect();
            symbols.retain(|&symbol| is_integer(encoder, symbol));
            symbols.sort_unstable();
            for symbol in symbols {
                let value = branch.updates[&symbol];
                match self {
                    Integers::Wrap(_) => {
                        let wrapped = wrap(encoder, value, width);
                        branch.updates.insert(symbol, wrapped);
                    }
                    _ => branch.conditions.push(within(encoder, value, width)),
                }
            }
            for draw in &branch.draws {
                let is_symbol = matches!(encoder.terms.node(draw.value), Node::Symbol { .. });
                if is_symbol && is_integer(encoder, draw.value) {
                    branch.conditions.push(within(encoder, draw.value, width));
                }
            }
        }
    }

    /// For each integer, that it is in the range.
    pub(crate) fn range(self, encoder: &mut Encoder, symbols: &[Term]) -> Vec<Term> {
        let Some(width) = self.width() else { return Vec::new() };
        let mut integers = symbols.to_vec();
        integers.retain(|&symbol| encoder.terms.sort(symbol) == Sort::Int);
        integers.into_iter().map(|symbol| within(encoder, symbol, width)).collect()
    }
}

fn within(encoder: &mut Encoder, value: Term, width: u32) -> Term {
    let half = 1i128 << (width - 1);
    let terms = &mut encoder.terms;
    let (low, high) = (terms.int(-half), terms.int(half - 1));
    let (above, below) = (terms.int_le(low, value), terms.int_le(value, high));
    terms.and(&[above, below])
}

fn wrap(encoder: &mut Encoder, value: Term, width: u32) -> Term {
    let terms = &mut encoder.terms;
    let (half, all) = (terms.int(1i128 << (width - 1)), terms.int(1i128 << width));
    let shifted = terms.int_add(value, half);
    let rest = terms.int_mod(shifted, all);
    terms.int_sub(rest, half)
}
