//! Walks over terms, linear in the number of distinct subterms and without recursion.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{BvOp, Node, Term, Terms};

impl Terms {
    /// All subterms of some terms, themselves included, operands before their users.
    pub fn subterms(&self, roots: &[Term]) -> Vec<Term> {
        self.subterms_until(roots, |_| false)
    }

    /// All subterms, operands before their users; those that satisfy `done` and what only they lead to
    /// are left out.
    pub fn subterms_until(&self, roots: &[Term], done: impl Fn(Term) -> bool) -> Vec<Term> {
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        let mut open: Vec<Term> = roots.to_vec();
        while let Some(t) = open.pop() {
            if !done(t) && seen.insert(t) {
                found.push(t);
                self.node(t).for_each_operand(|operand| open.push(operand));
            }
        }
        found.sort_unstable();
        found
    }

    /// The symbols in a term, sorted.
    pub fn symbols(&self, t: Term) -> Vec<Term> {
        self.symbols_of(&[t])
    }

    /// The symbols in some terms, sorted.
    pub fn symbols_of(&self, roots: &[Term]) -> Vec<Term> {
        let mut symbols = self.subterms(roots);
        symbols.retain(|&t| matches!(self.node(t), Node::Symbol { .. }));
        symbols
    }

    /// Replaces symbols, or any other subterms, by terms of the same sort, all at once: what comes in is
    /// not looked into. The result is built by the simplifying constructors.
    ///
    /// A subterm is found where it stands as an operand; in sums and conjunctions these are the parts and
    /// members of the normal form.
    pub fn substitute(&mut self, t: Term, map: &FxHashMap<Term, Term>) -> Term {
        // What is older than all that is replaced has none of it.
        let Some(&first) = map.keys().min().filter(|&&first| first <= t) else { return t };
        let mut done = map.clone();
        self.substitute_newer(t, first, &mut done)
    }

    /// Like [`Terms::substitute`], for several terms in turn: the map also remembers all that was
    /// replaced before, so that shared parts are done once.
    pub fn substitute_more(&mut self, t: Term, done: &mut FxHashMap<Term, Term>) -> Term {
        self.substitute_newer(t, Term(0), done)
    }

    /// The same, where terms older than a first one stay as they are.
    fn substitute_newer(&mut self, t: Term, first: Term, done: &mut FxHashMap<Term, Term>) -> Term {
        let new_of = |done: &FxHashMap<Term, Term>, t: Term| if t < first { t } else { done[&t] };
        for t in self.subterms_until(&[t], |t| t < first || done.contains_key(&t)) {
            let mut changed = false;
            self.node(t).for_each_operand(|operand| changed |= new_of(done, operand) != operand);
            let new = if changed { self.rebuild(t, |operand| new_of(done, operand)) } else { t };
            done.insert(t, new);
        }
        new_of(done, t)
    }

    /// The term's operator applied to other operands of the same sorts.
    pub fn rebuild(&mut self, t: Term, new: impl Fn(Term) -> Term) -> Term {
        match self.node(t).clone() {
            Node::Symbol { .. } | Node::Bool(_) | Node::Int(_) | Node::BitVec { .. } => t,
            Node::Not(a) => self.not(new(a)),
            Node::And(members) => {
                let members: Vec<Term> = members.iter().map(|&member| new(member)).collect();
                self.and(&members)
            }
            Node::Eq(a, b) => self.eq(new(a), new(b)),
            Node::Ite(c, a, b) => self.ite(new(c), new(a), new(b)),
            Node::IntSum(sum) => {
                let mut total = self.int(sum.constant);
                for &(coefficient, part) in &sum.parts {
                    let coefficient = self.int(coefficient);
                    let product = self.int_mul(coefficient, new(part));
                    total = self.int_add(total, product);
                }
                total
            }
            Node::IntMul(a, b) => self.int_mul(new(a), new(b)),
            Node::IntDiv(a, b) => self.int_div(new(a), new(b)),
            Node::IntMod(a, b) => self.int_mod(new(a), new(b)),
            Node::IntLe(a, b) => self.int_le(new(a), new(b)),
            Node::BvSum(sum) => {
                let width = self.width(t);
                let mut total = self.bv(sum.constant, width);
                for &(coefficient, part) in &sum.parts {
                    let coefficient = self.bv(coefficient, width);
                    let product = self.bv_mul(coefficient, new(part));
                    total = self.bv_add(total, product);
                }
                total
            }
            Node::BvNot(a) => self.bv_not(new(a)),
            Node::Bv(op, a, b) => self.bv_apply(op, new(a), new(b)),
            Node::BvUle(a, b) => self.bv_ule(new(a), new(b)),
            Node::BvSle(a, b) => self.bv_sle(new(a), new(b)),
            Node::Concat(high, low) => self.concat(new(high), new(low)),
            Node::Extract { high, low, of } => self.extract(high, low, new(of)),
            Node::ZeroExtend { width, of } => self.zero_extend(width, new(of)),
            Node::SignExtend { width, of } => self.sign_extend(width, new(of)),
            Node::Select(array, index) => self.select(new(array), new(index)),
            Node::Store(array, index, value) => self.store(new(array), new(index), new(value)),
            Node::ConstantArray { index, value } => self.constant_array(index, new(value)),
        }
    }

    /// An operator on two bit-vectors, by its name.
    pub fn bv_apply(&mut self, op: BvOp, a: Term, b: Term) -> Term {
        match op {
            BvOp::Mul => self.bv_mul(a, b),
            BvOp::And => self.bv_and(a, b),
            BvOp::Or => self.bv_or(a, b),
            BvOp::Xor => self.bv_xor(a, b),
            BvOp::Udiv => self.bv_udiv(a, b),
            BvOp::Urem => self.bv_urem(a, b),
            BvOp::Sdiv => self.bv_sdiv(a, b),
            BvOp::Srem => self.bv_srem(a, b),
            BvOp::Shl => self.bv_shl(a, b),
            BvOp::Lshr => self.bv_lshr(a, b),
            BvOp::Ashr => self.bv_ashr(a, b),
        }
    }
}
