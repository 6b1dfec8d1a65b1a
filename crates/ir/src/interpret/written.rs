//! Inputs as a user writes them: numbers in a text.
//!
//! Integers (decimal, `0x`, negative) and floating-point numbers, separated by blanks or commas; `#`
//! starts a comment. A number becomes the value of the type that is asked for. The word `all` at the
//! start says that the numbers answer every request of a run, which is what replays it, and not only
//! what the program leaves open on purpose.

use std::collections::VecDeque;

use super::float;
use super::inputs::{Inputs, Request};
use crate::Type;

/// Values from a text, then zeros.
#[derive(Debug, Clone, Default)]
pub struct WrittenInputs {
    all: bool,
    values: VecDeque<Number>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Number {
    Integer(u128),
    Float(f64),
}

/// A word that is no number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotANumber {
    /// The line, counted from 1.
    pub line: usize,
    /// The word.
    pub word: String,
}

impl WrittenInputs {
    /// Reads a text.
    pub fn parse(text: &str) -> Result<Self, NotANumber> {
        let mut inputs = WrittenInputs::default();
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            for word in line.split(|c: char| c.is_whitespace() || c == ',').filter(|w| !w.is_empty()) {
                if word == "all" && inputs.values.is_empty() {
                    inputs.all = true;
                    continue;
                }
                let number = parse_number(word);
                let number = number.ok_or_else(|| NotANumber { line: index + 1, word: word.to_owned() })?;
                inputs.values.push_back(number);
            }
        }
        Ok(inputs)
    }
}

impl Inputs for WrittenInputs {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        if !self.all && !request.source.is_deliberate() {
            return 0;
        }
        let kind = request.ty.and_then(|ty| match *request.program.ty(ty) {
            Type::Float(kind) => Some(kind),
            _ => None,
        });
        match (self.values.pop_front(), kind) {
            (None, _) => 0,
            (Some(Number::Float(value)), Some(kind)) => float::from_f64(kind, value),
            // What was drawn for a float is saved as its bits.
            (Some(Number::Integer(value)), Some(kind)) if !self.all => {
                float::from_f64(kind, value as i128 as f64)
            }
            (Some(Number::Float(value)), None) => value as i128 as u128,
            (Some(Number::Integer(value)), _) => value,
        }
    }
}

fn parse_number(word: &str) -> Option<Number> {
    let (minus, digits) = word.strip_prefix('-').map_or((false, word), |rest| (true, rest));
    let integer = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u128::from_str_radix(hex, 16).ok(),
        None => digits.parse::<u128>().ok(),
    };
    match integer {
        Some(value) => Some(Number::Integer(if minus { value.wrapping_neg() } else { value })),
        None => word.parse::<f64>().ok().map(Number::Float),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_all_spellings() {
        assert_eq!(parse_number("12"), Some(Number::Integer(12)));
        assert_eq!(parse_number("-1"), Some(Number::Integer(u128::MAX)));
        assert_eq!(parse_number("0xff"), Some(Number::Integer(255)));
        assert_eq!(parse_number("-2.5"), Some(Number::Float(-2.5)));
        assert_eq!(parse_number("x"), None);
    }

    #[test]
    fn comments_and_errors() {
        let read = WrittenInputs::parse("all 1, 2 # three\n4").map(|i| (i.all, i.values.len()));
        assert_eq!(read, Ok((true, 3)));
        let bad = WrittenInputs::parse("1\n2 two").err();
        assert_eq!(bad, Some(NotANumber { line: 2, word: "two".into() }));
    }
}
