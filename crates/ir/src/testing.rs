//! Random programs that the verifier accepts, for the tests of this crate and of those above it.
//!
//! A seed gives the same program everywhere. All types, expressions, places and statements occur,
//! and awkward names; what the programs compute makes no sense.

mod procedures;

use hardbop_base::{Id, LineMap, SourceFile, Span};

use crate::{
    Arbitrary, Assumption, BinaryOp, BitRange, Callee, DataModel, Device, Edge, Effect, ExprId, ExprKind,
    Field, FloatKind, Halt, Initial, InitialValue, Location, MemoryKind, Place, PlaceBase, PlaceId, ProcId,
    Procedure, Program, Projection, Property, Record, RecordKind, Statement, Type, TypeId, UnaryOp, VarId,
    VarKind, Variable, wrap,
};

/// A reproducible source of random numbers (SplitMix64).
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Starts from a seed.
    pub fn new(seed: u64) -> Self {
        Random { state: seed }
    }

    /// Any number.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number less than `bound` (0 if that is 0).
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() % (bound.max(1) as u64)) as usize
    }

    /// True in one of `n` cases.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of the items.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

/// How large a random program is.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Procedures, besides the entry.
    pub procedures: usize,
    /// Locals and temporaries of each, about.
    pub variables: usize,
    /// Edges of each.
    pub edges: usize,
    /// How deep expressions are nested, about.
    pub depth: usize,
}

/// A small one.
impl Default for Size {
    fn default() -> Self {
        Size { procedures: 4, variables: 8, edges: 20, depth: 4 }
    }
}

/// The program of a seed.
pub fn random_program(seed: u64, size: Size) -> Program {
    let mut random = Random::new(seed);
    let model = if random.one_in(2) { DataModel::Lp64 } else { DataModel::Ilp32 };
    let mut generator = Generator {
        program: Program::new(model),
        random,
        size,
        types: Vec::new(),
        scope: Vec::new(),
        globals: Vec::new(),
        serial: 0,
    };
    generator.files();
    generator.types();
    generator.globals();
    generator.procedures();
    generator.program
}

struct Generator {
    program: Program,
    random: Random,
    size: Size,
    /// The object types that variables have.
    types: Vec<TypeId>,
    /// The variables that can be used here.
    scope: Vec<VarId>,
    globals: Vec<VarId>,
    serial: usize,
}

/// Names, spans and types.
impl Generator {
    /// A name that was not used before, often an awkward one.
    fn name(&mut self) -> String {
        self.serial += 1;
        let n = self.serial;
        match self.random.below(12) {
            0 => format!("true\"{n}"),
            1 => format!("späte \\ {n}\n"),
            2 => format!("{n}"),
            3 => format!("tmp#{n}"),
            4 => format!("a.b::{n}"),
            5 => format!("$call{n}\0"),
            _ => format!("x{n}"),
        }
    }

    fn span(&mut self) -> Span {
        if self.random.one_in(5) {
            return Span::none();
        }
        let file = Id::from_usize(self.random.below(self.program.files.len()));
        let (line, column) = (1 + self.random.below(999) as u32, 1 + self.random.below(99) as u32);
        let mut span = Span::in_line(file, line, column, self.random.below(30) as u32);
        span.end_line += self.random.below(2) as u32;
        span
    }

    fn files(&mut self) {
        for name in ["main.c", "dir/odd \"name\".i"] {
            let mut lines = LineMap::default();
            let mut at = 1;
            for _ in 0..self.random.below(4) {
                at += self.random.below(50) as u32;
                lines.add(at, ["a.c", "b.h"][self.random.below(2)].into(), 1 + self.random.below(9) as u32);
            }
            self.program.files.push(SourceFile { name: name.into(), text: None, lines });
        }
        let (span, text) = (self.span(), "`memcpy\\\"` does not overlap\ttoday".to_string());
        self.program.assumptions.push(Assumption { span, text });
        self.program.devices.push(Device { first: 0x2000, last: 0x2fff });
    }

