//! Functions with a meaning of their own: the verification harness, the end of the run, memory and
//! output. They apply where the program does not define a function of that name.

use hardbop_base::Span;
use hardbop_ir::{Arbitrary, BinaryOp, ExprId, Halt, MemoryKind, Property, Statement, Type, TypeId};
use hardbop_syntax::ast;

use crate::body::Body;

/// The value of an intrinsic, if it has one.
type Handled = Option<ExprId>;

/// Functions that only show something.
const OUTPUT: [&str; 17] = [
    "printf",
    "vprintf",
    "puts",
    "putchar",
    "fprintf",
    "vfprintf",
    "fputs",
    "fputc",
    "putc",
    "_IO_putc",
    "perror",
    "fflush",
    "dprintf",
    "printk",
    "__printf_chk",
    "__fprintf_chk",
    "syslog",
];

/// What an argument of an intrinsic has to be.
#[derive(Clone, Copy)]
enum Taken {
    Scalar,
    Integer,
    Pointer,
}

/// What the intrinsics take that cannot do with any arguments.
fn taken(plain: &str) -> Option<&'static [Taken]> {
    use Taken::{Integer, Pointer, Scalar};
    Some(match plain {
        "__VERIFIER_assume" | "__hardbop_assume" | "__VERIFIER_assert" | "assert" => &[Scalar],
        "exit" | "_exit" | "_Exit" | "__hardbop_exit" | "__hardbop_leave" => &[Integer],
        "__hardbop_set_errno" => &[Integer],
        "__hardbop_unknown_errno" | "__hardbop_unsupported" | "__hardbop_maybe_unsupported" => &[Pointer],
        "__hardbop_unknown_int" | "__hardbop_unknown_long" => &[Pointer, Pointer],
        "malloc" | "__hardbop_malloc" | "__hardbop_new" | "__hardbop_zalloc" | "alloca" | "__alloca" => {
            &[Integer]
        }
        "free" | "cfree" | "__hardbop_free" => &[Pointer],
        "memcpy" | "memmove" | "__memcpy" | "__memmove" | "__hardbop_copy" => &[Pointer, Pointer, Integer],
        "__hardbop_copy_object" => &[Pointer, Pointer],
        "memset" | "__memset" | "__hardbop_fill" => &[Pointer, Integer, Integer],
        _ => return None,
    })
}

