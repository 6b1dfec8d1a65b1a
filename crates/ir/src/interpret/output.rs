//! What the C library would print.
//!
//! Output never changes the state and never ends a run: bytes without a value show as `?`, strings
//! that cannot be read as `(invalid)`. Unknown functions print nothing.

use super::code::Scalar;
use super::decimal::{self, Style};
use super::float;
use super::memory::{Memory, WRITTEN};
use crate::{DataModel, FloatKind, number};

/// An argument of an output function: integers sign- or zero-extended, floats as bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Argument {
    pub(super) scalar: Scalar,
    pub(super) value: i128,
}

/// No string, width or precision is taken to be longer than this.
const LONGEST: usize = 1 << 20;

/// The bytes that a call of a function of the C library prints.
pub(super) fn render(function: &str, arguments: &[Argument], model: DataModel, memory: &Memory) -> Vec<u8> {
    let name = function.trim_start_matches("__builtin_").trim_end_matches("_unlocked");
    let first = arguments.first().map_or(0, |a| a.value);
    match name {
        "printf" => formatted(arguments, model, memory),
        "fprintf" | "dprintf" | "__printf_chk" => formatted(arguments.get(1..).unwrap_or(&[]), model, memory),
        "__fprintf_chk" => formatted(arguments.get(2..).unwrap_or(&[]), model, memory),
        "putchar" | "putc" | "fputc" => vec![first as u8],
        "fputs" => string(memory, first as u64, LONGEST),
        "puts" => {
            let mut text = string(memory, first as u64, LONGEST);
            text.push(b'\n');
            text
        }
        "fwrite" => {
            let length =
                arguments.get(1).zip(arguments.get(2)).map_or(0, |(a, b)| a.value.saturating_mul(b.value));
            bytes(memory, first as u64, usize::try_from(length).unwrap_or(0).min(LONGEST))
        }
        _ => Vec::new(),
    }
}

/// The bytes of a range, as far as it is readable.
fn bytes(memory: &Memory, address: u64, length: usize) -> Vec<u8> {
    (0..length as u64).map_while(|i| byte(memory, address.wrapping_add(i))).collect()
}

fn byte(memory: &Memory, address: u64) -> Option<u8> {
    let (object, offset) = memory.range(address, 1).ok()?;
    let known = object.shadow.get(offset).is_none_or(|&mark| mark == WRITTEN);
    Some(if known { object.bytes[offset] } else { b'?' })
}

/// A string of at most so many bytes.
fn string(memory: &Memory, address: u64, longest: usize) -> Vec<u8> {
    if address == 0 {
        return b"(null)".to_vec();
    }
    let mut text = Vec::new();
    while text.len() < longest {
        match byte(memory, address.wrapping_add(text.len() as u64)) {
            Some(0) => break,
            Some(byte) => text.push(byte),
            None => return b"(invalid)".to_vec(),
        }
    }
    text
}

/// A conversion specification.
#[derive(Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    length: Vec<u8>,
    conversion: u8,
}

struct Printer<'a> {
    arguments: std::slice::Iter<'a, Argument>,
    model: DataModel,
    memory: &'a Memory,
    out: Vec<u8>,
}

fn formatted(arguments: &[Argument], model: DataModel, memory: &Memory) -> Vec<u8> {
    let Some((format, arguments)) = arguments.split_first() else { return Vec::new() };
    let format = string(memory, format.value as u64, LONGEST);
    let mut printer = Printer { arguments: arguments.iter(), model, memory, out: Vec::new() };
    let mut rest = format.as_slice();
    while let Some(at) = rest.iter().position(|&b| b == b'%') {
        printer.out.extend_from_slice(&rest[..at]);
        rest = printer.specification(&rest[at..]);
        if printer.out.len() > LONGEST {
            return printer.out;
        }
    }
    printer.out.extend_from_slice(rest);
    printer.out
}

