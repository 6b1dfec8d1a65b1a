//! From path edges to relations: decision diagrams made from lists of cubes.
//!
//! A diagram is built top down: the list is parted by the first slot, each part by the next. Cubes with
//! both values go into both parts, so parts may meet again; they are remembered by their list.

use hardbop_base::Budget;
use hardbop_bp::{Flow, LocId, ProcId, VarId, VarKind};
use rustc_hash::FxHashMap;

use super::Halt;
use super::cube::{Cube, Value};
use super::formula::Condition;
use super::model::{Model, slot};
use super::split::Split;
use crate::{Diagram, Invariant, NodeId, Slot};

/// The cubes that reach one location, with those of the procedure's entry.
#[derive(Default)]
pub(super) struct Reached {
    rows: FxHashMap<LocId, Vec<(Cube, Cube)>>,
}

impl Reached {
    /// Adds a cube of entry values and a cube of current values; of the latter, those states that
    /// `enforce` forbids are not meant.
    pub(super) fn add(
        &mut self,
        model: &Model<'_>,
        location: LocId,
        entry: &Cube,
        now: &Cube,
        budget: &Budget,
    ) -> Result<(), Halt> {
        let enforced: Vec<_> = model.enforced_at(location).iter().map(Condition::Can).collect();
        for part in Split::new(now.clone(), &enforced, &[], budget) {
            self.rows.entry(location).or_default().push((entry.clone(), part?));
        }
        Ok(())
    }

    /// The relations of all locations and procedures.
    pub(super) fn relations(&self, flow: &Flow, budget: &Budget) -> Result<Invariant, Halt> {
        let mut invariant = Invariant::default();
        for (location, rows) in &self.rows {
            let procedure = flow.locations[*location].procedure;
            let at_exit = *location == flow.procedures[procedure].exit;
            let slots = location_slots(flow, procedure, at_exit);
            let node = relation(&mut invariant.diagram, flow, &slots, rows, budget)?;
            invariant.locations.insert(*location, node);
            if at_exit {
                let slots = summary_slots(flow, procedure);
                let node = relation(&mut invariant.diagram, flow, &slots, rows, budget)?;
                invariant.summaries.insert(procedure, node);
            }
        }
        Ok(invariant)
    }
}

/// Globals and formals at entry; globals, frame and, at the exit, results now; by variable.
fn location_slots(flow: &Flow, procedure: ProcId, at_exit: bool) -> Vec<Slot> {
    let slots = |variable: VarId| match flow.variables[variable].kind {
        VarKind::Global | VarKind::Formal => vec![Slot::Entry(variable), Slot::Now(variable)],
        VarKind::Local => vec![Slot::Now(variable)],
        VarKind::Result if at_exit => vec![Slot::Now(variable)],
        VarKind::Result => Vec::new(),
    };
    flow.scope(procedure).flat_map(slots).collect()
}

/// Globals and formals at entry, globals and results at exit; by variable.
fn summary_slots(flow: &Flow, procedure: ProcId) -> Vec<Slot> {
    let slots = |variable: VarId| match flow.variables[variable].kind {
        VarKind::Global => vec![Slot::Entry(variable), Slot::Now(variable)],
        VarKind::Formal => vec![Slot::Entry(variable)],
        VarKind::Local => Vec::new(),
        VarKind::Result => vec![Slot::Now(variable)],
    };
    flow.scope(procedure).flat_map(slots).collect()
}

fn relation(
    diagram: &mut Diagram,
    flow: &Flow,
    slots: &[Slot],
    rows: &[(Cube, Cube)],
    budget: &Budget,
) -> Result<NodeId, Halt> {
    let rows = rows.iter().map(|(entry, now)| {
        let value = |s: &Slot| match s {
            Slot::Entry(variable) => entry.get(slot(flow, *variable)),
            Slot::Now(variable) => now.get(slot(flow, *variable)),
        };
        slots.iter().map(value).collect()
    });
    let rows: Vec<Vec<Value>> = rows.collect();
    let all = (0..rows.len() as u32).collect();
    Builder { diagram, slots, rows, known: FxHashMap::default(), budget }.build(all, 0)
}

struct Builder<'a> {
    diagram: &'a mut Diagram,
    slots: &'a [Slot],
    rows: Vec<Vec<Value>>,
    /// Lists of rows that were parted already.
    known: FxHashMap<(usize, Vec<u32>), NodeId>,
    budget: &'a Budget,
}

impl Builder<'_> {
    /// The union of the rows, from a level on.
    fn build(&mut self, rows: Vec<u32>, level: usize) -> Result<NodeId, Halt> {
        self.budget.check().map_err(Halt::Stopped)?;
        let free = |row: &u32| self.rows[*row as usize][level..].iter().all(|&v| v == Value::BOTH);
        if rows.is_empty() {
            return Ok(NodeId::FALSE);
        }
        if rows.iter().any(free) {
            return Ok(NodeId::TRUE);
        }
        let part = |value: bool| {
            let allows = |row: &u32| self.rows[*row as usize][level].allows(value);
            rows.iter().copied().filter(allows).collect::<Vec<u32>>()
        };
        let (low, high) = (part(false), part(true));
        if low.len() == rows.len() && high.len() == rows.len() {
            return self.build(rows, level + 1);
        }
        // Only rows in both parts can lead to the same list twice.
        let shared = low.len() + high.len() > rows.len();
        let key = (level, rows);
        if let Some(&node) = self.known.get(&key) {
            return Ok(node);
        }
        let low = self.build(low, level + 1)?;
        let high = self.build(high, level + 1)?;
        let node = self.diagram.node(self.slots[level], low, high);
        if shared {
            self.known.insert(key, node);
        }
        Ok(node)
    }
}
