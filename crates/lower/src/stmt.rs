//! Statements and declarations inside functions.

use hardbop_base::Span;
use hardbop_ir::{self as ir, Arbitrary, BinaryOp, ExprId, LocationId, Statement, Type, TypeId};
use hardbop_syntax::ast::{self, DeclId, DeclKind, LabelId, StmtId, StmtKind, Storage};

use crate::body::{Body, Home, PendingGoto, Scope, Switch, Target};

impl Body<'_, '_> {
    /// The outermost block of a function.
    pub(crate) fn function_body(&mut self, statement: StmtId) {
        self.statement(statement);
        if self.is_live() {
            let span = end_of(self.unit.stmts[statement].span);
            // The end of `main` returns 0.
            if let Some(result) = self.result.filter(|_| self.name == "main") {
                let ty = self.ir().variables[result].ty;
                if matches!(self.ir().ty(ty), ir::Type::Machine { .. }) {
                    let zero = self.ir().int(0, ty);
                    self.set(result, zero, span);
                }
            }
            self.emit_return(span);
        }
    }

    /// Whether a statement contains a label, so that any part of it may run again.
    pub(crate) fn has_labels(&self, _statement: StmtId) -> bool {
        // Statements of a function lie close together in the arena, but their order is not
        // promised: the question is asked of the whole unit.
        !self.unit.labels.is_empty()
    }

    /// Lowers a statement.
    pub(crate) fn statement(&mut self, statement: StmtId) {
        let unit = self.unit;
        let s = &unit.stmts[statement];
        match &s.kind {
            StmtKind::Empty => {}
            StmtKind::Expr(expr) => self.effect(*expr),
            StmtKind::Block(statements) => {
                self.open_scope();
                for &inner in statements {
                    self.statement(inner);
                }
                self.close_scope(end_of(s.span));
            }
            StmtKind::Decls(decls) => decls.iter().for_each(|&decl| self.declaration(decl)),
            StmtKind::If { condition, then, otherwise } => {
                self.if_statement(*condition, *then, *otherwise, s.span)
            }
            StmtKind::While { condition, body } => self.loop_statement(Some(*condition), None, *body, s.span),
            StmtKind::DoWhile { body, condition } => self.do_while(*body, *condition, s.span),
            StmtKind::For { init, condition, step, body } => {
                self.open_scope();
                if let Some(init) = init {
                    self.statement(*init);
                }
                self.loop_statement(*condition, *step, *body, s.span);
                self.close_scope(end_of(s.span));
            }
            StmtKind::Switch { value, body } => self.switch(*value, *body, s.span),
            StmtKind::Case { low, high, body } => self.case(*low, *high, *body, s.span),
            StmtKind::Default(body) => self.default(*body, s.span),
            StmtKind::Label(label, body) => {
                self.place_label(*label, s.span);
                self.statement(*body);
            }
            StmtKind::Goto(label) => self.goto(*label, s.span),
            StmtKind::ComputedGoto(address) => self.computed_goto(*address, s.span),
            StmtKind::Break => self.leave(self.breaks.last().copied(), s.span),
            StmtKind::Continue => self.leave(self.continues.last().copied(), s.span),
            StmtKind::Return(value) => self.return_statement(*value, s.span),
            StmtKind::Asm(asm) => self.assembly(asm, s.span),
            StmtKind::Unsupported(reason) => self.unsupported(s.span, reason.clone()),
        }
    }

    // --- scopes ---

    /// Opens a block.
    pub(crate) fn open_scope(&mut self) {
        self.scope_count += 1;
        self.scopes.push(Scope { id: self.scope_count, cleanups: Vec::new() });
    }

    /// Closes a block, running its cleanup functions.
    pub(crate) fn close_scope(&mut self, span: Span) {
        if self.is_live() {
            self.clean_up(self.scopes.len() - 1, span);
        }
        self.scopes.pop();
    }

