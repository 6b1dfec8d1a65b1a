//! Runs that follow pointers from outside of the program.
//!
//! To the encoder, memory outside of the program is memory like any other, at arbitrary addresses. A run needs addresses at which
//! the interpreter has such memory ([`OutsideMemory`]). So a model of a path is asked which pointers that are followed came from
//! outside, and a second model is asked for in which they lead to objects of their own: the same one where they were
//! equal, and different ones otherwise. The path itself says what these objects hold.
//!
//! Where a pointer came from is read off its term in the model: through choices, sums and writes to memory, down to the address
//! of an object (then it is one of the program) or to something that nobody wrote.

use hardbop_alias::RegionId;
use hardbop_ir::interpret::OutsideMemory;
use hardbop_ir::{Callee, DataModel, EdgeId, PlaceBase, PlaceId, ProcId, Statement, TypeId};
use hardbop_logic::{Evaluator, Model, Node, Term, Value};
use rustc_hash::FxHashMap;

use crate::coder::{Coder, Encoder, Meaning};
use crate::fresh::{Fresh, FreshKind};
use crate::state::{Cell, State};

/// How deep the term of a pointer is looked into.
const MAX_DEPTH: usize = 100_000;

/// Where a pointer comes from, in a model.
enum PointerOrigin {
    /// From something that nobody wrote, which this term stands for.
    Outside(Term),
    /// From an object of the program, or out of a number.
    Program,
}

impl Coder<'_> {
    /// Whether a region has memory outside of the program.
    fn has_outside(&self, region: RegionId) -> bool {
        // It is the first object, and cells are listed by object.
        let first = self.regions.region(region).cells.first();
        first.is_some_and(|&(object, _)| object == self.alias.objects().world())
    }

    /// Records that a pointer of a type is followed to a region, if that has memory outside.
    pub(crate) fn note_followed(&mut self, pointer: Term, ty: TypeId, region: Option<RegionId>) {
        if self.encoder.fresh.is_some() && region.is_some_and(|region| self.has_outside(region)) {
            let pointee = self.program.pointee(ty);
            self.encoder.note(FreshKind::Followed(pointee), vec![(0, 0, pointer)]);
        }
    }

    /// Records the pointers that a statement follows as a whole, not by a place: those of copies, and of functions that may
    /// lie outside.
    pub(crate) fn note_pointers(&mut self, state: &State, procedure: ProcId, edge: EdgeId) {
        if self.encoder.fresh.is_none() {
            return;
        }
        let pointers = match self.program.procedures[procedure].edges[edge].statement {
            Statement::Copy { target, source, .. } => vec![target, source],
            Statement::Fill { target, .. } => vec![target],
            Statement::Call { callee: Callee::Indirect(pointer), .. }
                if self.alias.calls().may_call_unknown(procedure, edge) =>
            {
                vec![pointer]
            }
            Statement::Assign(place, expr) if !self.program.is_scalar(self.program.place(place).ty) => {
                let mut places = vec![place];
                if let hardbop_ir::ExprKind::Load(source) = self.program.expr(expr).kind {
                    places.push(source);
                }
                let base = |place: PlaceId| match self.program.place(place).base {
                    PlaceBase::Deref(pointer) => Some(pointer),
                    PlaceBase::Var(_) => None,
                };
                places.into_iter().filter_map(base).collect()
            }
            _ => return,
        };
        for pointer in pointers {
            let pointee = self.program.pointee(self.program.expr(pointer).ty);
            let drawn = self.encoder.drawn();
            let term = self.value(state, pointer, &mut Vec::new());
            // The statement itself gets the same names when it evaluates the pointer.
            self.encoder.arbitrary.truncate(drawn);
            self.encoder.note(FreshKind::Followed(pointee), vec![(0, 0, term)]);
        }
    }

    /// Records what memory outside of the program holds, at the start or after a call.
    pub(crate) fn note_outside(&mut self, state: &State, after: Option<(ProcId, EdgeId)>) {
        let world = self.alias.objects().world();
        for region in self.regions.regions_of(world) {
            let array = self.get(state, Cell::Region(region));
            self.encoder.note(FreshKind::Outside(after), vec![(0, 0, array)]);
        }
    }
}

