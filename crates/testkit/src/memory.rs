//! Small C programs about one memory operation each: an object is given values, some of its bytes are
//! written in one of the many ways that C has, and all of it is looked at.
//!
//! A [`Case`] is one choice in each of several dimensions: what the object is made of and how it is looked
//! at ([`SHAPES`]), by constant or by variable indices; where it is stored; what writes it ([`Operation`]);
//! where it is written, and how the address is come by ([`Address`]); how many bytes. A case is a function
//! of the positions and the length, so that one program covers all of them by calls. [`exhaustive`] lists
//! small cases without a gap, [`random`] picks any.

mod choices;
mod text;

use std::ops::Range;

use hardbop_base::DataModel;

pub use choices::{Address, At, Operation, SHAPES, STORES, Shape, Source, Storage, TYPED, View};

use crate::Rng;

/// One way to write memory.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Case {
    /// An index of [`SHAPES`].
    pub shape: usize,
    /// The number of elements of the object.
    pub count: u64,
    /// Whether elements are named by an index that is a variable.
    pub indexed: bool,
    /// Where the object is.
    pub storage: Storage,
    /// How the address of the target is come by.
    pub address: Address,
    /// Where the target is.
    pub at: At,
    /// Where the bytes come from, if that matters.
    pub source: Source,
    /// What is done.
    pub operation: Operation,
    /// The number of bytes, if it is a constant.
    pub length: Option<u64>,
    /// What is done afterwards.
    pub then: Vec<Then>,
}

/// An operation on the object after the first, all of whose parameters are constants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Then {
    /// What is done; no calls of functions.
    pub operation: Operation,
    /// Where the target starts.
    pub to: u64,
    /// Where the source starts, in the same object.
    pub from: u64,
    /// The number of bytes, where the operation leaves it open.
    pub length: u64,
    /// Whether a variable is added to the address, so that it is not a constant.
    pub hidden: bool,
}

/// Arguments of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Call {
    /// Where the target starts, in bytes from the start of the object.
    pub to: u64,
    /// Where the source starts.
    pub from: u64,
    /// The number of bytes.
    pub length: u64,
    /// Which of two objects it is.
    pub second: bool,
}

/// Lengths of exhaustive cases end here.
pub const MAX_LENGTH: u64 = 9;

impl Case {
    /// The shape of the object.
    pub fn shape(&self) -> &'static Shape {
        &SHAPES[self.shape % SHAPES.len()]
    }

    /// The size of an element.
    pub fn element(&self, model: DataModel) -> u64 {
        of_model(self.shape().size, model)
    }

    /// The size of the object.
    pub fn size(&self, model: DataModel) -> u64 {
        self.element(model) * self.count
    }

    /// The number of bytes written, if it does not depend on arguments.
    pub fn fixed_length(&self, model: DataModel) -> Option<u64> {
        self.operation.length(model).or(self.length)
    }

    /// Whether the case is a program in this data model.
    pub fn is_possible(&self, model: DataModel) -> bool {
        let wide = self.element(model) == 0 || self.fixed_length(model) == Some(0);
        let needs_length = matches!(
            self.operation,
            Operation::Record | Operation::Argument | Operation::Result | Operation::External
        );
        let heap = matches!(self.storage, Storage::Heap | Storage::Zeroed);
        let empty = matches!(self.operation, Operation::Realloc | Operation::Change);
        (!wide || empty && self.element(model) != 0)
            && (!needs_length || self.length.is_some_and(|length| length > 0))
            && (self.operation != Operation::Realloc || heap)
            && self.then.iter().all(|then| then.fits(self.size(model), model))
            && !self.calls(model).is_empty()
    }

    /// All calls that stay inside of the objects.
    pub fn calls(&self, model: DataModel) -> Vec<Call> {
        let (size, element) = (self.size(model), self.element(model).max(1));
        let lengths: Range<u64> = match self.fixed_length(model) {
            Some(length) => length..length + 1,
            None => 0..MAX_LENGTH.min(size) + 1,
        };
        let mut calls = Vec::new();
        for length in lengths {
            let Some(last) = size.checked_sub(length) else { continue };
            let starts: Vec<u64> = match self.at {
                At::Constant(to) => (to..=to).filter(|&to| to <= last).collect(),
                At::Variable => (0..=last).collect(),
                At::Element(skew) => {
                    (0..self.count).map(|i| i * element + skew).filter(|&to| to <= last).collect()
                }
            };
            for to in starts {
                let froms: Vec<u64> = match self.source {
                    Source::None => vec![0],
                    Source::Other(from) | Source::Bytes(from) => {
                        (from..=from).filter(|&from| from <= last).collect()
                    }
                    // Both kinds of overlap, and none.
                    Source::Same => (0..=last)
                        .filter(|&from| from == to % 3 || [1, 2, 5].contains(&from.abs_diff(to)))
                        .collect(),
                };
                for from in froms {
                    let both = self.address == Address::Either;
                    calls.extend((0..=u8::from(both)).map(|second| Call {
                        to,
                        from,
                        length,
                        second: second == 1,
                    }));
                }
            }
        }
        calls
    }
}

