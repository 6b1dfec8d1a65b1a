//! Proofs that go backwards, as Hoare triples.
//!
//! Where procedures are looked through at their calls, and summaries relate values rather than
//! predicates, a relation per location between truth values ([`crate::proof`]) does not say enough:
//! "adds one to the global" is none. Such a proof has *units*, the procedures with a summary of their
//! own (every cycle of calls passes through one), and *points*: their entries and the heads of loops,
//! told apart by the calls that are open. Each point l has a set of states F(l) that contains all from
//! which an error is reached before the unit is left, and, if the unit is called, a relation R(l) that
//! contains all pairs of a state here and one at the exit such that the one leads to the other.
//! Executed from any state s at l:
//!
//! - paths that end in an error, or in something unsupported: s is in F(l);
//! - paths to a point l′ in state s′: if s′ is in F(l′), then s is in F(l), and if (s′, x) is in R(l′),
//!   then (s, x) is in R(l);
//! - paths to the exit in state s′: (s, s′) is in R(l);
//! - paths that call a unit q in state s₁: if s₁ is in F(q), then s is in F(l); behind the call all
//!   that q may change is arbitrary, except that the pair of states is in R(q).
//!
//! From the start of the program no path leads to an error or to a state in F. By induction on the
//! length of runs, the sets and relations contain what they should, so no error is reached; and since
//! no state that is reached is in F, the complements are invariants.
//!
//! The calls that are not of units are followed in the same execution. Shared with who found the proof are
//! the encoder, the analysis of pointers, [`changes`] and the order of execution.

use std::collections::BTreeMap;

use hardbop_base::Budget;
use hardbop_ir::Order;
use hardbop_ir::{EdgeId, LocationId, ProcId, Program, Statement, VarKind};
use hardbop_logic::{Model, Term};
use hardbop_semantics::{Cell, Encoder, End, Frame, Meaning, Object, State, Subject};
use hardbop_solver::Solver;
use rustc_hash::FxHashMap;

use crate::ask::{Background, choices, refute};
use crate::broken::{Broken, MAX_VALUES, Refusal, To, shown};
use crate::proof::{Checked, Rejection};

/// The frame of the formals of a unit that is called.
const CALLEE: Frame = Frame(1);

/// The most edges that are executed for one point.
const MAX_STEPS: usize = 200_000;

/// An entry of a unit, or the head of a loop.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// The procedure of the unit.
    pub unit: ProcId,
    /// The calls that are open, from the unit's procedure on.
    pub calls: Vec<(ProcId, EdgeId)>,
    /// The procedure that is being executed.
    pub procedure: ProcId,
    /// Where; nothing for the entry of the unit.
    pub head: Option<LocationId>,
}

/// What is claimed of a point, over the symbols of [`Encoder`] for the state there.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    /// Contains the states from which an error is reached before the unit is left.
    pub fails: Term,
    /// Contains the pairs of states here and at the exit ([`at_exit`]).
    pub returns: Term,
}

/// A proof that no error can be reached.
#[derive(Debug, Default)]
pub struct Backward {
    /// The procedures that have summaries.
    pub units: Vec<ProcId>,
    /// What is claimed of points.
    pub claims: FxHashMap<Point, Claim>,
    /// What the symbols in claims stand for.
    pub encoder: Encoder,
}

/// The symbol for the value of a cell at the exit of the unit.
pub fn at_exit(encoder: &mut Encoder, subject: Subject<'_>, cell: Cell) -> Term {
    let coder = encoder.on(subject);
    let (name, sort) = (coder.cell_name(cell), coder.cell_sort(cell));
    encoder.terms.symbol(&format!("{name} at exit"), sort)
}

/// The cells that a procedure may change, as its callers know them, and its result.
pub fn changes(encoder: &mut Encoder, subject: Subject<'_>, procedure: ProcId) -> Vec<Cell> {
    let mut cells = encoder.on(subject).modified_cells(procedure);
    let result = subject.program.procedures[procedure].result;
    cells.extend(result.map(|result| Cell::Local(Frame::ONLY, result)));
    cells
}

/// Checks a proof. Each triple is asked of the solvers in turn until one decides it.
pub fn check(
    subject: Subject<'_>,
    proof: &mut Backward,
    solvers: &mut [Box<dyn Solver>],
    budget: &Budget,
) -> Result<Checked, Rejection> {
    examine(subject, proof, solvers, budget).map_err(|refusal| refusal.rejection)
}

