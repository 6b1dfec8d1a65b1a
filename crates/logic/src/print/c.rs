//! Terms as C expressions, for people to read and for gcc to compile.
//!
//! Bit-vectors have no sign, C's integers do, and C computes in `int` at least. Each operand therefore
//! carries the type that C gives it and what its value is to the bit-vector: the number read with a sign,
//! without one, both, or only equal in the low bits. Casts are written where an operator needs another
//! reading, and nowhere else. As everywhere in this project, signed arithmetic wraps (`-fwrapv`).
//!
//! What is not C: arrays read as `a[i]` and written as `store(a, i, v)`, integers without a type with
//! Euclidean `div(a, b)` and `mod(a, b)`. Divisions and shifts are C's, that is, they are undefined where a
//! divisor is zero or a distance too large, and there our terms have a value.

use rustc_hash::FxHashMap;

use crate::bits;
use crate::{BvOp, Node, Scalar, Sort, Sum, Term, Terms};

/// Expressions with more operators than this are not written: sharing would make them endless.
const MAX_SIZE: u64 = 20_000;

/// How a symbol is called in C.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// An expression that needs no parentheses.
    pub text: String,
    /// Whether its type is signed. The width is that of the symbol.
    pub signed: bool,
}

/// The expression of a term, or nothing if it would be too long.
pub fn expression(terms: &Terms, t: Term, name: impl Fn(Term) -> Name) -> Option<String> {
    let subterms = terms.subterms(&[t]);
    let mut sizes: FxHashMap<Term, u64> = FxHashMap::default();
    for &t in &subterms {
        let mut size = 1u64;
        terms.node(t).for_each_operand(|operand| size = size.saturating_add(sizes[&operand]));
        sizes.insert(t, size);
    }
    if sizes[&t] > MAX_SIZE {
        return None;
    }
    let mut writer = Writer { terms, done: FxHashMap::default() };
    for t in subterms {
        let written = match terms.node(t) {
            Node::Symbol { .. } => writer.symbol(t, name(t)),
            node => writer.write(t, node),
        };
        writer.done.insert(t, written);
    }
    writer.done.remove(&t).map(|written| written.text)
}

/// What the value of an expression says about the bit-vector it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// It is the number read in two's complement.
    Signed,
    /// It is the number read without a sign.
    Unsigned,
    /// It is both: the highest bit is zero.
    Both,
    /// Its low bits are those of the number.
    LowBits,
}

/// How tightly an operator binds.
type Level = u8;
const CONDITIONAL: Level = 1;
const OR: Level = 2;
const AND: Level = 3;
const BIT_OR: Level = 4;
const BIT_XOR: Level = 5;
const BIT_AND: Level = 6;
const EQUALITY: Level = 7;
const RELATION: Level = 8;
const SHIFT: Level = 9;
const SUM: Level = 10;
const PRODUCT: Level = 11;
const UNARY: Level = 12;
const PRIMARY: Level = 13;

/// An expression with the type that C gives it.
#[derive(Clone, Debug)]
struct Written {
    text: String,
    level: Level,
    /// The width of the bit-vector.
    width: u32,
    /// The width of the C type after promotion: 32, 64 or 128.
    bits: u32,
    unsigned: bool,
    reading: Reading,
    /// The value, for constants, which can be written in either way.
    constant: Option<u128>,
}

impl Written {
    /// Something without a machine type.
    fn plain(text: String, level: Level) -> Self {
        Written { text, level, width: 32, bits: 32, unsigned: false, reading: Reading::Both, constant: None }
    }

    /// A bit-vector of a C type; its reading follows from the type if that has no bits to spare.
    fn typed(text: String, level: Level, width: u32, bits: u32, unsigned: bool, reading: Reading) -> Self {
        let by_type = if unsigned { Reading::Unsigned } else { Reading::Signed };
        let reading = if width == bits && reading == Reading::LowBits { by_type } else { reading };
        Written { text, level, width, bits, unsigned, reading, constant: None }
    }

    /// The text, in parentheses if it binds less tightly than needed.
    fn at(&self, level: Level) -> String {
        if self.level < level { format!("({})", self.text) } else { self.text.clone() }
    }

    /// The expression converted to the C type of a width.
    fn cast(&self, width: u32, unsigned: bool) -> String {
        format!("({}){}", c_type(width, unsigned), self.at(UNARY))
    }

