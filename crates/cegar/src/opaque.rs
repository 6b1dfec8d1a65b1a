//! Procedures that nobody looks into yet.
//!
//! In a driver most procedures have nothing to do with the property: they cannot fail, and change nothing that is
//! tracked. A call of one of these is a single step that makes arbitrary what it may change, so its body is neither
//! abstracted nor explored, paths do not lead through it, and the proof says nothing of it. They are looked into
//! when something that they may change is tracked, or when a path could be run if they did what it takes. Those that
//! change what the conditions right before an error are computed from are looked into at once: without them a path
//! would be blamed on the next best reason.
//!
//! Whoever calls a procedure that is looked into is looked into as well. So a proof may claim nothing of the others, and of
//! what they call.

use hardbop_alias::{Alias, Target};
use hardbop_ir::{ExprId, ExprKind, Order, ProcId, Program, Statement, VarId, visit};
use hardbop_path::{Path, activations, steps_that_matter};
use hardbop_predicate::{Predicate, Scope, places};
use hardbop_semantics::Subject;
use hardbop_semantics::path::PathStep;
use rustc_hash::{FxHashMap, FxHashSet};

use hardbop_certify::proof::{Proof, Relation};

/// Statements that are worth not being looked at. What is gained by leaving out fewer is less than what is lost when paths
/// are judged without them.
const WORTHWHILE: usize = 500;

/// The procedures that nobody looks into yet.
#[derive(Debug, Default)]
pub(crate) struct Opaque {
    pub(crate) procedures: FxHashSet<ProcId>,
    /// Who calls whom, both ways, as far as bodies go.
    callers: FxHashMap<ProcId, Vec<ProcId>>,
    callees: FxHashMap<ProcId, Vec<ProcId>>,
    /// How often paths asked for some.
    pub(crate) openings: usize,
}

impl Opaque {
    /// All procedures that cannot fail in a slice of a program, except for those that it starts with. A proof is about
    /// the whole, so calls that the slice leaves out count as well.
    pub(crate) fn of((whole, slice): (&Program, &Program), alias: &Alias) -> Self {
        let program = slice;
        let mut opaque = Opaque::default();
        let mut open: Vec<ProcId> = program.entry.into_iter().collect();
        for (id, procedure) in program.procedures.iter() {
            if procedure.external.is_some() || !alias.calls().is_reached(id) {
                continue;
            }
            opaque.procedures.insert(id);
            for (edge, e) in procedure.edges.iter() {
                match whole.procedures[id].edges[edge].statement {
                    Statement::Call { .. } => {
                        let bodies = alias.callees(id, edge).iter().copied();
                        for callee in bodies.filter(|&callee| program.procedures[callee].external.is_none()) {
                            opaque.callees.entry(id).or_default().push(callee);
                            opaque.callers.entry(callee).or_default().push(id);
                            if program.entry == Some(id) {
                                open.push(callee);
                            }
                        }
                    }
                    _ if matches!(e.statement, Statement::Error(_) | Statement::Unsupported(_)) => {
                        open.push(id)
                    }
                    _ => {}
                }
            }
        }
        opaque.open(open);
        opaque
    }

    /// Looks into all procedures, if there is little in them.
    pub(crate) fn open_small(&mut self, program: &Program) {
        let statements = self.procedures.iter().map(|&id| program.procedures[id].edges.len());
        if statements.sum::<usize>() < WORTHWHILE {
            self.procedures.clear();
        }
    }

    /// Looks into procedures, and into those that call them.
    fn open(&mut self, mut open: Vec<ProcId>) {
        while let Some(procedure) = open.pop() {
            if self.procedures.remove(&procedure) {
                open.extend(self.callers.get(&procedure).into_iter().flatten());
            }
        }
    }

    /// Looks into procedures that may change what the values of some variables are computed from.
    pub(crate) fn open_feeding(&mut self, subject: Subject<'_>, variables: &[VarId]) {
        let sources = Sources::of(subject, variables);
        let feeds = |procedure: &ProcId| sources.may_be_changed_by(subject, *procedure);
        self.open(self.procedures.iter().copied().filter(feeds).collect());
    }

    /// Looks into procedures that may change what predicates say, or have such of their own.
    pub(crate) fn open_changing(&mut self, subject: Subject<'_>, predicates: &[Predicate]) {
        let Subject { program, alias, regions } = subject;
        if self.procedures.is_empty() {
            return;
        }
        let read = places(program, predicates).into_iter();
        let sources = Sources(read.filter_map(|place| regions.target(program, alias, place).ok()).collect());
        let own: FxHashSet<ProcId> = predicates
            .iter()
            .filter_map(|predicate| match predicate.scope {
                Scope::Procedure(procedure) => Some(procedure),
                Scope::Global => None,
            })
            .collect();
        let wanted = |id: &ProcId| own.contains(id) || sources.may_be_changed_by(subject, *id);
        self.open(self.procedures.iter().copied().filter(wanted).collect());
    }

