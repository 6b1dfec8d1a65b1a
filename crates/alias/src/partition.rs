//! Finding the regions: cells of all accesses, leaves of all copies, then union of what can meet.

use hardbop_base::{Arena, Budget, Id, Stop};
use hardbop_ir::{EdgeId, PlaceId, ProcId, Program, TypeId};
use rustc_hash::FxHashMap;

use crate::access::{AccessFinder, BulkAccess, footprint};
use crate::effects::{self, Direct, Item};
use crate::location::{AccessBytes, Length, Location, Range, Step};
use crate::object::ObjectId;
use crate::query::Alias;
use crate::region::{
    Bulk, Leaf, Region, RegionId, RegionKind, Regions, Target, register, rows, scalar_cells,
};
use crate::solve::memory::parts;

type CellId = u32;

/// A copy with more leaves than this is one of single bytes.
const MAX_LEAVES: usize = 512;

/// Cuts the memory of a program into regions.
pub(crate) fn partition(
    program: &Program,
    alias: &Alias,
    places: &[PlaceId],
    budget: &Budget,
) -> Result<Regions, Stop> {
    let mut builder = Builder::new(program, alias);
    for procedure in program.procedures.ids().filter(|&p| alias.calls().is_reached(p)) {
        budget.check()?;
        builder.procedure(procedure);
    }
    for &place in places {
        builder.wanted_place(place);
    }
    while let Some(cell) = builder.fresh.pop() {
        budget.check()?;
        builder.find_leaves(cell);
    }
    for object in 0..builder.by_object.len() {
        budget.check()?;
        builder.unite_meeting(object);
    }
    Ok(builder.finish())
}

/// The types of the scalars accessed at a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Types {
    None,
    One(TypeId),
    Several,
}

impl Types {
    fn join(self, other: Types) -> Types {
        match (self, other) {
            (Types::None, x) | (x, Types::None) => x,
            (a, b) if a == b => a,
            _ => Types::Several,
        }
    }
}

/// The bytes of an access to one object.
struct CellInfo {
    object: ObjectId,
    cell: AccessBytes,
    /// A cell of the same region; itself if it stands for all.
    parent: CellId,
    types: Types,
    is_written: bool,
    /// Overlaps some cell of its region in part.
    is_mixed: bool,
}

struct BulkInfo {
    procedure: ProcId,
    edge: EdgeId,
    access: BulkAccess,
    /// For each leaf a cell of its target and of its source.
    leaves: FxHashMap<(Step, u64), (Option<CellId>, Option<CellId>)>,
    is_bytewise: bool,
}

