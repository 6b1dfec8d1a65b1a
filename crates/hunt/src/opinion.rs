//! A second opinion on the encoding, by the interpreter.
//!
//! - A run is followed step by step by the encoder (`shadow`): its values satisfy what the encoder asks for, and
//!   what the encoder computes is what the run has.
//! - The path of a run, executed symbolically from the start, has a model in which the values drawn are those of the
//!   run. A contradiction there is how a wrong TRUE begins.
//! - A model of the path, whatever values it has, is a run: the interpreter gets its inputs, and after each
//!   statement all cells that changed hold what the model says.

use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, Stop};
use hardbop_ir::interpret::{Interpreter, Observer, Run, View};
use hardbop_ir::testing::Random;
use hardbop_ir::{EdgeId, ProcId, Program, Type, open_locations};
use hardbop_logic::{Evaluator, Model, Sort, Term, Value};
use hardbop_semantics::path::{PathStep, Walk};
use hardbop_semantics::{Cell, Encoder, Frame, Guide, Meaning, Subject};
use hardbop_shadow::Draws;
use hardbop_solver::{Answer, new_solver};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::clock::within;
use crate::record::{self, Recorded};
use crate::report::Report;

/// Paths that are longer are not asked about.
const LONGEST: usize = 1200;

/// Addresses below this are none of any object.
const NO_ADDRESS: u128 = 4096;

/// Follows a random run with the encoder.
pub fn follow(
    name: &str,
    program: &Program,
    steps: u64,
    seconds: f64,
    random: &mut Random,
    report: &mut Report,
) {
    let (seed, interval) = (random.bits(), random.pick(&[1, 8, 40]));
    let followed = within(seconds, |budget| -> Result<Result<u64, String>, Stop> {
        let alias = Alias::of(program, budget)?;
        let regions = Regions::of(program, &alias, &[], budget)?;
        let subject = Subject { program, alias: &alias, regions: &regions };
        let followed = hardbop_shadow::follow(subject, &mut Draws::new(seed), steps, interval, &mut ());
        Ok(followed.map(|followed| followed.steps))
    });
    match followed {
        Ok(Ok(steps)) => {
            report.count("runs followed");
            report.add("steps followed", steps);
        }
        Ok(Err(wrong)) => {
            report.count("runs followed that differ");
            report.findings.push(format!("encoder and run differ in {name}: {wrong}"));
        }
        Err(_) => report.count("runs not followed for lack of time"),
    }
}

/// Asks about the path of a run that ends in an error.
pub fn path(name: &str, program: &Program, run: &Run, seconds: f64, report: &mut Report) {
    let draws: Vec<u128> = run.draws.iter().map(|draw| draw.value).collect();
    let mut inputs = hardbop_ir::interpret::ListInputs::all(draws);
    let recorded = within(seconds, |budget| record::record(program, &mut inputs, budget));
    if recorded.steps.len() > LONGEST {
        report.count("paths skipped: too long");
        return;
    }
    let asked = within(seconds, |budget| ask(program, run, &recorded, budget));
    match asked {
        Ok(Opinion::Possible(Compared::Equal { cells, steps })) => {
            report.count("paths: the run satisfies the formula");
            report.count("models: runs, statement by statement");
            report.add("models: statements compared", steps);
            report.add("models: cells compared", cells);
        }
        Ok(Opinion::Possible(Compared::Different { at, arbitrary })) => {
            report.count("paths: the run satisfies the formula");
            if arbitrary {
                report.count("models: not a run where the encoder says arbitrary");
            } else {
                report.count("models: not a run elsewhere");
                report.notes.push(format!("a model is no run in {name}: {at}"));
            }
        }
        Ok(Opinion::Possible(Compared::NoModel)) => report.count("paths: the run satisfies the formula"),
        Ok(Opinion::Impossible(core)) => {
            report.count("paths: the run contradicts the formula");
            report.findings.push(format!("a run contradicts its path formula in {name}: {core}"));
        }
        Ok(Opinion::Unknown) | Err(_) => report.count("paths: undecided"),
    }
}

enum Opinion {
    Possible(Compared),
    Impossible(String),
    Unknown,
}

enum Compared {
    Equal { cells: u64, steps: u64 },
    Different { at: String, arbitrary: bool },
    NoModel,
}

