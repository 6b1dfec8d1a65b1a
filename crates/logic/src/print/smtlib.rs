//! Terms and whole scripts as SMT-LIB 2.6.
//!
//! Subterms that are used more than once get a name, so that the text is as long as there are distinct
//! subterms: in scripts by `define-fun`, which stays flat, in single terms by `let`. Symbols are quoted;
//! the names of shared subterms begin like none of them.

use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{BvOp, Node, Sum, Term, Terms};

/// A script that asserts some terms and asks whether they can all be true.
pub fn script(terms: &Terms, asserted: &[Term]) -> String {
    let mut printer = Printer::new(terms, asserted);
    let mut text = String::from("(set-logic ALL)\n");
    for symbol in terms.symbols_of(asserted) {
        let (name, sort) = (symbol_text(terms, symbol), terms.sort(symbol));
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "(declare-const {name} {sort})");
    }
    for t in printer.shared.clone() {
        let name = printer.name(t);
        let _ = write!(text, "(define-fun {name} () {} ", terms.sort(t));
        printer.definition(&mut text, t);
        text.push_str(")\n");
        printer.named.insert(t);
    }
    for &t in asserted {
        text.push_str("(assert ");
        printer.term(&mut text, t);
        text.push_str(")\n");
    }
    text.push_str("(check-sat)\n");
    text
}

/// One term.
pub fn term(terms: &Terms, t: Term) -> String {
    let mut printer = Printer::new(terms, &[t]);
    let mut text = String::new();
    let mut open = 0;
    for shared in printer.shared.clone() {
        if shared == t {
            continue;
        }
        let name = printer.name(shared);
        let _ = write!(text, "(let (({name} ");
        printer.definition(&mut text, shared);
        text.push_str(")) ");
        printer.named.insert(shared);
        open += 1;
    }
    printer.term(&mut text, t);
    text.extend(std::iter::repeat_n(')', open));
    text
}

/// A symbol as SMT-LIB writes it: quoted, with bytes that quotes cannot hold as hexadecimal numbers.
fn symbol_text(terms: &Terms, symbol: Term) -> String {
    let mut text = String::from("|");
    for byte in terms.symbol_name(symbol).unwrap_or_default().bytes() {
        match byte {
            b'|' | b'\\' | b'%' | 0..b' ' | 0x7f.. => {
                let _ = write!(text, "%{byte:02x}");
            }
            _ => text.push(byte as char),
        }
    }
    text.push('|');
    text
}

/// What is left to write.
enum Item {
    Term(Term),
    /// The negation of a term.
    Negation(Term),
    /// The term by its operator, even if it has a name.
    Definition(Term),
    Text(&'static str),
    Own(String),
}

struct Printer<'a> {
    terms: &'a Terms,
    /// Subterms that are used more than once, operands before their users.
    shared: Vec<Term>,
    numbers: FxHashMap<Term, usize>,
    /// Those that have been defined.
    named: FxHashSet<Term>,
    prefix: String,
    /// What is left to write, the next item last.
    open: Vec<Item>,
}

impl<'a> Printer<'a> {
    fn new(terms: &'a Terms, roots: &[Term]) -> Self {
        let mut uses: FxHashMap<Term, usize> = FxHashMap::default();
        for &root in roots {
            *uses.entry(root).or_default() += 1;
        }
        let subterms = terms.subterms(roots);
        for &t in &subterms {
            terms.node(t).for_each_operand(|operand| *uses.entry(operand).or_default() += 1);
            // Divisions mention their operands twice.
            if let Node::IntDiv(a, b) | Node::IntMod(a, b) = *terms.node(t) {
                *uses.entry(a).or_default() += 1;
                *uses.entry(b).or_default() += 1;
            }
        }
        let is_leaf = |t: Term| terms.node(t).is_constant() || matches!(terms.node(t), Node::Symbol { .. });
        let shared: Vec<Term> = subterms.into_iter().filter(|&t| uses[&t] > 1 && !is_leaf(t)).collect();
        let mut prefix = String::from("$");
        for symbol in terms.symbols_of(roots) {
            let name = terms.symbol_name(symbol).unwrap_or_default();
            while name.starts_with(&prefix) {
                prefix.push('$');
            }
        }
        let numbers = shared.iter().enumerate().map(|(number, &t)| (t, number)).collect();
        Printer { terms, shared, numbers, named: FxHashSet::default(), prefix, open: Vec::new() }
    }