impl Printer<'_> {
    /// Handles what starts with `%`; what follows it.
    fn specification<'f>(&mut self, text: &'f [u8]) -> &'f [u8] {
        let mut spec = Spec::default();
        let mut at = 1;
        let next = |at: usize| text.get(at).copied().unwrap_or(0);
        loop {
            match next(at) {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                b'0' => spec.zero = true,
                b'\'' => {}
                _ => break,
            }
            at += 1;
        }
        if next(at) == b'*' {
            at += 1;
            let width = self.argument() as i32;
            spec.left |= width < 0;
            spec.width = width.unsigned_abs() as usize;
        } else {
            spec.width = number_at(text, &mut at);
        }
        if next(at) == b'.' {
            at += 1;
            spec.precision = if next(at) == b'*' {
                at += 1;
                usize::try_from(self.argument() as i32).ok()
            } else {
                Some(number_at(text, &mut at))
            };
        }
        while matches!(next(at), b'h' | b'l' | b'q' | b'j' | b'z' | b't' | b'L') {
            spec.length.push(next(at));
            at += 1;
        }
        spec.conversion = next(at);
        spec.width = spec.width.min(LONGEST);
        spec.precision = spec.precision.map(|p| p.min(LONGEST));
        if !self.convert(&spec) {
            self.out.extend_from_slice(&text[..(at + 1).min(text.len())]);
        }
        &text[(at + 1).min(text.len())..]
    }

    fn argument(&mut self) -> i128 {
        self.arguments.next().map_or(0, |argument| argument.value)
    }

    /// Whether the conversion is known.
    fn convert(&mut self, spec: &Spec) -> bool {
        match spec.conversion {
            b'%' => self.out.push(b'%'),
            b'd' | b'i' => {
                let value = number::wrap(self.width(spec), true, self.argument());
                self.integer(spec, value.unsigned_abs(), sign(spec, value < 0), "");
            }
            b'u' | b'o' | b'x' | b'X' => {
                let value = number::wrap(self.width(spec), false, self.argument()) as u128;
                let prefix = match spec.conversion {
                    b'x' if spec.alternate && value != 0 => "0x",
                    b'X' if spec.alternate && value != 0 => "0X",
                    _ => "",
                };
                self.integer(spec, value, "", prefix);
            }
            b'c' => {
                let byte = self.argument() as u8;
                self.pad(spec, "", vec![byte], false);
            }
            b's' => {
                let address = self.argument() as u64;
                let longest = spec.precision.unwrap_or(LONGEST);
                let text = if spec.length == b"l" {
                    self.wide_string(address, longest)
                } else {
                    string(self.memory, address, longest)
                };
                self.pad(spec, "", text, false);
            }
            b'p' => match self.argument() as u64 {
                0 => self.pad(spec, "", b"(nil)".to_vec(), false),
                address => self.pad(spec, "", format!("{address:#x}").into_bytes(), false),
            },
            b'n' => {
                self.argument();
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' => self.float(spec),
            _ => return false,
        }
        true
    }

    /// A string of 32-bit characters; what is not ASCII shows as `?`.
    fn wide_string(&self, address: u64, longest: usize) -> Vec<u8> {
        let mut text = Vec::new();
        while text.len() < longest {
            let unit = bytes(self.memory, address.wrapping_add(4 * text.len() as u64), 4);
            match *unit {
                [0, 0, 0, 0] => break,
                [low @ 1..0x80, 0, 0, 0] => text.push(low),
                [_, _, _, _] => text.push(b'?'),
                _ => return b"(invalid)".to_vec(),
            }
        }
        text
    }

    /// Bits of an integer argument.
    fn width(&self, spec: &Spec) -> u16 {
        match spec.length.as_slice() {
            b"hh" => 8,
            b"h" => 16,
            b"l" | b"z" | b"t" => self.model.pointer_bits(),
            b"ll" | b"q" | b"j" | b"L" => 64,
            _ => 32,
        }
    }

    fn integer(&mut self, spec: &Spec, value: u128, sign: &str, prefix: &str) {
        let mut digits = match spec.conversion {
            b'o' => format!("{value:o}"),
            b'x' => format!("{value:x}"),
            b'X' => format!("{value:X}"),
            _ => value.to_string(),
        };
        if spec.precision == Some(0) && value == 0 {
            digits.clear();
        }
        let mut wanted = spec.precision.unwrap_or(0);
        if spec.conversion == b'o' && spec.alternate && !digits.starts_with('0') {
            wanted = wanted.max(digits.len() + 1);
        }
        let zeros = "0".repeat(wanted.saturating_sub(digits.len()));
        let digits = zeros + &digits;
        self.pad(spec, &format!("{sign}{prefix}"), digits.into_bytes(), spec.precision.is_none());
    }

    fn float(&mut self, spec: &Spec) {
        let argument = self.arguments.next().copied();
        let (kind, bits) = match argument {
            Some(Argument { scalar: Scalar::Float(kind), value }) => (kind, value as u128),
            // What is no float prints as the double with its bits.
            Some(Argument { value, .. }) => (FloatKind::F64, value as u64 as u128),
            None => (FloatKind::F64, 0),
        };
        let style = match spec.conversion.to_ascii_lowercase() {
            b'f' => Style::Fixed,
            b'e' => Style::Exponent,
            _ => Style::Shortest,
        };
        let precision = spec.precision.unwrap_or(6);
        let mut text = decimal::format(kind, bits, style, precision, spec.alternate);
        let finite = float::decompose(kind, bits).is_some();
        if spec.conversion.is_ascii_uppercase() {
            text = text.to_uppercase();
        }
        self.pad(spec, sign(spec, float::is_negative(kind, bits)), text.into_bytes(), finite);
    }

    /// Prints a sign or prefix and a text, filled up to the width; with zeros between the two if
    /// that is asked for and allowed.
    fn pad(&mut self, spec: &Spec, prefix: &str, text: Vec<u8>, zeros: bool) {
        let fill = spec.width.saturating_sub(prefix.len() + text.len());
        let zeros = zeros && spec.zero && !spec.left;
        if !spec.left && !zeros {
            self.out.resize(self.out.len() + fill, b' ');
        }
        self.out.extend_from_slice(prefix.as_bytes());
        if zeros {
            self.out.resize(self.out.len() + fill, b'0');
        }
        self.out.extend_from_slice(&text);
        if spec.left {
            self.out.resize(self.out.len() + fill, b' ');
        }
    }
}

