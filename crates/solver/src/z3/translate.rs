//! Terms as z3's terms.
//!
//! Symbols are named by their number, so that no name of ours can mean something to z3. What SMT-LIB
//! leaves open, integer division by zero, is spelled out. Each equality of arrays comes with an index at
//! which they differ if they do, so that a model can be read off by asking for elements (see `values`).

use rustc_hash::FxHashMap;
use z3::ast::{Array, BV, Bool, Dynamic, Int};

use hardbop_logic::{BvOp, Node, Scalar, Sort, Sum, Term, Terms};

/// One of z3's terms, by sort.
#[derive(Clone, Debug)]
pub enum Ast {
    Bool(Bool),
    Int(Int),
    Bits(BV),
    Array(Array),
}

/// All that was translated.
#[derive(Debug, Default)]
pub struct Translation {
    asts: FxHashMap<Term, Ast>,
    /// What must hold besides a term, for each equality of arrays in it.
    witnesses: FxHashMap<Term, Bool>,
    /// Where arrays are read, written, or differ.
    pub indices: FxHashMap<Scalar, Vec<Ast>>,
    pub symbols: Vec<Term>,
    pub has_integers: bool,
}

impl Translation {
    /// Translates a term of sort Bool.
    pub fn bool(&mut self, terms: &Terms, t: Term) -> Bool {
        for t in terms.subterms_until(&[t], |t| self.asts.contains_key(&t)) {
            let ast = self.translate(terms, t);
            self.asts.insert(t, ast);
        }
        self.truth(t)
    }

    /// What must hold besides a term: the witnesses of its equalities of arrays.
    pub fn side_conditions(&self, terms: &Terms, t: Term) -> Vec<Bool> {
        if self.witnesses.is_empty() {
            return Vec::new();
        }
        terms.subterms(&[t]).iter().filter_map(|t| self.witnesses.get(t).cloned()).collect()
    }

    pub fn has_array_equalities(&self) -> bool {
        !self.witnesses.is_empty()
    }

    /// How many terms were translated.
    pub fn len(&self) -> usize {
        self.asts.len()
    }

    pub fn ast(&self, t: Term) -> &Ast {
        &self.asts[&t]
    }

    fn truth(&self, t: Term) -> Bool {
        match &self.asts[&t] {
            Ast::Bool(ast) => ast.clone(),
            other => unreachable!("{other:?} is no truth value"),
        }
    }

    fn int(&self, t: Term) -> &Int {
        match &self.asts[&t] {
            Ast::Int(ast) => ast,
            other => unreachable!("{other:?} is no integer"),
        }
    }

    fn bits(&self, t: Term) -> &BV {
        match &self.asts[&t] {
            Ast::Bits(ast) => ast,
            other => unreachable!("{other:?} is no bit-vector"),
        }
    }

    fn array(&self, t: Term) -> &Array {
        match &self.asts[&t] {
            Ast::Array(ast) => ast,
            other => unreachable!("{other:?} is no array"),
        }
    }

    fn translate(&mut self, terms: &Terms, t: Term) -> Ast {
        match *terms.node(t) {
            Node::Symbol { sort, .. } => {
                self.symbols.push(t);
                self.has_integers |= mentions_integers(sort);
                symbol(&format!("s{}", t.index()), sort)
            }
            Node::Ite(condition, yes, no) => self.choice(condition, yes, no),
            Node::Select(array, index) => {
                self.note_index(terms, index);
                from_dynamic(select(self.array(array), &self.asts[&index]), terms.sort(t))
            }
            Node::Store(array, index, value) => {
                self.note_index(terms, index);
                Ast::Array(store(self.array(array), &self.asts[&index], &self.asts[&value]))
            }
            Node::ConstantArray { index, value } => {
                let index = z3_sort(index.into());
                Ast::Array(match &self.asts[&value] {
                    Ast::Bool(value) => Array::const_array(&index, value),
                    Ast::Int(value) => Array::const_array(&index, value),
                    Ast::Bits(value) => Array::const_array(&index, value),
                    Ast::Array(_) => unreachable!("elements are no arrays"),
                })
            }
            ref node => match terms.sort(t) {
                Sort::Bool => Ast::Bool(self.translate_truth(terms, t, node)),
                Sort::Int => {
                    self.has_integers = true;
                    Ast::Int(self.translate_int(terms, node))
                }
                Sort::BitVec(width) => Ast::Bits(self.translate_bits(node, width)),
                Sort::Array(..) => unreachable!("all operators of arrays are above"),
            },
        }
    }