/// The steps of a run as a path, without the last one, which is the error.
fn path_of(recorded: &Recorded) -> Vec<PathStep> {
    let pairs = recorded.steps.windows(2);
    pairs
        .map(|pair| match pair[1].depth.cmp(&pair[0].depth) {
            std::cmp::Ordering::Greater => PathStep::Enter(pair[0].edge, pair[1].procedure),
            std::cmp::Ordering::Equal => PathStep::Edge(pair[0].edge),
            std::cmp::Ordering::Less => PathStep::Leave,
        })
        .collect()
}

fn ask(program: &Program, run: &Run, recorded: &Recorded, budget: &Budget) -> Result<Opinion, Stop> {
    let Some(entry) = program.entry else { return Ok(Opinion::Unknown) };
    let alias = Alias::of(program, budget)?;
    let regions = Regions::of(program, &alias, &[], budget)?;
    let subject = Subject { program, alias: &alias, regions: &regions };
    let steps = path_of(recorded);
    let mut encoder = Encoder::default();
    encoder.record_fresh();
    let walked = walk(&mut encoder, subject, entry, &steps);
    let conditions: Vec<Term> = walked.walk.conditions.iter().map(|&(_, term)| term).collect();
    let axioms = encoder.on(subject).axioms(&conditions);
    let drawn = drawn_values(&mut encoder, &walked.walk, run);
    let mut solver = new_solver(program.uses_integers(), budget);
    let all: Vec<Term> = axioms.iter().chain(&conditions).chain(&drawn).copied().collect();
    match solver.check(&encoder.terms, &all) {
        Answer::Sat => {}
        Answer::Unsat => {
            let about = |&i: &usize| match i.checked_sub(axioms.len()) {
                None => "an axiom".to_owned(),
                Some(i) if i < conditions.len() => {
                    let step = recorded.steps[walked.walk.conditions[i].0];
                    let p = &program.procedures[step.procedure];
                    let statement = &p.edges[step.edge].statement;
                    format!("{}: `{}`", p.name, program.show_statement(statement))
                }
                Some(_) => "a value that was drawn".to_owned(),
            };
            let core: Vec<String> = solver.core().iter().map(about).collect();
            return Ok(Opinion::Impossible(core.join("; ")));
        }
        Answer::Unknown(_) => return Ok(Opinion::Unknown),
    }
    let free: Vec<Term> = axioms.iter().chain(&conditions).copied().collect();
    let mut solver = new_solver(program.uses_integers(), budget);
    if solver.check(&encoder.terms, &free) != Answer::Sat {
        return Ok(Opinion::Possible(Compared::NoModel));
    }
    let model = solver.model(&encoder.terms);
    Ok(Opinion::Possible(compare(&mut encoder, subject, program, &walked, &steps, &model, budget)))
}

/// A path that was executed.
struct Walked {
    walk: Walk,
    /// What changed in each step.
    changes: Vec<Vec<(Cell, Term)>>,
    /// The frame after each step.
    frames: Vec<Frame>,
    /// Where several edges leave: the first of them, which are enabled, and which was taken.
    choices: Vec<((ProcId, EdgeId), Vec<Term>, usize)>,
}

fn walk(encoder: &mut Encoder, subject: Subject<'_>, entry: ProcId, steps: &[PathStep]) -> Walked {
    let mut coder = encoder.on(subject);
    let mut walk = Walk::from_start(&mut coder, entry);
    let mut known: FxHashMap<Cell, Term> = walk.state.written().into_iter().collect();
    let (mut changes, mut frames, mut choices) = (Vec::new(), Vec::new(), Vec::new());
    let mut open = FxHashMap::default();
    for &step in steps {
        if let PathStep::Edge(edge) | PathStep::Enter(edge, _) = step {
            let procedure = walk.procedure();
            let open = open.entry(procedure).or_insert_with(|| open_locations(subject.program, procedure));
            let source = subject.program.procedures[procedure].edges[edge].source;
            if let Some(edges) = open.get(&source)
                && let Some(taken) = edges.iter().position(|&other| other == edge)
            {
                let enabled = coder.enabled(&walk.state, procedure, edges);
                choices.push(((procedure, edges[0]), enabled, taken));
            }
        }
        walk.step(&mut coder, step);
        let mut changed = walk.state.written();
        changed.retain(|(cell, term)| known.insert(*cell, *term) != Some(*term));
        changes.push(changed);
        frames.push(walk.frame());
    }
    Walked { walk, changes, frames, choices }
}

