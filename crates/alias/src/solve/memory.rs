//! Memory: what is stored, loaded, copied and given away.

use hardbop_ir::{MemoryKind, VarId};

use super::values::addresses_in;
use super::{Copy, MAX_CELLS, NodeId, Solver, Transfer, Use};
use crate::grid::{Grid, gcd};
use crate::location::{AccessBytes, Length, Location, Range, Space, Step};
use crate::object::{ObjectId, ObjectKind, can_hold_address, is_visible_outside};

/// Memory.
impl Solver<'_> {
    pub(super) fn stored(&mut self, object: ObjectId, cell: AccessBytes) -> NodeId {
        if let Some(&node) = self.contents[object.index()].stored_index.get(&cell) {
            return node;
        }
        let node = self.node();
        let contents = &mut self.contents[object.index()];
        contents.stored_index.insert(cell, node);
        contents.stored.push((cell, node));
        for i in 0..self.contents[object.index()].loaded.len() {
            let (other, to) = self.contents[object.index()].loaded[i];
            self.connect_cells(cell, node, other, to);
        }
        for i in 0..self.contents[object.index()].writes.len() {
            let (range, _) = self.contents[object.index()].writes[i];
            self.cut(range, cell, node);
        }
        let transfers = &self.contents[object.index()].transfers;
        self.moves.extend(transfers.iter().map(|&transfer| (transfer, cell, node)));
        if self.contents[object.index()].escaped || object == self.objects.world() {
            self.connect(node, self.outside, Step::ANYWHERE);
        }
        node
    }

    pub(super) fn loaded(&mut self, object: ObjectId, cell: AccessBytes) -> NodeId {
        if let Some(&node) = self.contents[object.index()].loaded_index.get(&cell) {
            return node;
        }
        let node = self.node();
        let contents = &mut self.contents[object.index()];
        contents.loaded_index.insert(cell, node);
        contents.loaded.push((cell, node));
        for i in 0..self.contents[object.index()].stored.len() {
            let (other, from) = self.contents[object.index()].stored[i];
            self.connect_cells(other, from, cell, node);
        }
        node
    }

    /// Notes that bytes are written. The world and procedures have none that matter.
    pub(super) fn written(&mut self, start: Location, length: Length, numbers: bool) {
        let is_memory = self.objects[start.object].is_memory() && start.object != self.objects.world();
        let inside = length.known().is_none_or(|width| self.cell(start, width).is_some());
        let (index, write) = (start.object.index(), (Range { start, length }, numbers));
        if !is_memory || !inside || !self.contents[index].write_index.insert(write) {
            return;
        }
        self.contents[index].writes.push(write);
        for i in 0..self.contents[index].stored.len() {
            let (cell, node) = self.contents[index].stored[i];
            self.cut(write.0, cell, node);
        }
        for i in 0..self.contents[index].pointers.len() {
            let (cell, to) = self.contents[index].pointers[i];
            self.patch(write, cell, to);
        }
    }

    /// An address of which a write replaces some bytes leads anywhere.
    fn cut(&mut self, range: Range, cell: AccessBytes, node: NodeId) {
        if range.meets(self.space, cell).cut {
            self.connect(node, node, Step::ANYWHERE);
        }
    }

    /// Notes that a pointer is read.
    pub(super) fn pointer_loaded(&mut self, object: ObjectId, cell: AccessBytes, to: NodeId) {
        let contents = &mut self.contents[object.index()];
        if !contents.pointer_index.insert((cell, to)) {
            return;
        }
        contents.pointers.push((cell, to));
        for i in 0..self.contents[object.index()].writes.len() {
            let write = self.contents[object.index()].writes[i];
            self.patch(write, cell, to);
        }
    }

    /// A pointer that is read where numbers were written may be any address that was told.
    fn patch(&mut self, (range, numbers): (Range, bool), cell: AccessBytes, to: NodeId) {
        let meeting = range.meets(self.space, cell);
        if numbers && (meeting.whole || meeting.cut) {
            self.connect(self.told, to, Step::NONE);
        }
    }

    /// Lets facts flow from a stored cell to a loaded one, as far as they have bytes in common.
    fn connect_cells(&mut self, stored: AccessBytes, from: NodeId, loaded: AccessBytes, to: NodeId) {
        let meeting = stored.meets(loaded);
        if meeting.equal {
            self.connect(from, to, Step::NONE);
        }
        if meeting.partial {
            self.connect(from, to, Step::ANYWHERE);
        }
    }

    /// Copies memory between the addresses in two nodes.
    pub(super) fn copy(&mut self, source: NodeId, target: NodeId, length: Length) {
        let number = self.copies.len() as u32;
        self.copies.push(Copy { source, target, length: length.known() });
        self.attach(source, Use::CopyFrom(number));
        self.attach(target, Use::CopyTo(number));
        self.attach(target, Use::Write { length, numbers: true });
    }

    /// Copies memory between two locations.
    pub(super) fn transfer(&mut self, source: Location, target: Location, length: Option<u64>) {
        let transfer = Transfer { source, target, length };
        let memory = |at: Location| self.objects[at.object].is_memory();
        if source == target || !memory(source) || !memory(target) || !self.transfers.insert(transfer) {
            return;
        }
        let contents = &mut self.contents[source.object.index()];
        contents.transfers.push(transfer);
        self.moves.extend(contents.stored.iter().map(|&(cell, node)| (transfer, cell, node)));
    }

    /// Copies one cell as part of a copy.
    pub(super) fn transfer_cell(&mut self, transfer: Transfer, cell: AccessBytes, node: NodeId) {
        for part in parts(self.space, transfer.source, transfer.length, cell) {
            let mut target = self.moved(transfer.target, part.step);
            // Copying an object onto itself could otherwise go on without end.
            if self.contents[target.object.index()].stored.len() > MAX_CELLS {
                target = self.moved(target, Step::spread(self.space.pointer_bytes()));
            }
            let Some((object, to)) = self.cell(target, part.width) else { continue };
            let to = self.stored(object, to);
            self.connect(node, to, if part.width == cell.width { Step::NONE } else { Step::ANYWHERE });
        }
    }

    /// Makes an object known outside of the program, where an external procedure may change it and learn
    /// what it points to.
    pub(super) fn escape(&mut self, object: ObjectId) {
        let is_memory = self.objects[object].is_memory() && object != self.objects.world();
        if !is_memory || std::mem::replace(&mut self.contents[object.index()].escaped, true) {
            return;
        }
        for i in 0..self.contents[object.index()].stored.len() {
            let (_, node) = self.contents[object.index()].stored[i];
            self.connect(node, self.outside, Step::ANYWHERE);
        }
        let everywhere = self.stored(object, AccessBytes::every_byte());
        self.connect(self.outside, everywhere, Step::NONE);
    }

    /// From the first call of an external procedure that changes memory on, what is given away is changed.
    pub(super) fn start_escape(&mut self) {
        if !std::mem::replace(&mut self.escapes, true) {
            self.attach(self.outside, Use::Escape);
        }
    }

    /// From the first call of a procedure with [`Effect::Havoc`] on, everything that it can know counts.
    pub(super) fn start_havoc(&mut self) {
        if std::mem::replace(&mut self.havoc, true) {
            return;
        }
        self.start_escape();
        self.know_globals();
        for &global in &self.program.globals {
            if !is_visible_outside(self.program, global) {
                continue;
            }
            if self.objects.variable(global).is_none()
                && can_hold_address(self.program, self.program.variables[global].ty)
            {
                let node = self.register(global);
                self.connect(node, self.outside, Step::ANYWHERE);
                // Arbitrary integers are numbers.
                if self.program.is_pointer(self.program.variables[global].ty) {
                    self.connect(self.outside, node, Step::NONE);
                }
            }
        }
    }
}

