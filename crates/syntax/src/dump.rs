//! A unit as text, for tests and for looking at.
//!
//! Close to C where C is clear, and explicit where it is not: `load`, `decay` and `cast<T>` are
//! written out, and what an operator works on is shown behind it. The text is not meant to be read
//! back. Nested constructs are printed by recursion down to a fixed depth and as `…` below it.

use std::fmt::Write;

use crate::ast::{
    AddressBase, ArrayLength, Asm, BinaryOp, Builtin, DeclId, DeclKind, Definition, ExprId, ExprKind,
    FloatKind, Function, Label, LabelId, Linkage, Object, Record, RecordId, StepOp, StmtId, StmtKind,
    Storage, Symbol, Type, TypeId, UnaryOp, Unit,
};

/// The whole unit as text.
pub fn dump(unit: &Unit) -> String {
    let mut dumper = Dumper { unit, out: String::new(), indent: 0, depth: 0 };
    for (id, record) in unit.records.iter() {
        dumper.record(id, record);
    }
    for &id in &unit.top_level {
        dumper.decl(id);
    }
    for _ in &unit.file_asm {
        dumper.line("asm");
    }
    dumper.out
}

/// What is nested more deeply than this is left out.
const MAX_DEPTH: usize = 200;

struct Dumper<'a> {
    unit: &'a Unit,
    out: String,
    indent: usize,
    depth: usize,
}

