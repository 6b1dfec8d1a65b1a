//! Random X programs that the checker accepts, for the tests of this crate and of those above it.
//!
//! A seed gives the same program everywhere. All statements and expressions occur, with loops,
//! recursion, references and labels. Every run ends soon: loops and calls use up a global `fuel`. The
//! entry is `main`, and its result depends on all globals, so that runs can be compared by it.

use hardbop_ir::testing::Random;

use crate::ast::{
    Arm, BinaryOp, Call, Decl, Enum, Expr, ExprKind, Formal, Item, Mode, Name, Procedure, Program, Source,
    Stmt, StmtKind, Target, Type, TypeKind, UnaryOp,
};

/// How large a random program is.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Procedures, besides `main`.
    pub procedures: usize,
    /// Statements in a row, at most.
    pub statements: usize,
    /// How deep statements and expressions are nested.
    pub nesting: usize,
    /// Loops and calls of a run.
    pub fuel: i128,
}

/// A small one.
impl Default for Size {
    fn default() -> Self {
        Size { procedures: 3, statements: 4, nesting: 3, fuel: 12 }
    }
}

/// The program of a seed.
pub fn random_program(seed: u64, size: Size) -> Program {
    let mut random = Random::new(seed);
    let enums: Vec<(String, usize)> =
        (0..random.below(3)).map(|i| (format!("E{i}"), 1 + random.below(3))).collect();
    let mut generator = Generator {
        random,
        size,
        enums,
        globals: Vec::new(),
        signatures: Vec::new(),
        scope: Vec::new(),
        references: Vec::new(),
        result: None,
        serial: 0,
    };
    generator.program()
}

/// A variable with its type.
type Typed = (String, TypeKind);

struct Signature {
    name: String,
    formals: Vec<(Mode, Typed)>,
    result: Option<TypeKind>,
}

struct Generator {
    random: Random,
    size: Size,
    /// Names and numbers of values; those are called `E0_0` and so on.
    enums: Vec<(String, usize)>,
    globals: Vec<Typed>,
    signatures: Vec<Signature>,
    /// The variables that can be used here, without `fuel`.
    scope: Vec<Typed>,
    /// The references that can be used here, with what they refer to.
    references: Vec<Typed>,
    result: Option<TypeKind>,
    serial: usize,
}

/// Items.
impl Generator {
    fn program(&mut self) -> Program {
        let mut items = Vec::new();
        for (name, size) in self.enums.clone() {
            let values = (0..size).map(|i| Name::new(format!("{name}_{i}"))).collect();
            items.push(Item::Enum(Enum { name: Name::new(name), values }));
        }
        let fuel = Some(Source::Values(vec![Expr::new(ExprKind::Int(self.size.fuel))]));
        items.push(Item::Globals(Decl {
            names: vec![Name::new("fuel")],
            ty: Type::new(TypeKind::Int),
            start: fuel,
        }));
        for i in 0..1 + self.random.below(4) {
            let ty = self.ty();
            let start =
                if self.random.one_in(2) { Some(Source::Values(vec![self.constant(&ty)])) } else { None };
            let name = format!("g{i}");
            self.globals.push((name.clone(), ty.clone()));
            items.push(Item::Globals(Decl { names: vec![Name::new(name)], ty: Type::new(ty), start }));
        }
        self.signatures();
        for i in 0..self.signatures.len() {
            items.push(Item::Procedure(self.procedure(i)));
        }
        Program { items }
    }

    fn signatures(&mut self) {
        for i in 0..=self.size.procedures {
            let main = i == 0;
            let formals = (0..self.random.below(if main { 2 } else { 4 })).map(|n| {
                let mode = match self.random.below(4) {
                    0 if !main => Mode::Ref,
                    1 if !main => Mode::Out,
                    _ => Mode::Value,
                };
                (mode, (format!("a{n}"), self.ty()))
            });
            let formals: Vec<_> = formals.collect();
            let result = match self.random.below(2) {
                _ if main => Some(TypeKind::Int),
                0 => Some(self.ty()),
                _ => None,
            };
            let name = if main { "main".into() } else { format!("p{i}") };
            self.signatures.push(Signature { name, formals, result });
        }
    }