struct Builder<'a> {
    program: &'a Program,
    alias: &'a Alias,
    finder: AccessFinder<'a>,
    cells: Vec<CellInfo>,
    /// For each object, its cells.
    index: Vec<FxHashMap<AccessBytes, CellId>>,
    by_object: Vec<Vec<CellId>>,
    /// Cells that may be leaves of copies.
    fresh: Vec<CellId>,
    bulks: Vec<BulkInfo>,
    /// For each object, the copies that write to it.
    into: Vec<Vec<(u32, Location)>>,
    /// For each scalar place in memory a cell of its accesses.
    places: FxHashMap<PlaceId, Option<CellId>>,
    direct: Vec<Direct>,
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program, alias: &'a Alias) -> Self {
        let count = alias.objects().len();
        Builder {
            program,
            alias,
            finder: AccessFinder::new(program, alias),
            cells: Vec::new(),
            index: vec![FxHashMap::default(); count],
            by_object: vec![Vec::new(); count],
            fresh: Vec::new(),
            bulks: Vec::new(),
            into: vec![Vec::new(); count],
            places: FxHashMap::default(),
            direct: program.procedures.values().map(|p| Direct::of_body(p.external)).collect(),
        }
    }

    /// Takes up all accesses of a procedure.
    fn procedure(&mut self, procedure: ProcId) {
        let program = self.program;
        for edge in program.procedures[procedure].edges.ids() {
            let accesses = self.finder.of(procedure, edge);
            for place in accesses.reads {
                let item = self.place(place, false);
                self.direct[procedure.index()].reads.extend(item);
            }
            if let Some(place) = accesses.write {
                let item = self.place(place, true);
                self.direct[procedure.index()].writes.extend(item);
            }
            if let Some(var) = accesses.result {
                self.direct[procedure.index()].writes.push(Item::Register(var));
            }
            for access in accesses.bulks {
                self.bulk(procedure, edge, access);
            }
            self.direct[procedure.index()].havoc |= self.alias.calls_havoc(program, procedure, edge);
        }
    }

    /// Takes up a place that the caller will ask about, and the places inside it.
    fn wanted_place(&mut self, place: PlaceId) {
        let inside = hardbop_ir::visit::place_parts(self.program, place).collect();
        for place in self.finder.scalar_reads(inside) {
            self.place(place, false);
        }
        if self.program.is_scalar(self.program.place(place).ty) {
            self.place(place, false);
        }
    }

    /// Takes up an access to a scalar place.
    fn place(&mut self, place: PlaceId, write: bool) -> Option<Item> {
        if let Some(var) = register(self.program, self.alias, place) {
            return Some(Item::Register(var));
        }
        let cell = match self.places.get(&place) {
            Some(&known) => known,
            None => {
                let footprint = footprint(self.program, place);
                let touched = scalar_cells(&mut self.finder.queries, footprint, place);
                let cell = self.unite_all(&touched);
                if let Some(cell) = cell {
                    let ty = self.program.place(place).ty;
                    let types = if footprint.bits.is_none() { Types::One(ty) } else { Types::Several };
                    self.cells[cell as usize].types = self.cells[cell as usize].types.join(types);
                }
                self.places.insert(place, cell);
                cell
            }
        };
        if let (Some(cell), true) = (cell, write) {
            self.cells[cell as usize].is_written = true;
        }
        cell.map(Item::AccessBytes)
    }

    fn bulk(&mut self, procedure: ProcId, edge: EdgeId, access: BulkAccess) {
        let number = self.bulks.len() as u32;
        for &target in &access.target {
            if self.alias.objects()[target.object].is_memory() {
                self.into[target.object.index()].push((number, target));
            }
        }
        let leaves = FxHashMap::default();
        self.bulks.push(BulkInfo { procedure, edge, access, leaves, is_bytewise: false });
    }
}

/// The step to a byte of what another step leads to.
fn byte_of(step: Step, byte: i64) -> Step {
    first_of(Step { shift: step.shift.wrapping_add(byte), ..step })
}

/// The same step, from the first position on if it has a spread.
fn first_of(step: Step) -> Step {
    match i64::try_from(step.spread) {
        Ok(spread @ 1..) => Step { shift: step.shift.rem_euclid(spread), ..step },
        _ => step,
    }
}