/// The values that a run drew, as equations about the symbols of its path.
fn drawn_values(encoder: &mut Encoder, walk: &Walk, run: &Run) -> Vec<Term> {
    let mut of_run: FxHashMap<(ProcId, EdgeId), Vec<u128>> = FxHashMap::default();
    for draw in &run.draws {
        let address = draw.source == hardbop_ir::interpret::DrawSource::Address;
        let choice = draw.source == hardbop_ir::interpret::DrawSource::Choice;
        if draw.storage.is_none() && !address && !choice {
            of_run.entry((draw.procedure, draw.edge)).or_default().push(draw.value);
        }
    }
    let mut of_walk: FxHashMap<(ProcId, EdgeId), Vec<Term>> = FxHashMap::default();
    for draw in &walk.draws {
        of_walk.entry((draw.procedure, draw.edge)).or_default().push(draw.value);
    }
    let mut equations = Vec::new();
    for (site, symbols) in of_walk {
        let Some(values) = of_run.get(&site).filter(|values| values.len() == symbols.len()) else { continue };
        for (&symbol, &value) in symbols.iter().zip(values) {
            let terms = &mut encoder.terms;
            let value = match terms.sort(symbol) {
                Sort::Bool => terms.bool(value != 0),
                Sort::Int => terms.int(value.cast_signed()),
                Sort::BitVec(width) => terms.bv(value, width),
                Sort::Array(..) => continue,
            };
            equations.push(terms.eq(symbol, value));
        }
    }
    equations
}

/// Gives the inputs of a model to the interpreter, which runs `runs`, and compares what cells hold, statement by statement.
fn compare(
    encoder: &mut Encoder,
    subject: Subject<'_>,
    runs: &Program,
    walked: &Walked,
    steps: &[PathStep],
    model: &Model,
    budget: &Budget,
) -> Compared {
    let mut guide = guide(encoder, walked, model);
    let known = known_symbols(encoder, walked);
    let mut comparer = Comparer {
        encoder,
        subject,
        walked,
        steps,
        model,
        evaluator: Evaluator::new(),
        known,
        at: 0,
        cells: 0,
        different: None,
    };
    let options = hardbop_ir::interpret::RunOptions {
        limits: hardbop_ir::interpret::Limits { steps: steps.len() as u64 + 1, ..record::LIMITS },
        budget: budget.clone(),
        sink: None,
    };
    Interpreter::new(runs).observe(&mut guide, options, &mut comparer);
    if let Some((at, arbitrary)) = comparer.different {
        return Compared::Different { at, arbitrary };
    }
    if comparer.at < steps.len() {
        let at = format!("the run ends after {} of {} steps", comparer.at, steps.len());
        let arbitrary = comparer.is_vague(comparer.at);
        return Compared::Different { at, arbitrary };
    }
    Compared::Equal { cells: comparer.cells, steps: steps.len() as u64 }
}

fn guide(encoder: &Encoder, walked: &Walked, model: &Model) -> Guide {
    let mut guide = Guide::default();
    let mut evaluator = Evaluator::new();
    let mut value = |term: Term| evaluator.value(&encoder.terms, term, model);
    for draw in &walked.walk.draws {
        if let Some(drawn) = value(draw.value) {
            guide.draw((draw.procedure, draw.edge), &drawn);
        }
    }
    for (site, enabled, taken) in &walked.choices {
        let enabled: Vec<bool> =
            enabled.iter().map(|&e| value(e).and_then(|v| v.as_bool()) == Some(true)).collect();
        if enabled.iter().filter(|&&enabled| enabled).count() > 1 {
            let before = enabled[..*taken].iter().filter(|&&enabled| enabled).count();
            guide.choose(*site, &Value::bv(before as u128, 32));
        }
    }
    for activation in walked.walk.activations() {
        guide.enter(encoder, activation, &mut value);
    }
    for (frame, fresh) in &walked.walk.fresh {
        guide.storage(*frame, fresh, &mut value);
    }
    guide
}

/// The symbols whose values the run gets or determines; all others are the encoder's "arbitrary".
fn known_symbols(encoder: &Encoder, walked: &Walked) -> FxHashSet<Term> {
    let mut known: FxHashSet<Term> = FxHashSet::default();
    let mut add = |term: Term| known.extend(encoder.terms.symbols(term));
    walked.walk.draws.iter().for_each(|draw| add(draw.value));
    for (_, fresh) in &walked.walk.fresh {
        fresh.parts.iter().for_each(|&(_, _, term)| add(term));
    }
    known
}