    fn procedure(&mut self, index: usize) -> Procedure {
        let Signature { name, formals, result } = &self.signatures[index];
        let (name, formals, result) = (Name::new(name.clone()), formals.clone(), result.clone());
        self.scope = self.globals.clone();
        self.references.clear();
        for (mode, typed) in &formals {
            match mode {
                Mode::Value => self.scope.push(typed.clone()),
                Mode::Ref | Mode::Out => self.references.push(typed.clone()),
            }
        }
        self.result = result.clone();
        let mut body = self.statements(self.size.nesting);
        if index == 0 {
            self.digest(&mut body);
        }
        let formals = formals.into_iter().map(|(mode, (name, ty))| Formal {
            mode,
            name: Name::new(name),
            ty: Type::new(ty),
        });
        let (span, end) = (hardbop_base::Span::none(), hardbop_base::Span::none());
        Procedure { name, formals: formals.collect(), result: result.map(Type::new), body, span, end }
    }

    /// Returns a number that depends on all globals.
    fn digest(&mut self, body: &mut Vec<Stmt>) {
        let own = "digest";
        let decl = Decl {
            names: vec![Name::new(own)],
            ty: Type::new(TypeKind::Int),
            start: Some(Source::Values(vec![Expr::name("fuel")])),
        };
        body.push(Stmt::new(StmtKind::Decl(decl)));
        for (name, ty) in self.globals.clone() {
            let more = |value: Expr| {
                let product = Expr::binary(BinaryOp::Mul, Expr::name(own), Expr::new(ExprKind::Int(31)));
                let sum = Expr::binary(BinaryOp::Add, product, value);
                Expr::binary(BinaryOp::Mod, sum, Expr::new(ExprKind::Int(1_000_003)))
            };
            let set = |value: Expr| Stmt::new(assign(own, more(value)));
            match ty {
                TypeKind::Int => body.push(set(Expr::name(name))),
                TypeKind::Bool => {
                    let one = vec![set(Expr::new(ExprKind::Int(1)))];
                    body.push(Stmt::new(StmtKind::If(Expr::name(name), one, None)));
                }
                TypeKind::Named(of) => {
                    let first = Expr::binary(BinaryOp::Eq, Expr::name(name), Expr::name(format!("{of}_0")));
                    let two = vec![set(Expr::new(ExprKind::Int(2)))];
                    body.push(Stmt::new(StmtKind::If(first, two, None)));
                }
            }
        }
        body.push(Stmt::new(StmtKind::Return(Some(Expr::name(own)))));
    }

    fn ty(&mut self) -> TypeKind {
        match self.random.below(6) {
            0 | 1 => TypeKind::Bool,
            2 if !self.enums.is_empty() => {
                let pick = self.random.below(self.enums.len());
                TypeKind::Named(self.enums[pick].0.clone())
            }
            _ => TypeKind::Int,
        }
    }
}

/// Statements.
impl Generator {
    /// A block of its own, seldom an empty one.
    fn statements(&mut self, nesting: usize) -> Vec<Stmt> {
        let outer = self.scope.len();
        let count = if self.random.one_in(6) { 0 } else { 1 + self.random.below(self.size.statements) };
        let mut statements = Vec::new();
        for _ in 0..count {
            let kind = self.statement(nesting);
            let mut stmt = Stmt::new(kind);
            while self.random.one_in(8) {
                self.serial += 1;
                let label = match self.random.below(40) {
                    0 => Name::new(format!("error{}", self.serial)),
                    1..=20 => Name::new(format!("L{}", self.serial)),
                    _ => Name::new(self.serial.to_string()),
                };
                stmt.labels.push(label);
            }
            statements.push(stmt);
        }
        self.scope.truncate(outer);
        statements
    }

    fn statement(&mut self, nesting: usize) -> StmtKind {
        let depth = self.size.nesting;
        match self.random.below(24) {
            0 => StmtKind::Skip,
            1 if self.random.one_in(2) => StmtKind::Assert(self.likely()),
            2 if self.random.one_in(2) => StmtKind::Assume(self.likely()),
            3 if self.random.one_in(4) => {
                let result = self.result.clone();
                StmtKind::Return(result.map(|ty| self.expr(&ty, depth)))
            }
            4 | 5 => self.local(),
            6 | 7 if nesting > 0 => {
                let condition = self.expr(&TypeKind::Bool, depth);
                let then = self.statements(nesting - 1);
                let otherwise = if self.random.one_in(2) { Some(self.statements(nesting - 1)) } else { None };
                StmtKind::If(condition, then, otherwise)
            }
            8 | 9 if nesting > 0 => self.loop_(nesting - 1),
            10 if nesting > 0 => self.case(nesting - 1),
            11 | 12 if nesting > 0 => {
                let count = 1 + self.random.below(3);
                StmtKind::Choice((0..count).map(|_| self.statements(nesting - 1)).collect())
            }
            13..=16 => self.call(),
            17 => self.parallel(),
            _ => match self.target(None) {
                Some((target, ty)) => {
                    StmtKind::Assign(vec![target], Source::Values(vec![self.expr(&ty, depth)]))
                }
                None => StmtKind::Skip,
            },
        }
    }