/// Memory that nobody wrote.
impl Solver<'_> {
    /// Lets pointers that are read and that nobody ever set lead outside of the program; whether there were any. Where something
    /// is set, what is not set is left out: to say of all memory that it may hold any pointer would be of no use.
    pub(super) fn lead_unset_outside(&mut self) -> bool {
        let world = Location::anywhere(self.objects.world());
        let mut found = false;
        for i in 0..self.pointer_loads.len() {
            let (address, width, value) = self.pointer_loads[i];
            if !self.nodes[self.at(value)].facts.is_empty() {
                continue;
            }
            for at in self.nodes[self.at(address)].facts.locations() {
                if self.may_be_unset(at.object)
                    && let Some((object, cell)) = self.cell(at, width)
                {
                    let node = self.stored(object, cell);
                    found |= self.nodes[self.at(node)].facts.is_empty();
                    self.add(node, world);
                }
            }
        }
        found
    }

    /// Whether an object may have parts that nobody wrote.
    fn may_be_unset(&self, object: ObjectId) -> bool {
        match self.objects[object].kind {
            ObjectKind::Variable(var) => self.objects.owner(var).is_some(),
            ObjectKind::Allocation { kind, .. } => kind != MemoryKind::ZeroedHeap,
            ObjectKind::World | ObjectKind::Procedure(_) => false,
        }
    }
}