    /// Runs the cleanup functions of the scopes from `depth` on, innermost first.
    fn clean_up(&mut self, depth: usize, span: Span) {
        let left = self.scopes[depth..].to_vec();
        self.clean_up_scopes(&left, span);
    }

    fn clean_up_scopes(&mut self, scopes: &[Scope], span: Span) {
        let pending: Vec<(Home, DeclId)> =
            scopes.iter().rev().flat_map(|scope| scope.cleanups.iter().rev().copied()).collect();
        for (home, function) in pending {
            let address = match home {
                Home::Variable(variable) => {
                    let place = self.ir().var_place(variable);
                    self.ir().address_of(place)
                }
                Home::Behind(pointer) => self.ir().var(pointer),
            };
            self.call_function_with(function, address, span);
        }
    }

    fn leave(&mut self, target: Option<Target>, span: Span) {
        match target {
            Some(target) => {
                self.clean_up(target.scopes, span);
                self.jump(target.location, span);
            }
            None => self.unsupported(span, "a jump out of nothing"),
        }
    }

    // --- branches and loops ---

    fn if_statement(&mut self, condition: ast::ExprId, then: StmtId, otherwise: Option<StmtId>, span: Span) {
        let (yes, no, join) = (self.location(), self.location(), self.location());
        self.branch(condition, yes, no);
        self.continue_at(yes);
        self.statement(then);
        self.jump(join, span);
        self.continue_at(no);
        if let Some(otherwise) = otherwise {
            self.statement(otherwise);
        }
        self.jump(join, span);
        self.continue_at(join);
    }

    fn loop_statement(
        &mut self,
        condition: Option<ast::ExprId>,
        step: Option<ast::ExprId>,
        body: StmtId,
        span: Span,
    ) {
        let (head, inside, next, after) =
            (self.location(), self.location(), self.location(), self.location());
        self.jump(head, span);
        self.continue_at(head);
        let outer = std::mem::replace(&mut self.repeats, true);
        match condition {
            Some(condition) => self.branch(condition, inside, after),
            None => self.jump(inside, span),
        }
        self.continue_at(inside);
        self.loop_body(body, next, after);
        self.jump(next, span);
        self.continue_at(next);
        if let Some(step) = step {
            self.effect(step);
        }
        self.repeats = outer;
        self.jump(head, span);
        self.continue_at(after);
    }

    fn do_while(&mut self, body: StmtId, condition: ast::ExprId, span: Span) {
        let (head, next, after) = (self.location(), self.location(), self.location());
        self.jump(head, span);
        self.continue_at(head);
        let outer = std::mem::replace(&mut self.repeats, true);
        self.loop_body(body, next, after);
        self.jump(next, span);
        self.continue_at(next);
        self.branch(condition, head, after);
        self.repeats = outer;
        self.continue_at(after);
    }

    fn loop_body(&mut self, body: StmtId, next: LocationId, after: LocationId) {
        let scopes = self.scopes.len();
        self.continues.push(Target { location: next, scopes });
        self.breaks.push(Target { location: after, scopes });
        self.statement(body);
        self.continues.pop();
        self.breaks.pop();
    }

    // --- switch ---

    fn switch(&mut self, value: ast::ExprId, body: StmtId, span: Span) {
        let cond_span = self.unit.exprs[value].span;
        let mut value = self.value(value);
        if self.cx.depth(value) > 3 {
            value = self.keep_in_temp(value, cond_span);
        }
        let dispatch = self.here();
        let after = self.location();
        self.switches.push(Switch::default());
        self.breaks.push(Target { location: after, scopes: self.scopes.len() });
        // What stands before the first case is never run.
        let before_cases = self.location();
        self.continue_at(before_cases);
        self.statement(body);
        self.jump(after, span);
        self.breaks.pop();
        let switch = self.switches.pop().unwrap_or_default();
        self.dispatch(dispatch, value, switch, after, cond_span);
        self.continue_at(after);
    }