    fn local(&mut self) -> StmtKind {
        let (ty, depth) = (self.ty(), self.size.nesting);
        let count = 1 + usize::from(self.random.one_in(4));
        let values: Option<Vec<Expr>> = match self.random.below(3) {
            0 => None,
            _ => Some((0..count).map(|_| self.expr(&ty, depth)).collect()),
        };
        let names = (0..count).map(|_| {
            self.serial += 1;
            let name = format!("x{}", self.serial);
            self.scope.push((name.clone(), ty.clone()));
            Name::new(name)
        });
        let names = names.collect();
        StmtKind::Decl(Decl { names, ty: Type::new(ty), start: values.map(Source::Values) })
    }

    /// A loop that uses up fuel.
    fn loop_(&mut self, nesting: usize) -> StmtKind {
        let goes_on = Expr::binary(BinaryOp::And, has_fuel(), self.expr(&TypeKind::Bool, self.size.nesting));
        let mut body = vec![use_fuel()];
        body.append(&mut self.statements(nesting));
        if self.random.one_in(3) { StmtKind::DoWhile(body, goes_on) } else { StmtKind::While(goes_on, body) }
    }

    fn case(&mut self, nesting: usize) -> StmtKind {
        let arms = (0..1 + self.random.below(3)).map(|_| Arm {
            guard: self.expr(&TypeKind::Bool, self.size.nesting),
            body: self.statements(nesting),
        });
        let arms = arms.collect();
        let otherwise = if self.random.one_in(4) { None } else { Some(self.statements(nesting)) };
        StmtKind::Case(arms, otherwise)
    }

    /// A call that happens if there is fuel.
    fn call(&mut self) -> StmtKind {
        let callee = 1 + self.random.below(self.signatures.len() - 1);
        let Some(Signature { name, formals, result }) = self.signatures.get(callee) else {
            return StmtKind::Skip;
        };
        let (name, formals, result) = (name.clone(), formals.clone(), result.clone());
        let mut arguments = Vec::new();
        for (mode, (_, ty)) in formals {
            arguments.push(match mode {
                Mode::Value => self.expr(&ty, self.size.nesting),
                Mode::Ref | Mode::Out => match self.passed(&ty) {
                    Some(name) => Expr::name(name),
                    None => return StmtKind::Skip,
                },
            });
        }
        let call = Call::new(name, arguments);
        let target = result.and_then(|ty| self.target(Some(&ty)));
        let call = match target {
            Some((target, _)) => StmtKind::Assign(vec![target], Source::Call(call)),
            None => StmtKind::Call(call),
        };
        StmtKind::If(has_fuel(), vec![use_fuel(), Stmt::new(call)], None)
    }

    /// A variable or a reference of a type, to be passed by reference.
    fn passed(&mut self, ty: &TypeKind) -> Option<String> {
        let all = self.scope.iter().chain(&self.references).filter(|(_, t)| t == ty);
        let names: Vec<String> = all.map(|(name, _)| name.clone()).collect();
        (!names.is_empty()).then(|| names[self.random.below(names.len())].clone())
    }

    fn parallel(&mut self) -> StmtKind {
        let mut targets = Vec::new();
        let mut values = Vec::new();
        for _ in 0..2 + self.random.below(2) {
            if let Some((target, ty)) = self.target(None)
                && !targets.contains(&target)
            {
                targets.push(target);
                values.push(self.expr(&ty, self.size.nesting - 1));
            }
        }
        if targets.is_empty() { StmtKind::Skip } else { StmtKind::Assign(targets, Source::Values(values)) }
    }

    /// Something to assign to, of a type if one is given.
    fn target(&mut self, ty: Option<&TypeKind>) -> Option<(Target, TypeKind)> {
        let fits = |t: &TypeKind| ty.is_none_or(|ty| ty == t);
        let variables = self.scope.iter().map(|typed| (false, typed));
        let references = self.references.iter().map(|typed| (true, typed));
        let all: Vec<(bool, &Typed)> = variables.chain(references).filter(|(_, (_, t))| fits(t)).collect();
        if all.is_empty() {
            return None;
        }
        let (deref, (name, ty)) = all[self.random.below(all.len())];
        Some((Target::new(deref, name.clone()), ty.clone()))
    }
}

/// Expressions.
impl Generator {
    /// A condition that holds more often than not.
    fn likely(&mut self) -> Expr {
        let (a, b) = (self.expr(&TypeKind::Bool, 1), self.expr(&TypeKind::Bool, 2));
        Expr::binary(BinaryOp::Or, a, b)
    }

