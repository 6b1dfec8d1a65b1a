//! Sorts.

use std::fmt;

/// The sort of a term.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Ord, PartialOrd)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Mathematical integers.
    Int,
    /// Bit-vectors of a width, 1 to 128.
    BitVec(u32),
    /// Total maps from an index sort to an element sort.
    Array(Scalar, Scalar),
}

/// A sort that is not an array: what arrays are indexed by and made of.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug, Ord, PartialOrd)]
pub enum Scalar {
    /// Truth values.
    Bool,
    /// Mathematical integers.
    Int,
    /// Bit-vectors of a width, 1 to 128.
    BitVec(u32),
}

impl Sort {
    /// The sort as a scalar, unless it is an array.
    pub fn scalar(self) -> Option<Scalar> {
        match self {
            Sort::Bool => Some(Scalar::Bool),
            Sort::Int => Some(Scalar::Int),
            Sort::BitVec(width) => Some(Scalar::BitVec(width)),
            Sort::Array(..) => None,
        }
    }
}

impl From<Scalar> for Sort {
    fn from(scalar: Scalar) -> Sort {
        match scalar {
            Scalar::Bool => Sort::Bool,
            Scalar::Int => Sort::Int,
            Scalar::BitVec(width) => Sort::BitVec(width),
        }
    }
}

/// As SMT-LIB writes it.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Sort::Bool => f.write_str("Bool"),
            Sort::Int => f.write_str("Int"),
            Sort::BitVec(width) => write!(f, "(_ BitVec {width})"),
            Sort::Array(index, element) => write!(f, "(Array {} {})", Sort::from(index), Sort::from(element)),
        }
    }
}
