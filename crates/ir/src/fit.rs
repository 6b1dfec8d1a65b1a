//! Which procedures a call through a pointer executes, with which arguments and which result.
//!
//! This is the one place that decides it; the interpreter, the alias analysis and the encoder ask here.
//!
//! C defines such a call if the type of the function is compatible with the type behind the pointer, and,
//! without a prototype, if the promoted arguments fit (C17 6.5.2.2p6, p9). Types of the source are no longer known
//! here, and no compiler looks at them when the call is executed. So the rule is what every compatible call
//! satisfies, and what gcc's calling conventions make of the others where they leave nothing open:
//!
//! - an argument is passed as its formal if both are of one type, pointers, or records and arrays that look the same;
//! - integers and pointers are cast where the convention says what the callee sees: of equal width, to fewer bits
//!   (where both take one slot), or from less than an `int` to an `int`;
//! - arguments too many are dropped, as registers and stack of the others do not depend on them;
//! - a scalar result that the call does not use is dropped; one that it uses is cast to equal or fewer bits. A wanted result of
//!   a procedure that has none is arbitrary.
//!
//! A procedure without a body takes whatever it is passed.
//!
//! Everything else *cannot be executed*: too few arguments, a float for an integer, variable arguments on one side only.
//! Such a call is not the end of the run but *unsupported*. The analyses are more generous, since no run is lost by it: where
//! all that is passed goes through registers for integers, the callee is executed with arbitrary values for what is
//! missing or has undefined bits ([`Program::may_execute`]). Any other call is for them one of the procedure [`MISFIT`],
//! which is `unsupported` itself, so that nothing else has to know of it.
//!
//! A pointer that comes from outside of the program may lead to a function that is not part of it. For the analyses this
//! is a call of the external procedure [`OUTSIDE`], which does what functions without a definition do; in a run it is what an
//! address of [memory outside](crate::interpret::OutsideMemory) leads to.

use hardbop_base::{Arena, Span};

use crate::{
    Callee, DataModel, Edge, Effect, ExprId, Field, FunctionType, Location, LocationId, ProcId, Procedure,
    Program, RecordKind, Statement, Type, TypeId, VarId,
};

/// The name of the procedure that stands for all that a call through a pointer cannot execute. A program with calls
/// through pointers has it; its text does not show it.
pub const MISFIT: &str = "$misfit";

/// The name of the external procedure that stands for all functions outside of the program that a call through a pointer
/// may reach. A program without it takes such calls for [misfits](MISFIT).
pub const OUTSIDE: &str = "$outside";

/// How many integers are passed in registers, with 64 bits.
const INTEGER_REGISTERS: usize = 6;

/// What calling [`MISFIT`] means.
const REASON: &str = "a call of a function through a pointer of another type";

impl Program {
    /// Whether a call through a pointer is executed if the pointer is the address of this procedure.
    pub fn fits(&self, call: &Statement, callee: ProcId) -> bool {
        let Statement::Call { result, callee: Callee::Indirect(pointer), arguments } = call else {
            return true;
        };
        let procedure = &self.procedures[callee];
        if procedure.external.is_some() {
            return true;
        }
        let function = match self.pointee(self.expr(*pointer).ty).map(|ty| self.ty(ty)) {
            Some(Type::Function(function)) if function.formals.len() == arguments.len() => Some(function),
            _ => None,
        };
        let variadic = function.is_some_and(|f| f.variadic);
        variadic == procedure.variadic
            && self.takes(procedure, arguments, variadic)
            && self.gives(procedure, function, *result)
    }

    /// Whether the analyses execute a call through a pointer if the pointer is the address of this procedure: it fits, or
    /// what does not fit is arbitrary, and nothing else is touched.
    pub fn may_execute(&self, call: &Statement, callee: ProcId) -> bool {
        self.fits(call, callee) || self.goes_through_registers(call, callee)
    }

    /// Whether arguments, formals and results of a call through a pointer all are in registers for integers, in their order.
    fn goes_through_registers(&self, call: &Statement, callee: ProcId) -> bool {
        let Statement::Call { result, callee: Callee::Indirect(pointer), arguments } = call else {
            return false;
        };
        let procedure = &self.procedures[callee];
        let is_whole = |ty: TypeId| {
            self.machine_shape(ty).is_some_and(|(width, _)| width <= self.data_model.pointer_bits())
        };
        let is_own = |&var: &VarId| is_whole(self.variables[var].ty);
        let is_variadic = match self.pointee(self.expr(*pointer).ty).map(|ty| self.ty(ty)) {
            Some(Type::Function(function)) => function.variadic,
            _ => false,
        };
        self.data_model == DataModel::Lp64
            && !is_variadic
            && !procedure.variadic
            && procedure.formals.len() <= INTEGER_REGISTERS
            && procedure.formals.iter().chain(&procedure.result).chain(result).all(is_own)
            && arguments.iter().all(|&argument| is_whole(self.expr(argument).ty))
    }

    fn takes(&self, procedure: &Procedure, arguments: &[ExprId], exactly: bool) -> bool {
        let formals = &procedure.formals;
        let enough =
            if exactly { arguments.len() == formals.len() } else { arguments.len() >= formals.len() };
        let mut pairs = arguments.iter().zip(formals);
        enough
            && pairs
                .all(|(&argument, &formal)| self.passes(self.expr(argument).ty, self.variables[formal].ty))
    }