/// Checks a proof, and says more of a triple that does not hold.
pub fn examine(
    subject: Subject<'_>,
    proof: &mut Backward,
    solvers: &mut [Box<dyn Solver>],
    budget: &Budget,
) -> Result<Checked, Refusal> {
    let Some(entry) = subject.program.entry else {
        return Err(Rejection::Wrong("the program has no entry".to_owned()).into());
    };
    // Calls are written out, and variables of two activations in turn lie at the same place.
    if subject.alias.shifting_variable().is_some() {
        return Err(Rejection::Wrong("activations are told apart by addresses".to_owned()).into());
    }
    let mut encoder = std::mem::take(&mut proof.encoder);
    let mut checker = Checker {
        subject,
        proof,
        solvers,
        encoder: &mut encoder,
        budget,
        checked: Checked::default(),
        exits: FxHashMap::default(),
        orders: FxHashMap::default(),
        from: None,
        unit: entry,
        steps: 0,
        background: Background::default(),
        point: None,
        broken: None,
    };
    let result = checker.all(entry).and_then(|()| checker.confirm());
    let (checked, broken) = (checker.checked, checker.broken.map(Box::new));
    proof.encoder = encoder;
    result.map(|()| checked).map_err(|rejection| Refusal { rejection, broken })
}

struct Checker<'a> {
    subject: Subject<'a>,
    proof: &'a Backward,
    solvers: &'a mut [Box<dyn Solver>],
    encoder: &'a mut Encoder,
    budget: &'a Budget,
    checked: Checked,
    /// The cells that symbols of the state at an exit stand for.
    exits: FxHashMap<Term, Cell>,
    orders: FxHashMap<ProcId, Order>,
    /// What is claimed of the point at hand; nothing at the start of the program.
    from: Option<Claim>,
    /// The unit that it is in.
    unit: ProcId,
    steps: usize,
    /// What is taken for granted besides.
    background: Background,
    /// Where the point at hand is.
    point: Option<(ProcId, LocationId)>,
    /// What is known of the triple that does not hold.
    broken: Option<Broken>,
}

/// All paths to some place.
#[derive(Clone)]
struct Way {
    state: State,
    guard: Term,
}

/// A place on the way: the calls that are open, and a location.
#[derive(Clone)]
struct Place {
    calls: Vec<(ProcId, EdgeId)>,
    procedure: ProcId,
    location: LocationId,
}

/// Places in the order of execution. Behind a call comes what is called, then the return location.
type Pending = BTreeMap<Vec<u32>, (Place, Way)>;