    fn types(&mut self) {
        let p = &mut self.program;
        for width in [8, 16, 32, 64, 128] {
            self.types.extend([p.machine(width, false), p.machine(width, true)]);
        }
        self.types.extend([p.bool(), p.intern_type(Type::Integer)]);
        for kind in [FloatKind::F32, FloatKind::F64, FloatKind::F80] {
            self.types.push(p.intern_type(Type::Float(kind)));
        }
        let void = p.void();
        self.types.push(p.pointer_to(void));
        for _ in 0..4 {
            self.record();
            let element = self.random.pick(&self.types);
            let length = self.random.below(5) as u64;
            let array = self.program.array_of(element, length);
            let target = self.random.pick(&self.types);
            let pointer = self.program.pointer_to(target);
            self.types.extend([array, pointer]);
        }
    }

    /// A record of earlier types and of pointers to itself.
    fn record(&mut self) {
        let kind = if self.random.one_in(3) { RecordKind::Union } else { RecordKind::Struct };
        let (name, span) = (self.name(), self.span());
        let align = 1 << self.random.below(4);
        let id = self.program.records.push(Record { name, kind, fields: vec![], size: 0, align, span });
        let own = self.program.intern_type(Type::Record(id));
        let next = self.program.pointer_to(own);
        let mut bit = 0u64;
        let mut size = 0;
        for i in 0..2 + self.random.below(4) {
            let ty = if i == 0 { next } else { self.random.pick(&self.types) };
            bit = if kind == RecordKind::Union { 0 } else { bit };
            let field = self.field(ty, &mut bit);
            size = size.max(bit.div_ceil(8));
            self.program.records[id].fields.push(field);
        }
        self.program.records[id].size = size + self.random.below(3) as u64;
        self.types.push(own);
    }

    fn field(&mut self, ty: TypeId, bit: &mut u64) -> Field {
        let name = if self.random.one_in(4) { String::new() } else { self.name() };
        if let Type::Machine { width, .. } = *self.program.ty(ty)
            && self.random.one_in(2)
        {
            if *bit > 0 {
                *bit += self.random.below(3) as u64;
            }
            let bits = BitRange { first: (*bit % 8) as u8, width: 1 + self.random.below(width.into()) as u8 };
            let offset = *bit / 8;
            *bit += u64::from(bits.width);
            return Field { name, ty, offset, bits: Some(bits) };
        }
        let offset = bit.div_ceil(8);
        *bit = (offset + self.program.size_of(ty)) * 8;
        Field { name, ty, offset, bits: None }
    }

    fn scalar(&mut self) -> TypeId {
        loop {
            let ty = self.random.pick(&self.types);
            if self.program.is_scalar(ty) {
                return ty;
            }
        }
    }

    fn machine(&mut self) -> TypeId {
        let (width, signed) = (self.random.pick(&[8, 16, 32, 32, 64, 128]), self.random.one_in(2));
        self.program.machine(width, signed)
    }
}

/// Variables.
impl Generator {
    fn variable(&mut self, name: String, ty: TypeId, kind: VarKind) -> VarId {
        let span = self.span();
        self.program.variables.push(Variable { name, ty, kind, span, align: 0, initial: Initial::Arbitrary })
    }

    fn globals(&mut self) {
        for _ in 0..10 {
            let (name, ty) = (self.name(), self.random.pick(&self.types));
            let kind = if self.random.one_in(2) { VarKind::Static } else { VarKind::Global };
            let id = self.variable(name, ty, kind);
            self.globals.push(id);
        }
        self.program.globals = self.globals.clone();
    }

    /// Values for the globals, once there are procedures to point to.
    fn initial_values(&mut self) {
        for id in self.globals.clone() {
            if self.random.one_in(4) {
                continue;
            }
            let ty = self.program.variables[id].ty;
            let mut values = Vec::new();
            if !self.random.one_in(3) {
                self.values(ty, 0, None, &mut values);
            }
            self.program.variables[id].initial = Initial::Values(values);
        }
    }

    fn values(&mut self, ty: TypeId, offset: u64, bits: Option<BitRange>, out: &mut Vec<InitialValue>) {
        match self.program.ty(ty).clone() {
            Type::Array { element, length } => {
                let step = self.program.size_of(element);
                for i in 0..length {
                    self.values(element, offset + i * step, None, out);
                }
            }
            Type::Record(id) => {
                let record = self.program.records[id].clone();
                let only = self.random.below(record.fields.len());
                for (i, field) in record.fields.iter().enumerate() {
                    if record.kind == RecordKind::Struct || i == only {
                        self.values(field.ty, offset + field.offset, field.bits, out);
                    }
                }
            }
            _ => {
                let value = self.constant(ty);
                out.push(InitialValue { offset, bits, value });
            }
        }
    }

