//! The reverse: what a proof claims at a step holds in every run that passes it.
//!
//! A proof that `check` would show (`cegar` makes it here, with the same certificate) has a relation for each cut
//! point between the truth values of predicates at the entry of the activation and now. Random runs pass these
//! points; a predicate that has no value there (it reads what was never written, may not be read, or lies outside of
//! the object that it is computed from) may have either.

use hardbop_alias::Alias;
use hardbop_certify::proof::{Proof, Slot};
use hardbop_ir::Order;
use hardbop_ir::interpret::{Interpreter, Observer, RunOptions, Value, View};
use hardbop_ir::testing::Random;
use hardbop_ir::{LocationId, PlaceId, ProcId, Program};
use hardbop_predicate::{Scope, places};
use hardbop_verdict::{CheckOutcome, Evidence, Verdict};
use rustc_hash::FxHashMap;

use crate::clock::within;
use crate::inputs::AddressFreeInputs;
use crate::record::LIMITS;
use crate::report::Report;

/// Runs that a proof is compared with.
const RUNS: u64 = 12;

/// Proves a program, if that is quick, and compares the proof with runs.
pub fn check(name: &str, program: &Program, seconds: f64, random: &mut Random, report: &mut Report) {
    let errors = program.procedures.values().flat_map(|p| p.edges.values());
    if !errors.into_iter().any(|edge| matches!(edge.statement, hardbop_ir::Statement::Error(_))) {
        return;
    }
    let options =
        hardbop_portfolio::PortfolioOptions { probes: 4, unroll: false, pdr: false, ..Default::default() };
    let CheckOutcome { verdict, program, .. } =
        within(seconds, |budget| hardbop_portfolio::check(program, &[], &options, budget, &mut |_| {}));
    let Verdict::True(Evidence::Invariants(proof)) = verdict else {
        report.count("proofs: none");
        return;
    };
    report.count("proofs compared with runs");
    let compared = compare(&program, &proof, RUNS, seconds, random);
    report.add("invariants evaluated", compared.evaluated);
    if let Some(wrong) = compared.wrong {
        report.findings.push(format!("a run breaks what the proof of {name} claims: {wrong}"));
    }
}

/// What comparing a proof with runs gives.
#[derive(Debug, Default)]
pub struct Compared {
    /// How often what is claimed of a cut point was evaluated.
    pub evaluated: u64,
    /// What a run breaks.
    pub wrong: Option<String>,
    /// Whether a run reaches an error.
    pub fails: bool,
}

/// Compares a proof about a program, with its ghosts if it has some, with random runs.
pub fn compare(program: &Program, proof: &Proof, runs: u64, seconds: f64, random: &mut Random) -> Compared {
    let mut compared = Compared::default();
    let Ok(alias) = within(seconds, |budget| Alias::of(program, budget)) else { return compared };
    for _ in 0..runs {
        let mut watcher = Watcher::new(program, &alias, proof);
        let options =
            |budget: &hardbop_base::Budget| RunOptions { limits: LIMITS, budget: budget.clone(), sink: None };
        let mut inputs = AddressFreeInputs::new(random.bits());
        let run = within(seconds, |budget| {
            Interpreter::new(program).observe(&mut inputs, options(budget), &mut watcher)
        });
        compared.evaluated += watcher.evaluated;
        compared.wrong = watcher.wrong;
        compared.fails |= matches!(run.outcome, hardbop_ir::interpret::Outcome::Error { .. });
        if compared.wrong.is_some() || run.draws.is_empty() {
            break;
        }
    }
    compared
}

/// Watches a run, and keeps what predicates were at the entry of each activation.
struct Watcher<'a> {
    program: &'a Program,
    alias: &'a Alias,
    proof: &'a Proof,
    /// The places in memory that each predicate reads.
    places: Vec<Vec<PlaceId>>,
    entries: Vec<FxHashMap<usize, bool>>,
    orders: FxHashMap<ProcId, Order>,
    evaluated: u64,
    wrong: Option<String>,
}

impl<'a> Watcher<'a> {
    fn new(program: &'a Program, alias: &'a Alias, proof: &'a Proof) -> Self {
        let (entries, orders) = (Vec::new(), FxHashMap::default());
        let is_in_memory = |&place: &PlaceId| program.whole_variable(place).is_none();
        let read = |&predicate| places(program, &[predicate]).into_iter().filter(is_in_memory).collect();
        let places = proof.predicates.iter().map(read).collect();
        Watcher { program, alias, proof, places, entries, orders, evaluated: 0, wrong: None }
    }

