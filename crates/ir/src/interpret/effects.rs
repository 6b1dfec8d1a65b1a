//! What the machine does with memory and with the outside: accesses that are not plain, allocation, copies, calls of external
//! procedures, output.

use rustc_hash::FxHashSet;

use super::code::{CallSite, Cell, Effect, NO_LAYOUT, Passed, Scalar, Slot};
use super::draws::Want;
use super::eval;
use super::machine::{Machine, Trap};
use super::memory::{Fault, Memory, NULL_PAGE, Object, Origin, UNINITIALISED, WRITTEN, function_at};
use super::outcome::{Access, Nearby, Outcome};
use super::output;
use crate::{Arbitrary, BitRange, EdgeId, MemoryKind, ProcId, RecordKind, Statement, Type, TypeId, VarKind};

/// So many copied or scanned bytes count as one step when it comes to looking at the budget.
const BYTES_PER_STEP: u64 = 64;

/// The alignment of allocated memory.
pub(super) const HEAP_ALIGN: u64 = 16;

/// Access to memory.
impl Machine<'_> {
    /// The end of a run at an access that is not allowed.
    #[cold]
    fn fault(&self, fault: Fault, address: u64, size: u64, write: bool) -> Trap {
        let address = self.memory.wrap(address);
        let near = self.memory.nearest(address).map(|object| self.nearby(object));
        let access = Box::new(Access { address, size, write, near, site: self.site() });
        Box::new(match fault {
            Fault::Null => Outcome::NullDereference(access),
            Fault::OutOfBounds => Outcome::OutOfBounds(access),
            Fault::AfterFree => Outcome::UseAfterFree(access),
            Fault::AfterScope => Outcome::UseAfterScope(access),
            Fault::Invalid => Outcome::InvalidAccess(access),
        })
    }

    fn nearby(&self, object: &Object) -> Nearby {
        let program = self.interpreter.program;
        let name = match object.origin {
            Origin::Global(var) | Origin::Local(var) => program.variables[var].name.clone(),
            Origin::Stack(procedure, _) => format!("stack memory of {}", program.procedures[procedure].name),
            Origin::Outside(_) => "memory outside of the program".to_owned(),
            Origin::Heap(procedure, edge) => {
                let span = self.site_in(procedure, edge).span;
                let name = &program.procedures[procedure].name;
                if span.is_none() {
                    format!("memory from {name}")
                } else {
                    format!("memory from {name}, line {}", span.line)
                }
            }
        };
        Nearby { name, base: object.base, size: object.size, live: object.live }
    }

    /// Reads a scalar, whatever it takes.
    pub(super) fn load_slowly(&mut self, cell: Cell, dst: Slot, address: u64) -> Result<(), Trap> {
        let ty = self.code.load_type(self.pc - 1);
        let value = self.read_cell(cell, address, ty)?;
        if cell.is_wide() {
            self.set_wide(dst, value as i128);
        } else {
            self.set(dst, cell.extend(value as u64));
        }
        Ok(())
    }

    fn read_cell(&mut self, cell: Cell, address: u64, ty: Option<TypeId>) -> Result<u128, Trap> {
        let length = cell.size();
        let width = if cell == Cell::Truth { 1 } else { 8 * length as u16 };
        self.settle(address, length, ty, width)?;
        let range = self.memory.range(address, length as u64);
        let (object, offset) = range.map_err(|fault| self.fault(fault, address, length as u64, false))?;
        let mut bytes = [0; 16];
        bytes[..length].copy_from_slice(&object.bytes[offset..offset + length]);
        Ok(u128::from_le_bytes(bytes))
    }

    /// Writes a scalar, whatever it takes.
    pub(super) fn store_slowly(&mut self, cell: Cell, src: Slot, address: u64) -> Result<(), Trap> {
        let value = if cell.is_wide() { self.get_wide(src) as u128 } else { self.get(src).into() };
        self.write(address, cell.size(), value)
    }

    /// Writes the low bytes of a value.
    fn write(&mut self, address: u64, length: usize, value: u128) -> Result<(), Trap> {
        match self.memory.range_mut(address, length as u64) {
            Ok((object, offset)) => {
                object.bytes[offset..offset + length].copy_from_slice(&value.to_le_bytes()[..length]);
                object.written(offset, length);
                Ok(())
            }
            Err(fault) => Err(self.fault(fault, address, length as u64, true)),
        }
    }

    pub(super) fn load_bits(&mut self, field: u32, dst: Slot, address: u64) -> Result<(), Trap> {
        let field = self.code.bits[field as usize];
        let BitRange { first, width } = field.bits;
        let length = eval::bit_field_bytes(first, width);
        self.settle(address, length, Some(field.ty), (8 * length as u16).min(128))?;
        let range = self.memory.range(address, length as u64);
        let (object, offset) = range.map_err(|fault| self.fault(fault, address, length as u64, false))?;
        let value = eval::extract_bits(&object.bytes[offset..offset + length], first, width, field.scalar);
        self.set_scalar(dst, field.scalar, value);
        self.touch(address, length as u64, false);
        Ok(())
    }

    /// Writes a bit-field. The other bits of its first and last byte keep their values; if they have
    /// none, they get one.
    pub(super) fn store_bits(
        &mut self,
        bits: BitRange,
        ty: TypeId,
        value: u128,
        address: u64,
    ) -> Result<(), Trap> {
        let BitRange { first, width } = bits;
        let length = eval::bit_field_bytes(first, width);
        if eval::bit_mask(0, first, width) != 0xff {
            self.settle(address, 1, Some(ty), 8)?;
        }
        if length > 1 && eval::bit_mask(length - 1, first, width) != 0xff {
            self.settle(address.wrapping_add(length as u64 - 1), 1, Some(ty), 8)?;
        }
        match self.memory.range_mut(address, length as u64) {
            Ok((object, offset)) => {
                eval::insert_bits(&mut object.bytes[offset..offset + length], first, width, value);
                object.written(offset, length);
                self.touch(address, length as u64, true);
                Ok(())
            }
            Err(fault) => Err(self.fault(fault, address, length as u64, true)),
        }
    }

    /// Makes bytes arbitrary.
    fn forget(&mut self, address: u64, size: u64, kind: u32) -> Result<(), Trap> {
        if size == 0 {
            return Ok(());
        }
        self.work(size);
        match self.memory.range_mut(address, size) {
            Ok((object, offset)) => {
                object.forget(offset, size as usize, Self::mark(kind));
                self.touch(address, size, true);
                Ok(())
            }
            Err(fault) => Err(self.fault(fault, address, size, true)),
        }
    }

    /// Lets long work on memory bring the next look at the budget nearer.
    fn work(&mut self, bytes: u64) {
        self.next_poll = self.next_poll.saturating_sub(bytes / BYTES_PER_STEP);
    }
}

