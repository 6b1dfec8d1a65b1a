//! Where runs may end because C leaves open what happens.
//!
//! A division by zero or an access outside of all objects ends a run without an error, so a proof says nothing about what a
//! machine does from there on. This lists the steps where that cannot be excluded by looking at them alone:
//! constant divisors, elements that the range of the index keeps inside of their array, and parts of
//! variables end no run. Behind a shift by too much a proof goes on with an arbitrary value, so shifts are not listed. It is an over-approximation: other operations never end a run, those listed mostly do not either.
//!
//! Only procedures are looked at that calls and addresses lead to from the entry. What ends a run for lack of memory or
//! stack is not listed: any call may.

use hardbop_base::Span;
use rustc_hash::FxHashSet;

use crate::{
    BinaryOp, Callee, Edge, EdgeId, ExprId, ExprKind, Halt, Initial, MemoryKind, PlaceBase, PlaceId, ProcId,
    Program, Projection, Statement, Type, TypeId, VarId, visit,
};

/// A way in which C leaves open what happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EndKind {
    /// An access through a pointer that may be invalid.
    Access,
    /// An access to an element of an array by an index that may be out of bounds.
    Index,
    /// A block of memory is copied or set, which may not be there.
    Block,
    /// Memory is released, which may not be there.
    Free,
    /// An array on the stack that may be larger than any object.
    Array,
    /// A division by what may be zero, or whose quotient may be too large.
    Division,
    /// A conversion of a float that may be out of range.
    Conversion,
    /// A call through a pointer that may be the address of no function.
    Call,
    /// A point that the source promises is never reached.
    Unreachable,
}

impl EndKind {
    /// A short name, the same for all of the kind.
    pub fn name(self) -> &'static str {
        match self {
            EndKind::Access => "access",
            EndKind::Index => "index",
            EndKind::Block => "block",
            EndKind::Free => "free",
            EndKind::Array => "array",
            EndKind::Division => "division",
            EndKind::Conversion => "conversion",
            EndKind::Call => "call",
            EndKind::Unreachable => "unreachable",
        }
    }

    /// Some of the kind, in words.
    pub fn counted(self, count: usize) -> String {
        let (one, many) = match self {
            EndKind::Access => ("access through a pointer", "accesses through pointers"),
            EndKind::Index => ("access to an array", "accesses to arrays"),
            EndKind::Block => ("copied or filled block of memory", "copied or filled blocks of memory"),
            EndKind::Free => ("release of memory", "releases of memory"),
            EndKind::Array => ("variable-length array", "variable-length arrays"),
            EndKind::Division => ("division", "divisions"),
            EndKind::Conversion => ("conversion of a float", "conversions of floats"),
            EndKind::Call => ("call through a pointer", "calls through pointers"),
            EndKind::Unreachable => ("point declared unreachable", "points declared unreachable"),
        };
        format!("{count} {}", if count == 1 { one } else { many })
    }
}

/// A place in the source where a run may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct End {
    /// Where.
    pub span: Span,
    /// In which way.
    pub kind: EndKind,
    /// The procedure.
    pub procedure: ProcId,
    /// A step of it.
    pub edge: EdgeId,
}

/// The places where runs may end, in the order of the source; one for each kind and text.
pub fn ends(program: &Program) -> Vec<End> {
    let mut found = Vec::new();
    for procedure in reached(program) {
        for (edge, e) in program.procedures[procedure].edges.iter() {
            let mut finder = Finder { program, kinds: Vec::new(), seen: FxHashSet::default() };
            finder.statement(&e.statement);
            let end = |kind| End { span: e.span, kind, procedure, edge };
            found.extend(finder.kinds.into_iter().map(end));
        }
    }
    found.sort_unstable();
    found.dedup_by_key(|end| (end.span, end.kind, end.procedure));
    found
}

/// The procedures that calls and addresses lead to.
fn reached(program: &Program) -> Vec<ProcId> {
    let mut seen = vec![false; program.procedures.len()];
    let mut pending: Vec<ProcId> = match program.entry {
        Some(entry) => vec![entry],
        None => program.procedures.ids().collect(),
    };
    let globals = program.globals.iter().map(|&global| &program.variables[global].initial);
    let values = globals.flat_map(|initial| match initial {
        Initial::Values(values) => values.as_slice(),
        Initial::Arbitrary => &[],
    });
    let mut names = Names { program, seen: FxHashSet::default(), found: Vec::new() };
    values.for_each(|value| names.expr(value.value));
    pending.append(&mut names.found);
    let mut all = Vec::new();
    while let Some(procedure) = pending.pop() {
        if procedure.index() >= seen.len() || std::mem::replace(&mut seen[procedure.index()], true) {
            continue;
        }
        all.push(procedure);
        for Edge { statement, .. } in program.procedures[procedure].edges.values() {
            if let &Statement::Call { callee: Callee::Direct(callee), .. } = statement {
                pending.push(callee);
            }
            visit::roots(program, statement).into_iter().for_each(|expr| names.expr(expr));
        }
        pending.append(&mut names.found);
    }
    all
}

