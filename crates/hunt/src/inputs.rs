//! Values for the runs of a hunt.

use std::collections::VecDeque;

use hardbop_ir::interpret::{Draw, Inputs, Request, SeededInputs, Source};
use hardbop_ir::{EdgeId, ProcId, Program, Type, VarId};
use rustc_hash::FxHashMap;

/// Random values that are not addresses of objects by chance: no verdict speaks of runs that make up an
/// address.
pub struct AddressFreeInputs(SeededInputs);

impl AddressFreeInputs {
    /// The values of a seed.
    pub fn new(seed: u64) -> Self {
        AddressFreeInputs(SeededInputs::new(seed))
    }
}

impl Inputs for AddressFreeInputs {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        let value = self.0.next(request);
        if matches!(request.source, Source::Value(_)) { without_address(request, value) } else { value }
    }
}

/// Where the interpreter puts procedures and objects.
const OBJECTS: std::ops::Range<u128> = 0x0040_0000..1 << 47;
/// The same with 32 bits, where all that would leave hardly anything: the part that short runs use.
const OBJECTS_32: std::ops::Range<u128> = 0x0040_0000..0x2000_0000;

/// Cuts a value that might be taken for an address down to one that no object has.
fn without_address(request: &Request<'_>, value: u128) -> u128 {
    let bits = request.program.data_model.pointer_bits();
    let value = if request.width < 128 { value & ((1 << request.width) - 1) } else { value };
    let is_pointer = request.ty.is_some_and(|ty| matches!(request.program.ty(ty), Type::Pointer(_)));
    let objects = if bits == 64 || is_pointer { OBJECTS } else { OBJECTS_32 };
    if request.width == bits && objects.contains(&value) { value & 0xfff } else { value }
}

/// The values of a list, one after the other, and those of a seed behind its end.
pub struct Continued {
    list: VecDeque<u128>,
    rest: AddressFreeInputs,
}

impl Continued {
    /// These values, then those of the seed.
    pub fn new(list: &[u128], seed: u64) -> Self {
        Continued { list: list.iter().copied().collect(), rest: AddressFreeInputs::new(seed) }
    }
}

impl Inputs for Continued {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        match self.list.pop_front() {
            Some(value) => value,
            None => self.rest.next(request),
        }
    }
}

/// The values of a run of a program, for one in which a plant has new edges: these draw the value of the gate.
pub struct Planted {
    list: VecDeque<u128>,
    /// How many edges each procedure had before.
    edges: Vec<usize>,
    gate: u128,
}

impl Planted {
    /// The values of a run of `before`.
    pub fn new(before: &Program, list: &[u128], gate: u128) -> Self {
        let edges = before.procedures.values().map(|procedure| procedure.edges.len()).collect();
        Planted { list: list.iter().copied().collect(), edges, gate }
    }
}

impl Inputs for Planted {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        let own = self.edges.get(request.site.procedure.index());
        if own.is_some_and(|&edges| request.site.edge.index() >= edges) {
            return self.gate;
        }
        self.list.pop_front().unwrap_or(0)
    }
}

/// The values of a run by the steps that drew them, for programs in which some steps are gone.
#[derive(Debug, Clone, Default)]
pub struct ByStep {
    values: FxHashMap<(ProcId, EdgeId, Option<VarId>), VecDeque<u128>>,
}

impl ByStep {
    /// The values that a run drew.
    pub fn new(draws: &[Draw]) -> Self {
        let mut values: FxHashMap<_, VecDeque<u128>> = FxHashMap::default();
        for draw in draws {
            let variable = draw.storage.and_then(|storage| storage.variable);
            values.entry((draw.procedure, draw.edge, variable)).or_default().push_back(draw.value);
        }
        ByStep { values }
    }
}

impl Inputs for ByStep {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        let variable = request.storage.and_then(|storage| storage.variable);
        let key = (request.site.procedure, request.site.edge, variable);
        self.values.get_mut(&key).and_then(VecDeque::pop_front).unwrap_or(0)
    }
}
