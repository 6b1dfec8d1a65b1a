//! Memory that is read at one place only is a value.
//!
//! `s->state == 3` is a comparison of a cell whose address depends on `s`. So everything that is said of one record seems to
//! be connected, through the pointer to it, and combinations of all these predicates would be tried. But if all reads of an
//! array, in all terms of a question, have the same index, then the array gives any value there, whatever the index
//! is; the read is as good as a symbol, and what is said of `s` has nothing to do with it. This is Ackermann's
//! reduction where no two reads have to be compared: it neither adds nor loses a solution.

use hardbop_logic::{Node, Sort, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

/// How an array that is a symbol is used.
enum Use {
    /// Read, at one index only: the read.
    Read(Term),
    /// In any other way.
    Otherwise,
}

/// Replaces reads of arrays that have no other use by symbols, in all terms that are asked about together.
pub(crate) fn separate<'a>(terms: &mut Terms, all: impl Iterator<Item = &'a mut Term>) {
    let all: Vec<&mut Term> = all.collect();
    let mut reads: Vec<Term> = uses(terms, all.iter().map(|term| **term).collect())
        .into_values()
        .filter_map(|found| match found {
            Use::Read(read) => Some(read),
            Use::Otherwise => None,
        })
        .collect();
    if reads.is_empty() {
        return;
    }
    reads.sort_unstable();
    let mut replaced = FxHashMap::default();
    for read in reads {
        // Each read has its own symbol, so that what is known of that can be remembered.
        let sort = terms.sort(read);
        let symbol = terms.symbol(&format!("cell {read:?}"), sort);
        replaced.insert(read, symbol);
    }
    for term in all {
        *term = terms.substitute_more(*term, &mut replaced);
    }
}

/// How the arrays in some terms are used.
fn uses(terms: &Terms, mut open: Vec<Term>) -> FxHashMap<Term, Use> {
    let mut uses: FxHashMap<Term, Use> = FxHashMap::default();
    let mut seen = FxHashSet::default();
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        match terms.node(term) {
            &Node::Select(array, index) if matches!(terms.node(array), Node::Symbol { .. }) => {
                open.push(index);
                let known = uses.entry(array).or_insert(Use::Read(term));
                if !matches!(known, Use::Read(read) if *read == term) {
                    *known = Use::Otherwise;
                }
            }
            Node::Symbol { sort: Sort::Array(..), .. } => {
                uses.insert(term, Use::Otherwise);
            }
            node => node.for_each_operand(|operand| open.push(operand)),
        }
    }
    uses
}

#[cfg(test)]
mod tests {
    use hardbop_logic::Scalar;

    use super::*;

    #[test]
    fn reads_of_one_place_are_symbols_and_others_stay() {
        let mut terms = Terms::new();
        let word = Scalar::BitVec(32);
        let [one, two, written] =
            ["one", "two", "written"].map(|name| terms.symbol(name, Sort::Array(word, word)));
        let [s, t] = ["s", "t"].map(|name| terms.symbol(name, Sort::BitVec(32)));
        let three = terms.bv(3, 32);
        let at_s = terms.select(one, s);
        // A place that is found in memory.
        let [first, second] = [at_s, t].map(|index| terms.select(two, index));
        let changed = terms.store(written, s, three);
        let in_changed = terms.select(changed, t);
        let before = [at_s, first, second, in_changed].map(|value| terms.eq(value, three));
        let symbols = |terms: &Terms, term: Term| -> Vec<String> {
            let symbols = terms.symbols(term).into_iter();
            symbols.map(|symbol| terms.symbol_name(symbol).unwrap_or_default().to_owned()).collect()
        };
        // Alone, each read of `two` is a symbol; together they may be equal or not.
        let mut alone = before;
        separate(&mut terms, alone.iter_mut().take(2));
        assert_eq!(symbols(&terms, alone[0]).len(), 1);
        assert_eq!(symbols(&terms, alone[1]).len(), 1);
        assert_ne!(symbols(&terms, alone[0]), symbols(&terms, alone[1]));
        let mut together = before;
        separate(&mut terms, together.iter_mut());
        assert_eq!(together[0], alone[0]);
        assert!(symbols(&terms, together[1]).contains(&"two".to_owned()));
        assert!(!symbols(&terms, together[1]).contains(&"one".to_owned()));
        assert_eq!(together[2], before[2]);
        assert_eq!(together[3], before[3]);
    }
}
