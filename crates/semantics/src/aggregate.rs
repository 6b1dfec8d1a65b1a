//! Copies and fills of more than a scalar, arguments that are records, and initial contents.
//!
//! `alias` cuts each such access into leaves: the parts that some scalar access looks at. A leaf at a
//! known offset is copied exactly; where there are too many, or where the length is not known, the
//! regions written become arbitrary.

use hardbop_alias::{AccessBytes as Bytes, Bulk, BulkKind, Leaf, ObjectId, ObjectKind, RegionId};
use hardbop_ir::{
    EdgeId, ExprId, ExprKind, Initial, InitialValue, ProcId, Statement, TypeId, VarId, VarKind,
};
use hardbop_logic::{Sort, Term};

use crate::coder::{Coder, MAX_UNIT, Shape};
use crate::state::{Cell, Frame, State};

/// Leaves of one access beyond this are not followed.
const MAX_PARTS: usize = 64;
/// Initial values of one variable in one region beyond this are not followed: each is a term, and each read at an
/// unknown index a decision among all of them.
const MAX_INITIAL: usize = 1 << 16;
/// The same where zeros must be listed too, because the region is shared with what does not start as given.
const MAX_LISTED: usize = 1 << 12;

/// Where the bytes of a bulk access come from.
#[derive(Clone, Copy)]
enum Source {
    Address(Term),
    Byte(Term),
    Anywhere,
}

impl<'p> Coder<'p> {
    /// Executes a statement that accesses more than a scalar.
    pub(crate) fn bulk(
        &mut self,
        state: &mut State,
        procedure: ProcId,
        edge: EdgeId,
        conditions: &mut Vec<Term>,
    ) {
        let program = self.program;
        let statement = &program.procedures[procedure].edges[edge].statement;
        let (target, source) = match *statement {
            Statement::Assign(place, expr) => {
                let source = self.loaded_address(state, expr, conditions);
                (self.address(state, place, conditions), source.map_or(Source::Anywhere, Source::Address))
            }
            Statement::Havoc(place, _) => (self.address(state, place, conditions), Source::Anywhere),
            Statement::Copy { target, source, .. } | Statement::CopyObject { target, source } => {
                let source = self.value(state, source, conditions);
                (self.value(state, target, conditions), Source::Address(source))
            }
            Statement::Fill { target, byte, .. } => {
                let byte = self.value(state, byte, conditions);
                let byte = self.resize_unsigned(byte, 8);
                (self.value(state, target, conditions), Source::Byte(byte))
            }
            _ => unreachable!("no bulk access"),
        };
        for bulk in self.regions.bulks(procedure, edge) {
            self.transfer(state, bulk, target, source, conditions);
        }
    }

    /// The address of the record or array that an expression loads.
    fn loaded_address(&mut self, state: &State, expr: ExprId, conditions: &mut Vec<Term>) -> Option<Term> {
        match self.program.expr(expr).kind {
            ExprKind::Load(place) => Some(self.address(state, place, conditions)),
            _ => None,
        }
    }

    /// Passes the arguments of a call, from the caller's frame to the callee's.
    pub fn pass_arguments(
        &mut self,
        state: &mut State,
        (procedure, edge): (ProcId, EdgeId),
        callee: ProcId,
        frame: Frame,
        conditions: &mut Vec<Term>,
    ) {
        let program = self.program;
        let statement = &program.procedures[procedure].edges[edge].statement;
        let Statement::Call { arguments, .. } = statement else { return };
        let mut values = Vec::new();
        let formals = &program.procedures[callee].formals;
        // What is not passed is whatever a register holds.
        for &formal in formals.iter().skip(arguments.len()) {
            let sort = self.scalar_sort(program.variables[formal].ty);
            values.push((formal, self.arbitrary(sort)));
        }
        for (n, (&argument, &formal)) in arguments.iter().zip(formals).enumerate() {
            if program.is_scalar(program.expr(argument).ty) {
                let value = self.value(state, argument, conditions);
                let (from, to) = (program.expr(argument).ty, program.variables[formal].ty);
                let exactly = program.passes(from, to);
                values.push((formal, self.passed(value, exactly, from, to)));
                continue;
            }
            let source = self.loaded_address(state, argument, conditions);
            let target = self.variable_address(frame, formal);
            let kind = BulkKind::Argument(n as u32, callee);
            let bulks = self.regions.bulks(procedure, edge).iter().filter(|bulk| bulk.kind == kind);
            for bulk in bulks {
                let source = source.map_or(Source::Anywhere, Source::Address);
                self.transfer(state, bulk, target, source, conditions);
            }
        }
        for (formal, value) in values {
            self.set(state, Cell::Local(frame, formal), value);
        }
    }

