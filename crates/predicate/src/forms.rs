//! The forms in which one expression may be written, given those of its parts.

use hardbop_ir::{
    BinaryOp, ExprId, ExprKind, FloatKind, PlaceBase, PlaceId, Projection, Type, TypeId, UnaryOp, text,
};

use super::MAX_NESTING;
use super::lex::{Kind, alone};
use super::print::Printer;
use super::scope::{Entity, is_identifier, quoted};
use super::type_names::type_name;
use super::types::{CType, Typed, Typing, Value, binary_operator};

/// How strongly things bind that are no binary operators; those have 1 to 10.
const CHOICE: u8 = 0;
const PREFIX: u8 = 11;
const POSTFIX: u8 = 12;

/// How many forms of a converted operand are tried where the conversion need not be written.
const LOOSE_FORMS: usize = 3;

/// A text and what it is read as.
#[derive(Debug, Clone)]
pub(super) struct Form {
    text: String,
    strength: u8,
    /// What it is read as, in the scratch program.
    value: Value,
    /// Operators above each other.
    depth: u32,
}

/// How an expression can be written.
#[derive(Debug, Clone, Default)]
pub(super) struct Forms {
    /// Read as what a conversion turns into the expression where it is an operand; the conversion need
    /// not be written.
    loose: Vec<Form>,
    /// Read as the expression itself.
    exact: Vec<Form>,
    /// Read as the expression where a condition is wanted, if nothing exact is as short.
    condition: Option<Form>,
}

impl Forms {
    /// The text of a predicate.
    pub(super) fn shown(&self) -> String {
        self.as_condition().map_or_else(String::new, |form| form.text.clone())
    }

    fn as_condition(&self) -> Option<&Form> {
        self.condition.as_ref().or_else(|| self.exact.first())
    }

    /// As an operand, the shortest first.
    fn as_operand(&self) -> impl Iterator<Item = &Form> + Clone {
        self.loose.iter().chain(&self.exact)
    }
}

fn only(form: Form) -> Forms {
    Forms { exact: vec![form], ..Forms::default() }
}

/// Pairs of forms, the shortest first.
fn pairs<'f>(a: &'f Forms, b: &'f Forms) -> impl Iterator<Item = (&'f Form, &'f Form)> {
    let mut pairs: Vec<_> = a
        .as_operand()
        .enumerate()
        .flat_map(|(i, x)| b.as_operand().enumerate().map(move |(j, y)| (i + j, x, y)))
        .collect();
    pairs.sort_by_key(|(cost, ..)| *cost);
    pairs.into_iter().map(|(_, x, y)| (x, y))
}