impl Encoder {
    /// What would let pointers from outside that are followed lead to memory where a run can have it, given a model. The terms are
    /// wishes: each may contradict what the path asks for.
    pub fn outside_wishes<'f>(
        &mut self,
        data_model: DataModel,
        followed: impl IntoIterator<Item = &'f Fresh>,
        model: &Model,
    ) -> Vec<Term> {
        let outside = OutsideMemory::of(data_model);
        let mut evaluator = Evaluator::new();
        let mut found: Vec<(Term, Option<TypeId>, u128)> = Vec::new();
        for fresh in followed {
            let FreshKind::Followed(pointee) = fresh.kind else { continue };
            for &(_, _, pointer) in &fresh.parts {
                if let PointerOrigin::Outside(term) = self.origin_of(pointer, &mut evaluator, model)
                    && self.terms.width(term) == self.terms.width(pointer)
                    && found.iter().all(|&(known, ..)| known != term)
                    && let Some(bits) =
                        evaluator.value(&self.terms, term, model).as_ref().and_then(Value::as_bits)
                {
                    found.push((term, pointee, bits));
                }
            }
        }
        let mut numbers: FxHashMap<(Option<TypeId>, u128), u64> = FxHashMap::default();
        let mut wishes = Vec::new();
        if !found.is_empty() {
            wishes.push(self.lie_elsewhere(outside));
        }
        for (term, pointee, bits) in found {
            let next = numbers.len() as u64;
            let number = *numbers.entry((pointee, bits)).or_insert(next);
            if let Some(address) = outside.address(number) {
                let address = self.terms.bv(address.into(), self.terms.width(term));
                wishes.push(self.terms.eq(term, address));
            }
        }
        wishes
    }

    /// That no object of the program lies where memory outside of it does.
    fn lie_elsewhere(&mut self, outside: OutsideMemory) -> Term {
        let mut addresses: Vec<Term> = self.addresses.values().copied().collect();
        addresses.sort_unstable();
        let range = outside.range();
        let mut facts = Vec::new();
        for address in addresses {
            let width = self.terms.width(address);
            let [first, end] = [range.start, range.end].map(|at| self.terms.bv(at.into(), width));
            let (below, above) = (self.terms.bv_ult(address, first), self.terms.bv_ule(end, address));
            facts.push(self.terms.or(&[below, above]));
        }
        self.terms.and(&facts)
    }

    /// Where the value of a pointer comes from in a model.
    fn origin_of(&self, pointer: Term, evaluator: &mut Evaluator, model: &Model) -> PointerOrigin {
        let mut value = |term: Term| evaluator.value(&self.terms, term, model);
        let mut at = pointer;
        for _ in 0..MAX_DEPTH {
            at = match self.terms.node(at) {
                Node::Symbol { .. } => {
                    return match self.meanings.get(&at) {
                        Some(Meaning::Address(_) | Meaning::Function | Meaning::Watched { .. }) => {
                            PointerOrigin::Program
                        }
                        Some(Meaning::Cell(_)) | None => PointerOrigin::Outside(at),
                    };
                }
                &Node::Ite(condition, yes, no) => match value(condition).and_then(|v| v.as_bool()) {
                    Some(true) => yes,
                    _ => no,
                },
                Node::BvSum(sum) => {
                    // The address counts once, and was not made longer.
                    let is_base = |term: Term| {
                        !matches!(self.terms.node(term), Node::ZeroExtend { .. } | Node::SignExtend { .. })
                    };
                    let bases = sum.parts.iter().filter(|&&(factor, term)| factor == 1 && is_base(term));
                    match bases.map(|&(_, term)| term).collect::<Vec<_>>()[..] {
                        [base] => base,
                        _ => return PointerOrigin::Program,
                    }
                }
                &Node::Extract { low: 0, of, .. }
                | &Node::ZeroExtend { of, .. }
                | &Node::SignExtend { of, .. } => of,
                &Node::Concat(..) | &Node::Select(..) => match self.written(at, &mut value) {
                    Some(term) => term,
                    None => return PointerOrigin::Outside(at),
                },
                _ => return PointerOrigin::Program,
            };
        }
        PointerOrigin::Program
    }

    /// What was written where a term reads memory, as far as its lowest byte tells; nothing if nobody wrote there.
    fn written(&self, term: Term, value: &mut impl FnMut(Term) -> Option<Value>) -> Option<Term> {
        let mut lowest = term;
        while let &Node::Concat(_, low) = self.terms.node(lowest) {
            lowest = low;
        }
        let &Node::Select(mut array, index) = self.terms.node(lowest) else { return Some(lowest) };
        let index = value(index)?;
        loop {
            array = match *self.terms.node(array) {
                Node::Store(_, at, element) if value(at).as_ref() == Some(&index) => return Some(element),
                Node::Store(rest, ..) => rest,
                Node::Ite(condition, yes, no) => match value(condition).and_then(|v| v.as_bool()) {
                    Some(true) => yes,
                    _ => no,
                },
                _ => return None,
            };
        }
    }
}