    fn note_index(&mut self, terms: &Terms, index: Term) {
        if let Some(scalar) = terms.sort(index).scalar() {
            let ast = self.asts[&index].clone();
            self.indices.entry(scalar).or_default().push(ast);
        }
    }

    fn choice(&self, condition: Term, yes: Term, no: Term) -> Ast {
        let condition = self.truth(condition);
        match (&self.asts[&yes], &self.asts[&no]) {
            (Ast::Bool(yes), Ast::Bool(no)) => Ast::Bool(condition.ite(yes, no)),
            (Ast::Int(yes), Ast::Int(no)) => Ast::Int(condition.ite(yes, no)),
            (Ast::Bits(yes), Ast::Bits(no)) => Ast::Bits(condition.ite(yes, no)),
            (Ast::Array(yes), Ast::Array(no)) => Ast::Array(condition.ite(yes, no)),
            _ => unreachable!("arms have one sort"),
        }
    }

    fn translate_truth(&mut self, terms: &Terms, t: Term, node: &Node) -> Bool {
        match *node {
            Node::Bool(value) => Bool::from_bool(value),
            Node::Not(a) => self.truth(a).not(),
            Node::And(ref members) => {
                let members: Vec<Bool> = members.iter().map(|&member| self.truth(member)).collect();
                Bool::and(&members)
            }
            Node::Eq(a, b) => match (&self.asts[&a], &self.asts[&b]) {
                (Ast::Bool(a), Ast::Bool(b)) => a.iff(b),
                (Ast::Int(a), Ast::Int(b)) => a.eq(b),
                (Ast::Bits(a), Ast::Bits(b)) => a.eq(b),
                (Ast::Array(left), Ast::Array(right)) => {
                    let (same, left, right) = (left.eq(right), left.clone(), right.clone());
                    self.add_witness(terms, t, a, &same, &left, &right);
                    same
                }
                _ => unreachable!("operands have one sort"),
            },
            Node::IntLe(a, b) => self.int(a).le(self.int(b)),
            Node::BvUle(a, b) => self.bits(a).bvule(self.bits(b)),
            Node::BvSle(a, b) => self.bits(a).bvsle(self.bits(b)),
            ref other => unreachable!("{other:?} is no truth value"),
        }
    }

    /// Arrays that are not equal differ at an index of their own.
    fn add_witness(&mut self, terms: &Terms, t: Term, of: Term, same: &Bool, left: &Array, right: &Array) {
        let Sort::Array(index, _) = terms.sort(of) else { return };
        let witness = symbol(&format!("w{}", t.index()), index.into());
        let differ = select(left, &witness).eq(select(right, &witness)).not();
        self.witnesses.insert(t, Bool::or(&[same.clone(), differ]));
        self.indices.entry(index).or_default().push(witness);
    }

    fn translate_int(&self, terms: &Terms, node: &Node) -> Int {
        match *node {
            Node::Int(value) => Int::from_i128(value),
            Node::IntSum(ref sum) => {
                let mut summands = Vec::with_capacity(sum.parts.len() + 1);
                for &(coefficient, part) in &sum.parts {
                    let part = self.int(part).clone();
                    summands.push(match coefficient {
                        1 => part,
                        _ => Int::mul(&[Int::from_i128(coefficient), part]),
                    });
                }
                summands.push(Int::from_i128(sum.constant));
                Int::add(&summands)
            }
            Node::IntMul(a, b) => Int::mul(&[self.int(a).clone(), self.int(b).clone()]),
            Node::IntDiv(a, b) => {
                let quotient = self.int(a).div(self.int(b));
                self.unless_zero(terms, b, quotient, &Int::from_i64(0))
            }
            Node::IntMod(a, b) => {
                let remainder = self.int(a).modulo(self.int(b));
                self.unless_zero(terms, b, remainder, self.int(a))
            }
            ref other => unreachable!("{other:?} is no integer"),
        }
    }

    /// A result of a division, and what it is instead where the divisor is zero.
    fn unless_zero(&self, terms: &Terms, divisor: Term, result: Int, otherwise: &Int) -> Int {
        if terms.as_int(divisor).is_some_and(|divisor| divisor != 0) {
            return result;
        }
        self.int(divisor).eq(Int::from_i64(0)).ite(otherwise, &result)
    }

