//! Predicates that are known before anybody needs them.
//!
//! What the program can see of a variable with few values is known from the start, and in a driver there are hundreds
//! of such variables, most of which the proof has no use for. So their predicates sleep until somebody asks for the
//! variable: the property, in the conditions right before an error, or a path that cannot be run, in what its weakest
//! preconditions say. Then all predicates of the variable are tracked at once, and those of the variables that decide
//! whether it is set: a flag says little to who does not know when it was set.

use hardbop_abstraction::finite_variables;
use hardbop_alias::Alias;
use hardbop_ir::{EdgeId, LocationId, ProcId, Procedure, Program, Statement, VarId, visit};
use hardbop_predicate::{Predicate, variables};
use rustc_hash::{FxHashMap, FxHashSet};

/// Predicates of variables that nobody has asked for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dormant {
    predicates: FxHashMap<VarId, Vec<Predicate>>,
    /// All such variables, whoever asked for them.
    finite: FxHashSet<VarId>,
    /// Those in the conditions right before each of them is set.
    deciding: FxHashMap<VarId, FxHashSet<VarId>>,
}

impl Dormant {
    /// Those of a program.
    pub(crate) fn of(program: &Program, alias: &Alias) -> Self {
        let predicates: FxHashMap<_, _> = finite_variables(program, alias).into_iter().collect();
        let finite: FxHashSet<VarId> = predicates.keys().copied().collect();
        let mut deciding: FxHashMap<VarId, FxHashSet<VarId>> = FxHashMap::default();
        for procedure in program.procedures.values() {
            let ways = Ways::of(program, procedure);
            for edge in procedure.edges.values() {
                if let Some(var) = set(program, &edge.statement).filter(|var| finite.contains(var)) {
                    deciding.entry(var).or_default().extend(ways.guards(edge.source));
                }
            }
        }
        Dormant { predicates, finite, deciding }
    }

    /// The predicates of variables that are asked for now.
    pub(crate) fn wake(&mut self, asked: impl IntoIterator<Item = VarId>) -> Vec<Predicate> {
        let mut woken = Vec::new();
        for var in asked {
            let Some(own) = self.predicates.remove(&var) else { continue };
            woken.extend(own);
            let mut deciding: Vec<VarId> = self.deciding.get(&var).into_iter().flatten().copied().collect();
            deciding.sort_unstable();
            woken.extend(deciding.iter().filter_map(|var| self.predicates.remove(var)).flatten());
        }
        woken
    }

    /// The variables with few values, whether they sleep or not.
    pub(crate) fn finite(&self) -> &FxHashSet<VarId> {
        &self.finite
    }

    /// Whether a predicate says something of a variable that sleeps, or slept.
    pub(crate) fn is_about(&self, program: &Program, predicate: Predicate) -> bool {
        variables(program, predicate.expr).iter().any(|var| self.finite.contains(var))
    }
}

