//! From steps to a boolean program.
//!
//! Each cut point becomes a label, each segment a block of straight-line code behind it:
//! `assume` what its guard allows, assign all new values at once, go to where it ends. The program that
//! comes out has no text yet, hence no spans; each statement has a tag that the [`BackMap`] knows.

use hardbop_bp::Tag;
use hardbop_bp::ast::{self, Expr, Name, Results, Stmt, StmtKind};
use hardbop_ir::{EdgeId, LocationId, ProcId, Statement};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::segment::{Finish, Segment, Start};
use crate::signature::Signature;
use crate::step::{AbstractStep, Minterm, Update, Variable};
use crate::{BackMap, Context, Origin};

/// A procedure, abstracted.
pub(crate) struct Abstracted {
    pub(crate) procedure: ProcId,
    /// Segments with their steps; nothing for those that no run gets through.
    pub(crate) steps: Vec<(Segment, Option<AbstractStep>)>,
    /// Impossible combinations of the predicates in scope.
    pub(crate) impossible: Vec<Minterm>,
}

/// The boolean program of some procedures, and what its parts stand for.
pub(crate) fn emit(context: &Context<'_>, procedures: &[Abstracted]) -> (ast::Program, BackMap) {
    let names = procedure_names(context, procedures);
    let mut back = BackMap::new(context.entry);
    let mut items = Vec::new();
    let globals = &context.signatures.globals;
    if !globals.is_empty() {
        items.push(ast::Item::decl(globals.iter().map(|&i| predicate_name(context, i))));
        back.variables.extend(globals.iter().map(|&i| Some(Variable::Predicate(i))));
    }
    for abstracted in procedures {
        back.procedures.push(abstracted.procedure);
        let mut emitter = Emitter::new(context, abstracted, &names, &mut back);
        items.push(emitter.procedure());
    }
    (ast::Program::of_procedures(items), back)
}

/// The entry is called `main`; a procedure of that name that is not gets another one.
fn procedure_names(context: &Context<'_>, procedures: &[Abstracted]) -> FxHashMap<ProcId, String> {
    let mut taken: FxHashSet<String> = FxHashSet::from_iter(["main".to_owned()]);
    let mut names = FxHashMap::from_iter([(context.entry, "main".to_owned())]);
    for abstracted in procedures {
        let id = abstracted.procedure;
        if id == context.entry {
            continue;
        }
        let plain: String = context.program.procedures[id]
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() || c == '_' || c == '$' { c } else { '_' })
            .collect();
        // A reserved word, or a name that starts with a digit, gets a harmless neighbour.
        let usable = Name::new(plain.clone());
        let mut name = if usable.is_identifier() { plain.clone() } else { format!("{plain}_") };
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        names.insert(id, name);
    }
    names
}

fn predicate_name(context: &Context<'_>, i: usize) -> Name {
    Name::quoted(&context.signatures.names[i])
}

struct Emitter<'a> {
    context: &'a Context<'a>,
    abstracted: &'a Abstracted,
    names: &'a FxHashMap<ProcId, String>,
    back: &'a mut BackMap,
    signature: &'a Signature,
    body: Vec<Stmt>,
    /// Labels for the next statement.
    pending: Vec<Name>,
    /// Labels of the program, which labels made up here must differ from.
    taken: FxHashSet<&'a str>,
    /// Own predicates and global ones are of different moments while a callee runs; combinations
    /// of both are not excluded then.
    uses_calling: bool,
}

impl<'a> Emitter<'a> {
    fn new(
        context: &'a Context<'a>,
        abstracted: &'a Abstracted,
        names: &'a FxHashMap<ProcId, String>,
        back: &'a mut BackMap,
    ) -> Self {
        let signature = context.signatures.of(abstracted.procedure);
        let calls = abstracted.steps.iter().any(|(s, _)| matches!(s.finish, Finish::Call(..)));
        let locations = &context.program.procedures[abstracted.procedure].locations;
        let taken = locations.values().flat_map(|location| &location.labels).map(String::as_str).collect();
        let mut emitter = Emitter {
            context,
            abstracted,
            names,
            back,
            signature,
            body: Vec::new(),
            pending: Vec::new(),
            taken,
            uses_calling: false,
        };
        emitter.uses_calling = calls && abstracted.impossible.iter().any(|cube| emitter.is_mixed(cube));
        emitter
    }

    /// Whether a combination is about both own and global predicates.
    fn is_mixed(&self, cube: &Minterm) -> bool {
        let is_global =
            |v: &Variable| matches!(v, Variable::Predicate(i) if self.context.signatures.globals.contains(i));
        cube.iter().any(|(v, _)| is_global(v)) && cube.iter().any(|(v, _)| !is_global(v))
    }

