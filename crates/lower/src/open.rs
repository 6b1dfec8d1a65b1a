//! Where an open program starts: the entry is called by code that is not there, at any time.
//!
//! Variables that are not constant hold anything then. A pointer among them, or among the arguments, is null or leads to
//! - memory of its own, of the type that it points to and with any contents, made before the call;
//! - what another one of its type leads to, or a variable that others know: one that is not static, or whose address the
//!   program takes;
//! - [`DEPTH`] pointers away, memory outside of the program, of which nothing is known: a run ends there
//!   without a verdict.
//!
//! One number, an input of the run, says which. Memory is one object unless the program computes with pointers of the type,
//! and then any number of them. What is assumed by this is said in the program.

use hardbop_base::Span;
use hardbop_ir::{
    self as ir, Arbitrary, BinaryOp, ExprId, ExprKind, Initial, MemoryKind, Statement, TypeId, VarId,
};
use hardbop_syntax::ast::DeclKind;
use rustc_hash::FxHashSet;

use crate::Lowering;
use crate::body::Body;

/// How many pointers away from an argument or a variable memory is made.
const DEPTH: u32 = 2;
/// How many pieces of memory are made.
const MAX_OBJECTS: usize = 64;
/// How many others a pointer may lead to.
const MAX_SHARED: usize = 16;
/// How many elements of an array of pointers are followed.
const MAX_ELEMENTS: u64 = 8;
/// How many bytes a piece of memory has if it may be an array.
const MAX_BYTES: u64 = 1 << 20;

/// How many bytes that are if nobody says.
const USUAL_BYTES: u64 = 4096;

/// What pointers of an open program may lead to.
struct World {
    /// Addresses of objects that more than one pointer may lead to, by the type of the object, with what they are called.
    shared: Vec<(TypeId, String, ExprId)>,
    /// The types with pointers to which the program computes.
    computed: FxHashSet<TypeId>,
    made: usize,
    /// Whether there are others that pointers could lead to and do not.
    cut: bool,
    /// Whether pointers were left that lead outside.
    ends: bool,
}

/// A pointer to be made.
#[derive(Clone)]
struct Wanted {
    ty: TypeId,
    name: String,
    depth: u32,
}

