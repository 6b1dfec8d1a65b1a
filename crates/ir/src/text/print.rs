//! Printing of whole programs. One item or edge per line; what a line stands for in the source is
//! the last thing on it.

use hardbop_base::SourceFile;
use rustc_hash::{FxHashMap, FxHashSet};

use super::print_expr::Printer;
use super::{Expect, VERSION};
use crate::{
    BitRange, Effect, ExprKind, Initial, InitialValue, LocationId, MISFIT, Procedure, Program, RecordId,
    Type, VarId, VarKind, Variable,
};

/// The text form of a program.
pub fn print(program: &Program) -> String {
    let mut printer = Printer::new(program, true);
    printer.field_names = field_names(program);
    printer.program();
    printer.out
}

/// Per record and field: whether it is the first of its name, so that the name denotes it.
pub(super) fn field_names(program: &Program) -> Vec<Vec<bool>> {
    let mut seen = FxHashSet::default();
    let records = program.records.values();
    records
        .map(|record| {
            seen.clear();
            record.fields.iter().map(|f| seen.insert(f.name.as_str())).collect()
        })
        .collect()
}

/// The globals by name.
pub(super) fn global_names(program: &Program) -> FxHashMap<&str, VarId> {
    let named = |&id: &VarId| program.variables.get(id).map(|v| (v.name.as_str(), id));
    program.globals.iter().filter_map(named).collect()
}

