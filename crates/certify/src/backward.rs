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
//! F(l) may mention watched symbols ([`Encoder::watched`]) at the heads of loops. Then the claim is that no state that is reached is in F(l),
//! whatever they stand for: paths to l′ are followed for one arbitrary choice, and that s is not in F(l) is used for any
//! choices that are of use.
//!
//! From the start of the program no path leads to an error or to a state in F. By induction on the
//! length of runs, the sets and relations contain what they should, so no error is reached; and since
//! no state that is reached is in F, the complements are invariants.
//!
//! If there are no units, the encoder keeps track of the heap objects that are alive ([`Encoder::track_heap`]), and claims may mention that, and
//! how many there are and in which order they came ([`Encoder::tally_heap`]).
//!
//! The calls that are not of units are followed in the same execution. Shared with who found the proof are
//! the encoder, the analysis of pointers, [`changes`] and the order of execution.

use hardbop_base::Budget;
use hardbop_ir::{EdgeId, LocationId, ProcId, Program, VarKind};
use hardbop_logic::{Model, Node, Term};
use hardbop_semantics::{Cell, Coder, Encoder, Frame, Meaning, Object, State, Subject};
use hardbop_solver::Solver;
use rustc_hash::FxHashMap;

use crate::ask::{Background, refute};
use crate::broken::{Broken, MAX_VALUES, Refusal, To, shown};
use crate::proof::{Checked, Rejection};
use crate::walk::{Check, Place, Places, Way, follow, is_open};

/// The frame of the formals of a unit that is called.
const CALLEE: Frame = Frame(1);

/// The most edges that are executed for one point.
const MAX_STEPS: usize = 200_000;

