//! Lowers one procedure: structured statements become edges with conditions, the rest one edge each.
//!
//! A list of statements is lowered between two given locations, so that nothing needs to be joined
//! afterwards and no edge is made that the text does not have. Jumps are added last, when all labels
//! are known.

use std::sync::Arc;

use hardbop_base::{Diagnostic, Span};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Body, Source, Tables, is_silent};
use crate::ast::{self, BinaryOp, Branch, ChainOp, ExprKind, Name, Stmt, StmtKind, Tag};
use crate::flow::{Assign, Call, Edge, Expr, FlowStep, LocId, ProcId, VarId, VarKind, Variable};
use crate::lexer::is_identifier;

/// Lowers the body of a procedure whose header has been entered.
pub(super) fn procedure<'a>(tables: &mut Tables<'a>, source: &Source<'a>) {
    let id = source.id;
    let mut lowering = Lowering {
        id,
        names: FxHashMap::default(),
        labels: FxHashMap::default(),
        jumps: Vec::new(),
        end: source.end,
        tables,
    };
    for formal in source.formals {
        lowering.declare(formal, VarKind::Formal);
    }
    match &source.body {
        Body::Statements(body) => {
            lowering.declare_locals(body);
            lowering.declare_results();
            lowering.body(body);
        }
        Body::Blocks(blocks) => lowering.blocks(blocks),
    }
    lowering.add_jumps();
}

struct Lowering<'t, 'a> {
    tables: &'t mut Tables<'a>,
    id: ProcId,
    names: FxHashMap<&'a str, VarId>,
    labels: FxHashMap<&'a str, (LocId, Span)>,
    jumps: Vec<(LocId, &'a [Name], Origin)>,
    end: Span,
}

/// Where an edge comes from.
#[derive(Clone)]
struct Origin {
    span: Span,
    tag: Option<Tag>,
    text: Arc<str>,
    branch: Option<bool>,
}

impl Origin {
    fn of(stmt: &Stmt) -> Self {
        Origin { span: stmt.span, tag: stmt.tag, text: stmt.headline().into(), branch: None }
    }

    fn when(&self, holds: bool) -> Self {
        Origin { branch: Some(holds), ..self.clone() }
    }
}

/// Which variables an expression may mention.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    /// Current values only.
    Current,
    /// Old and new values.
    Constrain,
}

