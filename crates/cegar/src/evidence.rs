//! From the checker's invariant to a proof over predicates.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use hardbop_abstraction::{BackMap, Liveness};
use hardbop_alias::{Alias, Target};
use hardbop_base::{Budget, Stop};
use hardbop_bp::{Flow, VarKind};
use hardbop_certify::proof::{Proof, Relation, Slot};
use hardbop_ir::Order;
use hardbop_ir::{EdgeId, LocationId, ProcId, Program, Statement};
use hardbop_predicate::{Ghost, Predicate, Scope, places, variables};
use hardbop_reach::{Diagram, Invariant, NodeId};
use hardbop_semantics::Subject;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::frame::{Frames, Telling};

/// How much a proof says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// What each procedure has to do with ([`Frames`]), without predicates that no later statement seems to need.
    Small,
    /// Everything but predicates that no later statement seems to need.
    Medium,
    /// Everything.
    Thorough,
}

/// The proof that an invariant is: the relation of each cut point, over the variables that stand for predicates.
pub(crate) fn proof(
    subject @ Subject { program, alias, .. }: Subject<'_>,
    (ghosts, predicates): (&[Ghost], &[Predicate]),
    (flow, back): (&Flow, &BackMap),
    invariant: &Invariant,
    extent: Extent,
    budget: &Budget,
) -> Result<Proof, Stop> {
    let mut proof = Proof {
        entry: back.entry,
        ghosts: ghosts.to_vec(),
        predicates: predicates.to_vec(),
        relations: FxHashMap::default(),
        unused: FxHashSet::default(),
    };
    let mut points: BTreeMap<ProcId, Vec<(LocationId, NodeId)>> = BTreeMap::new();
    let mut orders: FxHashMap<ProcId, Order> = FxHashMap::default();
    for (procedure, location, id) in back.points(flow) {
        let order = orders.entry(procedure).or_insert_with(|| Order::of(&program.procedures[procedure]));
        if !order.is_cut(location) {
            continue;
        }
        if let Some(&root) = invariant.locations.get(&id) {
            points.entry(procedure).or_default().push((location, root));
        }
    }
    let claims = Claims {
        subject,
        predicates,
        stands_for: (flow, back),
        invariant,
        liveness: Liveness::of(program, predicates),
        frames: Frames::of(subject, predicates),
        budget,
    };
    // Callers first: what may be left out of a procedure depends on what is said of them.
    let mut points: Vec<(ProcId, Vec<(LocationId, NodeId)>)> = points.into_iter().collect();
    points.sort_by_key(|&(procedure, _)| Reverse(alias.calls().component(procedure)));
    let mut by_states = FxHashSet::default();
    for (procedure, points) in points {
        let tellings = match extent {
            Extent::Thorough => {
                proof.relations.extend(claims.thorough(procedure, &points)?);
                continue;
            }
            Extent::Medium => vec![Telling::Everything],
            Extent::Small if claims.is_told_by_states(procedure, &by_states) => {
                vec![Telling::States, Telling::Change]
            }
            Extent::Small => vec![Telling::Change],
        };
        let mut smallest: Option<(usize, Telling, Relations)> = None;
        for telling in tellings {
            let relations = claims.relations(procedure, &points, telling)?;
            let size: usize = relations.values().map(|relation| relation.nodes.len()).sum();
            if smallest.as_ref().is_none_or(|&(least, ..)| size < least) {
                smallest = Some((size, telling, relations));
            }
        }
        let Some((_, telling, relations)) = smallest else { continue };
        if telling == Telling::States {
            by_states.insert(procedure);
        }
        proof.relations.extend(relations);
    }
    Ok(proof)
}

type Relations = FxHashMap<(ProcId, LocationId), Relation>;

/// What relations are made from.
struct Claims<'a> {
    subject: Subject<'a>,
    predicates: &'a [Predicate],
    stands_for: (&'a Flow, &'a BackMap),
    invariant: &'a Invariant,
    liveness: Liveness,
    frames: Frames<'a>,
    budget: &'a Budget,
}

