//! Parsing of types, places and expressions.
//!
//! Recursion is bounded by [`MAX_DEPTH`]; so is the depth of what comes out, which could otherwise
//! grow without recursion (`p->next->next…`).

use hardbop_base::text::{Failed, Parse};

use super::lex::{Kind, Punct, Token};
use super::parse::Parser;
use super::{Expect, MAX_DEPTH, MAX_TYPE_DEPTH};
use crate::{
    BinaryOp, ExprId, ExprKind, FloatKind, FunctionType, Place, PlaceBase, Projection, RecordKind, Type,
    TypeId, UnaryOp,
};

/// Parentheses that the printer adds count for the recursion but not for the depth of an
/// expression.
const MAX_RECURSION: usize = MAX_DEPTH as usize + 16;

/// Something that was read, and its depth.
struct Parsed {
    node: Node,
    depth: u32,
}

enum Node {
    Place(Place),
    Value(ExprId),
}

/// Types.
impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parse<TypeId> {
        self.nested_type(1)
    }

    fn nested_type(&mut self, depth: u32) -> Parse<TypeId> {
        if depth > MAX_TYPE_DEPTH {
            return Err(self.error_here("the type is nested too deeply"));
        }
        let ty = match self.token.kind {
            Kind::Punct(Punct::LeftBracket) => return self.array_type(depth),
            Kind::Word(word) => match word {
                "void" => Type::Void,
                "bool" => Type::Bool,
                "int" => Type::Integer,
                "f32" => Type::Float(FloatKind::F32),
                "f64" => Type::Float(FloatKind::F64),
                "f80" => Type::Float(FloatKind::F80),
                "ptr" => {
                    self.advance();
                    let target = self.nested_type(depth + 1)?;
                    return Ok(self.program.pointer_to(target));
                }
                "struct" => return self.record_type(RecordKind::Struct),
                "union" => return self.record_type(RecordKind::Union),
                "fn" => return self.function_type(depth),
                _ => match machine_type(word) {
                    Some(ty) => ty,
                    None => return Err(self.unexpected("a type")),
                },
            },
            _ => return Err(self.unexpected("a type")),
        };
        self.advance();
        Ok(self.program.intern_type(ty))
    }

    fn array_type(&mut self, depth: u32) -> Parse<TypeId> {
        self.advance();
        let token = self.token;
        let length: u64 = self.number("the length of an array")?;
        self.expect_word("x")?;
        let element = self.nested_type(depth + 1)?;
        self.expect(Punct::RightBracket)?;
        let most = self.program.data_model.max_object_size();
        if length.max(self.program.size_of(element).saturating_mul(length)) > most {
            return Err(self.error_at(token, "the array is larger than the address space allows"));
        }
        Ok(self.program.array_of(element, length))
    }

    fn record_type(&mut self, kind: RecordKind) -> Parse<TypeId> {
        self.advance();
        let token = self.token;
        let name = self.name()?;
        let Some(&id) = self.records.get(&name) else {
            return Err(self.error_at(token, format!("there is no record `{name}`")));
        };
        if self.program.records[id].kind != kind {
            return Err(self.error_at(token, format!("`{name}` is defined as the other kind of record")));
        }
        Ok(self.program.intern_type(Type::Record(id)))
    }

    fn function_type(&mut self, depth: u32) -> Parse<TypeId> {
        self.advance();
        self.expect(Punct::LeftParen)?;
        let mut formals = Vec::new();
        if !self.eat(Punct::RightParen) {
            loop {
                formals.push(self.nested_type(depth + 1)?);
                if self.eat(Punct::RightParen) {
                    break;
                }
                self.expect(Punct::Comma)?;
            }
        }
        let variadic = self.eat_word("variadic");
        self.expect(Punct::Arrow)?;
        let result = self.nested_type(depth + 1)?;
        Ok(self.program.intern_type(Type::Function(FunctionType { result, formals, variadic })))
    }
}

