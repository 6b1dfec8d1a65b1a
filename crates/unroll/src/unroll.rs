//! The execution itself.

use hardbop_base::{Budget, Stop};
use hardbop_ir::{EdgeId, Key, LocationId, Orders, ProcId};
use hardbop_logic::{Evaluator, Model, Sort, Term, Terms};
use hardbop_semantics::walk::{Here, JoinedPaths, Site, Walker, walk};
use hardbop_semantics::{Coder, Encoder, End, Frame, Fresh, State, Subject};
use hardbop_solver::{Answer, Solver};
use rustc_hash::FxHashMap;

/// How far to go.
#[derive(Debug, Clone, Copy)]
pub struct UnrollOptions {
    /// How often a loop is repeated, and a procedure calls itself, where that could have ended.
    pub bound: u32,
    /// How many edges are executed in all; a loop takes at most half of what is left.
    pub steps: u64,
    /// How deeply calls are nested.
    pub depth: usize,
}

/// An error, or something unsupported, and when it is reached.
#[derive(Debug, Clone, Copy)]
pub struct Failure {
    /// Under which condition.
    pub guard: Term,
    /// The procedure.
    pub procedure: ProcId,
    /// The edge that fails.
    pub edge: EdgeId,
}

/// A value that an edge drew.
#[derive(Debug, Clone, Copy)]
pub struct Drawn {
    /// When.
    pub guard: Term,
    /// The procedure.
    pub procedure: ProcId,
    /// The edge.
    pub edge: EdgeId,
    /// The symbol for the value.
    pub value: Term,
}

/// An activation of a procedure.
#[derive(Debug, Clone, Copy)]
pub struct Entered {
    /// When.
    pub guard: Term,
    /// The procedure.
    pub procedure: ProcId,
    /// Its frame.
    pub frame: Frame,
}

/// All runs up to a bound. Guards of runs that differ exclude each other.
#[derive(Debug, Clone, Default)]
pub struct Unrolling {
    /// What guards stand for; true in every run.
    pub definitions: Vec<Term>,
    /// All errors that are not plainly out of reach.
    pub failures: Vec<Failure>,
    /// When a run is longer than the bound allows.
    pub cut: Vec<Term>,
    /// The values drawn, in the order of a run.
    pub drawn: Vec<Drawn>,
    /// Which of the edges that were enabled was chosen, in the order of a run. The edge is the first
    /// that leaves the location.
    pub chosen: Vec<Drawn>,
    /// The activations, in the order of a run.
    pub entered: Vec<Entered>,
    /// Storage that holds what was not written, with when it came into being and the frame of the activation
    /// where that happened, in the order of a run; only if the encoder records it.
    pub fresh: Vec<(Term, Frame, Fresh)>,
    /// Edges executed.
    pub steps: u64,
    /// Whether something was cut off for the number of steps.
    pub out_of_steps: bool,
    /// Why the solver gave up, if it did. What is here is incomplete then.
    pub gave_up: Option<String>,
}

/// Unrolls a program from its entry. The solver must be a fresh one for the encoder's terms, without a
/// limit that is not wanted here either; the definitions are asserted there on return.
pub fn unroll(
    subject: Subject<'_>,
    encoder: &mut Encoder,
    solver: &mut dyn Solver,
    options: UnrollOptions,
    budget: &Budget,
) -> Result<Unrolling, Stop> {
    let Some(entry) = subject.program.entry else { return Ok(Unrolling::default()) };
    let mut state = State::new(Frame::ONLY);
    let mut conditions = Vec::new();
    encoder.restart_names();
    encoder.on(subject).initialise(&mut state, &mut conditions);
    let guard = encoder.terms.and(&conditions);
    let mut unroller = Unroller {
        subject,
        encoder,
        solver,
        options,
        budget,
        orders: Orders::default(),
        names: FxHashMap::default(),
        known: None,
        found: Unrolling::default(),
        frames: 0,
        stack: Vec::new(),
    };
    unroller.activation(entry, JoinedPaths { state, guard })?;
    Ok(unroller.found)
}

struct Unroller<'a> {
    subject: Subject<'a>,
    encoder: &'a mut Encoder,
    solver: &'a mut dyn Solver,
    options: UnrollOptions,
    budget: &'a Budget,
    orders: Orders,
    /// Symbols that stand for large guards.
    names: FxHashMap<Term, Term>,
    /// The last run that the solver found.
    known: Option<KnownRun>,
    found: Unrolling,
    frames: u32,
    stack: Vec<Activation>,
}

/// A run that goes on with inputs of zero where its model ends. Where it goes on, no solver is needed to say that some run does;
/// a loop that is not left is followed for hundreds of rounds.
struct KnownRun {
    model: Model,
    values: Evaluator,
    /// Names that are newer than the model, with what they stand for.
    names: Vec<(Term, Term)>,
}