impl Operation {
    /// The number of bytes written, where the operation alone tells.
    pub fn length(self, model: DataModel) -> Option<u64> {
        match self {
            Operation::Store(n) => Some(of_model(STORES[n % STORES.len()].1, model)),
            Operation::Typed(n) => Some(of_model(TYPED[n % TYPED.len()].1, model)),
            Operation::BitField(_) => Some(8),
            Operation::Realloc | Operation::Change => Some(0),
            _ => None,
        }
    }
}

impl Then {
    /// Whether it is possible in an object of a size.
    fn fits(&self, size: u64, model: DataModel) -> bool {
        let length = self.operation.length(model).unwrap_or(self.length);
        length > 0 && self.to.max(self.from) + length <= size
    }
}

fn of_model(sizes: [u64; 2], model: DataModel) -> u64 {
    if model == DataModel::Ilp32 { sizes[1] } else { sizes[0] }
}

/// A program that makes some calls of each of some cases. Objects that were given values are read at the end
/// only if `reads` says so: without that, nothing but the bytes is there to be compared.
pub fn program(cases: &[(Case, Vec<Call>)], model: DataModel, reads: bool) -> String {
    text::program(cases, model, reads)
}

/// The same program with a call of `reach_error` behind an input and some conditions.
pub fn planted(cases: &[(Case, Vec<Call>)], model: DataModel, conditions: &[String]) -> String {
    text::planted(cases, model, conditions)
}

/// The globals that hold what was read of the objects in the last call of each case, with their types.
pub fn outputs(cases: &[(Case, Vec<Call>)]) -> Vec<(String, &'static str)> {
    let mut outputs = Vec::new();
    for (n, (case, _)) in cases.iter().enumerate() {
        for x in 0..case.count {
            let views = case.shape().views.iter().enumerate();
            outputs.extend(views.map(|(v, view)| (format!("out{n}_{x}_{v}"), view.ty)));
        }
    }
    outputs
}

/// The condition that a global of a type has some bits; nothing for floating-point numbers.
pub fn has_bits(name: &str, ty: &str, bits: u128) -> Option<String> {
    match ty {
        "float" | "double" | "long double" => None,
        "char *" => Some(format!("{name} == (char *)(word){bits:#x}")),
        "_Bool" => Some(format!("{name} == {}", bits & 1)),
        _ => Some(format!(
            "{name} == ({ty})((unsigned __int128){:#x} << 64 | {:#x}ull)",
            bits >> 64,
            bits as u64
        ))
        .map(|text| if bits >> 64 == 0 { format!("{name} == ({ty}){bits:#x}ull") } else { text }),
    }
}

/// All operations on all shapes, with all starts and with lengths up to [`MAX_LENGTH`], constant and
/// variable; the address is the plain one and the object a local.
pub fn exhaustive(model: DataModel) -> Vec<Case> {
    let mut cases = Vec::new();
    for (shape, made) in SHAPES.iter().enumerate() {
        for indexed in [false, true] {
            for (operation, length) in operations() {
                let plain = Case {
                    shape,
                    count: made.count,
                    indexed,
                    storage: Storage::Local,
                    address: Address::Plain,
                    at: At::Variable,
                    source: Source::None,
                    operation,
                    length,
                    then: Vec::new(),
                };
                let skews = plain.element(model).min(5);
                let ats = [At::Variable]
                    .into_iter()
                    .chain((0..skews).map(At::Element))
                    .chain([At::Constant(0), At::Constant(3)]);
                for at in ats {
                    for source in sources(operation) {
                        cases.push(Case { at, source, ..plain.clone() });
                    }
                }
            }
        }
    }
    cases.retain(|case| case.is_possible(model));
    cases
}

