//! A trace from rings: from the goal back to the start, one state at a time.
//!
//! Of a state in ring d some edge into its location comes from a state in ring d − 1 of the same entry
//! values, or some call comes from ring i over a summary of j steps with i + j + 2 = d. In the latter
//! case the trace goes through the callee, from its exit in ring j back to its entry, before it goes on
//! at the call; calls that are finished on the trace are thus a stack. At ring 0 without such a call the
//! entry was reached by a call that is still open at the goal; the distances of entries lead to it.
//!
//! States speak only of globals that their procedure touches. The others keep their values, which are
//! filled in from the start on.

use hardbop_bp::{Action, Assign, EdgeId, Flow, LocId, ProcId, State, Step, Trace, VarId};
use oxidd::VarNo;
use rustc_hash::FxHashMap;

use super::frames::targets;
use super::model::{CallModel, EdgeModel, Model};
use super::rings::{Rings, Way};
use super::space::{Bdd, Outcome};

type Values = FxHashMap<VarId, bool>;

/// A state in a ring.
#[derive(Clone)]
struct Point {
    location: LocId,
    procedure: ProcId,
    /// The values of globals and formals at entry.
    entry: Values,
    /// The values now.
    now: Values,
    /// The ring.
    steps: usize,
}

/// A shortest trace to the goal; nothing if the rings contradict themselves.
pub(super) fn extract(rings: &Rings, way: &Way) -> Outcome<Option<Trace>> {
    let extractor = Extractor { rings, model: rings.model, flow: rings.model.flow, way };
    let Some(mut point) = extractor.goal()? else { return Ok(None) };
    let mut before = way.before;
    let mut returned: Vec<(EdgeId, Point)> = Vec::new();
    let mut backwards: Vec<(Action, Point)> = Vec::new();
    loop {
        rings.model.space.poll()?;
        let (action, previous) = if point.steps > 0 {
            match extractor.previous(&point)? {
                None => return Ok(None),
                Some(Previous::Step(edge, previous)) => (Action::Edge(edge), previous),
                Some(Previous::Return { edge, exit, call }) => {
                    returned.push((edge, call));
                    (Action::Return(edge), exit)
                }
            }
        } else if let Some((edge, call)) = returned.pop() {
            (Action::Call(edge), call)
        } else if before > 0 {
            let Some((edge, call, distance)) = extractor.caller(&point, before)? else { return Ok(None) };
            before = distance;
            (Action::Call(edge), call)
        } else {
            return Ok(Some(extractor.forwards(&point, backwards)));
        };
        backwards.push((action, std::mem::replace(&mut point, previous)));
    }
}

enum Previous {
    Step(EdgeId, Point),
    Return { edge: EdgeId, exit: Point, call: Point },
}

struct Extractor<'a> {
    rings: &'a Rings<'a>,
    model: &'a Model<'a>,
    flow: &'a Flow,
    way: &'a Way,
}