    /// A scalar as one of another type, where a call through a pointer passes it so; arbitrary where that is not exact.
    fn passed(&mut self, value: Term, exactly: bool, from: TypeId, to: TypeId) -> Term {
        match exactly {
            _ if from == to => value,
            // Where that is exact, it has a value for each operand.
            true => self.cast(value, from, to, &mut Vec::new()),
            false => {
                let sort = self.scalar_sort(to);
                self.arbitrary(sort)
            }
        }
    }

    /// Takes the result of a callee, from its frame to the current one.
    pub fn take_result(
        &mut self,
        state: &mut State,
        (procedure, edge): (ProcId, EdgeId),
        callee: ProcId,
        frame: Frame,
        conditions: &mut Vec<Term>,
    ) {
        let program = self.program;
        let statement = &program.procedures[procedure].edges[edge].statement;
        let Statement::Call { result: Some(target), .. } = *statement else { return };
        let Some(result) = program.procedures[callee].result else {
            return self.forget_variable(state, target);
        };
        if program.is_scalar(program.variables[target].ty) {
            let value = self.get(state, Cell::Local(frame, result));
            let (from, to) = (program.variables[result].ty, program.variables[target].ty);
            let value = self.passed(value, program.returns(from, to), from, to);
            return self.set(state, Cell::Local(state.frame(), target), value);
        }
        let source = self.variable_address(frame, result);
        let to = self.variable_address(state.frame(), target);
        let bulks = self.regions.bulks(procedure, edge).iter();
        for bulk in bulks.filter(|bulk| bulk.kind == BulkKind::Result(callee)) {
            self.transfer(state, bulk, to, Source::Address(source), conditions);
        }
    }

    fn transfer(
        &mut self,
        state: &mut State,
        bulk: &Bulk,
        target: Term,
        source: Source,
        conditions: &mut Vec<Term>,
    ) {
        // Source and target may overlap, so all is read before anything is written.
        let (mut writes, mut forgotten) = (Vec::new(), Vec::new());
        for leaf in &bulk.leaves {
            let Some(region) = leaf.target else { continue };
            let Some(offsets) = offsets(std::slice::from_ref(leaf), bulk.length) else {
                forgotten.push(region);
                continue;
            };
            for (offset, width) in offsets {
                let value = self.part(state, leaf.source, region, (offset, width), source);
                writes.push((region, offset, width, value));
            }
        }
        for region in forgotten {
            self.forget(state, Cell::Region(region));
        }
        for (region, offset, width, value) in writes {
            let address = self.offset(target, offset);
            self.store(state, region, address, value, width, conditions);
        }
    }

    /// The value that a part of a bulk access gets.
    fn part(
        &mut self,
        state: &State,
        from: Option<RegionId>,
        region: RegionId,
        (offset, width): (u64, u64),
        source: Source,
    ) -> Term {
        let wanted = match self.shape(region) {
            Shape::Bytes => Sort::BitVec(8 * width as u32),
            _ => self.element_sort(region, width).into(),
        };
        let value = match (source, from) {
            (Source::Address(from), Some(read)) => {
                let address = self.offset(from, offset);
                // Whether the source is valid is not asked: the value is arbitrary if it is not.
                Some(self.load(state, read, address, width, &mut Vec::new()))
            }
            (Source::Byte(byte), _) => {
                Some((1..width).fold(byte, |value, _| self.terms().concat(byte, value)))
            }
            _ => None,
        };
        match value {
            Some(value) if self.encoder.terms.sort(value) == wanted => value,
            _ => self.arbitrary(wanted),
        }
    }

