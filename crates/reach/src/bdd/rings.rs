//! Shortest runs: path edges in rings by their number of steps.
//!
//! The rings of a location hold the path edges that need 0, 1, 2, … steps from the entry of the
//! procedure, steps of callees included; a call over a summary that takes j steps takes j + 2. Rings
//! are made in ascending order over the whole program (Dijkstra's algorithm on sets, as Knuth
//! generalised it to grammars). A new entry value of a procedure starts over at ring 0. Still, whenever
//! ring t is made, every path edge of a known entry with fewer than t steps is in its ring: of a
//! missing one take the shortest; what it extends has fewer steps, so it is in a ring and has been moved
//! on, also over a call, whose entry and whose summary have fewer steps; thus the missing one is waiting
//! with fewer than t steps, and would have come first.
//!
//! A ring may also contain path edges of smaller rings, where that makes its diagram smaller: the first
//! ring that contains a path edge still tells its distance. On a shortest run no such path edge is ever
//! taken for more than it is, because then the run would not be shortest.
//!
//! How far an *entry* is from the start of the program is a second, smaller computation of the same
//! kind over the finished rings ([`Rings::entry_distances`]). A run to the goal is a chain of open calls,
//! and each link has fewer steps than the run. So once a run of n steps is known, rings from n on cannot
//! help, and the search ends when the smaller ones are made.
//!
//! Bebop (`000…` §3) promises some trajectory; the fewest steps are our addition.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use hardbop_bp::{EdgeId, LocId, ProcId};

use super::layers::{ByKey, Layers};
use super::model::{EdgeModel, Model};
use super::space::{Bdd, BddResult};

/// The rings of a program, as far as made.
pub(super) struct Rings<'a> {
    model: &'a Model<'a>,
    goals: &'a [LocId],
    /// Path edges and summaries by number of steps.
    layers: Layers,
    /// Per location, all its rings together.
    reached: Vec<Bdd>,
    /// Per procedure, all entry values.
    entries: Vec<Bdd>,
    /// Per procedure, all summary tuples.
    summarized: Vec<Bdd>,
    /// Per call, the relations that the summaries give it.
    instances: Vec<ByKey>,
    /// Path edges that wait, by number of steps and location.
    waiting: BTreeMap<(usize, LocId), Bdd>,
    /// No path edge of so many steps can help.
    bound: usize,
    /// How many rings were made.
    pub made: usize,
}

/// The shortest way to the goal.
pub(super) struct ShortestPath {
    /// Per procedure, entry values by the steps from the start of the program.
    entries: Vec<ByKey>,
    /// The goal's location.
    pub goal: LocId,
    /// The steps to the entry of the goal's procedure.
    pub before: usize,
    /// The steps from there.
    pub inside: usize,
}

impl<'a> Rings<'a> {
    pub fn new(model: &'a Model<'a>, goals: &'a [LocId]) -> Self {
        let flow = model.flow;
        let no = model.space.no();
        Rings {
            model,
            goals,
            layers: Layers::new(flow),
            reached: vec![no.clone(); flow.locations.len()],
            entries: vec![no.clone(); flow.procedures.len()],
            summarized: vec![no; flow.procedures.len()],
            instances: vec![ByKey::new(); flow.edges.len()],
            waiting: BTreeMap::new(),
            bound: usize::MAX,
            made: 0,
        }
    }

    /// Starts with entry values that are known to be reachable. Procedures that are entered at once
    /// with all their entry values need fewer rings than one entry after the other.
    pub fn seed(&mut self, entries: &[Bdd]) -> BddResult<()> {
        for &procedure in &self.model.frames.bottom_up {
            self.enter(procedure, entries[procedure.index()].clone())?;
        }
        Ok(())
    }

