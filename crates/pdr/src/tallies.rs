//! Lengths of lists: "the counter is the number of nodes", "the first node was made last, and the one behind it before".
//!
//! The encoder keeps count of the heap objects of a kind ([`Tally`]): how many are alive, how many were made, and what both counts were when
//! a node was made. What may hold of them is what does of stacks and queues: along links heights or numbers go up or down by one, no two
//! nodes have the same, and one end of the list has as high a number as there are nodes. So a walk has as many rounds as there are nodes, and if
//! the list is empty there are none. Where nodes are taken out from in between, only the counters remain.

use hardbop_alias::ObjectId;
use hardbop_logic::{Term, Terms};
use hardbop_semantics::{Cell, Encoder, Subject, Tally};

/// What is looked at where a cut point is reached.
pub(crate) struct About<'a> {
    /// The kind of nodes.
    pub(crate) kind: ObjectId,
    /// The watched address, and that a node is alive there.
    pub(crate) watched: Term,
    pub(crate) alive: Term,
    /// What that node points to.
    pub(crate) links: &'a [Term],
    /// Pointers and numbers of the state.
    pub(crate) pointers: &'a [Term],
    pub(crate) numbers: &'a [Term],
}

/// A way to number nodes: by how many there are, or by how many there ever were.
struct Order {
    /// The count now.
    top: Term,
    /// What each node got.
    of: Term,
    /// The node that got a number last.
    at: Term,
}

/// What may hold of counts and of nodes that are counted: of their heights, or of their numbers.
pub(crate) fn tally_claims(
    encoder: &mut Encoder,
    subject: Subject<'_>,
    about: &About<'_>,
    by_number: bool,
) -> Vec<Term> {
    let mut cell = |tally| encoder.on(subject).initial(Cell::Tally(tally, about.kind));
    let heights = Order { top: cell(Tally::Alive), of: cell(Tally::Height), at: cell(Tally::AtHeight) };
    let numbers = Order { top: cell(Tally::Made), of: cell(Tally::Number), at: cell(Tally::AtNumber) };
    let terms = &mut encoder.terms;
    let count = heights.top;
    let mut found = of_counters(terms, about, count);
    let width = terms.width(count);
    let (zero, one) = (terms.bv(0, width), terms.bv(1, width));
    for &pointer in about.pointers {
        let (is_null, is_empty) = (terms.eq(pointer, zero), terms.eq(count, zero));
        let (some, full) = (terms.not(is_null), terms.not(is_empty));
        found.extend([terms.or(&[some, is_empty]), terms.or(&[full, is_null])]);
    }
    let order = if by_number { &numbers } else { &heights };
    of_pointers(terms, about, order, &mut found);
    of_nodes(terms, about, order, &mut found);
    let dead = terms.not(about.alive);
    let number = terms.select(order.of, about.watched);
    if !by_number {
        let (above, within) = (terms.ne(number, zero), terms.bv_ule(number, count));
        found.extend([terms.or(&[dead, above]), terms.or(&[dead, within])]);
        return found;
    }
    // The numbers of a queue are the last ones.
    let behind = terms.bv_sub(numbers.top, number);
    let left = terms.bv_ule(count, behind);
    let recent = terms.not(left);
    found.push(terms.or(&[dead, recent]));
    for &pointer in about.pointers {
        let is_null = terms.eq(pointer, zero);
        let number = terms.select(numbers.of, pointer);
        let (sum, next) = (terms.bv_add(number, count), terms.bv_add(numbers.top, one));
        let oldest = terms.eq(sum, next);
        found.push(terms.or(&[is_null, oldest]));
    }
    found
}

/// Numbers of the state that are counts.
fn of_counters(terms: &mut Terms, about: &About<'_>, count: Term) -> Vec<Term> {
    let mut found = Vec::new();
    for &number in about.numbers {
        let width = terms.width(number);
        let fitting = fit(terms, count, width);
        let one = terms.bv(1, width);
        let more = terms.bv_add(number, one);
        found.extend([terms.eq(number, fitting), terms.eq(more, fitting)]);
    }
    found
}

/// What may hold of the nodes that pointers point to.
fn of_pointers(terms: &mut Terms, about: &About<'_>, order: &Order, found: &mut Vec<Term>) {
    let width = terms.width(order.top);
    let (zero, one) = (terms.bv(0, width), terms.bv(1, width));
    for &pointer in about.pointers {
        let is_null = terms.eq(pointer, zero);
        let is_some = terms.not(is_null);
        let number = terms.select(order.of, pointer);
        let (last, first) = (terms.eq(number, order.top), terms.eq(number, one));
        found.extend([terms.or(&[is_null, last]), terms.or(&[is_null, first])]);
        // A walk counts the nodes that it has passed.
        let left = terms.bv_sub(order.top, number);
        let passed = terms.bv_sub(number, one);
        for &counter in about.numbers {
            let width = terms.width(counter);
            for rounds in [left, passed] {
                let rounds = fit(terms, rounds, width);
                let same = terms.eq(counter, rounds);
                found.push(terms.or(&[is_null, same]));
            }
            let all = fit(terms, order.top, width);
            let same = terms.eq(counter, all);
            found.push(terms.or(&[is_some, same]));
        }
    }
}

/// What may hold of all nodes.
fn of_nodes(terms: &mut Terms, about: &About<'_>, order: &Order, found: &mut Vec<Term>) {
    let width = terms.width(order.top);
    let (zero, one) = (terms.bv(0, width), terms.bv(1, width));
    let dead = terms.not(about.alive);
    let number = terms.select(order.of, about.watched);
    let owner = terms.select(order.at, number);
    let only = terms.eq(owner, about.watched);
    found.push(terms.or(&[dead, only]));
    for &link in about.links {
        let is_null = terms.eq(link, zero);
        let is_some = terms.not(is_null);
        let next = terms.select(order.of, link);
        let (up, down) = (terms.bv_add(number, one), terms.bv_sub(number, one));
        let (first, last) = (terms.eq(number, one), terms.eq(number, order.top));
        let claims = [
            [is_null, terms.eq(next, up)],
            [is_null, terms.eq(next, down)],
            [is_some, first],
            [is_some, last],
        ];
        found.extend(claims.iter().map(|&[a, b]| terms.or(&[dead, a, b])));
    }
}

/// A count as a number of another width.
fn fit(terms: &mut Terms, count: Term, width: u32) -> Term {
    match terms.width(count) {
        own if own > width => terms.extract(width - 1, 0, count),
        own if own < width => terms.zero_extend(width, count),
        _ => count,
    }
}