impl Lowering<'_> {
    /// The variables that hold anything when the entry of an open program is called, in order.
    fn changing(&self) -> Vec<VarId> {
        let library = self.units.len() - 1;
        let mut found: Vec<VarId> = Vec::new();
        for (&entity, &variable) in &self.globals {
            let constant = matches!(&self.decl(entity).kind, DeclKind::Object(object) if object.constant);
            if entity.unit != library && !constant {
                found.push(variable);
            }
        }
        found.sort_unstable();
        found
    }

    /// Forgets what variables hold at the start that may hold something else when the entry is called.
    pub(crate) fn forget_globals(&mut self) -> Vec<VarId> {
        let changing = self.changing();
        for &variable in &changing {
            self.program.variables[variable].initial = Initial::Arbitrary;
        }
        self.dynamic.retain(|dynamic| !changing.contains(&dynamic.variable));
        changing
    }

    /// The types with pointers to which the program computes: it adds to them, or takes them for pointers to others.
    fn computed_types(&self) -> FxHashSet<TypeId> {
        let program = &self.program;
        let pointee = |expr: ExprId| program.pointee(program.expr(expr).ty);
        let is_plain = |ty: TypeId| matches!(program.ty(ty), ir::Type::Void);
        let mut computed = FxHashSet::default();
        for expr in program.exprs().values() {
            match expr.kind {
                ExprKind::Binary(BinaryOp::PointerAdd | BinaryOp::PointerDiff, pointer, _) => {
                    computed.extend(pointee(pointer));
                }
                ExprKind::Cast(inner) => match (pointee(inner), program.pointee(expr.ty)) {
                    (Some(from), Some(to)) if from != to && !is_plain(to) => {
                        computed.insert(from);
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        computed
    }

    /// Which variables have their address taken.
    fn exposed(&self) -> FxHashSet<VarId> {
        let program = &self.program;
        let taken = program.exprs().values().filter_map(|expr| match expr.kind {
            ExprKind::AddressOf(place) => match program.place(place).base {
                ir::PlaceBase::Var(variable) => Some(variable),
                ir::PlaceBase::Deref(_) => None,
            },
            _ => None,
        });
        taken.collect()
    }

    /// The functions of a type whose address is taken.
    fn addressed_functions(&self, ty: TypeId) -> Vec<(String, ExprId)> {
        let program = &self.program;
        let mut found: Vec<(String, ExprId)> = Vec::new();
        for (id, expr) in program.exprs().iter() {
            if let ExprKind::Function(procedure) = expr.kind
                && program.pointee(expr.ty) == Some(ty)
            {
                found.push((format!("the function {}", program.procedures[procedure].name), id));
            }
        }
        found
    }
}

impl Body<'_, '_> {
    /// Gives variables and arguments of an open program their values, and says what is assumed of them.
    pub(crate) fn open_arguments(
        &mut self,
        entry: ir::ProcId,
        changing: &[VarId],
        span: Span,
    ) -> Vec<ExprId> {
        let computed = self.cx.computed_types();
        let mut world = World { shared: Vec::new(), computed, made: 0, cut: false, ends: false };
        self.share_variables(&mut world, changing, span);
        for &variable in changing {
            let (place, ty) = (self.ir().var_place(variable), self.ir().variables[variable].ty);
            let name = self.ir().variables[variable].name.clone();
            let name = format!("the variable {name}");
            self.fill_pointers(&mut world, place, Wanted { ty, name, depth: 0 }, span);
        }
        let formals = self.ir().procedures[entry].formals.clone();
        let mut arguments = Vec::new();
        for formal in formals {
            let (ty, name) = (self.ir().variables[formal].ty, self.ir().variables[formal].name.clone());
            let name = name.strip_suffix("$in").map_or(name.clone(), str::to_owned);
            arguments.push(match self.ir().ty(ty) {
                ir::Type::Pointer(_) => self.pointer(&mut world, Wanted { ty, name, depth: 0 }, span),
                ir::Type::Record(_) => {
                    let whole = self.local("$argument", ty, span);
                    let place = self.ir().var_place(whole);
                    self.fill_pointers(&mut world, place, Wanted { ty, name, depth: 0 }, span);
                    self.ir().var(whole)
                }
                _ => self.arbitrary(ty, Arbitrary::Nondet("entry argument".into()), span),
            });
        }
        self.say_what_is_assumed(entry, &world, span);
        arguments
    }

    fn say_what_is_assumed(&mut self, entry: ir::ProcId, world: &World, span: Span) {
        let name = self.ir().procedures[entry].name.clone();
        self.cx.assume(
            span,
            format!("`{name}` is called at any time, with any arguments; variables that are not constant hold anything"),
        );
        if world.made > 0 || !world.shared.is_empty() {
            self.cx.assume(
                span,
                "a pointer that is given to it, or that it finds in variables and memory, is null or leads to the \
                 start of an object of its type: one of its own, one that other pointers of the type lead to, or a \
                 variable that others know",
            );
        }
        if world.cut {
            let text = format!(
                "a pointer leads to the first {MAX_SHARED} of the objects that it may share, or to its own"
            );
            self.cx.assume(span, text);
        }
        if world.ends {
            let text = format!("memory that is more than {DEPTH} pointers away lies outside of the program");
            self.cx.assume(span, text);
        }
    }

    /// Variables that others know are what pointers may lead to.
    fn share_variables(&mut self, world: &mut World, changing: &[VarId], span: Span) {
        let exposed = self.cx.exposed();
        for &variable in changing {
            let known =
                self.ir().variables[variable].kind == ir::VarKind::Global || exposed.contains(&variable);
            if known {
                let place = self.ir().var_place(variable);
                let (ty, name) =
                    (self.ir().variables[variable].ty, self.ir().variables[variable].name.clone());
                self.share_parts(world, place, ty, &name, span);
            }
        }
    }

    /// A place and the members and elements of it, as what pointers may lead to.
    fn share_parts(&mut self, world: &mut World, place: ir::PlaceId, ty: TypeId, name: &str, span: Span) {
        match self.ir().ty(ty).clone() {
            ir::Type::Array { element, length } if length > 0 => {
                let number = self.ir().distance_type();
                let index = self.arbitrary(number, Arbitrary::Nondet(format!("an index of {name}")), span);
                let (zero, end) = (self.ir().int(0, number), self.ir().int(length.into(), number));
                let least = self.ir().binary(BinaryOp::Le, zero, index);
                let most = self.ir().binary(BinaryOp::Lt, index, end);
                let inside = self.ir().binary(BinaryOp::And, least, most);
                self.emit(Statement::Assume(inside), span);
                let one = self.ir().index(place, index);
                self.share_parts(world, one, element, &format!("{name}[…]"), span);
            }
            ir::Type::Array { .. } => {}
            whole => {
                let is_known = world.shared.iter().filter(|(other, ..)| *other == ty).count() >= MAX_SHARED;
                let is_wanted = self.is_pointed_to(ty);
                world.cut |= is_known && is_wanted;
                if !is_known && is_wanted {
                    let address = self.ir().address_of(place);
                    world.shared.push((ty, name.to_owned(), address));
                }
                if let ir::Type::Record(record) = whole {
                    let fields = self.ir().records[record].fields.clone();
                    for (number, field) in (0u32..).zip(&fields).filter(|(_, field)| field.bits.is_none()) {
                        let part = self.ir().field(place, number);
                        self.share_parts(world, part, field.ty, &format!("{name}.{}", field.name), span);
                    }
                }
            }
        }
    }

    /// Whether there is a pointer to the type in the program.
    fn is_pointed_to(&self, ty: TypeId) -> bool {
        let program = &self.cx.program;
        let variables = program.variables.values().map(|variable| variable.ty);
        let fields = program.records.values().flat_map(|record| record.fields.iter().map(|field| field.ty));
        variables.chain(fields).any(|pointer| program.pointee(pointer) == Some(ty))
    }

    /// Gives the pointers in a place their values; all else is arbitrary already.
    fn fill_pointers(&mut self, world: &mut World, place: ir::PlaceId, wanted: Wanted, span: Span) {
        let Wanted { ty, name, depth } = wanted;
        match self.ir().ty(ty).clone() {
            ir::Type::Pointer(_) => {
                let value = self.pointer(world, Wanted { ty, name, depth }, span);
                self.emit(Statement::Assign(place, value), span);
            }
            ir::Type::Array { element, length } if self.has_pointers(element) => {
                world.ends |= length > MAX_ELEMENTS;
                for i in 0..length.min(MAX_ELEMENTS) {
                    let number = self.ir().distance_type();
                    let index = self.ir().int(i.into(), number);
                    let one = self.ir().index(place, index);
                    self.fill_pointers(
                        world,
                        one,
                        Wanted { ty: element, name: format!("{name}[{i}]"), depth },
                        span,
                    );
                }
            }
            ir::Type::Record(record) if self.ir().records[record].kind == ir::RecordKind::Union => {
                world.ends |= self.has_pointers(ty);
            }
            ir::Type::Record(record) => {
                let fields = self.ir().records[record].fields.clone();
                for (number, field) in (0u32..).zip(&fields).filter(|(_, field)| field.bits.is_none()) {
                    let part = self.ir().field(place, number);
                    let name = format!("{name}.{}", field.name);
                    self.fill_pointers(world, part, Wanted { ty: field.ty, name, depth }, span);
                }
            }
            _ => {}
        }
    }

    fn has_pointers(&mut self, ty: TypeId) -> bool {
        match self.ir().ty(ty).clone() {
            ir::Type::Pointer(_) => true,
            ir::Type::Array { element, .. } => self.has_pointers(element),
            ir::Type::Record(record) => {
                let fields = self.ir().records[record].fields.clone();
                fields.iter().any(|field| self.has_pointers(field.ty))
            }
            _ => false,
        }
    }

    /// A pointer that is null, or leads to something.
    fn pointer(&mut self, world: &mut World, wanted: Wanted, span: Span) -> ExprId {
        let Wanted { ty, name, depth } = wanted.clone();
        let Some(target) = self.ir().pointee(ty) else { return self.ir().int(0, ty) };
        let is_function = matches!(self.ir().ty(target), ir::Type::Function(_));
        let mut ways: Vec<(String, ExprId)> =
            if is_function { self.cx.addressed_functions(target) } else { Vec::new() };
        let same = world.shared.iter().filter(|(other, ..)| *other == target);
        ways.extend(same.map(|(_, name, address)| (name.clone(), *address)));
        world.cut |= ways.len() > MAX_SHARED;
        ways.truncate(MAX_SHARED);
        let (what, own) = if is_function {
            ("a function outside", self.function_outside(world, &wanted, target, span))
        } else if depth >= DEPTH || world.made >= MAX_OBJECTS {
            world.ends = true;
            let outside = self.arbitrary(ty, Arbitrary::Nondet(format!("an address in {name}")), span);
            ("memory outside", outside)
        } else {
            ("an object of its own", self.object(world, &wanted, target, span))
        };
        let texts: Vec<String> =
            (2..).zip(&ways).map(|(number, (name, _))| format!(", {number}: {name}")).collect();
        let text = format!("what {name} points to (0: nothing, 1: {what}{})", texts.concat());
        let int = self.ir().machine(32, false);
        let which = self.arbitrary(int, Arbitrary::Nondet(text), span);
        let last = self.ir().int(1 + ways.len() as i128, int);
        let sensible = self.ir().binary(BinaryOp::Le, which, last);
        self.emit(Statement::Assume(sensible), span);
        let null = self.ir().int(0, ty);
        let mut value = own;
        for (number, address) in (2..).zip(ways.into_iter().map(|(_, address)| address)).chain([(0, null)]) {
            let number = self.ir().int(number, int);
            let chosen = self.ir().binary(BinaryOp::Eq, which, number);
            let address = self.ir().cast(address, ty);
            value = self.ir().if_then_else(chosen, address, value);
        }
        self.keep_in_temp(value, span)
    }

    /// A function that is not part of the program, for a pointer to lead to.
    fn function_outside(&mut self, world: &mut World, wanted: &Wanted, target: TypeId, span: Span) -> ExprId {
        let ir::Type::Function(signature) = self.ir().ty(target).clone() else {
            return self.ir().int(0, wanted.ty);
        };
        let name = self.cx.unique_name(&format!("{}$outside", wanted.name));
        let formals = (0..).zip(&signature.formals).map(|(i, &ty)| (format!("${i}"), ty, span)).collect();
        let effect = Some(self.cx.options.externals);
        let procedure = self.cx.new_procedure(name, span, formals, signature.result, effect);
        self.ir().procedures[procedure].variadic = signature.variadic;
        let address = self.ir().function_address(procedure);
        world.shared.push((
            target,
            format!("the function outside that {} may point to", wanted.name),
            address,
        ));
        address
    }

    /// Memory for a pointer to lead to.
    fn object(&mut self, world: &mut World, wanted: &Wanted, target: TypeId, span: Span) -> ExprId {
        let Wanted { ty, name, depth } = wanted;
        world.made += 1;
        let each = self.ir().size_of(target);
        let is_bytes = each <= 1;
        let size_type = self.ir().address_type();
        let size = if is_bytes || world.computed.contains(&target) {
            let most = (MAX_BYTES / each.max(1)).max(1);
            // Zero, the input that nobody gives, stands for a number that is seldom too small.
            let usual = (USUAL_BYTES / each.max(1)).max(1);
            let what = format!("how many elements {name} points to (0: {usual})");
            let given = self.arbitrary(size_type, Arbitrary::Nondet(what), span);
            let (zero, last) = (self.ir().int(0, size_type), self.ir().int(most.into(), size_type));
            let sensible = self.ir().binary(BinaryOp::Le, given, last);
            self.emit(Statement::Assume(sensible), span);
            let (is_zero, usual) =
                (self.ir().binary(BinaryOp::Eq, given, zero), self.ir().int(usual.into(), size_type));
            let count = self.ir().if_then_else(is_zero, usual, given);
            let each = self.ir().int(each.max(1).into(), size_type);
            let size = self.ir().binary(BinaryOp::Mul, count, each);
            self.cx.assume(
                span,
                format!("such an object is one of an array of up to {MAX_BYTES} bytes if the program computes with pointers of its type"),
            );
            size
        } else {
            self.ir().int(each.into(), size_type)
        };
        let address = self.allocate(size, MemoryKind::Heap, false, span);
        let address = self.ir().cast(address, *ty);
        let address = self.keep_in_temp(address, span);
        world.shared.push((target, format!("what {name} may point to"), address));
        let place = self.ir().deref(address);
        let inner = Wanted { ty: target, name: format!("(*{name})"), depth: depth + 1 };
        self.fill_pointers(world, place, inner, span);
        address
    }
}