    /// The number read without a sign.
    fn unsigned(&self) -> Written {
        let bits = self.bits.max(container(self.width));
        if let Some(value) = self.constant {
            return constant(value, self.width, false);
        }
        if matches!(self.reading, Reading::Unsigned | Reading::Both) {
            return self.clone();
        }
        let (text, level, bits, unsigned) = if is_c_width(self.width) {
            (self.cast(self.width, true), UNARY, container(self.width), self.width >= 32)
        } else {
            // The mask is positive, so the result is, whatever the type.
            let mask = constant(bits::mask(self.width), 128, false).text;
            (format!("{} & {mask}", self.at(BIT_AND)), BIT_AND, bits, self.unsigned)
        };
        Written::typed(text, level, self.width, bits, unsigned, Reading::Unsigned)
    }

    /// The number read with a sign, in a signed type.
    fn signed(&self) -> Written {
        if let Some(value) = self.constant {
            return constant(value, self.width, true);
        }
        if matches!(self.reading, Reading::Signed | Reading::Both) && !self.unsigned {
            return self.clone();
        }
        let bits = container(self.width);
        let (text, level) = if is_c_width(self.width) {
            (self.cast(self.width, false), UNARY)
        } else {
            let spare = bits - self.width;
            (format!("{} << {spare} >> {spare}", self.cast(bits, false)), SHIFT)
        };
        Written::typed(text, level, self.width, bits, false, Reading::Signed)
    }

    /// The same value in a type that has room for the width.
    fn widened(self) -> Written {
        let bits = container(self.width);
        if self.bits >= bits && self.constant.is_none() {
            return self;
        }
        let exact = if self.reading == Reading::LowBits { self.unsigned() } else { self };
        let unsigned = exact.reading == Reading::Unsigned;
        if bits == 32 && !unsigned {
            return exact;
        }
        let text = exact.cast(bits, unsigned);
        Written { text, level: UNARY, bits, unsigned, constant: None, ..exact }
    }
}

fn container(width: u32) -> u32 {
    match width {
        ..=32 => 32,
        33..=64 => 64,
        _ => 128,
    }
}

fn is_c_width(width: u32) -> bool {
    matches!(width, 8 | 16 | 32 | 64 | 128)
}

fn c_type(width: u32, unsigned: bool) -> &'static str {
    match (width, unsigned) {
        (8, true) => "unsigned char",
        (8, false) => "signed char",
        (16, true) => "unsigned short",
        (16, false) => "short",
        (32, true) => "unsigned int",
        (32, false) => "int",
        (64, true) => "unsigned long long",
        (64, false) => "long long",
        (_, true) => "unsigned __int128",
        (_, false) => "__int128",
    }
}

/// A number, read with or without a sign.
fn constant(value: u128, width: u32, signed: bool) -> Written {
    let negative = value >> (width - 1) & 1 == 1;
    let reading = match (negative, signed) {
        (false, _) => Reading::Both,
        (true, true) => Reading::Signed,
        (true, false) => Reading::Unsigned,
    };
    let minus = negative && signed;
    let magnitude = if minus { bits::neg(value, width) } else { value };
    let (literal, bits, unsigned) = literal(magnitude);
    let text = match (minus, magnitude == bits::signed_min(width) && width >= 32) {
        // The most negative number has no literal of its own.
        (true, true) => format!("(-{} - 1)", self::literal(magnitude - 1).0),
        (true, false) => format!("-{literal}"),
        (false, _) => literal,
    };
    let bits = if minus { container(width).min(bits) } else { bits };
    let level = if minus { UNARY } else { PRIMARY };
    Written { text, level, width, bits, unsigned: unsigned && !minus, reading, constant: Some(value) }
}

/// A number that is not negative: its literal, with the width and sign of its type.
fn literal(value: u128) -> (String, u32, bool) {
    match 128 - value.leading_zeros() {
        0..=31 => (value.to_string(), 32, false),
        32 => (format!("{value}u"), 32, true),
        33..=63 => (format!("{value}ll"), 64, false),
        64 => (format!("{value}ull"), 64, true),
        _ => {
            let (high, low) = (value >> 64, value as u64);
            (format!("((unsigned __int128){high}ull << 64 | {low}ull)"), 128, true)
        }
    }
}

struct Writer<'a> {
    terms: &'a Terms,
    done: FxHashMap<Term, Written>,
}

