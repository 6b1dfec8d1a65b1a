//! Expressions other than builtins.

use rucc_ast::UnaryOp as TheirUnary;
use rucc_sema::{Base, Category, Const, Conversion, ExprKind as Theirs, Tast};
use rucc_types::{TypeKind, integer_info};
use rustc_hash::FxHashSet;

use super::Converter;
use crate::ast::{self, AddressBase, BinaryOp, Expr, ExprKind, StepOp, Type, UnaryOp};

/// The first operand of `a ?: b`, which the front end writes as `(bool)a ? a : b` with the very
/// same node in both places; its conversions to a condition and to the common type come on top.
pub(super) fn elvis(
    tast: &Tast,
    cond: rucc_sema::ExprId,
    then: rucc_sema::ExprId,
) -> Option<rucc_sema::ExprId> {
    let inner = |id: rucc_sema::ExprId| match tast[id].kind {
        Theirs::Convert { kind, operand } if !matches!(kind, Conversion::Lvalue) => Some(operand),
        _ => None,
    };
    let chain = |from| std::iter::successors(Some(from), move |&id| inner(id));
    chain(cond).find(|&id| chain(then).any(|other| other == id))
}

/// An expression without the unary plus in front of it, whose promotion is a node of its own.
pub(super) fn without_plus(tast: &Tast, mut id: rucc_sema::ExprId) -> rucc_sema::ExprId {
    while let Theirs::Unary { op: TheirUnary::Plus, operand } = tast[id].kind {
        id = operand;
    }
    id
}