fn sign(spec: &Spec, negative: bool) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, _, _) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    }
}

fn number_at(text: &[u8], at: &mut usize) -> usize {
    let mut value = 0usize;
    while let Some(digit @ b'0'..=b'9') = text.get(*at) {
        value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        *at += 1;
    }
    value
}

#[cfg(test)]
mod tests {
    use super::super::code::Shape;
    use super::super::memory::Origin;
    use super::*;
    use hardbop_base::Id;

    fn int(value: i64) -> Argument {
        Argument { scalar: Scalar::Narrow(Shape { unused: 0, signed: true }), value: value.into() }
    }

    fn double(value: f64) -> Argument {
        Argument { scalar: Scalar::Float(FloatKind::F64), value: value.to_bits().into() }
    }

    fn store(memory: &mut Memory, text: &str) -> i64 {
        let size = text.len() as u64 + 1;
        let address = memory.allocate(size, 1, Origin::Global(Id::from_usize(0)), None, 0).unwrap();
        let (object, _) = memory.range_mut(address, size).unwrap();
        object.bytes[..text.len()].copy_from_slice(text.as_bytes());
        address.cast_signed()
    }

    fn check(format: &str, arguments: &[Argument], expected: &str) {
        let mut memory = Memory::new(DataModel::Lp64, 1 << 20);
        let mut all = vec![int(store(&mut memory, format))];
        all.extend_from_slice(arguments);
        let got = render("printf", &all, DataModel::Lp64, &memory);
        assert_eq!(String::from_utf8_lossy(&got), expected, "{format}");
    }

    /// The expectations are what glibc prints.
    #[test]
    fn conversions_are_those_of_printf() {
        check(
            "%d %5d|%-5d|%05d|%+d|% d",
            &[int(1), int(-2), int(3), int(-4), int(5), int(6)],
            "1    -2|3    |-0004|+5| 6",
        );
        check(
            "%u %x %X %#x %o %#o",
            &[int(-1), int(255), int(255), int(255), int(8), int(8)],
            "4294967295 ff FF 0xff 10 010",
        );
        check(
            "%ld %lu %hhd %hx",
            &[int(-1), int(-1), int(200), int(0x12345)],
            "-1 18446744073709551615 -56 2345",
        );
        check("%.3d|%8.3d|%-8.3d|%.0d", &[int(5), int(5), int(5), int(0)], "005|     005|005     |");
        check("%*d|%-*d|%.*d", &[int(4), int(7), int(4), int(7), int(2), int(7)], "   7|7   |07");
        check("%c%c %%", &[int(65), int(66)], "AB %");
        check(
            "%f %.2f %e %g %G",
            &[double(1.5), double(-0.005), double(1234.5), double(1e-7), double(1e10)],
            "1.500000 -0.01 1.234500e+03 1e-07 1E+10",
        );
        check(
            "%08.2f|%-8.1f|%+.0f|%5f",
            &[double(3.125), double(2.25), double(2.5), double(f64::INFINITY)],
            "00003.12|2.2     |+2|  inf",
        );
        check("%p %p", &[int(0), int(0x1000)], "(nil) 0x1000");
        check("%d %s", &[], "0 (null)");
        check("100%", &[], "100%");
        check("%y", &[], "%y");
    }

    #[test]
    fn strings_come_from_memory() {
        let mut memory = Memory::new(DataModel::Lp64, 1 << 20);
        let format = store(&mut memory, "[%s|%.2s|%5s]");
        let text = store(&mut memory, "abc");
        let got = render("printf", &[int(format), int(text), int(text), int(text)], DataModel::Lp64, &memory);
        assert_eq!(got, b"[abc|ab|  abc]");
        assert_eq!(render("puts", &[int(text)], DataModel::Lp64, &memory), b"abc\n");
        assert_eq!(render("fputs", &[int(text), int(0)], DataModel::Lp64, &memory), b"abc");
        assert_eq!(render("fprintf", &[int(0), int(text)], DataModel::Lp64, &memory), b"abc");
        assert_eq!(render("putchar", &[int(0x141)], DataModel::Lp64, &memory), b"A");
        assert_eq!(render("puts", &[int(0x1234)], DataModel::Lp64, &memory), b"(invalid)\n");
        assert_eq!(render("system", &[int(text)], DataModel::Lp64, &memory), b"");
    }

    #[test]
    fn absurd_widths_are_cut() {
        let mut memory = Memory::new(DataModel::Lp64, 1 << 20);
        let format = store(&mut memory, "%99999999999999999999d%999999999d");
        let got = render("printf", &[int(format), int(1), int(2)], DataModel::Lp64, &memory);
        assert!(got.len() <= 3 * LONGEST);
    }
}