    fn dispatch(&mut self, from: LocationId, value: ExprId, switch: Switch, after: LocationId, span: Span) {
        let ty = self.ir().expr(value).ty;
        let otherwise = switch.default.unwrap_or(after);
        if let Some(known) = self.ir().as_int(value) {
            let hit = switch.cases.iter().find(|&&(low, high, _)| (low..=high).contains(&known));
            let target = hit.map_or(otherwise, |&(_, _, location)| location);
            self.edge(from, target, Statement::Skip, span);
            return;
        }
        let mut misses = Vec::with_capacity(switch.cases.len());
        for (low, high, location) in switch.cases {
            let (lower, upper) = (self.ir().int(low, ty), self.ir().int(high, ty));
            let hit = if low == high {
                self.ir().binary(BinaryOp::Eq, value, lower)
            } else {
                let above = self.ir().binary(BinaryOp::Le, lower, value);
                let below = self.ir().binary(BinaryOp::Le, value, upper);
                self.ir().binary(BinaryOp::And, above, below)
            };
            self.edge(from, location, Statement::Assume(hit), span);
            misses.push(self.ir().not(hit));
        }
        let none = self.conjunction(&misses);
        let statement = match self.ir().as_truth(none) {
            Some(true) => Statement::Skip,
            _ => Statement::Assume(none),
        };
        self.edge(from, otherwise, statement, span);
    }

    /// A conjunction as a balanced tree, for it may have very many parts.
    fn conjunction(&mut self, parts: &[ExprId]) -> ExprId {
        match parts {
            [] => self.ir().truth(true),
            [one] => *one,
            _ => {
                let (left, right) = parts.split_at(parts.len() / 2);
                let (a, b) = (self.conjunction(left), self.conjunction(right));
                self.ir().binary(BinaryOp::And, a, b)
            }
        }
    }

    fn case(&mut self, low: i128, high: i128, body: StmtId, span: Span) {
        let location = self.arrive(span);
        match self.switches.last_mut() {
            Some(switch) => switch.cases.push((low, high, location)),
            None => self.unsupported(span, "`case` outside of a switch"),
        }
        self.statement(body);
    }

    fn default(&mut self, body: StmtId, span: Span) {
        let location = self.arrive(span);
        match self.switches.last_mut() {
            Some(switch) => switch.default = Some(location),
            None => self.unsupported(span, "`default` outside of a switch"),
        }
        self.statement(body);
    }

    /// A new location that control falls into.
    fn arrive(&mut self, span: Span) -> LocationId {
        let location = self.location();
        self.jump(location, span);
        self.continue_at(location);
        location
    }

    // --- labels and jumps ---

    fn label_target(&mut self, label: LabelId) -> LocationId {
        if let Some(&known) = self.labels.get(&label) {
            return known;
        }
        let location = self.location();
        self.labels.insert(label, location);
        location
    }

    /// Goes on at a label of the source.
    pub(crate) fn place_label(&mut self, label: LabelId, span: Span) {
        let unit = self.unit;
        let location = self.label_target(label);
        self.jump(location, span);
        self.continue_at(location);
        let scopes = self.scopes.iter().map(|s| (s.id, s.cleanups.len())).collect();
        self.label_scopes.insert(label, scopes);
        let name = &unit.labels[label].name;
        self.label_location(location, name);
        if self.cx.options.error_labels.contains(name) {
            self.emit(Statement::Error(ir::Property::ErrorLabel(name.clone())), span);
        }
    }

    fn goto(&mut self, label: LabelId, span: Span) {
        if self.scopes.iter().any(|scope| !scope.cleanups.is_empty()) {
            let (from, scopes) = (self.here(), self.scopes.clone());
            self.pending_gotos.push(PendingGoto { from, label, scopes, span });
            self.stop_here();
            return;
        }
        let location = self.label_target(label);
        self.jump(location, span);
    }