impl Claims<'_> {
    /// Whether what holds now says all of a procedure: nobody calls it, or one call does, of whose procedure the same is
    /// true.
    fn is_told_by_states(&self, procedure: ProcId, by_states: &FxHashSet<ProcId>) -> bool {
        let callers = self.subject.alias.calls().callers(procedure);
        let starts = self.stands_for.1.entry == procedure;
        // What comes before the first procedure has no relations.
        let leads_in = |&(caller, _): &(ProcId, EdgeId)| self.subject.program.entry == Some(caller);
        starts && callers.iter().all(leads_in) && !callers.iter().any(|&(caller, _)| caller == procedure)
            || self
                .frames
                .only_call(&self.liveness, procedure)
                .is_some_and(|caller| by_states.contains(&caller))
    }

    fn relation(&self, root: NodeId, keep: &dyn Fn(Slot) -> bool) -> Result<Option<Relation>, Stop> {
        let keep = |slot| slot_of(self.stands_for, slot).is_some_and(keep);
        let (diagram, roots) = self.invariant.diagram.project(&[root], keep, self.budget)?;
        Ok(relation(&diagram, roots[0], self.stands_for))
    }

    /// All that is known at the cut points of a procedure.
    fn thorough(&self, procedure: ProcId, points: &[(LocationId, NodeId)]) -> Result<Relations, Stop> {
        let mut relations = Relations::default();
        for &(point, root) in points {
            relations.extend(self.relation(root, &|_| true)?.map(|relation| ((procedure, point), relation)));
        }
        Ok(relations)
    }

    /// What is known at the cut points of a procedure, told in some way, and without predicates that no later statement
    /// seems to need.
    fn relations(
        &self,
        procedure: ProcId,
        points: &[(LocationId, NodeId)],
        telling: Telling,
    ) -> Result<Relations, Stop> {
        let Subject { program, alias, .. } = self.subject;
        let exit = program.procedures[procedure].exit;
        let told = self.frames.told(procedure, telling);
        let mut relations = Relations::default();
        // Callers know nothing of what is local, and what was at entry is there for them only.
        let mut recalls = false;
        let is_seen = |slot @ (Slot::Entry(i) | Slot::Now(i))| {
            told.has(slot) && is_visible(program, alias, self.predicates[i])
        };
        for &(point, root) in points.iter().filter(|&&(point, _)| point == exit) {
            let Some(relation) = self.relation(root, &is_seen)? else { continue };
            recalls |= relation.nodes.iter().any(|(slot, ..)| matches!(slot, Slot::Entry(_)));
            relations.insert((procedure, point), relation);
        }
        for &(point, root) in points.iter().filter(|&&(point, _)| point != exit) {
            let dead = self.liveness.dead(program, alias, procedure, point);
            let keep = |slot| {
                told.has(slot)
                    && match slot {
                        Slot::Entry(_) => recalls,
                        Slot::Now(i) => !dead.contains(&i),
                    }
            };
            relations.extend(self.relation(root, &keep)?.map(|relation| ((procedure, point), relation)));
        }
        Ok(relations)
    }
}

/// Whether a predicate of a procedure means something to its callers.
fn is_visible(program: &Program, alias: &Alias, predicate: Predicate) -> bool {
    variables(program, predicate.expr).into_iter().all(|var| {
        let kind = program.variables[var].kind;
        alias.is_shared(program, var)
            || matches!(kind, hardbop_ir::VarKind::Formal | hardbop_ir::VarKind::Result)
    })
}