    fn procedure(&mut self) -> ast::Item {
        self.declare();
        self.enforce();
        let procedure = &self.context.program.procedures[self.abstracted.procedure];
        for start in self.starts() {
            match start {
                Start::Location(location) => self.location(location),
                Start::Call(edge, callee) => self.call(edge, callee),
            }
            self.segments(start);
        }
        let returns =
            self.signature.results.iter().map(|&i| Expr::var(predicate_name(self.context, i))).collect();
        self.label_location(procedure.exit);
        self.push(StmtKind::Return(returns), Origin::Return);
        self.record_points();
        self.drop_unused_labels();
        let results = match self.signature.results.len() {
            0 => Results::Void,
            1 => Results::Bool,
            n => Results::Bools(n as u32),
        };
        let formals = self.signature.entry.iter().map(|&i| predicate_name(self.context, i)).collect();
        let name = self.names[&self.abstracted.procedure].as_str();
        ast::Item::procedure(results, name, formals, std::mem::take(&mut self.body))
    }

    /// The points where segments start, and those that only lead to an end of the program: where
    /// segments finish and no other starts. The entry is the first, also if nothing starts there, as all ways from it
    /// lead to a call that no procedure answers.
    fn starts(&self) -> Vec<Start> {
        let procedure = &self.context.program.procedures[self.abstracted.procedure];
        let exit = procedure.exit;
        let entry = (procedure.entry != exit).then_some(Start::Location(procedure.entry));
        let segments = self.abstracted.steps.iter().map(|(segment, _)| segment);
        let last = segments.clone().filter_map(|segment| match segment.finish {
            Finish::Location(location) => (location != exit).then_some(Start::Location(location)),
            Finish::Call(edge, callee) => Some(Start::Call(edge, callee)),
            Finish::Failure => None,
        });
        let mut seen = FxHashSet::default();
        let all = entry.into_iter().chain(segments.map(|segment| segment.start)).chain(last);
        all.filter(|&start| seen.insert(start)).collect()
    }

    /// Declares all variables that are no formals, and notes what each variable is: formals, locals and
    /// results get their ids in this order.
    fn declare(&mut self) {
        let Signature { own, entry, results } = self.signature;
        let own = own.iter().filter(|i| !entry.contains(i));
        let mut locals: Vec<Variable> = own.map(|&i| Variable::Predicate(i)).collect();
        for callee in self.callees() {
            let signature = self.context.signatures.of(callee);
            locals.extend(signature.entry.iter().map(|&i| Variable::Argument(i)));
            locals.extend(signature.results.iter().map(|&i| Variable::Result(i)));
        }
        let mut names: Vec<Name> = locals.iter().map(|&variable| self.name(variable)).collect();
        let formals = entry.iter().map(|&i| Variable::Predicate(i));
        let mut frame: Vec<Option<Variable>> = formals.chain(locals).map(Some).collect();
        if self.uses_calling {
            names.push(calling());
            frame.push(None);
        }
        frame.extend(results.iter().map(|_| None));
        self.back.variables.extend(frame);
        if !names.is_empty() {
            self.body.push(Stmt::new(StmtKind::Decl(names)));
        }
    }

    /// The procedures that it calls, each once.
    fn callees(&self) -> Vec<ProcId> {
        let mut callees: Vec<ProcId> = Vec::new();
        for (segment, _) in &self.abstracted.steps {
            if let Finish::Call(_, callee) = segment.finish
                && !callees.contains(&callee)
            {
                callees.push(callee);
            }
        }
        callees
    }

    fn enforce(&mut self) {
        let mut clauses = Vec::new();
        for cube in &self.abstracted.impossible {
            let excluded = self.none_of(std::slice::from_ref(cube));
            let mixed = self.uses_calling && self.is_mixed(cube);
            clauses.push(if mixed { Expr::or(vec![Expr::var(calling()), excluded]) } else { excluded });
        }
        if !clauses.is_empty() {
            self.body.push(Stmt::new(StmtKind::Enforce(Expr::and(clauses))));
        }
    }

    fn location(&mut self, location: LocationId) {
        self.label_location(location);
    }

    fn label_location(&mut self, location: LocationId) {
        let procedure = &self.context.program.procedures[self.abstracted.procedure];
        for label in &procedure.locations[location].labels {
            let label = Name::new(label.clone());
            if label.is_identifier() || label.text.bytes().all(|b| b.is_ascii_digit()) {
                self.pending.push(label);
            }
        }
        self.pending.push(self.location_label(location));
    }

