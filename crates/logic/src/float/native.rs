//! Operations on constants by the machine's arithmetic, which is that of IEEE 754. Formats that the machine does not have fold
//! gate by gate.

use crate::bits;

use super::{FloatFormat, FloatOp};

/// The bits of a result, or that it is not a number.
type Outcome = Option<u128>;

fn single(bits: u128) -> f32 {
    f32::from_bits(bits as u32)
}

fn double(bits: u128) -> f64 {
    f64::from_bits(bits as u64)
}

fn of_single(value: f32) -> Outcome {
    (!value.is_nan()).then(|| u128::from(value.to_bits()))
}

fn of_double(value: f64) -> Outcome {
    (!value.is_nan()).then(|| u128::from(value.to_bits()))
}

/// An operation, if the machine has the format.
pub(super) fn arithmetic(format: FloatFormat, op: FloatOp, a: u128, b: u128) -> Option<Outcome> {
    Some(match format {
        FloatFormat::BINARY32 => of_single(match op {
            FloatOp::Add => single(a) + single(b),
            FloatOp::Sub => single(a) - single(b),
            FloatOp::Mul => single(a) * single(b),
            FloatOp::Div => single(a) / single(b),
        }),
        FloatFormat::BINARY64 => of_double(match op {
            FloatOp::Add => double(a) + double(b),
            FloatOp::Sub => double(a) - double(b),
            FloatOp::Mul => double(a) * double(b),
            FloatOp::Div => double(a) / double(b),
        }),
        _ => return None,
    })
}

/// A conversion, if the machine has both formats.
pub(super) fn convert(from: FloatFormat, to: FloatFormat, a: u128) -> Option<Outcome> {
    match (from, to) {
        (FloatFormat::BINARY32, FloatFormat::BINARY64) => Some(of_double(f64::from(single(a)))),
        (FloatFormat::BINARY64, FloatFormat::BINARY32) => Some(of_single(double(a) as f32)),
        _ => None,
    }
}

/// A whole number as a float, if the machine has the format.
pub(super) fn from_bits(format: FloatFormat, signed: bool, value: u128, width: u32) -> Outcome {
    let number = bits::signed(value, width);
    match (format, signed) {
        (FloatFormat::BINARY32, true) => of_single(number as f32),
        (FloatFormat::BINARY32, false) => of_single(value as f32),
        (FloatFormat::BINARY64, true) => of_double(number as f64),
        (FloatFormat::BINARY64, false) => of_double(value as f64),
        _ => None,
    }
}