impl KnownRun {
    /// Whether it satisfies a guard. Nothing depends on that but how far is searched.
    fn satisfies(&mut self, terms: &Terms, guard: Term) -> bool {
        for (name, stands_for) in self.names.drain(..) {
            let value = self.values.value(terms, stands_for, &self.model);
            self.model.values.extend(value.map(|value| (name, value)));
        }
        self.values.value(terms, guard, &self.model).and_then(|value| value.as_bool()) == Some(true)
    }
}

struct Activation {
    procedure: ProcId,
    /// The condition under which it was entered.
    guard: Term,
    /// Whether it could have ended without the call that is going on.
    optional: bool,
    /// What is known of each loop, in the iterations of those around it.
    loops: FxHashMap<Key, Loop>,
    /// When the loop around its call is cut off.
    end: u64,
    /// The number of steps after which its innermost loop that is going on is cut off.
    until: u64,
}

impl Activation {
    /// When the innermost of some loops is cut off, which are given as in a key.
    fn end(&self, loops: &[u32]) -> u64 {
        let innermost = loops.split_last().and_then(|(_, key)| self.loops.get(key));
        innermost.map_or(self.end, |innermost| innermost.end)
    }
}

/// Enough for the number of edges that leave a location.
const CHOICE_BITS: u32 = 32;

impl Unroller<'_> {
    /// Executes a procedure in the frame of the state; how it is left.
    fn activation(&mut self, procedure: ProcId, mut way: JoinedPaths) -> Result<Option<JoinedPaths>, Stop> {
        self.encoder.on(self.subject).enter(&mut way.state, procedure);
        way.guard = self.named(way.guard);
        self.note_fresh(way.guard, way.state.frame());
        self.found.entered.push(Entered { guard: way.guard, procedure, frame: way.state.frame() });
        let end = self.stack.last().map_or(self.options.steps, |caller| caller.until);
        let (guard, loops) = (way.guard, FxHashMap::default());
        self.stack.push(Activation { procedure, guard, optional: false, loops, end, until: end });
        let left = walk(self, procedure, self.subject.program.procedures[procedure].entry, way)?;
        self.stack.pop();
        Ok(left)
    }

    fn current(&mut self) -> &mut Activation {
        self.stack.last_mut().expect("a walk is in an activation")
    }

    /// Whether a loop is entered once more.
    fn goes_on(&mut self, key: &Key, way: &JoinedPaths) -> Result<bool, Stop> {
        let again = key[key.len() - 2] > 0;
        let steps = self.found.steps;
        let current = self.current();
        let around = current.end(&key[..key.len() - 3]);
        let this = current.loops.entry(key[..key.len() - 2].to_vec()).or_default();
        if !again {
            this.end = steps + around.saturating_sub(steps) / 2;
        }
        let same = this.guard.replace(way.guard) == Some(way.guard);
        if !again {
            return Ok(true);
        }
        let (end, optional) = (this.end, this.optional);
        if steps >= end.min(self.options.steps) || optional > self.options.bound {
            self.found.out_of_steps |= optional <= self.options.bound;
            self.found.cut.push(way.guard);
            return Ok(false);
        }
        Ok(same || self.is_possible(way.guard)?)
    }

    /// Whether some run satisfies a guard. If the solver does not know, unrolling ends.
    fn is_possible(&mut self, guard: Term) -> Result<bool, Stop> {
        let guard = self.named(guard);
        if let Some(value) = self.encoder.terms.as_bool(guard) {
            return Ok(value);
        }
        if self.known.as_mut().is_some_and(|run| run.satisfies(&self.encoder.terms, guard)) {
            return Ok(true);
        }
        match self.solver.check(&self.encoder.terms, &[guard]) {
            Answer::Sat => {
                let model = self.solver.model(&self.encoder.terms);
                self.known = Some(KnownRun { model, values: Evaluator::new(), names: Vec::new() });
                Ok(true)
            }
            Answer::Unsat => Ok(false),
            Answer::Unknown(reason) => {
                self.budget.check()?;
                self.found.gave_up = Some(reason.to_string());
                self.options.steps = 0;
                Ok(false)
            }
        }
    }

    fn drew(&mut self, before: usize, guard: Term, (procedure, edge): Site) {
        let drawn = self.encoder.on(self.subject).asked_for(procedure, edge, before).into_iter();
        self.found.drawn.extend(drawn.map(|value| Drawn { guard, procedure, edge, value }));
    }

    fn note_fresh(&mut self, guard: Term, frame: Frame) {
        let fresh = self.encoder.take_fresh().into_iter();
        self.found.fresh.extend(fresh.map(|fresh| (guard, frame, fresh)));
    }

    /// A guard under a short name.
    fn named(&mut self, guard: Term) -> Term {
        if !self.encoder.is_long(guard) {
            return guard;
        }
        if let Some(&name) = self.names.get(&guard) {
            return name;
        }
        let name = format!("#guard {}", self.names.len());
        let name = self.encoder.terms.symbol(&name, Sort::Bool);
        let definition = self.encoder.terms.iff(name, guard);
        self.names.insert(guard, name);
        if let Some(run) = &mut self.known {
            run.names.push((name, guard));
        }
        self.solver.assert(&self.encoder.terms, definition);
        self.found.definitions.push(definition);
        name
    }
}

