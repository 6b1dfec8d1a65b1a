//! What cells hold in a run, as values of the logic.

use std::collections::BTreeMap;

use hardbop_alias::{AccessBytes as Bytes, ObjectId, RegionId};
use hardbop_ir::VarId;
use hardbop_ir::interpret::{LiveObject, NoValue, Origin, OutsideMemory, Value as Concrete, View};
use hardbop_logic::{Sort, Value};
use hardbop_semantics::Subject;

/// A run at some moment, seen by the encoder.
pub(crate) struct Actual<'s, 'v, 'r> {
    pub(crate) subject: Subject<'s>,
    pub(crate) view: &'v View<'v, 'r>,
    pub(crate) fill: u8,
    /// The cells of each object.
    pub(crate) cells: &'v [Vec<(RegionId, Bytes)>],
    /// What regions of many places are made of.
    pub(crate) elements: &'v [Option<Sort>],
}

/// Positions of one cell beyond this are not looked at.
const MAX_POSITIONS: usize = 4096;
/// How many bytes of an object outside of the program are looked at, before and behind the address that leads there.
const AROUND: u64 = 128;

/// A value of a sort whose bytes are all the same.
pub(crate) fn filled(sort: Sort, fill: u8) -> Value {
    let bits = u128::from_le_bytes([fill; 16]);
    match sort {
        Sort::Bool => Value::Bool(fill != 0),
        Sort::Int => Value::Int(bits.cast_signed()),
        Sort::BitVec(width) => Value::bv(bits, width),
        Sort::Array(_, element) => {
            Value::Array { default: Box::new(filled(element.into(), fill)), entries: BTreeMap::new() }
        }
    }
}

pub(crate) fn value_of(value: Concrete, sort: Sort) -> Option<Value> {
    Some(match (value, sort) {
        (Concrete::Truth(value), Sort::Bool) => Value::Bool(value),
        (Concrete::Integer(value), Sort::Int) => Value::Int(value),
        (Concrete::Integer(value), Sort::BitVec(width)) => Value::bv(value.cast_unsigned(), width),
        (Concrete::Float(_, bits), Sort::BitVec(width)) => Value::bv(bits, width),
        (Concrete::Address(address), Sort::BitVec(width)) => Value::bv(address.into(), width),
        _ => return None,
    })
}

impl Actual<'_, '_, '_> {
    /// The value of a scalar variable of the current activation, or of a global.
    pub(crate) fn variable(&self, var: VarId, sort: Sort) -> Option<Value> {
        match self.view.variable(var) {
            Ok(value) => value_of(value, sort),
            Err(NoValue::Unset) => {
                // A variable in memory may have some of its bytes.
                let known = self.view.address(var).ok().and_then(|at| self.element(at, sort));
                Some(known.unwrap_or_else(|| filled(sort, self.fill)))
            }
            Err(_) => None,
        }
    }

    /// The scalar of some sort at an address; nothing if that is not alive.
    pub(crate) fn element(&self, address: u64, sort: Sort) -> Option<Value> {
        let length = match sort {
            Sort::Bool => 1,
            Sort::Int => 16,
            Sort::BitVec(width) => u64::from(width.div_ceil(8)),
            Sort::Array(..) => return None,
        };
        let bytes = self.view.bytes(address, length).ok()?;
        let bits =
            bytes.iter().rev().fold(0u128, |bits, byte| bits << 8 | u128::from(byte.unwrap_or(self.fill)));
        Some(match sort {
            Sort::Bool => Value::Bool(bits != 0),
            Sort::Int => Value::Int(bits.cast_signed()),
            _ => Value::bv(bits, 8 * length as u32),
        })
    }

    /// What `alias` calls an object of the run.
    fn object(&self, object: &LiveObject) -> Option<ObjectId> {
        let objects = self.subject.alias.objects();
        match object.origin {
            Origin::Global(var) | Origin::Local(var) => objects.variable(var),
            Origin::Heap(procedure, edge) | Origin::Stack(procedure, edge) => {
                objects.allocation(procedure, edge)
            }
            Origin::Outside(_) => Some(objects.world()),
        }
    }

    /// The contents of regions of many places, wherever they are alive; of one region or of all.
    pub(crate) fn contents(&self, wanted: Option<RegionId>) -> Vec<(RegionId, u64, Value)> {
        let mut found = Vec::new();
        for live in self.view.objects() {
            let Some(object) = self.object(&live) else { continue };
            // Cells of one region of bytes may overlap.
            let mut places: Vec<(RegionId, u64)> = Vec::new();
            for &(region, cell) in &self.cells[object.index()] {
                if wanted.is_some_and(|wanted| wanted != region) {
                    continue;
                }
                let bytewise = self.elements[region.index()] == Some(Sort::BitVec(8));
                let last = if bytewise { cell.width } else { 1 };
                places.extend(positions(cell, &live).flat_map(|at| (0..last).map(move |i| (region, at + i))));
            }
            places.sort_unstable();
            places.dedup();
            found.extend(places.into_iter().filter_map(|(region, at)| {
                let element = self.elements[region.index()]?;
                let address = live.address + at;
                Some((region, address, self.element(address, element)?))
            }));
        }
        found
    }
}

/// For each object its cells, with their regions.
pub(crate) fn cells_of_objects(subject: Subject<'_>) -> Vec<Vec<(RegionId, Bytes)>> {
    let mut cells = vec![Vec::new(); subject.alias.objects().len()];
    for (id, region) in subject.regions.regions().iter() {
        for &(object, cell) in &region.cells {
            cells[object.index()].push((id, cell));
        }
    }
    cells
}

/// The positions of a cell in an object. Outside of the program, those around the address that leads there.
fn positions(cell: Bytes, object: &LiveObject) -> impl Iterator<Item = u64> {
    let (first, end) = match object.origin {
        Origin::Outside(_) => (OutsideMemory::REACH - AROUND, OutsideMemory::REACH + AROUND),
        _ => (0, object.size),
    };
    cell.positions(end).skip_while(move |&at| at < first).take(MAX_POSITIONS)
}