/// What the rest of the world knows.
impl Solver<'_> {
    /// Other files can name the globals: what they hold may be addresses of those.
    fn know_globals(&mut self) {
        for &global in &self.program.globals {
            if is_visible_outside(self.program, global)
                && let Some(object) = self.objects.variable(global)
            {
                self.add(self.outside, Location::anywhere(object));
            }
        }
        let world = self.objects.world();
        let inside = self.stored(world, AccessBytes::every_byte());
        self.connect(self.outside, inside, Step::ANYWHERE);
    }

    /// What a global that another file defines points to at the start.
    pub(super) fn initial_elsewhere(&mut self, global: VarId) {
        self.know_globals();
        let value = self.outside;
        for (step, width) in addresses_in(self.program, self.program.variables[global].ty) {
            match self.objects.variable(global) {
                None => self.assign_variable(global, value),
                Some(object) => {
                    let at = self.space.moved(Location::exact(object, 0), step);
                    self.attach_store(value, at, width);
                }
            }
        }
    }
}

/// A part of a cell that a copy takes along.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    /// From the start of the copy to the part.
    pub(crate) step: Step,
    pub(crate) width: u64,
}

/// What a copy of `length` bytes from a location on takes along of a cell of the same object: all of it or
/// the bytes at one end. A copy of unknown length is taken to copy whole cells.
pub(crate) fn parts(space: Space, start: Location, length: Option<u64>, cell: AccessBytes) -> Vec<Part> {
    let step = gcd(start.stride, cell.stride);
    let grid = start.grid.sum(cell.grid);
    let from = if start.stride == 0 { space.signed(start.offset).into() } else { i128::from(start.offset) };
    // The first position of the cell, counted from the last one of the start.
    let first = i128::from(cell.offset) - from - i128::from(start.grid.extent());
    // No object is as long as the address space.
    let end = i128::from(length.unwrap_or(u64::MAX));
    if step == 0 {
        return parts_from(space, (first, grid), end, cell.width);
    }
    let (period, width) = (i128::from(step), i128::from(cell.width));
    if end <= period {
        let behind = first + i128::from(grid.extent()) + width;
        // The first period that ends behind the start of the copy, and the last that starts before its end.
        let periods = (period - behind).div_euclid(period)..=(end - 1 - first).div_euclid(period);
        let parts = periods.flat_map(|i| parts_from(space, (first + i * period, grid), end, cell.width));
        return parts.collect();
    }
    let all = Step { shift: space.distance(first), spread: step, grid }.then(Step::NONE, space);
    let shift = space.distance(first.rem_euclid(all.spread.into()));
    vec![Part { step: Step { shift, ..all }, width: cell.width }]
}