    fn constant(&mut self, ty: TypeId) -> ExprId {
        if let Some(target) = self.program.pointee(ty) {
            let global = self.random.pick(&self.globals);
            let place = self.program.var_place(global);
            let address = self.program.address_of(place);
            return match self.random.below(3) {
                0 if self.program.variables[global].ty == target => address,
                1 => self.program.intern_expr(ExprKind::Cast(address), ty),
                _ => self.literal(ty),
            };
        }
        self.literal(ty)
    }

    /// A constant that stands by itself.
    fn literal(&mut self, ty: TypeId) -> ExprId {
        let wide = (u128::from(self.random.bits()) << 64 | u128::from(self.random.bits()))
            >> self.random.pick(&[0, 64, 100, 120, 127]);
        let value = if self.random.one_in(2) { wide as i128 } else { (wide as i128).wrapping_neg() };
        let kind = match *self.program.ty(ty) {
            Type::Bool => ExprKind::Bool(value & 1 == 0),
            Type::Float(FloatKind::F32) => ExprKind::Float(wide & u128::from(u32::MAX)),
            Type::Float(FloatKind::F64) if self.random.one_in(2) => ExprKind::Float(1.5f64.to_bits().into()),
            Type::Float(FloatKind::F64) => ExprKind::Float(wide & u128::from(u64::MAX)),
            Type::Float(FloatKind::F80) => ExprKind::Float(wide >> 48),
            _ => match self.program.machine_shape(ty) {
                Some((width, signed)) => ExprKind::Int(wrap(width, signed, value)),
                None => ExprKind::Int(value),
            },
        };
        self.program.intern_expr(kind, ty)
    }
}

/// Places and expressions.
impl Generator {
    /// A place of a type; one whose address may be taken if that is asked for.
    fn place(&mut self, ty: TypeId, depth: usize, addressable: bool) -> PlaceId {
        for _ in 0..20 {
            let var = self.random.pick(&self.scope);
            let kind = self.program.variables[var].kind;
            if addressable && matches!(kind, VarKind::Formal | VarKind::Temp | VarKind::Result) {
                continue;
            }
            let base = if self.random.one_in(4) && depth > 0 {
                let target = self.random.pick(&self.types);
                let pointer = self.program.pointer_to(target);
                PlaceBase::Deref(self.expr(pointer, depth - 1))
            } else {
                PlaceBase::Var(var)
            };
            if let Some(place) = self.part(base, ty, depth, addressable) {
                return self.program.intern_place(place);
            }
        }
        let pointer = self.program.pointer_to(ty);
        let pointer = self.expr(pointer, depth.saturating_sub(1));
        self.program.intern_place(Place { base: PlaceBase::Deref(pointer), path: Vec::new(), ty })
    }

    /// Walks down from a base until the type fits.
    fn part(&mut self, base: PlaceBase, wanted: TypeId, depth: usize, addressable: bool) -> Option<Place> {
        let mut ty = match base {
            PlaceBase::Var(var) => self.program.variables[var].ty,
            PlaceBase::Deref(pointer) => self.program.pointee(self.program.expr(pointer).ty)?,
        };
        let mut path = Vec::new();
        while ty != wanted {
            match *self.program.ty(ty) {
                Type::Array { element, .. } => {
                    let index = self.machine();
                    path.push(Projection::Index(self.expr(index, depth.saturating_sub(1))));
                    ty = element;
                }
                Type::Record(id) => {
                    let fields = &self.program.records[id].fields;
                    let index = self.random.below(fields.len());
                    let field = &fields[index];
                    if addressable && field.bits.is_some() {
                        return None;
                    }
                    ty = field.ty;
                    path.push(Projection::Field(index as u32));
                }
                _ => return None,
            }
        }
        Some(Place { base, path, ty })
    }

    fn load(&mut self, ty: TypeId, depth: usize) -> ExprId {
        let place = self.place(ty, depth, false);
        self.program.intern_expr(ExprKind::Load(place), ty)
    }

