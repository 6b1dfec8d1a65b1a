//! Variables with few values along a path: whether they alone say that it cannot be run.
//!
//! A path through a scheduler or a driver often has two explanations: a flag was not set, or numbers that were computed
//! on the way do not fit. The first holds on many other paths, the second on this one. So it is looked for first, by following what such variables hold from step to step. That needs no solver.

use hardbop_domains::{Environment, Interval, assume, value};
use hardbop_ir::{
    Callee, EdgeId, ExprId, Initial, PlaceId, ProcId, Program, Statement, VarId, VarKind, visit,
};
use hardbop_path::Path;
use hardbop_predicate::variables;
use hardbop_semantics::path::PathStep;
use rustc_hash::{FxHashMap, FxHashSet};

/// The variables by which the first step that cannot be taken is known to be one; none if they do not say so.
pub(crate) fn contradicted(program: &Program, path: &Path, finite: &FxHashSet<VarId>) -> Vec<VarId> {
    let mut walk =
        Walk { program, finite, globals: FxHashMap::default(), frames: vec![Frame::of(path.entry, None)] };
    walk.initialise();
    path.steps.iter().find_map(|step| walk.step(*step)).unwrap_or_default()
}

/// What a variable can hold, and from which others it got that.
#[derive(Debug, Clone, Default)]
struct Held {
    values: Option<Interval>,
    from: FxHashSet<VarId>,
}

/// An activation: its procedure, the call that it returns to, what its variables hold.
struct Frame {
    procedure: ProcId,
    call: Option<EdgeId>,
    holds: FxHashMap<VarId, Held>,
}

impl Frame {
    fn of(procedure: ProcId, call: Option<EdgeId>) -> Self {
        Frame { procedure, call, holds: FxHashMap::default() }
    }
}

struct Walk<'a> {
    program: &'a Program,
    finite: &'a FxHashSet<VarId>,
    globals: FxHashMap<VarId, Held>,
    frames: Vec<Frame>,
}

impl Walk<'_> {
    fn initialise(&mut self) {
        for &var in self.finite {
            if let Initial::Values(values) = &self.program.variables[var].initial {
                let first = values.first().map(|first| value(self.program, first.value, &mut |_| None));
                let values = first.unwrap_or(Some(Interval::exact(0)));
                self.globals.insert(var, Held { values, from: FxHashSet::default() });
            }
        }
    }

    /// Takes a step; the variables that say that it cannot be taken.
    fn step(&mut self, step: PathStep) -> Option<Vec<VarId>> {
        match step {
            PathStep::Edge(edge) => return self.edge(edge),
            PathStep::Enter(edge, callee) => self.enter(edge, callee),
            PathStep::Leave => self.leave(),
        }
        None
    }

    fn edge(&mut self, edge: EdgeId) -> Option<Vec<VarId>> {
        let program = self.program;
        let statement = &program.procedures[self.frame().procedure].edges[edge].statement;
        match *statement {
            Statement::Assume(condition) if !assume(program, condition, true, self) => {
                let told = variables(program, condition).into_iter().filter(|var| self.finite.contains(var));
                let told: Vec<VarId> = told.collect();
                let from = told.iter().flat_map(|&var| self.held(var).from);
                return Some(from.chain(told.iter().copied()).collect());
            }
            Statement::Assign(place, value) => {
                if let Some(target) = program.whole_variable(place) {
                    let held = self.value(value);
                    self.set(target, held);
                }
            }
            Statement::Havoc(place, _) => {
                if let Some(target) = program.whole_variable(place) {
                    self.set(target, Held::default());
                }
            }
            // Whoever is called may set what others can see.
            Statement::Call { result, callee: Callee::Direct(_) | Callee::Indirect(_), .. } => {
                self.globals.retain(|&var, _| program.variables[var].kind == VarKind::Static);
                result.into_iter().for_each(|result| self.set(result, Held::default()));
            }
            _ => {
                let result = visit::result(statement);
                result.into_iter().for_each(|result| self.set(result, Held::default()));
            }
        }
        None
    }

    fn enter(&mut self, edge: EdgeId, callee: ProcId) {
        let program = self.program;
        let mut frame = Frame::of(callee, Some(edge));
        let caller = self.frame().procedure;
        if let Statement::Call { arguments, .. } = &program.procedures[caller].edges[edge].statement {
            for (&formal, &argument) in program.procedures[callee].formals.iter().zip(arguments) {
                frame.holds.insert(formal, self.value(argument));
            }
        }
        self.frames.push(frame);
    }

    fn leave(&mut self) {
        let program = self.program;
        let result = program.procedures[self.frame().procedure].result.map(|result| self.copied(result));
        let left = if self.frames.len() > 1 { self.frames.pop() } else { None };
        let Some(call) = left.and_then(|left| left.call) else { return };
        let caller = self.frame().procedure;
        if let Statement::Call { result: Some(to), .. } = program.procedures[caller].edges[call].statement {
            self.set(to, result.unwrap_or_default());
        }
    }

    fn frame(&self) -> &Frame {
        self.frames.last().expect("a path is somewhere")
    }

    fn held(&self, var: VarId) -> Held {
        let held = self.frame().holds.get(&var).or_else(|| self.globals.get(&var));
        held.filter(|_| self.finite.contains(&var)).cloned().unwrap_or_default()
    }

    /// What a copy of a variable holds.
    fn copied(&self, var: VarId) -> Held {
        let mut held = self.held(var);
        held.from.insert(var);
        held
    }

    fn value(&self, expr: ExprId) -> Held {
        let program = self.program;
        let load = &mut |place| program.whole_variable(place).and_then(|var| self.held(var).values);
        let values = value(program, expr, load);
        let read = variables(program, expr).into_iter().filter(|var| self.finite.contains(var));
        Held { values, from: read.flat_map(|var| self.copied(var).from).collect() }
    }

    fn set(&mut self, var: VarId, held: Held) {
        if !self.finite.contains(&var) {
            return;
        }
        match self.program.variables[var].kind {
            VarKind::Global | VarKind::Static => self.globals.insert(var, held),
            _ => self.frames.last_mut().expect("a path is somewhere").holds.insert(var, held),
        };
    }
}

