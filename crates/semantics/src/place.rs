//! Places: their addresses, and reading and writing them.

use hardbop_alias::{Footprint, RegionId, Target, footprint};
use hardbop_ir::{PlaceBase, PlaceId, Projection, Type, TypeId, VarId, VarKind};
use hardbop_logic::{Scalar, Sort, Term};

use crate::coder::{Allocation, Coder, Meaning, Object, Shape};
use crate::state::{Cell, Frame, State};

impl Coder<'_> {
    /// The address of a place in memory, of the byte with the first bit of a bit-field. Only the
    /// pointers on the way are read.
    pub(crate) fn address(&mut self, state: &State, place: PlaceId, conditions: &mut Vec<Term>) -> Term {
        let program = self.program;
        let place = program.place(place);
        let (mut term, mut ty) = match place.base {
            PlaceBase::Var(var) => (self.variable_address(state.frame(), var), program.variables[var].ty),
            PlaceBase::Deref(pointer) => {
                let ty = program.pointee(program.expr(pointer).ty).expect("only pointers are dereferenced");
                (self.value(state, pointer, conditions), ty)
            }
        };
        for &step in &place.path {
            match (step, program.ty(ty)) {
                (Projection::Field(field), &Type::Record(record)) => {
                    let field = &program.records[record].fields[field as usize];
                    term = self.offset(term, field.offset);
                    ty = field.ty;
                }
                (Projection::Index(index), &Type::Array { element, .. }) => {
                    let value = self.value(state, index, conditions);
                    let value = self.resize(value, program.expr(index).ty, self.pointer_bits());
                    term = self.displaced(term, value, program.size_of(element));
                    ty = element;
                }
                (step, ty) => unreachable!("{step:?} of {ty:?}"),
            }
        }
        term
    }

    /// The address of a variable. Where there is never more than one activation with it at a time, and
    /// nobody can tell them apart, all of them share the address, and anyone can name it.
    pub fn variable_address(&mut self, frame: Frame, var: VarId) -> Term {
        let single = match self.alias.objects().variable(var) {
            Some(object) => self.alias.is_single(object),
            None => matches!(self.program.variables[var].kind, VarKind::Global | VarKind::Static),
        };
        let frame = if single { Frame::ONLY } else { frame };
        self.address_of_object(Object::Variable(frame, var))
    }

    pub(crate) fn address_of_object(&mut self, object: Object) -> Term {
        if let Some(&term) = self.encoder.addresses.get(&object) {
            return term;
        }
        if let Some(term) = self.fixed_address(object) {
            self.encoder.addresses.insert(object, term);
            return term;
        }
        let name = match object {
            Object::Variable(frame, var) => match self.program.variables[var].kind {
                VarKind::Global | VarKind::Static => {
                    format!("{}#address of global {}", self.program.variables[var].name, var.index())
                }
                _ => format!("{} address", self.local_symbol(frame, var)),
            },
            Object::Procedure(procedure) => {
                format!("{}#procedure {}", self.program.procedures[procedure].name, procedure.index())
            }
            Object::Allocated(Allocation { number, size, object, epoch, fails }) => {
                let object = object.map_or(0, |object| object.index());
                let fails = fails.map_or(0, |fails| fails.index() + 1);
                format!("#new.{number}.{}.{object}.{epoch}.{fails}", size.unwrap_or(0))
            }
        };
        let sort = Sort::BitVec(self.pointer_bits());
        let term = self.terms().symbol(&name, sort);
        self.encoder.addresses.insert(object, term);
        self.encoder.meanings.insert(term, Meaning::Address(object));
        self.encoder.room += u128::from(self.object_size(object));
        self.encoder.crowded |= self.encoder.room >> self.pointer_bits() != 0;
        term
    }

    /// What an access to a scalar place touches. A place that crosses the borders of regions, which
    /// only a predicate that came later can name, reads as arbitrary.
    fn target(&self, place: PlaceId) -> Option<Target> {
        let subject = (self.program, self.alias);
        self.regions.target(subject.0, subject.1, place).ok()
    }

    /// The value stored in a scalar place.
    pub(crate) fn read(&mut self, state: &State, place: PlaceId, conditions: &mut Vec<Term>) -> Term {
        let ty = self.program.place(place).ty;
        match self.target(place) {
            Some(Target::Register(var)) => self.get(state, self.register(state.frame(), var)),
            Some(Target::Nowhere) => self.elsewhere(state, place, conditions),
            None => {
                let sort = self.scalar_sort(ty);
                self.arbitrary(sort)
            }
            Some(Target::Region(region)) => {
                let (address, footprint) = self.access(state, place, Some(region), conditions);
                if let (Some(bits), Shape::Bytes) = (footprint.bits, self.shape(region)) {
                    let field = self.load_bits(state, region, address, bits);
                    return self.field_to_value(field, ty);
                }
                let unit = self.load(state, region, address, footprint.width, conditions);
                self.unit_to_value(unit, footprint, ty)
            }
        }
    }

    /// Stores a value in a scalar place.
    pub(crate) fn write(
        &mut self,
        state: &mut State,
        place: PlaceId,
        value: Term,
        conditions: &mut Vec<Term>,
    ) {
        match self.target(place) {
            Some(Target::Register(var)) => self.set(state, self.register(state.frame(), var), value),
            Some(Target::Nowhere) => {
                self.elsewhere(state, place, conditions);
            }
            None => unreachable!("regions cover all places that the program writes"),
            Some(Target::Region(region)) => {
                let (address, footprint) = self.access(state, place, Some(region), conditions);
                if let (Some(bits), Shape::Bytes) = (footprint.bits, self.shape(region)) {
                    let field = self.value_to_field(value, bits.1 as u32);
                    return self.store_bits(state, region, address, bits, field);
                }
                let unit = self.value_to_unit(state, region, address, footprint, value, conditions);
                self.store(state, region, address, unit, footprint.width, conditions);
            }
        }
    }

    /// An access that touches no object of the program: through null it ends the run, through an
    /// arbitrary number it may touch memory that nobody else knows.
    fn elsewhere(&mut self, state: &State, place: PlaceId, conditions: &mut Vec<Term>) -> Term {
        self.access(state, place, None, conditions);
        let sort = self.scalar_sort(self.program.place(place).ty);
        self.arbitrary(sort)
    }

    /// The first byte that an access to a place touches, with what a valid access implies.
    fn access(
        &mut self,
        state: &State,
        place: PlaceId,
        region: Option<RegionId>,
        conditions: &mut Vec<Term>,
    ) -> (Term, Footprint) {
        let program = self.program;
        let footprint = footprint(program, place);
        let mut address = self.address(state, place, conditions);
        self.require_alive(state, place, address, conditions);
        if footprint.shift != 0 {
            let shift = self.constant(i128::from(footprint.shift), self.pointer_bits());
            address = self.terms().bv_add(address, shift);
        }
        match program.place(place).base {
            PlaceBase::Var(var) => self.require_inside(state, var, address, footprint.width, conditions),
            PlaceBase::Deref(pointer) => {
                let ty = program.expr(pointer).ty;
                let pointer = self.value(state, pointer, conditions);
                self.note_followed(pointer, ty, region);
                let null = self.constant(0, self.pointer_bits());
                let same = self.terms().eq(pointer, null);
                let plausible = self.terms().not(same);
                conditions.push(plausible);
            }
        }
        (address, footprint)
    }

    /// An access that names a variable stays in it.
    fn require_inside(
        &mut self,
        state: &State,
        var: VarId,
        address: Term,
        bytes: u64,
        conditions: &mut Vec<Term>,
    ) {
        let size = self.program.size_of(self.program.variables[var].ty);
        let Some(last) = size.checked_sub(bytes) else {
            // A flexible array member: the object is larger than its type says.
            return;
        };
        let base = self.variable_address(state.frame(), var);
        let offset = self.terms().bv_sub(address, base);
        let last = self.constant(i128::from(last), self.pointer_bits());
        let inside = self.terms().bv_ule(offset, last);
        conditions.push(inside);
    }

    pub(crate) fn offset(&mut self, address: Term, bytes: u64) -> Term {
        let bytes = self.constant(i128::from(bytes), self.pointer_bits());
        self.terms().bv_add(address, bytes)
    }

    /// The sort of a region's cell.
    pub(crate) fn region_sort(&self, region: RegionId) -> Sort {
        let address = Scalar::BitVec(self.pointer_bits());
        match self.shape(region) {
            Shape::Single { bytes, .. } => self.element_sort(region, bytes).into(),
            Shape::Typed(bytes) => Sort::Array(address, self.element_sort(region, bytes)),
            Shape::Bytes => Sort::Array(address, Scalar::BitVec(8)),
        }
    }

    /// What one element of a region holds: bits, unless the region is one of truth values or of
    /// mathematical integers.
    pub(crate) fn element_sort(&self, region: RegionId, bytes: u64) -> Scalar {
        match self.regions.region(region).scalar.map(|ty| self.program.ty(ty)) {
            Some(Type::Integer) => Scalar::Int,
            Some(Type::Bool) => Scalar::Bool,
            _ => Scalar::BitVec(8 * bytes as u32),
        }
    }

    /// What lies at an address of a region.
    pub(crate) fn load(
        &mut self,
        state: &State,
        region: RegionId,
        address: Term,
        bytes: u64,
        conditions: &mut Vec<Term>,
    ) -> Term {
        let cell = self.get(state, Cell::Region(region));
        match self.shape(region) {
            Shape::Single { .. } => {
                self.require_single(state, region, address, conditions);
                cell
            }
            Shape::Typed(_) => self.terms().select(cell, address),
            Shape::Bytes => {
                let mut value = self.terms().select(cell, address);
                for i in 1..bytes {
                    let next = self.offset(address, i);
                    let byte = self.terms().select(cell, next);
                    value = self.terms().concat(byte, value);
                }
                value
            }
        }
    }

    /// A region of one place has one valid address.
    fn require_single(&mut self, state: &State, region: RegionId, address: Term, conditions: &mut Vec<Term>) {
        let Shape::Single { variable, offset, .. } = self.shape(region) else { return };
        let base = self.variable_address(state.frame(), variable);
        let only = self.offset(base, offset);
        let same = self.terms().eq(address, only);
        conditions.push(same);
    }

    /// Puts something at an address of a region.
    pub(crate) fn store(
        &mut self,
        state: &mut State,
        region: RegionId,
        address: Term,
        value: Term,
        bytes: u64,
        conditions: &mut Vec<Term>,
    ) {
        let cell = Cell::Region(region);
        let old = self.get(state, cell);
        let new = match self.shape(region) {
            Shape::Single { .. } => {
                self.require_single(state, region, address, conditions);
                value
            }
            Shape::Typed(_) => self.terms().store(old, address, value),
            Shape::Bytes => {
                // A mathematical integer has no bytes.
                let bits = match self.encoder.terms.sort(value) {
                    Sort::BitVec(_) => value,
                    _ => self.arbitrary(Sort::BitVec(8 * bytes as u32)),
                };
                (0..bytes).fold(old, |array, i| {
                    let low = 8 * i as u32;
                    let byte = self.terms().extract(low + 7, low, bits);
                    let at = self.offset(address, i);
                    self.terms().store(array, at, byte)
                })
            }
        };
        self.set(state, cell, new);
    }

    /// The value of a place from the bytes that its footprint covers.
    fn unit_to_value(&mut self, unit: Term, footprint: Footprint, ty: TypeId) -> Term {
        if let Some((first, width)) = footprint.bits {
            let (first, width) = (first as u32, width as u32);
            let field = self.terms().extract(first + width - 1, first, unit);
            return self.field_to_value(field, ty);
        }
        match (self.encoder.terms.sort(unit), self.scalar_sort(ty)) {
            // A `long double` has padding in memory.
            (Sort::BitVec(_), Sort::BitVec(to)) => self.resize_unsigned(unit, to),
            (Sort::BitVec(width), Sort::Bool) => {
                let zero = self.constant(0, width);
                self.terms().ne(unit, zero)
            }
            (stored, wanted) if stored == wanted => unit,
            (_, wanted) => self.arbitrary(wanted),
        }
    }

    /// The value of a bit-field from its bits.
    fn field_to_value(&mut self, field: Term, ty: TypeId) -> Term {
        match self.scalar_sort(ty) {
            Sort::BitVec(to) => self.resize(field, ty, to),
            Sort::Bool => {
                let width = self.width(field);
                let zero = self.constant(0, width);
                self.terms().ne(field, zero)
            }
            other => self.arbitrary(other),
        }
    }

    /// The bits that a bit-field gets.
    fn value_to_field(&mut self, value: Term, width: u32) -> Term {
        match self.encoder.terms.sort(value) {
            Sort::BitVec(_) => self.resize_unsigned(value, width),
            Sort::Bool => {
                let (one, zero) = (self.constant(1, width), self.constant(0, width));
                self.terms().ite(value, one, zero)
            }
            _ => self.arbitrary(Sort::BitVec(width)),
        }
    }

    /// The bits of a bit-field in a region of bytes, byte by byte: a field can reach into more bytes than a
    /// value can have.
    fn load_bits(&mut self, state: &State, region: RegionId, address: Term, bits: (u64, u64)) -> Term {
        let array = self.get(state, Cell::Region(region));
        let mut field = None;
        for part in parts_of_field(bits) {
            let at = self.offset(address, part.byte);
            let byte = self.terms().select(array, at);
            let slice = self.terms().extract(part.low + part.width - 1, part.low, byte);
            field = Some(match field {
                None => slice,
                Some(lower) => self.terms().concat(slice, lower),
            });
        }
        field.expect("a bit-field has bits")
    }

    fn store_bits(
        &mut self,
        state: &mut State,
        region: RegionId,
        address: Term,
        bits: (u64, u64),
        field: Term,
    ) {
        let mut array = self.get(state, Cell::Region(region));
        for part in parts_of_field(bits) {
            let at = self.offset(address, part.byte);
            let old = self.terms().select(array, at);
            let mut new = self.terms().extract(part.from + part.width - 1, part.from, field);
            let end = part.low + part.width;
            if part.low > 0 {
                let low = self.terms().extract(part.low - 1, 0, old);
                new = self.terms().concat(new, low);
            }
            if end < 8 {
                let high = self.terms().extract(7, end, old);
                new = self.terms().concat(high, new);
            }
            array = self.terms().store(array, at, new);
        }
        self.set(state, Cell::Region(region), array);
    }

    /// The bytes that a place's footprint covers, with a new value in them.
    fn value_to_unit(
        &mut self,
        state: &State,
        region: RegionId,
        address: Term,
        footprint: Footprint,
        value: Term,
        conditions: &mut Vec<Term>,
    ) -> Term {
        let total = 8 * footprint.width as u32;
        let (first, width) = match footprint.bits {
            Some((first, width)) => (first as u32, width as u32),
            None => (0, total),
        };
        let bits = match self.encoder.terms.sort(value) {
            Sort::BitVec(own) if footprint.bits.is_none() && own < total => (value, own),
            Sort::BitVec(_) => (self.resize_unsigned(value, width), width),
            Sort::Bool if self.holds_bits(region) => {
                let (one, zero) = (self.constant(1, width), self.constant(0, width));
                (self.terms().ite(value, one, zero), width)
            }
            _ => return value,
        };
        if bits.1 == total {
            return bits.0;
        }
        // The neighbours of a bit-field, and the padding of a `long double`, stay.
        let (mut new, end) = (bits.0, first + bits.1);
        let old = self.load(state, region, address, footprint.width, conditions);
        if first > 0 {
            let low = self.terms().extract(first - 1, 0, old);
            new = self.terms().concat(new, low);
        }
        if end < total {
            let high = self.terms().extract(total - 1, end, old);
            new = self.terms().concat(high, new);
        }
        new
    }

    fn holds_bits(&self, region: RegionId) -> bool {
        self.shape(region) == Shape::Bytes || matches!(self.element_sort(region, 1), Scalar::BitVec(_))
    }
}

/// The part of a bit-field that lies in one byte.
struct FieldPart {
    byte: u64,
    /// The first bit in the byte.
    low: u32,
    width: u32,
    /// The first bit in the field.
    from: u32,
}

/// The parts of a bit-field, given by its first bit and its width, from the lowest on.
fn parts_of_field((first, width): (u64, u64)) -> Vec<FieldPart> {
    let mut parts = Vec::new();
    let mut from = 0;
    while from < width {
        let at = first + from;
        let count = (8 - at % 8).min(width - from);
        parts.push(FieldPart { byte: at / 8, low: (at % 8) as u32, width: count as u32, from: from as u32 });
        from += count;
    }
    parts
}
