//! Rules 3 and 4: variables, and what globals hold at the start.

use rustc_hash::FxHashSet;

use super::{Context, Owner, Verifier, is_object, is_scalar};
use crate::{Initial, InitialValue, Type, VarId, VarKind, Variable};

impl Verifier<'_> {
    /// Goes through all lists of variables and notes who owns which.
    pub(super) fn membership(&mut self) {
        let program = self.program;
        let mut listed = FxHashSet::default();
        self.list(&program.globals, "global", Owner::Nobody, &mut listed, |kind| {
            matches!(kind, VarKind::Global | VarKind::Static)
        });
        for (id, procedure) in program.procedures.iter() {
            self.at = Context { procedure: Some(id), edge: None, span: procedure.span };
            let owner = Owner::Procedure(id);
            self.list(&procedure.formals, "formal", owner, &mut listed, |kind| kind == VarKind::Formal);
            let local = |kind| matches!(kind, VarKind::Local | VarKind::Temp);
            self.list(&procedure.locals, "local", owner, &mut listed, local);
            let result: Vec<_> = procedure.result.into_iter().collect();
            self.list(&result, "result", owner, &mut listed, |kind| kind == VarKind::Result);
        }
    }

    fn list(
        &mut self,
        variables: &[VarId],
        role: &str,
        owner: Owner,
        listed: &mut FxHashSet<VarId>,
        fits: fn(VarKind) -> bool,
    ) {
        for &id in variables {
            let Some(variable) = self.program.variables.get(id) else {
                self.bad(format!("variable {id:?}, listed as {role}, is not there"));
                continue;
            };
            let name = &variable.name;
            if !listed.insert(id) {
                self.bad(format!("variable `{name}` is listed twice"));
                continue;
            }
            self.owners[id.index()] = owner;
            if !fits(variable.kind) {
                self.bad(format!("variable `{name}` is listed as {role} but is a {:?}", variable.kind));
            }
            self.variable(variable, owner);
        }
    }

    fn variable(&mut self, variable: &Variable, owner: Owner) {
        let outer = self.at;
        self.at.span = variable.span;
        self.span(variable.span);
        let name = &variable.name;
        match self.ty(variable.ty) {
            None => self.bad(format!("variable `{name}` has a bad type")),
            Some(ty) if !is_object(ty) => {
                self.bad(format!("variable `{name}` has type {}", self.show_type(variable.ty)));
            }
            Some(_) => {}
        }
        if variable.kind != VarKind::Temp {
            self.in_memory(variable.ty, &format!("variable `{name}`"));
        }
        if variable.align != 0 && !variable.align.is_power_of_two() {
            self.bad(format!("variable `{name}` asks for the alignment {}", variable.align));
        }
        if owner != Owner::Nobody && variable.initial != Initial::Arbitrary {
            self.bad(format!("variable `{name}` is no global but has an initial value"));
        }
        self.at = outer;
    }

    /// Checks the names and initial values of globals.
    pub(super) fn globals(&mut self) {
        let program = self.program;
        let mut names = FxHashSet::default();
        for variable in program.globals.iter().filter_map(|&id| program.variables.get(id)) {
            self.at = Context { procedure: None, edge: None, span: variable.span };
            if !names.insert(variable.name.as_str()) {
                self.bad(format!("there are two globals `{}`", variable.name));
            }
            if let (Initial::Values(values), Some(_)) = (&variable.initial, self.ty(variable.ty)) {
                self.initial_values(variable, values);
            }
        }
    }

    fn initial_values(&mut self, variable: &Variable, values: &[InitialValue]) {
        let name = &variable.name;
        let bits = u128::from(self.types[variable.ty.index()].bytes) * 8;
        let mut taken = Vec::with_capacity(values.len());
        for value in values {
            let Some((start, end)) = self.initial_value(name, value) else { continue };
            if end > bits {
                self.bad(format!("the initial value at {} of `{name}` ends behind it", value.offset));
            }
            taken.push((start, end, value.offset));
        }
        // Usually sorted already.
        taken.sort_unstable();
        for pair in taken.windows(2) {
            if pair[1].0 < pair[0].1 {
                self.bad(format!("the initial values at {} of `{name}` overlap", pair[1].2));
            }
        }
    }

    /// Checks one value; gives the bits it takes.
    fn initial_value(&mut self, name: &str, value: &InitialValue) -> Option<(u128, u128)> {
        let facts = self.check_expr(value.value);
        let id = self.expr_type(value.value)?;
        let ty = self.ty(id)?;
        if !facts.constant || facts.owner != Owner::Nobody {
            let shown = self.program.show_expr(value.value);
            self.bad(format!("the initial value `{shown}` of `{name}` is not constant"));
        }
        if !is_scalar(ty) {
            let shown = self.show_type(id);
            self.bad(format!("an initial value of `{name}` has type {shown}, which is no scalar"));
        }
        let start = u128::from(value.offset) * 8;
        let Some(bits) = value.bits else {
            return Some((start, start + u128::from(self.types[id.index()].bytes) * 8));
        };
        let fits = matches!(*ty, Type::Machine { width, .. } if u16::from(bits.width) <= width);
        if !fits || bits.width == 0 || bits.first > 7 {
            self.bad(format!("the initial value at {} of `{name}` has bad bits", value.offset));
        }
        let start = start + u128::from(bits.first);
        Some((start, start + u128::from(bits.width)))
    }
}
