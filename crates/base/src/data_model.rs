//! The two families of sizes that C implementations choose from.

/// The sizes that C leaves to the implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataModel {
    /// `int`, `long` and pointers of 32 bits (gcc `-m32`).
    Ilp32,
    /// `int` of 32 bits, `long` and pointers of 64 bits (gcc `-m64`).
    Lp64,
}

impl DataModel {
    /// The bytes of the largest object that there can be: distances in it are signed integers of pointer width.
    pub fn largest_object(self) -> u64 {
        u64::MAX >> (65 - self.pointer_bits())
    }

    /// Bits of a pointer.
    pub fn pointer_bits(self) -> u16 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    /// Bytes of a pointer.
    pub fn pointer_bytes(self) -> u64 {
        u64::from(self.pointer_bits() / 8)
    }

    /// The most bytes that an object may have: half the address space, as in C.
    pub fn max_object_size(self) -> u64 {
        (1 << (self.pointer_bits() - 1)) - 1
    }

    /// The name used on command lines and in files.
    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }
}