/// The same for positions of a grid behind a first one, all counted from the start of the copy: what lies inside as a whole is a part for
/// each grid that it is, and what one end cuts is one for each position.
fn parts_from(space: Space, (first, grid): (i128, Grid), end: i128, width: u64) -> Vec<Part> {
    let size = i128::from(width);
    let whole = grid.within(first, 0, end - size);
    let mut parts: Vec<Part> = Vec::new();
    for (start, grid) in whole {
        parts.push(Part { step: Step { shift: space.distance(start), spread: 0, grid }, width });
    }
    let cut_by_start = grid.within(first, 1 - size, (end - 1).min(-1));
    let cut_by_end = grid.within(first, (end - size + 1).max(0), end - 1);
    for (start, grid) in cut_by_start.into_iter().chain(cut_by_end) {
        for number in grid.numbers() {
            let at = start + i128::from(number);
            let (from, to) = (at.max(0), (at + size).min(end));
            if from < to {
                parts.push(Part { step: Step::by(space.distance(from)), width: (to - from) as u64 });
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use hardbop_base::Id;

    use super::*;
    use crate::grid::tests::small_grids;

    /// The positions of a location from -30 to 30.
    fn positions(space: Space, at: Location) -> Vec<i64> {
        let exact = |p: i64| Location::exact(at.object, p.cast_unsigned());
        (-30..30).filter(|&p| space.covers(at, exact(p))).collect()
    }

    /// The parts of a cell that a copy takes along, against single bytes: if a position of the cell has
    /// bytes in the copied range, a part has exactly those bytes, or (with strides) at least the whole cell.
    #[test]
    fn copies_take_along_what_they_should() {
        let space = Space::new(64);
        let object = Id::from_usize(1);
        let bounded = |start: Location, grain, extent| Location { grid: Grid::row(grain, extent), ..start };
        let locations = [
            Location::exact(object, 4),
            space.strided(object, 1, 3),
            space.strided(object, 0, 8),
            bounded(Location::exact(object, 4), 4, 8),
            bounded(Location::exact(object, 1), 3, 9),
            bounded(space.strided(object, 0, 8), 2, 4),
            Location { grid: Grid::row(1, 2).sum(Grid::row(5, 10)), ..Location::exact(object, 1) },
        ];
        let cells = [(0, 0), (2, 0), (5, 0), (9, 0), (0, 4), (3, 8), (1, 2), (2, 16)];
        let grids = small_grids();
        let mut count = 0;
        for start in locations {
            for (offset, stride) in cells {
                for &grid in grids.iter().filter(|grid| stride == 0 || grid.extent() < stride) {
                    for width in [1, 2, 4] {
                        for length in [Some(1), Some(3), Some(8), Some(11), None] {
                            let cell = AccessBytes { stride, grid, ..AccessBytes::exact(offset, width) };
                            check_parts(space, start, length, cell);
                            count += 1;
                        }
                    }
                }
            }
        }
        assert!(count > 2000);
    }

    fn check_parts(space: Space, start: Location, length: Option<u64>, cell: AccessBytes) {
        let found = parts(space, start, length, cell);
        let (width, end) = (cell.width.cast_signed(), length.map_or(40, u64::cast_signed));
        for from in positions(space, start) {
            for at in positions(space, cell.location(start.object)).into_iter().filter(|&p| p >= 0) {
                let (first, last) = ((at - from).max(0), (at - from + width).min(end));
                let exact = |part: &Part| {
                    let begin = Location::exact(start.object, 0);
                    let reached = space.moved(begin, part.step);
                    let covers =
                        |p: i64| space.covers(reached, Location::exact(start.object, p.cast_unsigned()));
                    let pieces = part.width == (last - first).cast_unsigned() && covers(first);
                    pieces || part.width == cell.width && covers(at - from)
                };
                if first < last {
                    assert!(found.iter().any(exact), "{start:?} {length:?} {cell:?} {from} {at}: {found:?}");
                }
            }
        }
    }
}