/// Adds to a proof what it takes to call procedures that change nothing of interest. Predicates about what they cannot
/// write at all need no mention: nearly always all of them.
pub(crate) fn add_unneeded(
    proof: &mut Proof,
    Subject { program, alias, regions }: Subject<'_>,
    unneeded: &[ProcId],
) {
    let mentioned = mentioned(proof);
    let globals: Vec<(usize, Vec<Option<Target>>)> = (0..proof.predicates.len())
        .filter(|&i| proof.predicates[i].scope == Scope::Global && mentioned.contains(&i))
        .map(|i| {
            let read = places(program, &[proof.predicates[i]]);
            (i, read.into_iter().map(|place| regions.target(program, alias, place).ok()).collect())
        })
        .collect();
    for &procedure in unneeded {
        let modified = regions.modified(procedure);
        let may_write = |target: &Option<Target>| match target {
            Some(Target::Register(var)) => modified.registers.contains(var),
            Some(Target::Region(region)) => modified.has_region(*region),
            Some(Target::Nowhere) => false,
            None => true,
        };
        let changing = globals.iter().filter(|(_, read)| read.iter().any(may_write));
        let relation = unchanged(&changing.map(|&(i, _)| i).collect::<Vec<_>>());
        let order = Order::of(&program.procedures[procedure]);
        for location in order.cuts() {
            proof.relations.insert((procedure, location), relation.clone());
        }
    }
}

/// The predicates that relations mention.
fn mentioned(proof: &Proof) -> FxHashSet<usize> {
    let nodes = proof.relations.values().flat_map(|relation| &relation.nodes);
    nodes.map(|&(Slot::Entry(i) | Slot::Now(i), ..)| i).collect()
}

/// The statements of a program that its slice leaves out.
pub(crate) fn left_out(program: &Program, slice: &Program) -> FxHashSet<(ProcId, EdgeId)> {
    let is_skip = |statement: &Statement| matches!(statement, Statement::Skip);
    let mut found = FxHashSet::default();
    for (id, procedure) in program.procedures.iter() {
        let sliced = &slice.procedures[id].edges;
        let edges = procedure.edges.iter();
        let left_out = edges.filter(|(edge, e)| is_skip(&sliced[*edge].statement) && !is_skip(&e.statement));
        found.extend(left_out.map(|(edge, _)| (id, edge)));
    }
    found
}

/// That predicates are now what they were at entry.
fn unchanged(predicates: &[usize]) -> Relation {
    let mut relation = Relation { nodes: Vec::new(), root: 1 };
    for &i in predicates.iter().rev() {
        let rest = relation.root;
        relation.nodes.push((Slot::Now(i), rest, 0));
        let was_false = relation.nodes.len() + 1;
        relation.nodes.push((Slot::Now(i), 0, rest));
        let was_true = relation.nodes.len() + 1;
        relation.nodes.push((Slot::Entry(i), was_false, was_true));
        relation.root = relation.nodes.len() + 1;
    }
    relation
}

fn relation(diagram: &Diagram, root: NodeId, stands_for: (&Flow, &BackMap)) -> Option<Relation> {
    if root == NodeId::FALSE {
        return None;
    }
    let mut relation = Relation::default();
    let mut numbers = FxHashMap::from_iter([(NodeId::FALSE, 0), (NodeId::TRUE, 1)]);
    let mut stack = vec![root];
    while let Some(&node) = stack.last() {
        if numbers.contains_key(&node) {
            stack.pop();
            continue;
        }
        let (slot, low, high) = diagram.decision(node)?;
        match (numbers.get(&low), numbers.get(&high)) {
            (Some(&low), Some(&high)) => {
                let slot = slot_of(stands_for, slot)?;
                relation.nodes.push((slot, low, high));
                numbers.insert(node, relation.nodes.len() + 1);
                stack.pop();
            }
            _ => stack.extend([low, high]),
        }
    }
    relation.root = numbers[&root];
    Some(relation)
}

fn slot_of((flow, back): (&Flow, &BackMap), slot: hardbop_reach::Slot) -> Option<Slot> {
    match slot {
        hardbop_reach::Slot::Now(var) => back.predicate(var).map(Slot::Now),
        // A local that is no parameter is arbitrary at entry.
        hardbop_reach::Slot::Entry(var) => match flow.variables[var].kind {
            VarKind::Global | VarKind::Formal => back.predicate(var).map(Slot::Entry),
            VarKind::Local | VarKind::Result => None,
        },
    }
}
