//! Rule 8: statements.

use super::{Facts, Owner, Verifier, is_object, is_scalar};
use crate::text::{MAX_DEPTH, MAX_NODES};
use crate::{
    Callee, ExprId, ExprKind, Halt, PlaceBase, PlaceId, Statement, Type, TypeId, VarId, VarKind, Variable,
};

impl<'p> Verifier<'p> {
    pub(super) fn statement(&mut self, statement: &Statement) {
        match statement {
            Statement::Skip | Statement::Return | Statement::Error(_) | Statement::Unsupported(_) => {}
            Statement::Halt(Halt::Abort | Halt::Unreachable) => {}
            Statement::Halt(Halt::Exit(status)) => self.machine(*status, "the exit status"),
            Statement::Assign(place, value) => self.assign(*place, *value),
            Statement::Assume(condition) => {
                if let Some((id, ty)) = self.use_expr(*condition)
                    && !matches!(ty, Type::Bool)
                {
                    let ty = self.show_type(id);
                    self.bad(format!("an assumption has type {ty}, which is no truth value"));
                }
            }
            Statement::Havoc(place, _) => {
                self.store(*place);
            }
            Statement::Call { result, callee, arguments } => self.call(*result, *callee, arguments),
            Statement::Allocate { result, size, .. } => {
                if let Some(variable) = self.temporary(*result, "the address of a new object")
                    && !self.is_pointer(variable.ty)
                {
                    let name = &variable.name;
                    self.bad(format!("`{name}` gets the address of an object but is no pointer"));
                }
                self.machine(*size, "the size of a new object");
            }
            Statement::Free(pointer) => self.pointer(*pointer, "what is freed"),
            Statement::Copy { target, source, length } => {
                self.pointer(*target, "the target of a copy");
                self.pointer(*source, "the source of a copy");
                self.machine(*length, "the length of a copy");
            }
            Statement::CopyObject { target, source } => {
                self.pointer(*target, "the target of a copy");
                self.pointer(*source, "the source of a copy");
            }
            Statement::Fill { target, byte, length } => {
                self.pointer(*target, "the target of a fill");
                self.machine(*byte, "the byte of a fill");
                self.machine(*length, "the length of a fill");
            }
            Statement::Output { arguments, .. } => {
                for &argument in arguments {
                    if let Some((id, ty)) = self.use_expr(argument)
                        && !is_scalar(ty)
                    {
                        let ty = self.show_type(id);
                        self.bad(format!("an argument of an output has type {ty}, which is no scalar"));
                    }
                }
            }
        }
    }

    /// Checks an expression used by the current statement; its type if it is good.
    pub(super) fn use_expr(&mut self, id: ExprId) -> Option<(TypeId, &'p Type)> {
        let facts = self.check_expr(id);
        self.whole(facts);
        let ty = self.expr_type(id)?;
        Some((ty, self.ty(ty)?))
    }

    fn use_place(&mut self, id: PlaceId) -> Option<(TypeId, &'p Type)> {
        let facts = self.check_place(id);
        self.whole(facts);
        let ty = self.place_type(id)?;
        Some((ty, self.ty(ty)?))
    }

    /// What concerns an expression or place as a whole: its size, and whose variables it uses.
    fn whole(&mut self, facts: Facts) {
        if facts.depth > MAX_DEPTH {
            self.bad(format!("an expression is nested more than {MAX_DEPTH} deep"));
        }
        if facts.nodes > MAX_NODES {
            self.bad(format!("an expression has more than {MAX_NODES} nodes"));
        }
        let own = match facts.owner {
            Owner::Nobody => true,
            Owner::Procedure(owner) => self.at.procedure == Some(owner),
            Owner::Nowhere => !facts.usable,
        };
        if !own {
            self.bad("a variable of another procedure is used");
        }
    }

    fn machine(&mut self, expr: ExprId, what: &str) {
        if let Some((id, ty)) = self.use_expr(expr)
            && !matches!(ty, Type::Machine { .. })
        {
            let ty = self.show_type(id);
            self.bad(format!("{what} has type {ty}, which is no machine integer"));
        }
    }

    fn pointer(&mut self, expr: ExprId, what: &str) {
        if let Some((id, ty)) = self.use_expr(expr)
            && !matches!(ty, Type::Pointer(_))
        {
            let ty = self.show_type(id);
            self.bad(format!("{what} has type {ty}, which is no pointer"));
        }
    }

    /// Checks a place that is stored to.
    fn store(&mut self, place: PlaceId) -> Option<TypeId> {
        let (id, ty) = self.use_place(place)?;
        if !is_object(ty) {
            let ty = self.show_type(id);
            self.bad(format!("a value of type {ty} is stored"));
        }
        if let PlaceBase::Var(var) = self.program.place(place).base
            && let Some(Variable { name, kind: VarKind::Formal, .. }) = self.program.variables.get(var)
        {
            self.bad(format!("formal `{name}` is stored to"));
        }
        Some(id)
    }

