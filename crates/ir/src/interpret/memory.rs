//! Concrete memory: objects at addresses.
//!
//! The address space is a window of *chunks* of 1 MiB. A chunk is cut into slots of one power of
//! two; each slot holds at most one object, at its start, followed by a gap. An address thus leads
//! to its object by a shift and two table lookups, and a slightly wrong address to a gap. Objects
//! that do not fit a slot get chunks of their own. Objects at an address that the inputs asked for
//! are kept in a sorted map, outside of the window or in chunks that are otherwise unused. So are objects that are not part of the
//! program, in a part of the address space that nothing else gets.
//!
//! A slot is reused only after many others of its size were freed, so that a stale pointer is
//! recognised for a long while; this bounds the memory that dead objects take.
//!
//! Each object owns its bytes and a *shadow*, which says of each byte whether it holds a value. No
//! shadow means that all do. Bytes without a value are arbitrary: whoever reads them draws a value
//! first (see [`Object::missing`]).
//!
//! Invariants: `bytes` is empty if and only if the object is dead or of size 0; a shadow is empty or
//! as long as the bytes; live objects are disjoint and at least 16 bytes apart.

use std::collections::{BTreeMap, VecDeque};

use super::outside::OutsideMemory;
use crate::{DataModel, Device, EdgeId, ProcId, VarId};

/// The addresses below are never those of an object.
pub(super) const NULL_PAGE: u64 = 4096;
/// The address of procedure `n` is this plus `FUNCTION_STRIDE * n`.
pub(super) const FUNCTION_BASE: u64 = 0x0040_0000;
const FUNCTION_STRIDE: u64 = 16;
const FUNCTION_END: u64 = 0x1000_0000;

const CHUNK_BITS: u32 = 20;
const CHUNK: u64 = 1 << CHUNK_BITS;
const MIN_SHIFT: u32 = 5;
/// An address at most this far from an object is taken for a wrong access to it.
const NEAR: u64 = 1 << 16;
/// How many dead objects of one slot size are kept apart before their slots are used again, and how
/// much address space they may take.
const QUARANTINE: usize = 4096;
const QUARANTINE_BYTES: u64 = 1 << 26;
const LARGE_QUARANTINE: usize = 16;
/// What an object counts beyond its size, so that many empty ones are limited too.
pub(super) const OVERHEAD: u64 = 64;
/// Buffers up to this size are kept for reuse.
const POOLED: usize = 4096;

/// A byte of a shadow: the byte was never written and is arbitrary as uninitialised storage is.
pub(super) const UNINITIALISED: u8 = 0;
/// A byte of a shadow: the byte has a value. All other numbers are kinds of arbitrary values.
pub(super) const WRITTEN: u8 = 1;

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Origin {
    /// A global variable.
    Global(VarId),
    /// A variable of an activation.
    Local(VarId),
    /// Allocated on the stack by this step.
    Stack(ProcId, EdgeId),
    /// Allocated on the heap by this step.
    Heap(ProcId, EdgeId),
    /// Not part of the program; which of those it is (see [`OutsideMemory`]).
    Outside(u32),
}

/// A live or dead object.
#[derive(Debug)]
pub(super) struct Object {
    pub(super) base: u64,
    pub(super) size: u64,
    pub(super) bytes: Vec<u8>,
    pub(super) shadow: Vec<u8>,
    pub(super) origin: Origin,
    /// Which of its kind it is.
    pub(super) serial: u64,
    pub(super) live: bool,
}

/// Why bytes cannot be accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Null,
    OutOfBounds,
    AfterFree,
    AfterScope,
    Invalid,
}

/// No room for an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Full;

/// Where an object is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Home {
    Slot { chunk: usize, index: usize },
    Placed(u64),
}

#[derive(Debug)]
struct Chunk {
    /// Logarithm of the slot size; the whole chunk for parts of a large object.
    shift: u32,
    objects: Vec<Object>,
    /// The chunk in which the large object starts that this one continues.
    lead: usize,
}

/// The slots of one size: where the next fresh one is and which dead ones wait for reuse.
#[derive(Debug, Default)]
struct Class {
    current: Option<usize>,
    dead: VecDeque<(usize, usize)>,
    pool: Vec<Vec<u8>>,
}