    /// Makes the rings that a shortest run to the goal needs; nothing if there is no run.
    pub fn run(&mut self) -> BddResult<Option<ShortestPath>> {
        let main = self.model.flow.main;
        let entries = self.model.initial_entries();
        self.enter(main, entries)?;
        let mut hits = false;
        // The way to a goal found first bounds the search; it is looked for again as work doubles.
        let mut look_again = 0;
        while let Some(((steps, location), states)) = self.waiting.pop_first() {
            if steps >= self.bound {
                break;
            }
            self.model.space.poll()?;
            let at = location.index();
            let new = self.model.space.minus(&states, &self.reached[at])?;
            if self.model.space.is_empty(&new) {
                continue;
            }
            self.made += 1;
            let all = self.model.space.or(&self.reached[at], &new)?;
            let ring = self.around(&self.layers.rings[at], steps, [&new, &states, &all]);
            self.reached[at] = all;
            self.make(steps, location, &ring)?;
            hits |= self.goals.contains(&location);
            if hits && self.made >= look_again {
                self.bound_by_way()?;
                hits = false;
                look_again = 2 * self.made;
            }
        }
        self.waiting.clear();
        self.way()
    }

    fn bound_by_way(&mut self) -> BddResult<()> {
        if let Some(way) = self.way()? {
            self.bound = self.bound.min(way.before + way.inside);
        }
        Ok(())
    }

    /// The smallest diagram of what is new after so many steps and, at will, of what is not.
    ///
    /// Known members that need fewer steps do no harm in a ring: on the way back from something that
    /// needs just as many as its ring says, they are no predecessors. Members that need more steps
    /// do, and there are some once a late entry has started over.
    fn around(&self, made: &ByKey, steps: usize, [new, arrived, all]: [&Bdd; 3]) -> Bdd {
        let space = self.model.space;
        let is_last = made.last_key_value().is_none_or(|(&last, _)| last <= steps);
        if is_last { space.smallest([new, arrived, all]) } else { space.smallest([new, arrived]) }
    }

    fn wait(&mut self, steps: usize, location: LocId, states: Bdd) -> BddResult<()> {
        let space = self.model.space;
        if steps < self.bound && !space.is_empty(&states) {
            let states = self.model.forget_dead(location, states)?;
            let at = self.waiting.entry((steps, location)).or_insert_with(|| space.no());
            *at = space.or(at, &states)?;
        }
        Ok(())
    }

    fn enter(&mut self, procedure: ProcId, entries: Bdd) -> BddResult<()> {
        let (model, space) = (self.model, self.model.space);
        let known = &mut self.entries[procedure.index()];
        let new = space.minus(&entries, known)?;
        if space.is_empty(&new) {
            return Ok(());
        }
        *known = space.or(known, &new)?;
        let start = model.start(procedure, &new)?;
        self.wait(0, model.flow.procedures[procedure].entry, start)
    }

    /// Adds path edges to a ring and moves them on.
    fn make(&mut self, steps: usize, location: LocId, states: &Bdd) -> BddResult<()> {
        let model = self.model;
        let flow = model.flow;
        add(model, &mut self.layers.rings[location.index()], steps, states)?;
        for &edge in &flow.locations[location].successors {
            match model.edge(edge)? {
                EdgeModel::Step(step) => {
                    let after = model.step(step, states)?;
                    self.wait(steps + 1, flow.edges[edge].target, after)?;
                }
                EdgeModel::Call(_) => self.call(steps, edge, states)?,
            }
        }
        if flow.procedure_of(location).exit == location {
            self.leave(steps, flow.locations[location].procedure, states)?;
        }
        Ok(())
    }