    fn name(&self, t: Term) -> String {
        format!("{}{}", self.prefix, self.numbers[&t])
    }

    fn term(&mut self, text: &mut String, t: Term) {
        self.open.push(Item::Term(t));
        self.write(text);
    }

    fn definition(&mut self, text: &mut String, t: Term) {
        self.open.push(Item::Definition(t));
        self.write(text);
    }

    fn write(&mut self, text: &mut String) {
        while let Some(item) = self.open.pop() {
            match item {
                Item::Text(written) => text.push_str(written),
                Item::Own(written) => text.push_str(&written),
                Item::Term(t) if self.named.contains(&t) => text.push_str(&self.name(t)),
                Item::Term(t) | Item::Definition(t) => {
                    let items = self.items(t);
                    self.open.extend(items.into_iter().rev());
                }
                Item::Negation(t) => {
                    let items = self.negation(t);
                    self.open.extend(items.into_iter().rev());
                }
            }
        }
    }

    fn items(&self, t: Term) -> Vec<Item> {
        let terms = self.terms;
        match *terms.node(t) {
            Node::Symbol { .. } => vec![Item::Own(symbol_text(terms, t))],
            Node::Bool(value) => vec![Item::Text(if value { "true" } else { "false" })],
            Node::Int(value) => vec![Item::Own(integer(value))],
            Node::BitVec { value, width } => vec![Item::Own(bits(value, width))],
            Node::Not(of) => self.negation(of),
            Node::And(ref members) => call("and", members.iter().map(|&member| Item::Term(member))),
            Node::Eq(a, b) => binary("=", a, b),
            Node::Ite(c, a, b) => call("ite", [c, a, b].map(Item::Term)),
            Node::IntSum(ref sum) => int_sum(sum),
            Node::IntMul(a, b) => binary("*", a, b),
            Node::IntDiv(a, b) => self.division("div", a, b, Item::Text("0")),
            Node::IntMod(a, b) => self.division("mod", a, b, Item::Term(a)),
            Node::IntLe(a, b) => binary("<=", a, b),
            Node::BvSum(ref sum) => bv_sum(sum, terms.width(t)),
            Node::BvNot(a) => call("bvnot", [Item::Term(a)]),
            Node::Bv(op, a, b) => binary(operator(op), a, b),
            Node::BvUle(a, b) => binary("bvule", a, b),
            Node::BvSle(a, b) => binary("bvsle", a, b),
            Node::Concat(high, low) => binary("concat", high, low),
            Node::Extract { high, low, of } => indexed(format!("(_ extract {high} {low})"), of),
            Node::ZeroExtend { width, of } => {
                indexed(format!("(_ zero_extend {})", width - terms.width(of)), of)
            }
            Node::SignExtend { width, of } => {
                indexed(format!("(_ sign_extend {})", width - terms.width(of)), of)
            }
            Node::Select(array, index) => binary("select", array, index),
            Node::Store(array, index, value) => call("store", [array, index, value].map(Item::Term)),
            Node::ConstantArray { value, .. } => indexed(format!("(as const {})", terms.sort(t)), value),
        }
    }

    /// `¬t`, as a disjunction or a strict comparison where there is one. What has a name keeps it.
    fn negation(&self, t: Term) -> Vec<Item> {
        let plain = || call("not", [Item::Term(t)]);
        if self.named.contains(&t) {
            return plain();
        }
        match *self.terms.node(t) {
            Node::Not(of) => vec![Item::Term(of)],
            Node::IntLe(a, b) => binary("<", b, a),
            Node::BvUle(a, b) => binary("bvult", b, a),
            Node::BvSle(a, b) => binary("bvslt", b, a),
            Node::And(ref members) => {
                let is_negated = |&member: &Term| {
                    !self.named.contains(&member) && matches!(self.terms.node(member), Node::Not(_))
                };
                if members.iter().any(is_negated) {
                    call("or", members.iter().map(|&member| Item::Negation(member)))
                } else {
                    plain()
                }
            }
            _ => plain(),
        }
    }

