//! A trace from layers of path edges: from the goal back to the start, one state at a time.
//!
//! A path edge is at the start of its activation, or some edge into its location comes from an earlier
//! layer with the same entry values, or some call comes from an earlier layer over an earlier summary. In
//! the last case the trace goes through the callee, from its exit back to its entry, before it goes on at
//! the call; calls that are finished on the trace are thus a stack. At the start of an activation
//! without such a call the entry was reached by a call that is still open at the goal.
//!
//! If layers count steps, "earlier" is exact: one step less, or two less than call and summary together,
//! and the trace is a shortest one.
//!
//! On the way back states have only the values that matter: of the globals those that the procedure
//! touches, and nothing that is dead. The others are filled in from the start on, where every value is
//! either kept, or chosen among those that the step can give.

use std::cell::RefCell;
use std::rc::Rc;

use hardbop_bp::{Action, Assign, EdgeId, Flow, FlowStep, LocId, ProcId, State, Trace, VarId};
use oxidd::VarNo;
use rustc_hash::FxHashMap;

use super::frames::targets;
use super::layers::{ByKey, Index, Layers};
use super::model::{CallModel, EdgeModel, Model};
use super::rings::ShortestPath;
use super::space::{Bdd, BddResult};

type Values = FxHashMap<VarId, bool>;

/// A state in a layer.
#[derive(Clone)]
struct Point {
    location: LocId,
    procedure: ProcId,
    /// The values of globals and formals at entry.
    entry: Values,
    /// The values now, as far as they matter.
    now: Values,
    /// The layer.
    key: usize,
}

/// Longer traces are not worth their memory; distances can be exponential in the program.
const MAX_STEPS: usize = 1 << 20;

/// What the layers tell of the way to a goal.
pub(super) enum ShortestTrace {
    Trace(Trace),
    /// The trace has more steps than are worth writing down.
    TooLong,
    /// The layers contradict themselves.
    Nothing,
}

/// A shortest trace, from layers by number of steps.
pub(super) fn shortest(model: &Model, layers: &Layers, way: &ShortestPath) -> BddResult<ShortestTrace> {
    if way.before + way.inside > MAX_STEPS {
        return Ok(ShortestTrace::TooLong);
    }
    let extractor = Extractor::new(model, layers, true);
    let procedure = model.flow.locations[way.goal].procedure;
    let ring = layers.rings[way.goal.index()].get(&way.inside);
    let entries = layers.entries[procedure.index()].get(&way.before);
    let (Some(ring), Some(entries)) = (ring, entries) else { return Ok(ShortestTrace::Nothing) };
    let states = model.space.and(ring, entries)?;
    match extractor.point(way.goal, way.inside, &states, &Values::default())? {
        Some(point) => extractor.run(point, way.before),
        None => Ok(ShortestTrace::Nothing),
    }
}

/// Some trace, from layers by time.
pub(super) fn any(model: &Model, layers: &Layers, goals: &[LocId]) -> BddResult<ShortestTrace> {
    let extractor = Extractor::new(model, layers, false);
    for &goal in goals {
        if let Some((&key, states)) = layers.rings[goal.index()].first_key_value()
            && let Some(point) = extractor.point(goal, key, states, &Values::default())?
        {
            return extractor.run(point, 0);
        }
    }
    Ok(ShortestTrace::Nothing)
}

enum Previous {
    Step(EdgeId, Point),
    Return { edge: EdgeId, exit: Point, call: Point },
}

struct Extractor<'a> {
    model: &'a Model<'a>,
    flow: &'a Flow,
    layers: &'a Layers,
    /// Whether layers count steps.
    exact: bool,
    indices: RefCell<FxHashMap<Part, Rc<Index>>>,
}

/// Some layers of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Part {
    PathEdges(LocId),
    Summaries(ProcId),
    Entries(ProcId),
}