struct Comparer<'a, 's> {
    encoder: &'a mut Encoder,
    subject: Subject<'s>,
    walked: &'a Walked,
    steps: &'a [PathStep],
    model: &'a Model,
    evaluator: Evaluator,
    known: FxHashSet<Term>,
    /// How many steps were taken.
    at: usize,
    cells: u64,
    /// The first difference, and whether the encoder leaves it open.
    different: Option<(String, bool)>,
}

impl Observer for Comparer<'_, '_> {
    fn step(&mut self, view: &View<'_, '_>) {
        if self.different.is_some() || self.at > self.steps.len() {
            return;
        }
        if self.at > 0 {
            self.compare(view, self.at - 1);
        }
        if self.different.is_none()
            && let Some(&(PathStep::Edge(edge) | PathStep::Enter(edge, _))) = self.steps.get(self.at)
            && edge != view.edge()
        {
            let wrong = format!("the run takes another way at {}", self.statement(view, edge));
            self.different = Some((wrong, self.is_vague(self.at)));
        }
        self.at += 1;
    }
}

impl Comparer<'_, '_> {
    fn statement(&self, view: &View<'_, '_>, edge: EdgeId) -> String {
        let p = &self.subject.program.procedures[view.procedure()];
        let statement = p.edges.get(edge).map(|e| self.subject.program.show_statement(&e.statement));
        format!("{}: `{}`", p.name, statement.unwrap_or_default())
    }

    /// Whether a condition or a change up to a step depends on what the encoder leaves open.
    fn is_vague(&self, at: usize) -> bool {
        let conditions = self.walked.walk.conditions.iter().filter(|(step, _)| *step <= at);
        let changes = self.walked.changes.iter().take(at + 1).flatten();
        let mut terms = conditions.map(|&(_, term)| term).chain(changes.map(|&(_, term)| term));
        terms.any(|term| self.is_open(term))
    }

    /// Whether a term depends on an address, on the result of a function that the encoder does not
    /// interpret (floating-point arithmetic), or on a symbol that stands for nothing of the run.
    fn is_open(&self, term: Term) -> bool {
        self.encoder.terms.symbols(term).into_iter().any(|symbol| match self.encoder.meaning_of(symbol) {
            Some(Meaning::Address(_) | Meaning::Function | Meaning::Watched { .. }) => true,
            Some(Meaning::Cell(_)) => false,
            None => !self.known.contains(&symbol),
        })
    }

    /// Compares the cells that a step changed.
    fn compare(&mut self, view: &View<'_, '_>, step: usize) {
        let walked = self.walked;
        for &(cell, term) in &walked.changes[step] {
            let Some(actual) = self.actual(view, cell, walked.frames[step]) else { continue };
            let Some(expected) = self.evaluator.value(&self.encoder.terms, term, self.model) else {
                continue;
            };
            let Some(expected) = expected.as_drawn() else { continue };
            self.cells += 1;
            if expected != actual {
                let name = self.encoder.on(self.subject).cell_name(cell);
                let before = match self.steps[step] {
                    PathStep::Edge(edge) => self.statement(view, edge),
                    PathStep::Enter(..) => "a call".to_owned(),
                    PathStep::Leave => "a return".to_owned(),
                };
                let wrong =
                    format!("after {before}: {name} is {expected} in the model and {actual} in the run");
                self.different = Some((wrong, self.is_open(term) || self.is_vague(step)));
                return;
            }
        }
    }

    /// What a cell holds in the run, if it is a scalar that is no address.
    fn actual(&mut self, view: &View<'_, '_>, cell: Cell, frame: Frame) -> Option<u128> {
        let program = self.subject.program;
        let var = match cell {
            Cell::Global(var) => var,
            Cell::Local(of, var) if of == frame => var,
            Cell::Local(..) | Cell::Live(_) | Cell::Tally(..) => return None,
            Cell::Region(region) => return self.actual_place(view, region, frame),
        };
        let ty = program.variables[var].ty;
        let width = match *program.ty(ty) {
            Type::Machine { width, .. } => width,
            Type::Bool => 1,
            Type::Integer => 128,
            Type::Pointer(_) | Type::Float(_) => return None,
            _ => return None,
        };
        let bits = match view.variable(var).ok()? {
            hardbop_ir::interpret::Value::Truth(value) => value.into(),
            hardbop_ir::interpret::Value::Integer(value) => value.cast_unsigned(),
            _ => return None,
        };
        let bits = if width < 128 { bits & ((1 << width) - 1) } else { bits };
        self.may_compare(width, bits).then_some(bits)
    }