impl Environment for Walk<'_> {
    fn load(&mut self, place: PlaceId) -> Option<Interval> {
        self.program.whole_variable(place).and_then(|var| self.held(var).values)
    }

    fn narrow(&mut self, place: PlaceId, values: Interval) -> bool {
        let Some(var) = self.program.whole_variable(place).filter(|var| self.finite.contains(var)) else {
            return true;
        };
        let held = self.held(var);
        let Some(values) = held.values.map_or(Some(values), |known| known.meet(values)) else { return false };
        self.set(var, Held { values: Some(values), ..held });
        true
    }
}

#[cfg(test)]
mod tests {
    use hardbop_base::DataModel;
    use hardbop_shadow::lowered;

    use super::*;

    const TEXT: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
static int busy, done, sum;
static int is_busy(void) { return busy; }
static void start(int how) { busy = how; }
int main(void) {
  start(2);
  sum = __VERIFIER_nondet_int();
  if (is_busy() == 1) {
    if (sum * 3 == 7) reach_error();
  }
  if (done) reach_error();
  return 0;
}";

    /// The path that takes the given branches, calls included, up to the first error.
    fn path(program: &Program, branches: &[bool]) -> Path {
        let entry = program.entry.expect("a program that starts");
        let mut steps = Vec::new();
        let mut stack = vec![(entry, program.procedures[entry].entry, None)];
        let mut branches = branches.iter();
        while let Some((procedure, at, call)) = stack.pop() {
            let p = &program.procedures[procedure];
            let out: Vec<EdgeId> = p.edges.iter().filter(|(_, e)| e.source == at).map(|(id, _)| id).collect();
            let taken = match out[..] {
                [] => {
                    steps.push(PathStep::Leave);
                    continue;
                }
                [only] => only,
                [first, second, ..] => {
                    if *branches.next().expect("a branch") {
                        first
                    } else {
                        second
                    }
                }
            };
            let edge = &p.edges[taken];
            stack.push((procedure, edge.target, call));
            match &edge.statement {
                Statement::Error(_) => {
                    steps.push(PathStep::Edge(taken));
                    break;
                }
                Statement::Call { callee: Callee::Direct(callee), .. }
                    if program.procedures[*callee].external.is_none() =>
                {
                    steps.push(PathStep::Enter(taken, *callee));
                    stack.push((*callee, program.procedures[*callee].entry, Some(taken)));
                }
                _ => steps.push(PathStep::Edge(taken)),
            }
        }
        Path { entry, steps }
    }

    fn names(program: &Program, vars: &[VarId]) -> FxHashSet<String> {
        vars.iter().map(|&var| program.variables[var].name.clone()).collect()
    }

    #[test]
    fn flags_are_followed_through_calls() {
        let program = lowered(TEXT, DataModel::Lp64).expect("a program");
        let all: FxHashSet<VarId> = program.variables.ids().collect();
        // `busy` is 2, and not 1: what it was passed through is told as well.
        let found = names(&program, &contradicted(&program, &path(&program, &[true, true]), &all));
        assert!(found.contains("busy") && found.contains("how"), "{found:?}");
        // Nothing sets `done`, which starts as 0.
        let found = names(&program, &contradicted(&program, &path(&program, &[false, true]), &all));
        assert!(found.contains("done") && !found.contains("sum"), "{found:?}");
        // Of variables that are not followed nothing is known.
        let none = contradicted(&program, &path(&program, &[true, true]), &FxHashSet::default());
        assert!(none.is_empty());
    }
}