    /// A division whose value for the divisor zero is spelled out.
    fn division(&self, name: &'static str, a: Term, b: Term, otherwise: Item) -> Vec<Item> {
        if self.terms.as_int(b).is_some_and(|divisor| divisor != 0) {
            return binary(name, a, b);
        }
        let mut items =
            vec![Item::Text("(ite (= "), Item::Term(b), Item::Text(" 0) "), otherwise, Item::Text(" ")];
        items.extend(binary(name, a, b));
        items.push(Item::Text(")"));
        items
    }
}

fn call(name: &'static str, operands: impl IntoIterator<Item = Item>) -> Vec<Item> {
    let mut items = vec![Item::Text("("), Item::Text(name)];
    for operand in operands {
        items.push(Item::Text(" "));
        items.push(operand);
    }
    items.push(Item::Text(")"));
    items
}

fn binary(name: &'static str, a: Term, b: Term) -> Vec<Item> {
    call(name, [a, b].map(Item::Term))
}

fn indexed(function: String, of: Term) -> Vec<Item> {
    vec![Item::Text("("), Item::Own(function), Item::Text(" "), Item::Term(of), Item::Text(")")]
}

fn int_sum(sum: &Sum<i128>) -> Vec<Item> {
    let mut items = vec![Item::Text("(+")];
    for &(coefficient, part) in &sum.parts {
        items.push(Item::Text(" "));
        match coefficient {
            1 => items.push(Item::Term(part)),
            _ => items.extend([
                Item::Own(format!("(* {} ", integer(coefficient))),
                Item::Term(part),
                Item::Text(")"),
            ]),
        }
    }
    items.push(Item::Own(format!(" {})", integer(sum.constant))));
    items
}

/// Additions of two operands each: before version 2.7, `bvadd` has no more.
fn bv_sum(sum: &Sum<u128>, width: u32) -> Vec<Item> {
    let mut summands: Vec<Vec<Item>> = Vec::new();
    for &(coefficient, part) in &sum.parts {
        summands.push(match coefficient {
            1 => vec![Item::Term(part)],
            _ if coefficient == crate::bits::mask(width) => call("bvneg", [Item::Term(part)]),
            _ => call("bvmul", [Item::Own(bits(coefficient, width)), Item::Term(part)]),
        });
    }
    if sum.constant != 0 {
        summands.push(vec![Item::Own(bits(sum.constant, width))]);
    }
    let last = summands.len().saturating_sub(1);
    let mut items = Vec::new();
    for (number, summand) in summands.into_iter().enumerate() {
        items.push(Item::Text(if number < last { "(bvadd " } else { "" }));
        items.extend(summand);
        items.push(Item::Text(if number < last { " " } else { "" }));
    }
    items.push(Item::Own(")".repeat(last)));
    items
}

fn operator(op: BvOp) -> &'static str {
    match op {
        BvOp::Mul => "bvmul",
        BvOp::And => "bvand",
        BvOp::Or => "bvor",
        BvOp::Xor => "bvxor",
        BvOp::Udiv => "bvudiv",
        BvOp::Urem => "bvurem",
        BvOp::Sdiv => "bvsdiv",
        BvOp::Srem => "bvsrem",
        BvOp::Shl => "bvshl",
        BvOp::Lshr => "bvlshr",
        BvOp::Ashr => "bvashr",
    }
}

fn integer(value: i128) -> String {
    if value < 0 { format!("(- {})", value.unsigned_abs()) } else { value.to_string() }
}

fn bits(value: u128, width: u32) -> String {
    match width % 4 {
        0 => format!("#x{value:0digits$x}", digits = width as usize / 4),
        _ => format!("#b{value:0digits$b}", digits = width as usize),
    }
}