/// Every kind of address, at constant and at other positions, for a scalar and for more bytes. The kinds of
/// storage take turns.
pub fn addresses(model: DataModel) -> Vec<Case> {
    let ats =
        [At::Constant(0), At::Constant(3), At::Constant(8), At::Element(0), At::Element(1), At::Variable];
    let operations = [
        (Operation::Store(0), None, Source::None),
        (Operation::Store(2), None, Source::None),
        (Operation::Fill, Some(3), Source::None),
        (Operation::Copy, None, Source::Other(0)),
    ];
    let mut cases = Vec::new();
    for (shape, made) in SHAPES.iter().enumerate() {
        if !["chars", "ints", "records"].contains(&made.name) {
            continue;
        }
        for &address in Address::ALL {
            for at in ats {
                for (operation, length, source) in operations {
                    let storage = Storage::ALL[cases.len() % Storage::ALL.len()];
                    let (count, indexed) = (16 / made.size[0] + 1, cases.len() % 4 == 3);
                    let then = Vec::new();
                    cases.push(Case {
                        shape,
                        count,
                        indexed,
                        storage,
                        address,
                        at,
                        source,
                        operation,
                        length,
                        then,
                    });
                }
            }
        }
    }
    cases.retain(|case| case.is_possible(model));
    cases
}

/// All operations, with their lengths.
fn operations() -> Vec<(Operation, Option<u64>)> {
    let lengths = || (1..=MAX_LENGTH).map(Some);
    let mut all = Vec::new();
    for operation in [Operation::Fill, Operation::Copy, Operation::Text, Operation::Loop] {
        all.push((operation, None));
    }
    for operation in [Operation::Fill, Operation::Copy, Operation::Record] {
        all.extend(lengths().map(|length| (operation, length)));
    }
    for operation in [Operation::Argument, Operation::Result, Operation::External] {
        all.extend([1, 3, 6, 8].map(|length| (operation, Some(length))));
    }
    all.extend((0..STORES.len()).map(|n| (Operation::Store(n), None)));
    all.extend((0..TYPED.len()).map(|n| (Operation::Typed(n), None)));
    all.extend((0..4).map(|n| (Operation::BitField(n), None)));
    all.push((Operation::Change, None));
    all
}

fn sources(operation: Operation) -> Vec<Source> {
    match operation {
        Operation::Copy | Operation::Record | Operation::Typed(_) => {
            vec![Source::Other(0), Source::Other(2), Source::Same, Source::Bytes(1)]
        }
        Operation::Argument | Operation::Result | Operation::Loop => vec![Source::Other(1), Source::Same],
        Operation::Text => vec![Source::Bytes(0)],
        _ => vec![Source::None],
    }
}

/// Any case, also a large one.
pub fn random(rng: &mut Rng, model: DataModel) -> Case {
    loop {
        let shape = rng.below(SHAPES.len());
        let operations = operations();
        let (operation, length) = match rng.below(12) {
            0 => (Operation::Realloc, None),
            _ => operations[rng.below(operations.len())],
        };
        let length = length.map(|length| if rng.one_in(6) { length + rng.below(40) as u64 } else { length });
        let fixed = SHAPES[shape].views.iter().any(|view| view.place.contains('%'));
        let count = match rng.below(8) {
            _ if fixed => SHAPES[shape].count,
            0 => 1 + rng.below(30) as u64,
            _ => 1 + rng.below(5) as u64,
        };
        let sources = sources(operation);
        let source = match sources[rng.below(sources.len())] {
            Source::Other(_) => Source::Other(rng.below(9) as u64),
            Source::Bytes(_) => Source::Bytes(rng.below(9) as u64),
            source => source,
        };
        let at = match rng.below(4) {
            0 => At::Variable,
            1 => At::Constant(rng.below(12) as u64),
            _ => At::Element(rng.below(9) as u64),
        };
        let storage = if operation == Operation::Realloc {
            [Storage::Heap, Storage::Zeroed][rng.below(2)]
        } else {
            Storage::ALL[rng.below(Storage::ALL.len())]
        };
        let address = Address::ALL[rng.below(Address::ALL.len())];
        let indexed = !rng.one_in(3);
        let size = of_model(SHAPES[shape].size, model) * count;
        let then = (0..rng.below(3)).map(|_| random_then(rng, size, model)).collect();
        let case = Case { shape, count, indexed, storage, address, at, source, operation, length, then };
        if case.is_possible(model) {
            return case;
        }
    }
}

fn random_then(rng: &mut Rng, size: u64, model: DataModel) -> Then {
    let operation = match rng.below(8) {
        0 | 1 => Operation::Fill,
        2 | 3 => Operation::Copy,
        4 => Operation::Record,
        5 => Operation::Typed(rng.below(TYPED.len())),
        6 => Operation::BitField(rng.below(4)),
        _ => Operation::Store(rng.below(STORES.len())),
    };
    let length = operation.length(model).unwrap_or(1 + rng.below(9) as u64);
    let last = (size.saturating_sub(length) as usize).saturating_add(1);
    let (to, from) = (rng.below(last) as u64, rng.below(last) as u64);
    Then { operation, to, from, length, hidden: rng.one_in(2) }
}