impl Converter<'_> {
    /// The translation of an operand.
    pub(super) fn operand(&mut self, id: rucc_sema::ExprId) -> Option<ast::ExprId> {
        self.exprs.get(without_plus(self.tast, id))
    }

    pub(super) fn expr(&mut self, id: rucc_sema::ExprId, lengths: &FxHashSet<rucc_sema::ExprId>) -> Expr {
        let node = self.tast[id];
        let ty = self.value_ty(node.ty);
        let span = self.span(self.tast.expr_span(id));
        let kind = self.expr_kind(id, lengths);
        let kind = kind.unwrap_or_else(|| ExprKind::Unsupported(unsupported(node.kind)));
        Expr { kind, ty, span }
    }

    fn expr_kind(
        &mut self,
        id: rucc_sema::ExprId,
        lengths: &FxHashSet<rucc_sema::ExprId>,
    ) -> Option<ExprKind> {
        let node = self.tast[id];
        Some(match node.kind {
            Theirs::Const(value) => self.constant(value, node.ty)?,
            Theirs::Str(literal) => ExprKind::Str(self.literal(literal, node.ty)),
            Theirs::Decl(decl) => ExprKind::Decl(self.decls.get(decl)?),
            Theirs::Member { base, field } => self.member(node, base, field, id)?,
            Theirs::Subscript { base, index } => {
                if !rucc_types::is_pointer(self.types, self.tast[base].ty) {
                    return None;
                }
                ExprKind::Subscript { pointer: self.operand(base)?, index: self.operand(index)? }
            }
            Theirs::Call { callee, args } => {
                ExprKind::Call { callee: self.operand(callee)?, arguments: self.operand_list(args)? }
            }
            Theirs::Unary { op, operand } => self.unary(op, operand)?,
            Theirs::Binary { op, lhs, rhs } => {
                let (lhs, rhs) =
                    (self.length_or_operand(lhs, lengths)?, self.length_or_operand(rhs, lengths)?);
                ExprKind::Binary(binary(op), lhs, rhs)
            }
            Theirs::Assign { op: None, lhs, rhs, .. } => {
                ExprKind::Assign { target: self.operand(lhs)?, value: self.operand(rhs)? }
            }
            Theirs::Assign { op: Some(op), computation, lhs, rhs } => ExprKind::AssignOp {
                op: binary(op),
                computation: self.value_ty(computation),
                target: self.operand(lhs)?,
                value: self.operand(rhs)?,
            },
            Theirs::Cond { cond, then, otherwise } => match elvis(self.tast, cond, then) {
                Some(value) => {
                    ExprKind::Elvis { value: self.operand(value)?, otherwise: self.operand(otherwise)? }
                }
                None => ExprKind::Conditional {
                    condition: self.operand(cond)?,
                    then: self.operand(then)?,
                    otherwise: self.operand(otherwise)?,
                },
            },
            Theirs::Comma { lhs, rhs } => ExprKind::Comma(self.operand(lhs)?, self.operand(rhs)?),
            Theirs::Cast(operand) => ExprKind::Cast(self.operand(operand)?),
            Theirs::Convert { kind, operand } => {
                let operand = self.length_or_operand(operand, lengths)?;
                conversion(kind, operand)?
            }
            Theirs::CompoundLiteral(decl) => ExprKind::CompoundLiteral(self.decls.get(decl)?),
            Theirs::StmtExpr(body) => ExprKind::Statements(self.stmts.get(body)?),
            Theirs::LabelAddr(label) => ExprKind::LabelAddress(self.label(label)),
            Theirs::VaArg { list } => ExprKind::VaArg(self.operand(list)?),
            Theirs::VaStart { list } => ExprKind::VaStart(self.operand(list)?),
            Theirs::VaEnd { list } => ExprKind::VaEnd(self.operand(list)?),
            Theirs::VaCopy { dst, src } => ExprKind::VaCopy(self.operand(dst)?, self.operand(src)?),
            other => self.builtin(other, node.ty)?,
        })
    }

    /// A member. That of a record that is a value, as in `f().x`, is a value for the front end; here
    /// it is loaded like any other, unless it is an array, which decays.
    fn member(
        &mut self,
        node: rucc_sema::Expr,
        base: rucc_sema::ExprId,
        field: u32,
        id: rucc_sema::ExprId,
    ) -> Option<ExprKind> {
        let member = ExprKind::Member { base: self.operand(base)?, field };
        if node.category != Category::Rvalue || rucc_types::is_array(self.types, node.ty) {
            return Some(member);
        }
        let (ty, span) = (self.ty(node.ty), self.span(self.tast.expr_span(id)));
        Some(ExprKind::Load(self.unit.exprs.push(Expr { kind: member, ty, span })))
    }

    pub(super) fn operand_list(&mut self, list: rucc_sema::ExprList) -> Option<Vec<ast::ExprId>> {
        self.tast[list].iter().map(|&id| self.operand(id)).collect()
    }

    /// An operand in the places where a `sizeof` mentions the length of a variable-length array.
    /// That is evaluated where the declaration is reached, so it means the value it had there: the
    /// size of as many bytes.
    fn length_or_operand(
        &mut self,
        id: rucc_sema::ExprId,
        lengths: &FxHashSet<rucc_sema::ExprId>,
    ) -> Option<ast::ExprId> {
        let ours = self.operand(id)?;
        if !lengths.contains(&without_plus(self.tast, id)) {
            return Some(ours);
        }
        let element = self.intern(Type::Int { width: 8, signed: true });
        let bytes = self.intern(Type::Array { element, length: ast::ArrayLength::Variable(ours) });
        let size = self.intern(Type::Int { width: self.unit.data_model.pointer_bits(), signed: false });
        let span = self.span(self.tast.expr_span(id));
        let count = self.unit.exprs.push(Expr { kind: ExprKind::VariableSize(bytes), ty: size, span });
        let ty = self.ty(self.tast[id].ty);
        Some(self.unit.exprs.push(Expr { kind: ExprKind::Cast(count), ty, span }))
    }

    fn unary(&mut self, op: TheirUnary, operand: rucc_sema::ExprId) -> Option<ExprKind> {
        let operand = self.operand(operand)?;
        Some(match op {
            TheirUnary::Minus => ExprKind::Unary(UnaryOp::Minus, operand),
            TheirUnary::Not => ExprKind::Unary(UnaryOp::Not, operand),
            TheirUnary::BitNot => ExprKind::Unary(UnaryOp::BitNot, operand),
            TheirUnary::Deref => ExprKind::Deref(operand),
            TheirUnary::AddrOf => ExprKind::AddressOf(operand),
            TheirUnary::PreInc => ExprKind::Step { op: StepOp::PreIncrement, operand },
            TheirUnary::PreDec => ExprKind::Step { op: StepOp::PreDecrement, operand },
            TheirUnary::PostInc => ExprKind::Step { op: StepOp::PostIncrement, operand },
            TheirUnary::PostDec => ExprKind::Step { op: StepOp::PostDecrement, operand },
            // Nobody mentions a plus; see `without_plus`.
            TheirUnary::Plus | TheirUnary::Real | TheirUnary::Imag => return None,
        })
    }

    fn constant(&mut self, id: rucc_sema::ConstId, ty: rucc_types::TypeId) -> Option<ExprKind> {
        Some(match self.tast[id] {
            Const::Int(value) => ExprKind::Int(value),
            Const::Float(value) => ExprKind::Float(value.to_bits()),
            Const::Address(address) => {
                let base = match address.base {
                    Base::Decl(decl) => AddressBase::Decl(self.decls.get(decl)?),
                    Base::Str(literal) => {
                        let bytes = self.tast[literal].bytes(self.target);
                        let width = self.tast[literal].encoding.element_width(self.target);
                        let signed = self.tast[literal].encoding.is_signed(self.target);
                        let width = u16::try_from(width).ok()?;
                        let element = self.intern(Type::Int { width, signed });
                        let length = ast::ArrayLength::Fixed(bytes.len() as u64 / u64::from(width / 8));
                        AddressBase::Str(bytes.into(), self.intern(Type::Array { element, length }))
                    }
                    Base::Label(label) => AddressBase::Label(self.label(label)),
                    Base::Absolute => return Some(ExprKind::Int(self.absolute(address.offset, ty))),
                };
                ExprKind::Address(base, address.offset)
            }
            Const::Complex { .. } | Const::ComplexInt { .. } | Const::Apart { .. } => return None,
        })
    }

    /// A number that was written as an address, cut to the type it has.
    fn absolute(&self, value: i128, ty: rucc_types::TypeId) -> i128 {
        match integer_info(self.types, ty, self.target) {
            Some(info) => info.wrap(value),
            None => rucc_types::IntegerInfo::new(false, self.target.pointer_width).wrap(value),
        }
    }

    /// The bytes of a literal, as many as the array type says.
    fn literal(&self, id: rucc_sema::StrId, ty: rucc_types::TypeId) -> std::sync::Arc<[u8]> {
        let mut bytes = self.tast[id].bytes(self.target);
        if let TypeKind::Array { .. } = self.types.kind(self.types.canonical(ty))
            && let Ok(layout) = rucc_types::layout(self.types, ty, self.target)
        {
            bytes.truncate(usize::try_from(layout.size).unwrap_or(usize::MAX));
        }
        bytes.into()
    }
}