/// `i32`, `u8` and so on.
fn machine_type(word: &str) -> Option<Type> {
    let (signed, digits) = match word.split_at_checked(1)? {
        ("i", digits) => (true, digits),
        ("u", digits) => (false, digits),
        _ => return None,
    };
    let plain = digits.len() <= 3 && digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    let width = digits.parse().ok().filter(|&width| plain && width <= 128)?;
    Some(Type::Machine { width, signed })
}

/// Expressions and places.
impl Parser<'_> {
    /// An expression.
    pub(super) fn expr(&mut self, expect: Expect) -> Parse<ExprId> {
        Ok(self.value(expect)?.0)
    }

    /// An expression in parentheses, and nothing behind them.
    pub(super) fn group(&mut self) -> Parse<ExprId> {
        if !self.at(Punct::LeftParen) {
            return Err(self.unexpected("`(`"));
        }
        let parsed = self.primary(Expect::DEFAULT)?;
        Ok(self.read_out(parsed).0)
    }

    /// A place.
    pub(super) fn place(&mut self) -> Parse<Place> {
        let token = self.token;
        match self.operand(Expect::DEFAULT)?.node {
            Node::Place(place) => Ok(place),
            Node::Value(_) => Err(self.error_at(token, "this is a value, not a place to store one")),
        }
    }

    /// The pointer of an indirect call.
    pub(super) fn callee(&mut self) -> Parse<ExprId> {
        let parsed = self.postfix(Expect::DEFAULT)?;
        Ok(self.read_out(parsed).0)
    }

    fn value(&mut self, expect: Expect) -> Parse<(ExprId, u32)> {
        let parsed = self.operand(expect)?;
        Ok(self.read_out(parsed))
    }

    /// The value that was read; of a place, what it holds.
    fn read_out(&mut self, parsed: Parsed) -> (ExprId, u32) {
        let expr = match parsed.node {
            Node::Value(expr) => expr,
            Node::Place(place) => {
                let ty = place.ty;
                let place = self.program.intern_place(place);
                self.program.intern_expr(ExprKind::Load(place), ty)
            }
        };
        (expr, parsed.depth)
    }

    /// A new expression on top of operands of this depth.
    fn made(&mut self, token: Token<'_>, kind: ExprKind, ty: TypeId, operands: u32) -> Parse<Parsed> {
        let depth = self.deeper(token, operands)?;
        Ok(Parsed { node: Node::Value(self.program.intern_expr(kind, ty)), depth })
    }

    fn deeper(&mut self, token: Token<'_>, depth: u32) -> Parse<u32> {
        if depth >= MAX_DEPTH {
            return Err(self.too_deep(token));
        }
        Ok(depth + 1)
    }

    fn too_deep(&mut self, token: Token<'_>) -> Failed {
        self.error_at(token, format!("the expression is nested more than {MAX_DEPTH} deep"))
    }

    /// Prefix operators and what they apply to.
    fn operand(&mut self, expect: Expect) -> Parse<Parsed> {
        let token = self.token;
        if !self.enter(MAX_RECURSION) {
            return Err(self.too_deep(token));
        }
        let parsed = match token.kind {
            Kind::Punct(Punct::Star) => self.dereference(),
            Kind::Punct(Punct::And) => self.address(),
            Kind::Punct(Punct::Minus) => self.negative(expect),
            Kind::Punct(Punct::Tilde) => self.unary(UnaryOp::BitNot, expect),
            Kind::Punct(Punct::Bang) => self.unary(UnaryOp::Not, expect),
            _ => self.postfix(expect),
        };
        self.leave();
        parsed
    }

    fn dereference(&mut self) -> Parse<Parsed> {
        let token = self.advance();
        let (pointer, depth) = self.value(Expect::DEFAULT)?;
        self.target(token, pointer, depth)
    }

    /// What a pointer points to.
    fn target(&mut self, token: Token<'_>, pointer: ExprId, depth: u32) -> Parse<Parsed> {
        let ty = self.program.expr(pointer).ty;
        let Some(ty) = self.program.pointee(ty) else {
            let ty = self.program.show_type(ty);
            return Err(self.error_at(token, format!("a value of type {ty} does not point to anything")));
        };
        let depth = self.deeper(token, depth)?;
        let place = Place { base: PlaceBase::Deref(pointer), path: Vec::new(), ty };
        Ok(Parsed { node: Node::Place(place), depth })
    }

    fn address(&mut self) -> Parse<Parsed> {
        let token = self.advance();
        let operand = self.operand(Expect::DEFAULT)?;
        let Node::Place(place) = operand.node else {
            return Err(self.error_at(token, "only a place has an address"));
        };
        let ty = self.program.pointer_to(place.ty);
        let place = self.program.intern_place(place);
        self.made(token, ExprKind::AddressOf(place), ty, operand.depth)
    }

    /// `-5` is a constant, all else an operator.
    fn negative(&mut self, expect: Expect) -> Parse<Parsed> {
        if let Kind::Int(_) | Kind::Hex(_) | Kind::Float(_) = self.peek_at(1) {
            self.advance();
            return self.literal(true, expect);
        }
        self.unary(UnaryOp::Neg, expect)
    }

    fn unary(&mut self, op: UnaryOp, expect: Expect) -> Parse<Parsed> {
        let token = self.advance();
        let (operand, depth) = self.value(expect)?;
        let ty = self.program.expr(operand).ty;
        self.made(token, ExprKind::Unary(op, operand), ty, depth)
    }

    /// Something with fields and indices behind it.
    fn postfix(&mut self, expect: Expect) -> Parse<Parsed> {
        let mut parsed = self.primary(expect)?;
        loop {
            let token = self.token;
            match token.kind {
                Kind::Punct(Punct::Arrow) => {
                    self.advance();
                    let (pointer, depth) = self.read_out(parsed);
                    let target = self.target(token, pointer, depth)?;
                    parsed = self.field_of(token, target)?;
                }
                Kind::Punct(Punct::Dot) => {
                    self.advance();
                    parsed = self.field_of(token, parsed)?;
                }
                Kind::Punct(Punct::LeftBracket) => {
                    self.advance();
                    parsed = self.element_of(token, parsed)?;
                }
                _ => return Ok(parsed),
            }
        }
    }

    fn field_of(&mut self, token: Token<'_>, parsed: Parsed) -> Parse<Parsed> {
        let Node::Place(mut place) = parsed.node else {
            return Err(self.error_at(token, "a value has no fields"));
        };
        let Type::Record(record) = *self.program.ty(place.ty) else {
            let ty = self.program.show_type(place.ty);
            return Err(self.error_at(token, format!("{ty} has no fields")));
        };
        let at = self.token;
        let index = if self.eat(Punct::Hash) {
            Some(self.number("the number of a field")?)
        } else {
            let name = self.name()?;
            self.fields.get(record.index()).and_then(|fields| fields.get(&name)).copied()
        };
        let fields = &self.program.records[record].fields;
        let Some((index, field)) = index.and_then(|i: u32| Some((i, fields.get(i as usize)?))) else {
            let ty = self.program.show_type(place.ty);
            return Err(self.error_at(at, format!("{ty} has no such field")));
        };
        place.ty = field.ty;
        place.path.push(Projection::Field(index));
        Ok(Parsed { node: Node::Place(place), depth: parsed.depth })
    }

    fn element_of(&mut self, token: Token<'_>, parsed: Parsed) -> Parse<Parsed> {
        let Node::Place(mut place) = parsed.node else {
            return Err(self.error_at(token, "a value has no elements"));
        };
        let Type::Array { element, .. } = *self.program.ty(place.ty) else {
            let ty = self.program.show_type(place.ty);
            return Err(self.error_at(token, format!("{ty} has no elements")));
        };
        let (index, depth) = self.value(Expect::DEFAULT)?;
        self.expect(Punct::RightBracket)?;
        place.ty = element;
        place.path.push(Projection::Index(index));
        let depth = parsed.depth.max(self.deeper(token, depth)?);
        Ok(Parsed { node: Node::Place(place), depth })
    }

    fn primary(&mut self, expect: Expect) -> Parse<Parsed> {
        let token = self.token;
        match token.kind {
            Kind::Punct(Punct::LeftParen) => {
                self.advance();
                if self.eat_word("if") { self.conditional(token, expect) } else { self.binary(token, expect) }
            }
            Kind::Int(_) | Kind::Hex(_) | Kind::Float(_) => self.literal(false, expect),
            Kind::Word(word @ ("true" | "false")) => {
                self.advance();
                let ty = self.program.bool();
                self.made(token, ExprKind::Bool(word == "true"), ty, 0)
            }
            Kind::Word("fn") => {
                self.advance();
                let procedure = self.procedure()?;
                let expr = self.program.function_address(procedure);
                Ok(Parsed { node: Node::Value(expr), depth: 1 })
            }
            Kind::Word("cast") => self.cast(),
            Kind::Word("if") => Err(self.error_at(token, "write `(if … then … else …)` in parentheses")),
            Kind::Word("call" | "allocate") => Err(self.unexpected("an expression")),
            Kind::Word(_) | Kind::Quoted(_) | Kind::Punct(Punct::ColonColon) => self.variable(),
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn variable(&mut self) -> Parse<Parsed> {
        let token = self.token;
        let global = self.eat(Punct::ColonColon);
        let name = self.name()?;
        let local = self.locals.get(&name).filter(|_| !global);
        let Some(&var) = local.or_else(|| self.globals.get(&name)) else {
            if self.broken.contains(&name) {
                return Err(Failed);
            }
            return Err(self.error_at(token, format!("there is no variable `{name}`")));
        };
        let ty = self.program.variables[var].ty;
        let place = Place { base: PlaceBase::Var(var), path: Vec::new(), ty };
        Ok(Parsed { node: Node::Place(place), depth: 1 })
    }

    fn cast(&mut self) -> Parse<Parsed> {
        let token = self.advance();
        self.expect(Punct::Lt)?;
        let ty = self.ty()?;
        self.expect(Punct::Gt)?;
        self.expect(Punct::LeftParen)?;
        let (operand, depth) = self.value(Expect::DEFAULT)?;
        self.expect(Punct::RightParen)?;
        self.made(token, ExprKind::Cast(operand), ty, depth)
    }

    /// Behind `(if`.
    fn conditional(&mut self, token: Token<'_>, expect: Expect) -> Parse<Parsed> {
        let (condition, a) = self.value(Expect::DEFAULT)?;
        self.expect_word("then")?;
        let (then, b) = self.value(expect)?;
        let ty = self.program.expr(then).ty;
        self.expect_word("else")?;
        let (otherwise, c) = self.value(Expect::Type(ty))?;
        self.expect(Punct::RightParen)?;
        self.made(token, ExprKind::If(condition, then, otherwise), ty, a.max(b).max(c))
    }

    /// Behind `(`: an operator between two operands, or a group.
    fn binary(&mut self, token: Token<'_>, expect: Expect) -> Parse<Parsed> {
        let left = self.operand(expect)?;
        if self.eat(Punct::RightParen) {
            return Ok(left);
        }
        let Some(op) = binary_operator(self.token.kind) else {
            let wanted = match self.token.kind {
                Kind::Punct(Punct::Gt | Punct::Ge) => "`<` or `<=` with the operands exchanged",
                _ => "an operator or `)`",
            };
            return Err(self.unexpected(wanted));
        };
        self.advance();
        let (a, left_depth) = self.read_out(left);
        let operand = self.program.expr(a).ty;
        let (op, right) = match op {
            BinaryOp::Add if self.program.is_pointer(operand) => (BinaryOp::PointerAdd, Expect::DEFAULT),
            BinaryOp::Sub if self.program.is_pointer(operand) => {
                (BinaryOp::PointerDiff, Expect::Type(operand))
            }
            op => (op, Expect::Type(operand)),
        };
        let (b, right_depth) = self.value(right)?;
        if !self.eat(Punct::RightParen) {
            return Err(self.unexpected("`)` (every operator has its own parentheses)"));
        }
        let ty = match op {
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le => self.program.bool(),
            BinaryOp::PointerDiff => self.program.distance_type(),
            _ => operand,
        };
        self.made(token, ExprKind::Binary(op, a, b), ty, left_depth.max(right_depth))
    }
}

fn binary_operator(kind: Kind<'_>) -> Option<BinaryOp> {
    let Kind::Punct(punct) = kind else { return None };
    Some(match punct {
        Punct::Plus => BinaryOp::Add,
        Punct::Minus => BinaryOp::Sub,
        Punct::Star => BinaryOp::Mul,
        Punct::Slash => BinaryOp::Div,
        Punct::Percent => BinaryOp::Rem,
        Punct::Shl => BinaryOp::Shl,
        Punct::Shr => BinaryOp::Shr,
        Punct::And => BinaryOp::And,
        Punct::Or => BinaryOp::Or,
        Punct::Caret => BinaryOp::Xor,
        Punct::Eq => BinaryOp::Eq,
        Punct::Ne => BinaryOp::Ne,
        Punct::Lt => BinaryOp::Lt,
        Punct::Le => BinaryOp::Le,
        _ => return None,
    })
}

/// Constants.
impl Parser<'_> {
    /// A number with its type, written or expected.
    fn literal(&mut self, negative: bool, expect: Expect) -> Parse<Parsed> {
        let token = self.advance();
        let ty = if self.eat(Punct::Colon) {
            self.ty()?
        } else {
            match expect {
                Expect::Type(ty) => ty,
                Expect::Machine(width, signed) => self.program.machine(width, signed),
            }
        };
        let kind = match *self.program.ty(ty) {
            Type::Float(kind) => float_bits(token.kind, kind, negative).map(ExprKind::Float),
            _ => self.int_value(token.kind, negative, ty).map(ExprKind::Int),
        };
        match kind {
            Ok(kind) => self.made(token, kind, ty, 0),
            Err(why) => {
                let ty = self.program.show_type(ty);
                Err(self.error_at(token, format!("no constant of type {ty}: {why}")))
            }
        }
    }

    fn int_value(&self, literal: Kind<'_>, negative: bool, ty: TypeId) -> Result<i128, &'static str> {
        let (Kind::Int(magnitude) | Kind::Hex(magnitude)) = literal else {
            return Err("it has a point or an exponent; write the type behind `:`");
        };
        let (width, signed) = match self.program.ty(ty) {
            Type::Integer => (128, true),
            _ => self.program.machine_shape(ty).ok_or("numbers have integer, float or pointer types")?,
        };
        let most = u128::MAX >> (128 - width) >> u32::from(signed);
        let limit = match (negative, signed) {
            (false, _) => most,
            (true, true) => most + 1,
            (true, false) => 0,
        };
        if magnitude > limit {
            return Err("it is out of range");
        }
        Ok(if negative { magnitude.wrapping_neg() } else { magnitude } as i128)
    }
}

fn float_bits(literal: Kind<'_>, kind: FloatKind, negative: bool) -> Result<u128, &'static str> {
    let bits = match kind {
        FloatKind::F32 => 32,
        FloatKind::F64 => 64,
        FloatKind::F80 => 80,
    };
    match (literal, kind) {
        (Kind::Hex(_), _) if negative => Err("bits have no sign"),
        (Kind::Hex(value), _) if value >> bits == 0 => Ok(value),
        (Kind::Hex(_), _) => Err("it has too many bits"),
        (Kind::Float(text), FloatKind::F32) => {
            let value: f32 = text.parse().map_err(|_| "it is not a number")?;
            Ok(if negative { -value } else { value }.to_bits().into())
        }
        (Kind::Float(text), FloatKind::F64) => {
            let value: f64 = text.parse().map_err(|_| "it is not a number")?;
            Ok(if negative { -value } else { value }.to_bits().into())
        }
        _ => Err("write it with a point (f32, f64) or as its bits in hexadecimal"),
    }
}
