//! Which variables live in slots, and where one of them may be read before it is written.
//!
//! A local lives in a slot if it is a scalar whose address is never taken. Such a variable holds an
//! arbitrary value until it is written; to draw that value lazily, every read that may be the first
//! must check. The usual forward analysis of definite assignment finds those reads, 64 variables at
//! a time; in ordinary programs few or none remain.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Arbitrary, EdgeId, ExprId, ExprKind, PlaceBase, Procedure, Program, Statement, VarId, visit};

/// What a procedure does with its own variables.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// Variables whose address is taken, in whole or in part.
    pub(super) address_taken: FxHashSet<VarId>,
    /// Reads of whole variables.
    reads: Vec<(EdgeId, VarId)>,
}

/// The effort (sets times edges) beyond which every read is checked instead.
const EFFORT: usize = 1 << 28;

impl Uses {
    /// Looks through all statements of a procedure.
    pub(super) fn of(program: &Program, procedure: &Procedure) -> Uses {
        let mut uses = Uses::default();
        let mut seen = FxHashSet::default();
        for (edge, e) in procedure.edges.iter() {
            // Clearing a table that once was large takes long.
            if seen.capacity() > 1024 {
                seen = FxHashSet::default();
            }
            seen.clear();
            let mut pending = visit::roots(program, &e.statement);
            while let Some(expr) = pending.pop() {
                if seen.insert(expr) {
                    uses.visit(program, edge, expr, &mut pending);
                }
            }
        }
        uses
    }

    fn visit(&mut self, program: &Program, edge: EdgeId, expr: ExprId, pending: &mut Vec<ExprId>) {
        match program.expr(expr).kind {
            ExprKind::Load(place) => {
                self.reads.extend(program.whole_variable(place).map(|var| (edge, var)));
            }
            ExprKind::AddressOf(place) => {
                if let PlaceBase::Var(var) = program.place(place).base {
                    self.address_taken.insert(var);
                }
            }
            _ => {}
        }
        pending.extend(visit::parts(program, expr));
    }

    /// The reads of the given variables that may come before every write.
    pub(super) fn unset_reads(&self, program: &Program, procedure: &Procedure, vars: &[VarId]) -> UnsetReads {
        let numbers: FxHashMap<VarId, usize> = vars.iter().enumerate().map(|(i, &v)| (v, i)).collect();
        let mut reads: Vec<(EdgeId, usize)> =
            self.reads.iter().filter_map(|(edge, var)| Some((*edge, *numbers.get(var)?))).collect();
        let result = procedure.result.and_then(|var| numbers.get(&var)).copied();
        for (edge, e) in procedure.edges.iter() {
            if matches!(e.statement, Statement::Return) {
                reads.extend(result.map(|n| (edge, n)));
            }
        }
        reads.sort_unstable_by_key(|&(_, n)| n);
        let flow = Flow::new(program, procedure, &numbers);
        let sets = vars.len().div_ceil(64);
        if sets.saturating_mul(procedure.edges.len()) > EFFORT {
            return UnsetReads { reads: reads.iter().map(|&(e, n)| (e, vars[n])).collect() };
        }
        let mut unset = FxHashSet::default();
        for set in reads.chunk_by(|a, b| a.1 / 64 == b.1 / 64) {
            let first = set[0].1 / 64 * 64;
            let assigned = flow.solve(first);
            for &(edge, n) in set {
                let source = procedure.edges[edge].source.index();
                if assigned[source] >> (n - first) & 1 == 0 {
                    unset.insert((edge, vars[n]));
                }
            }
        }
        UnsetReads { reads: unset }
    }
}

/// Reads that may find a variable without a value.
#[derive(Debug, Default)]
pub(super) struct UnsetReads {
    reads: FxHashSet<(EdgeId, VarId)>,
}

impl UnsetReads {
    /// Whether the variable may have no value when the edge reads it.
    pub(super) fn contains(&self, edge: EdgeId, var: VarId) -> bool {
        self.reads.contains(&(edge, var))
    }

    /// The variables concerned.
    pub(super) fn variables(&self) -> FxHashSet<VarId> {
        self.reads.iter().map(|&(_, var)| var).collect()
    }
}

/// The control flow with what each edge writes and forgets.
struct Flow {
    locations: usize,
    entry: usize,
    /// Source, target, variable written, variable made arbitrary; sources in reverse postorder.
    edges: Vec<(usize, usize, Option<usize>, Option<usize>)>,
}

impl Flow {
    fn new(program: &Program, procedure: &Procedure, numbers: &FxHashMap<VarId, usize>) -> Flow {
        let order = reverse_postorder(procedure);
        let mut edges: Vec<_> = procedure
            .edges
            .values()
            .map(|edge| {
                let number = |var: VarId| numbers.get(&var).copied();
                let written = match &edge.statement {
                    Statement::Assign(place, _) | Statement::Havoc(place, _) => {
                        program.whole_variable(*place)
                    }
                    Statement::Call { result, .. } => *result,
                    Statement::Allocate { result, .. } => Some(*result),
                    _ => None,
                };
                let forgets = matches!(edge.statement, Statement::Havoc(_, Arbitrary::Uninitialised));
                let written = written.and_then(number);
                let (set, unset) = if forgets { (None, written) } else { (written, None) };
                (edge.source.index(), edge.target.index(), set, unset)
            })
            .collect();
        edges.sort_by_key(|&(source, ..)| order[source]);
        Flow { locations: procedure.locations.len(), entry: procedure.entry.index(), edges }
    }