/// All objects of a run.
#[derive(Debug)]
pub(super) struct Memory {
    window: u64,
    max_chunks: usize,
    address_mask: u64,
    chunks: Vec<Chunk>,
    classes: [Class; (CHUNK_BITS - MIN_SHIFT) as usize],
    large_dead: VecDeque<(usize, usize)>,
    placed: BTreeMap<u64, Object>,
    /// Where no object is put.
    devices: Vec<Device>,
    /// Where objects lie that are not part of the program.
    outside: OutsideMemory,
    /// The sizes of all live objects, and [`OVERHEAD`] for each.
    live_bytes: u64,
    limit: u64,
    /// Only addresses are wanted: objects get no bytes.
    planning: bool,
    /// What new objects are told apart by.
    pub(super) serial: u64,
}

/// The address of a procedure.
pub(super) fn function_address(procedure: ProcId) -> u64 {
    FUNCTION_BASE + FUNCTION_STRIDE * procedure.index() as u64
}

/// The procedure at an address, out of so many.
pub(super) fn function_at(address: u64, procedures: usize) -> Option<ProcId> {
    let offset = address.checked_sub(FUNCTION_BASE)?;
    let index = usize::try_from(offset / FUNCTION_STRIDE).ok()?;
    (offset % FUNCTION_STRIDE == 0 && index < procedures).then(|| ProcId::from_usize(index))
}

impl Object {
    /// The kind of the first byte of the range that has no value.
    pub(super) fn missing(&self, offset: usize, length: usize) -> Option<u8> {
        let shadow = self.shadow.get(offset..offset + length)?;
        shadow.iter().copied().find(|&mark| mark != WRITTEN)
    }

    /// Gives the bytes of the range that have no value those of `value` (little endian).
    pub(super) fn supply(&mut self, offset: usize, length: usize, value: u128) {
        for i in 0..length {
            if let Some(mark) = self.shadow.get_mut(offset + i)
                && *mark != WRITTEN
            {
                *mark = WRITTEN;
                self.bytes[offset + i] = (value >> (8 * i.min(15))) as u8;
            }
        }
    }

    /// Makes the bytes of the range arbitrary.
    pub(super) fn forget(&mut self, offset: usize, length: usize, kind: u8) {
        if self.shadow.is_empty() {
            self.shadow = vec![WRITTEN; self.bytes.len()];
        }
        self.shadow[offset..offset + length].fill(kind);
    }

    /// Notes that the bytes of the range were written.
    #[inline]
    pub(super) fn written(&mut self, offset: usize, length: usize) {
        if !self.shadow.is_empty() {
            self.shadow[offset..offset + length].fill(WRITTEN);
        }
    }

    fn end(&self) -> u64 {
        self.base.saturating_add(self.size)
    }

    /// How far an address is from the object; 0 inside.
    fn distance(&self, address: u64) -> u64 {
        if address < self.base {
            self.base - address
        } else {
            address.saturating_sub(self.end().saturating_sub(1))
        }
    }
}

impl Memory {
    /// Empty memory that holds at most `limit` bytes. Alignments beyond 1 MiB are not kept.
    pub(super) fn new(model: DataModel, limit: u64) -> Self {
        let (window, max_chunks, address_mask) = match model {
            DataModel::Ilp32 => (FUNCTION_END, 3328, u64::from(u32::MAX)),
            DataModel::Lp64 => (0x5500_0000_0000, 1 << 17, u64::MAX),
        };
        Memory {
            window,
            max_chunks,
            address_mask,
            chunks: Vec::new(),
            classes: Default::default(),
            large_dead: VecDeque::new(),
            placed: BTreeMap::new(),
            devices: Vec::new(),
            outside: OutsideMemory::of(model),
            live_bytes: 0,
            limit: limit.min(1 << 46),
            planning: false,
            serial: 0,
        }
    }

    /// Memory that hands out the addresses that real memory would, but holds nothing.
    pub(super) fn plan(model: DataModel) -> Self {
        Memory { planning: true, ..Memory::new(model, u64::MAX) }
    }

    /// Keeps objects away from devices.
    pub(super) fn without(self, devices: &[Device]) -> Self {
        Memory { devices: devices.to_vec(), ..self }
    }

    /// Whether some of the bytes from one address up to another belong to a device.
    fn meets_device(&self, start: u64, end: u64) -> bool {
        self.devices.iter().any(|device| device.meets(start, end))
    }