    /// Makes a variable arbitrary, in a register or in memory.
    pub(crate) fn forget_variable(&mut self, state: &mut State, var: VarId) {
        let Some(object) = self.alias.objects().variable(var) else {
            return self.forget(state, self.register(state.frame(), var));
        };
        let address = self.variable_address(state.frame(), var);
        for region in self.regions.regions_of(object) {
            let region_cells = &self.regions.region(region).cells;
            let own: Vec<Bytes> =
                region_cells.iter().filter(|(o, _)| *o == object).map(|&(_, c)| c).collect();
            // Other activations have an object like this one, in the same region.
            if own.len() == region_cells.len() && self.alias.is_single(object) {
                self.forget(state, Cell::Region(region));
                continue;
            }
            let size = self.program.size_of(self.program.variables[var].ty);
            for cell in own {
                self.forget_cell(state, region, cell, address, size);
            }
        }
    }

    fn forget_cell(&mut self, state: &mut State, region: RegionId, cell: Bytes, address: Term, size: u64) {
        let Some(offsets) = offsets(&Leaf::of_cell(region, cell), Some(size)) else {
            return self.forget(state, Cell::Region(region));
        };
        for (offset, width) in offsets {
            let value = self.part(state, None, region, (offset, width), Source::Anywhere);
            let at = self.offset(address, offset);
            self.store(state, region, at, value, width, &mut Vec::new());
        }
    }

    /// A new object may lie where others lay, and does not hold what they held.
    pub(crate) fn renew_object(
        &mut self,
        state: &mut State,
        object: Option<ObjectId>,
        address: Term,
        size: Option<u64>,
    ) {
        let Some(object) = object else { return };
        for region in self.regions.regions_of(object) {
            let cells = self.regions.region(region).cells.clone();
            if !cells.iter().any(|&(other, _)| self.may_reuse(object, other)) {
                continue;
            }
            match size {
                None => self.forget(state, Cell::Region(region)),
                Some(size) => {
                    for &(_, cell) in cells.iter().filter(|(other, _)| *other == object) {
                        self.forget_cell(state, region, cell, address, size);
                    }
                }
            }
        }
    }

    /// A new object that is filled with zeros.
    pub(crate) fn zero_new_object(
        &mut self,
        state: &mut State,
        (procedure, edge): (ProcId, EdgeId),
        address: Term,
        size: Option<u64>,
    ) {
        let Some(object) = self.alias.objects().allocation(procedure, edge) else { return };
        let zero = self.constant(0, 8);
        for region in self.regions.regions_of(object) {
            for (_, cell) in self.regions.region(region).cells.iter().filter(|(o, _)| *o == object) {
                let leaves = Leaf::of_cell(region, *cell);
                // What is not followed keeps what the array holds there, which is arbitrary.
                for (offset, width) in size.and_then(|_| offsets(&leaves, size)).into_iter().flatten() {
                    let value = self.part(state, None, region, (offset, width), Source::Byte(zero));
                    let at = self.offset(address, offset);
                    self.store(state, region, at, value, width, &mut Vec::new());
                }
            }
        }
    }

    /// The state in which the program starts: globals hold what they are initialised to.
    pub fn initialise(&mut self, state: &mut State, conditions: &mut Vec<Term>) {
        self.initialise_up_to(usize::MAX, state, conditions);
    }

    /// The same, but nothing is known of regions with more initial values than so many. Whether there are such.
    pub(crate) fn initialise_up_to(
        &mut self,
        most: usize,
        state: &mut State,
        conditions: &mut Vec<Term>,
    ) -> bool {
        let (program, mut left_out) = (self.program, false);
        self.start_heap(state);
        for &var in &program.globals {
            if self.alias.in_memory(var) {
                continue;
            }
            if let Initial::Values(values) = &program.variables[var].initial {
                let value = self.initial_scalar(state, var, values, conditions);
                self.set(state, Cell::Global(var), value);
            }
        }
        for region in self.regions.regions().ids() {
            if most < usize::MAX && self.initial_count(region) > most {
                left_out = true;
            } else {
                self.initialise_region(state, region);
            }
        }
        self.note_globals(state);
        left_out
    }

    /// How many initial values of globals a region has.
    fn initial_count(&self, region: RegionId) -> usize {
        let (globals, complete) = self.initial_globals(region);
        let positions = globals.into_iter().filter_map(|(var, cell)| {
            let (_, positions) = self.initial_positions(region, var, cell, complete)?;
            Some(positions.len())
        });
        positions.sum()
    }