impl<'a> Lowering<'_, 'a> {
    // Declarations.

    fn declare(&mut self, name: &'a Name, kind: VarKind) {
        self.tables.check_spelling(name, is_identifier(&name.text));
        if let Some(&first) = self.names.get(name.text.as_str()) {
            let first = self.tables.variables[first].span;
            self.tables.duplicate("local variable", name, first);
        } else {
            let id = self.new_variable(name.text.clone(), kind, name.span);
            self.names.insert(&name.text, id);
        }
    }

    fn new_variable(&mut self, name: String, kind: VarKind, span: Span) -> VarId {
        let slot = self.tables.procedures[self.id].locals.len();
        let id = self.tables.variables.push(Variable { name, kind, owner: Some(self.id), slot, span });
        self.tables.procedures[self.id].locals.push(id);
        id
    }

    fn declare_locals(&mut self, body: &'a [Stmt]) {
        for stmt in body {
            match &stmt.kind {
                StmtKind::Decl(names) => names.iter().for_each(|name| self.declare(name, VarKind::Local)),
                StmtKind::If { branches, otherwise } => {
                    branches.iter().for_each(|branch| self.declare_locals(&branch.body));
                    self.declare_locals(otherwise.as_deref().unwrap_or_default());
                }
                StmtKind::While(branch) => self.declare_locals(&branch.body),
                _ => {}
            }
        }
    }

    fn declare_results(&mut self) {
        let count = self.tables.procedures[self.id].result_count;
        let span = self.tables.procedures[self.id].span;
        for i in 0..count {
            let name = if count == 1 { "return".to_owned() } else { format!("return.{i}") };
            self.new_variable(name, VarKind::Result, span);
        }
    }

    // Bodies.

    fn body(&mut self, body: &'a [Stmt]) {
        let is_head =
            |s: &&Stmt| s.labels.is_empty() && matches!(s.kind, StmtKind::Decl(_) | StmtKind::Enforce(_));
        let head_len = body.iter().take_while(is_head).count();
        let (head, rest) = body.split_at(head_len);
        self.enforce(head);
        let entry = self.tables.procedures[self.id].entry;
        let exit = self.tables.procedures[self.id].exit;
        let steps: Vec<&Stmt> = self.steps(rest);
        let void = self.tables.procedures[self.id].result_count == 0;
        if steps.is_empty() {
            self.finish(entry, exit);
        } else if void {
            self.sequence(&steps, entry, exit);
        } else {
            let last = self.location(self.end);
            let first_edge = self.tables.edges.len();
            self.sequence(&steps, entry, last);
            if self.tables.edges.values().skip(first_edge).any(|edge| edge.target == last) {
                self.finish(last, exit);
            }
        }
    }

    fn enforce(&mut self, head: &'a [Stmt]) {
        let mut conjuncts = Vec::new();
        for stmt in head {
            if let StmtKind::Enforce(e) = &stmt.kind {
                conjuncts.push(self.expr(e, Context::Current));
            }
        }
        let enforce = if conjuncts.len() > 1 { Some(Expr::And(conjuncts)) } else { conjuncts.pop() };
        self.tables.procedures[self.id].enforce = enforce;
    }

    /// The edge of a run that falls off the end: results become arbitrary.
    fn finish(&mut self, from: LocId, exit: LocId) {
        let updates: Vec<_> =
            self.tables.procedures[self.id].results().iter().map(|&result| (result, Expr::Choice)).collect();
        let step = if updates.is_empty() {
            FlowStep::Skip
        } else {
            FlowStep::Assign(Assign { updates, constrain: None })
        };
        self.edge(from, exit, step, Origin { span: self.end, tag: None, text: "end".into(), branch: None });
    }

    fn blocks(&mut self, blocks: &[&'a ast::Block]) {
        let exit = self.tables.procedures[self.id].exit;
        for (i, block) in blocks.iter().enumerate() {
            let start =
                if i == 0 { self.tables.procedures[self.id].entry } else { self.location(block.label.span) };
            self.label(&block.label, start);
            let mut steps = self.steps(&block.body);
            steps.extend(&block.goto);
            if steps.is_empty() {
                self.end = block.label.span;
                self.finish(start, exit);
            } else {
                self.sequence(&steps, start, exit);
            }
        }
    }

    /// The statements that make edges; reports an `enforce` among them.
    fn steps(&mut self, body: &'a [Stmt]) -> Vec<&'a Stmt> {
        for stmt in body {
            if matches!(stmt.kind, StmtKind::Enforce(_)) {
                let message =
                    "`enforce` must come before the first statement of a procedure, without a label";
                self.tables.diagnostics.error(stmt.span, message);
            }
        }
        body.iter().filter(|stmt| !is_silent(stmt)).collect()
    }

    /// Lowers statements between two locations; of no statements, the locations are the same.
    fn sequence(&mut self, steps: &[&'a Stmt], from: LocId, to: LocId) {
        let mut at = from;
        for (i, stmt) in steps.iter().enumerate() {
            let next = match steps.get(i + 1) {
                Some(following) => self.location(following.span),
                None => to,
            };
            self.statement(stmt, at, next);
            at = next;
        }
    }

    /// The statements of a list that may be empty, and where it starts if it is to end at `to`.
    fn start(&mut self, body: &'a [Stmt], to: LocId) -> (Vec<&'a Stmt>, LocId) {
        let steps = self.steps(body);
        let start = steps.first().map_or(to, |first| self.location(first.span));
        (steps, start)
    }

    fn statement(&mut self, stmt: &'a Stmt, from: LocId, to: LocId) {
        self.tables.locations[from].span = stmt.span;
        for label in &stmt.labels {
            self.label(label, from);
        }
        let origin = Origin::of(stmt);
        match &stmt.kind {
            StmtKind::Empty | StmtKind::Skip | StmtKind::Enforce(_) => {
                self.edge(from, to, FlowStep::Skip, origin)
            }
            StmtKind::Decl(names) | StmtKind::Dead(names) => {
                let step = self.forget(names);
                self.edge(from, to, step, origin);
            }
            StmtKind::Assign { targets, values, constrain } => {
                let step = self.assign(stmt.span, targets, values, constrain.as_ref());
                self.edge(from, to, step, origin);
            }
            StmtKind::Call { targets, callee, args } => {
                let step = self.call(stmt.span, targets, callee, args);
                self.edge(from, to, step, origin);
            }
            StmtKind::Return(values) => self.return_statement(stmt, values, from, origin),
            StmtKind::Assume(e) => {
                let e = self.expr(e, Context::Current);
                self.edge(from, to, FlowStep::Assume(e), origin);
            }
            StmtKind::AbortIf(e) => {
                let e = self.expr(e, Context::Current);
                self.edge(from, to, FlowStep::Assume(negate(e)), origin);
            }
            StmtKind::Assert(e) => {
                let e = self.expr(e, Context::Current);
                let error = self.error_location();
                self.choice(e, origin, from, to, error);
            }
            StmtKind::If { branches, otherwise } => {
                self.if_statement((branches, otherwise.as_deref()), stmt.tag, from, to)
            }
            StmtKind::While(branch) => {
                let e = self.expr(&branch.condition, Context::Current);
                let (steps, body) = self.start(&branch.body, from);
                self.choice(e, Origin { span: branch.span, ..origin }, from, body, to);
                self.sequence(&steps, body, from);
            }
            StmtKind::Goto(targets) => self.jumps.push((from, targets, origin)),
        }
    }

    fn if_statement(
        &mut self,
        (branches, otherwise): (&'a [Branch], Option<&'a [Stmt]>),
        tag: Option<Tag>,
        from: LocId,
        to: LocId,
    ) {
        let mut at = from;
        for (i, branch) in branches.iter().enumerate() {
            let word = if i == 0 { "if" } else { "elsif" };
            let text = format!("{word} ({})", branch.condition).into();
            let origin = Origin { span: branch.span, tag, text, branch: None };
            let e = self.expr(&branch.condition, Context::Current);
            let (steps, then) = self.start(&branch.body, to);
            let (other_steps, other) = match branches.get(i + 1) {
                Some(following) => (Vec::new(), self.location(following.span)),
                None => self.start(otherwise.unwrap_or_default(), to),
            };
            self.choice(e, origin, at, then, other);
            self.sequence(&steps, then, to);
            self.sequence(&other_steps, other, to);
            at = other;
        }
    }

    /// Two edges: to `yes` where the condition can hold, to `no` where it can fail.
    fn choice(&mut self, condition: Expr, origin: Origin, from: LocId, yes: LocId, no: LocId) {
        self.edge(from, yes, FlowStep::Assume(condition.clone()), origin.when(true));
        self.edge(from, no, FlowStep::Assume(negate(condition)), origin.when(false));
    }

    fn return_statement(&mut self, stmt: &Stmt, values: &'a [ast::Expr], from: LocId, origin: Origin) {
        let results = self.tables.procedures[self.id].results().to_vec();
        if results.len() != values.len() {
            let name = &self.tables.procedures[self.id].name;
            let message = format!("`{name}` returns {}, not {}", count(results.len(), "value"), values.len());
            self.tables.diagnostics.error(stmt.span, message);
        }
        let values: Vec<_> = values.iter().map(|e| self.expr(e, Context::Current)).collect();
        let updates: Vec<_> = results.into_iter().zip(values).collect();
        let step = if updates.is_empty() {
            FlowStep::Skip
        } else {
            FlowStep::Assign(Assign { updates, constrain: None })
        };
        let exit = self.tables.procedures[self.id].exit;
        self.edge(from, exit, step, origin);
    }

    // Steps.

    fn forget(&mut self, names: &'a [Name]) -> FlowStep {
        let mut updates = Vec::new();
        self.check_repeated(names.iter());
        for name in names {
            if let Some(variable) = self.variable(name) {
                updates.push((variable, Expr::Choice));
            }
        }
        FlowStep::Assign(Assign { updates, constrain: None })
    }

    fn assign(
        &mut self,
        span: Span,
        targets: &'a [Option<Name>],
        values: &'a [ast::Expr],
        constrain: Option<&'a ast::Expr>,
    ) -> FlowStep {
        if targets.len() != values.len() {
            let message =
                format!("{} assigned to {}", count(values.len(), "value"), count(targets.len(), "variable"));
            self.tables.diagnostics.error(span, message);
        }
        let targets = self.targets(targets);
        let values: Vec<_> = values.iter().map(|e| self.expr(e, Context::Current)).collect();
        let pairs = targets.into_iter().zip(values);
        let updates = pairs.filter_map(|(target, value)| Some((target?, value))).collect();
        let constrain = constrain.map(|e| self.expr(e, Context::Constrain));
        FlowStep::Assign(Assign { updates, constrain })
    }

    fn call(
        &mut self,
        span: Span,
        targets: &'a [Option<Name>],
        callee: &'a Name,
        args: &'a [ast::Expr],
    ) -> FlowStep {
        let mut resolved = self.targets(targets);
        let values = args.iter().map(|e| self.expr(e, Context::Current)).collect();
        let Some(&id) = self.tables.procedure_names.get(callee.text.as_str()) else {
            self.tables.diagnostics.error(callee.span, format!("unknown procedure `{callee}`"));
            return FlowStep::Skip;
        };
        let procedure = &self.tables.procedures[id];
        let (formals, results) = (procedure.formal_count, procedure.result_count);
        if args.len() != formals {
            let message = format!("`{callee}` takes {}, not {}", count(formals, "argument"), args.len());
            self.tables.diagnostics.error(span, message);
        }
        if targets.is_empty() {
            resolved = vec![None; results];
        } else if targets.len() != results {
            let message = format!("`{callee}` returns {}, not {}", count(results, "value"), targets.len());
            self.tables.diagnostics.error(span, message);
        }
        FlowStep::Call(Call { callee: id, args: values, targets: resolved })
    }

    fn targets(&mut self, targets: &'a [Option<Name>]) -> Vec<Option<VarId>> {
        self.check_repeated(targets.iter().flatten());
        targets.iter().map(|target| target.as_ref().and_then(|name| self.variable(name))).collect()
    }

    fn check_repeated(&mut self, names: impl Iterator<Item = &'a Name>) {
        let mut seen = FxHashMap::default();
        for name in names {
            if let Some(first) = seen.insert(&name.text, name.span) {
                let diagnostic = Diagnostic::error(name.span, format!("`{name}` is assigned twice"))
                    .with_note(first, "first assigned here");
                self.tables.diagnostics.push(diagnostic);
            }
        }
    }

    // Names.

    fn variable(&mut self, name: &Name) -> Option<VarId> {
        let text = name.text.as_str();
        let found = self.names.get(text).or_else(|| self.tables.global_names.get(text)).copied();
        if found.is_none() {
            self.tables.diagnostics.error(name.span, format!("unknown variable `{name}`"));
        }
        found
    }

    fn label(&mut self, label: &'a Name, at: LocId) {
        self.tables.check_label_spelling(label);
        if let Some(&(_, first)) = self.labels.get(label.text.as_str()) {
            self.tables.duplicate("label", label, first);
            return;
        }
        self.labels.insert(&label.text, (at, label.span));
        self.tables.locations[at].labels.push(label.text.clone());
    }

    fn expr(&mut self, e: &'a ast::Expr, context: Context) -> Expr {
        let mut boxed = |e: &'a ast::Expr| Box::new(self.expr(e, context));
        match &e.kind {
            ExprKind::Const(value) => Expr::Const(*value),
            ExprKind::Var(name) => self.variable(name).map_or(Expr::Choice, Expr::Var),
            ExprKind::Next(name) => {
                if context == Context::Current {
                    let message = format!("`'{name}` is allowed only in `constrain`");
                    self.tables.diagnostics.error(e.span, message);
                }
                self.variable(name).map_or(Expr::Choice, Expr::Next)
            }
            ExprKind::Choice => Expr::Choice,
            ExprKind::Schoose(yes, no) => Expr::Schoose(boxed(yes), boxed(no)),
            ExprKind::Not(e) => Expr::Not(boxed(e)),
            ExprKind::Chain(op, operands) => {
                let operands = operands.iter().map(|e| self.expr(e, context)).collect();
                match op {
                    ChainOp::And => Expr::And(operands),
                    ChainOp::Or => Expr::Or(operands),
                    ChainOp::Xor => Expr::Xor(operands),
                }
            }
            ExprKind::Binary(BinaryOp::Eq, a, b) => Expr::Eq(boxed(a), boxed(b)),
            ExprKind::Binary(BinaryOp::Ne, a, b) => Expr::Xor(vec![*boxed(a), *boxed(b)]),
            ExprKind::Binary(BinaryOp::Implies, a, b) => Expr::Implies(boxed(a), boxed(b)),
        }
    }

    // Locations and edges.

    fn location(&mut self, span: Span) -> LocId {
        self.tables.new_location(self.id, span)
    }

    fn error_location(&mut self) -> LocId {
        if let Some(error) = self.tables.procedures[self.id].error {
            return error;
        }
        let error = self.location(self.end);
        self.tables.procedures[self.id].error = Some(error);
        error
    }

    fn edge(&mut self, source: LocId, target: LocId, step: FlowStep, origin: Origin) {
        let Origin { span, tag, text, branch } = origin;
        self.tables.edges.push(Edge { procedure: self.id, source, target, step, span, tag, text, branch });
    }

    fn add_jumps(&mut self) {
        for (from, targets, origin) in std::mem::take(&mut self.jumps) {
            let mut seen = FxHashSet::default();
            for target in targets.iter().filter(|target| seen.insert(target.text.as_str())) {
                match self.labels.get(target.text.as_str()) {
                    Some(&(to, _)) => self.edge(from, to, FlowStep::Skip, origin.clone()),
                    None => self.tables.diagnostics.error(target.span, format!("unknown label `{target}`")),
                }
            }
        }
    }
}

fn negate(e: Expr) -> Expr {
    match e {
        Expr::Not(e) => *e,
        Expr::Const(value) => Expr::Const(!value),
        Expr::Choice => Expr::Choice,
        e => Expr::Not(Box::new(e)),
    }
}

fn count(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}