fn conversion(kind: Conversion, operand: ast::ExprId) -> Option<ExprKind> {
    Some(match kind {
        Conversion::Lvalue => ExprKind::Load(operand),
        Conversion::ArrayDecay | Conversion::FunctionDecay => ExprKind::Decay(operand),
        Conversion::Arithmetic
        | Conversion::Pointer
        | Conversion::Bool
        | Conversion::NullPointer
        | Conversion::Void => ExprKind::Cast(operand),
        Conversion::Broadcast | Conversion::Hardbool => return None,
    })
}

pub(super) fn binary(op: rucc_ast::BinaryOp) -> BinaryOp {
    use rucc_ast::BinaryOp as Op;
    match op {
        Op::Mul => BinaryOp::Mul,
        Op::Div => BinaryOp::Div,
        Op::Rem => BinaryOp::Rem,
        Op::Add => BinaryOp::Add,
        Op::Sub => BinaryOp::Sub,
        Op::Shl => BinaryOp::Shl,
        Op::Shr => BinaryOp::Shr,
        Op::Lt => BinaryOp::Lt,
        Op::Gt => BinaryOp::Gt,
        Op::Le => BinaryOp::Le,
        Op::Ge => BinaryOp::Ge,
        Op::Eq => BinaryOp::Eq,
        Op::Ne => BinaryOp::Ne,
        Op::BitAnd => BinaryOp::BitAnd,
        Op::BitXor => BinaryOp::BitXor,
        Op::BitOr => BinaryOp::BitOr,
        Op::LogAnd => BinaryOp::And,
        Op::LogOr => BinaryOp::Or,
    }
}

/// Why an expression has no translation.
fn unsupported(kind: Theirs) -> String {
    let what = match kind {
        Theirs::Const(_) => "a complex constant or a difference of labels",
        Theirs::Subscript { .. } | Theirs::ConvertVector { .. } | Theirs::Elementwise { .. } => {
            "a vector operation"
        }
        Theirs::Shuffle { .. } | Theirs::ShuffleVector { .. } => "a vector shuffle",
        Theirs::Convert { kind: Conversion::Broadcast, .. } => "a vector operation",
        Theirs::Convert { kind: Conversion::Hardbool, .. } => "a hardened boolean",
        Theirs::Unary { .. } | Theirs::Complex { .. } => "complex arithmetic",
        Theirs::ThreadPointer => "__builtin_thread_pointer",
        Theirs::TimeStamp { .. } | Theirs::Eflags { .. } | Theirs::XState { .. } => "a processor register",
        Theirs::CpuModel { .. } => "a question about the processor",
        Theirs::ApplyArgs | Theirs::Apply { .. } => "__builtin_apply",
        Theirs::Jump { .. } => "__builtin_setjmp or __builtin_longjmp",
        _ => "an expression of the front end",
    };
    what.to_owned()
}
