//! Functions without a definition that call functions of the program.
//!
//! Such a function may do what it does and call what it knows, in any order and any number of times. So its procedure gets a
//! body, and what it does itself becomes a procedure of its own:
//!
//! ```text
//! register(handler) {
//!   do { result = register$itself(handler); } while ($callback());
//!   return result;
//! }
//! ```
//!
//! `$callback` calls one of the functions that can be known outside, or none, and says whether it did; it goes on only if the
//! function is known by now ([`ir::KNOWN`]). What is passed is anything that others may pass: arguments that can hold
//! addresses are results of external procedures. Which function it is, an input of the run says.
//!
//! A function can be known only after a statement mentioned it, unless a variable holds its address from the start. That is
//! simple enough to be written down for proofs: a variable of the function says whether one did.
//!
//! This is done to a program that is ready otherwise, because it depends on what pointers may lead to, which lowering does not
//! know. Functions that call nothing stay as they are.

use hardbop_base::{Arena, Span};
use hardbop_ir::{
    self as ir, Arbitrary, BinaryOp, Callee, Edge, Effect, ExprKind, Initial, Location, LocationId, ProcId,
    Procedure, Program, Statement, Type, TypeId, VarId, VarKind, Variable,
};

use rustc_hash::FxHashMap;

use crate::start::LIBRARY_NAME;

/// What is said of a function without a definition that calls nothing.
pub(crate) const CALLS_NOTHING: &str = "and it calls no function of the program";

/// The name of the procedure that calls back.
const CALLBACK: &str = "$callback";

