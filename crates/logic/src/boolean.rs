//! Negation, conjunction and choice.
//!
//! Conjunctions are flat, sorted and free of repetitions and complements; members that are negated
//! conjunctions (disjunctions, that is) lose what the other members decide.

use crate::{Node, Sort, Term, Terms};

/// Longer conjunctions are not taken apart when they become members of others, so that conjoining `n`
/// terms one by one stays linear in `n`.
const MAX_FLAT: usize = 32;

impl Terms {
    /// `¬a`.
    pub fn not(&mut self, a: Term) -> Term {
        self.expect_sort(a, Sort::Bool);
        match *self.node(a) {
            Node::Bool(value) => self.bool(!value),
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(a), Sort::Bool),
        }
    }

    /// Conjunction; true of nothing.
    pub fn and(&mut self, members: &[Term]) -> Term {
        let mut members = members.to_vec();
        // Reduced members may reduce others; a few rounds find nearly all of it.
        for _ in 0..3 {
            if !self.normalise_members(&mut members) {
                return self.bool(false);
            }
            if !self.reduce_members(&mut members) {
                break;
            }
        }
        if !self.normalise_members(&mut members) {
            return self.bool(false);
        }
        self.conjunction(members)
    }

    /// The conjunction of members that need no further simplification.
    fn conjunction(&mut self, members: Vec<Term>) -> Term {
        match *members {
            [] => self.bool(true),
            [only] => only,
            _ => self.intern(Node::And(members.into()), Sort::Bool),
        }
    }

    /// Flattens, sorts and removes repetitions; false if the members contradict each other.
    fn normalise_members(&self, members: &mut Vec<Term>) -> bool {
        let mut flat = Vec::with_capacity(members.len());
        let mut open: Vec<Term> = members.drain(..).rev().collect();
        while let Some(member) = open.pop() {
            self.expect_sort(member, Sort::Bool);
            match self.node(member) {
                Node::Bool(true) => {}
                Node::Bool(false) => return false,
                Node::And(inner) if inner.len() <= MAX_FLAT => open.extend(inner.iter().rev()),
                _ => flat.push(member),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        *members = flat;
        let contradicts =
            |&member: &Term| matches!(self.node(member), Node::Not(of) if members.binary_search(of).is_ok());
        !members.iter().any(contradicts)
    }

    /// Removes from each negated conjunction what other members decide; whether anything changed.
    ///
    /// All members are reduced by the unreduced others. That is sound: a member only ever uses smaller
    /// terms, so reducing the members from the largest to the smallest gives the same result.
    fn reduce_members(&mut self, members: &mut Vec<Term>) -> bool {
        let mut negated: Vec<Term> = Vec::new();
        for &member in members.iter() {
            if let Node::Not(of) = *self.node(member) {
                negated.push(of);
            }
        }
        if negated.is_empty() || members.len() < 2 {
            return false;
        }
        negated.sort_unstable();
        let facts = members.clone();
        let holds = |t: &Term| facts.binary_search(t).is_ok();
        let mut changed = false;
        let mut reduced = Vec::with_capacity(members.len());
        for &member in &facts {
            let Some(inner) = self.negated_conjunction(member) else {
                reduced.push(member);
                continue;
            };
            // `Not(x)` among the inner members is decided by `x`, a fact, too.
            let fails = |t: &Term| {
                negated.binary_search(t).is_ok() || matches!(self.node(*t), Node::Not(of) if holds(of))
            };
            if inner.iter().any(fails) {
                changed = true;
                continue;
            }
            let open: Vec<Term> = inner.iter().copied().filter(|t| !holds(t)).collect();
            if open.len() == inner.len() {
                reduced.push(member);
                continue;
            }
            changed = true;
            let open = self.conjunction(open);
            reduced.push(self.not(open));
        }
        *members = reduced;
        changed
    }

    fn negated_conjunction(&self, t: Term) -> Option<&[Term]> {
        let Node::Not(of) = *self.node(t) else { return None };
        match self.node(of) {
            Node::And(inner) if inner.len() <= MAX_FLAT => Some(inner),
            _ => None,
        }
    }

    /// Disjunction; false of nothing.
    pub fn or(&mut self, members: &[Term]) -> Term {
        let negated: Vec<Term> = members.iter().map(|&member| self.not(member)).collect();
        let neither = self.and(&negated);
        self.not(neither)
    }

    /// `a ⇒ b`.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_b = self.not(b);
        let fails = self.and(&[a, not_b]);
        self.not(fails)
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        let same = self.iff(a, b);
        self.not(same)
    }

    /// `a ⇔ b`.
    pub fn iff(&mut self, a: Term, b: Term) -> Term {
        self.expect_sort(a, Sort::Bool);
        self.expect_sort(b, Sort::Bool);
        let (negated_a, a) = self.strip_not(a);
        let (negated_b, b) = self.strip_not(b);
        let (a, b) = self.ordered(a, b);
        let same = match self.as_bool(b) {
            _ if a == b => self.bool(true),
            Some(true) => a,
            Some(false) => self.not(a),
            None => self.intern(Node::Eq(a, b), Sort::Bool),
        };
        if negated_a != negated_b { self.not(same) } else { same }
    }

    fn strip_not(&self, t: Term) -> (bool, Term) {
        match *self.node(t) {
            Node::Not(of) => (true, of),
            _ => (false, t),
        }
    }

    /// `yes` where the condition holds, else `no`; of any sort.
    pub fn ite(&mut self, condition: Term, yes: Term, no: Term) -> Term {
        self.expect_sort(condition, Sort::Bool);
        self.expect_same_sort(yes, no);
        match *self.node(condition) {
            Node::Bool(true) => return yes,
            Node::Bool(false) => return no,
            Node::Not(of) => return self.ite(of, no, yes),
            // Where the condition holds, the two arms are equal.
            Node::Eq(a, b) if (a, b) == (yes, no) || (b, a) == (yes, no) => return no,
            _ => {}
        }
        let yes = self.arm_under(condition, yes, true);
        let no = self.arm_under(condition, no, false);
        if yes == no {
            return yes;
        }
        if self.sort(yes) == Sort::Bool
            && let Some(simple) = self.ite_bool(condition, yes, no)
        {
            return simple;
        }
        match (self.node(yes), self.node(no)) {
            (_, &Node::Ite(inner, a, b)) if a == yes => {
                let either = self.or(&[condition, inner]);
                self.ite_as_is(either, yes, b)
            }
            (&Node::Ite(inner, a, b), _) if b == no => {
                let both = self.and(&[condition, inner]);
                self.ite_as_is(both, a, no)
            }
            _ => self.ite_as_is(condition, yes, no),
        }
    }

    /// What an arm is where its condition is known: the arm of a choice on the same condition.
    fn arm_under(&self, condition: Term, arm: Term, holds: bool) -> Term {
        match *self.node(arm) {
            Node::Ite(inner, yes, no) if inner == condition => {
                if holds {
                    yes
                } else {
                    no
                }
            }
            _ => arm,
        }
    }

    fn ite_bool(&mut self, condition: Term, yes: Term, no: Term) -> Option<Term> {
        let not = self.not(condition);
        if yes == condition || self.as_bool(yes) == Some(true) {
            Some(self.or(&[condition, no]))
        } else if yes == not || self.as_bool(yes) == Some(false) {
            Some(self.and(&[not, no]))
        } else if no == condition || self.as_bool(no) == Some(false) {
            Some(self.and(&[condition, yes]))
        } else if no == not || self.as_bool(no) == Some(true) {
            Some(self.or(&[not, yes]))
        } else if self.not(yes) == no {
            Some(self.iff(condition, yes))
        } else {
            None
        }
    }

    fn ite_as_is(&mut self, condition: Term, yes: Term, no: Term) -> Term {
        let sort = self.sort(yes);
        match *self.node(condition) {
            Node::Bool(true) => yes,
            Node::Bool(false) => no,
            Node::Not(of) => self.intern(Node::Ite(of, no, yes), sort),
            _ => self.intern(Node::Ite(condition, yes, no), sort),
        }
    }

    /// A choice between two constants: condition and arms.
    pub(crate) fn constant_arms(&self, t: Term) -> Option<(Term, Term, Term)> {
        match *self.node(t) {
            Node::Ite(condition, yes, no) if self.is_constant(yes) && self.is_constant(no) => {
                Some((condition, yes, no))
            }
            _ => None,
        }
    }
}
