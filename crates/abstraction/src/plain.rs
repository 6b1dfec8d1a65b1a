//! Conditions that plainly can hold: they do where all values are the same.
//!
//! Most branches of a program test something that no predicate speaks of, and can go either way. A solver is slow to say
//! so for thousands of them.

use hardbop_logic::{Model, Sort, Term, Value};
use hardbop_semantics::{Encoder, Meaning};

/// Whether conditions that mention no address hold where all numbers are zero, one, or as large as they can be. Of
/// addresses more is known, so a solver has to be asked.
pub(crate) fn are_plainly_possible(encoder: &Encoder, conditions: &[Term]) -> bool {
    let terms = &encoder.terms;
    let symbols = terms.symbols_of(conditions);
    let is_address = |&symbol: &Term| matches!(encoder.meaning_of(symbol), Some(Meaning::Address(_)));
    if symbols.iter().any(is_address) {
        return false;
    }
    [0, 1, u128::MAX].into_iter().any(|number| {
        let mut model = Model::default();
        // What a model lacks is zero.
        for &symbol in symbols.iter().filter(|_| number != 0) {
            model.values.extend(number_as(terms.sort(symbol), number).map(|value| (symbol, value)));
        }
        conditions.iter().all(|&condition| terms.try_evaluate(condition, &model) == Some(Value::Bool(true)))
    })
}

/// A number as a value of a sort, as far as it fits; nothing for arrays.
fn number_as(sort: Sort, number: u128) -> Option<Value> {
    match sort {
        Sort::Bool => Some(Value::Bool(number != 0)),
        Sort::Int => Some(Value::Int(i128::try_from(number).unwrap_or(-1))),
        Sort::BitVec(width) => Some(Value::bv(number, width)),
        Sort::Array(..) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_holds_for_one_value_everywhere_is_possible() {
        let mut encoder = Encoder::default();
        let terms = &mut encoder.terms;
        let [x, y] = ["x", "y"].map(|name| terms.symbol(name, Sort::BitVec(8)));
        let zero = terms.bv(0, 8);
        let (is_zero, same, below) = (terms.eq(x, zero), terms.eq(x, y), terms.bv_ult(x, y));
        let not_zero = terms.not(is_zero);
        let negative = terms.bv_slt(x, zero);
        for conditions in [&[is_zero][..], &[not_zero], &[negative, same], &[]] {
            assert!(are_plainly_possible(&encoder, conditions), "{conditions:?}");
        }
        // Possible, but not plainly; and impossible.
        for conditions in [&[below][..], &[is_zero, not_zero]] {
            assert!(!are_plainly_possible(&encoder, conditions), "{conditions:?}");
        }
    }
}