impl Printer<'_> {
    /// The forms of an expression whose parts have theirs. There is always an exact one.
    pub(super) fn make_forms(&mut self, expr: ExprId) -> Forms {
        let target = expr;
        let e = self.program.expr(expr).clone();
        let mut forms = match e.kind {
            ExprKind::Int(value) => self.number(value, e.ty, target),
            ExprKind::Bool(value) => only(Form {
                text: value.to_string(),
                strength: POSTFIX,
                value: self.typing().boolean(value),
                depth: 1,
            }),
            ExprKind::Float(bits) => self.float(bits, e.ty, target),
            ExprKind::Load(place) => self.place(place).map_or_else(Forms::default, only),
            ExprKind::AddressOf(place) => self.address(place, target),
            ExprKind::Function(id) => {
                let value = self.typing().exact(target);
                let text = self.names.spell(self.program, Entity::Procedure(id));
                only(Form { text, strength: POSTFIX, value, depth: 1 })
            }
            ExprKind::Unary(op, a) => self.unary(op, a, target),
            ExprKind::Binary(op, a, b) => self.binary(op, a, b, target),
            ExprKind::Cast(a) => self.cast(a, e.ty, target),
            ExprKind::If(c, a, b) => self.choice(c, a, b, target),
        };
        self.mark_truth(&mut forms, e.ty, target);
        if forms.exact.is_empty() {
            let escape = self.escape(expr, target);
            forms.exact.push(escape);
        }
        forms
    }

    fn typing(&mut self) -> Typing<'_> {
        Typing { program: &self.scratch }
    }

    /// Whether a form is read as an expression.
    fn is(&mut self, form: &Form, target: ExprId) -> bool {
        self.typing().scalar(form.value).is_ok_and(|scalar| scalar.expr == target)
    }

    /// Truth values get a form that no operator takes for an `int`, and one at all if they are only
    /// said by a condition.
    fn mark_truth(&mut self, forms: &mut Forms, ty: TypeId, target: ExprId) {
        if !matches!(self.program.ty(ty), Type::Bool) || forms.exact.len() > 1 {
            return;
        }
        let Some(condition) = forms.as_condition().cloned() else { return };
        let marked = self.prefix("(bool)", &condition, |t, value| t.cast(value, CType::Truth));
        if let Some(marked) = marked.filter(|form| self.is(form, target)) {
            forms.exact.push(marked);
        }
    }

    /// The text form of the program representation.
    fn escape(&mut self, expr: ExprId, target: ExprId) -> Form {
        let group = text::print_group(self.program, self.names.scope().procedure(), expr);
        // Braces only occur in quoted names; those of a boolean program may not contain them.
        let group = group.replace('{', "\\x7b").replace('}', "\\x7d");
        let value = self.typing().exact(target);
        Form { text: format!("@{group}"), strength: POSTFIX, value, depth: 1 }
    }
}

/// Text from parts.
impl Printer<'_> {
    /// A prefix operator or conversion in front of a form, if that makes sense.
    fn prefix(
        &mut self,
        sign: &str,
        operand: &Form,
        rule: impl FnOnce(&mut Typing<'_>, Value) -> Typed<Value>,
    ) -> Option<Form> {
        let value = rule(&mut self.typing(), operand.value).ok()?;
        // `--x` is another operator.
        let clash = matches!(sign, "-" | "&") && operand.text.starts_with(sign);
        let inner = if clash { format!("({})", operand.text) } else { operand.at_least(PREFIX) };
        deeper(Form { text: format!("{sign}{inner}"), strength: PREFIX, value, depth: operand.depth })
    }

    /// Two forms with an operator between them, if that makes sense.
    fn infix(&mut self, sign: &str, a: &Form, b: &Form) -> Option<Form> {
        let (op, strength) = binary_operator(sign)?;
        let value = self.typing().binary(op, a.value, b.value).ok()?;
        let left = a.beside(strength, strength);
        let right = b.beside(strength, strength + 1);
        let depth = a.depth.max(b.depth);
        deeper(Form { text: format!("{left} {sign} {right}"), strength, value, depth })
    }

    /// The first of the pairs that an operator between them makes an expression of.
    fn fitting_infix(&mut self, sign: &str, a: &Forms, b: &Forms, target: ExprId) -> Option<Form> {
        for (x, y) in pairs(a, b) {
            if let Some(form) = self.infix(sign, x, y).filter(|form| self.is(form, target)) {
                return Some(form);
            }
        }
        None
    }
}

impl Form {
    /// The text, in parentheses if it binds less than that.
    fn at_least(&self, strength: u8) -> String {
        if self.strength < strength { format!("({})", self.text) } else { self.text.clone() }
    }

    /// The text as an operand of a binary operator; parentheses also where people expect them.
    fn beside(&self, operator: u8, needed: u8) -> String {
        let unclear = match operator {
            // `&&` in `||`.
            1 => self.strength == 2,
            // Bitwise operators, and comparisons of comparisons.
            3..=5 => self.strength < PREFIX && self.strength != operator,
            6 | 7 => matches!(self.strength, 6 | 7),
            // Sums in shifts.
            8 => matches!(self.strength, 9 | 10),
            _ => false,
        };
        self.at_least(if unclear { POSTFIX + 1 } else { needed })
    }
}