    /// Gives cells that nothing writes to the values that they start with: at every place of a run they hold these.
    pub fn hold_constants(&mut self, state: &mut State) {
        let program = self.program;
        let Some(entry) = program.entry else { return };
        let modified = self.regions.modified(entry);
        for &var in &program.globals {
            if let Initial::Values(values) = &program.variables[var].initial
                && !self.alias.in_memory(var)
                && !modified.registers.contains(&var)
            {
                let value = self.initial_scalar(state, var, values, &mut Vec::new());
                self.set(state, Cell::Global(var), value);
            }
        }
        for region in self.regions.regions().ids() {
            // What is not initialised comes into being later.
            if !modified.regions.contains(&region) && self.initial_globals(region).1 {
                self.initialise_region(state, region);
            }
        }
    }

    fn initial_scalar(
        &mut self,
        state: &State,
        var: VarId,
        values: &[InitialValue],
        conditions: &mut Vec<Term>,
    ) -> Term {
        match values.first() {
            Some(value) => self.value(state, value.value, conditions),
            None => {
                let sort = self.cell_sort(Cell::Global(var));
                self.zero(sort)
            }
        }
    }

    fn zero(&mut self, sort: Sort) -> Term {
        match sort {
            Sort::Bool => self.terms().bool(false),
            Sort::Int => self.terms().int(0),
            Sort::BitVec(width) => self.constant(0, width),
            Sort::Array(index, element) => {
                let value = self.zero(element.into());
                self.terms().constant_array(index, value)
            }
        }
    }

    /// The globals that have initial contents in a region, and whether these are all that it starts with. If so,
    /// what they do not list is zero.
    fn initial_globals(&self, region: RegionId) -> (Vec<(VarId, Bytes)>, bool) {
        let cells = &self.regions.region(region).cells;
        let globals: Vec<(VarId, Bytes)> = cells
            .iter()
            .filter_map(|&(object, cell)| match self.alias.objects()[object].kind {
                ObjectKind::Variable(var) => Some((var, cell)),
                _ => None,
            })
            .filter(|&(var, _)| {
                let variable = &self.program.variables[var];
                matches!(variable.kind, VarKind::Global | VarKind::Static)
                    && matches!(variable.initial, Initial::Values(_))
            })
            .collect();
        let complete = globals.len() == cells.len() && !matches!(self.shape(region), Shape::Single { .. });
        (globals, complete)
    }

    /// The globals whose initial contents are not followed, because there are too many of them.
    pub fn unfollowed(&self) -> Vec<VarId> {
        let mut unfollowed = Vec::new();
        for region in self.regions.regions().ids() {
            let (globals, complete) = self.initial_globals(region);
            for (var, cell) in globals {
                if self.initial_positions(region, var, cell, complete).is_none() {
                    unfollowed.push(var);
                }
            }
        }
        unfollowed.sort_unstable();
        unfollowed.dedup();
        unfollowed
    }

    /// Writes the initial contents of globals into a region.
    fn initialise_region(&mut self, state: &mut State, region: RegionId) {
        let (globals, complete) = self.initial_globals(region);
        if globals.is_empty() {
            return;
        }
        let before = if complete {
            let sort = self.region_sort(region);
            self.zero(sort)
        } else {
            self.get(state, Cell::Region(region))
        };
        // Large tables are written once. What is arbitrary in them has the same names then, and is drawn again.
        let drawn = self.encoder.drawn();
        let known = &self.encoder.initial_regions;
        let known = known.get(&(region, before, None)).or_else(|| known.get(&(region, before, Some(drawn))));
        if let Some((start, arbitrary)) = known.cloned() {
            self.encoder.arbitrary.extend(arbitrary);
            return self.set(state, Cell::Region(region), start);
        }
        if complete {
            self.set(state, Cell::Region(region), before);
        }
        for (var, cell) in globals {
            self.initialise_cell(state, region, var, cell, complete);
        }
        if !matches!(self.shape(region), Shape::Single { .. }) {
            let start = self.get(state, Cell::Region(region));
            let arbitrary = self.encoder.drawn_since(drawn).to_vec();
            let drawn = Some(drawn).filter(|_| !arbitrary.is_empty());
            self.encoder.initial_regions.insert((region, before, drawn), (start, arbitrary));
        }
    }