impl<'a> Extractor<'a> {
    fn new(model: &'a Model<'a>, layers: &'a Layers, exact: bool) -> Self {
        Extractor { model, flow: model.flow, layers, exact, indices: RefCell::default() }
    }

    fn part(&self, part: Part) -> &'a ByKey {
        match part {
            Part::PathEdges(location) => &self.layers.rings[location.index()],
            Part::Summaries(procedure) => &self.layers.summaries[procedure.index()],
            Part::Entries(procedure) => &self.layers.entries[procedure.index()],
        }
    }

    fn index(&self, part: Part) -> BddResult<Rc<Index>> {
        if let Some(index) = self.indices.borrow().get(&part) {
            return Ok(index.clone());
        }
        let index = Rc::new(Index::new(self.model.space, self.part(part))?);
        self.indices.borrow_mut().insert(part, index.clone());
        Ok(index)
    }

    /// The first of what is found in the layer of a key or, without, in layers below a key.
    fn search<T>(
        &self,
        part: Part,
        exact: Option<usize>,
        below: usize,
        select: &dyn Fn(&Bdd) -> BddResult<Bdd>,
        found: &mut dyn FnMut(usize, &Bdd) -> BddResult<Option<T>>,
    ) -> BddResult<Option<T>> {
        let Some(key) = exact else {
            return self.index(part)?.first(self.model.space, below, select, found);
        };
        match self.part(part).get(&key) {
            Some(layer) => found(key, &select(layer)?),
            None => Ok(None),
        }
    }

    /// The key of a path edge from which the other follows by one step, where it is known.
    fn one_less(&self, key: usize) -> Option<usize> {
        if self.exact { key.checked_sub(1) } else { None }
    }

    /// The trace that ends at a point whose procedure was entered so many steps from the start.
    fn run(&self, mut point: Point, mut before: usize) -> BddResult<ShortestTrace> {
        let mut returned: Vec<(EdgeId, Point)> = Vec::new();
        let mut backwards: Vec<(Action, Point)> = Vec::new();
        while backwards.len() <= MAX_STEPS {
            self.model.space.poll()?;
            let (action, previous) = if !self.is_start(&point)? {
                match self.previous(&point)? {
                    None => return Ok(ShortestTrace::Nothing),
                    Some(Previous::Step(edge, previous)) => (Action::Edge(edge), previous),
                    Some(Previous::Return { edge, exit, call }) => {
                        returned.push((edge, call));
                        (Action::Return(edge), exit)
                    }
                }
            } else if let Some((edge, call)) = returned.pop() {
                (Action::Call(edge), call)
            } else {
                if !self.exact {
                    let Some(time) = self.entered(&point)? else { return Ok(ShortestTrace::Nothing) };
                    before = time;
                }
                if before == 0 {
                    return Ok(self
                        .forwards(&point, backwards)?
                        .map_or(ShortestTrace::Nothing, ShortestTrace::Trace));
                }
                let Some((edge, call, distance)) = self.caller(&point, before)? else {
                    return Ok(ShortestTrace::Nothing);
                };
                before = distance;
                (Action::Call(edge), call)
            };
            backwards.push((action, std::mem::replace(&mut point, previous)));
        }
        Ok(ShortestTrace::TooLong)
    }

    /// Whether the activation starts here.
    fn is_start(&self, point: &Point) -> BddResult<bool> {
        if self.exact {
            return Ok(point.key == 0);
        }
        let doubled = &self.model.procedure(point.procedure)?.doubled;
        let unchanged = |v: &VarId| point.now.get(v).is_none_or(|now| point.entry.get(v) == Some(now));
        let at_entry = point.location == self.flow.procedures[point.procedure].entry;
        Ok(at_entry && doubled.iter().all(unchanged))
    }

    /// The state before one that does not start its activation.
    fn previous(&self, point: &Point) -> BddResult<Option<Previous>> {
        let edges = &self.flow.locations[point.location].predecessors;
        for &edge in edges {
            if !matches!(self.flow.edges[edge].step, FlowStep::Call(_))
                && let Some(previous) = self.before_step(point, edge)?
            {
                return Ok(Some(Previous::Step(edge, previous)));
            }
        }
        for &edge in edges {
            if let FlowStep::Call(_) = self.flow.edges[edge].step
                && let Some(previous) = self.before_return(point, edge)?
            {
                return Ok(Some(previous));
            }
        }
        Ok(None)
    }

    fn before_step(&self, point: &Point, edge: EdgeId) -> BddResult<Option<Point>> {
        let (space, edge) = (self.model.space, &self.flow.edges[edge]);
        let assigned = targets(edge);
        let same = self.without(&point.now, &assigned);
        let (entry, same_now) = (self.at_entry(point)?, self.now(&same));
        let relations = match &edge.step {
            FlowStep::Skip | FlowStep::Call(_) => Vec::new(),
            FlowStep::Assume(e) => vec![self.model.encoder().current(e)?.yes],
            FlowStep::Assign(assign) => self.relations(assign)?,
        };
        let next = self.next(&point.now, &assigned);
        let mut possible = space.yes();
        for relation in &relations {
            possible = space.and(&possible, &self.restrict(relation, &same_now, &next)?)?;
        }
        let select = |layer: &Bdd| space.and(&self.restrict(layer, &entry, &same_now)?, &possible);
        let part = Part::PathEdges(edge.source);
        self.search(part, self.one_less(point.key), point.key, &select, &mut |key, states| {
            self.point_of(point, edge.source, key, states, &same)
        })
    }

    fn before_return(&self, point: &Point, edge: EdgeId) -> BddResult<Option<Previous>> {
        let space = self.model.space;
        let source = self.flow.edges[edge].source;
        let EdgeModel::Call(call) = self.model.edge(edge)? else { return Ok(None) };
        let same = self.without(&point.now, &call.changed);
        let (entry, same_now) = (self.at_entry(point)?, self.now(&same));
        let next = self.next(&point.now, &call.changed);
        let passing = self.restrict(&call.passing, &same_now, &next)?;
        let instance = |summary: &Bdd| -> BddResult<Bdd> {
            let summary = space.exists(summary, &call.overwritten)?;
            let summary = self.restrict(&summary, &same_now, &next)?;
            space.and_exists(&summary, &passing, &call.passing_cube)
        };
        let over = |inner: usize, outer: Option<usize>, instance: &Bdd| {
            let select = |layer: &Bdd| space.and(&self.restrict(layer, &entry, &same_now)?, instance);
            self.search(Part::PathEdges(source), outer, point.key, &select, &mut |key, states| {
                let Some(before) = self.point_of(point, source, key, states, &same)? else { return Ok(None) };
                let exit = self.callee_exit(point, &before, edge, call, inner)?;
                Ok(exit.map(|exit| Previous::Return { edge, exit, call: before }))
            })
        };
        let summaries = self.part(Part::Summaries(call.callee));
        if self.exact {
            for (&inner, summary) in summaries.range(..point.key) {
                let Some(outer) = point.key.checked_sub(inner + 2) else { break };
                if self.part(Part::PathEdges(source)).contains_key(&outer)
                    && let Some(previous) = over(inner, Some(outer), &instance(summary)?)?
                {
                    return Ok(Some(previous));
                }
            }
            return Ok(None);
        }
        let callers = self.index(Part::PathEdges(source))?;
        let Some(callers) = callers.union() else { return Ok(None) };
        let callers = self.restrict(callers, &entry, &same_now)?;
        let select = |summary: &Bdd| space.and(&callers, &instance(summary)?);
        self.search(Part::Summaries(call.callee), None, point.key, &select, &mut |inner, _| match summaries
            .get(&inner)
        {
            Some(summary) => over(inner, None, &instance(summary)?),
            None => Ok(None),
        })
    }

    fn relations(&self, assign: &Assign) -> BddResult<Vec<Bdd>> {
        Ok(self.model.encoder().relations(assign)?.into_iter().map(|relation| relation.0).collect())
    }

    /// The exit of the callee between the states before and after a call.
    fn callee_exit(
        &self,
        after: &Point,
        before: &Point,
        edge: EdgeId,
        call: &CallModel,
        inner: usize,
    ) -> BddResult<Option<Point>> {
        let FlowStep::Call(step) = &self.flow.edges[edge].step else { return Ok(None) };
        let (space, layout) = (self.model.space, self.model.layout);
        let callee = &self.flow.procedures[call.callee];
        let Some(summary) = self.layers.summaries[call.callee.index()].get(&inner) else { return Ok(None) };
        let targets = || callee.results().iter().zip(&step.targets);
        let received = targets().filter_map(|(result, target)| {
            Some((layout.entry(*result), after.now.get(target.as_ref()?).copied()?))
        });
        let now = self.now(&before.now);
        let passed = self.restrict(&call.args, &now, &[])?;
        let overwritten: Vec<VarId> = step.targets.iter().flatten().copied().collect();
        let left: Vec<VarId> =
            call.changed.iter().filter(|variable| !overwritten.contains(variable)).copied().collect();
        let next = self.next(&after.now, &left);
        let summary = space.exists(summary, &call.overwritten)?;
        let summary = self.restrict(&summary, &now, &next)?;
        let summary = space.and(&summary, &space.literals(received)?)?;
        let Some(passing) = space.pick(&space.and(&passed, &summary)?) else { return Ok(None) };
        let passed = |variable: VarId| passing[layout.entry(variable) as usize].unwrap_or(false);
        let mut entry = Values::default();
        for global in self.model.frames.touched(self.flow, call.callee) {
            entry.insert(global, before.now.get(&global).copied().unwrap_or(false));
        }
        entry.extend(callee.formals().iter().map(|&formal| (formal, passed(formal))));
        let mut now: Values = callee.results().iter().map(|&result| (result, passed(result))).collect();
        let model = self.model.procedure(call.callee)?;
        for (&variable, &value) in &entry {
            let is_formal = self.flow.variables[variable].owner.is_some();
            if !model.doubled.contains(&variable) {
                now.insert(variable, value);
            } else if let Some(&value) = after.now.get(&variable)
                && !is_formal
                && !overwritten.contains(&variable)
            {
                now.insert(variable, value);
            }
        }
        let doubled = model.doubled.iter().map(|&v| (layout.entry(v), entry.get(&v).copied() == Some(true)));
        let doubled: Vec<_> = doubled.collect();
        let fixed = self.now(&now);
        let select = |layer: &Bdd| self.restrict(layer, &doubled, &fixed);
        let exact = self.exact.then_some(inner);
        let exit = self.search(Part::PathEdges(callee.exit), exact, inner, &select, &mut |key, states| {
            self.point(callee.exit, key, states, &now)
        });
        Ok(exit?.map(|exit| Point { entry, ..exit }))
    }

    /// When the entry values of a point were new.
    fn entered(&self, point: &Point) -> BddResult<Option<usize>> {
        let doubled = self.at_entry(point)?;
        let single: Values = self.without(&point.entry, &self.model.procedure(point.procedure)?.doubled);
        let single = self.now(&single);
        let select = |entries: &Bdd| self.restrict(entries, &doubled, &single);
        let part = Part::Entries(point.procedure);
        self.search(part, None, usize::MAX, &select, &mut |time, _| Ok(Some(time)))
    }

    /// The open call that entered a procedure so many steps from the start, or at that time.
    fn caller(&self, point: &Point, before: usize) -> BddResult<Option<(EdgeId, Point, usize)>> {
        let (space, layout) = (self.model.space, self.model.layout);
        let formals = self.flow.procedures[point.procedure].formals();
        let value = |variable: VarId| point.entry.get(&variable).copied().unwrap_or(false);
        let passed: Vec<_> = formals.iter().map(|&f| (layout.entry(f), value(f))).collect();
        let globals: Values = self
            .model
            .frames
            .touched(self.flow, point.procedure)
            .map(|global| (global, value(global)))
            .collect();
        let globals_now = self.now(&globals);
        for &edge in &self.flow.procedures[point.procedure].callers {
            let caller = self.flow.edges[edge].procedure;
            let source = self.flow.edges[edge].source;
            let EdgeModel::Call(call) = self.model.edge(edge)? else { continue };
            let args = self.restrict(&call.args, &passed, &globals_now)?;
            let select = |layer: &Bdd| space.and(&self.restrict(layer, &[], &globals_now)?, &args);
            let part = Part::PathEdges(source);
            if !self.exact {
                let mut found = |key: usize, states: &Bdd| self.point(source, key, states, &globals);
                if let Some(point) = self.search(part, None, before, &select, &mut found)? {
                    return Ok(Some((edge, point, 0)));
                }
                continue;
            }
            for (&inside, layer) in self.part(part).range(..before) {
                let distance = before - inside - 1;
                let entries = self.part(Part::Entries(caller)).get(&distance);
                let Some(entries) = entries else { continue };
                let entries = self.restrict(entries, &[], &globals_now)?;
                let states = space.and(&select(layer)?, &entries)?;
                if let Some(point) = self.point(source, inside, &states, &globals)? {
                    return Ok(Some((edge, point, distance)));
                }
            }
        }
        Ok(None)
    }

    /// A state in a set at a location, with values that are known already; nothing if it is empty.
    fn point(&self, location: LocId, key: usize, states: &Bdd, known: &Values) -> BddResult<Option<Point>> {
        let Some(cube) = self.model.space.pick(states) else { return Ok(None) };
        let procedure = self.flow.locations[location].procedure;
        let model = self.model.procedure(procedure)?;
        let layout = self.model.layout;
        let value = |variable: VarNo| cube[variable as usize].unwrap_or(false);
        let now: Values = self
            .scope(procedure)
            .filter(|&v| !self.model.is_dead(location, v))
            .map(|v| (v, known.get(&v).copied().unwrap_or_else(|| value(layout.now(v)))))
            .collect();
        let mut entry: Values = now.clone();
        entry.extend(model.doubled.iter().map(|&v| (v, value(layout.entry(v)))));
        Ok(Some(Point { location, procedure, entry, now, key }))
    }

    /// The same within an activation whose entry values are known.
    fn point_of(
        &self,
        activation: &Point,
        location: LocId,
        key: usize,
        states: &Bdd,
        known: &Values,
    ) -> BddResult<Option<Point>> {
        let point = self.point(location, key, states, known)?;
        Ok(point.map(|point| Point { entry: activation.entry.clone(), ..point }))
    }

    fn scope(&self, procedure: ProcId) -> impl Iterator<Item = VarId> {
        let locals = self.flow.procedures[procedure].locals.iter().copied();
        self.model.frames.touched(self.flow, procedure).chain(locals)
    }

    fn without(&self, values: &Values, variables: &[VarId]) -> Values {
        values.iter().filter(|(v, _)| !variables.contains(v)).map(|(v, value)| (*v, *value)).collect()
    }

    fn at_entry(&self, point: &Point) -> BddResult<Vec<(VarNo, bool)>> {
        let doubled = &self.model.procedure(point.procedure)?.doubled;
        let value = |v: VarId| point.entry.get(&v).copied().unwrap_or(false);
        Ok(doubled.iter().map(|&v| (self.model.layout.entry(v), value(v))).collect())
    }

    fn now(&self, values: &Values) -> Vec<(VarNo, bool)> {
        values.iter().map(|(&v, &value)| (self.model.layout.now(v), value)).collect()
    }

    fn next(&self, values: &Values, variables: &[VarId]) -> Vec<(VarNo, bool)> {
        let known = variables.iter().filter_map(|v| Some((*v, *values.get(v)?)));
        known.map(|(v, value)| (self.model.layout.next(v), value)).collect()
    }

    fn restrict(&self, f: &Bdd, some: &[(VarNo, bool)], more: &[(VarNo, bool)]) -> BddResult<Bdd> {
        let cube = self.model.space.literals(some.iter().chain(more).copied())?;
        self.model.space.restrict(f, &cube)
    }

    /// The trace from its start and its steps, last first; nothing if a step is impossible.
    fn forwards(&self, start: &Point, backwards: Vec<(Action, Point)>) -> BddResult<Option<Trace>> {
        let globals = vec![false; self.flow.globals.len()];
        let locals = vec![false; self.flow.procedures[self.flow.main].locals.len()];
        let mut state = State { location: start.location, depth: 0, globals, locals };
        self.fill(&mut state, &start.now);
        let mut trace = Trace::new(state.clone());
        let mut open: Vec<Vec<bool>> = Vec::new();
        for (action, point) in backwards.into_iter().rev() {
            self.model.space.poll()?;
            let step = &self.flow.edges[action.edge()].step;
            match (action, step) {
                (Action::Edge(_), FlowStep::Assign(assign)) => {
                    let Some(changes) = self.choose(assign, &state, &point.now)? else { return Ok(None) };
                    self.fill(&mut state, &changes);
                }
                (Action::Call(_), _) => {
                    let callee = &self.flow.procedures[point.procedure];
                    let locals = vec![false; callee.locals.len()];
                    open.push(std::mem::replace(&mut state.locals, locals));
                    let own = |(v, value): (&VarId, &bool)| {
                        self.flow.variables[*v].owner.is_some().then_some((*v, *value))
                    };
                    let mut values: Values = point.now.iter().filter_map(own).collect();
                    let entry = |v: &VarId| Some((*v, *point.entry.get(v)?));
                    values.extend(callee.formals().iter().filter_map(entry));
                    self.fill(&mut state, &values);
                }
                (Action::Return(_), FlowStep::Call(call)) => {
                    let results = self.flow.procedures[call.callee].results().iter().zip(&call.targets);
                    let received = results
                        .filter_map(|(result, target)| Some(((*target)?, state.value(self.flow, *result))));
                    let received: Values = received.collect();
                    state.locals = open.pop().unwrap_or_default();
                    self.fill(&mut state, &received);
                }
                _ => {}
            }
            (state.location, state.depth) = (point.location, open.len());
            trace.push(action, state.clone());
        }
        Ok(Some(trace))
    }

    fn fill(&self, state: &mut State, values: &Values) {
        values.iter().for_each(|(&variable, &value)| state.set(self.flow, variable, value));
    }

    /// What an assignment makes of a state, with some of the new values given.
    fn choose(&self, assign: &Assign, state: &State, given: &Values) -> BddResult<Option<Values>> {
        let (space, layout) = (self.model.space, self.model.layout);
        let assigned: Vec<VarId> = assign.updates.iter().map(|update| update.0).collect();
        if assigned.iter().all(|v| given.contains_key(v)) {
            return Ok(Some(assigned.iter().map(|&v| (v, given[&v])).collect()));
        }
        let procedure = self.flow.locations[state.location].procedure;
        let now: Vec<_> = self.scope(procedure).map(|v| (layout.now(v), state.value(self.flow, v))).collect();
        let mut possible = space.literals(self.next(given, &assigned))?;
        for relation in self.relations(assign)? {
            possible = space.and(&possible, &self.restrict(&relation, &now, &[])?)?;
        }
        let Some(cube) = space.pick(&possible) else { return Ok(None) };
        Ok(Some(assigned.iter().map(|&v| (v, cube[layout.next(v) as usize].unwrap_or(false))).collect()))
    }
}