    fn gives(&self, procedure: &Procedure, function: Option<&FunctionType>, result: Option<VarId>) -> bool {
        let type_of = |var: VarId| self.variables[var].ty;
        let given = procedure.result.map(type_of);
        let declared = function.map(|f| f.result).filter(|&ty| !matches!(self.ty(ty), Type::Void));
        let expected = declared.or(result.map(type_of));
        let is_large = |ty: Option<TypeId>| ty.is_some_and(|ty| !self.is_scalar(ty));
        match (given, expected) {
            // A large result is passed by a hidden argument, whether it is used or not.
            (Some(given), Some(expected)) if is_large(Some(given)) || is_large(Some(expected)) => {
                self.looks_like(given, expected)
            }
            _ if is_large(given) || is_large(expected) => false,
            (Some(given), Some(_)) => result.is_none_or(|var| self.returns(given, type_of(var))),
            _ => true,
        }
    }

    /// Whether an argument of one type becomes a formal of another, if need be by a cast.
    pub fn passes(&self, from: TypeId, to: TypeId) -> bool {
        match (self.machine_shape(from), self.machine_shape(to)) {
            (Some((a, _)), Some((b, _))) => {
                let word = self.data_model.pointer_bits();
                a == b || (b < a && a <= word) || (a < b && b <= 32)
            }
            _ => self.looks_like(from, to),
        }
    }

    /// Whether a result of one type is taken as one of another, if need be by a cast.
    pub fn returns(&self, from: TypeId, to: TypeId) -> bool {
        match (self.machine_shape(from), self.machine_shape(to)) {
            (Some((a, _)), Some((b, _))) => b <= a && (a == b || a <= 64),
            _ => self.looks_like(from, to),
        }
    }

    /// Whether values of two types look the same in memory: the same scalars in the same places, whatever their
    /// names and signs; all pointers and integers of a width count as one.
    pub fn looks_like(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        match (self.ty(a), self.ty(b)) {
            (Type::Array { element: e, length: n }, Type::Array { element: f, length: m }) => {
                n == m && self.looks_like(*e, *f)
            }
            (&Type::Record(r), &Type::Record(s)) => {
                let (r, s) = (&self.records[r], &self.records[s]);
                let alike = |(f, g): (&Field, &Field)| {
                    f.offset == g.offset && f.bits == g.bits && self.looks_like(f.ty, g.ty)
                };
                // The members of a union may come in any order (C17 6.2.7p1).
                let same_fields = match r.kind {
                    RecordKind::Struct => r.fields.iter().zip(&s.fields).all(alike),
                    RecordKind::Union => {
                        r.fields.iter().all(|f| s.fields.iter().any(|g| alike((f, g))))
                            && s.fields.iter().all(|g| r.fields.iter().any(|f| alike((f, g))))
                    }
                };
                let same_size = (r.size, r.align) == (s.size, s.align);
                r.kind == s.kind && same_size && r.fields.len() == s.fields.len() && same_fields
            }
            _ => match (self.machine_shape(a), self.machine_shape(b)) {
                (Some((n, _)), Some((m, _))) => n == m,
                _ => false,
            },
        }
    }

    /// The procedure that stands for all that a call through a pointer cannot execute.
    pub fn misfit(&self) -> Option<ProcId> {
        // It is added when all others are known.
        self.procedures.iter().rev().find(|(_, p)| p.name == MISFIT).map(|(id, _)| id)
    }

    /// The procedure that stands for the functions outside of the program.
    pub fn outside(&self) -> Option<ProcId> {
        self.procedures.iter().rev().find(|(_, p)| p.name == OUTSIDE).map(|(id, _)| id)
    }

    /// Adds the procedure [`OUTSIDE`] if there are calls through pointers.
    pub fn add_outside(&mut self, effect: Effect) {
        if self.has_calls_through_pointers() {
            self.procedures.push(hidden(OUTSIDE, Some(effect)));
        }
    }

    /// Adds the procedure [`MISFIT`] if there are calls through pointers and it is not there.
    pub fn add_misfit(&mut self) {
        if self.has_calls_through_pointers() && self.misfit().is_none() {
            let mut misfit = hidden(MISFIT, None);
            let behind = misfit.locations.push(Location::default());
            let (source, statement) = (misfit.entry, Statement::Unsupported(REASON.into()));
            misfit.edges.push(Edge { source, target: behind, statement, span: Span::none() });
            self.procedures.push(misfit);
        }
    }

    /// Whether some call goes through a pointer.
    pub fn has_calls_through_pointers(&self) -> bool {
        let mut edges = self.procedures.values().flat_map(|p| p.edges.values());
        edges.any(|edge| matches!(edge.statement, Statement::Call { callee: Callee::Indirect(_), .. }))
    }
}

/// A procedure that takes nothing and gives nothing.
fn hidden(name: &str, external: Option<Effect>) -> Procedure {
    let mut locations = Arena::new();
    let [entry, exit] = [0, 1].map(LocationId::from_usize);
    if external.is_none() {
        (0..2).for_each(|_| _ = locations.push(Location::default()));
    }
    Procedure {
        name: name.into(),
        span: Span::none(),
        formals: Vec::new(),
        variadic: false,
        locals: Vec::new(),
        result: None,
        external,
        locations,
        edges: Arena::new(),
        entry,
        exit,
    }
}
