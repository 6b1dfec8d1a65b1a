//! Regions: memory cut into parts that no access crosses.
//!
//! The encoder models each region as one array. Two accesses of the program belong to one region if they
//! can have bytes in common, and all that one access can touch belongs to one region. A region in which all
//! accesses have one width, at positions that are equal or do not overlap, is *typed*: an array from addresses
//! to scalars of that width. Any other is an array of bytes.
//!
//! Copies of records and of memory are cut into *leaves*: for each cell of the target that something accesses,
//! the copy reads the same bytes of the source, as an access would. So a copy does not tie its two sides
//! together, and a record that is copied but never looked at costs nothing. Since the leaves are accesses of
//! the source, which may itself be the target of other copies, they are found by iteration.

use hardbop_base::{Arena, Budget, Id, Stop};
use hardbop_ir::{EdgeId, PlaceId, ProcId, Program, TypeId, VarId};
use rustc_hash::FxHashMap;

use crate::access::{BulkKind, Footprint, footprint};
use crate::grid::{Grid, Row, gcd};
use crate::location::{AccessBytes, Location, Step};
use crate::object::ObjectId;
use crate::query::{Alias, Queries};

/// A [`Region`] of a program.
pub type RegionId = Id<Region>;

/// A part of memory that no access crosses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// How it is best modelled.
    pub kind: RegionKind,
    /// The type of all scalars accessed, if it is always the same.
    pub scalar: Option<TypeId>,
    /// The bytes that are accessed, in order.
    pub cells: Vec<(ObjectId, AccessBytes)>,
    /// Whether the program writes it. If not, its objects hold what they held when they came to be.
    pub is_written: bool,
}

/// How a region is best modelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RegionKind {
    /// All accesses have this width in bytes, at positions that are equal or do not overlap.
    Typed(u64),
    /// An array of bytes.
    Bytes,
}

impl Region {
    /// The objects that it has a part of, in order.
    pub fn objects(&self) -> Vec<ObjectId> {
        let mut objects: Vec<ObjectId> = self.cells.iter().map(|&(object, _)| object).collect();
        objects.dedup();
        objects
    }
}

/// What an access to a scalar place touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A variable that is not in memory.
    Register(VarId),
    /// Memory of one region.
    Region(RegionId),
    /// Nothing: the access always ends the run.
    Nowhere,
}

/// A place for which regions were not made: its accesses cross their borders.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotCovered;

/// A part of a bulk access: the bytes at an offset from its start, or at each offset of a stride.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Leaf {
    /// From the start of the access.
    pub offset: u64,
    /// 0 for one offset; else all offsets from the first on, as far as the length and the extent go.
    pub stride: u64,
    /// From the first offset to the last, if that is known.
    pub extent: Option<u64>,
    /// The width in bytes.
    pub width: u64,
    /// Where it is written; nothing if that always ends the run.
    pub target: Option<RegionId>,
    /// Where it is read; nothing if that always ends the run, or if the access has no source.
    pub source: Option<RegionId>,
}

impl Leaf {
    /// What is written to a region where one of its cells is, counted from the start of the object.
    pub fn of_cell(region: RegionId, cell: AccessBytes) -> Vec<Leaf> {
        let AccessBytes { offset, stride, grid, width } = cell;
        let rows = rows(offset, stride, grid).into_iter();
        let leaf = |(offset, stride, extent)| Leaf {
            offset,
            stride,
            extent,
            width,
            target: Some(region),
            source: None,
        };
        rows.map(leaf).collect()
    }
}

/// More rows than this become one.
const MAX_ROWS: u64 = 64;

/// Positions as rows: where each starts, the distance of its positions (0 if it has one), and how far they go, if there is an end. If there
/// were many rows, they are one with what lies between them.
pub(crate) fn rows(offset: u64, stride: u64, grid: Grid) -> Vec<(u64, u64, Option<u64>)> {
    // The longest row, and where it starts.
    let (row, starts) = match stride {
        0 if grid.inner.extent / grid.inner.grain.max(1) < grid.outer.extent / grid.outer.grain.max(1) => {
            (grid.outer, Grid { inner: grid.inner, outer: Row::NONE })
        }
        0 => (grid.inner, Grid { inner: grid.outer, outer: Row::NONE }),
        _ => (Row { grain: stride, extent: 0 }, grid),
    };
    let end = |row: Row| if stride == 0 && row.extent != 0 { Some(row.extent) } else { None };
    // Without an end, a row starts at its first position in the object.
    let start = |at: u64, grain: u64| if stride == 0 { at } else { at % grain };
    if starts.count() > MAX_ROWS {
        let all = Row { grain: gcd(row.grain, grid.grain()), extent: grid.extent() };
        return vec![(start(offset, all.grain), all.grain, end(all))];
    }
    starts.numbers().map(|number| (start(offset + number, row.grain), row.grain, end(row))).collect()
}

/// An access to more than a scalar, cut into the parts that matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bulk {
    /// Which part of the statement it is.
    pub kind: BulkKind,
    /// The number of bytes, if it is constant.
    pub length: Option<u64>,
    /// What is copied or set. Bytes outside of the leaves are accessed by nothing else.
    pub leaves: Vec<Leaf>,
}

impl Effects {
    /// Whether a region is among them.
    pub fn has_region(&self, region: RegionId) -> bool {
        self.regions.binary_search(&region).is_ok()
    }
}

/// What a procedure and all that it calls may access, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// Globals that are registers.
    pub registers: Vec<VarId>,
    /// Memory.
    pub regions: Vec<RegionId>,
}