/// Cells and leaves.
impl Builder<'_> {
    fn cell(&mut self, object: ObjectId, cell: AccessBytes) -> CellId {
        if let Some(&known) = self.index[object.index()].get(&cell) {
            return known;
        }
        let id = self.cells.len() as CellId;
        let is_mixed = cell.overlaps_itself();
        let info = CellInfo { object, cell, parent: id, types: Types::None, is_written: false, is_mixed };
        self.cells.push(info);
        self.index[object.index()].insert(cell, id);
        self.by_object[object.index()].push(id);
        self.fresh.push(id);
        id
    }

    /// One of the cells that an access can touch; all of them belong to one region.
    fn unite_all(&mut self, cells: &[(ObjectId, AccessBytes)]) -> Option<CellId> {
        let mut first = None;
        for &(object, cell) in cells {
            let id = self.cell(object, cell);
            self.unite(*first.get_or_insert(id), id);
        }
        first
    }

    fn root(&mut self, mut id: CellId) -> CellId {
        while self.cells[id as usize].parent != id {
            let up = self.cells[id as usize].parent;
            self.cells[id as usize].parent = self.cells[up as usize].parent;
            id = up;
        }
        id
    }

    fn unite(&mut self, a: CellId, b: CellId) {
        let (a, b) = (self.root(a), self.root(b));
        self.cells[a.max(b) as usize].parent = a.min(b);
    }

    /// Makes a cell a leaf of all copies that write to it.
    fn find_leaves(&mut self, id: CellId) {
        let CellInfo { object, cell, .. } = self.cells[id as usize];
        let space = self.finder.queries.space();
        for i in 0..self.into[object.index()].len() {
            let (bulk, start) = self.into[object.index()][i];
            let length = self.bulks[bulk as usize].access.length;
            // Of an access of unknown length the region is all that counts.
            let is_cut =
                length.is_some_and(|n| Range { start, length: Length::Known(n) }.meets(space, cell).cut);
            for part in parts(space, start, length, cell) {
                if part.width == cell.width && !is_cut {
                    self.leaf(bulk, part.step, part.width);
                    continue;
                }
                for byte in 0..part.width as i64 {
                    self.leaf(bulk, byte_of(part.step, byte), 1);
                }
            }
        }
    }

    /// Makes bytes at some distance from the start of a copy accesses to its target and its source.
    fn leaf(&mut self, bulk: u32, step: Step, width: u64) {
        let step = first_of(step);
        let info = &mut self.bulks[bulk as usize];
        if info.is_bytewise || info.leaves.contains_key(&(step, width)) {
            return;
        }
        info.is_bytewise = info.leaves.len() >= MAX_LEAVES;
        let (step, width) = if info.is_bytewise { (Step::ANYWHERE, 1) } else { (step, width) };
        let (target, source) = (info.access.target.clone(), info.access.source.clone());
        let (target, source) = (self.leaf_cells(&target, step, width), self.leaf_cells(&source, step, width));
        let (target, source) = (self.unite_all(&target), self.unite_all(&source));
        if let Some(target) = target {
            self.cells[target as usize].is_written = true;
        }
        self.bulks[bulk as usize].leaves.insert((step, width), (target, source));
    }

    fn leaf_cells(&self, starts: &[Location], step: Step, width: u64) -> Vec<(ObjectId, AccessBytes)> {
        let (objects, space) = (self.alias.objects(), self.finder.queries.space());
        let cell = |&start: &Location| {
            let at = if start.object == objects.world() { start } else { space.moved(start, step) };
            Some((at.object, space.cell(objects, at, width)?))
        };
        starts.iter().filter_map(cell).collect()
    }

    /// Unites the cells of an object that can have bytes in common.
    fn unite_meeting(&mut self, object: usize) {
        let mut ids = std::mem::take(&mut self.by_object[object]);
        ids.sort_unstable_by_key(|&id| self.cells[id as usize].cell);
        let (exact, strided): (Vec<CellId>, Vec<CellId>) =
            ids.iter().partition(|&&id| self.cells[id as usize].cell.is_exact());
        // Of the exact ones, each can only meet those that start before it ends.
        for (i, &a) in exact.iter().enumerate() {
            let cell = self.cells[a as usize].cell;
            let end = cell.offset.saturating_add(cell.width);
            for &b in &exact[i + 1..] {
                if self.cells[b as usize].cell.offset >= end {
                    break;
                }
                self.meet(a, b);
            }
        }
        for (i, &a) in strided.iter().enumerate() {
            for &b in exact.iter().chain(&strided[i + 1..]) {
                self.meet(a, b);
            }
        }
        self.by_object[object] = ids;
    }

    fn meet(&mut self, a: CellId, b: CellId) {
        let meeting = self.cells[a as usize].cell.meets(self.cells[b as usize].cell);
        if meeting.is_possible() {
            self.unite(a, b);
            self.cells[a as usize].is_mixed |= meeting.partial;
        }
    }
}