/// One level more, unless that is too deep to be read.
fn deeper(form: Form) -> Option<Form> {
    (form.depth < MAX_NESTING).then(|| Form { depth: form.depth + 1, ..form })
}

/// Constants.
impl Printer<'_> {
    fn number(&mut self, value: i128, ty: TypeId, target: ExprId) -> Forms {
        let mut forms = Forms::default();
        let unsigned = matches!(self.program.ty(ty), Type::Machine { signed: false, .. } | Type::Pointer(_));
        let (negative, magnitude) =
            if unsigned { (false, value as u128) } else { (value < 0, value.unsigned_abs()) };
        if value == 0 && self.program.is_pointer(ty) {
            let null = Form { text: "NULL".into(), strength: POSTFIX, value: self.typing().null(), depth: 1 };
            self.sort_in(&mut forms, null, target);
        }
        for suffix in ["", "U", "L", "UL", "LL", "ULL"] {
            if let Some(form) = self.literal(&format!("{magnitude}{suffix}"), negative)
                && (suffix.is_empty() || self.is(&form, target))
            {
                self.sort_in(&mut forms, form, target);
            }
            if !forms.exact.is_empty() {
                return forms;
            }
        }
        if let (Some(name), Some(plain)) = (self.type_name(ty), forms.loose.last().cloned()) {
            self.sort_in_cast(&mut forms, &name, ty, &plain, target);
        }
        forms
    }

    fn literal(&mut self, digits: &str, negative: bool) -> Option<Form> {
        let Some(Kind::Int(literal)) = alone(digits) else { return None };
        let shape = literal.shape(self.program.data_model);
        let value = self.typing().integer(literal.value, shape);
        let form = Form { text: digits.to_owned(), strength: POSTFIX, value, depth: 1 };
        if !negative {
            return Some(form);
        }
        self.prefix("-", &form, |t, value| t.unary(UnaryOp::Neg, value))
    }

    /// Puts a form where it belongs.
    fn sort_in(&mut self, forms: &mut Forms, form: Form, target: ExprId) {
        if self.is(&form, target) { forms.exact.push(form) } else { forms.loose.push(form) }
    }

    fn sort_in_cast(&mut self, forms: &mut Forms, name: &str, ty: TypeId, inner: &Form, target: ExprId) {
        let cast = self.prefix(&format!("({name})"), inner, |t, value| t.cast(value, CType::Plain(ty)));
        if let Some(cast) = cast.filter(|form| self.is(form, target)) {
            forms.exact.push(cast);
        }
    }

    fn float(&mut self, bits: u128, ty: TypeId, target: ExprId) -> Forms {
        let (digits, single) = match *self.program.ty(ty) {
            Type::Float(FloatKind::F32) => (format!("{:?}", f32::from_bits(bits as u32)), true),
            Type::Float(FloatKind::F64) => (format!("{:?}", f64::from_bits(bits as u64)), false),
            _ => return Forms::default(),
        };
        let text = format!("{digits}{}", if single { "f" } else { "" });
        let Some(Kind::Float(..)) = alone(&text) else { return Forms::default() };
        match self.typing().float(&digits, single) {
            Ok(value) => {
                let form = Form { text, strength: POSTFIX, value, depth: 1 };
                if self.is(&form, target) { only(form) } else { Forms::default() }
            }
            Err(_) => Forms::default(),
        }
    }

    /// A type in C, if it can be written as words and stars.
    fn type_name(&self, ty: TypeId) -> Option<String> {
        type_name(self.program, ty, &|record| self.names.spell_record(self.program, record))
    }
}