impl Dumper<'_> {
    fn line(&mut self, text: &str) {
        for _ in 0..self.indent {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn indented(&mut self, f: impl FnOnce(&mut Self)) {
        self.indent += 1;
        f(self);
        self.indent -= 1;
    }

    /// `f`, or `…` where nesting is too deep.
    fn nested(&mut self, f: impl FnOnce(&mut Self) -> String) -> String {
        if self.depth >= MAX_DEPTH {
            return "…".to_owned();
        }
        self.depth += 1;
        let text = f(self);
        self.depth -= 1;
        text
    }

    fn ty(&mut self, id: TypeId) -> String {
        self.nested(|d| match &d.unit.types[id] {
            Type::Void => "void".to_owned(),
            Type::Bool => "bool".to_owned(),
            Type::Int { width, signed } => format!("{}{width}", if *signed { 'i' } else { 'u' }),
            Type::Float(FloatKind::Single) => "f32".to_owned(),
            Type::Float(FloatKind::Double) => "f64".to_owned(),
            Type::Float(FloatKind::Extended) => "f80".to_owned(),
            Type::Pointer(to) => format!("*{}", d.ty(*to)),
            Type::Array { element, length } => {
                let length = match length {
                    ArrayLength::Fixed(count) => count.to_string(),
                    ArrayLength::Unknown => "?".to_owned(),
                    ArrayLength::Variable(length) => format!("{length:?} = {}", d.expr(*length)),
                };
                format!("[{}; {length}]", d.ty(*element))
            }
            Type::Function(function) => {
                let mut parameters: Vec<String> = function.parameters.iter().map(|&p| d.ty(p)).collect();
                if function.variadic {
                    parameters.push("...".to_owned());
                }
                if !function.prototyped {
                    parameters.push("?".to_owned());
                }
                format!("fn({}) -> {}", parameters.join(", "), d.ty(function.result))
            }
            Type::Record(record) => d.record_name(*record),
            Type::Unsupported(name, size) => format!("unsupported<{name}, {size}>"),
        })
    }

    fn record_name(&self, id: RecordId) -> String {
        let record = &self.unit.records[id];
        let keyword = if record.is_union { "union" } else { "struct" };
        match &record.tag {
            Some(tag) => format!("{keyword} {tag}"),
            None => format!("{keyword} {id:?}"),
        }
    }

    fn record(&mut self, id: RecordId, record: &Record) {
        let mut head = self.record_name(id);
        match record.layout {
            Some((size, align)) => _ = write!(head, ": size {size} align {align}"),
            None => head.push_str(": incomplete"),
        }
        if let Some(reason) = &record.unsupported {
            _ = write!(head, " unsupported<{reason}>");
        }
        self.line(&head);
        self.indented(|d| {
            for field in &record.fields {
                let name = field.name.as_deref().unwrap_or("_");
                let mut line = format!("+{} {name}: {}", field.offset, d.ty(field.ty));
                if let Some((first, width)) = field.bits {
                    _ = write!(line, " bits {first}+{width}");
                }
                d.line(&line);
            }
        });
    }

    fn decl_name(&self, id: DeclId) -> String {
        self.unit.decls[id].name.clone().unwrap_or_else(|| format!("{id:?}"))
    }

    fn decl(&mut self, id: DeclId) {
        let unit = self.unit;
        let decl = &unit.decls[id];
        let mut head = match &decl.kind {
            DeclKind::Object(_) => "object ",
            DeclKind::Function(_) => "function ",
            DeclKind::VariableType => "type ",
        }
        .to_owned();
        _ = write!(head, "{}: {}", self.decl_name(id), self.ty(decl.ty));
        head.push_str(match decl.linkage {
            Linkage::None => "",
            Linkage::Internal => " internal",
            Linkage::External => " external",
        });
        if decl.weak {
            head.push_str(" weak");
        }
        match &decl.symbol {
            Some(Symbol::Named(symbol)) => _ = write!(head, " named {symbol:?}"),
            Some(Symbol::Alias(symbol)) => _ = write!(head, " alias {symbol:?}"),
            None => {}
        }
        match &decl.kind {
            DeclKind::Object(object) => self.object(head, decl.ty, object),
            DeclKind::Function(function) => self.function(head, function),
            DeclKind::VariableType => self.line(&head),
        }
    }

    fn object(&mut self, mut head: String, ty: TypeId, object: &Object) {
        head.push_str(match object.storage {
            Storage::Static => " static",
            Storage::Thread => " thread",
            Storage::Automatic => "",
        });
        head.push_str(match object.definition {
            Definition::Declared => " declared",
            Definition::Tentative => " tentative",
            Definition::Defined => "",
        });
        if let Some(size) = object.size {
            _ = write!(head, " size {size}");
        }
        if let Some(align) = object.align {
            _ = write!(head, " align {align}");
        }
        if let Some(handler) = object.cleanup {
            _ = write!(head, " cleanup {}", self.decl_name(handler));
        }
        let Some(init) = &object.init else { return self.line(&head) };
        if let [entry] = &init[..]
            && entry.offset == 0
            && self.unit.exprs[entry.value].ty == ty
        {
            _ = write!(head, " = {}", self.expr(entry.value));
            return self.line(&head);
        }
        self.line(&(head + " ="));
        self.indented(|d| {
            for entry in init {
                let mut line = format!("+{}", entry.offset);
                if let Some((first, width)) = entry.bits {
                    _ = write!(line, " bits {first}+{width}");
                }
                _ = write!(line, ": {}", d.expr(entry.value));
                d.line(&line);
            }
        });
    }

    fn function(&mut self, mut head: String, function: &Function) {
        let flags = [
            (function.inline_only, " inline-only".to_owned()),
            (function.noreturn, " noreturn".to_owned()),
            (function.constructor.is_some(), format!(" constructor {:?}", function.constructor)),
            (function.destructor.is_some(), format!(" destructor {:?}", function.destructor)),
        ];
        flags.iter().filter(|(set, _)| *set).for_each(|(_, flag)| head.push_str(flag));
        self.line(&head);
        let Some(body) = function.body else { return };
        self.indented(|d| {
            for &parameter in &function.parameters {
                d.decl(parameter);
            }
            d.stmt(body);
        });
    }

    fn label(&self, id: LabelId) -> &str {
        let Label { name } = &self.unit.labels[id];
        name
    }

    fn stmt(&mut self, id: StmtId) {
        if self.depth >= MAX_DEPTH {
            return self.line("…");
        }
        self.depth += 1;
        self.stmt_kind(&self.unit.stmts[id].kind);
        self.depth -= 1;
    }

    fn stmt_kind(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Empty => self.line(";"),
            StmtKind::Expr(value) => {
                let value = self.expr(*value);
                self.line(&format!("{value};"));
            }
            StmtKind::Block(body) => {
                self.line("{");
                self.indented(|d| body.iter().for_each(|&s| d.stmt(s)));
                self.line("}");
            }
            StmtKind::Decls(decls) => decls.iter().for_each(|&d| self.decl(d)),
            StmtKind::If { condition, then, otherwise } => {
                self.headed("if", Some(*condition), *then);
                if let Some(otherwise) = otherwise {
                    self.headed("else", None, *otherwise);
                }
            }
            StmtKind::While { condition, body } => self.headed("while", Some(*condition), *body),
            StmtKind::DoWhile { body, condition } => {
                self.headed("do", None, *body);
                let condition = self.expr(*condition);
                self.line(&format!("while {condition}"));
            }
            StmtKind::For { init, condition, step, body } => {
                self.line("for");
                self.indented(|d| {
                    init.iter().for_each(|&s| d.stmt(s));
                    for (word, part) in [("condition", condition), ("step", step)] {
                        if let Some(part) = part {
                            let part = d.expr(*part);
                            d.line(&format!("{word} {part}"));
                        }
                    }
                    d.stmt(*body);
                });
            }
            StmtKind::Switch { value, body } => self.headed("switch", Some(*value), *body),
            other => self.jump_kind(other),
        }
    }

    fn jump_kind(&mut self, kind: &StmtKind) {
        match kind {
            StmtKind::Case { low, high, body } => {
                let range = if low == high { low.to_string() } else { format!("{low} ... {high}") };
                self.headed(&format!("case {range}:"), None, *body);
            }
            StmtKind::Default(body) => self.headed("default:", None, *body),
            StmtKind::Label(label, body) => self.headed(&format!("{}:", self.label(*label)), None, *body),
            StmtKind::Goto(label) => self.line(&format!("goto {};", self.label(*label))),
            StmtKind::ComputedGoto(target) => {
                let target = self.expr(*target);
                self.line(&format!("goto *{target};"));
            }
            StmtKind::Break => self.line("break;"),
            StmtKind::Continue => self.line("continue;"),
            StmtKind::Return(None) => self.line("return;"),
            StmtKind::Return(Some(value)) => {
                let value = self.expr(*value);
                self.line(&format!("return {value};"));
            }
            StmtKind::Asm(asm) => self.asm(asm),
            StmtKind::Unsupported(reason) => self.line(&format!("unsupported<{reason}>;")),
            _ => {}
        }
    }

    fn headed(&mut self, word: &str, head: Option<ExprId>, body: StmtId) {
        let head = head.map_or(String::new(), |head| format!(" {}", self.expr(head)));
        self.line(&format!("{word}{head}"));
        self.indented(|d| d.stmt(body));
    }

    fn asm(&mut self, asm: &Asm) {
        let mut line = format!("asm {:?}", asm.template);
        for &(output, reads) in &asm.outputs {
            _ = write!(line, " {}{}", if reads { "inout " } else { "out " }, self.expr(output));
        }
        for &(input, memory) in &asm.inputs {
            _ = write!(line, " {}{}", if memory { "in-memory " } else { "in " }, self.expr(input));
        }
        if asm.clobbers_memory {
            line.push_str(" memory");
        }
        for &label in &asm.labels {
            _ = write!(line, " goto {}", self.label(label));
        }
        self.line(&line);
    }

    fn expr(&mut self, id: ExprId) -> String {
        let expr = &self.unit.exprs[id];
        self.nested(|d| d.value_kind(&expr.kind, expr.ty))
    }

    fn exprs(&mut self, ids: &[ExprId]) -> String {
        ids.iter().map(|&id| self.expr(id)).collect::<Vec<_>>().join(", ")
    }

    fn value_kind(&mut self, kind: &ExprKind, ty: TypeId) -> String {
        match kind {
            ExprKind::Int(value) => format!("{value}:{}", self.ty(ty)),
            ExprKind::Float(bits) => self.float(*bits, ty),
            ExprKind::Address(base, offset) => {
                let base = match base {
                    AddressBase::Decl(decl) => self.decl_name(*decl),
                    AddressBase::Str(bytes, array) => format!("{}:{}", string(bytes), self.ty(*array)),
                    AddressBase::Label(label) => format!("&{}", self.label(*label)),
                };
                format!("address({base}, {offset}):{}", self.ty(ty))
            }
            ExprKind::Str(bytes) => format!("{}:{}", string(bytes), self.ty(ty)),
            ExprKind::Decl(decl) => self.decl_name(*decl),
            ExprKind::Member { base, field } => {
                format!("{}.{}", self.expr(*base), self.member(*base, *field))
            }
            ExprKind::Subscript { pointer, index } => {
                format!("{}[{}]", self.expr(*pointer), self.expr(*index))
            }
            ExprKind::Deref(pointer) => format!("(*{})", self.expr(*pointer)),
            ExprKind::AddressOf(place) => format!("(&{})", self.expr(*place)),
            ExprKind::Load(place) => format!("load({})", self.expr(*place)),
            ExprKind::Decay(place) => format!("decay({})", self.expr(*place)),
            ExprKind::Cast(value) => format!("cast<{}>({})", self.ty(ty), self.expr(*value)),
            ExprKind::Comma(first, second) => format!("({}, {})", self.expr(*first), self.expr(*second)),
            ExprKind::Call { callee, arguments } => {
                format!("call<{}>({})({})", self.ty(ty), self.expr(*callee), self.exprs(arguments))
            }
            ExprKind::CompoundLiteral(decl) => {
                let text = self.block(|d| d.decl(*decl));
                format!("literal {text}")
            }
            ExprKind::Statements(body) => {
                let text = self.block(|d| d.stmt(*body));
                format!("statements<{}> {text}", self.ty(ty))
            }
            ExprKind::LabelAddress(label) => format!("&&{}", self.label(*label)),
            ExprKind::VariableSize(of) => format!("size({})", self.ty(*of)),
            ExprKind::Unsupported(reason) => format!("unsupported<{reason}>:{}", self.ty(ty)),
            other => self.operation(other, ty),
        }
    }

    fn operation(&mut self, kind: &ExprKind, ty: TypeId) -> String {
        match kind {
            ExprKind::Unary(op, value) => {
                let op = match op {
                    UnaryOp::Minus => "-",
                    UnaryOp::BitNot => "~",
                    UnaryOp::Not => "!",
                };
                format!("({op}{}):{}", self.expr(*value), self.ty(ty))
            }
            ExprKind::Step { op, operand } => {
                let operand = self.expr(*operand);
                match op {
                    StepOp::PreIncrement => format!("(++{operand})"),
                    StepOp::PreDecrement => format!("(--{operand})"),
                    StepOp::PostIncrement => format!("({operand}++)"),
                    StepOp::PostDecrement => format!("({operand}--)"),
                }
            }
            ExprKind::Binary(op, left, right) => {
                format!("({} {} {}):{}", self.expr(*left), binary(*op), self.expr(*right), self.ty(ty))
            }
            ExprKind::Assign { target, value } => {
                format!("({} = {})", self.expr(*target), self.expr(*value))
            }
            ExprKind::AssignOp { op, computation, target, value } => {
                let (target, value) = (self.expr(*target), self.expr(*value));
                format!("({target} {}= {value}):{}", binary(*op), self.ty(*computation))
            }
            ExprKind::Conditional { condition, then, otherwise } => {
                let parts = (self.expr(*condition), self.expr(*then), self.expr(*otherwise));
                format!("({} ? {} : {}):{}", parts.0, parts.1, parts.2, self.ty(ty))
            }
            ExprKind::Elvis { value, otherwise } => {
                format!("({} ?: {}):{}", self.expr(*value), self.expr(*otherwise), self.ty(ty))
            }
            ExprKind::VaArg(list) => format!("va_arg<{}>({})", self.ty(ty), self.expr(*list)),
            ExprKind::VaStart(list) => format!("va_start({})", self.expr(*list)),
            ExprKind::VaEnd(list) => format!("va_end({})", self.expr(*list)),
            ExprKind::VaCopy(to, from) => format!("va_copy({}, {})", self.expr(*to), self.expr(*from)),
            ExprKind::Builtin(builtin, operands) => {
                let name = match builtin {
                    Builtin::Overflow { op, at, stores } => {
                        format!("Overflow({op:?}, {}, {stores})", self.ty(*at))
                    }
                    other => format!("{other:?}"),
                };
                format!("{name}({}):{}", self.exprs(operands), self.ty(ty))
            }
            _ => String::new(),
        }
    }

    /// What `f` writes as lines, in braces behind something else on the same line.
    fn block(&mut self, f: impl FnOnce(&mut Self)) -> String {
        let outer = std::mem::take(&mut self.out);
        self.indented(f);
        let inner = std::mem::replace(&mut self.out, outer);
        format!("{{\n{inner}{}}}", "  ".repeat(self.indent))
    }

    fn member(&self, base: ExprId, field: u32) -> String {
        let name = match &self.unit.types[self.unit.exprs[base].ty] {
            Type::Record(record) => {
                self.unit.records[*record].fields.get(field as usize).and_then(|field| field.name.clone())
            }
            _ => None,
        };
        name.unwrap_or_else(|| format!("#{field}"))
    }

    fn float(&mut self, bits: u128, ty: TypeId) -> String {
        let value = match &self.unit.types[ty] {
            Type::Float(FloatKind::Single) => format!("{:?}", f32::from_bits(bits as u32)),
            Type::Float(FloatKind::Double) => format!("{:?}", f64::from_bits(bits as u64)),
            _ => format!("{bits:#x}"),
        };
        format!("{value}:{}", self.ty(ty))
    }
}

fn string(bytes: &[u8]) -> String {
    format!("\"{}\"", bytes.escape_ascii())
}

fn binary(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        BinaryOp::Rem => "%",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Shl => "<<",
        BinaryOp::Shr => ">>",
        BinaryOp::Lt => "<",
        BinaryOp::Gt => ">",
        BinaryOp::Le => "<=",
        BinaryOp::Ge => ">=",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitXor => "^",
        BinaryOp::BitOr => "|",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
    }
}