    fn assign(&mut self, place: PlaceId, value: ExprId) {
        let target = self.store(place);
        let source = self.use_expr(value);
        if let (Some(target), Some((source, _))) = (target, source)
            && source != target
        {
            let (source, target) = (self.show_type(source), self.show_type(target));
            self.bad(format!("a value of type {source} is assigned to a place of type {target}"));
        }
    }

    /// Checks that a variable is a temporary of this procedure.
    fn temporary(&mut self, id: VarId, what: &str) -> Option<&'p Variable> {
        let Some(variable) = self.program.variables.get(id) else {
            self.bad(format!("variable {id:?} is not there"));
            return None;
        };
        let name = &variable.name;
        if variable.kind != VarKind::Temp {
            self.bad(format!("{what} goes into `{name}`, which is no temporary"));
        }
        match (self.owners[id.index()], self.at.procedure) {
            (Owner::Procedure(owner), Some(here)) if owner == here => {}
            (Owner::Nobody, _) => {}
            (Owner::Nowhere, _) => self.bad(format!("variable `{name}` is in no list of variables")),
            _ => self.bad("a variable of another procedure is used"),
        }
        Some(variable)
    }

    fn call(&mut self, result: Option<VarId>, callee: Callee, arguments: &[ExprId]) {
        for &argument in arguments {
            self.argument(argument);
        }
        let result = result.and_then(|id| self.temporary(id, "the result of a call"));
        let Some((formals, gives)) = self.signature(callee) else { return };
        if arguments.len() != formals.len() {
            let (passed, taken) = (arguments.len(), formals.len());
            self.bad(format!("a call passes {passed} arguments to {taken} formals"));
        }
        for (i, (&argument, &formal)) in arguments.iter().zip(&formals).enumerate() {
            if let Some(argument) = self.expr_type(argument)
                && !self.passes(argument, formal)
            {
                let (argument, formal) = (self.show_type(argument), self.show_type(formal));
                self.bad(format!("argument {i} of a call has type {argument}, its formal has type {formal}"));
            }
        }
        match (result, gives) {
            (Some(_), None) => self.bad("a call takes the result of a procedure that has none"),
            (Some(result), Some(gives)) if !self.passes(gives, result.ty) => {
                let (gives, takes) = (self.show_type(gives), self.show_type(result.ty));
                self.bad(format!("a call gives type {gives} and stores it as type {takes}"));
            }
            _ => {}
        }
    }

    /// The types of the formals of a callee, and of its result.
    fn signature(&mut self, callee: Callee) -> Option<(Vec<TypeId>, Option<TypeId>)> {
        let program = self.program;
        match callee {
            Callee::Direct(id) => {
                let Some(procedure) = program.procedures.get(id) else {
                    self.bad(format!("procedure {id:?} is not there"));
                    return None;
                };
                // Variables that are not there have been reported.
                let type_of = |&id: &VarId| program.variables.get(id).map(|v| v.ty);
                let formals = procedure.formals.iter().map(type_of).collect::<Option<_>>()?;
                let result = match &procedure.result {
                    Some(result) => Some(type_of(result)?),
                    None => None,
                };
                Some((formals, result))
            }
            Callee::Indirect(pointer) => {
                let (ty, _) = self.use_expr(pointer)?;
                let Some(Type::Function(function)) = program.pointee(ty).and_then(|ty| self.ty(ty)) else {
                    let ty = self.show_type(ty);
                    self.bad(format!("a value of type {ty} is called"));
                    return None;
                };
                let void = matches!(self.ty(function.result), Some(Type::Void));
                Some((function.formals.clone(), (!void).then_some(function.result)))
            }
        }
    }

    /// Whether a value of one type may be passed as another: pointers all look the same.
    fn passes(&self, from: TypeId, to: TypeId) -> bool {
        from == to || (self.is_pointer(from) && self.is_pointer(to))
    }

    fn is_pointer(&self, ty: TypeId) -> bool {
        matches!(self.ty(ty), Some(Type::Pointer(_)))
    }

    fn argument(&mut self, argument: ExprId) {
        let program = self.program;
        if self.use_expr(argument).is_none() {
            return;
        }
        let fits = match program.expr(argument).kind {
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::Float(_) | ExprKind::Function(_) => true,
            ExprKind::Load(place) => {
                let place = program.place(place);
                match place.base {
                    PlaceBase::Var(var) if place.path.is_empty() => {
                        matches!(program.variables[var].kind, VarKind::Temp | VarKind::Formal)
                    }
                    _ => false,
                }
            }
            _ => false,
        };
        if !fits {
            let shown = program.show_expr(argument);
            self.bad(format!("argument `{shown}` of a call is neither constant nor a temporary"));
        }
    }
}