/// The result.
impl Builder<'_> {
    fn finish(mut self) -> Regions {
        let (regions, of_cell) = self.number_regions();
        let mut cells = vec![Vec::new(); self.by_object.len()];
        for &id in self.by_object.iter().flatten() {
            let CellInfo { object, cell, .. } = self.cells[id as usize];
            cells[object.index()].push((cell, of_cell[id as usize]));
        }
        let target = |cell: Option<CellId>| {
            cell.map_or(Target::Nowhere, |cell| Target::Region(of_cell[cell as usize]))
        };
        let places = self.places.iter().map(|(&id, &cell)| (id, target(cell))).collect();
        let bulks = self.finish_bulks(&of_cell);
        let (modified, read) =
            effects::close(self.program, self.alias, &regions, &cells, &of_cell, &self.direct);
        Regions { regions, cells, places, bulks, modified, read }
    }

    /// The regions in the order of their first cells, and the region of each cell.
    fn number_regions(&mut self) -> (Arena<Region>, Vec<RegionId>) {
        let mut regions: Arena<Region> = Arena::new();
        let mut numbers: FxHashMap<CellId, RegionId> = FxHashMap::default();
        let mut types: Vec<Types> = Vec::new();
        let mut of_cell: Vec<RegionId> = vec![Id::from_usize(0); self.cells.len()];
        let order: Vec<CellId> = self.by_object.iter().flatten().copied().collect();
        for id in order {
            let root = self.root(id);
            let info = &self.cells[id as usize];
            let id = &mut of_cell[id as usize];
            *id = *numbers.entry(root).or_insert_with(|| {
                types.push(Types::None);
                let kind = RegionKind::Typed(info.cell.width);
                regions.push(Region { kind, scalar: None, cells: Vec::new(), is_written: false })
            });
            types[id.index()] = types[id.index()].join(info.types);
            let region = &mut regions[*id];
            region.is_written |= info.is_written || self.alias.is_escaped(info.object);
            region.cells.push((info.object, info.cell));
            if info.is_mixed || region.kind != RegionKind::Typed(info.cell.width) {
                region.kind = RegionKind::Bytes;
            }
        }
        for (id, region) in regions.iter_mut() {
            if let (Types::One(ty), RegionKind::Typed(_)) = (types[id.index()], region.kind) {
                region.scalar = Some(ty);
            }
        }
        (regions, of_cell)
    }

    /// The copies with their leaves; what they access goes to the effects of their procedures.
    fn finish_bulks(&mut self, of_cell: &[RegionId]) -> FxHashMap<(ProcId, EdgeId), Vec<Bulk>> {
        let mut bulks: FxHashMap<(ProcId, EdgeId), Vec<Bulk>> = FxHashMap::default();
        for info in &self.bulks {
            let direct = &mut self.direct[info.procedure.index()];
            let region = |cell: Option<CellId>| cell.map(|cell| of_cell[cell as usize]);
            let mut leaves = Vec::new();
            for (&(step, width), &(target, source)) in &info.leaves {
                direct.writes.extend(target.map(Item::AccessBytes));
                direct.reads.extend(source.map(Item::AccessBytes));
                let (target, source) = (region(target), region(source));
                let leaf = |(offset, stride, extent)| Leaf { offset, stride, extent, width, target, source };
                leaves.extend(rows(step.shift as u64, step.spread, step.grid).into_iter().map(leaf));
            }
            leaves.sort_unstable();
            let bulk = Bulk { kind: info.access.kind, length: info.access.length, leaves };
            bulks.entry((info.procedure, info.edge)).or_default().push(bulk);
        }
        bulks.values_mut().for_each(|all| all.sort_by_key(|bulk| bulk.kind));
        bulks
    }
}