impl Printer<'_> {
    fn program(&mut self) {
        let program = self.program;
        self.push("program ");
        self.number(VERSION);
        self.push(" ");
        self.push(program.data_model.name());
        self.push("\n");
        for (id, file) in program.files.iter() {
            self.file(id.index(), file);
        }
        for id in program.records.ids() {
            self.record_definition(id);
        }
        self.push(if program.globals.is_empty() { "" } else { "\n" });
        for &global in &program.globals {
            self.refill();
            self.global(global);
        }
        let names = global_names(program);
        for procedure in program.procedures.values().filter(|p| p.name != MISFIT) {
            self.hide_globals(procedure, &names);
            self.procedure_definition(procedure);
        }
        if let Some(entry) = program.entry {
            self.push("\nentry ");
            match program.procedures.get(entry) {
                Some(procedure) => self.name(&procedure.name),
                None => self.push("<bad id>"),
            }
            self.push("\n");
        }
        self.push(if program.devices.is_empty() { "" } else { "\n" });
        for device in &program.devices {
            self.push(&format!("device {} {}\n", device.first, device.last));
        }
        self.push(if program.assumptions.is_empty() { "" } else { "\n" });
        for assumption in &program.assumptions {
            self.push("assumption ");
            self.quoted(&assumption.text);
            self.line_span(assumption.span);
            self.push("\n");
        }
    }

    fn file(&mut self, index: usize, file: &SourceFile) {
        self.push("\nfile ");
        self.number(index as u64);
        self.push(" ");
        self.quoted(&file.name);
        let mut marked = false;
        for (first_line, name, line) in file.lines.segments() {
            self.push(if marked { "" } else { " {\n" });
            marked = true;
            self.push("  line ");
            self.number(first_line);
            self.push(" is ");
            self.quoted(name);
            self.push(" line ");
            self.number(line);
            self.push("\n");
        }
        self.push(if marked { "}\n" } else { "\n" });
    }

    fn record_definition(&mut self, id: RecordId) {
        let record = &self.program.records[id];
        self.push("\n");
        self.record(id);
        self.push(" size ");
        self.number(record.size);
        self.push(" align ");
        self.number(record.align);
        self.push(" {");
        self.line_span(record.span);
        self.push("\n");
        for field in &record.fields {
            self.push("  ");
            self.name(&field.name);
            self.push(": ");
            self.ty(field.ty);
            self.push(" at ");
            self.number(field.offset);
            self.bits(field.bits);
            self.push("\n");
        }
        self.push("}\n");
    }

    fn bits(&mut self, bits: Option<BitRange>) {
        if let Some(BitRange { first, width }) = bits {
            self.push(" bits ");
            self.number(first);
            self.push(" width ");
            self.number(width);
        }
    }

    /// `name: type`, and the alignment if one was asked for
    fn declaration(&mut self, id: VarId) {
        let program = self.program;
        let Some(variable) = program.variables.get(id) else {
            return self.push("<bad id>");
        };
        self.name(&variable.name);
        self.push(": ");
        self.ty(variable.ty);
        if variable.align != 0 {
            self.push(" align ");
            self.number(variable.align);
        }
    }

    /// `name: type @span`
    fn local_declaration(&mut self, id: VarId) {
        self.declaration(id);
        if let Some(variable) = self.program.variables.get(id) {
            self.span(variable.span);
        }
    }

    fn global(&mut self, id: VarId) {
        let program = self.program;
        let variable = program.variables.get(id);
        let hidden = variable.is_some_and(|v| v.kind == VarKind::Static);
        self.push(if hidden { "static " } else { "global " });
        self.declaration(id);
        let Some(variable) = variable else {
            return self.push("\n");
        };
        self.push(" = ");
        match &variable.initial {
            Initial::Arbitrary => self.push("arbitrary"),
            Initial::Values(values) => match values.as_slice() {
                [] => self.push("zero"),
                [only] if self.is_whole(variable, only) => self.expr(only.value, Expect::Type(variable.ty)),
                values => {
                    self.push("{");
                    self.line_span(variable.span);
                    self.push("\n");
                    self.initial_values(values, Expect::initial(program, variable.ty));
                    return self.push("}\n");
                }
            },
        }
        self.line_span(variable.span);
        self.push("\n");
    }

    fn is_whole(&self, variable: &Variable, only: &InitialValue) -> bool {
        let ty = self.program.exprs().get(only.value).map(|e| e.ty);
        only.offset == 0 && only.bits.is_none() && ty == Some(variable.ty)
    }

    fn initial_values(&mut self, mut values: &[InitialValue], expect: Expect) {
        while let Some((value, rest)) = values.split_first() {
            self.push("  at ");
            self.number(value.offset);
            self.bits(value.bits);
            self.push(": ");
            let bytes = self.byte_run(values);
            if bytes > 1 {
                self.bytes(&values[..bytes]);
                values = &values[bytes..];
            } else {
                self.expr(value.value, expect);
                values = rest;
            }
            self.push("\n");
        }
    }

    /// How many of the values, from the first on, are consecutive bytes of one type.
    fn byte_run(&self, values: &[InitialValue]) -> usize {
        let start = values[0].offset;
        let Some((_, ty)) = self.byte(&values[0]) else {
            return 0;
        };
        let follows = |(i, value): (usize, &InitialValue)| {
            value.offset == start.wrapping_add(i as u64) && self.byte(value).is_some_and(|(_, t)| t == ty)
        };
        values.iter().enumerate().take_while(|&v| follows(v)).count()
    }

    /// An 8-bit constant and its sign.
    fn byte(&self, value: &InitialValue) -> Option<(u8, bool)> {
        let expr = self.program.exprs().get(value.value)?;
        let ExprKind::Int(number) = expr.kind else { return None };
        let &Type::Machine { width: 8, signed } = self.program.types().get(expr.ty)? else { return None };
        let byte = if signed { i8::try_from(number).ok()? as u8 } else { u8::try_from(number).ok()? };
        value.bits.is_none().then_some((byte, signed))
    }

    fn bytes(&mut self, values: &[InitialValue]) {
        let mut sign = false;
        self.push("\"");
        for value in values {
            if let Some((byte, signed)) = self.byte(value) {
                self.escaped(byte);
                sign = signed;
            }
        }
        self.push(if sign { "\":i8" } else { "\":u8" });
    }

    /// Finds the globals that variables of a procedure hide.
    pub(super) fn hide_globals(&mut self, procedure: &Procedure, globals: &FxHashMap<&str, VarId>) {
        self.hidden.clear();
        for id in procedure.formals.iter().chain(&procedure.locals).chain(&procedure.result) {
            let name = self.program.variables.get(*id).map(|v| v.name.as_str());
            if let Some(&global) = name.and_then(|name| globals.get(name)) {
                self.hidden.insert(global);
            }
        }
    }

    fn procedure_definition(&mut self, procedure: &Procedure) {
        self.push(match procedure.external {
            None => "\nfn ",
            Some(Effect::Pure) => "\nextern pure fn ",
            Some(Effect::Havoc) => "\nextern havoc fn ",
            Some(Effect::Computes) => "\nextern computes fn ",
            Some(Effect::Reaches) => "\nextern reaches fn ",
        });
        self.name(&procedure.name);
        self.push("(");
        for (i, &formal) in procedure.formals.iter().enumerate() {
            self.push(if i > 0 { ", " } else { "" });
            self.local_declaration(formal);
        }
        self.push(if procedure.variadic { ") variadic" } else { ")" });
        if let Some(result) = procedure.result {
            self.push(" -> ");
            self.local_declaration(result);
        }
        if procedure.external.is_some() {
            self.push(";");
            self.line_span(procedure.span);
            return self.push("\n");
        }
        self.push(" {");
        self.line_span(procedure.span);
        self.push("\n");
        self.body(procedure);
        self.push("}\n");
    }

    fn body(&mut self, procedure: &Procedure) {
        for &local in &procedure.locals {
            let kind = self.program.variables.get(local).map(|v| v.kind);
            self.push(if kind == Some(VarKind::Temp) { "  temp " } else { "  local " });
            self.local_declaration(local);
            self.push("\n");
        }
        self.push("  locations ");
        self.number(procedure.locations.len() as u64);
        self.push(" entry ");
        self.location(procedure.entry);
        self.push(" exit ");
        self.location(procedure.exit);
        self.push("\n");
        for (id, location) in procedure.locations.iter() {
            for label in &location.labels {
                self.push("  label ");
                self.name(label);
                self.push(" at ");
                self.location(id);
                self.push("\n");
            }
        }
        for edge in procedure.edges.values() {
            self.refill();
            self.push("  ");
            self.location(edge.source);
            self.push(" -> ");
            self.location(edge.target);
            self.push(": ");
            self.statement(&edge.statement);
            self.line_span(edge.span);
            self.push("\n");
        }
    }

    fn location(&mut self, id: LocationId) {
        self.push("L");
        self.number(id.index() as u64);
    }
}