    /// Looks into procedures that a path could not be run without: those of which its conditions take something, or if
    /// there are none, all that it calls with all that they call. Whether there are any.
    pub(crate) fn open_on(&mut self, subject: Subject<'_>, path: &Path) -> bool {
        let calls: Vec<(usize, ProcId)> = path
            .steps
            .iter()
            .zip(activations(path))
            .enumerate()
            .filter_map(|(i, (step, procedure))| match *step {
                PathStep::Edge(edge) => Some((i, subject.alias.callees(procedure, edge))),
                _ => None,
            })
            .flat_map(|(i, callees)| callees.iter().map(move |&callee| (i, callee)))
            .filter(|(_, callee)| self.procedures.contains(callee))
            .collect();
        if calls.is_empty() {
            return false;
        }
        self.openings += 1;
        let matters = steps_that_matter(subject, path);
        let needed = calls.iter().filter(|&&(i, _)| matters[i]).map(|&(_, callee)| callee);
        let mut open: Vec<ProcId> = needed.collect();
        if open.is_empty() {
            open = self.below(calls.into_iter().map(|(_, callee)| callee).collect());
        }
        self.open(open);
        true
    }

    /// Procedures with all that they call.
    fn below(&self, procedures: Vec<ProcId>) -> Vec<ProcId> {
        let mut found: Vec<ProcId> = procedures;
        let mut seen: FxHashSet<ProcId> = found.iter().copied().collect();
        let mut next = 0;
        while let Some(procedure) = found.get(next) {
            next += 1;
            let callees = self.callees.get(procedure).into_iter().flatten().copied();
            found.extend(callees.filter(|&callee| seen.insert(callee)).collect::<Vec<_>>());
        }
        found
    }

    /// Adds to a proof that it claims nothing of these procedures.
    pub(crate) fn add_to(&self, proof: &mut Proof, program: &Program) {
        let anything = Relation { nodes: Vec::new(), root: 1 };
        for &procedure in &self.procedures {
            for location in Order::of(&program.procedures[procedure]).cuts() {
                proof.relations.insert((procedure, location), anything.clone());
            }
        }
    }
}

/// What values are computed from, by assignments and calls, whatever decides whether these happen.
#[derive(Default)]
struct Sources(Vec<Target>);

impl Sources {
    /// Those of some variables.
    fn of(subject @ Subject { program, alias, regions }: Subject<'_>, variables: &[VarId]) -> Self {
        let mut found = Sources::default();
        variables.iter().for_each(|&var| found.add_variable(subject, var));
        loop {
            let known = found.0.len();
            for (id, procedure) in program.procedures.iter() {
                for (edge, e) in procedure.edges.iter() {
                    match e.statement {
                        Statement::Assign(place, value)
                            if regions
                                .target(program, alias, place)
                                .is_ok_and(|at| found.0.contains(&at)) =>
                        {
                            found.add_read(subject, value);
                        }
                        Statement::Call { result, ref arguments, .. } => {
                            let wanted = |found: &Sources, var| found.0.contains(&Target::Register(var));
                            for &callee in alias.callees(id, edge) {
                                let callee = &program.procedures[callee];
                                for (&formal, &argument) in callee.formals.iter().zip(arguments) {
                                    if wanted(&found, formal) {
                                        found.add_read(subject, argument);
                                    }
                                }
                                if result.is_some_and(|result| wanted(&found, result)) {
                                    callee
                                        .result
                                        .into_iter()
                                        .for_each(|var| found.add_variable(subject, var));
                                }
                            }
                        }
                        _ => {}
                    }
                }
            }
            if found.0.len() == known {
                return found;
            }
        }
    }

    fn add(&mut self, target: Target) {
        if target != Target::Nowhere && !self.0.contains(&target) {
            self.0.push(target);
        }
    }

    fn add_variable(&mut self, Subject { alias, regions, .. }: Subject<'_>, var: VarId) {
        match alias.objects().variable(var) {
            Some(object) => {
                regions.regions_of(object).into_iter().for_each(|at| self.add(Target::Region(at)))
            }
            None => self.add(Target::Register(var)),
        }
    }

    /// Adds what an expression reads, but for addresses.
    fn add_read(&mut self, subject: Subject<'_>, expr: ExprId) {
        let Subject { program, alias, regions } = subject;
        match &program.expr(expr).kind {
            &ExprKind::Load(place) => {
                regions.target(program, alias, place).into_iter().for_each(|at| self.add(at));
            }
            ExprKind::AddressOf(_) => {}
            kind => visit::operator_parts(kind).for_each(|part| self.add_read(subject, part)),
        }
    }