    /// The address within the address space.
    pub(super) fn wrap(&self, address: u64) -> u64 {
        address & self.address_mask
    }

    /// Whether there can be an object of this size, and the limit allows it.
    pub(super) fn has_room(&self, size: u64) -> bool {
        size <= self.address_mask >> 1
            && size.saturating_add(OVERHEAD) <= self.limit.saturating_sub(self.live_bytes)
    }

    /// Makes an object. Its bytes are zeros, or arbitrary if `kind` says so (see [`UNINITIALISED`]).
    /// `wish` is an address to place it at, if that is possible; 0 is no wish.
    pub(super) fn allocate(
        &mut self,
        size: u64,
        align: u64,
        origin: Origin,
        kind: Option<u8>,
        wish: u64,
    ) -> Result<u64, Full> {
        if !self.has_room(size) {
            return Err(Full);
        }
        let align = align.clamp(1, CHUNK).next_power_of_two();
        let bytes_needed = usize::try_from(size).map_err(|_| Full)?;
        if wish != 0 && self.can_place(wish, size, align.max(16)) {
            let object = self.object(wish, bytes_needed, origin, kind);
            self.place(object);
            return Ok(wish);
        }
        let slot = (size + size.clamp(16, 4096)).max(align).next_power_of_two();
        let shift = slot.trailing_zeros().max(MIN_SHIFT);
        let base = if shift < CHUNK_BITS {
            self.allocate_slot(shift, bytes_needed, origin, kind)?
        } else {
            self.allocate_large(bytes_needed, origin, kind)?
        };
        self.live_bytes += size + OVERHEAD;
        Ok(base)
    }

    fn allocate_slot(
        &mut self,
        shift: u32,
        size: usize,
        origin: Origin,
        kind: Option<u8>,
    ) -> Result<u64, Full> {
        let class = &self.classes[(shift - MIN_SHIFT) as usize];
        let patience = QUARANTINE.min((QUARANTINE_BYTES >> shift) as usize);
        let reuse = class.dead.len() > patience || self.is_exhausted(shift) && !class.dead.is_empty();
        if reuse && let Some((chunk, index)) = self.classes[(shift - MIN_SHIFT) as usize].dead.pop_front() {
            let base = self.chunks[chunk].objects[index].base;
            self.chunks[chunk].objects[index] = self.object(base, size, origin, kind);
            return Ok(base);
        }
        let chunk = self.fresh_slot(shift)?;
        let index = self.chunks[chunk].objects.len();
        let base = self.window + chunk as u64 * CHUNK + ((index as u64) << shift);
        let object = self.object(base, size, origin, kind);
        self.chunks[chunk].objects.push(object);
        Ok(base)
    }

    fn has_fresh_slot(&self, shift: u32) -> Option<usize> {
        let chunk = self.classes[(shift - MIN_SHIFT) as usize].current?;
        (self.chunks[chunk].objects.len() < 1 << (CHUNK_BITS - shift)).then_some(chunk)
    }

    fn is_exhausted(&self, shift: u32) -> bool {
        self.chunks.len() >= self.max_chunks && self.has_fresh_slot(shift).is_none()
    }

    /// A chunk of this slot size with a slot never used before.
    fn fresh_slot(&mut self, shift: u32) -> Result<usize, Full> {
        if let Some(chunk) = self.has_fresh_slot(shift) {
            return Ok(chunk);
        }
        self.skip_placed(1);
        if self.chunks.len() >= self.max_chunks {
            return Err(Full);
        }
        let chunk = self.chunks.len();
        self.chunks.push(Chunk { shift, objects: Vec::new(), lead: chunk });
        self.classes[(shift - MIN_SHIFT) as usize].current = Some(chunk);
        Ok(chunk)
    }

    fn allocate_large(&mut self, size: usize, origin: Origin, kind: Option<u8>) -> Result<u64, Full> {
        let count = ((size as u64 + 4096).div_ceil(CHUNK)) as usize;
        let patient =
            self.chunks.len() + count <= self.max_chunks && self.large_dead.len() <= LARGE_QUARANTINE;
        let reuse = if patient { None } else { self.large_dead.iter().position(|&(_, n)| n == count) };
        let first = match reuse.and_then(|i| self.large_dead.remove(i)) {
            Some((first, _)) => first,
            None => {
                self.skip_placed(count);
                let first = self.chunks.len();
                if first + count > self.max_chunks {
                    return Err(Full);
                }
                let part = |_| Chunk { shift: CHUNK_BITS, objects: Vec::new(), lead: first };
                self.chunks.extend((0..count).map(part));
                first
            }
        };
        let base = self.window + first as u64 * CHUNK;
        let object = self.object(base, size, origin, kind);
        let objects = &mut self.chunks[first].objects;
        objects.clear();
        objects.push(object);
        Ok(base)
    }

