//! A direct interpreter of syntax trees, which shares nothing with the checker and with lowering: the
//! meaning of the language as `docs/x.md` tells it. Programs must have passed the checker.

use std::collections::{HashMap, VecDeque};

use hardbop_ir::interpret::{Draw, DrawSource};
use hardbop_teach::ast::{
    BinaryOp, Call, Decl, Expr, ExprKind, Item, Mode, Procedure, Program, Source, Stmt, StmtKind, Target,
    TypeKind, UnaryOp,
};

/// How a run ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    Returned(i128),
    AssertionFailed(String),
    LabelReached(String),
    Blocked,
    DivisionByZero,
    /// A number of more than 128 bits.
    TooLarge,
    /// The other run drew fewer values.
    OutOfDraws,
}

/// Why a statement does not go on to the next one.
enum Stop {
    Return(Option<i128>),
    End(End),
}

type Done<T> = Result<T, Stop>;

/// What a name means in an activation: a cell, directly or by reference.
#[derive(Clone)]
struct Binding {
    cell: usize,
    ty: TypeKind,
    reference: bool,
}

type Frame = HashMap<String, Binding>;

pub struct Reference<'a> {
    program: &'a Program,
    error_labels: &'a [&'a str],
    draws: VecDeque<Draw>,
    cells: Vec<i128>,
    globals: Frame,
}

