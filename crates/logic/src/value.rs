//! Values, and models: what symbols stand for.

use std::collections::BTreeMap;
use std::fmt;

use rustc_hash::FxHashMap;

use crate::bits;
use crate::{Scalar, Sort, Term};

/// What a term stands for in a model.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i128),
    /// A bit-vector; bits beyond the width are zero.
    BitVec {
        /// The bits, read as an unsigned number.
        value: u128,
        /// How many there are.
        width: u32,
    },
    /// An array.
    Array {
        /// The element at every index that has no entry.
        default: Box<Value>,
        /// The elements at the other indices; none equals the default.
        entries: BTreeMap<Value, Value>,
    },
}

impl Value {
    /// False, zero, or zero everywhere.
    pub fn zero(sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Int => Value::Int(0),
            Sort::BitVec(width) => Value::BitVec { value: 0, width },
            Sort::Array(_, element) => {
                Value::Array { default: Box::new(Value::zero(element.into())), entries: BTreeMap::new() }
            }
        }
    }

    /// A bit-vector of the low bits of a number.
    pub fn bv(value: u128, width: u32) -> Value {
        Value::BitVec { value: value & bits::mask(width), width }
    }

    /// An array. Entries that repeat the default are dropped.
    pub fn array(default: Value, mut entries: BTreeMap<Value, Value>) -> Value {
        entries.retain(|_, element| *element != default);
        Value::Array { default: Box::new(default), entries }
    }

    /// What a program draws for the value: its bits, those of a number in two's complement; nothing for an array.
    pub fn as_drawn(&self) -> Option<u128> {
        match *self {
            Value::Bool(value) => Some(value.into()),
            Value::Int(value) => Some(value.cast_unsigned()),
            Value::BitVec { value, .. } => Some(value),
            Value::Array { .. } => None,
        }
    }

    /// The truth value, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match *self {
            Value::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The integer, if it is one.
    pub fn as_int(&self) -> Option<i128> {
        match *self {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The bits of a bit-vector, if it is one.
    pub fn as_bits(&self) -> Option<u128> {
        match *self {
            Value::BitVec { value, .. } => Some(value),
            _ => None,
        }
    }

    /// A bit-vector read as a number in two's complement.
    pub fn as_signed(&self) -> Option<i128> {
        match *self {
            Value::BitVec { value, width } => Some(bits::signed(value, width)),
            _ => None,
        }
    }

    /// The element of an array at an index; nothing for other values.
    pub fn element(&self, index: &Value) -> Option<&Value> {
        match self {
            Value::Array { default, entries } => Some(entries.get(index).unwrap_or(default)),
            _ => None,
        }
    }

    /// Whether the value may stand for a term of that sort.
    pub fn has_sort(&self, sort: Sort) -> bool {
        match (self, sort) {
            (Value::Bool(_), Sort::Bool) | (Value::Int(_), Sort::Int) => true,
            (Value::BitVec { value, width }, Sort::BitVec(expected)) => {
                *width == expected && *value <= bits::mask(expected)
            }
            (Value::Array { default, entries }, Sort::Array(index, element)) => {
                let (index, element) = (Sort::from(index), Sort::from(element));
                default.has_sort(element)
                    && entries.iter().all(|(at, it)| at.has_sort(index) && it.has_sort(element))
            }
            _ => false,
        }
    }
}

/// Whether two arrays agree at every index. Entries may cover a small index sort completely, so that
/// defaults do not count.
pub fn same_array(index: Scalar, a: &Value, b: &Value) -> bool {
    let (Value::Array { default: da, entries: ea }, Value::Array { default: db, entries: eb }) = (a, b)
    else {
        return false;
    };
    let agree = ea.keys().chain(eb.keys()).all(|at| a.element(at) == b.element(at));
    agree && (da == db || covers(index, ea.keys().chain(eb.keys())))
}

fn covers<'a>(index: Scalar, entries: impl Iterator<Item = &'a Value>) -> bool {
    let indices = match index {
        Scalar::Bool => 2,
        Scalar::BitVec(width) if width < 64 => 1u64 << width,
        Scalar::BitVec(_) | Scalar::Int => return false,
    };
    entries.collect::<std::collections::BTreeSet<_>>().len() as u64 == indices
}

/// As SMT-LIB writes it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(value) => write!(f, "{value}"),
            Value::Int(value) if *value < 0 => write!(f, "(- {})", value.unsigned_abs()),
            Value::Int(value) => write!(f, "{value}"),
            Value::BitVec { value, width } => write!(f, "(_ bv{value} {width})"),
            Value::Array { default, entries } => {
                write!(f, "[")?;
                for (index, element) in entries {
                    write!(f, "{index} -> {element}, ")?;
                }
                write!(f, "else -> {default}]")
            }
        }
    }
}

/// Values of symbols. A symbol without one stands for false, zero, or zero everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    /// The values, by symbol.
    pub values: FxHashMap<Term, Value>,
}

impl Model {
    /// The value of a symbol, if the model has one.
    pub fn get(&self, symbol: Term) -> Option<&Value> {
        self.values.get(&symbol)
    }
}