    fn call(&mut self, steps: usize, edge: EdgeId, states: &Bdd) -> BddResult<()> {
        let model = self.model;
        let EdgeModel::Call(call) = model.edge(edge)? else { return Ok(()) };
        let entries = model.enter(model.flow.edges[edge].procedure, call, states)?;
        self.enter(call.callee, entries)?;
        let mut after = Vec::new();
        for (&inner, summary) in &self.layers.summaries[call.callee.index()] {
            if steps + inner + 2 >= self.bound {
                break;
            }
            let instance = match self.instances[edge.index()].entry(inner) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(missing) => missing.insert(model.instance(call, summary)?),
            };
            after.push((steps + inner + 2, model.back(call, states, instance)?));
        }
        for (steps, states) in after {
            self.wait(steps, model.flow.edges[edge].target, states)?;
        }
        Ok(())
    }

    fn leave(&mut self, inner: usize, procedure: ProcId, states: &Bdd) -> BddResult<()> {
        let (model, space) = (self.model, self.model.space);
        let flow = model.flow;
        let at = procedure.index();
        let summary = model.summarize(procedure, states)?;
        let new = space.minus(&summary, &self.summarized[at])?;
        if space.is_empty(&new) {
            return Ok(());
        }
        let all = space.or(&self.summarized[at], &new)?;
        let new = self.around(&self.layers.summaries[at], inner, [&new, &summary, &all]);
        let new = model.for_callers(procedure, &new)?;
        self.summarized[at] = all;
        for &edge in &flow.procedures[procedure].callers {
            let source = flow.edges[edge].source.index();
            if self.layers.rings[source].is_empty() {
                continue;
            }
            let EdgeModel::Call(call) = model.edge(edge)? else { continue };
            let instance = model.instance(call, &new)?;
            let mut after = Vec::new();
            for (&outer, states) in &self.layers.rings[source] {
                if outer + inner + 2 >= self.bound {
                    break;
                }
                after.push((outer + inner + 2, model.back(call, states, &instance)?));
            }
            // An instance that is missing is made from the whole ring when it is needed.
            if let Some(known) = self.instances[edge.index()].get_mut(&inner) {
                *known = space.or(known, &instance)?;
            }
            for (steps, states) in after {
                self.wait(steps, flow.edges[edge].target, states)?;
            }
        }
        add(model, &mut self.layers.summaries[at], inner, &new)
    }

    /// The layers in which to look for the trace.
    pub fn into_layers(self, way: &mut ShortestPath) -> Layers {
        Layers { entries: std::mem::take(&mut way.entries), ..self.layers }
    }

    /// The shortest way to the goal over the rings made so far.
    fn way(&self) -> BddResult<Option<ShortestPath>> {
        if self.goals.iter().all(|goal| self.layers.rings[goal.index()].is_empty()) {
            return Ok(None);
        }
        self.entry_distances()
    }

    /// Entry values by distance from the start, up to where the goal is nearest.
    fn entry_distances(&self) -> BddResult<Option<ShortestPath>> {
        let (model, space) = (self.model, self.model.space);
        let flow = model.flow;
        let mut found: Option<(usize, LocId, usize)> = None;
        let mut entries = vec![ByKey::new(); flow.procedures.len()];
        let mut known = vec![space.no(); flow.procedures.len()];
        let mut waiting: BTreeMap<(usize, ProcId), Bdd> = BTreeMap::new();
        waiting.insert((0, flow.main), model.initial_entries());
        while let Some(((before, procedure), values)) = waiting.pop_first() {
            space.poll()?;
            let best = |found: &Option<(usize, LocId, usize)>| {
                found.map_or(self.bound, |(before, _, inside)| before + inside)
            };
            if found.is_some() && before >= best(&found) {
                break;
            }
            let at = procedure.index();
            let new = space.minus(&values, &known[at])?;
            if space.is_empty(&new) {
                continue;
            }
            known[at] = space.or(&known[at], &new)?;
            add(model, &mut entries[at], before, &new)?;
            for &goal in self.goals.iter().filter(|&&goal| flow.locations[goal].procedure == procedure) {
                for (&inside, states) in &self.layers.rings[goal.index()] {
                    if found.is_some() && before + inside >= best(&found) {
                        break;
                    }
                    if !space.is_empty(&space.and(states, &new)?) {
                        found = Some((before, goal, inside));
                        break;
                    }
                }
            }
            for &edge in &flow.procedures[procedure].edges {
                let source = &self.layers.rings[flow.edges[edge].source.index()];
                if source.is_empty() {
                    continue;
                }
                let EdgeModel::Call(call) = model.edge(edge)? else { continue };
                for (&inside, states) in source {
                    let distance = before + inside + 1;
                    if distance > best(&found) {
                        break;
                    }
                    let states = space.and(states, &new)?;
                    if !space.is_empty(&states) {
                        let values = model.enter(procedure, call, &states)?;
                        add(model, &mut waiting, (distance, call.callee), &values)?;
                    }
                }
            }
        }
        Ok(found.map(|(before, goal, inside)| ShortestPath { entries, goal, before, inside }))
    }
}

/// Adds to the set at a key.
fn add<K: Ord>(model: &Model, sets: &mut BTreeMap<K, Bdd>, key: K, new: &Bdd) -> BddResult<()> {
    let set = sets.entry(key).or_insert_with(|| model.space.no());
    *set = model.space.or(set, new)?;
    Ok(())
}