/// Places.
impl Printer<'_> {
    /// A place, if there is a form that is read as just that.
    fn place(&mut self, place: PlaceId) -> Option<Form> {
        let target = place;
        let steps = self.program.place(place).path.len();
        let form = self.place_up_to(place, steps)?;
        (form.value == Value::Place(target)).then_some(form)
    }

    /// The first steps of a place.
    fn place_up_to(&mut self, place: PlaceId, steps: usize) -> Option<Form> {
        let program = self.program;
        let place = program.place(place);
        let path = &place.path[..steps];
        let (mut form, mut done) = match place.base {
            PlaceBase::Var(var) => {
                let value = Value::Place(self.scratch.var_place(var));
                let text = self.names.spell(program, Entity::Variable(var));
                (Form { text, strength: POSTFIX, value, depth: 1 }, 0)
            }
            PlaceBase::Deref(pointer) => self.target(pointer, path)?,
        };
        while let Some(&step) = path.get(done) {
            let next = match step {
                Projection::Index(index) => self.element(&form, index).map(|form| (form, 1)),
                Projection::Field(field) => self.members(&form, ".", field, &path[done + 1..]),
            };
            let (longer, taken) = next?;
            form = longer;
            done += taken;
        }
        Some(form)
    }

    /// What a pointer points to, and how many steps of the path are taken on the way: `p->f` takes one.
    fn target(&mut self, pointer: ExprId, path: &[Projection]) -> Option<(Form, usize)> {
        if let ExprKind::Binary(BinaryOp::PointerAdd, base, index) = self.program.expr(pointer).kind {
            let (base, target) = (self.known_forms(base), pointer);
            for base in &base.exact {
                let element = self.element(base, index);
                if let Some(form) = element.filter(|form| self.points_to(form, target)) {
                    return Some((form, 0));
                }
            }
        }
        for form in &self.known_forms(pointer).exact {
            if let Some((&Projection::Field(field), rest)) = path.split_first() {
                let value = self.typing().deref(form.value).ok()?;
                let target = Form { value, ..form.clone() };
                if let Some((form, taken)) = self.members(&target, "->", field, rest) {
                    return Some((form, taken));
                }
            }
            if let Some(form) = self.prefix("*", form, |t, value| t.deref(value)) {
                return Some((form, 0));
            }
        }
        None
    }

    /// Whether a form is the object that a pointer points to.
    fn points_to(&mut self, form: &Form, pointer: ExprId) -> bool {
        let Value::Place(place) = form.value else { return false };
        self.scratch.address_of(place) == pointer
    }

    /// An element of an array or behind a pointer.
    fn element(&mut self, of: &Form, index: ExprId) -> Option<Form> {
        let target = index;
        for index in self.known_forms(index).as_operand() {
            let Ok(value) = self.typing().subscript(of.value, index.value) else { continue };
            let text = format!("{}[{}]", of.at_least(POSTFIX), index.text);
            let form = Form { text, strength: POSTFIX, value, depth: of.depth.max(index.depth) };
            if self.last_index(&form) == Some(target) {
                return deeper(form);
            }
        }
        None
    }

    /// The index that a form was read with.
    fn last_index(&self, form: &Form) -> Option<ExprId> {
        let Value::Place(place) = form.value else { return None };
        let place = self.scratch.place(place);
        match (place.path.last(), place.base) {
            (Some(&Projection::Index(index)), _) => Some(index),
            (None, PlaceBase::Deref(pointer)) => match self.scratch.expr(pointer).kind {
                ExprKind::Binary(BinaryOp::PointerAdd, _, index) => Some(index),
                _ => None,
            },
            _ => None,
        }
    }

    /// A member, and how many steps of a path that takes: a name looks through unnamed members.
    fn members(&mut self, of: &Form, sign: &str, field: u32, rest: &[Projection]) -> Option<(Form, usize)> {
        let Value::Place(place) = of.value else { return None };
        let mut wanted = self.scratch.field(place, field);
        let numbered = wanted;
        let mut names = vec![(self.field_name(place, field), wanted)];
        for step in rest {
            let Projection::Field(next) = *step else { break };
            names.push((self.field_name(wanted, next), self.scratch.field(wanted, next)));
            wanted = self.scratch.field(wanted, next);
        }
        let base = of.at_least(POSTFIX);
        let form = |text, value| deeper(Form { text, strength: POSTFIX, value, depth: of.depth });
        // Up to the first name.
        if let Some(at) = names.iter().position(|(name, _)| !name.is_empty()) {
            let (name, wanted) = &names[at];
            if self.typing().member(of.value, name) == Ok(Value::Place(*wanted)) {
                let name = if is_identifier(name) { name.clone() } else { quoted(name) };
                return Some((form(format!("{base}{sign}{name}"), Value::Place(*wanted))?, at + 1));
            }
        }
        Some((form(format!("{base}{sign}#{field}"), Value::Place(numbered))?, 1))
    }

    fn field_name(&self, record: PlaceId, field: u32) -> String {
        match *self.scratch.ty(self.scratch.place(record).ty) {
            Type::Record(id) => self.scratch.records[id]
                .fields
                .get(field as usize)
                .map_or_else(String::new, |f| f.name.clone()),
            _ => String::new(),
        }
    }

    fn address(&mut self, place: PlaceId, target: ExprId) -> Forms {
        // An array is the address of its first element.
        let path = &self.program.place(place).path;
        if let Some(Projection::Index(_)) = path.last()
            && let Some(array) = self.place_up_to(place, path.len() - 1)
            && self.is(&array, target)
        {
            return only(array);
        }
        let Some(form) = self.place(place) else { return Forms::default() };
        match self.prefix("&", &form, |t, value| t.address_of(value)) {
            Some(form) if self.is(&form, target) => only(form),
            _ => Forms::default(),
        }
    }
}