impl Writer<'_> {
    fn get(&self, t: Term) -> &Written {
        &self.done[&t]
    }

    fn at(&self, t: Term, level: Level) -> String {
        self.done[&t].at(level)
    }

    fn symbol(&self, t: Term, name: Name) -> Written {
        match self.terms.sort(t) {
            Sort::BitVec(width) => {
                let reading = if name.signed { Reading::Signed } else { Reading::Unsigned };
                let bits = container(width);
                // Narrow types are promoted to int.
                let unsigned = !name.signed && (width == bits || width > 32);
                Written::typed(name.text, PRIMARY, width, bits, unsigned, reading)
            }
            _ => Written::plain(name.text, PRIMARY),
        }
    }

    fn write(&self, t: Term, node: &Node) -> Written {
        match self.terms.sort(t) {
            Sort::BitVec(width) => self.vector(node, width),
            Sort::Bool => self.truth(node),
            Sort::Int => self.integer(node),
            Sort::Array(..) => self.array(node),
        }
    }

    fn infix(&self, operator: &str, level: Level, a: Term, b: Term) -> Written {
        let text = format!("{} {operator} {}", self.at(a, level), self.at(b, level + 1));
        Written::plain(text, level)
    }

    fn truth(&self, node: &Node) -> Written {
        match *node {
            Node::Bool(value) => Written::plain(u8::from(value).to_string(), PRIMARY),
            Node::Not(of) => self.negation(of),
            Node::And(ref members) => {
                let members: Vec<String> = members.iter().map(|&member| self.at(member, AND)).collect();
                Written::plain(members.join(" && "), AND)
            }
            Node::Eq(a, b) => self.equality(a, b, "=="),
            Node::Ite(c, a, b) => Written::plain(self.conditional(c, self.get(a), self.get(b)), CONDITIONAL),
            Node::IntLe(a, b) => self.int_comparison(a, b, false),
            Node::BvUle(a, b) => comparison(&self.get(a).unsigned(), &self.get(b).unsigned(), false),
            Node::BvSle(a, b) => comparison(&self.get(a).signed(), &self.get(b).signed(), false),
            Node::Select(array, index) => self.element(array, index),
            ref other => unreachable!("{other:?} is no truth value"),
        }
    }

    fn negation(&self, t: Term) -> Written {
        match *self.terms.node(t) {
            Node::Eq(a, b) => self.equality(a, b, "!="),
            Node::IntLe(a, b) => self.int_comparison(a, b, true),
            Node::BvUle(a, b) => comparison(&self.get(a).unsigned(), &self.get(b).unsigned(), true),
            Node::BvSle(a, b) => comparison(&self.get(a).signed(), &self.get(b).signed(), true),
            Node::And(ref members) => {
                let members: Vec<String> =
                    members.iter().map(|&member| self.negated(member).at(OR)).collect();
                Written::plain(members.join(" || "), OR)
            }
            _ => Written::plain(format!("!{}", self.at(t, UNARY)), UNARY),
        }
    }

    /// The negation of a member of a conjunction, one level deep.
    fn negated(&self, t: Term) -> Written {
        match *self.terms.node(t) {
            Node::Not(of) => self.get(of).clone(),
            Node::And(_) => Written::plain(format!("!{}", self.at(t, UNARY)), UNARY),
            _ => self.negation(t),
        }
    }

    fn equality(&self, a: Term, b: Term, operator: &str) -> Written {
        let Sort::BitVec(width) = self.terms.sort(a) else {
            return self.infix(operator, EQUALITY, a, b);
        };
        let (mut a, mut b) = (self.get(a).clone(), self.get(b).clone());
        let wraps = |x: &Written| x.bits == width && x.constant.is_none();
        let agree = |x: &Written, y: &Written| {
            let both = |reading| [x, y].iter().all(|side| [reading, Reading::Both].contains(&side.reading));
            both(Reading::Signed) || both(Reading::Unsigned)
        };
        // C converts both sides to one type of the width; otherwise they must be read alike.
        if !(wraps(&a) && wraps(&b) || agree(&a, &b)) {
            let signed = |x: &Written| x.reading == Reading::Signed && !x.unsigned && x.constant.is_none();
            (a, b) = if signed(&a) || signed(&b) {
                (a.signed(), b.signed())
            } else {
                (a.unsigned(), b.unsigned())
            };
        }
        Written::plain(format!("{} {operator} {}", a.at(EQUALITY), b.at(EQUALITY + 1)), EQUALITY)
    }

    fn conditional(&self, condition: Term, yes: &Written, no: &Written) -> String {
        format!("{} ? {} : {}", self.at(condition, CONDITIONAL + 1), yes.text, no.at(CONDITIONAL))
    }

    /// `a ≤ b`, or its negation. A constant −1 on the right makes the comparison strict.
    fn int_comparison(&self, a: Term, b: Term, negated: bool) -> Written {
        let shifted = match self.terms.node(b) {
            Node::IntSum(sum) if sum.constant == -1 && !sum.parts.is_empty() => {
                Some(int_sum(&Sum { constant: 0, parts: sum.parts.clone() }, |part| self.get(part).clone()))
            }
            _ => None,
        };
        let (right, operator) = match (shifted, negated) {
            (Some(right), false) => (right, "<"),
            (Some(right), true) => (right, ">="),
            (None, false) => (self.get(b).clone(), "<="),
            (None, true) => (self.get(b).clone(), ">"),
        };
        Written::plain(format!("{} {operator} {}", self.at(a, RELATION), right.at(RELATION + 1)), RELATION)
    }

    fn integer(&self, node: &Node) -> Written {
        match *node {
            Node::Int(value) if value < 0 => Written::plain(value.to_string(), UNARY),
            Node::Int(value) => Written::plain(value.to_string(), PRIMARY),
            Node::Ite(c, a, b) => Written::plain(self.conditional(c, self.get(a), self.get(b)), CONDITIONAL),
            Node::IntSum(ref sum) => int_sum(sum, |part| self.get(part).clone()),
            Node::IntMul(a, b) => self.infix("*", PRODUCT, a, b),
            Node::IntDiv(a, b) => {
                Written::plain(format!("div({}, {})", self.get(a).text, self.get(b).text), PRIMARY)
            }
            Node::IntMod(a, b) => {
                Written::plain(format!("mod({}, {})", self.get(a).text, self.get(b).text), PRIMARY)
            }
            Node::Select(array, index) => self.element(array, index),
            ref other => unreachable!("{other:?} is no integer"),
        }
    }

    fn array(&self, node: &Node) -> Written {
        let text = |t: Term| self.get(t).text.as_str();
        match *node {
            Node::Ite(c, a, b) => Written::plain(self.conditional(c, self.get(a), self.get(b)), CONDITIONAL),
            Node::Store(array, index, value) => {
                Written::plain(format!("store({}, {}, {})", text(array), text(index), text(value)), PRIMARY)
            }
            Node::ConstantArray { value, .. } => {
                Written::plain(format!("constant({})", text(value)), PRIMARY)
            }
            ref other => unreachable!("{other:?} is no array"),
        }
    }

    /// An element of an array. We call elements unsigned.
    fn element(&self, array: Term, index: Term) -> Written {
        let text = format!("{}[{}]", self.at(array, PRIMARY), self.get(index).text);
        match self.terms.sort(array) {
            Sort::Array(_, Scalar::BitVec(width)) => {
                let bits = container(width);
                let unsigned = width == bits || width > 32;
                Written::typed(text, PRIMARY, width, bits, unsigned, Reading::Unsigned)
            }
            _ => Written::plain(text, PRIMARY),
        }
    }

    fn vector(&self, node: &Node, width: u32) -> Written {
        match *node {
            Node::BitVec { value, .. } => {
                // Small negative numbers are read with a sign.
                constant(value, width, bits::signed(value, width) > -1_000_000)
            }
            Node::Ite(c, a, b) => self.choice(c, self.get(a), self.get(b), width),
            Node::BvSum(ref sum) => self.bv_sum(sum, width),
            Node::BvNot(a) => {
                let a = self.get(a).clone().widened();
                let text = format!("~{}", a.at(UNARY));
                Written::typed(text, UNARY, width, a.bits, a.unsigned, Reading::LowBits)
            }
            Node::Bv(op, a, b) => self.operator(op, self.get(a), self.get(b), width),
            Node::Concat(high, low) => {
                let (high, low) = (self.get(high), self.get(low).unsigned());
                let bits = container(width);
                let text = format!("{} << {} | {}", high.cast(bits, true), low.width, low.at(BIT_OR + 1));
                Written::typed(text, BIT_OR, width, bits, true, if_exact(high, width))
            }
            Node::Extract { high, low, of } => self.extract(high, low, self.get(of), width),
            Node::ZeroExtend { of, .. } => {
                let of = self.get(of).unsigned();
                Written { width, reading: Reading::Both, constant: None, ..of }
            }
            Node::SignExtend { of, .. } => self.sign_extend(of, width),
            Node::Select(array, index) => self.element(array, index),
            ref other => unreachable!("{other:?} is no bit-vector"),
        }
    }

    fn choice(&self, condition: Term, a: &Written, b: &Written, width: u32) -> Written {
        let readings = [a.reading, b.reading];
        let both = |reading| readings.iter().all(|&r| r == reading || r == Reading::Both);
        let (a, b, reading) = if readings == [Reading::Both; 2] {
            (a.clone(), b.clone(), Reading::Both)
        } else if both(Reading::Signed) {
            (a.signed(), b.signed(), Reading::Signed)
        } else {
            (a.unsigned(), b.unsigned(), Reading::Unsigned)
        };
        let (bits, unsigned) = common_type(&a, &b);
        let text = self.conditional(condition, &a, &b);
        Written::typed(text, CONDITIONAL, width, bits, unsigned, reading)
    }

    /// Additions and subtractions, in a type that has room for all bits.
    fn bv_sum(&self, sum: &Sum<u128>, width: u32) -> Written {
        let is_negative = |coefficient: u128| bits::signed(coefficient, width) < 0;
        let mut parts: Vec<(u128, Term)> = sum.parts.to_vec();
        parts.sort_by_key(|&(coefficient, _)| is_negative(coefficient));
        let mut total: Option<Written> = None;
        let leading_constant =
            parts.first().is_none_or(|&(first, _)| is_negative(first)) && sum.constant != 0;
        if leading_constant {
            total = Some(constant(sum.constant, width, true));
        }
        for (coefficient, part) in parts {
            let part = self.get(part).clone().widened();
            let minus = is_negative(coefficient) && coefficient != bits::signed_min(width);
            let factor = if minus { bits::neg(coefficient, width) } else { coefficient };
            let product = match factor {
                1 => part,
                _ => arithmetic("*", PRODUCT, &constant(factor, width, true), &part, width),
            };
            total = Some(match (total, minus) {
                (None, false) => product,
                (None, true) => {
                    let text = format!("-{}", product.at(UNARY));
                    Written::typed(text, UNARY, width, product.bits, product.unsigned, Reading::LowBits)
                }
                (Some(total), false) => arithmetic("+", SUM, &total, &product, width),
                (Some(total), true) => arithmetic("-", SUM, &total, &product, width),
            });
        }
        let total = total.unwrap_or_else(|| constant(sum.constant, width, true));
        if sum.constant == 0 || leading_constant {
            return total;
        }
        let minus = is_negative(sum.constant) && sum.constant != bits::signed_min(width);
        let number = if minus { bits::neg(sum.constant, width) } else { sum.constant };
        arithmetic(if minus { "-" } else { "+" }, SUM, &total, &constant(number, width, true), width)
    }

    fn operator(&self, op: BvOp, a: &Written, b: &Written, width: u32) -> Written {
        let widened = |x: &Written| if x.constant.is_some() { x.clone() } else { x.clone().widened() };
        match op {
            BvOp::Mul => arithmetic("*", PRODUCT, &widened(a), &widened(b), width),
            BvOp::And => arithmetic("&", BIT_AND, &widened(a), &widened(b), width),
            BvOp::Or => arithmetic("|", BIT_OR, &widened(a), &widened(b), width),
            BvOp::Xor => arithmetic("^", BIT_XOR, &widened(a), &widened(b), width),
            BvOp::Udiv => exact("/", &a.unsigned(), &b.unsigned(), width, Reading::Unsigned),
            BvOp::Urem => exact("%", &a.unsigned(), &b.unsigned(), width, Reading::Unsigned),
            // The quotient of the smallest number by −1 does not fit.
            BvOp::Sdiv => exact("/", &a.signed(), &b.signed(), width, Reading::LowBits),
            BvOp::Srem => exact("%", &a.signed(), &b.signed(), width, Reading::Signed),
            BvOp::Shl => shift("<<", a.clone().widened(), b, width, Reading::LowBits),
            BvOp::Lshr => shift(">>", a.unsigned().widened(), b, width, Reading::Unsigned),
            BvOp::Ashr => shift(">>", a.signed().widened(), b, width, Reading::Signed),
        }
    }

    fn extract(&self, high: u32, low: u32, of: &Written, width: u32) -> Written {
        if low == 0 {
            return Written { width, reading: Reading::LowBits, constant: None, ..of.clone().widened() };
        }
        let whole = high + 1 == of.width;
        let of = if whole { of.unsigned() } else { of.clone() }.widened();
        let text = format!("{} >> {low}", of.at(SHIFT));
        let reading = if whole { Reading::Unsigned } else { Reading::LowBits };
        Written::typed(text, SHIFT, width, of.bits, of.unsigned, reading)
    }

    fn sign_extend(&self, of: Term, width: u32) -> Written {
        // The high bits with their sign are a shift to the right.
        if let Node::Extract { high, low, of: whole } = *self.terms.node(of)
            && high + 1 == self.terms.width(whole)
            && low > 0
        {
            let whole = self.get(whole).signed().widened();
            let text = format!("{} >> {low}", whole.at(SHIFT));
            return Written::typed(text, SHIFT, width, whole.bits, false, Reading::Signed);
        }
        let of = self.get(of).signed();
        Written { width, reading: Reading::Signed, constant: None, ..of }
    }
}