    fn may_be_changed_by(&self, Subject { regions, .. }: Subject<'_>, procedure: ProcId) -> bool {
        let modified = regions.modified(procedure);
        self.0.iter().any(|target| match *target {
            Target::Register(var) => modified.registers.contains(&var),
            Target::Region(region) => modified.has_region(region),
            Target::Nowhere => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use hardbop_alias::Regions;
    use hardbop_base::{Budget, DataModel};
    use hardbop_ir::BinaryOp;
    use hardbop_shadow::lowered;

    use super::*;

    const TEXT: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
        int flag, other;
        static void leaf(void) { other = 1; }
        static void changes(void) { flag = 1; }
        static int outer(void) { leaf(); return 3; }
        static void above(void) { changes(); }
        static void fails(void) { int copy = flag; if (copy == 2) reach_error(); }
        static void calls_failing(void) { fails(); }
        int main(void) { int got = outer(); above(); calls_failing(); leaf(); return got; }";

    fn names(program: &Program, opaque: &Opaque) -> Vec<String> {
        let mut names: Vec<String> =
            opaque.procedures.iter().map(|&id| program.procedures[id].name.clone()).collect();
        names.sort();
        names
    }

    fn procedure(program: &Program, name: &str) -> ProcId {
        program.procedures.iter().find(|(_, p)| p.name == name).map(|(id, _)| id).expect("a procedure")
    }

    #[test]
    fn what_cannot_fail_is_opaque_until_something_that_it_changes_is_tracked() {
        let program = lowered(TEXT, DataModel::Lp64).expect("a program");
        let budget = Budget::unlimited();
        let alias = Alias::of(&program, &budget).expect("time enough");
        let regions = Regions::of(&program, &alias, &[], &budget).expect("time enough");
        let subject = Subject { program: &program, alias: &alias, regions: &regions };
        let mut opaque = Opaque::of((&program, &program), &alias);
        assert_eq!(names(&program, &opaque), ["above", "changes", "leaf", "outer"]);
        let (copy, _) = program.variables.iter().find(|(_, v)| v.name == "copy").expect("a variable");
        let mut feeding = Opaque::of((&program, &program), &alias);
        feeding.open_feeding(subject, &[copy]);
        assert_eq!(names(&program, &feeding), ["leaf", "outer"]);
        let (flag, _) = program.variables.iter().find(|(_, v)| v.name == "flag").expect("a variable");
        let expr =
            program.binary(BinaryOp::Eq, program.var(flag), program.int(2, program.variables[flag].ty));
        opaque.open_changing(subject, &[Predicate { scope: Scope::Global, expr }]);
        // Who calls what is looked into is looked into, too.
        assert_eq!(names(&program, &opaque), ["leaf", "outer"]);
        let own = Predicate { scope: Scope::Procedure(procedure(&program, "leaf")), expr };
        opaque.open_changing(subject, &[own]);
        assert_eq!(names(&program, &opaque), [""; 0]);
    }

    #[test]
    fn a_path_opens_what_its_conditions_depend_on_and_else_all() {
        let program = lowered(TEXT, DataModel::Lp64).expect("a program");
        let budget = Budget::unlimited();
        let alias = Alias::of(&program, &budget).expect("time enough");
        let regions = Regions::of(&program, &alias, &[], &budget).expect("time enough");
        let subject = Subject { program: &program, alias: &alias, regions: &regions };
        let main = procedure(&program, "main");
        let call = |name: &str| {
            let wanted = procedure(&program, name);
            let edges = program.procedures[main].edges.iter();
            let found = edges.into_iter().find(|(edge, _)| alias.callees(main, *edge) == [wanted]);
            PathStep::Edge(found.expect("a call").0)
        };
        let failing = procedure(&program, "calls_failing");
        let fails = procedure(&program, "fails");
        let into = |caller: ProcId, callee: ProcId| {
            let edges = program.procedures[caller].edges.iter();
            let found = edges.into_iter().find(|(edge, _)| alias.callees(caller, *edge) == [callee]);
            PathStep::Enter(found.expect("a call").0, callee)
        };
        let guard = program.procedures[fails].edges.iter();
        let guard = guard.into_iter().find(|(_, e)| matches!(e.statement, Statement::Assume(_)));
        let guard = PathStep::Edge(guard.expect("a branch").0);
        let copies = program.procedures[fails].edges.iter();
        let copies = copies.into_iter().filter(|(_, e)| matches!(e.statement, Statement::Assign(..)));
        let mut ahead = vec![into(main, failing), into(failing, fails)];
        ahead.extend(copies.map(|(edge, _)| PathStep::Edge(edge)));
        ahead.push(guard);
        let mut opaque = Opaque::of((&program, &program), &alias);
        let mut steps = vec![call("outer"), call("above")];
        steps.extend(&ahead);
        // The condition is about what `above` may change, and `outer` has nothing to do with it.
        assert!(opaque.open_on(subject, &Path { entry: main, steps }));
        assert_eq!(names(&program, &opaque), ["changes", "leaf", "outer"]);
        let mut steps = vec![call("outer")];
        steps.extend(&ahead);
        let path = Path { entry: main, steps };
        assert!(opaque.open_on(subject, &path));
        assert_eq!(names(&program, &opaque), ["changes"]);
        assert!(!opaque.open_on(subject, &path));
    }
}
