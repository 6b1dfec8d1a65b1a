//! What procedures read and write, themselves and through calls: the direct effects, closed over the call
//! graph one strongly connected component at a time, callees first.

use hardbop_base::{Arena, Id};
use hardbop_ir::{Effect, ProcId, Program, VarId};

use crate::location::AccessBytes;
use crate::query::Alias;
use crate::region::{Effects, Region, RegionId};

/// Something that is read or written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Item {
    Register(VarId),
    AccessBytes(u32),
}

/// What the statements of a procedure do, without what they call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Direct {
    pub(crate) reads: Vec<Item>,
    pub(crate) writes: Vec<Item>,
    /// Whether it is, or calls, an external procedure that changes what it can reach.
    pub(crate) havoc: bool,
}

impl Direct {
    /// What is known before any statement was looked at.
    pub(crate) fn of_body(external: Option<Effect>) -> Self {
        Direct { havoc: external.is_some_and(Effect::reaches_memory), ..Direct::default() }
    }
}

/// A set of regions and of global registers: regions first, then globals by their position.
#[derive(Clone, PartialEq, Eq)]
struct Set(Vec<u64>);

impl Set {
    fn add(&mut self, number: usize) {
        self.0[number / 64] |= 1 << (number % 64);
    }

    fn add_all(&mut self, other: &Set) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }

    fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().flat_map(|(i, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| 64 * i + bit)
        })
    }
}

/// The effects of all procedures: what they modify and what they read.
pub(crate) fn close(
    program: &Program,
    alias: &Alias,
    regions: &Arena<Region>,
    cells: &[Vec<(AccessBytes, RegionId)>],
    of_cell: &[RegionId],
    direct: &[Direct],
) -> (Vec<Effects>, Vec<Effects>) {
    let mut position = vec![None; program.variables.len()];
    for (i, &global) in program.globals.iter().enumerate() {
        position[global.index()] = Some(regions.len() + i);
    }
    let empty = Set(vec![0; (regions.len() + program.globals.len()).div_ceil(64)]);
    let set_of = |items: &[Item]| {
        let mut set = empty.clone();
        for item in items {
            match *item {
                Item::AccessBytes(cell) => set.add(of_cell[cell as usize].index()),
                Item::Register(var) => position[var.index()].into_iter().for_each(|n| set.add(n)),
            }
        }
        set
    };
    let outside = outside(program, alias, cells, &position, &empty);
    let closed = |items: fn(&Direct) -> &[Item]| {
        let mut sets: Vec<Set> = direct.iter().map(|d| set_of(items(d))).collect();
        for ((set, d), procedure) in sets.iter_mut().zip(direct).zip(program.procedures.values()) {
            if d.havoc || procedure.external.is_some_and(Effect::reaches_memory) {
                set.add_all(&outside);
            }
        }
        close_over_calls(alias, &mut sets, &direct_callees(program, alias));
        let effects = |set: &Set| effects_of(program, regions.len(), set);
        sets.iter().map(effects).collect()
    };
    (closed(|d| &d.writes), closed(|d| &d.reads))
}

/// What an external procedure may read and write.
fn outside(
    program: &Program,
    alias: &Alias,
    cells: &[Vec<(AccessBytes, RegionId)>],
    position: &[Option<usize>],
    empty: &Set,
) -> Set {
    let mut set = empty.clone();
    for (object, _) in alias.objects().iter().filter(|&(object, _)| alias.is_escaped(object)) {
        cells[object.index()].iter().for_each(|(_, region)| set.add(region.index()));
    }
    for &global in program.globals.iter().filter(|&&var| alias.is_visible_outside(program, var)) {
        if !alias.in_memory(global) {
            position[global.index()].into_iter().for_each(|n| set.add(n));
        }
    }
    set
}

fn direct_callees(program: &Program, alias: &Alias) -> Vec<Vec<ProcId>> {
    let callees = |procedure: ProcId| {
        let edges = program.procedures[procedure].edges.ids();
        let mut all: Vec<ProcId> = edges.flat_map(|edge| alias.callees(procedure, edge)).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    program.procedures.ids().map(callees).collect()
}

fn close_over_calls(alias: &Alias, sets: &mut [Set], callees: &[Vec<ProcId>]) {
    for component in alias.calls().components() {
        let Some(&first) = component.first() else { continue };
        let mut all = sets[first.index()].clone();
        for &procedure in component {
            all.add_all(&sets[procedure.index()]);
            for callee in &callees[procedure.index()] {
                all.add_all(&sets[callee.index()]);
            }
        }
        component.iter().for_each(|procedure| sets[procedure.index()] = all.clone());
    }
}

fn effects_of(program: &Program, regions: usize, set: &Set) -> Effects {
    let mut effects = Effects::default();
    for number in set.iter() {
        match number.checked_sub(regions) {
            None => effects.regions.push(Id::from_usize(number)),
            Some(global) => effects.registers.push(program.globals[global]),
        }
    }
    effects
}