    /// Whether all that a predicate reads lies where its places can lead. What an index finds outside of its array is
    /// nothing that a proof speaks of.
    fn stays_inside(&self, view: &View<'_, '_>, predicate: usize) -> bool {
        let is_inside = |&place: &PlaceId| {
            view.location(place).is_ok_and(|found| self.alias.leads_to(self.program, place, found))
        };
        self.places[predicate].iter().all(is_inside)
    }

    /// The predicates that have a value now.
    fn valuation(&self, view: &View<'_, '_>) -> FxHashMap<usize, bool> {
        let mut known = FxHashMap::default();
        for (i, predicate) in self.proof.predicates.iter().enumerate() {
            let in_scope = match predicate.scope {
                Scope::Global => true,
                Scope::Procedure(procedure) => procedure == view.procedure(),
            };
            if in_scope
                && let Ok(Value::Truth(value)) = view.value(predicate.expr)
                && self.stays_inside(view, i)
            {
                known.insert(i, value);
            }
        }
        known
    }

    fn check(&mut self, view: &View<'_, '_>, location: LocationId, now: &FxHashMap<usize, bool>) {
        self.evaluated += 1;
        let entry = &self.entries[view.depth()];
        let p = &self.program.procedures[view.procedure()];
        let holds = match self.proof.relations.get(&(view.procedure(), location)) {
            None => false,
            Some(relation) => {
                let known = |slot: Slot| match slot {
                    Slot::Entry(i) => entry.get(&i).copied(),
                    Slot::Now(i) => now.get(&i).copied(),
                };
                may_hold(&relation.nodes, relation.root, &known)
            }
        };
        if !holds {
            let line = p.edges[view.edge()].span.line;
            self.wrong = Some(format!("{} line {line}, location {}", p.name, location.index()));
        }
    }
}

/// Whether a relation can hold, given what is known. Each slot is tested once on a way, so no way contradicts itself.
fn may_hold(nodes: &[(Slot, usize, usize)], at: usize, known: &impl Fn(Slot) -> Option<bool>) -> bool {
    let mut open = vec![at];
    let mut seen = rustc_hash::FxHashSet::default();
    while let Some(at) = open.pop() {
        if at == 1 {
            return true;
        }
        if at == 0 || !seen.insert(at) {
            continue;
        }
        let Some(&(slot, low, high)) = nodes.get(at - 2) else { continue };
        match known(slot) {
            Some(true) => open.push(high),
            Some(false) => open.push(low),
            None => open.extend([low, high]),
        }
    }
    false
}

impl Observer for Watcher<'_> {
    fn step(&mut self, view: &View<'_, '_>) {
        if self.wrong.is_some() {
            return;
        }
        let procedure = view.procedure();
        let p = &self.program.procedures[procedure];
        let location = p.edges[view.edge()].source;
        let entered = view.depth() >= self.entries.len();
        let order = self.orders.entry(procedure).or_insert_with(|| Order::of(p));
        let is_cut = location == p.entry || order.is_head(location);
        if !entered && !is_cut {
            self.entries.truncate(view.depth() + 1);
            return;
        }
        let now = self.valuation(view);
        if entered || location == p.entry {
            self.entries.truncate(view.depth());
            self.entries.push(now.clone());
        } else {
            self.entries.truncate(view.depth() + 1);
        }
        if self.proof.entry == procedure || view.depth() > 0 {
            self.check(view, location, &now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The proof says of `table[i]` that it is 0, for an `i` that may be out of range where it says so.
    #[test]
    fn what_an_index_finds_outside_of_its_array_breaks_no_proof() {
        let text = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
static int table[4];
static int others[64] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
static int seen;
static void look(int i) {
  if (i < 0 || i > 3) return;
  if (table[i] != 0) reach_error();
  seen += others[i];
}
int main(void) {
  int at = __VERIFIER_nondet_int();
  while (__VERIFIER_nondet_int()) look(at);
  return 0;
}";
        let program = hardbop_shadow::lowered(text, hardbop_base::DataModel::Lp64).expect("a program");
        let mut report = Report::default();
        check("table", &program, 5.0, &mut Random::new(1), &mut report);
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        assert_eq!(report.counts.get("proofs compared with runs"), Some(&1));
    }

    #[test]
    fn a_relation_holds_if_some_way_does() {
        // p at entry and not q now.
        let nodes = [(Slot::Now(1), 1, 0), (Slot::Entry(0), 0, 2)];
        let known = |p: Option<bool>, q: Option<bool>| {
            move |slot: Slot| match slot {
                Slot::Entry(_) => p,
                Slot::Now(_) => q,
            }
        };
        assert!(may_hold(&nodes, 3, &known(Some(true), Some(false))));
        assert!(may_hold(&nodes, 3, &known(None, Some(false))));
        assert!(!may_hold(&nodes, 3, &known(Some(false), None)));
        assert!(!may_hold(&nodes, 3, &known(Some(true), Some(true))));
    }
}