    /// Completes the jumps that leave variables with a cleanup function.
    pub(crate) fn connect_gotos(&mut self) {
        for mut goto in std::mem::take(&mut self.pending_gotos) {
            let there = self.label_scopes.get(&goto.label).cloned().unwrap_or_default();
            let shared = goto.scopes.iter_mut().zip(there).take_while(|(here, (id, _))| here.id == *id);
            // A jump back leaves the variables that were declared after the label.
            for (here, (_, declared)) in shared {
                here.cleanups.drain(..declared.min(here.cleanups.len()));
            }
            self.continue_at(goto.from);
            self.clean_up_scopes(&goto.scopes, goto.span);
            let target = self.label_target(goto.label);
            self.jump(target, goto.span);
        }
    }

    fn computed_goto(&mut self, address: ast::ExprId, span: Span) {
        let value = self.value(address);
        let value = self.keep(value, span);
        let from = self.here();
        self.computed_gotos.push((from, value, span));
        // Control goes on at the labels only.
        self.stop_here();
    }

    fn return_statement(&mut self, value: Option<ast::ExprId>, span: Span) {
        if let Some(value) = value {
            match self.result {
                Some(result) => {
                    let ty = self.ir().variables[result].ty;
                    let value = self.value(value);
                    let value = self.converted(value, ty, span);
                    self.set(result, value, span);
                }
                None => self.effect(value),
            }
        }
        self.clean_up(0, span);
        self.emit_return(span);
    }

    // --- declarations ---

    fn declaration(&mut self, decl: DeclId) {
        let unit = self.unit;
        let d = &unit.decls[decl];
        match &d.kind {
            DeclKind::Function(_) => {}
            DeclKind::VariableType => self.evaluate_lengths(d.ty),
            DeclKind::Object(_) if d.linkage != ast::Linkage::None => {}
            DeclKind::Object(object) => {
                // Also those that a pointer leads to.
                self.evaluate_lengths(d.ty);
                match object.storage {
                    Storage::Automatic => self.automatic(decl, object),
                    Storage::Static | Storage::Thread => {
                        self.global(decl);
                    }
                }
            }
        }
    }

    fn automatic(&mut self, decl: DeclId, object: &ast::Object) {
        let unit = self.unit;
        let d = &unit.decls[decl];
        let name = d.name.clone().unwrap_or_else(|| "$literal".into());
        if self.is_variable_type(d.ty) {
            self.variable_array(decl, &name);
            self.clean_up_later(decl, object);
            return;
        }
        if let ast::Type::Record(record) = unit.types[d.ty]
            && let Some(reason) = &unit.records[record].unsupported
        {
            self.unsupported(d.span, reason.clone());
        }
        let entity = crate::link::Entity { unit: self.unit_index, decl };
        let ty = self.cx.object_type(entity);
        let variable = match self.homes.get(&decl) {
            Some(&Home::Variable(variable)) => variable,
            _ => {
                let variable = self.local(&name, ty, d.span);
                self.ir().variables[variable].align = crate::asked_alignment(d);
                self.homes.insert(decl, Home::Variable(variable));
                variable
            }
        };
        match &object.init {
            Some(init) => self.initialise(variable, init, d.span),
            None if self.repeats => {
                let place = self.ir().var_place(variable);
                self.emit(Statement::Havoc(place, Arbitrary::Uninitialised), d.span);
            }
            None => {}
        }
        self.clean_up_later(decl, object);
    }

    /// Has the cleanup function of a variable called when its scope is left.
    fn clean_up_later(&mut self, decl: DeclId, object: &ast::Object) {
        if let Some(cleanup) = object.cleanup
            && let Some(&home) = self.homes.get(&decl)
            && let Some(scope) = self.scopes.last_mut()
        {
            scope.cleanups.push((home, cleanup));
        }
    }