/// The reading of joined bits: the high part fills the type or is followed by what it was.
fn if_exact(high: &Written, width: u32) -> Reading {
    match high.reading {
        _ if width == container(width) => Reading::LowBits,
        Reading::Unsigned | Reading::Both => Reading::Unsigned,
        Reading::Signed | Reading::LowBits => Reading::LowBits,
    }
}

/// The type that C gives an operation on two operands.
fn common_type(a: &Written, b: &Written) -> (u32, bool) {
    match a.bits.cmp(&b.bits) {
        std::cmp::Ordering::Greater => (a.bits, a.unsigned),
        std::cmp::Ordering::Less => (b.bits, b.unsigned),
        std::cmp::Ordering::Equal => (a.bits, a.unsigned || b.unsigned),
    }
}

/// An operator that needs and gives the low bits only.
fn arithmetic(operator: &str, level: Level, a: &Written, b: &Written, width: u32) -> Written {
    let widened = a.bits.max(b.bits) >= container(width);
    let a = if widened { a.clone() } else { a.clone().widened() };
    let (bits, unsigned) = common_type(&a, b);
    let text = format!("{} {operator} {}", a.at(level), b.at(level + 1));
    Written::typed(text, level, width, bits, unsigned, Reading::LowBits)
}

/// A quotient or remainder of operands that were read alike.
fn exact(operator: &str, a: &Written, b: &Written, width: u32, reading: Reading) -> Written {
    let (bits, unsigned) = common_type(a, b);
    let text = format!("{} {operator} {}", a.at(PRODUCT), b.at(PRODUCT + 1));
    Written::typed(text, PRODUCT, width, bits, unsigned, reading)
}