    fn initialise_cell(
        &mut self,
        state: &mut State,
        region: RegionId,
        var: VarId,
        cell: Bytes,
        zeroed: bool,
    ) {
        let Some((contents, positions)) = self.initial_positions(region, var, cell, zeroed) else {
            // Too many values to list: nothing is known of the region.
            return if zeroed {
                self.forget(state, Cell::Region(region))
            };
        };
        let base = self.variable_address(state.frame(), var);
        for (offset, width) in positions {
            let value = self.initial_part(state, region, &contents, offset, width);
            let address = self.offset(base, offset);
            self.store(state, region, address, value, width, &mut Vec::new());
        }
    }

    /// The initial contents of a global, and the positions of a cell at which they must be written; nothing if there
    /// are too many.
    fn initial_positions(
        &self,
        region: RegionId,
        var: VarId,
        cell: Bytes,
        zeroed: bool,
    ) -> Option<(Contents<'p>, Vec<(u64, u64)>)> {
        let program = self.program;
        let Initial::Values(values) = &program.variables[var].initial else { return None };
        let size = program.size_of(program.variables[var].ty);
        let contents = Contents::new(values.iter().map(|value| (value, self.initial_bytes(value))));
        let positions = contents.positions(&Leaf::of_cell(region, cell), size, zeroed)?;
        Some((contents, positions))
    }

    /// The number of bytes that an initial value covers.
    fn initial_bytes(&self, value: &InitialValue) -> u64 {
        match value.bits {
            Some(bits) => (u64::from(bits.first) + u64::from(bits.width)).div_ceil(8),
            None => self.program.size_of(self.program.expr(value.value).ty),
        }
    }

    /// What some bytes of a global start with.
    fn initial_part(
        &mut self,
        state: &State,
        region: RegionId,
        contents: &Contents<'_>,
        offset: u64,
        width: u64,
    ) -> Term {
        let sort: Sort = match self.shape(region) {
            Shape::Bytes => Sort::BitVec(8 * width as u32),
            _ => self.element_sort(region, width).into(),
        };
        let overlapping = contents.overlapping(offset, width);
        match &overlapping[..] {
            [] => self.zero(sort),
            &[(value, bytes)] if value.bits.is_none() && value.offset == offset && bytes == width => {
                let term = self.value(state, value.value, &mut Vec::new());
                let term = match (self.encoder.terms.sort(term), sort) {
                    (Sort::BitVec(_), Sort::BitVec(to)) => self.resize_unsigned(term, to),
                    _ => term,
                };
                if self.encoder.terms.sort(term) == sort { term } else { self.arbitrary(sort) }
            }
            parts => match (self.image(parts, offset, width), sort) {
                (Some(bits), Sort::BitVec(to)) => self.terms().bv(bits, to),
                _ => self.arbitrary(sort),
            },
        }
    }

    /// Constant parts, put together as little-endian bits.
    fn image(&self, parts: &[(&InitialValue, u64)], offset: u64, width: u64) -> Option<u128> {
        if width > 16 {
            return None;
        }
        let mut bits = 0u128;
        for &(value, bytes) in parts {
            let constant = self.program.as_int(value.value)?.cast_unsigned();
            let (first, count) = match value.bits {
                Some(range) => (i64::from(range.first), u32::from(range.width)),
                None => (0, 8 * u32::try_from(bytes).ok()?),
            };
            let constant = if count >= 128 { constant } else { constant & ((1 << count) - 1) };
            let shift = 8 * (i64::try_from(value.offset).ok()? - i64::try_from(offset).ok()?) + first;
            let moved = match u32::try_from(shift) {
                Ok(left) => constant.checked_shl(left).unwrap_or(0),
                Err(_) => constant.checked_shr(u32::try_from(-shift).ok()?).unwrap_or(0),
            };
            bits |= moved;
        }
        Some(if width == 16 { bits } else { bits & ((1 << (8 * width)) - 1) })
    }
}

/// The initial values of a variable.
struct Contents<'a> {
    /// The values with the number of bytes that each covers, by offset.
    values: Vec<(&'a InitialValue, u64)>,
    /// The largest of these numbers.
    longest: u64,
}