    fn translate_bits(&self, node: &Node, width: u32) -> BV {
        match *node {
            Node::BitVec { value, .. } => number(value, width),
            Node::BvSum(ref sum) => self.translate_sum(sum, width),
            Node::BvNot(a) => self.bits(a).bvnot(),
            Node::Bv(op, a, b) => operator(op, self.bits(a), self.bits(b)),
            Node::Concat(high, low) => self.bits(high).concat(self.bits(low)),
            Node::Extract { high, low, of } => self.bits(of).extract(high, low),
            Node::ZeroExtend { of, .. } => {
                let of = self.bits(of);
                of.zero_ext(width - of.get_size())
            }
            Node::SignExtend { of, .. } => {
                let of = self.bits(of);
                of.sign_ext(width - of.get_size())
            }
            ref other => unreachable!("{other:?} is no bit-vector"),
        }
    }

    fn translate_sum(&self, sum: &Sum<u128>, width: u32) -> BV {
        let mut total: Option<BV> = None;
        for &(coefficient, part) in &sum.parts {
            let part = self.bits(part);
            let product = match coefficient {
                1 => part.clone(),
                _ => number(coefficient, width).bvmul(part),
            };
            total = Some(match total {
                Some(total) => total.bvadd(&product),
                None => product,
            });
        }
        match total {
            Some(total) if sum.constant == 0 => total,
            Some(total) => total.bvadd(number(sum.constant, width)),
            None => number(sum.constant, width),
        }
    }
}

fn operator(op: BvOp, a: &BV, b: &BV) -> BV {
    match op {
        BvOp::Mul => a.bvmul(b),
        BvOp::And => a.bvand(b),
        BvOp::Or => a.bvor(b),
        BvOp::Xor => a.bvxor(b),
        BvOp::Udiv => a.bvudiv(b),
        BvOp::Urem => a.bvurem(b),
        BvOp::Sdiv => a.bvsdiv(b),
        BvOp::Srem => a.bvsrem(b),
        BvOp::Shl => a.bvshl(b),
        BvOp::Lshr => a.bvlshr(b),
        BvOp::Ashr => a.bvashr(b),
    }
}

/// A bit-vector with a known value.
pub fn number(value: u128, width: u32) -> BV {
    match u64::try_from(value) {
        Ok(small) => BV::from_u64(small, width),
        Err(_) => BV::from_u64((value >> 64) as u64, width - 64).concat(BV::from_u64(value as u64, 64)),
    }
}

/// The element of an array at an index.
pub fn select(array: &Array, index: &Ast) -> Dynamic {
    match index {
        Ast::Bool(index) => array.select(index),
        Ast::Int(index) => array.select(index),
        Ast::Bits(index) => array.select(index),
        Ast::Array(_) => unreachable!("indices are no arrays"),
    }
}

fn store(array: &Array, index: &Ast, value: &Ast) -> Array {
    let (index, value) = (to_dynamic(index), to_dynamic(value));
    array.store(&index, &value)
}

fn to_dynamic(ast: &Ast) -> Dynamic {
    match ast {
        Ast::Bool(ast) => Dynamic::from_ast(ast),
        Ast::Int(ast) => Dynamic::from_ast(ast),
        Ast::Bits(ast) => Dynamic::from_ast(ast),
        Ast::Array(ast) => Dynamic::from_ast(ast),
    }
}

/// A term of a sort that we know.
pub fn from_dynamic(ast: Dynamic, sort: Sort) -> Ast {
    let typed = match sort {
        Sort::Bool => ast.as_bool().map(Ast::Bool),
        Sort::Int => ast.as_int().map(Ast::Int),
        Sort::BitVec(_) => ast.as_bv().map(Ast::Bits),
        Sort::Array(..) => ast.as_array().map(Ast::Array),
    };
    typed.unwrap_or_else(|| unreachable!("z3 gives terms the sort that was asked for, {sort}"))
}

fn symbol(name: &str, sort: Sort) -> Ast {
    match sort {
        Sort::Bool => Ast::Bool(Bool::new_const(name)),
        Sort::Int => Ast::Int(Int::new_const(name)),
        Sort::BitVec(width) => Ast::Bits(BV::new_const(name, width)),
        Sort::Array(index, element) => {
            Ast::Array(Array::new_const(name, &z3_sort(index.into()), &z3_sort(element.into())))
        }
    }
}

fn z3_sort(sort: Sort) -> z3::Sort {
    match sort {
        Sort::Bool => z3::Sort::bool(),
        Sort::Int => z3::Sort::int(),
        Sort::BitVec(width) => z3::Sort::bitvector(width),
        Sort::Array(index, element) => z3::Sort::array(&z3_sort(index.into()), &z3_sort(element.into())),
    }
}

fn mentions_integers(sort: Sort) -> bool {
    match sort {
        Sort::Int => true,
        Sort::Array(index, element) => index == Scalar::Int || element == Scalar::Int,
        Sort::Bool | Sort::BitVec(_) => false,
    }
}