    /// An expression of a scalar type.
    fn expr(&mut self, ty: TypeId, depth: usize) -> ExprId {
        if depth == 0 {
            return self.literal(ty);
        }
        let deeper = depth - 1;
        match self.random.below(10) {
            0 | 1 => return self.literal(ty),
            2..=4 => return self.load(ty, deeper),
            5 => {
                let condition = self.program.bool();
                let condition = self.expr(condition, deeper);
                let (then, otherwise) = (self.expr(ty, deeper), self.expr(ty, deeper));
                return self.program.intern_expr(ExprKind::If(condition, then, otherwise), ty);
            }
            _ => {}
        }
        let kind = match self.program.ty(ty).clone() {
            Type::Bool => self.condition(ty, deeper),
            Type::Pointer(target) => self.pointer(ty, target, deeper),
            Type::Machine { width, signed } => self.arithmetic(ty, width, signed, deeper),
            _ => {
                let (op, float) = (self.random.below(5), matches!(self.program.ty(ty), Type::Float(_)));
                if op == 4 {
                    ExprKind::Unary(UnaryOp::Neg, self.expr(ty, deeper))
                } else if op == 3 && float {
                    let from = self.machine();
                    ExprKind::Cast(self.expr(from, deeper))
                } else {
                    use BinaryOp::*;
                    let op = [Add, Sub, Mul, if float { Div } else { Rem }][op];
                    ExprKind::Binary(op, self.expr(ty, deeper), self.expr(ty, deeper))
                }
            }
        };
        self.program.intern_expr(kind, ty)
    }

    fn condition(&mut self, bool: TypeId, depth: usize) -> ExprKind {
        use BinaryOp::*;
        match self.random.below(3) {
            0 => ExprKind::Unary(UnaryOp::Not, self.expr(bool, depth)),
            1 => {
                let op = self.random.pick(&[And, Or, Xor, Eq]);
                ExprKind::Binary(op, self.expr(bool, depth), self.expr(bool, depth))
            }
            _ => {
                let operand = self.scalar();
                let equality = operand == bool;
                let op = if equality { Ne } else { self.random.pick(&[Eq, Ne, Lt, Le]) };
                ExprKind::Binary(op, self.expr(operand, depth), self.expr(operand, depth))
            }
        }
    }

    fn pointer(&mut self, ty: TypeId, target: TypeId, depth: usize) -> ExprKind {
        if let Type::Function(_) = self.program.ty(target)
            && self.random.one_in(2)
        {
            let procedure = Id::from_usize(self.random.below(self.program.procedures.len()));
            if self.program.procedure_type(procedure) == target {
                return ExprKind::Function(procedure);
            }
        }
        match self.random.below(3) {
            0 => {
                let index = self.machine();
                ExprKind::Binary(BinaryOp::PointerAdd, self.expr(ty, depth), self.expr(index, depth))
            }
            1 => {
                let from = self.machine();
                ExprKind::Cast(self.expr(from, depth))
            }
            _ => ExprKind::AddressOf(self.place(target, depth, true)),
        }
    }

    fn arithmetic(&mut self, ty: TypeId, width: u16, signed: bool, depth: usize) -> ExprKind {
        use BinaryOp::*;
        match self.random.below(6) {
            0 => {
                let op = self.random.pick(&[UnaryOp::Neg, UnaryOp::BitNot]);
                ExprKind::Unary(op, self.expr(ty, depth))
            }
            1 => {
                let amount = self.machine();
                let op = self.random.pick(&[Shl, Shr]);
                ExprKind::Binary(op, self.expr(ty, depth), self.expr(amount, depth))
            }
            2 => {
                let from = self.scalar();
                if matches!(self.program.ty(from), Type::Integer) {
                    return ExprKind::Int(1);
                }
                ExprKind::Cast(self.expr(from, depth))
            }
            3 if signed && width == self.program.data_model.pointer_bits() => {
                let target = self.random.pick(&self.types);
                let pointer = self.program.pointer_to(target);
                ExprKind::Binary(PointerDiff, self.expr(pointer, depth), self.expr(pointer, depth))
            }
            _ => {
                let op = self.random.pick(&[Add, Sub, Mul, Div, Rem, And, Or, Xor]);
                ExprKind::Binary(op, self.expr(ty, depth), self.expr(ty, depth))
            }
        }
    }
}