/// Statements.
impl Machine<'_> {
    pub(super) fn effect(&mut self, effect: &Effect) -> Result<(), Trap> {
        match *effect {
            Effect::Draw { dst, scalar, ty, edge } => {
                let kind = self.havoc_kind(edge);
                let value = self.draw_scalar(kind, ty, scalar)?;
                self.set_scalar(dst, scalar, value);
                Ok(())
            }
            Effect::DrawCell { base, scalar, ty, bits, edge } => {
                let kind = self.havoc_kind(edge);
                let address = self.get(base);
                let value = self.draw_scalar(kind, ty, scalar)? as u128;
                match (bits, scalar.cell()) {
                    (Some(bits), _) => self.store_bits(bits, ty, value, address),
                    (None, Some(cell)) => {
                        self.write(address, cell.size(), value)?;
                        self.touch(address, cell.size() as u64, true);
                        Ok(())
                    }
                    (None, None) => Err(self.unsupported(NO_LAYOUT)),
                }
            }
            Effect::Renewed { var } => {
                self.inputs.renewed(var);
                Ok(())
            }
            Effect::Forget { base, size, edge } => {
                let kind = self.havoc_kind(edge);
                self.forget(self.get(base), size, kind)
            }
            Effect::ForgetBits { base, ty, bits } => {
                let value = self.draw(Want::Value {
                    kind: 0,
                    ty: Some(ty),
                    width: bits.width.into(),
                    storage: None,
                })?;
                self.store_bits(bits, ty, value, self.get(base))
            }
            Effect::CopyAggregate { dst, src, ty } => self.copy_aggregate(self.get(dst), self.get(src), ty),
            Effect::Allocate { dst, size, size_scalar, edge } => {
                let size = self.length(size, size_scalar);
                let address = self.allocate(size, edge)?;
                self.set(dst, address);
                Ok(())
            }
            Effect::Free { pointer } => self.free(self.get(pointer)),
            Effect::Copy { target, source, length, length_scalar } => {
                let length = self.length(length, length_scalar);
                self.copy(self.get(target), self.get(source), length)
            }
            Effect::CopyObject { target, source } => self.copy_object(self.get(target), self.get(source)),
            Effect::Fill { target, byte, length, length_scalar } => {
                let length = self.length(length, length_scalar);
                self.fill(self.get(target), self.get(byte) as u8, length)
            }
            Effect::Output { edge, ref arguments } => {
                self.print(edge, arguments);
                Ok(())
            }
        }
    }

    /// A number of bytes; a negative one is too large for any object.
    fn length(&self, slot: Slot, scalar: Scalar) -> u64 {
        u64::try_from(self.get_scalar(slot, scalar)).unwrap_or(u64::MAX)
    }

    fn allocate(&mut self, size: u64, edge: EdgeId) -> Result<u64, Trap> {
        let statement = &self.interpreter.program.procedures[self.procedure].edges[edge].statement;
        let &Statement::Allocate { kind, may_fail, .. } = statement else {
            return Err(self.unsupported("an allocation that is none"));
        };
        let count = self.allocations.entry((self.procedure, edge)).or_default();
        self.memory.serial = *count;
        *count += 1;
        if may_fail && self.draw(Want::Failure { forced: !self.memory.has_room(size) })? == 1 {
            return Ok(0);
        }
        let wish = self.draw(Want::Address { size })? as u64;
        let (origin, mark) = match kind {
            MemoryKind::Heap => (Origin::Heap(self.procedure, edge), Some(UNINITIALISED)),
            MemoryKind::ZeroedHeap => (Origin::Heap(self.procedure, edge), None),
            MemoryKind::Stack => (Origin::Stack(self.procedure, edge), Some(UNINITIALISED)),
        };
        self.work(size);
        match self.memory.allocate(size, HEAP_ALIGN, origin, mark, wish) {
            Ok(address) => {
                if kind == MemoryKind::Stack {
                    self.stack_objects.push(address);
                }
                Ok(address)
            }
            Err(_) if may_fail => Ok(0),
            Err(_) => Err(Box::new(Outcome::OutOfMemory { size, site: Some(self.site()) })),
        }
    }

    fn free(&mut self, address: u64) -> Result<(), Trap> {
        if address == 0 {
            return Ok(());
        }
        let object = self.memory.object_starting_at(address);
        if object.is_some_and(|object| object.live && matches!(object.origin, Origin::Heap(..))) {
            self.memory.release(address);
            return Ok(());
        }
        let near = self.memory.nearest(address).map(|object| self.nearby(object));
        let access = Access { address, size: 0, write: true, near, site: self.site() };
        Err(Box::new(Outcome::InvalidFree(Box::new(access))))
    }

    /// Copies from the start of one live heap object to that of another, as far as both go.
    fn copy_object(&mut self, target: u64, source: u64) -> Result<(), Trap> {
        let mut length = u64::MAX;
        for address in [target, source] {
            match self.memory.object_starting_at(address) {
                Some(object) if object.live && matches!(object.origin, Origin::Heap(..)) => {
                    length = length.min(object.size);
                }
                _ => return self.free(address),
            }
        }
        self.copy(target, source, length)
    }

    /// Copies bytes, as `memmove` does. Bytes without a value get one first, so that both copies
    /// agree on it.
    fn copy(&mut self, target: u64, source: u64, length: u64) -> Result<(), Trap> {
        if length == 0 {
            return Ok(());
        }
        self.work(length);
        self.check(source, length, false)?;
        self.check(target, length, true)?;
        self.settle_all(source, length as usize, None)?;
        self.touch(source, length, false);
        self.touch(target, length, true);
        self.transfer_bytes(target, source, length)
    }

    /// Copies a record or an array. Its scalars get values if they have none; padding does not
    /// matter and stays as it is.
    pub(super) fn copy_aggregate(&mut self, target: u64, source: u64, ty: TypeId) -> Result<(), Trap> {
        let length = self.interpreter.program.size_of(ty);
        if length == 0 || target == source {
            return Ok(());
        }
        self.work(length);
        self.check(source, length, false)?;
        self.check(target, length, true)?;
        self.settle_all(source, length as usize, Some(ty))?;
        self.touch(source, length, false);
        self.touch(target, length, true);
        self.transfer_bytes(target, source, length)
    }

    fn check(&self, address: u64, length: u64, write: bool) -> Result<(), Trap> {
        match self.memory.range(address, length) {
            Ok(_) => Ok(()),
            Err(fault) => Err(self.fault(fault, address, length, write)),
        }
    }

    /// Gives values to all bytes of a range that have none, scalar by scalar where the type is
    /// known.
    fn settle_all(&mut self, address: u64, length: usize, ty: Option<TypeId>) -> Result<(), Trap> {
        let mut at = 0;
        while let Some(next) = self.next_missing(address, at, length) {
            at = next;
            match ty.map_or(Part::Bytes(length - at), |ty| self.part_at(ty, at as u64)) {
                Part::Padding(size) => at += size.max(1),
                Part::Scalar { start, cell, ty } => {
                    let width = if cell == Cell::Truth { 1 } else { 8 * cell.size() as u16 };
                    self.settle(address.wrapping_add(start), cell.size(), Some(ty), width)?;
                    at = start as usize + cell.size();
                }
                Part::Bytes(size) => {
                    let size = size.clamp(1, 16).min(length - at);
                    self.settle(address.wrapping_add(at as u64), size, None, 8 * size as u16)?;
                    at += size;
                }
            }
        }
        Ok(())
    }

    fn next_missing(&self, address: u64, from: usize, length: usize) -> Option<usize> {
        let (object, offset) = self.memory.range(address, length as u64).ok()?;
        let shadow = object.shadow.get(offset + from..offset + length)?;
        shadow.iter().position(|&mark| mark != WRITTEN).map(|n| from + n)
    }

    /// What lies at an offset into a value of the type.
    fn part_at(&self, ty: TypeId, offset: u64) -> Part {
        let program = self.interpreter.program;
        let (mut ty, mut start) = (ty, 0);
        loop {
            let within = offset - start;
            match *program.ty(ty) {
                Type::Array { element, .. } => {
                    let size = program.size_of(element).max(1);
                    start += within / size * size;
                    ty = element;
                }
                Type::Record(id) if program.records[id].kind == RecordKind::Struct => {
                    let record = &program.records[id];
                    let holds = |f: &&crate::Field| {
                        let bits = f.bits.map(|b| eval::bit_field_bytes(b.first, b.width) as u64);
                        let size = bits.unwrap_or_else(|| program.size_of(f.ty));
                        f.offset <= within && within < f.offset + size
                    };
                    match record.fields.iter().find(holds) {
                        Some(field) if field.bits.is_none() => {
                            start += field.offset;
                            ty = field.ty;
                        }
                        Some(_) => return Part::Bytes(1),
                        None => {
                            let next = record.fields.iter().map(|f| f.offset).filter(|&o| o > within).min();
                            return Part::Padding(
                                (next.unwrap_or(record.size.max(within + 1)) - within) as usize,
                            );
                        }
                    }
                }
                Type::Record(id) => return Part::Bytes((program.records[id].size - within) as usize),
                _ => match Scalar::of(program, ty).and_then(Scalar::cell) {
                    Some(cell) if within < cell.size() as u64 => return Part::Scalar { start, cell, ty },
                    _ => return Part::Padding(1),
                },
            }
        }
    }

    /// Copies bytes and what is known about them between two ranges that were checked.
    fn transfer_bytes(&mut self, target: u64, source: u64, length: u64) -> Result<(), Trap> {
        let length = length as usize;
        let Ok((object, offset)) = self.memory.range(source, length as u64) else { return Ok(()) };
        let range = offset..offset + length;
        // Padding may have no value, and stays without one.
        let shadow =
            object.shadow.get(range.clone()).filter(|shadow| shadow.iter().any(|&mark| mark != WRITTEN));
        let shadow = shadow.map(<[u8]>::to_vec);
        self.scratch.clear();
        self.scratch.extend_from_slice(&object.bytes[range]);
        let Ok((object, offset)) = self.memory.range_mut(target, length as u64) else { return Ok(()) };
        object.bytes[offset..offset + length].copy_from_slice(&self.scratch);
        match shadow {
            None => object.written(offset, length),
            Some(shadow) => {
                object.forget(offset, length, UNINITIALISED);
                object.shadow[offset..offset + length].copy_from_slice(&shadow);
            }
        }
        // A large buffer is not worth keeping.
        self.scratch.shrink_to(1 << 16);
        Ok(())
    }

    fn fill(&mut self, target: u64, byte: u8, length: u64) -> Result<(), Trap> {
        if length == 0 {
            return Ok(());
        }
        self.work(length);
        match self.memory.range_mut(target, length) {
            Ok((object, offset)) => {
                object.bytes[offset..offset + length as usize].fill(byte);
                object.written(offset, length as usize);
                self.touch(target, length, true);
                Ok(())
            }
            Err(fault) => Err(self.fault(fault, target, length, true)),
        }
    }

    /// Shows what a function of the C library prints. Nothing here changes the state or ends the
    /// run, as the program's meaning does not depend on output.
    fn print(&mut self, edge: EdgeId, arguments: &[(Slot, Scalar)]) {
        let statement = &self.interpreter.program.procedures[self.procedure].edges[edge].statement;
        let Statement::Output { function, .. } = statement else { return };
        let arguments: Vec<output::Argument> = arguments
            .iter()
            .map(|&(slot, scalar)| output::Argument { scalar, value: self.get_scalar(slot, scalar) })
            .collect();
        let model = self.interpreter.program.data_model;
        let text = output::render(function, &arguments, model, &self.memory);
        self.work(text.len() as u64 * BYTES_PER_STEP / 8);
        match &mut self.sink {
            Some(sink) => sink(&text),
            None => {
                let room = self.limits.output.saturating_sub(self.output.len());
                self.output.extend_from_slice(&text[..text.len().min(room)]);
            }
        }
    }
}