/// The regions of a program.
#[derive(Debug, Clone)]
pub struct Regions {
    pub(crate) regions: Arena<Region>,
    /// For each object, its cells in order and the regions they belong to.
    pub(crate) cells: Vec<Vec<(AccessBytes, RegionId)>>,
    pub(crate) places: FxHashMap<PlaceId, Target>,
    pub(crate) bulks: FxHashMap<(ProcId, EdgeId), Vec<Bulk>>,
    pub(crate) modified: Vec<Effects>,
    pub(crate) read: Vec<Effects>,
}

impl Regions {
    /// Cuts memory into regions, such that neither accesses of the program nor accesses to the given
    /// places (those of predicates) cross their borders.
    ///
    /// # Errors
    /// The reason why the budget told to stop.
    pub fn of(program: &Program, alias: &Alias, places: &[PlaceId], budget: &Budget) -> Result<Self, Stop> {
        crate::partition::partition(program, alias, places, budget)
    }

    /// The regions, in order of the objects that they have a part of.
    pub fn regions(&self) -> &Arena<Region> {
        &self.regions
    }

    /// The region with this id.
    pub fn region(&self, id: RegionId) -> &Region {
        &self.regions[id]
    }

    /// What an access to a scalar place touches.
    ///
    /// # Errors
    /// If the place occurs neither in the program nor among the given ones, and its accesses cross the borders
    /// of regions.
    pub fn target(&self, program: &Program, alias: &Alias, place: PlaceId) -> Result<Target, NotCovered> {
        if let Some(&known) = self.places.get(&place) {
            return Ok(known);
        }
        if let Some(var) = register(program, alias, place) {
            return Ok(Target::Register(var));
        }
        let mut queries = Queries::new(program, alias);
        let mut found = Target::Nowhere;
        for (object, cell) in scalar_cells(&mut queries, footprint(program, place), place) {
            let region = self.covering(object, cell).ok_or(NotCovered)?;
            if found != Target::Nowhere && found != Target::Region(region) {
                return Err(NotCovered);
            }
            found = Target::Region(region);
        }
        Ok(found)
    }

    /// Finds out once what accesses to some places touch, for [`Regions::target`] to know: of a place that does not occur
    /// in the program, that means to ask all over again what its pointers point to.
    pub fn remember(&mut self, program: &Program, alias: &Alias, places: &[PlaceId]) {
        for &place in places {
            if let Ok(target) = self.target(program, alias, place) {
                self.places.insert(place, target);
            }
        }
    }

    /// The region that a cell of an object could be added to without changing it.
    fn covering(&self, object: ObjectId, cell: AccessBytes) -> Option<RegionId> {
        let mut found = None;
        for &(other, region) in &self.cells[object.index()] {
            let meeting = cell.meets(other);
            if !meeting.is_possible() {
                continue;
            }
            let typed = self.regions[region].kind != RegionKind::Bytes;
            if typed && (meeting.partial || cell.overlaps_itself()) || found.is_some_and(|f| f != region) {
                return None;
            }
            found = Some(region);
        }
        found
    }

    /// The regions that some bytes of an object belong to, in order.
    pub fn regions_at(&self, object: ObjectId, bytes: AccessBytes) -> Vec<RegionId> {
        let cells = self.cells[object.index()].iter().filter(|(cell, _)| cell.meets(bytes).is_possible());
        let mut found: Vec<RegionId> = cells.map(|&(_, region)| region).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The regions that an object has a part in, in order.
    pub fn regions_of(&self, object: ObjectId) -> Vec<RegionId> {
        self.regions_at(object, AccessBytes::every_byte())
    }

    /// What a statement accesses beyond scalar places, in order of [`BulkKind`].
    pub fn bulks(&self, procedure: ProcId, edge: EdgeId) -> &[Bulk] {
        self.bulks.get(&(procedure, edge)).map_or(&[], Vec::as_slice)
    }

    /// What a procedure and everything that it calls may write.
    pub fn modified(&self, procedure: ProcId) -> &Effects {
        &self.modified[procedure.index()]
    }

    /// What a procedure and everything that it calls may read.
    pub fn read(&self, procedure: ProcId) -> &Effects {
        &self.read[procedure.index()]
    }
}

/// The variable that a place is, if it is a register.
pub(crate) fn register(program: &Program, alias: &Alias, place: PlaceId) -> Option<VarId> {
    program.whole_variable(place).filter(|&var| !alias.in_memory(var))
}

/// The bytes that an access to a scalar place touches, those of neighbouring bit-fields included.
pub(crate) fn scalar_cells(
    queries: &mut Queries<'_>,
    footprint: Footprint,
    place: PlaceId,
) -> Vec<(ObjectId, AccessBytes)> {
    let (touched, space) = (queries.touched(place), queries.space());
    if footprint.bits.is_none() {
        return touched;
    }
    let grow = |(object, cell): (ObjectId, AccessBytes)| {
        let before = footprint.shift.unsigned_abs();
        if cell.is_exact() {
            let offset = cell.offset.saturating_sub(before);
            let end = (cell.offset + footprint.width).saturating_sub(before).max(cell.offset + cell.width);
            return (object, AccessBytes::exact(offset, end - offset));
        }
        let start = space.moved(cell.location(object), Step::by(footprint.shift));
        let Location { offset, stride, grid, .. } = start;
        (object, AccessBytes { offset, stride, grid, width: footprint.width })
    };
    touched.into_iter().map(grow).collect()
}
