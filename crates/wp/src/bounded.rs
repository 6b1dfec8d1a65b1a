//! Bounded pre-images (`001…` §4): all runs of at most k rounds, as one formula.
//!
//! The text's bwp recurses on a loop until k is used up and returns false then, and never asks for the
//! negated condition where the loop is left; what is meant is to collect (¬b ∧ Q) at each peeling. Here
//! the runs are laid out from the front, which gives the same set, and with it the B parts of the
//! interpolation pairs (§5): a *node* is a cut point with the number of rounds that are left. Each has
//! symbols of its own for the state there, and a formula that says that a run from the start of the
//! program gets there with that state. A node is entered from nodes with one round more, so the formula
//! grows with k and the number of cut points, not with the number of paths.
//!
//! The state at the end of B is equated with the node's symbols; that is eq_X. A call of a unit that
//! fails inside is one more way on; a call that returns is a hole ([`crate::holes`]).

use hardbop_logic::{Sort, Term};
use rustc_hash::FxHashMap;

use crate::space::{Space, Target};

/// All runs of so many rounds.
pub(crate) struct Layers {
    /// For each number of rounds left and each cut point, that a run gets there.
    reached: Vec<Vec<Term>>,
    /// The calls that return.
    pub(crate) calls: Vec<Pending>,
}

/// A call that returns, somewhere in the layers.
pub(crate) struct Pending {
    /// The symbol that stands for its summary.
    pub(crate) symbol: Term,
    /// The cut point and the call.
    pub(crate) call: (usize, usize),
    /// The node whose segment it is in has so many rounds left.
    pub(crate) left: usize,
}

impl Layers {
    /// The runs of at most `k` rounds.
    pub(crate) fn of(space: &mut Space<'_>, k: usize) -> Self {
        let no = space.encoder.terms.bool(false);
        let state = state_symbols(space);
        let mut layers = Layers { reached: vec![vec![no; space.cuts.len()]; k + 1], calls: Vec::new() };
        let entry = space.units[0].entry;
        layers.reached[k][entry] = start(space, &state, (entry, k));
        for left in (0..k).rev() {
            for from in 0..space.cuts.len() {
                if space.encoder.terms.as_bool(layers.reached[left + 1][from]) != Some(false) {
                    layers.advance(space, &state, from, left);
                }
            }
        }
        layers
    }

    /// Adds the ways from a node to those with one round less.
    fn advance(&mut self, space: &mut Space<'_>, state: &[Term], from: usize, left: usize) {
        let here = self.reached[left + 1][from];
        for i in 0..space.segments[from].arrivals.len() {
            let arrival = &space.segments[from].arrivals[i];
            let (guard, after) = (arrival.guard, arrival.values.clone());
            let Target::Cut(target) = arrival.target else { continue };
            let mut conditions = vec![here, self.named(space, guard, (from, left + 1))];
            for &symbol in state {
                let value = space.before(symbol, &after);
                let value = self.named(space, value, (from, left + 1));
                let there = at_node(space, symbol, (target, left));
                conditions.push(space.encoder.terms.eq(there, value));
            }
            self.add(space, (target, left), &conditions);
        }
        for call in 0..space.segments[from].calls.len() {
            let (unit, guard) =
                (space.segments[from].calls[call].unit, space.segments[from].calls[call].guard);
            let target = space.units[unit].entry;
            let mut conditions = vec![here, self.named(space, guard, (from, left + 1))];
            for &symbol in state {
                // What belongs to an activation is new, but for formals.
                if !space.is_known_at(target, symbol) {
                    continue;
                }
                let value = space.at_call(symbol, (from, call));
                let value = self.named(space, value, (from, left + 1));
                let there = at_node(space, symbol, (target, left));
                conditions.push(space.encoder.terms.eq(there, value));
            }
            self.add(space, (target, left), &conditions);
        }
    }

    fn add(&mut self, space: &mut Space<'_>, (target, left): (usize, usize), conditions: &[Term]) {
        let way = space.encoder.terms.and(conditions);
        let before = self.reached[left][target];
        self.reached[left][target] = space.encoder.terms.or(&[before, way]);
    }

    /// A term of the segment from a node, over the symbols of the node. Calls that return are noted.
    fn named(&mut self, space: &mut Space<'_>, term: Term, (cut, left): (usize, usize)) -> Term {
        let named = at_node(space, term, (cut, left));
        for call in 0..space.segments[cut].calls.len() {
            let symbol = at_node(space, space.segments[cut].calls[call].returns, (cut, left));
            if !self.calls.iter().any(|pending| pending.symbol == symbol) {
                self.calls.push(Pending { symbol, call: (cut, call), left });
            }
        }
        named
    }