impl Extractor<'_> {
    fn goal(&self) -> Outcome<Option<Point>> {
        let procedure = self.flow.locations[self.way.goal].procedure;
        let rings = self.rings.rings[self.way.goal.index()].get(&self.way.inside);
        let entries = self.way.entries[procedure.index()].get(&self.way.before);
        let (Some(ring), Some(entries)) = (rings, entries) else { return Ok(None) };
        let states = self.model.space.and(ring, entries)?;
        self.point(self.way.goal, self.way.inside, &states, &Values::default())
    }

    /// The state before one in a ring other than 0.
    fn previous(&self, point: &Point) -> Outcome<Option<Previous>> {
        let edges = &self.flow.locations[point.location].predecessors;
        for &edge in edges {
            if !matches!(self.flow.edges[edge].step, Step::Call(_))
                && let Some(previous) = self.before_step(point, edge)?
            {
                return Ok(Some(Previous::Step(edge, previous)));
            }
        }
        for &edge in edges {
            if let Step::Call(_) = self.flow.edges[edge].step
                && let Some(previous) = self.before_return(point, edge)?
            {
                return Ok(Some(previous));
            }
        }
        Ok(None)
    }

    fn before_step(&self, point: &Point, edge: EdgeId) -> Outcome<Option<Point>> {
        let source = self.flow.edges[edge].source;
        let Some(ring) = self.rings.rings[source.index()].get(&(point.steps - 1)) else { return Ok(None) };
        let edge = &self.flow.edges[edge];
        let assigned = targets(edge);
        let same = self.without(&point.now, &assigned);
        let mut before = self.restrict(ring, &self.at_entry(point)?, &self.now(&same))?;
        let encoder = self.model.encoder();
        let relations = match &edge.step {
            Step::Skip | Step::Call(_) => Vec::new(),
            Step::Assume(e) => vec![encoder.current(e)?.yes],
            Step::Assign(assign) => self.relations(assign)?,
        };
        let next = self.next(&point.now, &assigned);
        for relation in &relations {
            let possible = self.restrict(relation, &self.now(&same), &next)?;
            before = self.model.space.and(&before, &possible)?;
        }
        self.point_of(point, source, point.steps - 1, &before, same)
    }

    fn relations(&self, assign: &Assign) -> Outcome<Vec<Bdd>> {
        Ok(self.model.encoder().relations(assign)?.into_iter().map(|relation| relation.0).collect())
    }

    fn before_return(&self, point: &Point, edge: EdgeId) -> Outcome<Option<Previous>> {
        let source = self.flow.edges[edge].source;
        let EdgeModel::Call(call) = self.model.edge(edge)? else { return Ok(None) };
        let same = self.without(&point.now, &call.changed);
        let (entry, same_now) = (self.at_entry(point)?, self.now(&same));
        let next = self.next(&point.now, &call.changed);
        for (&inner, summary) in &self.rings.summaries[call.callee.index()] {
            let Some(outer) = point.steps.checked_sub(inner + 2) else { break };
            let Some(ring) = self.rings.rings[source.index()].get(&outer) else { continue };
            let made = match self.rings.instances[edge.index()].get(&inner) {
                Some(made) => made.clone(),
                None => self.model.instance(call, summary)?,
            };
            let instance = self.restrict(&made, &same_now, &next)?;
            let before = self.restrict(ring, &entry, &same_now)?;
            let before = self.model.space.and(&before, &instance)?;
            if let Some(caller) = self.point_of(point, source, outer, &before, same.clone())? {
                let exit = self.callee_exit(point, &caller, edge, call, inner)?;
                return Ok(exit.map(|exit| Previous::Return { edge, exit, call: caller }));
            }
        }
        Ok(None)
    }

    /// The exit of the callee between the states before and after a call.
    fn callee_exit(
        &self,
        after: &Point,
        before: &Point,
        edge: EdgeId,
        call: &CallModel,
        inner: usize,
    ) -> Outcome<Option<Point>> {
        let Step::Call(step) = &self.flow.edges[edge].step else { return Ok(None) };
        let (space, layout) = (self.model.space, self.model.layout);
        let callee = &self.flow.procedures[call.callee];
        let Some(summary) = self.rings.summaries[call.callee.index()].get(&inner) else { return Ok(None) };
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
            } else if !is_formal && !overwritten.contains(&variable) {
                now.insert(variable, after.now.get(&variable).copied().unwrap_or(false));
            }
        }
        let Some(ring) = self.rings.rings[callee.exit.index()].get(&inner) else { return Ok(None) };
        let doubled = model.doubled.iter().map(|&v| (layout.entry(v), entry.get(&v).copied() == Some(true)));
        let states = self.restrict(ring, &doubled.collect::<Vec<_>>(), &self.now(&now))?;
        let at_entry = Point {
            location: callee.exit,
            procedure: call.callee,
            entry,
            now: Values::default(),
            steps: inner,
        };
        self.point_of(&at_entry, callee.exit, inner, &states, now)
    }

    /// The open call that entered a procedure, so many steps from the start.
    fn caller(&self, point: &Point, before: usize) -> Outcome<Option<(EdgeId, Point, usize)>> {
        let (space, layout) = (self.model.space, self.model.layout);
        let formals = self.flow.procedures[point.procedure].formals();
        let value = |variable: VarId| point.now.get(&variable).copied().unwrap_or(false);
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
            for (&inside, ring) in &self.rings.rings[source.index()] {
                let Some(distance) = before.checked_sub(inside + 1) else { break };
                let Some(entries) = self.way.entries[caller.index()].get(&distance) else { continue };
                let EdgeModel::Call(call) = self.model.edge(edge)? else { continue };
                let args = self.restrict(&call.args, &passed, &globals_now)?;
                let states = space.and(&self.restrict(ring, &[], &globals_now)?, &args)?;
                let entries = self.restrict(entries, &[], &globals_now)?;
                let states = space.and(&states, &entries)?;
                if let Some(point) = self.point(source, inside, &states, &globals)? {
                    return Ok(Some((edge, point, distance)));
                }
            }
        }
        Ok(None)
    }

    /// A state in a set at a location, with values that are known already; nothing if it is empty.
    fn point(&self, location: LocId, steps: usize, states: &Bdd, known: &Values) -> Outcome<Option<Point>> {
        let Some(cube) = self.model.space.pick(states) else { return Ok(None) };
        let procedure = self.flow.locations[location].procedure;
        let model = self.model.procedure(procedure)?;
        let layout = self.model.layout;
        let value = |variable: VarNo| cube[variable as usize].unwrap_or(false);
        let now: Values = self
            .scope(procedure)
            .map(|v| (v, known.get(&v).copied().unwrap_or_else(|| value(layout.now(v)))))
            .collect();
        let mut entry: Values = now.clone();
        entry.extend(model.doubled.iter().map(|&v| (v, value(layout.entry(v)))));
        Ok(Some(Point { location, procedure, entry, now, steps }))
    }

    /// The same within an activation whose entry values are known.
    fn point_of(
        &self,
        activation: &Point,
        location: LocId,
        steps: usize,
        states: &Bdd,
        known: Values,
    ) -> Outcome<Option<Point>> {
        let point = self.point(location, steps, states, &known)?;
        Ok(point.map(|point| Point { entry: activation.entry.clone(), ..point }))
    }

    fn scope(&self, procedure: ProcId) -> impl Iterator<Item = VarId> {
        let locals = self.flow.procedures[procedure].locals.iter().copied();
        self.model.frames.touched(self.flow, procedure).chain(locals)
    }

    fn without(&self, values: &Values, variables: &[VarId]) -> Values {
        values.iter().filter(|(v, _)| !variables.contains(v)).map(|(v, value)| (*v, *value)).collect()
    }

    fn at_entry(&self, point: &Point) -> Outcome<Vec<(VarNo, bool)>> {
        let doubled = &self.model.procedure(point.procedure)?.doubled;
        let value = |v: VarId| point.entry.get(&v).copied().unwrap_or(false);
        Ok(doubled.iter().map(|&v| (self.model.layout.entry(v), value(v))).collect())
    }

    fn now(&self, values: &Values) -> Vec<(VarNo, bool)> {
        values.iter().map(|(&v, &value)| (self.model.layout.now(v), value)).collect()
    }

    fn next(&self, values: &Values, variables: &[VarId]) -> Vec<(VarNo, bool)> {
        let value = |v: VarId| values.get(&v).copied().unwrap_or(false);
        variables.iter().map(|&v| (self.model.layout.next(v), value(v))).collect()
    }

    fn restrict(&self, f: &Bdd, some: &[(VarNo, bool)], more: &[(VarNo, bool)]) -> Outcome<Bdd> {
        let cube = self.model.space.literals(some.iter().chain(more).copied())?;
        self.model.space.restrict(f, &cube)
    }

    /// The trace from its start and its steps, last first.
    fn forwards(&self, start: &Point, backwards: Vec<(Action, Point)>) -> Trace {
        let mut globals = vec![false; self.flow.globals.len()];
        let mut depth = 0;
        let mut trace = Trace::new(self.state(start, depth, &mut globals));
        for (action, point) in backwards.into_iter().rev() {
            match action {
                Action::Call(_) => depth += 1,
                Action::Return(_) => depth -= 1,
                Action::Edge(_) => {}
            }
            let state = self.state(&point, depth, &mut globals);
            trace.push(action, state);
        }
        trace
    }

    fn state(&self, point: &Point, depth: usize, globals: &mut [bool]) -> State {
        let value = |v: VarId| point.now.get(&v).copied().unwrap_or(false);
        for global in self.model.frames.touched(self.flow, point.procedure) {
            globals[self.flow.variables[global].slot] = value(global);
        }
        let locals = self.flow.procedures[point.procedure].locals.iter().map(|&v| value(v)).collect();
        State { location: point.location, depth, globals: globals.to_vec(), locals }
    }
}