    fn expr(&mut self, ty: &TypeKind, depth: usize) -> Expr {
        if depth == 0 || self.random.one_in(4) {
            return self.leaf(ty);
        }
        match ty {
            TypeKind::Int => self.number(depth - 1),
            TypeKind::Bool => self.condition(depth - 1),
            TypeKind::Named(_) => self.leaf(ty),
        }
    }

    fn number(&mut self, depth: usize) -> Expr {
        use BinaryOp::{Add, Div, Mod, Mul, Sub};
        if self.random.one_in(6) {
            return Expr::unary(UnaryOp::Neg, self.expr(&TypeKind::Int, depth));
        }
        let op = self.random.pick(&[Add, Add, Add, Sub, Sub, Sub, Mul, Div, Mod]);
        let left = self.expr(&TypeKind::Int, depth);
        let right = match op {
            Div | Mod if !self.random.one_in(4) => Expr::new(ExprKind::Int(self.random.below(5) as i128 + 1)),
            _ => self.expr(&TypeKind::Int, depth),
        };
        Expr::binary(op, left, right)
    }

    fn condition(&mut self, depth: usize) -> Expr {
        use BinaryOp::{And, Eq, Ge, Gt, Implies, Le, Lt, Ne, Or};
        match self.random.below(8) {
            0 => Expr::unary(UnaryOp::Not, self.expr(&TypeKind::Bool, depth)),
            1..=3 => {
                let op = self.random.pick(&[And, Or, Implies]);
                let (a, b) = (self.expr(&TypeKind::Bool, depth), self.expr(&TypeKind::Bool, depth));
                Expr::binary(op, a, b)
            }
            4 => self.equality(depth),
            _ => {
                let op = self.random.pick(&[Lt, Le, Gt, Ge, Eq, Ne]);
                let (a, b) = (self.expr(&TypeKind::Int, depth), self.expr(&TypeKind::Int, depth));
                // Two `?` would have no type.
                let a = if a.kind == ExprKind::Any { self.constant(&TypeKind::Int) } else { a };
                Expr::binary(op, a, b)
            }
        }
    }

    /// Of references, or of values of any type.
    fn equality(&mut self, depth: usize) -> Expr {
        let op = self.random.pick(&[BinaryOp::Eq, BinaryOp::Ne]);
        if let (Some((first, ty)), true) = (self.references.first().cloned(), self.random.one_in(2)) {
            let alike: Vec<String> =
                self.references.iter().filter(|(_, t)| *t == ty).map(|(name, _)| name.clone()).collect();
            let second = alike[self.random.below(alike.len())].clone();
            return Expr::binary(op, Expr::name(first), Expr::name(second));
        }
        let ty = self.ty();
        let (a, b) = (self.constant(&ty), self.expr(&ty, depth));
        if self.random.one_in(2) { Expr::binary(op, a, b) } else { Expr::binary(op, b, a) }
    }

    fn leaf(&mut self, ty: &TypeKind) -> Expr {
        if self.random.one_in(10) {
            return Expr::new(ExprKind::Any);
        }
        if self.random.one_in(4) {
            return self.constant(ty);
        }
        match self.target(Some(ty)) {
            Some((Target { deref: true, name }, _)) => Expr::new(ExprKind::Deref(name.text)),
            Some((Target { deref: false, name }, _)) => Expr::name(name.text),
            None => self.constant(ty),
        }
    }

    fn constant(&mut self, ty: &TypeKind) -> Expr {
        match ty {
            TypeKind::Int => {
                let number = Expr::new(ExprKind::Int(self.random.pick(&[0, 0, 1, 1, 2, 3, 7, 1 << 40])));
                if self.random.one_in(5) { Expr::unary(UnaryOp::Neg, number) } else { number }
            }
            TypeKind::Bool => Expr::new(ExprKind::Bool(self.random.one_in(2))),
            TypeKind::Named(name) => {
                let size = self.enums.iter().find(|(n, _)| n == name).map_or(1, |&(_, size)| size);
                Expr::name(format!("{name}_{}", self.random.below(size)))
            }
        }
    }
}

fn assign(name: &str, value: Expr) -> StmtKind {
    StmtKind::Assign(vec![Target::new(false, name)], Source::Values(vec![value]))
}

fn has_fuel() -> Expr {
    Expr::binary(BinaryOp::Gt, Expr::name("fuel"), Expr::new(ExprKind::Int(0)))
}

fn use_fuel() -> Stmt {
    let less = Expr::binary(BinaryOp::Sub, Expr::name("fuel"), Expr::new(ExprKind::Int(1)));
    Stmt::new(assign("fuel", less))
}