    /// That a run gets to a node.
    pub(crate) fn reached(&self, (cut, left): (usize, usize)) -> Term {
        self.reached[left][cut]
    }

    /// That a run reaches an error, or something without a meaning.
    pub(crate) fn errors(&mut self, space: &mut Space<'_>) -> Term {
        let mut errors = Vec::new();
        for left in 0..self.reached.len() {
            for cut in 0..space.cuts.len() {
                let segment = &space.segments[cut];
                let unsupported = segment.unsupported.iter().map(|&(guard, _)| guard);
                let guards: Vec<Term> = segment.errors.iter().copied().chain(unsupported).collect();
                for guard in guards {
                    let guard = self.named(space, guard, (cut, left));
                    errors.push(space.encoder.terms.and(&[self.reached[left][cut], guard]));
                }
            }
        }
        space.encoder.terms.or(&errors)
    }

    /// That a run goes on when no round is left.
    pub(crate) fn longer(&mut self, space: &mut Space<'_>) -> Term {
        let mut longer = Vec::new();
        for cut in 0..space.cuts.len() {
            let here = self.reached[0][cut];
            let segment = &space.segments[cut];
            let cuts = segment.arrivals.iter().filter(|arrival| arrival.target != Target::Exit);
            let guards: Vec<Term> =
                cuts.map(|a| a.guard).chain(segment.calls.iter().map(|call| call.guard)).collect();
            for guard in guards {
                let guard = self.named(space, guard, (cut, 0));
                longer.push(space.encoder.terms.and(&[here, guard]));
            }
        }
        space.encoder.terms.or(&longer)
    }
}

/// The symbols for the state that occur in the segments.
pub(crate) fn state_symbols(space: &Space<'_>) -> Vec<Term> {
    let mut mentioned = Vec::new();
    for segment in &space.segments {
        mentioned.extend(&segment.errors);
        mentioned.extend(segment.unsupported.iter().map(|(guard, _)| *guard));
        mentioned.extend(segment.calls.iter().map(|call| call.guard));
        for arrival in &segment.arrivals {
            mentioned.push(arrival.guard);
            mentioned.extend(arrival.values.values());
        }
        mentioned.extend(segment.calls.iter().flat_map(|call| call.values.values()));
    }
    let symbols = space.encoder.terms.symbols_of(&mentioned);
    symbols.into_iter().filter(|&symbol| is_renamed(space, symbol) && space.is_state(symbol)).collect()
}

/// Whether a symbol has a value for each node. Addresses of variables that have one activation at a
/// time do not.
pub(crate) fn is_renamed(space: &Space<'_>, symbol: Term) -> bool {
    space.is_value(symbol)
        || !space.is_state(symbol)
        || space.is_own_address(symbol) && space.units.iter().any(|unit| unit.is_called)
}

/// A term over the state at a cut point, as it is said of a node.
pub(crate) fn at_node(space: &mut Space<'_>, term: Term, (cut, left): (usize, usize)) -> Term {
    let names = node_symbols(space, term, (cut, left));
    space.encoder.terms.substitute(term, &names)
}

/// The node's symbols for those in a term.
pub(crate) fn node_symbols(
    space: &mut Space<'_>,
    term: Term,
    (cut, left): (usize, usize),
) -> FxHashMap<Term, Term> {
    let mut names = FxHashMap::default();
    for symbol in space.encoder.terms.symbols(term) {
        if is_renamed(space, symbol) {
            let sort: Sort = space.encoder.terms.sort(symbol);
            let name = space.encoder.terms.symbol_name(symbol).unwrap_or_default().to_owned();
            let named = space.encoder.terms.symbol(&format!("{name} at {cut}, {left} left"), sort);
            names.insert(symbol, named);
        }
    }
    names
}

/// That the program starts in the state of a node.
fn start(space: &mut Space<'_>, state: &[Term], node: (usize, usize)) -> Term {
    let (mut conditions, values) = space.start.clone();
    for &symbol in state {
        // What is not given is arbitrary.
        if let Some(&value) = values.get(&symbol) {
            let there = at_node(space, symbol, node);
            conditions.push(space.encoder.terms.eq(there, value));
        }
    }
    space.encoder.terms.and(&conditions)
}