    /// Leaves out chunks that objects at wished-for addresses or devices reach into.
    fn skip_placed(&mut self, count: usize) {
        loop {
            let first = self.chunks.len();
            let start = self.window + first as u64 * CHUNK;
            let end = start + count as u64 * CHUNK;
            let blocked =
                self.placed_in(start - NEAR, end + NEAR).next().is_some() || self.meets_device(start, end);
            if !blocked || first >= self.max_chunks {
                return;
            }
            self.chunks.push(Chunk { shift: CHUNK_BITS, objects: Vec::new(), lead: first });
        }
    }

    fn can_place(&self, base: u64, size: u64, align: u64) -> bool {
        let top = if self.address_mask == u64::MAX { 1 << 47 } else { self.address_mask };
        let Some(end) = base.checked_add(size).and_then(|end| end.checked_add(16)) else { return false };
        let used_end = self.window + self.chunks.len() as u64 * CHUNK;
        base >= FUNCTION_END
            && base.is_multiple_of(align)
            && end <= top
            && (end <= self.window || base >= used_end.saturating_add(16))
            && !self.meets_device(base, end)
            && !self.outside.meets(base, end)
            && self.placed_in(base.saturating_sub(16), end).all(|object| !object.live)
    }

    /// Makes the object outside of the program that an address leads to, unless it is there. Nothing happens if the address leads
    /// to none.
    pub(super) fn reach_outside(&mut self, address: u64) -> Result<(), Full> {
        let (Some(number), Some((base, size))) = (self.outside.number(address), self.outside.object(address))
        else {
            return Ok(());
        };
        if self.placed.contains_key(&base) {
            return Ok(());
        }
        if !self.has_room(size) || self.meets_device(base, base + size) {
            return Err(Full);
        }
        let object = Object {
            base,
            size,
            bytes: vec![0; size as usize],
            shadow: vec![UNINITIALISED; size as usize],
            origin: Origin::Outside(number as u32),
            serial: 0,
            live: true,
        };
        self.place(object);
        Ok(())
    }

    /// Makes what the objects outside of the program hold arbitrary, as far as it was anything else; where they lie.
    pub(super) fn change_outside(&mut self, kind: u8) -> Vec<(u64, u64)> {
        let range = self.outside.range();
        let mut changed = Vec::new();
        for object in self.placed.range_mut(range).map(|(_, object)| object) {
            let known = object.shadow.iter_mut().filter(|mark| **mark == WRITTEN);
            known.for_each(|mark| *mark = kind);
            changed.push((object.base, object.size));
        }
        changed
    }

    /// The objects at wished-for addresses that overlap a range. They are disjoint, so their ends
    /// ascend with their bases.
    fn placed_in(&self, start: u64, end: u64) -> impl Iterator<Item = &Object> {
        self.placed
            .range(..end)
            .rev()
            .map(|(_, object)| object)
            .take_while(move |object| object.end() > start)
    }

    fn place(&mut self, object: Object) {
        self.live_bytes += object.size + OVERHEAD;
        // Dead objects in the way are forgotten, which keeps the map's objects disjoint.
        let dead: Vec<u64> =
            self.placed_in(object.base, object.end().max(object.base + 1)).map(|o| o.base).collect();
        for base in dead {
            self.placed.remove(&base);
        }
        self.placed.insert(object.base, object);
    }

    fn object(&mut self, base: u64, size: usize, origin: Origin, kind: Option<u8>) -> Object {
        if self.planning {
            return Object {
                base,
                size: size as u64,
                bytes: Vec::new(),
                shadow: Vec::new(),
                origin,
                serial: self.serial,
                live: true,
            };
        }
        let mut buffer = |fill: u8| match self.pool(size).and_then(Vec::pop) {
            Some(mut buffer) => {
                buffer.clear();
                buffer.resize(size, fill);
                buffer
            }
            None => vec![fill; size],
        };
        let bytes = buffer(0);
        let shadow = kind.map_or_else(Vec::new, buffer);
        Object { base, size: size as u64, bytes, shadow, origin, serial: self.serial, live: true }
    }