    /// The call itself; what it passes was computed before.
    fn call(&mut self, edge: EdgeId, callee: ProcId) {
        self.pending.push(self.call_label(edge, callee));
        let signature = self.context.signatures.of(callee);
        let targets = signature.results.iter().map(|&i| Some(self.name(Variable::Result(i)))).collect();
        let args = signature.entry.iter().map(|&i| Expr::var(self.name(Variable::Argument(i)))).collect();
        let callee = Name::new(self.names[&callee].clone());
        self.push(StmtKind::Call { targets, callee, args }, Origin::Call(edge));
    }

    /// All segments that leave a point.
    fn segments(&mut self, start: Start) {
        let abstracted = self.abstracted;
        let steps: Vec<(&Segment, &AbstractStep)> = abstracted
            .steps
            .iter()
            .filter(|(segment, _)| segment.start == start)
            .filter_map(|(segment, step)| Some((segment, step.as_ref()?)))
            .collect();
        match &steps[..] {
            [] => {
                self.push(StmtKind::Assume(Expr::constant(false)), Origin::Nothing);
            }
            [(segment, step)] => self.segment(segment, step),
            _ => {
                let labels: Vec<Name> = (1..=steps.len()).map(|n| self.branch_label(start, n)).collect();
                self.push(StmtKind::Goto(labels.clone()), Origin::Nothing);
                for ((segment, step), label) in steps.iter().zip(labels) {
                    self.pending.push(label);
                    self.segment(segment, step);
                }
            }
        }
    }

    fn segment(&mut self, segment: &Segment, step: &AbstractStep) {
        let mut targets = Vec::new();
        let mut values = Vec::new();
        for (variable, update) in &step.updates {
            targets.push(Some(self.name(*variable)));
            values.push(self.update(update));
        }
        if self.uses_calling {
            match (segment.start, segment.finish) {
                (_, Finish::Call(..)) => {
                    targets.push(Some(calling()));
                    values.push(Expr::constant(true));
                }
                (Start::Call(..), Finish::Location(_)) => {
                    targets.push(Some(calling()));
                    values.push(Expr::constant(false));
                }
                (Start::Location(location), Finish::Location(_)) if self.is_entry(location) => {
                    targets.push(Some(calling()));
                    values.push(Expr::constant(false));
                }
                _ => {}
            }
        }
        let origin = Origin::Edges(segment.edges.clone());
        let mut last = None;
        if !step.blocked.is_empty() {
            let guard = Origin::Guard(segment.edges.clone());
            let origin = if targets.is_empty() { origin.clone() } else { guard };
            last = Some(self.push(StmtKind::Assume(self.none_of(&step.blocked)), origin));
        }
        if !targets.is_empty() {
            let constrain = (!step.excluded.is_empty()).then(|| self.none_of(&step.excluded));
            last = Some(self.push(StmtKind::Assign { targets, values, constrain }, origin));
        } else if step.blocked.is_empty() && !segment.edges.is_empty() {
            last = Some(self.push(StmtKind::Skip, origin));
        }
        if let Some(tag) = last {
            self.back.segments.insert(tag, (self.abstracted.procedure, segment.clone()));
        }
        match segment.finish {
            Finish::Location(location) => self.go_to(self.location_label(location)),
            Finish::Call(edge, callee) => self.go_to(self.call_label(edge, callee)),
            Finish::Failure => {
                let edge = *segment.edges.last().expect("a failure is an edge");
                self.push(StmtKind::Assert(Expr::constant(false)), Origin::Failure(edge));
            }
        }
    }

    fn is_entry(&self, location: LocationId) -> bool {
        location == self.context.program.procedures[self.abstracted.procedure].entry
    }

    fn go_to(&mut self, label: Name) {
        self.push(StmtKind::Goto(vec![label]), Origin::Nothing);
    }

    fn push(&mut self, kind: StmtKind, origin: Origin) -> Tag {
        self.drop_useless_goto();
        let tag = self.back.add(self.abstracted.procedure, origin);
        let labels = std::mem::take(&mut self.pending);
        self.body.push(Stmt { labels, ..Stmt::new(kind).tagged(tag) });
        tag
    }

    /// Removes a jump to what comes next anyway.
    fn drop_useless_goto(&mut self) {
        let useless = self.body.last().is_some_and(|last| match &last.kind {
            StmtKind::Goto(targets) => targets.len() == 1 && self.pending.contains(&targets[0]),
            _ => false,
        });
        if useless && let Some(dropped) = self.body.pop() {
            self.back.origins.pop();
            self.pending.splice(0..0, dropped.labels);
        }
    }