    /// The object of a compound literal, initialised anew.
    pub(crate) fn compound_literal(&mut self, decl: DeclId) -> ir::PlaceId {
        let unit = self.unit;
        let d = &unit.decls[decl];
        if let DeclKind::Object(object) = &d.kind
            && object.storage == Storage::Automatic
        {
            self.automatic(decl, object);
            if let Some(&Home::Variable(variable)) = self.homes.get(&decl) {
                return self.ir().var_place(variable);
            }
        }
        let global = self.global(decl);
        self.ir().var_place(global)
    }

    // --- statements that have a value ---

    /// `({ … })`: the value of the last statement if that is an expression.
    pub(crate) fn statements_value(&mut self, block: ast::StmtId, ty: TypeId) -> ExprId {
        let unit = self.unit;
        let StmtKind::Block(statements) = &unit.stmts[block].kind else {
            self.statement(block);
            return self.ir().int(0, ty);
        };
        self.open_scope();
        let (last, rest) = match statements.split_last() {
            Some((last, rest)) => (Some(*last), rest),
            None => (None, &[][..]),
        };
        for &statement in rest {
            self.statement(statement);
        }
        let value = last.map(|last| self.last_value(last, ty));
        self.close_scope(unit.stmts[block].span);
        value.unwrap_or_else(|| self.ir().int(0, ty))
    }

    fn last_value(&mut self, statement: ast::StmtId, ty: TypeId) -> ExprId {
        let unit = self.unit;
        match unit.stmts[statement].kind {
            StmtKind::Expr(expr) if !matches!(self.ir().ty(ty), Type::Void) => {
                let span = unit.exprs[expr].span;
                // The front end may have marked the value as dropped.
                let expr = match unit.exprs[expr].kind {
                    ast::ExprKind::Cast(inner)
                        if matches!(unit.types[unit.exprs[expr].ty], ast::Type::Void) =>
                    {
                        inner
                    }
                    _ => expr,
                };
                let value = self.value(expr);
                let value = self.converted(value, ty, span);
                self.keep(value, span)
            }
            StmtKind::Label(label, inner) => {
                self.place_label(label, unit.stmts[statement].span);
                self.last_value(inner, ty)
            }
            _ => {
                self.statement(statement);
                self.ir().int(0, ty)
            }
        }
    }

    // --- inline assembly ---

    fn assembly(&mut self, asm: &ast::Asm, span: Span) {
        let mut pointers = Vec::new();
        let outputs: Vec<_> = asm.outputs.iter().map(|&(operand, _)| self.place(operand)).collect();
        for &(operand, in_memory) in &asm.inputs {
            let value = if in_memory {
                let place = self.place(operand);
                let place = self.addressable(place, span);
                self.ir().address_of(place)
            } else {
                self.value(operand)
            };
            let ty = self.ir().expr(value).ty;
            if self.ir().is_scalar(ty) {
                pointers.push(value);
            }
        }
        let does_something = !asm.template.trim().is_empty();
        if does_something {
            self.cx.assume(span, "inline assembly changes only its outputs and what `--externals` allows");
        }
        if asm.clobbers_memory && does_something {
            self.call_unknown(ASSEMBLY, pointers, span);
        }
        for (place, &(_, reads)) in outputs.into_iter().zip(&asm.outputs) {
            // No instruction changes what an empty template reads and writes.
            if does_something || !reads {
                self.emit(Statement::Havoc(place, Arbitrary::Assembly), span);
            }
        }
        if !asm.labels.is_empty() {
            let from = self.here();
            for &label in &asm.labels {
                let target = self.label_target(label);
                self.edge(from, target, Statement::Skip, span);
            }
            let on = self.location();
            self.edge(from, on, Statement::Skip, span);
            self.continue_at(on);
        }
    }
}

/// The name of the external procedure that stands for inline assembly.
pub(crate) const ASSEMBLY: &str = "$asm";

/// The last character of a span: where a block ends.
fn end_of(span: Span) -> Span {
    if span.is_none() || span.end_column < 2 {
        return span;
    }
    Span { line: span.end_line, column: span.end_column - 1, ..span }
}