    /// A number as wide as an address may be one, and those of a model are others than those of a run.
    fn may_compare(&self, width: u16, bits: u128) -> bool {
        width != self.subject.program.data_model.pointer_bits() || bits < NO_ADDRESS
    }

    /// What the only place of a region holds.
    fn actual_place(
        &mut self,
        view: &View<'_, '_>,
        region: hardbop_alias::RegionId,
        frame: Frame,
    ) -> Option<u128> {
        let _ = frame;
        let Sort::BitVec(width) = self.encoder.on(self.subject).cell_sort(Cell::Region(region)) else {
            return None;
        };
        let &[(object, bytes)] = &self.subject.regions.region(region).cells[..] else { return None };
        let hardbop_alias::ObjectKind::Variable(var) = self.subject.alias.objects()[object].kind else {
            return None;
        };
        let owner = self.subject.alias.objects().owner(var);
        if owner.is_some_and(|owner| owner != view.procedure()) {
            return None;
        }
        let address = view.address(var).ok()?.wrapping_add(bytes.offset);
        let bytes = view.bytes(address, u64::from(width.div_ceil(8))).ok()?;
        let mut bits = 0;
        for byte in bytes.iter().rev() {
            bits = bits << 8 | u128::from((*byte)?);
        }
        self.may_compare(width as u16, bits).then_some(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Id;

    fn program(value: u32) -> Program {
        let text = format!(
            "program 1 LP64\nstatic g: i32 = 0\nfn main() {{\n  local x: i32\n  locations 8 entry L0 exit L1\n\
             L0 -> L2: havoc x from nondet __VERIFIER_nondet_int\n\
             L2 -> L3: g := {value}\n\
             L3 -> L4: assume (g == 5)\n\
             L3 -> L6: assume (g != 5)\n\
             L4 -> L5: assume (x == 9)\n\
             L4 -> L6: assume (x != 9)\n\
             L5 -> L6: error function reach_error\n\
             L6 -> L1: return\n}}\nentry main\n"
        );
        match hardbop_ir::text::parse(Id::from_usize(0), &text) {
            Ok(program) => program,
            Err(errors) => panic!("{errors:?}"),
        }
    }

    /// Asks about a run of one program, encoded as that of another.
    fn opinion(ran: &Program, encoded: &Program) -> Opinion {
        let budget = Budget::unlimited();
        let run = record::run(ran, &mut hardbop_ir::interpret::ListInputs::all([9]), &budget);
        let recorded =
            record::record(ran, &mut hardbop_ir::interpret::ListInputs::replay(&run.draws), &budget);
        ask(encoded, &run, &recorded, &budget).unwrap()
    }

    #[test]
    fn a_run_satisfies_its_own_path_and_no_other() {
        let same = opinion(&program(5), &program(5));
        assert!(matches!(same, Opinion::Possible(Compared::Equal { cells: 2, steps: 4 })));
        let Opinion::Impossible(core) = opinion(&program(5), &program(6)) else { panic!("possible") };
        assert!(core.contains("assume"), "{core}");
    }

    #[test]
    fn a_model_that_is_no_run_is_told_with_the_statement() {
        let (right, wrong) = (program(5), program(6));
        let budget = Budget::unlimited();
        let inputs = &mut hardbop_ir::interpret::ListInputs::all([9]);
        let recorded = record::record(&right, inputs, &budget);
        let alias = Alias::of(&right, &budget).unwrap();
        let regions = Regions::of(&right, &alias, &[], &budget).unwrap();
        let subject = Subject { program: &right, alias: &alias, regions: &regions };
        let mut encoder = Encoder::default();
        let steps = path_of(&recorded);
        let walked = walk(&mut encoder, subject, right.entry.unwrap(), &steps);
        let model = Model::default();
        let compared = compare(&mut encoder, subject, &wrong, &walked, &steps, &model, &budget);
        let Compared::Different { at, arbitrary: false } = compared else { panic!("equal") };
        assert_eq!(at, "after main: `g := 5`: g is 5 in the model and 6 in the run");
    }
}
