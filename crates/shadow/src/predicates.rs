//! Random predicates about the variables of a procedure and what they point to.

use hardbop_ir::testing::Random;
use hardbop_ir::{BinaryOp, ExprId, PlaceId, ProcId, Program, Statement, Type, TypeId, UnaryOp, VarId};

/// What predicates about one scope are made of.
pub struct Atoms {
    scalars: Vec<ExprId>,
    conditions: Vec<ExprId>,
    constants: Vec<i128>,
}

/// Scalars of one scope beyond this are left out.
const MAX_SCALARS: usize = 200;

impl Atoms {
    /// The atoms of a procedure, or those of all procedures.
    pub fn new(program: &Program, procedure: Option<ProcId>, random: &mut Random) -> Self {
        let mut atoms = Atoms { scalars: Vec::new(), conditions: Vec::new(), constants: vec![0, 1, -1, 2] };
        let mut variables: Vec<VarId> = program.globals.clone();
        if let Some(id) = procedure {
            let p = &program.procedures[id];
            variables.splice(0..0, p.formals.iter().chain(&p.locals).chain(&p.result).copied());
            atoms.conditions = p
                .edges
                .values()
                .filter_map(|edge| match edge.statement {
                    Statement::Assume(condition) => Some(condition),
                    _ => None,
                })
                .collect();
        }
        let small = |value: i128| (-1000..=70_000).contains(&value);
        let known: Vec<i128> =
            program.exprs().ids().filter_map(|e| program.as_int(e)).filter(|&v| small(v)).collect();
        atoms.constants.extend(known.into_iter().take(40));
        for var in variables {
            if atoms.scalars.len() < MAX_SCALARS {
                let place = program.var_place(var);
                atoms.expand(program, place, 3, random);
            }
        }
        atoms
    }

    fn expand(&mut self, program: &Program, place: PlaceId, depth: usize, random: &mut Random) {
        let ty = program.place(place).ty;
        if program.is_scalar(ty) {
            let load = program.load(place);
            self.scalars.push(load);
            if let Some(target) = program.pointee(ty)
                && depth > 0
                && !matches!(program.ty(target), Type::Void | Type::Function(_))
                && program.size_of(target) > 0
            {
                let target = program.deref(load);
                self.expand(program, target, depth - 1, random);
            }
            return;
        }
        match *program.ty(ty) {
            Type::Record(record) => {
                for field in 0..program.records[record].fields.len() {
                    let part = program.field(place, field as u32);
                    self.expand(program, part, depth.saturating_sub(1), random);
                }
            }
            Type::Array { length, .. } if length > 0 => {
                for _ in 0..2 {
                    let index = self.index(program, length, random);
                    let element = program.index(place, index);
                    self.expand(program, element, depth.saturating_sub(1), random);
                }
            }
            _ => {}
        }
    }

    /// A constant index, or a variable.
    fn index(&mut self, program: &Program, length: u64, random: &mut Random) -> ExprId {
        let machine = |&e: &ExprId| matches!(program.ty(program.expr(e).ty), Type::Machine { .. });
        let known: Vec<ExprId> = self.scalars.iter().copied().filter(machine).collect();
        if random.one_in(2) && !known.is_empty() {
            return random.pick(&known);
        }
        let ty = program.distance_type();
        program.int(random.below(length as usize) as i128, ty)
    }

    /// A random predicate.
    pub fn predicate(&self, program: &Program, random: &mut Random) -> ExprId {
        match random.below(8) {
            0 | 1 if !self.conditions.is_empty() => random.pick(&self.conditions),
            2 => {
                let (a, b) = (self.comparison(program, random), self.comparison(program, random));
                let op = random.pick(&[BinaryOp::And, BinaryOp::Or, BinaryOp::Xor]);
                program.binary(op, a, b)
            }
            _ => self.comparison(program, random),
        }
    }

    fn comparison(&self, program: &Program, random: &mut Random) -> ExprId {
        if self.scalars.is_empty() {
            return program.truth(true);
        }
        let a = random.pick(&self.scalars);
        let ty = program.expr(a).ty;
        if matches!(program.ty(ty), Type::Bool) {
            return a;
        }
        let a = self.arithmetic(program, a, ty, random);
        let b = self.operand(program, ty, random);
        let op = random.pick(&[BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le]);
        program.binary(op, a, b)
    }

    fn arithmetic(&self, program: &Program, a: ExprId, ty: TypeId, random: &mut Random) -> ExprId {
        if !random.one_in(3) || !matches!(program.ty(ty), Type::Machine { .. } | Type::Integer) {
            return a;
        }
        let b = self.operand(program, ty, random);
        let machine = [
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::Div,
            BinaryOp::Rem,
            BinaryOp::And,
            BinaryOp::Or,
            BinaryOp::Xor,
            BinaryOp::Shl,
            BinaryOp::Shr,
        ];
        let unbounded = matches!(program.ty(ty), Type::Integer);
        let op = if unbounded { random.pick(&machine[..5]) } else { random.pick(&machine) };
        if random.one_in(8) && !unbounded {
            let op = random.pick(&[UnaryOp::Neg, UnaryOp::BitNot]);
            return program.unary(op, a);
        }
        program.binary(op, a, b)
    }

    /// A constant or a scalar of the type.
    fn operand(&self, program: &Program, ty: TypeId, random: &mut Random) -> ExprId {
        let same: Vec<ExprId> = self.scalars.iter().copied().filter(|&e| program.expr(e).ty == ty).collect();
        if random.one_in(2) && !same.is_empty() {
            return random.pick(&same);
        }
        match *program.ty(ty) {
            Type::Machine { .. } | Type::Integer => {
                let value = random.pick(&self.constants);
                program.int(value, ty)
            }
            Type::Pointer(_) => program.int(0, ty),
            _ if !same.is_empty() => random.pick(&same),
            _ => unreachable!("a scalar has the type"),
        }
    }
}

/// Some predicates of each procedure, and some of none.
pub fn random_predicates(program: &Program, seed: u64, count: usize) -> Vec<(Option<ProcId>, ExprId)> {
    let mut random = Random::new(seed);
    let mut found = Vec::new();
    let scopes: Vec<Option<ProcId>> = std::iter::once(None)
        .chain(program.procedures.iter().filter(|(_, p)| p.external.is_none()).map(|(id, _)| Some(id)))
        .collect();
    for scope in scopes {
        let atoms = Atoms::new(program, scope, &mut random);
        for _ in 0..count {
            found.push((scope, atoms.predicate(program, &mut random)));
        }
    }
    found.sort_unstable();
    found.dedup();
    found.retain(|&(_, expr)| program.as_truth(expr).is_none());
    found
}