    fn pool(&mut self, size: usize) -> Option<&mut Vec<Vec<u8>>> {
        let shift = size.next_power_of_two().trailing_zeros().max(MIN_SHIFT);
        (1..=POOLED).contains(&size).then(|| &mut self.classes[(shift - MIN_SHIFT) as usize].pool)
    }

    /// Ends the life of the object that starts at an address; nothing happens if there is none.
    pub(super) fn release(&mut self, base: u64) {
        let Some(home) = self.home(base) else { return };
        let object = self.at_mut(home);
        if !object.live || object.base != base {
            return;
        }
        object.live = false;
        let size = object.size;
        let buffers = [std::mem::take(&mut object.bytes), std::mem::take(&mut object.shadow)];
        self.live_bytes -= size + OVERHEAD;
        if let Some(pool) = self.pool(size as usize)
            && pool.len() < 256
        {
            pool.extend(buffers.into_iter().filter(|b| b.capacity() > 0));
        }
        if self.placed.len() > QUARANTINE
            && let Home::Placed(base) = home
        {
            self.placed.remove(&base);
        }
        if let Home::Slot { chunk, index } = home {
            let shift = self.chunks[chunk].shift;
            if shift < CHUNK_BITS {
                self.classes[(shift - MIN_SHIFT) as usize].dead.push_back((chunk, index));
            } else {
                let count = self.chunks[chunk..].iter().take_while(|c| c.lead == chunk).count();
                self.large_dead.push_back((chunk, count));
            }
        }
    }

    /// Where the object is kept whose slot an address lies in.
    fn home(&self, address: u64) -> Option<Home> {
        let offset = address.wrapping_sub(self.window);
        let number = usize::try_from(offset >> CHUNK_BITS).unwrap_or(usize::MAX);
        if let Some(chunk) = self.chunks.get(number) {
            let lead = chunk.lead;
            let index = if lead == number { ((offset % CHUNK) >> chunk.shift) as usize } else { 0 };
            if index < self.chunks[lead].objects.len() {
                return Some(Home::Slot { chunk: lead, index });
            }
        }
        let (&base, _) = self.placed.range(..=address).next_back()?;
        Some(Home::Placed(base))
    }

    fn at(&self, home: Home) -> &Object {
        match home {
            Home::Slot { chunk, index } => &self.chunks[chunk].objects[index],
            Home::Placed(base) => &self.placed[&base],
        }
    }

    fn at_mut(&mut self, home: Home) -> &mut Object {
        match home {
            Home::Slot { chunk, index } => &mut self.chunks[chunk].objects[index],
            Home::Placed(base) => self.placed.get_mut(&base).expect("homes are of objects"),
        }
    }

    /// The live object that holds an address (or ends there, for pointers one past the end).
    pub(super) fn object_at(&self, address: u64) -> Option<&Object> {
        let object = self.at(self.home(address)?);
        (object.live && address >= object.base && address <= object.end()).then_some(object)
    }

    /// The object that starts at an address, dead or alive.
    pub(super) fn object_starting_at(&self, address: u64) -> Option<&Object> {
        Some(self.at(self.home(address)?)).filter(|object| object.base == address)
    }

    /// All live objects.
    pub(super) fn live(&self) -> impl Iterator<Item = &Object> {
        let all = self.chunks.iter().flat_map(|chunk| &chunk.objects).chain(self.placed.values());
        all.filter(|object| object.live)
    }

    /// The object that holds a whole range, and the offset of the range in it.
    pub(super) fn range(&self, address: u64, length: u64) -> Result<(&Object, usize), Fault> {
        let address = address & self.address_mask;
        let home = self.home(address).ok_or_else(|| self.classify(address, length))?;
        let offset = Self::offset_in(self.at(home), address, length);
        offset.map(|offset| (self.at(home), offset)).ok_or_else(|| self.classify(address, length))
    }

    /// The same, to be changed.
    pub(super) fn range_mut(&mut self, address: u64, length: u64) -> Result<(&mut Object, usize), Fault> {
        let address = address & self.address_mask;
        let home = self.home(address).ok_or_else(|| self.classify(address, length))?;
        match Self::offset_in(self.at(home), address, length) {
            Some(offset) => Ok((self.at_mut(home), offset)),
            None => Err(self.classify(address, length)),
        }
    }