/// What is said when they do not suffice.
const TOO_LONG: &str = "the program is too large with its calls and the loops without claims written out";

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
    let symbol = encoder.on(subject).initial(cell);
    let name = format!("{} at exit", encoder.terms.symbol_name(symbol).unwrap_or_default());
    let sort = encoder.terms.sort(symbol);
    encoder.terms.symbol(&name, sort)
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
    encoder.leave_shifts_open(true);
    // Summaries of procedures do not say what they free.
    encoder.track_heap(subject, proof.units.is_empty());
    let claimed: Vec<Term> = proof.claims.values().map(|claim| claim.fails).collect();
    let is_tally = |symbol| matches!(encoder.cell_of(symbol), Some(Cell::Tally(..)));
    if encoder.terms.symbols_of(&claimed).into_iter().any(is_tally) {
        encoder.tally_heap();
    }
    let mut checker = Checker {
        subject,
        proof,
        solvers,
        encoder: &mut encoder,
        budget,
        checked: Checked::default(),
        exits: FxHashMap::default(),
        places: Places::new(subject, budget),
        from: None,
        unit: entry,
        steps: 0,
        background: Background::default(),
        point: None,
        broken: None,
    };
    let result = checker.all(entry).and_then(|()| checker.confirm());
    let (checked, broken) = (checker.checked, checker.broken.map(Box::new));
    let result = result.map_err(|why| why.seen_by(&encoder));
    encoder.leave_shifts_open(false);
    encoder.track_heap(subject, false);
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
    places: Places<'a>,
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
            let Claim { fails, returns } = self.proof.claims[&point];
            self.unit = point.unit;
            let location = point.head.unwrap_or(self.subject.program.procedures[point.procedure].entry);
            let mut state = State::new(Frame::ONLY);
            self.encoder.on(self.subject).hold_constants(&mut state);
            if point.head.is_some() && !self.proof.units.contains(&point.unit) {
                self.hold_claimed(fails, &mut state);
            }
            self.from = Some(Claim { fails: self.read(fails, &state), returns: self.read(returns, &state) });
            if point.head.is_none() {
                self.encoder.on(self.subject).forget_locals(&mut state, point.procedure);
            }
            let guard = self.encoder.terms.bool(true);
            self.point = Some((point.procedure, location));
            self.follow(&point.calls, (point.procedure, location), Way { state, guard })?;
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
        self.follow(&[], (entry, location), Way { state, guard })
    }

    /// Gives cells the values that they have in all states that are not said to fail, where a claim says so plainly. Other states
    /// are excluded by the claim, so nothing needs to be shown of them.
    fn hold_claimed(&mut self, fails: Term, state: &mut State) {
        let holds = self.encoder.terms.not(fails);
        let members = match self.encoder.terms.node(holds) {
            Node::And(members) => members.to_vec(),
            _ => vec![holds],
        };
        for member in members {
            let (cell, value) = match *self.encoder.terms.node(member) {
                Node::Symbol { .. } => (member, self.encoder.terms.bool(true)),
                Node::Not(inner) => (inner, self.encoder.terms.bool(false)),
                Node::Eq(a, b) if self.encoder.is_fixed(b) => (a, b),
                Node::Eq(a, b) if self.encoder.is_fixed(a) => (b, a),
                _ => continue,
            };
            if let Some(cell @ (Cell::Global(_) | Cell::Local(..))) = self.encoder.cell_of(cell) {
                self.encoder.on(self.subject).set(state, cell, value);
            }
        }
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
        let is_watched = |symbol| {
            point.head.is_some() && matches!(self.encoder.meaning_of(symbol), Some(Meaning::Watched { .. }))
        };
        let fails = terms.symbols(claim.fails).into_iter().all(|symbol| fits(symbol) || is_watched(symbol));
        let returns = terms.symbols(claim.returns).into_iter();
        let returns = returns.filter(|symbol| !self.exits.contains_key(symbol)).all(fits);
        let entered = point.head.is_some() || self.proof.units.contains(&point.procedure);
        if fails && returns && entered {
            return Ok(());
        }
        Err(Rejection::Wrong("a claim is malformed".to_owned()))
    }

    /// Follows all paths from a location, below some calls, up to the next points.
    fn follow(
        &mut self,
        calls: &[(ProcId, EdgeId)],
        (procedure, location): (ProcId, LocationId),
        way: Way,
    ) -> Result<(), Rejection> {
        self.steps = 0;
        let mut caller = None;
        let callees = calls.iter().skip(1).map(|call| call.0).chain([procedure]);
        for (&(procedure, edge), callee) in calls.iter().zip(callees) {
            let source = self.subject.program.procedures[procedure].edges[edge].source;
            let place = self.places.first(caller, procedure, source);
            caller = self.places.entered(&place, edge, Frame::ONLY, callee).caller;
        }
        let start = self.places.first(caller, procedure, location);
        self.places.add(&mut self.encoder.on(self.subject), start, way);
        follow(self)
    }

    /// That paths to the head of a loop agree with what is claimed of it. If that is nothing, they go on: rounds are
    /// executed one after the other.
    fn reach_head(&mut self, place: Place, way: Way) -> Result<(), Rejection> {
        let Place { procedure, location, .. } = place;
        let mut calls: Vec<_> = place.callers().map(|c| (c.place.procedure, c.edge)).collect();
        calls.reverse();
        let point = Point { unit: self.unit, calls, procedure, head: Some(location) };
        let Some(&claim) = self.proof.claims.get(&point) else {
            self.places.add(&mut self.encoder.on(self.subject), place, way);
            return Ok(());
        };
        let to = (procedure, To::Location(location));
        let fails = self.read(claim.fails, &way.state);
        self.fails(to, &[way.guard, fails])?;
        let returns = self.read(claim.returns, &way.state);
        self.returns(to, &[way.guard, returns])
    }

    /// A call of which only the summary is known.
    fn summary(&mut self, call: (ProcId, EdgeId), callee: ProcId, mut way: Way) -> Result<Way, Rejection> {
        let point = Point { unit: callee, calls: Vec::new(), procedure: callee, head: None };
        let Some(&claim) = self.proof.claims.get(&point) else {
            return Err(Rejection::Wrong("a procedure that is called is not covered".to_owned()));
        };
        let before = way.state.clone();
        let fails = self.read_at_call(claim.fails, &before, &before);
        self.fails((call.0, To::Call(call.1, callee)), &[way.guard, fails])?;
        for cell in changes(self.encoder, self.subject, callee) {
            self.encoder.on(self.subject).forget(&mut way.state, in_callee(cell));
        }
        let returns = self.read_at_call(claim.returns, &before, &way.state);
        let mut conditions = vec![way.guard, returns];
        let mut coder = self.encoder.on(self.subject);
        coder.take_result(&mut way.state, call, callee, CALLEE, &mut conditions);
        way.state.drop_locals(CALLEE);
        way.guard = self.encoder.terms.and(&conditions);
        Ok(way)
    }

    /// That paths to the exit of the unit agree with its summary.
    fn leave_unit(&mut self, procedure: ProcId, way: &Way) -> Result<(), Rejection> {
        let mut conditions = vec![way.guard];
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
        if let Some(claim) = self.from {
            let holds = self.encoder.terms.not(claim.fails);
            given.push(self.encoder.instantiated(holds, conditions));
        }
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

impl<'a> Check<'a> for Checker<'a> {
    fn parts(&mut self) -> (Coder<'_>, &mut Places<'a>) {
        (self.encoder.on(self.subject), &mut self.places)
    }

    fn pass(&mut self, place: &Place, way: Way) -> Result<Option<Way>, Rejection> {
        let p = &self.subject.program.procedures[place.procedure];
        if place.location == p.exit && place.caller.is_none() {
            self.leave_unit(place.procedure, &way)?;
        }
        self.steps += self.places.order(place.procedure).leaving(place.location).len();
        if self.steps > MAX_STEPS {
            return Err(Rejection::Undecided(TOO_LONG.to_owned()));
        }
        Ok(Some(way))
    }

    fn arrive(&mut self, place: Place, way: Way) -> Result<(), Rejection> {
        if self.places.order(place.procedure).is_head(place.location) {
            return self.reach_head(place, way);
        }
        self.places.add(&mut self.encoder.on(self.subject), place, way);
        Ok(())
    }

    fn call(&mut self, at: (&Place, EdgeId), callee: ProcId, mut way: Way) -> Result<Option<Way>, Rejection> {
        let (place, call) = (at.0, (at.0.procedure, at.1));
        let is_unit = self.proof.units.contains(&callee);
        let frame = if is_unit { CALLEE } else { Frame::ONLY };
        let mut conditions = vec![way.guard];
        let mut coder = self.encoder.on(self.subject);
        coder.pass_arguments(&mut way.state, call, callee, frame, &mut conditions);
        way.guard = self.encoder.terms.and(&conditions);
        if is_unit {
            return self.summary(call, callee, way).map(Some);
        }
        let is_open = place.callers().any(|caller| caller.place.procedure == callee);
        if is_open || callee == place.procedure || callee == self.unit {
            return Err(Rejection::Wrong("a procedure that calls itself has no summary".to_owned()));
        }
        self.encoder.on(self.subject).forget_locals(&mut way.state, callee);
        let entry = self.places.entered(place, at.1, Frame::ONLY, callee);
        self.arrive(entry, way)?;
        Ok(None)
    }

    fn error(&mut self, procedure: ProcId, edge: EdgeId, way: &Way) -> Result<(), Rejection> {
        if !is_open(&self.encoder.terms, way.guard) {
            return Ok(());
        }
        self.fails((procedure, To::Edge(edge)), &[way.guard])
    }
}

fn name_of(program: &Program, cell: Cell) -> String {
    match cell {
        Cell::Global(var) | Cell::Local(_, var) => program.variables[var].name.clone(),
        Cell::Region(region) => format!("memory {}", region.index()),
        Cell::Live(_) => "live heap objects".to_owned(),
        Cell::Tally(tally, _) => format!("{} heap objects", tally.name()),
    }
}

fn in_callee(cell: Cell) -> Cell {
    match cell {
        Cell::Local(_, var) => Cell::Local(CALLEE, var),
        other => other,
    }
}