impl Checker<'_> {
    /// That what was taken for granted has a model.
    fn confirm(&mut self) -> Result<(), Rejection> {
        self.background.confirm(self.encoder, self.solvers, self.budget)
    }

    fn all(&mut self, entry: ProcId) -> Result<(), Rejection> {
        for &unit in &self.proof.units {
            for cell in changes(self.encoder, self.subject, unit) {
                let symbol = at_exit(self.encoder, self.subject, cell);
                self.exits.insert(symbol, cell);
            }
        }
        let mut points: Vec<Point> = self.proof.claims.keys().cloned().collect();
        points.sort_unstable();
        points.iter().try_for_each(|point| self.well_formed(point))?;
        for point in points {
            self.from = Some(self.proof.claims[&point]);
            self.unit = point.unit;
            let location = point.head.unwrap_or(self.subject.program.procedures[point.procedure].entry);
            let mut state = State::new(Frame::ONLY);
            if point.head.is_none() {
                self.encoder.on(self.subject).forget_locals(&mut state, point.procedure);
            }
            let guard = self.encoder.terms.bool(true);
            let is_head = point.head.is_some();
            let Point { calls, procedure, .. } = point;
            self.point = Some((procedure, location));
            self.follow(Place { calls, procedure, location }, Way { state, guard }, is_head)?;
        }
        self.from = None;
        self.point = None;
        self.unit = entry;
        let mut state = State::new(Frame::ONLY);
        let mut conditions = Vec::new();
        let mut coder = self.encoder.on(self.subject);
        coder.initialise(&mut state, &mut conditions);
        coder.forget_locals(&mut state, entry);
        let guard = self.encoder.terms.and(&conditions);
        let location = self.subject.program.procedures[entry].entry;
        self.follow(Place { calls: Vec::new(), procedure: entry, location }, Way { state, guard }, false)
    }

    /// Claims are about what is there: the state, constants, and in relations the state at the exit.
    /// What belongs to an activation is not known to who enters it, but for formals.
    fn well_formed(&self, point: &Point) -> Result<(), Rejection> {
        let program = self.subject.program;
        let claim = self.proof.claims[point];
        let formals = &program.procedures[point.unit].formals;
        let is_shared = |var| matches!(program.variables[var].kind, VarKind::Global | VarKind::Static);
        let fits = |symbol: Term| match self.encoder.meaning_of(symbol) {
            Some(Meaning::Cell(Cell::Local(frame, var))) => {
                frame == Frame::ONLY && (point.head.is_some() || formals.contains(&var))
            }
            Some(Meaning::Cell(_)) => true,
            Some(Meaning::Address(Object::Variable(frame, var))) => {
                is_shared(var) || frame == Frame::ONLY && point.head.is_some()
            }
            Some(Meaning::Address(Object::Procedure(_))) => true,
            _ => false,
        };
        let terms = &self.encoder.terms;
        let fails = terms.symbols(claim.fails).into_iter().all(fits);
        let returns = terms.symbols(claim.returns).into_iter();
        let returns = returns.filter(|symbol| !self.exits.contains_key(symbol)).all(fits);
        let entered = point.head.is_some() || self.proof.units.contains(&point.procedure);
        if fails && returns && entered {
            return Ok(());
        }
        Err(Rejection::Wrong("a claim is malformed".to_owned()))
    }

    fn key(&mut self, place: &Place) -> Vec<u32> {
        let mut key = Vec::new();
        for &(procedure, edge) in &place.calls {
            let source = self.subject.program.procedures[procedure].edges[edge].source;
            key.extend([self.position(procedure, source), edge.index() as u32]);
        }
        key.push(self.position(place.procedure, place.location));
        key
    }

    /// The exit comes last.
    fn position(&mut self, procedure: ProcId, location: LocationId) -> u32 {
        let p = &self.subject.program.procedures[procedure];
        let order = self.orders.entry(procedure).or_insert_with(|| Order::of(p));
        if location == p.exit { u32::MAX } else { order.position(location) }
    }

    /// Follows all paths up to the next points. `is_head` says that they start at one.
    fn follow(&mut self, place: Place, way: Way, is_head: bool) -> Result<(), Rejection> {
        let mut pending = Pending::new();
        self.steps = 0;
        let key = self.key(&place);
        if is_head {
            pending.insert(key, (place, way));
        } else {
            self.arrive(place, way, &mut pending)?;
        }
        while let Some((_, (place, way))) = pending.pop_first() {
            self.budget.check()?;
            let program = self.subject.program;
            let p = &program.procedures[place.procedure];
            if place.location == p.exit {
                self.leave(place, way, &mut pending)?;
                continue;
            }
            let edges = self.orders[&place.procedure].leaving(place.location).to_vec();
            let choices = choices(self.encoder, self.subject, place.procedure, &edges);
            for (edge, choice) in edges.into_iter().zip(choices) {
                let mut taken = way.clone();
                taken.guard = self.encoder.terms.and(&[taken.guard, choice]);
                self.step(&place, edge, taken, &mut pending)?;
            }
        }
        Ok(())
    }

    /// Comes to a place: the point there takes over, or the paths go on.
    fn arrive(&mut self, place: Place, way: Way, pending: &mut Pending) -> Result<(), Rejection> {
        let key = self.key(&place);
        if self.orders[&place.procedure].is_head(place.location) {
            let Place { calls, procedure, location } = place;
            let point = Point { unit: self.unit, calls, procedure, head: Some(location) };
            let Some(&claim) = self.proof.claims.get(&point) else {
                return Err(Rejection::Wrong("a loop is not covered".to_owned()));
            };
            let to = (procedure, To::Location(location));
            let fails = self.read(claim.fails, &way.state);
            self.fails(to, &[way.guard, fails])?;
            let returns = self.read(claim.returns, &way.state);
            return self.returns(to, &[way.guard, returns]);
        }
        let all = match pending.remove(&key) {
            None => way,
            Some((_, before)) => self.join(&before, &way),
        };
        pending.insert(key, (place, all));
        Ok(())
    }

    fn join(&mut self, before: &Way, way: &Way) -> Way {
        let state = self.encoder.on(self.subject).merge(before.guard, &before.state, &way.state);
        let guard = self.encoder.terms.or(&[before.guard, way.guard]);
        Way { state, guard }
    }

    fn step(
        &mut self,
        place: &Place,
        edge: EdgeId,
        mut way: Way,
        pending: &mut Pending,
    ) -> Result<(), Rejection> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(Rejection::Undecided(
                "the program is too large with its calls written out".to_owned(),
            ));
        }
        let procedure = place.procedure;
        let e = &self.subject.program.procedures[procedure].edges[edge];
        let after = Place { location: e.target, ..place.clone() };
        if let Statement::Call { .. } = e.statement {
            let [callee] = *self.subject.alias.callees(procedure, edge) else {
                return Err(Rejection::Wrong("a call has several targets".to_owned()));
            };
            if self.encoder.on(self.subject).has_body(callee) {
                return self.call(place, edge, callee, way, after, pending);
            }
        }
        let mut conditions = vec![way.guard];
        let end = self.encoder.on(self.subject).execute(&mut way.state, procedure, edge, &mut conditions);
        way.guard = self.encoder.terms.and(&conditions);
        match end {
            _ if self.encoder.terms.as_bool(way.guard) == Some(false) => Ok(()),
            End::Continues => self.arrive(after, way, pending),
            End::Stops => Ok(()),
            End::Error(_) | End::Unsupported(_) => self.fails((procedure, To::Edge(edge)), &[way.guard]),
        }
    }

    fn call(
        &mut self,
        place: &Place,
        edge: EdgeId,
        callee: ProcId,
        mut way: Way,
        after: Place,
        pending: &mut Pending,
    ) -> Result<(), Rejection> {
        let procedure = place.procedure;
        let is_unit = self.proof.units.contains(&callee);
        let frame = if is_unit { CALLEE } else { Frame::ONLY };
        let mut conditions = vec![way.guard];
        let mut coder = self.encoder.on(self.subject);
        coder.pass_arguments(&mut way.state, (procedure, edge), callee, frame, &mut conditions);
        way.guard = self.encoder.terms.and(&conditions);
        if is_unit {
            let way = self.summary(procedure, edge, callee, way)?;
            return self.arrive(after, way, pending);
        }
        let open = place.calls.iter().any(|&(caller, _)| caller == callee);
        if open || callee == procedure || callee == self.unit {
            return Err(Rejection::Wrong("a procedure that calls itself has no summary".to_owned()));
        }
        self.encoder.on(self.subject).forget_locals(&mut way.state, callee);
        let mut calls = place.calls.clone();
        calls.push((procedure, edge));
        let location = self.subject.program.procedures[callee].entry;
        self.arrive(Place { calls, procedure: callee, location }, way, pending)
    }

    /// A call of which only the summary is known.
    fn summary(
        &mut self,
        procedure: ProcId,
        edge: EdgeId,
        callee: ProcId,
        mut way: Way,
    ) -> Result<Way, Rejection> {
        let point = Point { unit: callee, calls: Vec::new(), procedure: callee, head: None };
        let Some(&claim) = self.proof.claims.get(&point) else {
            return Err(Rejection::Wrong("a procedure that is called is not covered".to_owned()));
        };
        let before = way.state.clone();
        let fails = self.read_at_call(claim.fails, &before, &before);
        self.fails((procedure, To::Call(edge, callee)), &[way.guard, fails])?;
        for cell in changes(self.encoder, self.subject, callee) {
            self.encoder.on(self.subject).forget(&mut way.state, in_callee(cell));
        }
        let returns = self.read_at_call(claim.returns, &before, &way.state);
        let mut conditions = vec![way.guard, returns];
        let mut coder = self.encoder.on(self.subject);
        coder.take_result(&mut way.state, (procedure, edge), callee, CALLEE, &mut conditions);
        way.state.drop_locals(CALLEE);
        way.guard = self.encoder.terms.and(&conditions);
        Ok(way)
    }

    /// At the exit of a procedure: back to the caller, or out of the unit.
    fn leave(&mut self, place: Place, mut way: Way, pending: &mut Pending) -> Result<(), Rejection> {
        let Place { mut calls, procedure, .. } = place;
        let mut conditions = vec![way.guard];
        if let Some((caller, edge)) = calls.pop() {
            let mut coder = self.encoder.on(self.subject);
            coder.take_result(&mut way.state, (caller, edge), procedure, Frame::ONLY, &mut conditions);
            way.guard = self.encoder.terms.and(&conditions);
            let location = self.subject.program.procedures[caller].edges[edge].target;
            return self.arrive(Place { calls, procedure: caller, location }, way, pending);
        }
        if self.proof.units.contains(&procedure) {
            for cell in changes(self.encoder, self.subject, procedure) {
                let value = self.encoder.on(self.subject).get(&way.state, cell);
                let exit = at_exit(self.encoder, self.subject, cell);
                conditions.push(self.encoder.terms.eq(exit, value));
            }
        }
        let exit = self.subject.program.procedures[procedure].exit;
        self.returns((procedure, To::Location(exit)), &conditions)
    }

    /// A claim about the state at a place.
    fn read(&mut self, claim: Term, state: &State) -> Term {
        let mut values = FxHashMap::default();
        for symbol in self.encoder.terms.symbols(claim) {
            if let Some(cell) = self.encoder.cell_of(symbol) {
                let value = self.encoder.on(self.subject).get(state, cell);
                values.insert(symbol, value);
            }
        }
        self.encoder.terms.substitute(claim, &values)
    }

    /// A claim about the state at the entry of a callee and the one at its exit.
    fn read_at_call(&mut self, claim: Term, before: &State, after: &State) -> Term {
        let mut values = FxHashMap::default();
        for symbol in self.encoder.terms.symbols(claim) {
            let (state, cell) = match (self.exits.get(&symbol), self.encoder.cell_of(symbol)) {
                (Some(&cell), _) => (after, cell),
                (None, Some(cell)) => (before, cell),
                (None, None) => continue,
            };
            let value = self.encoder.on(self.subject).get(state, in_callee(cell));
            values.insert(symbol, value);
        }
        self.encoder.terms.substitute(claim, &values)
    }

    /// That conditions under which an error is reached hold only in states that are said to fail.
    fn fails(&mut self, to: (ProcId, To), conditions: &[Term]) -> Result<(), Rejection> {
        let mut given = conditions.to_vec();
        let fails = self.from.map(|claim| claim.fails);
        given.extend(fails.map(|fails| self.encoder.terms.not(fails)));
        self.refute(to, given, "an error may be reached from a state that is said not to fail")
    }

    /// That conditions under which the unit is left hold only for pairs of states that are said to be
    /// related.
    fn returns(&mut self, to: (ProcId, To), conditions: &[Term]) -> Result<(), Rejection> {
        let Some(claim) = self.from else { return Ok(()) };
        if !self.proof.units.contains(&self.unit) {
            return Ok(());
        }
        let mut given = conditions.to_vec();
        given.push(self.encoder.terms.not(claim.returns));
        self.refute(to, given, "a procedure may return otherwise than its summary says")
    }

    fn refute(&mut self, to: (ProcId, To), given: Vec<Term>, complaint: &str) -> Result<(), Rejection> {
        self.checked.triples += 1;
        let asked = given.clone();
        let Checker { encoder, solvers, background, .. } = self;
        let Some(model) = refute(encoder, self.subject, solvers, background, given, self.budget)? else {
            return Ok(());
        };
        self.broken = Some(self.what_breaks(to, &asked, &model));
        let name = &self.subject.program.procedures[to.0].name;
        Err(Rejection::Wrong(format!("{complaint}, in `{name}`")))
    }

    /// A triple that a model breaks: what the question speaks of has which values.
    fn what_breaks(&self, to: (ProcId, To), asked: &[Term], model: &Model) -> Broken {
        let mut before = Vec::new();
        let mut after = Vec::new();
        for symbol in self.encoder.terms.symbols_of(asked).into_iter().take(MAX_VALUES) {
            let Some(value) = model.get(symbol).map(shown) else { continue };
            let exit = self.exits.get(&symbol).copied();
            let Some(cell) = exit.or_else(|| self.encoder.cell_of(symbol)) else { continue };
            let name = name_of(self.subject.program, cell);
            if exit.is_some() { after.push((name, value)) } else { before.push((name, value)) }
        }
        Broken { from: self.point, to, before, after }
    }
}

fn name_of(program: &Program, cell: Cell) -> String {
    match cell {
        Cell::Global(var) | Cell::Local(_, var) => program.variables[var].name.clone(),
        Cell::Region(region) => format!("memory {}", region.index()),
    }
}

fn in_callee(cell: Cell) -> Cell {
    match cell {
        Cell::Local(_, var) => Cell::Local(CALLEE, var),
        other => other,
    }
}