/// The functions of the program whose addresses it takes: others may call them once they know these. There are none if
/// nobody could.
pub fn addressed_functions(program: &Program) -> Vec<ProcId> {
    if !program.procedures.values().any(|procedure| calls_back(program, procedure)) {
        return Vec::new();
    }
    let mut found: Vec<ProcId> = Vec::new();
    for expr in program.exprs().values() {
        if let ExprKind::Function(procedure) = expr.kind
            && program.procedures[procedure].external.is_none()
            && !is_ours(program, &program.procedures[procedure])
        {
            found.push(procedure);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The program in which functions without a definition call these functions, as soon as they know their addresses.
/// Such an entry that is called `at_any_time` may follow what told them.
pub fn with_callbacks(mut program: Program, functions: &[ProcId], at_any_time: bool) -> Program {
    if !functions.is_empty() {
        add_callbacks(&mut program, functions, at_any_time);
    }
    program
}

fn add_callbacks(program: &mut Program, functions: &[ProcId], at_any_time: bool) {
    let mut mentioned = FxHashMap::default();
    if !at_any_time {
        for &function in functions {
            mentioned.extend(note_mentions(program, function).map(|variable| (function, variable)));
        }
    }
    let procedures = program.procedures.iter();
    let callers: Vec<ProcId> =
        procedures.filter(|(_, procedure)| calls_back(program, procedure)).map(|(id, _)| id).collect();
    let callback = Maker::of(program, functions).callback(functions, &mentioned);
    for caller in callers {
        give_body(program, caller, callback);
    }
    let names: Vec<String> =
        functions.iter().map(|&function| format!("`{}`", program.procedures[function].name)).collect();
    let instead = format!("and it may call {} once it can know the address", names.join(", "));
    for assumption in &mut program.assumptions {
        assumption.text = assumption.text.replace(CALLS_NOTHING, &instead);
    }
}

/// A variable that says whether a statement mentioned the function so far; nothing if others may know it from the start.
fn note_mentions(program: &mut Program, function: ProcId) -> Option<VarId> {
    let holds = |value: &ir::InitialValue| mentions(program, value.value, function);
    let from_the_start = program.globals.iter().any(|&global| match &program.variables[global].initial {
        Initial::Values(values) => values.iter().any(holds),
        Initial::Arbitrary => false,
    });
    if from_the_start {
        return None;
    }
    let Procedure { name, span, .. } = &program.procedures[function];
    let (name, span, ty) = (format!("$mentioned${name}"), *span, program.machine(32, false));
    let initial = Initial::Values(Vec::new());
    let variable =
        program.variables.push(Variable { name, ty, kind: VarKind::Static, span, align: 0, initial });
    program.globals.push(variable);
    let place = program.var_place(variable);
    let note = Statement::Assign(place, program.int(1, ty));
    let ids: Vec<ProcId> = program.procedures.ids().collect();
    for id in ids {
        let edges: Vec<ir::EdgeId> = program.procedures[id].edges.ids().collect();
        for edge in edges {
            let statement = &program.procedures[id].edges[edge].statement;
            // A condition tells nobody.
            let tells = !matches!(statement, Statement::Assume(_));
            if tells
                && ir::visit::roots(program, statement).into_iter().any(|e| mentions(program, e, function))
            {
                let procedure = &mut program.procedures[id];
                let before = procedure.locations.push(Location::default());
                let source = std::mem::replace(&mut procedure.edges[edge].source, before);
                let span = Span::none();
                procedure.edges.push(Edge { source, target: before, statement: note.clone(), span });
            }
        }
    }
    Some(variable)
}

fn mentions(program: &Program, expr: ir::ExprId, function: ProcId) -> bool {
    let mut found = false;
    ir::visit::exprs(program, [expr], &mut |part| {
        found |= program.expr(part).kind == ExprKind::Function(function);
    });
    found
}

/// Whether an external procedure is a function that could call others. What stands for inline assembly has no place in
/// the source to be declared at, and what stands for all that pointers lead to has no arguments.
fn calls_back(program: &Program, procedure: &Procedure) -> bool {
    let is_function = procedure.name != ir::OUTSIDE && procedure.name != crate::stmt::ASSEMBLY;
    procedure.external == Some(Effect::Havoc) && is_function && !is_ours(program, procedure)
}

/// Whether a procedure comes from the library that Hardbop brings along.
pub(crate) fn is_ours(program: &Program, procedure: &Procedure) -> bool {
    program.files.get(procedure.span.file).is_some_and(|file| file.name == LIBRARY_NAME)
}

/// Gives an external procedure a body that calls what stands for itself, and back.
fn give_body(program: &mut Program, caller: ProcId, callback: ProcId) {
    let Procedure { name, span, formals, variadic, result, .. } = program.procedures[caller].clone();
    let type_of = |var: VarId| program.variables[var].ty;
    let types: Vec<TypeId> = formals.iter().map(|&formal| type_of(formal)).collect();
    let (result_type, more_type) = (result.map(type_of), program.machine(32, false));
    let itself =
        external(program, (format!("{name}{}", ir::ITSELF), span), &types, result_type, Effect::Havoc);
    program.procedures[itself].variadic = variadic;
    let mut maker = Maker { program, span, procedure: Procedure { external: None, ..empty(name, span) } };
    let value = result_type.map(|ty| maker.temp(ty));
    let more = maker.temp(more_type);
    let (entry, first, second, third, last) =
        (maker.location(), maker.location(), maker.location(), maker.location(), maker.location());
    let exit = maker.location();
    maker.edge(entry, first, Statement::Skip);
    let arguments = formals.iter().map(|&formal| maker.program.var(formal)).collect();
    maker.edge(first, second, Statement::Call { result: value, callee: Callee::Direct(itself), arguments });
    let again =
        Statement::Call { result: Some(more), callee: Callee::Direct(callback), arguments: Vec::new() };
    maker.edge(second, third, again);
    let goes_on = maker.equals(more, 1);
    let ends = maker.program.not(goes_on);
    maker.edge(third, first, Statement::Assume(goes_on));
    maker.edge(third, last, Statement::Assume(ends));
    let last = match (result, value) {
        (Some(result), Some(value)) => maker.assign(last, result, value),
        _ => last,
    };
    maker.edge(last, exit, Statement::Return);
    let body = Procedure { formals, variadic, result, entry, exit, ..maker.procedure };
    program.procedures[caller] = body;
}

/// Adds an external procedure.
fn external(
    program: &mut Program,
    (name, span): (String, Span),
    formals: &[TypeId],
    result: Option<TypeId>,
    effect: Effect,
) -> ProcId {
    let mut variable = |name: String, ty: TypeId, kind: VarKind| {
        program.variables.push(Variable { name, ty, kind, span, align: 0, initial: Initial::Arbitrary })
    };
    let formals = (0..).zip(formals).map(|(i, &ty)| variable(format!("${i}"), ty, VarKind::Formal)).collect();
    let result = result.map(|ty| variable("$result".to_owned(), ty, VarKind::Result));
    program.procedures.push(Procedure { formals, result, external: Some(effect), ..empty(name, span) })
}

/// A procedure of which nothing is known yet.
fn empty(name: String, span: Span) -> Procedure {
    let first = LocationId::from_usize(0);
    Procedure {
        name,
        span,
        formals: Vec::new(),
        variadic: false,
        locals: Vec::new(),
        result: None,
        external: None,
        locations: Arena::new(),
        edges: Arena::new(),
        entry: first,
        exit: first,
    }
}

/// A procedure in the making.
struct Maker<'p> {
    program: &'p mut Program,
    span: Span,
    procedure: Procedure,
}

impl<'p> Maker<'p> {
    /// The maker of the procedure that calls back; it has no text but that of what it calls.
    fn of(program: &'p mut Program, functions: &[ProcId]) -> Self {
        let span = functions.first().map_or(Span::none(), |&first| program.procedures[first].span);
        Maker { program, span, procedure: empty(CALLBACK.to_owned(), span) }
    }

    fn location(&mut self) -> LocationId {
        self.procedure.locations.push(Location::default())
    }

    fn edge(&mut self, source: LocationId, target: LocationId, statement: Statement) {
        self.procedure.edges.push(Edge { source, target, statement, span: self.span });
    }

    /// An edge to a new location.
    fn step(&mut self, source: LocationId, statement: Statement) -> LocationId {
        let target = self.location();
        self.edge(source, target, statement);
        target
    }

    fn variable(&mut self, name: String, ty: TypeId, kind: VarKind) -> VarId {
        let (span, initial) = (self.span, Initial::Arbitrary);
        self.program.variables.push(Variable { name, ty, kind, span, align: 0, initial })
    }

    fn temp(&mut self, ty: TypeId) -> VarId {
        let name = format!("$c{}", self.procedure.locals.len());
        let temp = self.variable(name, ty, VarKind::Temp);
        self.procedure.locals.push(temp);
        temp
    }

    /// Copies a whole variable.
    fn assign(&mut self, at: LocationId, target: VarId, source: VarId) -> LocationId {
        let (place, value) = (self.program.var_place(target), self.program.var(source));
        self.step(at, Statement::Assign(place, value))
    }

    fn equals(&mut self, variable: VarId, number: usize) -> ir::ExprId {
        let ty = self.program.variables[variable].ty;
        let (value, number) = (self.program.var(variable), self.program.int(number as i128, ty));
        self.program.binary(BinaryOp::Eq, value, number)
    }

    /// The procedure that calls one of these functions or none, and says whether it did.
    fn callback(mut self, functions: &[ProcId], mentioned: &FxHashMap<ProcId, VarId>) -> ProcId {
        let unsigned = self.program.machine(32, false);
        let names = functions.iter().map(|&function| self.program.procedures[function].name.clone());
        let names: Vec<String> =
            (1..).zip(names).map(|(number, name): (usize, _)| format!(", {number}: {name}")).collect();
        let text = format!("{}{})", ir::WHICH, names.concat());
        let which = self.temp(unsigned);
        let result = self.variable("$result".to_owned(), unsigned, VarKind::Result);
        self.procedure.result = Some(result);
        let is_known = self.known();
        let entry = self.location();
        let place = self.program.var_place(which);
        let chosen = self.step(entry, Statement::Havoc(place, Arbitrary::Nondet(text)));
        let exit = self.location();
        let mut is_none = self.program.truth(true);
        for (number, &function) in (1..).zip(functions) {
            let is_it = self.equals(which, number);
            let is_another = self.program.not(is_it);
            is_none = self.program.binary(BinaryOp::And, is_none, is_another);
            self.span = self.program.procedures[function].span;
            let mut at = self.step(chosen, Statement::Assume(is_it));
            if let Some(&mentioned) = mentioned.get(&function) {
                let is_mentioned = self.equals(mentioned, 1);
                at = self.step(at, Statement::Assume(is_mentioned));
            }
            let at = self.call(at, is_known, function);
            self.give(at, result, 1, exit);
        }
        let at = self.step(chosen, Statement::Assume(is_none));
        self.give(at, result, 0, exit);
        self.procedure.entry = entry;
        self.procedure.exit = exit;
        self.program.procedures.push(self.procedure)
    }

    /// Returns a number.
    fn give(&mut self, at: LocationId, result: VarId, number: i128, exit: LocationId) {
        let (place, ty) = (self.program.var_place(result), self.program.variables[result].ty);
        let number = self.program.int(number, ty);
        let at = self.step(at, Statement::Assign(place, number));
        self.edge(at, exit, Statement::Return);
    }

    /// The procedure that says whether an address is known.
    fn known(&mut self) -> ProcId {
        let void = self.program.void();
        let (pointer, truth) = (self.program.pointer_to(void), self.program.machine(32, false));
        external(self.program, (ir::KNOWN.to_owned(), Span::none()), &[pointer], Some(truth), Effect::Pure)
    }

    /// Calls a function with arguments that others may pass, if they know it.
    fn call(&mut self, at: LocationId, is_known: ProcId, function: ProcId) -> LocationId {
        let unsigned = self.program.machine(32, false);
        let known = self.temp(unsigned);
        let address = self.program.function_address(function);
        let void = self.program.void();
        let pointer = self.program.pointer_to(void);
        let (kept, address) = (self.temp(pointer), self.program.cast(address, pointer));
        let place = self.program.var_place(kept);
        let at = self.step(at, Statement::Assign(place, address));
        let arguments = vec![self.program.var(kept)];
        let asked = Statement::Call { result: Some(known), callee: Callee::Direct(is_known), arguments };
        let at = self.step(at, asked);
        let condition = self.equals(known, 1);
        let mut at = self.step(at, Statement::Assume(condition));
        let Procedure { name, span, formals, .. } = self.program.procedures[function].clone();
        let mut arguments = Vec::new();
        for formal in formals {
            let (ty, formal) =
                (self.program.variables[formal].ty, self.program.variables[formal].name.clone());
            let argument = self.temp(ty);
            let given = if self.can_hold_address(ty) {
                let giver = (format!("{name}${formal}{}", ir::GIVEN), span);
                let giver = external(self.program, giver, &[], Some(ty), Effect::Havoc);
                Statement::Call {
                    result: Some(argument),
                    callee: Callee::Direct(giver),
                    arguments: Vec::new(),
                }
            } else {
                let place = self.program.var_place(argument);
                let text = format!("argument {formal} of {name}, called from outside");
                Statement::Havoc(place, Arbitrary::Nondet(text))
            };
            at = self.step(at, given);
            arguments.push(self.program.var(argument));
        }
        self.step(at, Statement::Call { result: None, callee: Callee::Direct(function), arguments })
    }

    fn can_hold_address(&self, ty: TypeId) -> bool {
        match *self.program.ty(ty) {
            Type::Machine { width, .. } => width >= self.program.data_model.pointer_bits(),
            Type::Float(_) | Type::Bool | Type::Integer => false,
            _ => true,
        }
    }
}