impl<'a> Contents<'a> {
    fn new(values: impl Iterator<Item = (&'a InitialValue, u64)>) -> Self {
        let mut values: Vec<_> = values.collect();
        values.sort_by_key(|(value, _)| value.offset);
        let longest = values.iter().map(|&(_, bytes)| bytes).max().unwrap_or(0);
        Contents { values, longest }
    }

    /// The values that cover some of these bytes.
    fn overlapping(&self, offset: u64, width: u64) -> Vec<(&'a InitialValue, u64)> {
        let first = self.values.partition_point(|(value, _)| value.offset + self.longest <= offset);
        let end = self.values.partition_point(|(value, _)| value.offset < offset + width);
        let near = self.values.get(first..end).unwrap_or_default().iter();
        near.filter(|(value, bytes)| offset < value.offset + bytes).copied().collect()
    }

    /// The positions of a leaf that must be written, where everything is zero before or where nothing is known;
    /// nothing if there are too many.
    fn positions(&self, leaves: &[Leaf], size: u64, zeroed: bool) -> Option<Vec<(u64, u64)>> {
        match offsets(leaves, Some(size)) {
            Some(few) => Some(few),
            None if zeroed => {
                let spans: Vec<_> = self.values.iter().map(|&(value, bytes)| (value.offset, bytes)).collect();
                let positions = leaves.iter().flat_map(|leaf| positions_of(&spans, leaf)).collect();
                Some(positions).filter(|positions: &Vec<_>| positions.len() <= MAX_INITIAL)
            }
            None => offsets_up_to(leaves, Some(size), MAX_LISTED),
        }
    }
}

/// The offsets of leaves within a length, with the number of bytes at each; nothing if there are too many
/// or the length is not known.
pub(crate) fn offsets(leaves: &[Leaf], length: Option<u64>) -> Option<Vec<(u64, u64)>> {
    offsets_up_to(leaves, length, MAX_PARTS)
}

fn offsets_up_to(leaves: &[Leaf], length: Option<u64>, most: usize) -> Option<Vec<(u64, u64)>> {
    let (length, mut left, mut found) = (length?, most as u64, Vec::new());
    for leaf in leaves {
        let count = match length.checked_sub(leaf.offset + leaf.width) {
            None => 0,
            Some(_) if leaf.stride == 0 => 1,
            Some(rest) => leaf.extent.map_or(rest, |extent| extent.min(rest)) / leaf.stride + 1,
        };
        left = left.checked_sub(count)?;
        found.extend((0..count).flat_map(|i| units(leaf.offset + i * leaf.stride, leaf.width)));
    }
    Some(found)
}

/// The positions of a leaf in an object of unknown size: as many as are followed.
pub(crate) fn first_offsets(leaf: &Leaf) -> Vec<(u64, u64)> {
    let count = if leaf.stride == 0 { 1 } else { MAX_PARTS as u64 };
    let length =
        leaf.offset.saturating_add(leaf.width).saturating_add((count - 1).saturating_mul(leaf.stride));
    offsets(std::slice::from_ref(leaf), Some(length)).unwrap_or_default()
}

/// Some bytes as parts that can be values: all of them, or each by itself.
fn units(offset: u64, width: u64) -> Vec<(u64, u64)> {
    if width <= MAX_UNIT { vec![(offset, width)] } else { (0..width).map(|i| (offset + i, 1)).collect() }
}

/// The positions of a strided leaf at which something is initialised.
fn positions_of(values: &[(u64, u64)], leaf: &Leaf) -> Vec<(u64, u64)> {
    let mut positions = Vec::new();
    for &(start, bytes) in values {
        // Those whose bytes end behind the start, and start before the end.
        let first = (start + 1).saturating_sub(leaf.offset + leaf.width).div_ceil(leaf.stride.max(1));
        let end = (start + bytes).saturating_sub(leaf.offset).div_ceil(leaf.stride.max(1));
        let most = leaf.extent.map_or(u64::MAX, |extent| extent / leaf.stride.max(1) + 1);
        let end = end.min(most);
        positions.extend((first..end).map(|i| leaf.offset + i * leaf.stride));
    }
    positions.sort_unstable();
    positions.dedup();
    positions.into_iter().flat_map(|offset| units(offset, leaf.width)).collect()
}