impl Walker for Unroller<'_> {
    type Stop = Stop;

    fn parts(&mut self) -> (Coder<'_>, &mut Orders) {
        (self.encoder.on(self.subject), &mut self.orders)
    }

    fn pass(&mut self, here: &Here<'_>, mut way: JoinedPaths) -> Result<Option<JoinedPaths>, Stop> {
        self.budget.check()?;
        let key = &here.key;
        if here.order.is_head(here.location) && !self.goes_on(key, &way)? {
            return Ok(None);
        }
        way.guard = self.named(way.guard);
        let current = self.current();
        current.until = current.end(&key[..key.len() - 1]);
        Ok(Some(way))
    }

    fn take(&mut self) -> Result<(), Stop> {
        self.found.steps += 1;
        Ok(())
    }

    fn execute(&mut self, edge: Site, way: &mut JoinedPaths) -> End {
        let (before, guard) = (self.encoder.drawn(), way.guard);
        let end = way.execute(&mut self.encoder.on(self.subject), edge);
        self.drew(before, guard, edge);
        self.note_fresh(guard, way.state.frame());
        end
    }

    fn call(
        &mut self,
        call: Site,
        callee: ProcId,
        mut way: JoinedPaths,
    ) -> Result<Option<JoinedPaths>, Stop> {
        let caller = self.current();
        caller.optional = caller.guard != way.guard;
        let nested = self.stack.iter().filter(|a| a.procedure == callee);
        let (mut depth, mut optional) = (0, 0);
        for activation in nested {
            depth += 1;
            optional += u32::from(activation.optional);
        }
        let beyond = optional > self.options.bound
            || self.stack.len() >= self.options.depth
            || self.found.steps >= self.options.steps;
        if beyond {
            self.found.out_of_steps |= self.found.steps >= self.options.steps;
            self.found.cut.push(way.guard);
            return Ok(None);
        }
        if depth > 0 && !self.is_possible(way.guard)? {
            return Ok(None);
        }
        self.frames += 1;
        let (outer, frame) = (way.state.frame(), Frame(self.frames));
        way.pass_arguments(&mut self.encoder.on(self.subject), call, callee, frame);
        way.state.enter(frame);
        let Some(mut way) = self.activation(callee, way)? else { return Ok(None) };
        way.state.enter(outer);
        way.take_result(&mut self.encoder.on(self.subject), call, callee, frame);
        way.state.drop_locals(frame);
        Ok(Some(way))
    }

    fn end(&mut self, (procedure, edge): Site, end: End, way: JoinedPaths) {
        if let End::Error(_) | End::Unsupported(_) = end {
            let guard = self.named(way.guard);
            self.found.failures.push(Failure { guard, procedure, edge });
        }
    }

    fn arrive(&mut self, from: &Here<'_>, target: LocationId, way: JoinedPaths) -> Option<JoinedPaths> {
        let (order, key) = (from.order, &from.key);
        for level in order.shared(from.location, target)..order.depth(from.location) {
            // A loop is left: its iteration could end here.
            let left = self.current().loops.entry(key[..2 * level + 1].to_vec()).or_default();
            let iteration = Some(key[2 * level + 1]);
            left.optional += u32::from(left.last != iteration);
            left.last = iteration;
        }
        Some(way)
    }

    /// Somebody chooses one of those that are enabled, by its number.
    fn choices(&mut self, procedure: ProcId, edges: &[EdgeId], way: &JoinedPaths) -> Vec<Term> {
        let mut coder = self.encoder.on(self.subject);
        let enabled = coder.enabled(&way.state, procedure, edges);
        let choice = coder.arbitrary(Sort::BitVec(CHOICE_BITS));
        let terms = &mut self.encoder.terms;
        let mut number = terms.bv(0, CHOICE_BITS);
        let one = terms.bv(1, CHOICE_BITS);
        let mut choices = Vec::new();
        for &enabled in &enabled {
            let same = terms.eq(choice, number);
            choices.push(terms.and(&[enabled, same]));
            let more = terms.bv_add(number, one);
            number = terms.ite(enabled, more, number);
        }
        let few = terms.bv_ule(number, one);
        let several = terms.not(few);
        let guard = terms.and(&[way.guard, several]);
        self.found.chosen.push(Drawn { guard, procedure, edge: edges[0], value: choice });
        choices
    }
}

#[derive(Default)]
struct Loop {
    /// How many of its iterations could have ended it.
    optional: u32,
    /// The last of these.
    last: Option<u32>,
    /// The number of steps after which it is cut off: it may take half of those that are left when it is
    /// entered, of those of the loop around it. One that does not end must not keep what comes behind it, along other ways, from its turn.
    end: u64,
    /// The guard of the iteration that is going on.
    guard: Option<Term>,
}