    fn offset_in(object: &Object, address: u64, length: u64) -> Option<usize> {
        let offset = address.checked_sub(object.base)?;
        let fits = object.live && offset.checked_add(length)? <= object.size;
        fits.then_some(offset as usize)
    }

    /// The object and offset of an access, on the path that most accesses take: a slot of a chunk.
    #[inline(always)]
    fn fast<const N: usize>(&self, address: u64) -> Option<(&Object, usize)> {
        let offset = (address & self.address_mask).wrapping_sub(self.window);
        let chunk = self.chunks.get((offset >> CHUNK_BITS) as usize)?;
        let object = chunk.objects.get(((offset % CHUNK) >> chunk.shift) as usize)?;
        Some((object, (offset.wrapping_add(self.window)).wrapping_sub(object.base) as usize))
    }

    /// Reads bytes that all have a value; nothing if some have not, if they may not be accessed, or
    /// if finding them takes longer.
    #[inline(always)]
    pub(super) fn load<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let (object, offset) = self.fast::<N>(address)?;
        let end = offset.checked_add(N)?;
        let bytes: [u8; N] = object.bytes.get(offset..end)?.try_into().ok()?;
        if !object.shadow.is_empty() && object.shadow.get(offset..end)? != [WRITTEN; N] {
            return None;
        }
        Some(bytes)
    }

    /// Writes bytes; nothing happens if they may not be accessed or if finding them takes longer.
    #[inline(always)]
    pub(super) fn store<const N: usize>(&mut self, address: u64, value: [u8; N]) -> Option<()> {
        let offset = (address & self.address_mask).wrapping_sub(self.window);
        let chunk = self.chunks.get_mut((offset >> CHUNK_BITS) as usize)?;
        let object = chunk.objects.get_mut(((offset % CHUNK) >> chunk.shift) as usize)?;
        let offset = (offset.wrapping_add(self.window)).wrapping_sub(object.base) as usize;
        let end = offset.checked_add(N)?;
        object.bytes.get_mut(offset..end)?.copy_from_slice(&value);
        if !object.shadow.is_empty() {
            object.shadow.get_mut(offset..end)?.copy_from_slice(&[WRITTEN; N]);
        }
        Some(())
    }

    /// Why a range cannot be accessed.
    fn classify(&self, address: u64, _length: u64) -> Fault {
        if address < NULL_PAGE {
            return Fault::Null;
        }
        match self.nearest(address) {
            Some(object) if object.live => Fault::OutOfBounds,
            Some(object) if object.distance(address) > 0 => Fault::OutOfBounds,
            Some(object) => match object.origin {
                Origin::Heap(..) => Fault::AfterFree,
                _ => Fault::AfterScope,
            },
            None => Fault::Invalid,
        }
    }

    /// The object nearest to an address, if it is near; of two equally near ones, the lower.
    pub(super) fn nearest(&self, address: u64) -> Option<&Object> {
        let number = address.wrapping_sub(self.window).cast_signed() >> CHUNK_BITS;
        let mut best: Option<&Object> = None;
        for number in number.saturating_sub(1)..=number.saturating_add(1) {
            let Some(chunk) = usize::try_from(number).ok().and_then(|n| self.chunks.get(n)) else { continue };
            let chunk = &self.chunks[chunk.lead];
            let start = self.window.wrapping_add(chunk.lead as u64 * CHUNK);
            let index = (address.saturating_sub(start) >> chunk.shift) as usize;
            for index in [index.saturating_sub(1), index, index + 1, chunk.objects.len().wrapping_sub(1)] {
                if let Some(object) = chunk.objects.get(index) {
                    best = nearer(best, object, address);
                }
            }
        }
        let below = self.placed.range(..=address).next_back();
        let above = self.placed.range(address..).next();
        for (_, object) in below.into_iter().chain(above) {
            best = nearer(best, object, address);
        }
        best
    }
}

fn nearer<'a>(best: Option<&'a Object>, object: &'a Object, address: u64) -> Option<&'a Object> {
    let distance = object.distance(address);
    let better = best.is_none_or(|b| distance < b.distance(address));
    if distance <= NEAR && better { Some(object) } else { best }
}

#[cfg(test)]
mod tests;