impl<'a> Reference<'a> {
    /// Runs a program with the values that another run drew; how it ends and how many values are left.
    pub fn run(
        program: &'a Program,
        entry: &str,
        error_labels: &'a [&'a str],
        draws: &[Draw],
    ) -> (End, usize) {
        let draws = draws.iter().copied().collect();
        let (cells, globals) = (Vec::new(), Frame::new());
        let mut reference = Reference { program, error_labels, draws, cells, globals };
        let end = match reference.start(entry) {
            Ok(value) => End::Returned(value),
            Err(Stop::End(end)) => end,
            Err(Stop::Return(_)) => panic!("a return outside of a procedure"),
        };
        (end, reference.draws.len())
    }

    fn start(&mut self, entry: &str) -> Done<i128> {
        for item in &self.program.items {
            let Item::Globals(Decl { names, ty, start }) = item else { continue };
            for (i, name) in names.iter().enumerate() {
                let value = match start {
                    Some(Source::Values(values)) if values[i].kind != ExprKind::Any => {
                        self.value(&values[i], &ty.kind, &Frame::new())?
                    }
                    _ => self.draw(&ty.kind)?,
                };
                let binding = self.new_cell(value, &ty.kind);
                self.globals.insert(name.text.clone(), binding);
            }
        }
        let procedure = self.procedure(entry);
        let mut frame = Frame::new();
        for formal in &procedure.formals {
            let value = self.draw(&formal.ty.kind)?;
            let binding = self.new_cell(value, &formal.ty.kind);
            frame.insert(formal.name.text.clone(), binding);
        }
        self.enter(procedure, frame)
    }

    fn procedure(&self, name: &str) -> &'a Procedure {
        let items = self.program.items.iter();
        let mut found = items.filter_map(|item| match item {
            Item::Procedure(p) if p.name.text == name => Some(p),
            _ => None,
        });
        found.next().expect("a procedure that is there")
    }

    /// The positions of the values of enumerations, by name.
    fn enum_value(&self, name: &str) -> Option<(TypeKind, i128)> {
        self.program.items.iter().find_map(|item| match item {
            Item::Enum(e) => {
                let position = e.values.iter().position(|value| value.text == name)?;
                Some((TypeKind::Named(e.name.text.clone()), position as i128))
            }
            _ => None,
        })
    }

    fn enum_size(&self, name: &str) -> i128 {
        let size = self.program.items.iter().find_map(|item| match item {
            Item::Enum(e) if e.name.text == name => Some(e.values.len() as i128),
            _ => None,
        });
        size.expect("a type that is there")
    }

    fn new_cell(&mut self, value: i128, ty: &TypeKind) -> Binding {
        self.cells.push(value);
        Binding { cell: self.cells.len() - 1, ty: ty.clone(), reference: false }
    }

    /// The next drawn value; the other run must have drawn one of the same type here.
    fn draw(&mut self, ty: &TypeKind) -> Done<i128> {
        let draw = self.draws.pop_front().ok_or(Stop::End(End::OutOfDraws))?;
        assert!(matches!(draw.source, DrawSource::Value(_)), "the other run did not draw a value here");
        match ty {
            TypeKind::Bool => {
                assert_eq!(draw.width, 1);
                Ok(draw.value as i128)
            }
            TypeKind::Int => {
                assert_eq!(draw.width, 128);
                Ok(draw.value as i128)
            }
            TypeKind::Named(name) => {
                let value = draw.value as i128;
                if (0..self.enum_size(name)).contains(&value) {
                    Ok(value)
                } else {
                    Err(Stop::End(End::Blocked))
                }
            }
        }
    }

    fn choose(&mut self, ways: usize) -> Done<usize> {
        match ways {
            0 => Err(Stop::End(End::Blocked)),
            1 => Ok(0),
            _ => {
                let draw = self.draws.pop_front().ok_or(Stop::End(End::OutOfDraws))?;
                assert_eq!(draw.source, DrawSource::Choice, "the other run did not choose here");
                Ok(draw.value as usize % ways)
            }
        }
    }

    fn enter(&mut self, procedure: &'a Procedure, mut frame: Frame) -> Done<i128> {
        if let Some(ty) = &procedure.result {
            frame.insert("return".into(), Binding { cell: 0, ty: ty.kind.clone(), reference: false });
        }
        let returned = match self.block(&procedure.body, &mut frame) {
            Err(Stop::Return(value)) => value,
            Err(stop) => return Err(stop),
            Ok(()) => match &procedure.result {
                Some(ty) => Some(self.draw(&ty.kind)?),
                None => None,
            },
        };
        Ok(returned.unwrap_or(0))
    }

    fn block(&mut self, statements: &'a [Stmt], frame: &mut Frame) -> Done<()> {
        for stmt in statements {
            for label in &stmt.labels {
                if self.error_labels.contains(&label.text.as_str()) {
                    return Err(Stop::End(End::LabelReached(label.text.clone())));
                }
            }
            self.statement(&stmt.kind, frame)?;
        }
        Ok(())
    }

    fn statement(&mut self, kind: &'a StmtKind, frame: &mut Frame) -> Done<()> {
        match kind {
            StmtKind::Skip => Ok(()),
            StmtKind::Decl(Decl { names, ty, start }) => {
                let values = match start {
                    Some(Source::Values(values)) => {
                        values.iter().map(|v| self.value(v, &ty.kind, frame)).collect::<Done<Vec<_>>>()?
                    }
                    Some(Source::Call(call)) => vec![self.call(call, frame)?],
                    None => names.iter().map(|_| self.draw(&ty.kind)).collect::<Done<Vec<_>>>()?,
                };
                for (name, value) in names.iter().zip(values) {
                    let binding = self.new_cell(value, &ty.kind);
                    frame.insert(name.text.clone(), binding);
                }
                Ok(())
            }
            StmtKind::Assign(targets, source) => {
                let bindings: Vec<Binding> = targets.iter().map(|t| self.target(t, frame)).collect();
                let values = match source {
                    Source::Values(values) => {
                        let pairs = values.iter().zip(&bindings);
                        pairs.map(|(v, b)| self.value(v, &b.ty, frame)).collect::<Done<Vec<_>>>()?
                    }
                    Source::Call(call) => vec![self.call(call, frame)?],
                };
                for (binding, value) in bindings.iter().zip(values) {
                    self.cells[binding.cell] = value;
                }
                Ok(())
            }
            StmtKind::Call(call) => self.call(call, frame).map(|_| ()),
            StmtKind::If(condition, then, otherwise) => {
                let part = if self.holds(condition, frame)? { Some(then) } else { otherwise.as_ref() };
                part.map_or(Ok(()), |part| self.block(part, frame))
            }
            StmtKind::While(condition, body) => {
                while self.holds(condition, frame)? {
                    self.block(body, frame)?;
                }
                Ok(())
            }
            StmtKind::DoWhile(body, condition) => loop {
                self.block(body, frame)?;
                if !self.holds(condition, frame)? {
                    return Ok(());
                }
            },
            StmtKind::Case(arms, otherwise) => {
                let mut ways = Vec::new();
                for arm in arms {
                    if self.holds(&arm.guard, frame)? {
                        ways.push(&arm.body);
                    }
                }
                if ways.is_empty() {
                    ways.extend(otherwise);
                }
                let way = self.choose(ways.len())?;
                self.block(ways[way], frame)
            }
            StmtKind::Choice(parts) => {
                let way = self.choose(parts.len())?;
                self.block(&parts[way], frame)
            }
            StmtKind::Assert(condition) => {
                if self.holds(condition, frame)? {
                    return Ok(());
                }
                Err(Stop::End(End::AssertionFailed(condition.to_string())))
            }
            StmtKind::Assume(condition) => {
                if self.holds(condition, frame)? {
                    Ok(())
                } else {
                    Err(Stop::End(End::Blocked))
                }
            }
            StmtKind::Return(None) => Err(Stop::Return(None)),
            StmtKind::Return(Some(value)) => {
                let ty = self.result_type(frame);
                let value = self.value(value, &ty, frame)?;
                Err(Stop::Return(Some(value)))
            }
        }
    }

    /// Each frame remembers the type of its procedure's result under a name that is none.
    fn result_type(&self, frame: &Frame) -> TypeKind {
        frame.get("return").map_or(TypeKind::Int, |binding| binding.ty.clone())
    }

    fn target(&self, target: &Target, frame: &Frame) -> Binding {
        self.binding(&target.name.text, frame).expect("a variable that is there")
    }

    fn binding(&self, name: &str, frame: &Frame) -> Option<Binding> {
        frame.get(name).or_else(|| self.globals.get(name)).cloned()
    }

    fn call(&mut self, call: &Call, frame: &Frame) -> Done<i128> {
        let procedure = self.procedure(&call.callee.text);
        let mut own = Frame::new();
        for (formal, argument) in procedure.formals.iter().zip(&call.arguments) {
            let binding = match (&formal.mode, &argument.kind) {
                (Mode::Value, _) => {
                    let value = self.value(argument, &formal.ty.kind, frame)?;
                    self.new_cell(value, &formal.ty.kind)
                }
                (_, ExprKind::Name(name)) => {
                    let passed = self.binding(name, frame).expect("a variable that is there");
                    Binding { reference: true, ..passed }
                }
                _ => panic!("{argument} is passed by reference"),
            };
            own.insert(formal.name.text.clone(), binding);
        }
        self.enter(procedure, own)
    }

    fn holds(&mut self, condition: &Expr, frame: &Frame) -> Done<bool> {
        Ok(self.value(condition, &TypeKind::Bool, frame)? != 0)
    }

    /// The value of an expression of a type.
    fn value(&mut self, expr: &Expr, ty: &TypeKind, frame: &Frame) -> Done<i128> {
        match &expr.kind {
            ExprKind::Int(value) => Ok(*value),
            ExprKind::Bool(value) => Ok((*value).into()),
            ExprKind::Any => self.draw(ty),
            ExprKind::Name(name) | ExprKind::Deref(name) => match self.binding(name, frame) {
                Some(binding) => Ok(self.cells[binding.cell]),
                None => Ok(self.enum_value(name).expect("a name that is there").1),
            },
            ExprKind::Unary(UnaryOp::Neg, operand) => {
                let value = self.value(operand, &TypeKind::Int, frame)?;
                value.checked_neg().ok_or(Stop::End(End::TooLarge))
            }
            ExprKind::Unary(UnaryOp::Not, operand) => Ok((!self.holds(operand, frame)?).into()),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, frame),
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, frame: &Frame) -> Done<i128> {
        match op {
            BinaryOp::And => return Ok((self.holds(a, frame)? && self.holds(b, frame)?).into()),
            BinaryOp::Or => return Ok((self.holds(a, frame)? || self.holds(b, frame)?).into()),
            BinaryOp::Implies => return Ok((!self.holds(a, frame)? || self.holds(b, frame)?).into()),
            BinaryOp::Eq | BinaryOp::Ne => {
                if let Some(same) = self.same_reference(a, b, frame) {
                    return Ok((same == (op == BinaryOp::Eq)).into());
                }
            }
            _ => {}
        }
        let ty = self.type_of(a, frame).or_else(|| self.type_of(b, frame)).unwrap_or(TypeKind::Int);
        let (a, b) = (self.value(a, &ty, frame)?, self.value(b, &ty, frame)?);
        let number = match op {
            BinaryOp::Eq => return Ok((a == b).into()),
            BinaryOp::Ne => return Ok((a != b).into()),
            BinaryOp::Lt => return Ok((a < b).into()),
            BinaryOp::Le => return Ok((a <= b).into()),
            BinaryOp::Gt => return Ok((a > b).into()),
            BinaryOp::Ge => return Ok((a >= b).into()),
            BinaryOp::Add => a.checked_add(b),
            BinaryOp::Sub => a.checked_sub(b),
            BinaryOp::Mul => a.checked_mul(b),
            BinaryOp::Div | BinaryOp::Mod if b == 0 => return Err(Stop::End(End::DivisionByZero)),
            // The quotient is the greatest number that is not above a / b.
            BinaryOp::Div => {
                a.checked_div_euclid(b).map(|q| if b < 0 && a.rem_euclid(b) != 0 { q - 1 } else { q })
            }
            BinaryOp::Mod => {
                Some(a.wrapping_rem(b)).map(|r| if r != 0 && (r < 0) != (b < 0) { r + b } else { r })
            }
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => unreachable!("decided above"),
        };
        number.ok_or(Stop::End(End::TooLarge))
    }

    /// Whether two references refer to the same cell.
    fn same_reference(&self, a: &Expr, b: &Expr, frame: &Frame) -> Option<bool> {
        let (ExprKind::Name(a), ExprKind::Name(b)) = (&a.kind, &b.kind) else { return None };
        let (a, b) = (self.binding(a, frame)?, self.binding(b, frame)?);
        (a.reference && b.reference).then_some(a.cell == b.cell)
    }

    /// The type of an expression other than `?`.
    fn type_of(&self, expr: &Expr, frame: &Frame) -> Option<TypeKind> {
        match &expr.kind {
            ExprKind::Any => None,
            ExprKind::Int(_) | ExprKind::Unary(UnaryOp::Neg, _) => Some(TypeKind::Int),
            ExprKind::Bool(_) | ExprKind::Unary(UnaryOp::Not, _) => Some(TypeKind::Bool),
            ExprKind::Name(name) | ExprKind::Deref(name) => match self.binding(name, frame) {
                Some(binding) => Some(binding.ty),
                None => self.enum_value(name).map(|(ty, _)| ty),
            },
            ExprKind::Binary(op, ..) => Some(match op {
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Mod => {
                    TypeKind::Int
                }
                _ => TypeKind::Bool,
            }),
        }
    }
}