    /// Notes where the cut points are.
    fn record_points(&mut self) {
        let procedure = self.abstracted.procedure;
        let locations = self.context.program.procedures[procedure].locations.ids();
        let labels: FxHashMap<String, LocationId> =
            locations.map(|location| (self.location_label(location).text, location)).collect();
        for stmt in &self.body {
            for label in &stmt.labels {
                if let (Some(&location), Some(tag)) = (labels.get(&label.text), stmt.tag) {
                    self.back.points.push((procedure, location, tag));
                }
            }
        }
    }

    /// Removes labels that are neither the program's nor the target of a jump.
    fn drop_unused_labels(&mut self) {
        let jumps = self.body.iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Goto(targets) => Some(targets),
            _ => None,
        });
        let targets: FxHashSet<String> = jumps.flatten().map(|label| label.text.clone()).collect();
        let taken = &self.taken;
        let is_used = |label: &Name| targets.contains(&label.text) || taken.contains(label.text.as_str());
        for stmt in &mut self.body {
            stmt.labels.retain(is_used);
        }
    }

    fn update(&self, update: &Update) -> Expr {
        match update {
            Update::Constant(value) => Expr::constant(*value),
            &Update::Copy(variable, positive) => self.literal((variable, positive)),
            Update::Choose(yes, no) if yes.is_empty() && no.is_empty() => Expr::choice(),
            Update::Choose(yes, no) => {
                let cover = |cubes: &[Minterm]| Expr::or(cubes.iter().map(|c| self.conjunction(c)).collect());
                Expr::schoose(cover(yes), cover(no))
            }
        }
    }

    /// That none of some combinations holds: a conjunction of clauses.
    fn none_of(&self, cubes: &[Minterm]) -> Expr {
        let clause = |cube: &Minterm| match &cube[..] {
            &[(variable, positive)] => self.literal((variable, !positive)),
            _ => Expr::not(self.conjunction(cube)),
        };
        Expr::and(cubes.iter().map(clause).collect())
    }

    fn conjunction(&self, cube: &Minterm) -> Expr {
        Expr::and(cube.iter().map(|&literal| self.literal(literal)).collect())
    }

    fn literal(&self, (variable, positive): (Variable, bool)) -> Expr {
        let value = match variable {
            Variable::Next(i) => Expr::next(predicate_name(self.context, i)),
            Variable::NextArgument(i) => Expr::next(self.name(Variable::Argument(i))),
            _ => Expr::var(self.name(variable)),
        };
        if positive { value } else { Expr::not(value) }
    }

    /// The name of a boolean variable. What belongs to a callee names it.
    fn name(&self, variable: Variable) -> Name {
        match variable {
            Variable::Predicate(i) | Variable::Next(i) => predicate_name(self.context, i),
            Variable::Argument(i) | Variable::NextArgument(i) => self.foreign_name("to", i),
            Variable::Result(i) => self.foreign_name("from", i),
        }
    }

    fn foreign_name(&self, direction: &str, i: usize) -> Name {
        let procedure = match self.context.predicates[i].scope {
            hardbop_predicate::Scope::Procedure(procedure) => procedure,
            hardbop_predicate::Scope::Global => self.abstracted.procedure,
        };
        let callee = &self.names[&procedure];
        Name::quoted(&format!("{direction} {callee}: {}", self.context.signatures.names[i]))
    }

    fn call_label(&self, edge: EdgeId, callee: ProcId) -> Name {
        let procedure = &self.context.program.procedures[self.abstracted.procedure];
        let direct = matches!(
            procedure.edges[edge].statement,
            Statement::Call { callee: hardbop_ir::Callee::Direct(_), .. }
        );
        if direct {
            self.fresh(format!("C{}", edge.index()))
        } else {
            self.fresh(format!("C{}_{}", edge.index(), callee.index()))
        }
    }

    fn branch_label(&self, start: Start, number: usize) -> Name {
        match start {
            Start::Location(location) => {
                self.fresh(format!("{}_{number}", self.location_label(location).text))
            }
            Start::Call(edge, callee) => {
                self.fresh(format!("{}_r{number}", self.call_label(edge, callee).text))
            }
        }
    }

    fn location_label(&self, location: LocationId) -> Name {
        self.fresh(format!("L{}", location.index()))
    }

    /// A label that is none of the program's.
    fn fresh(&self, mut label: String) -> Name {
        while self.taken.contains(label.as_str()) {
            label.push('_');
        }
        Name::new(label)
    }
}

fn calling() -> Name {
    Name::quoted("in a call")
}