/// Finds the procedures that expressions name.
struct Names<'p> {
    program: &'p Program,
    seen: FxHashSet<ExprId>,
    found: Vec<ProcId>,
}

impl Names<'_> {
    fn expr(&mut self, expr: ExprId) {
        if !self.seen.insert(expr) {
            return;
        }
        if let ExprKind::Function(procedure) = self.program.expr(expr).kind {
            self.found.push(procedure);
        }
        visit::parts(self.program, expr).for_each(|part| self.expr(part));
    }
}

/// Finds the ways in which one step may end the run.
struct Finder<'p> {
    program: &'p Program,
    kinds: Vec<EndKind>,
    seen: FxHashSet<ExprId>,
}

impl Finder<'_> {
    fn statement(&mut self, statement: &Statement) {
        let (place, values) = visit::operands(statement);
        values.into_iter().for_each(|expr| self.expr(expr));
        place.into_iter().for_each(|place| self.access(place));
        match *statement {
            Statement::Call { callee: Callee::Indirect(pointer), .. } if !self.is_function(pointer) => {
                self.kinds.push(EndKind::Call);
            }
            Statement::Free(pointer) if self.program.as_int(pointer) != Some(0) => {
                self.kinds.push(EndKind::Free);
            }
            Statement::Allocate { size, kind: MemoryKind::Stack, .. } => {
                let most = i128::from(self.program.data_model.largest_object());
                if !self.program.as_int(size).is_some_and(|size| (0..=most).contains(&size)) {
                    self.kinds.push(EndKind::Array);
                }
            }
            Statement::Copy { target, source, length }
                if !self.is_block(target, length) || !self.is_block(source, length) =>
            {
                self.kinds.push(EndKind::Block);
            }
            Statement::Fill { target, length, .. } if !self.is_block(target, length) => {
                self.kinds.push(EndKind::Block);
            }
            Statement::CopyObject { .. } => self.kinds.push(EndKind::Block),
            Statement::Halt(Halt::Unreachable) => self.kinds.push(EndKind::Unreachable),
            _ => {}
        }
    }

    fn is_function(&self, mut pointer: ExprId) -> bool {
        while let ExprKind::Cast(inner) = self.program.expr(pointer).kind {
            pointer = inner;
        }
        matches!(self.program.expr(pointer).kind, ExprKind::Function(_))
    }

    /// Whether some bytes from a pointer on are part of a variable.
    fn is_block(&self, pointer: ExprId, length: ExprId) -> bool {
        let length = self.program.as_int(length);
        length == Some(0) || length.is_some_and(|length| self.is_inside(self.known(pointer), length))
    }

    fn expr(&mut self, expr: ExprId) {
        if !self.seen.insert(expr) {
            return;
        }
        let program = self.program;
        match program.expr(expr).kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
            ExprKind::Load(place) => self.access(place),
            ExprKind::AddressOf(place) => visit::place_parts(program, place).for_each(|e| self.expr(e)),
            ExprKind::Unary(_, a) => self.expr(a),
            ExprKind::Cast(a) => {
                let is_float = |ty: TypeId| matches!(program.ty(ty), Type::Float(_));
                let is_truth = |ty: TypeId| matches!(program.ty(ty), Type::Bool);
                let (from, to) = (program.expr(a).ty, program.expr(expr).ty);
                if is_float(from) && !is_float(to) && !is_truth(to) {
                    self.kinds.push(EndKind::Conversion);
                }
                self.expr(a);
            }
            ExprKind::Binary(op, a, b) => {
                self.binary(op, a, b);
                [a, b].into_iter().for_each(|e| self.expr(e));
            }
            ExprKind::If(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
        }
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) {
        let ty = self.program.expr(a).ty;
        match op {
            BinaryOp::Div | BinaryOp::Rem if !matches!(self.program.ty(ty), Type::Float(_)) => {
                let range = self.range(b);
                let signed = self.program.machine_shape(ty).is_some_and(|(_, signed)| signed);
                let excluded = |value| range.is_some_and(|(low, high)| value < low || high < value);
                if !excluded(0) || signed && !excluded(-1) {
                    self.kinds.push(EndKind::Division);
                }
            }
            _ => {}
        }
    }

    /// An access to a place, and what is inside it.
    fn access(&mut self, place: PlaceId) {
        let program = self.program;
        visit::place_parts(program, place).for_each(|expr| self.expr(expr));
        let size = i128::from(program.size_of(program.place(place).ty));
        if !self.is_inside(self.known_place(place), size) && !self.is_in_range(place) {
            self.kinds.push(match program.place(place).base {
                PlaceBase::Var(_) => EndKind::Index,
                PlaceBase::Deref(_) => EndKind::Access,
            });
        }
    }

    fn is_inside(&self, at: Option<(VarId, i128)>, length: i128) -> bool {
        at.is_some_and(|(var, offset)| {
            let size = i128::from(self.program.size_of(self.program.variables[var].ty));
            0 <= offset && 0 <= length && offset.saturating_add(length) <= size
        })
    }

    /// Whether all indices of a part of a variable are inside of their arrays.
    fn is_in_range(&self, place: PlaceId) -> bool {
        let program = self.program;
        let place = program.place(place);
        let PlaceBase::Var(var) = place.base else { return false };
        let mut ty = program.variables[var].ty;
        for step in &place.path {
            ty = match (*step, program.ty(ty)) {
                (Projection::Field(n), &Type::Record(record)) => {
                    match program.records[record].fields.get(n as usize) {
                        Some(field) => field.ty,
                        None => return false,
                    }
                }
                (Projection::Index(index), &Type::Array { element, length }) => match self.range(index) {
                    Some((low, high)) if 0 <= low && high < i128::from(length) => element,
                    _ => return false,
                },
                _ => return false,
            };
        }
        true
    }

    /// The variable that an address points into, and how far.
    fn known(&self, pointer: ExprId) -> Option<(VarId, i128)> {
        let program = self.program;
        match program.expr(pointer).kind {
            ExprKind::AddressOf(place) => self.known_place(place),
            ExprKind::Cast(inner) if program.is_pointer(program.expr(inner).ty) => self.known(inner),
            ExprKind::Binary(BinaryOp::PointerAdd, start, index) => {
                let (var, offset) = self.known(start)?;
                let size = program.pointee(program.expr(start).ty).map_or(1, |ty| program.size_of(ty));
                Some((var, offset.checked_add(program.as_int(index)?.checked_mul(size.into())?)?))
            }
            _ => None,
        }
    }

    /// The variable that a place is part of, and how far from its start.
    fn known_place(&self, place: PlaceId) -> Option<(VarId, i128)> {
        let program = self.program;
        let place = program.place(place);
        let (var, mut offset, mut ty) = match place.base {
            PlaceBase::Var(var) => (var, 0, program.variables[var].ty),
            PlaceBase::Deref(pointer) => {
                let (var, offset) = self.known(pointer)?;
                (var, offset, program.pointee(program.expr(pointer).ty)?)
            }
        };
        for step in &place.path {
            let distance;
            (ty, distance) = match (*step, program.ty(ty)) {
                (Projection::Field(n), &Type::Record(record)) => {
                    let field = program.records[record].fields.get(n as usize)?;
                    (field.ty, i128::from(field.offset))
                }
                (Projection::Index(index), &Type::Array { element, .. }) => {
                    (element, program.as_int(index)?.checked_mul(program.size_of(element).into())?)
                }
                _ => return None,
            };
            offset = distance.checked_add(offset)?;
        }
        Some((var, offset))
    }

    /// Bounds of an integer, as far as its expression tells.
    fn range(&self, expr: ExprId) -> Option<(i128, i128)> {
        let program = self.program;
        if let Some(value) = program.as_int(expr) {
            return Some((value, value));
        }
        let e = program.expr(expr);
        let (width, signed) = program.machine_shape(e.ty)?;
        let width = u32::from(width.min(126));
        let all = if signed { (-(1 << (width - 1)), (1 << (width - 1)) - 1) } else { (0, (1 << width) - 1) };
        let within =
            |(low, high): (i128, i128)| if all.0 <= low && high <= all.1 { (low, high) } else { all };
        Some(match e.kind {
            ExprKind::Cast(inner) => match program.ty(program.expr(inner).ty) {
                Type::Bool => (0, 1),
                Type::Machine { .. } => within(self.range(inner)?),
                _ => all,
            },
            ExprKind::Binary(BinaryOp::And, a, b) => {
                let mask = [a, b].into_iter().filter_map(|e| program.as_int(e)).find(|&mask| mask >= 0);
                mask.map_or(all, |mask| (0, mask))
            }
            ExprKind::Binary(BinaryOp::Rem, a, b) => match program.as_int(b) {
                Some(modulus @ 1..) => {
                    let low = if self.range(a)?.0 >= 0 { 0 } else { 1 - modulus };
                    within((low, modulus - 1))
                }
                _ => all,
            },
            ExprKind::If(_, a, b) => {
                let ((a, b), (c, d)) = (self.range(a)?, self.range(b)?);
                (a.min(c), b.max(d))
            }
            _ => all,
        })
    }
}