    /// For each location, which of the 64 variables from `first` on are written on every way there.
    fn solve(&self, first: usize) -> Vec<u64> {
        let mut assigned = vec![u64::MAX; self.locations];
        if let Some(entry) = assigned.get_mut(self.entry) {
            *entry = 0;
        }
        let bit = |n: Option<usize>| match n {
            Some(n) if n / 64 == first / 64 => 1 << (n - first),
            _ => 0u64,
        };
        let mut changed = true;
        while changed {
            changed = false;
            for &(source, target, set, unset) in &self.edges {
                let after = (assigned[source] | bit(set)) & !bit(unset);
                let met = assigned[target] & after;
                changed |= met != assigned[target];
                assigned[target] = met;
            }
        }
        assigned
    }
}

/// The position of each location in reverse postorder; unreachable ones come last.
fn reverse_postorder(procedure: &Procedure) -> Vec<usize> {
    let mut successors = vec![Vec::new(); procedure.locations.len()];
    for edge in procedure.edges.values() {
        successors[edge.source.index()].push(edge.target.index());
    }
    let mut order = vec![usize::MAX; successors.len()];
    let mut seen = vec![false; successors.len()];
    let mut next = successors.len();
    let mut stack = vec![(procedure.entry.index(), 0)];
    seen[procedure.entry.index()] = true;
    while let Some((location, position)) = stack.last_mut() {
        match successors[*location].get(*position) {
            Some(&successor) => {
                *position += 1;
                if !seen[successor] {
                    seen[successor] = true;
                    stack.push((successor, 0));
                }
            }
            None => {
                next -= 1;
                order[*location] = next;
                stack.pop();
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::super::tests::Builder;
    use super::*;
    use crate::{BinaryOp, LocationId};

    /// The number of reads of a variable that may come first, in a `main` built by `build`.
    fn unset(build: impl FnOnce(&mut Builder, VarId)) -> usize {
        let mut b = Builder::new();
        let x = b.local("x", b.int);
        build(&mut b, x);
        let program = b.build();
        let procedure = &program.procedures[program.entry.expect("main")];
        let uses = Uses::of(&program, procedure);
        uses.unset_reads(&program, procedure, &[x]).reads.len()
    }

    fn set(b: &mut Builder, x: VarId) {
        let value = b.num(1);
        b.set(x, value);
    }

    fn read(b: &mut Builder, x: VarId) {
        let value = b.var(x);
        b.ret(value);
    }

    /// Two ways from here; the second starts where the result says.
    fn fork(b: &mut Builder) -> LocationId {
        let (here, other) = (b.here(), b.location());
        b.edge(here, other, Statement::Skip);
        b.push(Statement::Skip);
        other
    }

    #[test]
    fn a_write_before_the_read_is_enough() {
        assert_eq!(unset(read), 1);
        assert_eq!(
            unset(|b, x| {
                set(b, x);
                read(b, x);
            }),
            0
        );
    }

    #[test]
    fn every_way_must_write() {
        let diamond = |both: bool| {
            unset(|b, x| {
                let other = fork(b);
                set(b, x);
                let join = b.here();
                b.goto(other);
                if both {
                    set(b, x);
                }
                let here = b.here();
                b.edge(here, join, Statement::Skip);
                b.goto(join);
                read(b, x);
            })
        };
        assert_eq!((diamond(true), diamond(false)), (0, 1));
    }

    #[test]
    fn loops_reach_their_fixed_point() {
        // x = 1; while (*) { x = x + 1; if (*) forget x; } return x;
        let looping = |forget: bool| {
            unset(|b, x| {
                set(b, x);
                let head = b.here();
                let after = fork(b);
                let (vx, one) = (b.var(x), b.num(1));
                let more = b.bin(BinaryOp::Add, vx, one);
                b.set(x, more);
                if forget {
                    let place = b.p.var_place(x);
                    b.havoc(place, Arbitrary::Uninitialised);
                }
                let here = b.here();
                b.edge(here, head, Statement::Skip);
                b.goto(after);
                read(b, x);
            })
        };
        assert_eq!((looping(false), looping(true)), (0, 2));
    }

    #[test]
    fn many_variables_do_not_mix() {
        let mut b = Builder::new();
        let vars: Vec<VarId> = (0..200).map(|_| b.local("x", b.int)).collect();
        let other = b.local("other", b.int);
        for &var in vars.iter().step_by(3) {
            set(&mut b, var);
        }
        for &var in &vars {
            let value = b.var(var);
            b.set(other, value);
        }
        let program = b.build();
        let procedure = &program.procedures[program.entry.expect("main")];
        let uses = Uses::of(&program, procedure);
        let found = uses.unset_reads(&program, procedure, &vars).variables();
        for (i, var) in vars.iter().enumerate() {
            assert_eq!(found.contains(var), i % 3 != 0, "{i}");
        }
    }
}
