//! The range of integers.
//!
//! §3: on a machine all types are finite, and what happens beyond their range is a matter of policy, to which the
//! transitions are adjusted. C's integers are machine integers; those of X programs are mathematical
//! ones, and the program itself may see to it that they stay in a range (`hardbop_teach::Integers`). That
//! range is then part of every abstract state, and makes its states finite.

use std::ops::Range;

use hardbop_logic::{Sort, Term};
use hardbop_semantics::Encoder;

/// For each mathematical integer, that it is in the range.
pub(crate) fn within(encoder: &mut Encoder, symbols: &[Term], range: &Range<i128>) -> Vec<Term> {
    let mut found = Vec::new();
    for &symbol in symbols {
        if encoder.terms.sort(symbol) == Sort::Int {
            let terms = &mut encoder.terms;
            let (low, high) = (terms.int(range.start), terms.int(range.end - 1));
            let (above, below) = (terms.int_le(low, symbol), terms.int_le(symbol, high));
            found.push(terms.and(&[above, below]));
        }
    }
    found
}
