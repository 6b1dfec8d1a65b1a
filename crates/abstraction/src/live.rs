//! Which variables of a procedure may be read later.
//!
//! Predicates about the others are not needed: they only make boolean programs and the relations of proofs
//! larger. A predicate goes only if nothing connects it with what may be read, so that what it implies
//! about that is not lost.

use hardbop_alias::Alias;
use hardbop_ir::{
    LocationId, Place, PlaceBase, ProcId, Procedure, Program, Statement, VarId, VarKind, visit,
};
use rustc_hash::{FxHashMap, FxHashSet};

use hardbop_predicate::variables;
use hardbop_predicate::{Predicate, Scope};

/// For each location of a procedure, the local variables that may be read from there on.
struct Live(Vec<FxHashSet<VarId>>);

impl Live {
    fn of(program: &Program, procedure: &Procedure) -> Self {
        let mut at: Vec<FxHashSet<VarId>> = vec![FxHashSet::default(); procedure.locations.len()];
        at[procedure.exit.index()].extend(procedure.result);
        let effects: Vec<(usize, usize, Option<VarId>, Vec<VarId>)> = procedure
            .edges
            .values()
            .map(|edge| {
                let (written, read) = effect(program, &edge.statement);
                (edge.source.index(), edge.target.index(), written, read)
            })
            .collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (source, target, written, read) in effects.iter().rev() {
                let mut before: Vec<VarId> = read.clone();
                before.extend(at[*target].iter().copied().filter(|&var| Some(var) != *written));
                let known = at[*source].len();
                at[*source].extend(before);
                changed |= at[*source].len() > known;
            }
        }
        Live(at)
    }
}

/// Which predicates say nothing about what may still be read.
#[derive(Default)]
pub struct Liveness {
    live: FxHashMap<ProcId, Live>,
    /// For each procedure, its own predicates by position, with the variables that they mention.
    own: FxHashMap<ProcId, Vec<(usize, Vec<VarId>)>>,
}

impl Liveness {
    /// That of some predicates.
    pub fn of(program: &Program, predicates: &[Predicate]) -> Self {
        let mut liveness = Liveness::default();
        liveness.update(program, predicates);
        liveness
    }

    /// That of other predicates of the same program.
    pub(crate) fn update(&mut self, program: &Program, predicates: &[Predicate]) {
        self.own.clear();
        for (i, predicate) in predicates.iter().enumerate() {
            if let Scope::Procedure(id) = predicate.scope {
                self.own.entry(id).or_default().push((i, variables(program, predicate.expr)));
                self.live.entry(id).or_insert_with(|| Live::of(program, &program.procedures[id]));
            }
        }
    }

    /// The predicates of a procedure that are about dead variables only at a location, and share none with
    /// a predicate that is not.
    pub fn dead(
        &self,
        program: &Program,
        alias: &Alias,
        procedure: ProcId,
        location: LocationId,
    ) -> FxHashSet<usize> {
        let (Some(own), Some(Live(at))) = (self.own.get(&procedure), self.live.get(&procedure)) else {
            return FxHashSet::default();
        };
        let is_dead = |var: VarId| {
            let local = matches!(program.variables[var].kind, VarKind::Local | VarKind::Temp);
            local && !alias.in_memory(var) && !at[location.index()].contains(&var)
        };
        let mut needed: FxHashSet<VarId> =
            own.iter().flat_map(|(_, vars)| vars).copied().filter(|&var| !is_dead(var)).collect();
        loop {
            let known = needed.len();
            for (_, vars) in own {
                if vars.iter().any(|var| needed.contains(var)) {
                    needed.extend(vars);
                }
            }
            if needed.len() == known {
                break;
            }
        }
        let is_free = |vars: &[VarId]| vars.iter().all(|var| !needed.contains(var));
        own.iter().filter(|(_, vars)| is_free(vars)).map(|&(i, _)| i).collect()
    }
}

/// The variable that a statement writes as a whole, and those that it mentions otherwise.
fn effect(program: &Program, statement: &Statement) -> (Option<VarId>, Vec<VarId>) {
    let mut read = Vec::new();
    let mut written = visit::result(statement);
    let place = visit::operands(statement).0.map(|place| program.place(place));
    match place {
        Some(Place { base: PlaceBase::Var(var), path, .. }) if path.is_empty() => written = Some(*var),
        Some(Place { base: PlaceBase::Var(var), .. }) => read.push(*var),
        _ => {}
    }
    for expr in visit::roots(program, statement) {
        read.extend(variables(program, expr));
    }
    (written, read)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::{Budget, DataModel};
    use hardbop_ir::BinaryOp;
    use hardbop_shadow::lowered;

    /// Positions of the predicates that are dead at the head of the loop.
    fn dead(text: &str, predicates: &[(&str, Option<&str>)]) -> Vec<usize> {
        let program = lowered(text, DataModel::Lp64).expect("a program");
        let alias = Alias::of(&program, &Budget::unlimited()).unwrap();
        let (main, _) = program.procedures.iter().find(|(_, p)| p.name == "main").unwrap();
        let find = |program: &Program, name: &str| {
            program.variables.iter().find(|(_, v)| v.name == name).map(|(id, _)| id).unwrap()
        };
        let predicates: Vec<Predicate> = predicates
            .iter()
            .map(|&(a, b)| {
                let a = find(&program, a);
                let left = program.var(a);
                let right = match b.map(|b| find(&program, b)) {
                    Some(b) => program.var(b),
                    None => program.int(0, program.variables[a].ty),
                };
                let expr = program.binary(BinaryOp::Eq, left, right);
                Predicate { scope: Scope::Procedure(main), expr }
            })
            .collect();
        let labelled = |label: &str| {
            let locations = program.procedures[main].locations.iter();
            locations
                .into_iter()
                .find(|(_, l)| l.labels.iter().any(|l| l == label))
                .map(|(id, _)| id)
                .unwrap()
        };
        let found = Liveness::of(&program, &predicates).dead(&program, &alias, main, labelled("HEAD"));
        let mut found: Vec<usize> = found.into_iter().collect();
        found.sort_unstable();
        found
    }

    const TEXT: &str = "int main(int n, char **v) {
        int read, set = 0, both = 0, *p, other = n;
        read = n;
        p = &other;
      HEAD:
        set = read + 1;
        both = both + set;
        if (both < 100) goto HEAD;
        return *p;
      }";

    #[test]
    fn what_is_set_before_it_is_read_is_dead() {
        let predicates = [("read", None), ("set", None), ("both", None), ("other", None), ("n", None)];
        assert_eq!(dead(TEXT, &predicates), [1]);
    }

    #[test]
    fn what_is_connected_with_something_alive_is_kept() {
        assert_eq!(dead(TEXT, &[("set", None), ("set", Some("both"))]), [0; 0]);
        assert_eq!(dead(TEXT, &[("set", None), ("both", None)]), [0]);
    }
}