/// A part of a value in memory.
enum Part {
    /// Nobody reads these bytes.
    Padding(usize),
    /// A scalar.
    Scalar { start: u64, cell: Cell, ty: TypeId },
    /// Bytes of no single type.
    Bytes(usize),
}

/// External procedures.
impl Machine<'_> {
    pub(super) fn call_external(&mut self, procedure: ProcId, site: &CallSite) -> Result<(), Trap> {
        let p = &self.interpreter.program.procedures[procedure];
        if p.asks_what_is_known() {
            return self.answer_what_is_known(site);
        }
        let is_standard = p.external.is_some_and(crate::Effect::is_standard);
        let name = p.source_name().to_owned();
        let kind = self.kind(&if is_standard { Arbitrary::Library(name) } else { Arbitrary::External(name) });
        if let Some(effect @ (crate::Effect::Havoc | crate::Effect::Reaches)) = p.external {
            self.havoc_reachable(site, kind, effect == crate::Effect::Havoc);
            for (base, size) in self.memory.change_outside(Self::mark(kind)) {
                self.touch(base, size, true);
            }
            self.inputs.changed_outside((self.procedure, site.edge));
        }
        let Some(result) = site.result else { return Ok(()) };
        match result.scalar {
            Some(scalar) => {
                let value = self.draw_scalar(kind, result.ty, scalar)?;
                self.set_scalar(result.slot, scalar, value);
                Ok(())
            }
            None => self.forget(self.get(result.slot), self.interpreter.program.size_of(result.ty), kind),
        }
    }

    /// Makes everything arbitrary that an external procedure can reach: from its arguments, from
    /// the globals if it can see them, and from any word in those that is the address of an object.
    fn havoc_reachable(&mut self, site: &CallSite, kind: u32, sees_globals: bool) {
        let program = self.interpreter.program;
        let mut reached = Reached::default();
        if sees_globals && self.interpreter.has_callbacks {
            reached.procedures = program.procedures.len();
        }
        for argument in &site.arguments {
            let value = self.get(argument.slot);
            match argument.scalar {
                Some(_) => reached.add(&self.memory, value),
                None => {
                    let size = program.size_of(argument.ty);
                    if let Ok((object, offset)) = self.memory.range(value, size) {
                        self.follow(object, offset, size as usize, &mut reached);
                    }
                }
            }
        }
        for &global in &program.globals {
            if !sees_globals || program.variables[global].kind != VarKind::Global {
                continue;
            }
            if let Some(&address) = self.interpreter.globals.addresses.get(&global) {
                reached.add(&self.memory, address);
            }
        }
        while let Some(base) = reached.pending.pop() {
            let Some(object) = self.memory.object_starting_at(base) else { continue };
            let (size, is_outside) = (object.size as usize, matches!(object.origin, Origin::Outside(_)));
            self.follow(object, 0, size, &mut reached);
            self.work(size as u64);
            if is_outside {
                continue;
            }
            if let Ok((object, _)) = self.memory.range_mut(base, size as u64) {
                object.forget(0, size, Self::mark(kind));
            }
            self.touch(base, size as u64, true);
        }
        if reached.procedures > 0 {
            self.learn(reached);
        }
    }

    /// What functions outside of the program know stays known to them.
    fn learn(&mut self, mut reached: Reached) {
        for (base, origin, serial) in std::mem::take(&mut self.known.objects) {
            let object = self.memory.object_starting_at(base);
            if object.is_some_and(|o| o.live && o.origin == origin && o.serial == serial) {
                reached.add(&self.memory, base);
            }
        }
        while let Some(base) = reached.pending.pop() {
            if let Some(object) = self.memory.object_starting_at(base) {
                self.follow(object, 0, object.size as usize, &mut reached);
                self.work(object.size);
            }
        }
        let identity = |&base: &u64| {
            self.memory.object_starting_at(base).map(|object| (base, object.origin, object.serial))
        };
        self.known.objects = reached.seen.iter().filter_map(identity).collect();
        self.known.functions.extend(reached.functions);
    }

    /// Whether the procedure whose address is passed is known outside of the program.
    fn answer_what_is_known(&mut self, site: &CallSite) -> Result<(), Trap> {
        let Some(Passed { slot, ty, scalar: Some(scalar) }) = site.result else { return Ok(()) };
        let address = site.arguments.first().map_or(0, |argument| self.get(argument.slot));
        let answer = i128::from(self.known.functions.contains(&address));
        debug_assert!(!self.interpreter.program.is_pointer(ty));
        self.set_scalar(slot, scalar, answer);
        Ok(())
    }

    /// Follows the aligned words in a part of an object that are addresses.
    fn follow(&self, object: &Object, offset: usize, size: usize, reached: &mut Reached) {
        let word = self.interpreter.program.data_model.pointer_bytes() as usize;
        let first = offset.next_multiple_of(word);
        for at in (first..(offset + size + 1).saturating_sub(word)).step_by(word) {
            let mut bytes = [0; 8];
            bytes[..word].copy_from_slice(&object.bytes[at..at + word]);
            if object.missing(at, word).is_none() {
                reached.add(&self.memory, u64::from_le_bytes(bytes));
            }
        }
    }
}

/// Objects that something can reach, by their first addresses.
#[derive(Default)]
struct Reached {
    seen: FxHashSet<u64>,
    pending: Vec<u64>,
    /// How many procedures there are, if their addresses are looked for, and those that were found.
    procedures: usize,
    functions: FxHashSet<u64>,
}

/// What is known outside of the program from now on.
#[derive(Default)]
pub(super) struct Known {
    /// Addresses of procedures.
    functions: FxHashSet<u64>,
    /// Objects: first addresses, with what tells them from others at the same address.
    objects: Vec<(u64, Origin, u64)>,
}

impl Reached {
    /// Adds the object that an address points into, if there is one and it is new.
    fn add(&mut self, memory: &Memory, address: u64) {
        if self.procedures > 0 && function_at(address, self.procedures).is_some() {
            self.functions.insert(address);
        }
        if address >= NULL_PAGE
            && let Some(object) = memory.object_at(address)
            && object.size > 0
            && self.seen.insert(object.base)
        {
            self.pending.push(object.base);
        }
    }
}