/// The variables in the conditions right before an error.
pub(crate) fn asked_by_property(program: &Program, alias: &Alias) -> Vec<VarId> {
    let doomed = doomed(program, alias);
    let mut found = Vec::new();
    for (id, procedure) in program.procedures.iter() {
        let ways = Ways::of(program, procedure);
        for (edge, e) in procedure.edges.iter() {
            let fails = match e.statement {
                Statement::Error(_) | Statement::Unsupported(_) => true,
                Statement::Call { .. } => {
                    alias.callees(id, edge).iter().any(|callee| doomed.contains(callee))
                }
                _ => false,
            };
            if fails {
                found.extend(ways.all_guards(e.source));
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The ways to the locations of a procedure.
struct Ways<'a> {
    program: &'a Program,
    procedure: &'a Procedure,
    incoming: FxHashMap<LocationId, Vec<EdgeId>>,
}

impl<'a> Ways<'a> {
    fn of(program: &'a Program, procedure: &'a Procedure) -> Self {
        let mut incoming: FxHashMap<LocationId, Vec<EdgeId>> = FxHashMap::default();
        for (edge, e) in procedure.edges.iter() {
            incoming.entry(e.target).or_default().push(edge);
        }
        Ways { program, procedure, incoming }
    }

    /// The variables in the last conditions on the ways to a location.
    fn guards(&self, location: LocationId) -> Vec<VarId> {
        self.conditions(location).into_iter().flat_map(|(read, _)| read).collect()
    }

    /// The same, with those of the conditions that are tested right before them, and have to hold as well.
    fn all_guards(&self, location: LocationId) -> Vec<VarId> {
        let mut found = Vec::new();
        let mut open = self.conditions(location);
        let mut seen = FxHashSet::default();
        while let Some((read, before)) = open.pop() {
            found.extend(read);
            let is_test =
                |&edge: &EdgeId| matches!(self.procedure.edges[edge].statement, Statement::Assume(_));
            let incoming = self.incoming.get(&before).map_or(&[][..], Vec::as_slice);
            if matches!(incoming, [only] if is_test(only)) && seen.insert(before) {
                open.extend(self.conditions(before));
            }
        }
        found
    }

    /// The last conditions on the ways to a location: the variables that each reads, and where it is tested.
    fn conditions(&self, location: LocationId) -> Vec<(Vec<VarId>, LocationId)> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::from_iter([location]);
        let mut open = vec![location];
        while let Some(location) = open.pop() {
            for &edge in self.incoming.get(&location).into_iter().flatten() {
                let edge = &self.procedure.edges[edge];
                match edge.statement {
                    Statement::Assume(condition) => {
                        found.push((variables(self.program, condition), edge.source));
                    }
                    _ if seen.insert(edge.source) => open.push(edge.source),
                    _ => {}
                }
            }
        }
        found
    }
}

/// The variable that a statement sets as a whole.
fn set(program: &Program, statement: &Statement) -> Option<VarId> {
    let written = visit::operands(statement).0.and_then(|place| program.whole_variable(place));
    written.or_else(|| visit::result(statement))
}

/// Procedures that fail, or stop, whatever happens in them: who calls them does not get past the call.
fn doomed(program: &Program, alias: &Alias) -> FxHashSet<ProcId> {
    let mut doomed = FxHashSet::default();
    loop {
        let known = doomed.len();
        for (id, procedure) in program.procedures.iter() {
            if procedure.external.is_none() && !returns(alias, id, procedure, &doomed) {
                doomed.insert(id);
            }
        }
        if doomed.len() == known {
            return doomed;
        }
    }
}

fn returns(alias: &Alias, id: ProcId, procedure: &Procedure, doomed: &FxHashSet<ProcId>) -> bool {
    let mut seen = FxHashSet::from_iter([procedure.entry]);
    let mut open = vec![procedure.entry];
    while let Some(location) = open.pop() {
        for (edge, e) in procedure.edges.iter().filter(|(_, e)| e.source == location) {
            let ends = match e.statement {
                Statement::Error(_) | Statement::Unsupported(_) | Statement::Halt(_) => true,
                Statement::Call { .. } => {
                    alias.callees(id, edge).iter().all(|callee| doomed.contains(callee))
                }
                _ => false,
            };
            if !ends && seen.insert(e.target) {
                open.push(e.target);
            }
        }
    }
    seen.contains(&procedure.exit)
}

#[cfg(test)]
mod tests {
    use hardbop_base::{Budget, DataModel};
    use hardbop_shadow::lowered;

    use super::*;

    const TEXT: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int lock, held, other, copied;
void fail(void) { reach_error(); }
void check(int ok) { if (!ok) fail(); }
int main(void) {
  int taken = 0, idle = 0;
  while (__VERIFIER_nondet_int()) {
    if (lock == 1 && held != 2) fail();
    lock = 0;
    if (other == 3) { taken = 1; idle = 2; }
    if (idle == 2) copied = 1;
    check(taken == 0 || copied == 1);
  }
  return 0;
}";

    fn names(program: &Program, vars: &[VarId]) -> Vec<String> {
        vars.iter().map(|&var| program.variables[var].name.clone()).collect()
    }

    #[test]
    fn the_property_asks_for_what_stands_right_before_an_error() {
        let program = lowered(TEXT, DataModel::Lp64).expect("a program");
        let alias = Alias::of(&program, &Budget::unlimited()).unwrap();
        let mut found = names(&program, &asked_by_property(&program, &alias));
        found.sort();
        assert_eq!(found, ["$1", "held", "lock", "ok"]);
    }

    #[test]
    fn a_variable_wakes_once() {
        let program = lowered(TEXT, DataModel::Lp64).expect("a program");
        let alias = Alias::of(&program, &Budget::unlimited()).unwrap();
        let mut dormant = Dormant::of(&program, &alias);
        let (lock, _) = program.variables.iter().find(|(_, v)| v.name == "lock").unwrap();
        let woken = dormant.wake([lock]);
        assert!(!woken.is_empty());
        assert!(woken.iter().all(|&predicate| dormant.is_about(&program, predicate)));
        assert!(dormant.wake([lock]).is_empty());
        // What decides whether it is set wakes with it, and nothing else.
        let of = |name: &str| program.variables.iter().find(|(_, v)| v.name == name).unwrap().0;
        let about: Vec<VarId> =
            dormant.wake([of("copied")]).iter().flat_map(|p| variables(&program, p.expr)).collect();
        assert!(about.contains(&of("copied")) && about.contains(&of("idle")));
        assert!(!about.contains(&of("other")));
    }
}