fn shift(operator: &str, a: Written, by: &Written, width: u32, reading: Reading) -> Written {
    let text = format!("{} {operator} {}", a.at(SHIFT), by.unsigned().at(SHIFT + 1));
    Written::typed(text, SHIFT, width, a.bits, a.unsigned, reading)
}

/// `a ≤ b`, or its negation; constants stand on the right.
fn comparison(a: &Written, b: &Written, negated: bool) -> Written {
    let (a, operator, b) = match (a.constant.is_some(), b.constant.is_some(), negated) {
        (true, _, false) => (b, ">=", a),
        (false, _, false) => (a, "<=", b),
        (false, true, true) => (a, ">", b),
        (_, _, true) => (b, "<", a),
    };
    Written::plain(format!("{} {operator} {}", a.at(RELATION), b.at(RELATION + 1)), RELATION)
}

fn int_sum(sum: &Sum<i128>, get: impl Fn(Term) -> Written) -> Written {
    let mut parts = sum.parts.to_vec();
    parts.sort_by_key(|&(coefficient, _)| coefficient < 0);
    let mut text = String::new();
    let leads = parts.first().is_none_or(|&(first, _)| first < 0) && sum.constant != 0;
    if leads {
        text = sum.constant.to_string();
    }
    for (coefficient, part) in &parts {
        let sign = match (text.is_empty(), *coefficient < 0) {
            (true, false) => "",
            (true, true) => "-",
            (false, false) => " + ",
            (false, true) => " - ",
        };
        text.push_str(sign);
        match coefficient.unsigned_abs() {
            1 => text.push_str(&get(*part).at(PRODUCT)),
            factor => text.push_str(&format!("{factor} * {}", get(*part).at(UNARY))),
        }
    }
    if sum.constant != 0 && !leads {
        let sign = if sum.constant < 0 { '-' } else { '+' };
        text.push_str(&format!(" {sign} {}", sum.constant.unsigned_abs()));
    }
    Written::plain(text, SUM)
}