/// Operators.
impl Printer<'_> {
    fn unary(&mut self, op: UnaryOp, operand: ExprId, target: ExprId) -> Forms {
        let operand = self.known_forms(operand);
        let candidates: Vec<&Form> = match op {
            UnaryOp::Not => operand.as_condition().into_iter().collect(),
            _ => operand.as_operand().collect(),
        };
        for candidate in candidates {
            let form = match op {
                UnaryOp::Not => self.prefix("!", candidate, |t, value| t.not(value)),
                UnaryOp::Neg => self.prefix("-", candidate, |t, value| t.unary(op, value)),
                UnaryOp::BitNot => self.prefix("~", candidate, |t, value| t.unary(op, value)),
            };
            if let Some(form) = form.filter(|form| self.is(form, target)) {
                return only(form);
            }
        }
        Forms::default()
    }

    fn cast(&mut self, operand: ExprId, ty: TypeId, target: ExprId) -> Forms {
        let inner = self.known_forms(operand);
        let loose = inner.as_operand().take(LOOSE_FORMS).cloned().collect();
        let mut forms = Forms { loose, ..Forms::default() };
        if let Some(name) = self.type_name(ty) {
            for form in &inner.exact {
                self.sort_in_cast(&mut forms, &name, ty, form, target);
                if !forms.exact.is_empty() {
                    break;
                }
            }
        }
        forms
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId, target: ExprId) -> Forms {
        let is_constant = |printer: &Self, e: ExprId| {
            matches!(printer.program.expr(e).kind, ExprKind::Int(_) | ExprKind::Float(_))
        };
        let constant_first = is_constant(self, a) && !is_constant(self, b);
        let truths = matches!(self.program.ty(self.program.expr(a).ty), Type::Bool);
        let (x, y) = (self.known_forms(a), self.known_forms(b));
        if truths && matches!(op, BinaryOp::And | BinaryOp::Or) {
            return self.connective(op, &x, &y, target);
        }
        if let Some(forms) = self.compared_with_zero(op, &x, &y, target) {
            return forms;
        }
        let form = match op {
            BinaryOp::Lt if constant_first => self.fitting_infix(">", &y, &x, target),
            BinaryOp::Le if constant_first => self.fitting_infix(">=", &y, &x, target),
            BinaryOp::PointerAdd => self.pointer_sum(&x, b, &y, target),
            _ => self.fitting_infix(sign(op), &x, &y, target),
        };
        form.map_or_else(Forms::default, only)
    }

    /// `a && b` where that is what it is read as, else `a & b`.
    fn connective(&mut self, op: BinaryOp, a: &Forms, b: &Forms, target: ExprId) -> Forms {
        let short = if op == BinaryOp::And { "&&" } else { "||" };
        if let (Some(x), Some(y)) = (a.as_condition(), b.as_condition())
            && let Some(form) = self.infix(short, x, y).filter(|form| self.is(form, target))
        {
            return only(form);
        }
        self.fitting_infix(sign(op), a, b, target).map_or_else(Forms::default, only)
    }

    /// `x` as a condition and `!x`, which compare with zero without promoting `x`; where `x != 0` and
    /// `x == 0` do so too, they are clearer.
    fn compared_with_zero(&mut self, op: BinaryOp, a: &Forms, b: &Forms, target: ExprId) -> Option<Forms> {
        let (x, zero) = (a.as_operand().next()?, b.as_operand().next()?);
        let plain = self.infix(sign(op), x, zero).filter(|form| self.is(form, target));
        if plain.is_some_and(|form| !form.text.contains('@')) {
            return None;
        }
        for form in &a.exact {
            match op {
                BinaryOp::Ne if self.typing().truth(form.value) == Ok(target) => {
                    return Some(Forms { condition: Some(form.clone()), ..Forms::default() });
                }
                BinaryOp::Eq => {
                    let negated = self.prefix("!", form, |t, value| t.not(value));
                    if let Some(form) = negated.filter(|form| self.is(form, target)) {
                        return Some(only(form));
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// `p - i` if the number is negative or negated, else `p + i`.
    fn pointer_sum(
        &mut self,
        pointer: &Forms,
        index: ExprId,
        number: &Forms,
        target: ExprId,
    ) -> Option<Form> {
        let negated = match self.program.expr(index).kind {
            ExprKind::Int(value) if value < 0 => {
                let positive = self.literal(&value.unsigned_abs().to_string(), false)?;
                Some(Forms { loose: vec![positive], ..Forms::default() })
            }
            ExprKind::Unary(UnaryOp::Neg, operand) => Some(self.known_forms(operand)),
            _ => None,
        };
        if let Some(form) = negated.and_then(|number| self.fitting_infix("-", pointer, &number, target)) {
            return Some(form);
        }
        self.fitting_infix("+", pointer, number, target)
    }

    fn choice(&mut self, c: ExprId, a: ExprId, b: ExprId, target: ExprId) -> Forms {
        let shortcut = match (self.program.as_truth(a), self.program.as_truth(b)) {
            (_, Some(false)) => Some(("&&", a)),
            (Some(true), _) => Some(("||", b)),
            _ => None,
        };
        let (condition, x, y) = (self.known_forms(c), self.known_forms(a), self.known_forms(b));
        let Some(condition) = condition.as_condition() else { return Forms::default() };
        if let Some((sign, other)) = shortcut
            && let Some(other) = self.known_forms(other).as_condition()
            && let Some(form) = self.infix(sign, condition, other).filter(|form| self.is(form, target))
        {
            return only(form);
        }
        for (x, y) in pairs(&x, &y) {
            let Ok(value) = self.typing().choice(condition.value, x.value, y.value) else { continue };
            let text = format!("{} ? {} : {}", condition.at_least(1), x.text, y.text);
            let depth = condition.depth.max(x.depth).max(y.depth);
            let form = deeper(Form { text, strength: CHOICE, value, depth });
            if let Some(form) = form.filter(|form| self.is(form, target)) {
                return only(form);
            }
        }
        Forms::default()
    }
}

/// How a binary operator is written, except `&&` and `||`.
fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add | BinaryOp::PointerAdd => "+",
        BinaryOp::Sub | BinaryOp::PointerDiff => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::And => "&",
        BinaryOp::Or => "|",
        BinaryOp::Xor => "^",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
    }
}