impl Body<'_, '_> {
    /// Lowers a call of an intrinsic; nothing, and nothing evaluated, if the name is not one or the
    /// arguments are not what it takes: then the program means another function.
    pub(crate) fn intrinsic(
        &mut self,
        name: &str,
        arguments: &[ast::ExprId],
        ty: TypeId,
        span: Span,
        wanted: bool,
    ) -> Option<Handled> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        if let Some(kind) = plain.strip_prefix("__VERIFIER_nondet_") {
            return Some(self.nondet(name, kind, arguments, ty, span));
        }
        if OUTPUT.contains(&plain) && !self.may_store(plain, arguments) {
            return Some(self.output(plain, arguments, ty, span, wanted));
        }
        if let Some(taken) = taken(plain)
            && !self.are_taken(arguments, taken)
        {
            return None;
        }
        match plain {
            "__VERIFIER_assume" | "__hardbop_assume" => self.assume_intrinsic(arguments, span),
            "__VERIFIER_assert" | "assert" => self.assert_intrinsic(arguments, span),
            "__assert_fail" | "__assert" | "__assert_rtn" | "__assert_perror_fail" => {
                self.assertion_failed(arguments, span)
            }
            "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end" => Some(None),
            "abort" | "__hardbop_abort" => self.halt(Halt::Abort, span),
            "_exit" | "_Exit" | "__hardbop_exit" => self.exit(arguments, false, span),
            "exit" | "__hardbop_leave" => self.exit(arguments, true, span),
            "__hardbop_set_errno" => self.set_errno(arguments, span),
            "__hardbop_unknown_errno" => self.unknown_errno(arguments, span),
            "__hardbop_unknown_int" | "__hardbop_unknown_long" => self.unknown_number(arguments, span),
            "__hardbop_unsupported" => self.unsupported_here(arguments, span),
            "__hardbop_rounding" => self.rounding(arguments, ty),
            "__hardbop_maybe_unsupported" => self.maybe_unsupported(arguments, span),
            "__hardbop_fmod" | "__hardbop_fmodf" | "__hardbop_fmodl" => self.float_remainder(arguments, span),
            "malloc" | "__hardbop_malloc" => self.malloc(arguments, MemoryKind::Heap, ty, span),
            "__hardbop_new" => self.allocate_always(arguments, ty, span),
            "__hardbop_zalloc" => self.malloc(arguments, MemoryKind::ZeroedHeap, ty, span),
            "alloca" | "__alloca" => self.alloca(arguments, ty, span),
            "free" | "cfree" | "__hardbop_free" => self.free(arguments, span),
            "memcpy" | "memmove" | "__memcpy" | "__memmove" | "__hardbop_copy" => {
                self.copy(arguments, ty, span)
            }
            "__hardbop_copy_object" => self.copy_object(arguments, span),
            "memset" | "__memset" | "__hardbop_fill" => self.fill(arguments, ty, span),
            _ => None,
        }
    }

    /// The model for what a call of `sprintf`, `sscanf` or their kin writes, and how many of its formals have names if more
    /// arguments may follow; nothing if the format is not known, or the arguments are not what it takes.
    pub(crate) fn formatting(
        &mut self,
        name: &str,
        arguments: &[ast::ExprId],
    ) -> Option<(&'static str, Option<usize>)> {
        use Taken::{Integer, Pointer};
        let (model, taken, variadic): (_, &[Taken], _) = match name.strip_prefix("__builtin_").unwrap_or(name)
        {
            "sprintf" => ("__hardbop_sprintf", &[Pointer, Pointer], true),
            "snprintf" => ("__hardbop_snprintf", &[Pointer, Integer, Pointer], true),
            "vsprintf" => ("__hardbop_vsprintf", &[Pointer, Pointer, Pointer], false),
            "vsnprintf" => ("__hardbop_vsnprintf", &[Pointer, Integer, Pointer, Pointer], false),
            "sscanf" | "__isoc99_sscanf" | "__isoc23_sscanf" => {
                ("__hardbop_sscanf", &[Pointer, Pointer], true)
            }
            _ => return None,
        };
        let named = taken.len();
        let format = arguments.get(if variadic { named - 1 } else { named - 2 })?;
        let format = self.literal_text(*format)?;
        let scans = model == "__hardbop_sscanf";
        let count = if scans { crate::format::scanned(&format) } else { crate::format::known(&format) }?;
        let fits = if variadic { arguments.len() >= named + count } else { arguments.len() == named };
        let fits = fits && self.are_taken(&arguments[..named], taken);
        fits.then_some((model, variadic.then_some(named)))
    }

    fn are_taken(&mut self, arguments: &[ast::ExprId], taken: &[Taken]) -> bool {
        let unit = self.unit;
        arguments.len() == taken.len()
            && arguments.iter().zip(taken).all(|(&argument, taken)| {
                let ty = self.ty(unit.exprs[argument].ty);
                match taken {
                    Taken::Scalar => self.ir().is_scalar(ty),
                    Taken::Integer => matches!(self.ir().ty(ty), Type::Machine { .. }),
                    Taken::Pointer => self.ir().is_pointer(ty),
                }
            })
    }

    fn nondet(
        &mut self,
        name: &str,
        kind: &str,
        arguments: &[ast::ExprId],
        ty: TypeId,
        span: Span,
    ) -> Handled {
        for &argument in arguments.iter().rev() {
            self.effect(argument);
        }
        if matches!(self.ir().ty(ty), Type::Void) {
            return None;
        }
        let value = self.arbitrary(ty, Arbitrary::Nondet(name.to_owned()), span);
        if matches!(kind, "bool" | "_Bool") && self.ir().is_scalar(ty) {
            let truth = self.ir().nonzero(value);
            return Some(self.ir().cast(truth, ty));
        }
        Some(value)
    }

    fn assume_intrinsic(&mut self, arguments: &[ast::ExprId], span: Span) -> Option<Handled> {
        let &[condition] = arguments else { return None };
        let truth = self.truth(condition);
        self.emit(Statement::Assume(truth), span);
        Some(None)
    }

    fn assert_intrinsic(&mut self, arguments: &[ast::ExprId], span: Span) -> Option<Handled> {
        let &[condition] = arguments else { return None };
        let (holds, fails) = (self.location(), self.location());
        self.branch(condition, holds, fails);
        self.continue_at(fails);
        self.fail_assertion("assert", span);
        self.continue_at(holds);
        Some(None)
    }

    fn assertion_failed(&mut self, arguments: &[ast::ExprId], span: Span) -> Option<Handled> {
        let text = arguments.first().and_then(|&a| self.literal_text(a)).unwrap_or_else(|| "assert".into());
        self.fail_assertion(&text, span);
        Some(None)
    }

    fn fail_assertion(&mut self, text: &str, span: Span) {
        if self.cx.options.assertions {
            self.emit_last(Statement::Error(Property::Assertion(text.to_owned())), span);
        } else {
            self.emit_last(Statement::Halt(Halt::Abort), span);
        }
    }

    /// The text of a string literal passed as an argument.
    fn literal_text(&self, argument: ast::ExprId) -> Option<String> {
        let unit = self.unit;
        let mut expr = argument;
        loop {
            match &unit.exprs[expr].kind {
                ast::ExprKind::Decay(inner)
                | ast::ExprKind::Cast(inner)
                | ast::ExprKind::AddressOf(inner) => {
                    expr = *inner;
                }
                ast::ExprKind::Str(bytes) | ast::ExprKind::Address(ast::AddressBase::Str(bytes, _), 0) => {
                    let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
                    return Some(String::from_utf8_lossy(&bytes[..end]).into_owned());
                }
                _ => return None,
            }
        }
    }

    fn halt(&mut self, why: Halt, span: Span) -> Option<Handled> {
        self.emit_last(Statement::Halt(why), span);
        Some(None)
    }

    /// Ends the run; unless it does so at once, after the functions that run then.
    fn exit(&mut self, arguments: &[ast::ExprId], runs_others: bool, span: Span) -> Option<Handled> {
        let &[status] = arguments else { return None };
        let status = self.value(status);
        let int = self.ir().machine(32, true);
        let mut status = self.converted(status, int, span);
        if runs_others {
            status = self.keep(status, span);
            self.run_exit_functions(status, span);
        }
        self.emit_last(Statement::Halt(Halt::Exit(status)), span);
        Some(None)
    }

    fn set_errno(&mut self, arguments: &[ast::ExprId], span: Span) -> Option<Handled> {
        let &[number] = arguments else { return None };
        if let Some(errno) = self.cx.errno() {
            let number = self.value(number);
            self.set(errno, number, span);
        }
        Some(None)
    }

    /// The name that a model gives as a literal.
    fn given_name(&self, argument: ast::ExprId) -> String {
        self.literal_text(argument).unwrap_or_default()
    }

    fn unknown_errno(&mut self, arguments: &[ast::ExprId], span: Span) -> Option<Handled> {
        let &[name] = arguments else { return None };
        let name = self.given_name(name);
        self.forget_errno(&name, span);
        Some(None)
    }

    /// The number of the last error becomes arbitrary, if the program looks at it.
    fn forget_errno(&mut self, function: &str, span: Span) {
        if let Some(errno) = self.cx.errno() {
            let place = self.ir().var_place(errno);
            self.emit(Statement::Havoc(place, Arbitrary::Library(function.to_owned())), span);
        }
    }

    fn unknown_number(&mut self, arguments: &[ast::ExprId], span: Span) -> Option<Handled> {
        let &[pointer, name] = arguments else { return None };
        let (pointer, name) = (self.value(pointer), self.given_name(name));
        let place = self.ir().deref(pointer);
        self.emit(Statement::Havoc(place, Arbitrary::Library(name)), span);
        Some(None)
    }

    fn unsupported_here(&mut self, arguments: &[ast::ExprId], span: Span) -> Option<Handled> {
        let &[what] = arguments else { return None };
        let what = self.given_name(what);
        self.unsupported(span, what);
        Some(None)
    }

    /// Something may happen that has no representation, or it may not.
    fn maybe_unsupported(&mut self, arguments: &[ast::ExprId], span: Span) -> Option<Handled> {
        let &[what] = arguments else { return None };
        let what = self.given_name(what);
        let (before, behind, other) = (self.here(), self.location(), self.location());
        self.edge(before, behind, Statement::Skip, span);
        self.edge(before, other, Statement::Skip, span);
        self.continue_at(other);
        self.unsupported(span, what);
        self.continue_at(behind);
        Some(None)
    }

    /// The rounding mode, which is in the argument; a constant in programs that set none.
    fn rounding(&mut self, arguments: &[ast::ExprId], ty: TypeId) -> Option<Handled> {
        let &[mode] = arguments else { return None };
        Some(Some(if self.cx.sets_rounding() { self.value(mode) } else { self.ir().int(0, ty) }))
    }

    fn float_remainder(&mut self, arguments: &[ast::ExprId], span: Span) -> Option<Handled> {
        let &[x, y] = arguments else { return None };
        let y = self.value(y);
        let y = self.keep(y, span);
        let x = self.value(x);
        Some(Some(self.ir().binary(BinaryOp::Rem, x, y)))
    }

    fn size_argument(&mut self, argument: ast::ExprId) -> ExprId {
        let span = self.unit.exprs[argument].span;
        let value = self.value(argument);
        let number = self.ir().address_type();
        self.converted(value, number, span)
    }

    fn malloc(
        &mut self,
        arguments: &[ast::ExprId],
        kind: MemoryKind,
        ty: TypeId,
        span: Span,
    ) -> Option<Handled> {
        let &[size] = arguments else { return None };
        let size = self.size_argument(size);
        let may_fail = self.cx.options.malloc_may_fail;
        if !may_fail {
            self.cx.assume(span, "memory allocation never fails");
        }
        let address = self.allocate(size, kind, may_fail, span);
        if may_fail && let Some(errno) = self.cx.errno() {
            // ENOMEM.
            let address_ty = self.ir().expr(address).ty;
            let null = self.ir().int(0, address_ty);
            let fails = self.ir().binary(BinaryOp::Eq, address, null);
            let old = self.ir().var(errno);
            let errno_ty = self.ir().expr(old).ty;
            let number = self.ir().int(12, errno_ty);
            let new = self.ir().if_then_else(fails, number, old);
            self.set(errno, new, span);
        }
        Some(Some(self.converted(address, ty, span)))
    }

    fn allocate_always(&mut self, arguments: &[ast::ExprId], ty: TypeId, span: Span) -> Option<Handled> {
        let &[size] = arguments else { return None };
        let size = self.size_argument(size);
        let address = self.allocate(size, MemoryKind::Heap, false, span);
        Some(Some(self.converted(address, ty, span)))
    }

    fn alloca(&mut self, arguments: &[ast::ExprId], ty: TypeId, span: Span) -> Option<Handled> {
        let &[size] = arguments else { return None };
        let size = self.size_argument(size);
        let address = self.allocate(size, MemoryKind::Stack, false, span);
        Some(Some(self.converted(address, ty, span)))
    }

    fn free(&mut self, arguments: &[ast::ExprId], span: Span) -> Option<Handled> {
        let &[pointer] = arguments else { return None };
        let pointer = self.value(pointer);
        self.emit(Statement::Free(pointer), span);
        Some(None)
    }

    /// Three arguments, evaluated from right to left: a pointer, something, a length.
    fn memory_arguments(&mut self, arguments: &[ast::ExprId], span: Span) -> Option<[ExprId; 3]> {
        let &[target, middle, length] = arguments else { return None };
        let mut length = self.size_argument(length);
        if self.has_effects(middle) || self.has_effects(target) {
            length = self.keep(length, span);
        }
        let mut middle = self.value(middle);
        if self.has_effects(target) {
            middle = self.keep(middle, span);
        }
        Some([self.value(target), middle, length])
    }

    fn copy(&mut self, arguments: &[ast::ExprId], ty: TypeId, span: Span) -> Option<Handled> {
        let [target, source, length] = self.memory_arguments(arguments, span)?;
        let target = self.keep(target, span);
        if let Some((to, from)) = self.whole_objects(target, source, length) {
            let value = self.ir().load(from);
            self.emit(Statement::Assign(to, value), span);
        } else {
            self.emit(Statement::Copy { target, source, length }, span);
        }
        Some(Some(self.converted(target, ty, span)))
    }

    fn copy_object(&mut self, arguments: &[ast::ExprId], span: Span) -> Option<Handled> {
        let &[target, source] = arguments else { return None };
        let (target, source) = (self.value(target), self.value(source));
        self.emit(Statement::CopyObject { target, source }, span);
        Some(None)
    }

    /// The objects that a copy moves whole, if their types and the length tell so.
    fn whole_objects(
        &mut self,
        target: ExprId,
        source: ExprId,
        length: ExprId,
    ) -> Option<(hardbop_ir::PlaceId, hardbop_ir::PlaceId)> {
        let length = self.ir().as_int(length)?;
        let (to, from) = (self.uncast(target), self.uncast(source));
        let (to_ty, from_ty) = (self.ir().expr(to).ty, self.ir().expr(from).ty);
        let (a, b) = (self.ir().pointee(to_ty)?, self.ir().pointee(from_ty)?);
        if a != b || i128::from(self.ir().size_of(a)) != length || matches!(self.ir().ty(a), Type::Void) {
            return None;
        }
        // Assigning a `long double` leaves its padding alone, copying it does not.
        if matches!(self.ir().ty(a), Type::Float(hardbop_ir::FloatKind::F80)) {
            return None;
        }
        Some((self.ir().deref(to), self.ir().deref(from)))
    }

    /// A pointer without the casts around it.
    fn uncast(&mut self, mut pointer: ExprId) -> ExprId {
        while let hardbop_ir::ExprKind::Cast(inner) = self.ir().expr(pointer).kind {
            let ty = self.ir().expr(inner).ty;
            if !self.ir().is_pointer(ty) {
                break;
            }
            pointer = inner;
        }
        pointer
    }

    fn fill(&mut self, arguments: &[ast::ExprId], ty: TypeId, span: Span) -> Option<Handled> {
        let [target, byte, length] = self.memory_arguments(arguments, span)?;
        let target = self.keep(target, span);
        self.emit(Statement::Fill { target, byte, length }, span);
        Some(Some(self.converted(target, ty, span)))
    }

    /// Whether an output function may write to memory: by `%n`, unless it has a format that can be read here
    /// and has none.
    fn may_store(&self, name: &str, arguments: &[ast::ExprId]) -> bool {
        let format = match name {
            "printf" | "vprintf" | "printk" => 0,
            "fprintf" | "vfprintf" | "dprintf" | "vdprintf" | "__printf_chk" | "syslog" => 1,
            "__fprintf_chk" => 2,
            _ => return false,
        };
        let text = arguments.get(format).and_then(|&format| self.literal_text(format));
        text.is_none_or(|text| stores(&text))
    }

    fn output(
        &mut self,
        name: &str,
        arguments: &[ast::ExprId],
        ty: TypeId,
        span: Span,
        wanted: bool,
    ) -> Handled {
        let effects = arguments.iter().any(|&a| self.has_effects(a));
        let mut values = Vec::with_capacity(arguments.len());
        for &argument in arguments.iter().rev() {
            let value = self.value(argument);
            let ty = self.ir().expr(value).ty;
            if self.ir().is_scalar(ty) {
                values.push(if effects { self.keep(value, span) } else { value });
            }
        }
        values.reverse();
        self.emit(Statement::Output { function: name.to_owned(), arguments: values }, span);
        self.forget_errno(name, span);
        let has_value = wanted && self.ir().is_scalar(ty);
        has_value.then(|| self.arbitrary(ty, Arbitrary::Library(name.to_owned()), span))
    }
}

/// Whether a format has a conversion `%n`, with whatever stands between.
fn stores(format: &str) -> bool {
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let conversion = rest[at + 1..].trim_start_matches(|c: char| !c.is_ascii_alphabetic() && c != '%');
        let conversion = conversion.trim_start_matches(['h', 'l', 'L', 'q', 'j', 'z', 't', 'Z', 'w']);
        let conversion = conversion.trim_start_matches(|c: char| c.is_ascii_digit() || c == 'f');
        if conversion.starts_with('n') {
            return true;
        }
        rest = &conversion[conversion.chars().next().map_or(0, char::len_utf8)..];
    }
    false
}
