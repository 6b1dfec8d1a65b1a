//! Programs that set rounding modes.
//!
//! Operators of the IR round to nearest. In a program that mentions `fesetround`, those that may round become calls of
//! library functions that ask for the mode; where there is none, or the operation cannot be computed beforehand, the run
//! stops as `unsupported` unless the mode is to nearest. Constants were folded by the front end, as gcc does without
//! `-frounding-math`. What the library computes is left alone: it rounds to nearest, and asks for the mode itself.
//!
//! This is done to finished bodies, so that no conversion is missed, wherever lowering made it.

use hardbop_base::Span;
use hardbop_ir::{
    self as ir, BinaryOp, Callee, Edge, EdgeId, ExprId, ExprKind, FloatKind, Location, LocationId, ProcId,
    Statement, Type, TypeId, VarId, VarKind,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Lowering;

/// The function of the library that goes on only if the mode is to nearest.
const NEAREST_ONLY: &str = "__hardbop_nearest_only";

impl Lowering<'_> {
    /// Whether the program may set another rounding mode than to nearest.
    pub(crate) fn sets_rounding(&self) -> bool {
        self.undefined.functions.iter().any(|function| function == "fesetround")
    }

    /// Makes what the program computes depend on the rounding mode.
    pub(crate) fn round_by_mode(&mut self) {
        if !self.sets_rounding() {
            return;
        }
        let procedures: Vec<ProcId> = self.program.procedures.ids().collect();
        for procedure in procedures {
            if !crate::callback::is_ours(&self.program, &self.program.procedures[procedure]) {
                let p = &self.program.procedures[procedure];
                let variables = p.formals.iter().chain(&p.locals).chain(&p.result);
                let names =
                    variables.map(|&variable| self.program.variables[variable].name.clone()).collect();
                Rounding { cx: self, procedure, names, results: FxHashMap::default() }.rewrite();
            }
        }
        self.work();
    }

    /// Whether the value of an operator depends on the rounding mode.
    fn rounds(&self, expr: ExprId) -> bool {
        let program = &self.program;
        let e = program.expr(expr);
        let &Type::Float(to) = program.ty(e.ty) else { return false };
        match e.kind {
            ExprKind::Binary(op, ..) => {
                matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div)
            }
            ExprKind::Cast(inner) => match *program.ty(program.expr(inner).ty) {
                Type::Float(from) => digits(from) > digits(to),
                Type::Machine { width, signed } => u32::from(width) - u32::from(signed) > digits(to),
                Type::Bool => false,
                _ => true,
            },
            _ => false,
        }
    }
}

/// The precision of a format.
fn digits(kind: FloatKind) -> u32 {
    match kind {
        FloatKind::F32 => 24,
        FloatKind::F64 => 53,
        FloatKind::F80 => 64,
    }
}

/// The work on one procedure.
struct Rounding<'l, 'a> {
    cx: &'l mut Lowering<'a>,
    procedure: ProcId,
    /// The names of its variables.
    names: FxHashSet<String>,
    /// What has been computed at the location at hand.
    results: FxHashMap<ExprId, ExprId>,
}

impl Rounding<'_, '_> {
    fn rewrite(&mut self) {
        let locations: Vec<LocationId> = self.body().locations.ids().collect();
        for location in locations {
            let edges: Vec<EdgeId> =
                self.body().edges.iter().filter(|(_, e)| e.source == location).map(|(id, _)| id).collect();
            self.rewrite_location(location, &edges);
        }
    }

    fn body(&mut self) -> &mut ir::Procedure {
        &mut self.cx.program.procedures[self.procedure]
    }

    /// Computes what the statements at a location need before one of them is chosen.
    fn rewrite_location(&mut self, location: LocationId, edges: &[EdgeId]) {
        self.results.clear();
        let mut last = location;
        let mut stops = None;
        for &edge in edges {
            let Edge { mut statement, span, .. } = self.body().edges[edge].clone();
            if !self.any_rounds(&statement) {
                continue;
            }
            match &mut statement {
                Statement::Assign(_, value) | Statement::Assume(value) => {
                    *value = self.rounded(*value, true, &mut last, span);
                }
                Statement::Output { arguments, .. } => {
                    for argument in arguments {
                        *argument = self.rounded(*argument, true, &mut last, span);
                    }
                }
                _ => {}
            }
            if self.any_rounds(&statement) {
                stops = Some(span);
            }
            self.body().edges[edge].statement = statement;
        }
        if let Some(span) = stops {
            self.call(NEAREST_ONLY, Vec::new(), None, &mut last, span);
        }
        for &edge in edges {
            self.body().edges[edge].source = last;
        }
    }

    fn any_rounds(&self, statement: &Statement) -> bool {
        let program = &self.cx.program;
        let mut found = false;
        let roots = ir::visit::roots(program, statement);
        ir::visit::exprs(program, roots, &mut |part| found |= self.cx.rounds(part));
        found
    }

    /// The expression with what rounds computed before, in calls. Where it is not `certain` that the expression is
    /// evaluated, only what can be evaluated anyway is. Places stay as they are.
    fn rounded(&mut self, expr: ExprId, certain: bool, last: &mut LocationId, span: Span) -> ExprId {
        if let Some(&known) = self.results.get(&expr) {
            return known;
        }
        let certain = certain || self.cx.program.is_total(expr);
        let e = self.cx.program.expr(expr).clone();
        let computed = certain && self.cx.rounds(expr);
        let kind = match e.kind {
            ExprKind::Unary(op, a) => ExprKind::Unary(op, self.rounded(a, certain, last, span)),
            ExprKind::Cast(a) => {
                let a = self.rounded(a, certain, last, span);
                if computed && let Some((model, through)) = self.narrowing(a, e.ty) {
                    let wide = self.cx.program.cast(a, through);
                    return self.computed(expr, model, &[wide], last, span);
                }
                ExprKind::Cast(a)
            }
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.rounded(a, certain, last, span), self.rounded(b, certain, last, span));
                if computed && let Some(model) = self.operator(op, e.ty) {
                    return self.computed(expr, &model, &[a, b], last, span);
                }
                ExprKind::Binary(op, a, b)
            }
            ExprKind::If(condition, a, b) => {
                let condition = self.rounded(condition, certain, last, span);
                let (a, b) = (self.rounded(a, false, last, span), self.rounded(b, false, last, span));
                ExprKind::If(condition, a, b)
            }
            other => other,
        };
        self.cx.program.intern_expr(kind, e.ty)
    }

    /// The function of the library that applies an operator by the rounding mode.
    fn operator(&self, op: BinaryOp, ty: TypeId) -> Option<String> {
        let &Type::Float(kind) = self.cx.program.ty(ty) else { return None };
        let name = match op {
            BinaryOp::Add => "sum",
            BinaryOp::Sub => "difference",
            BinaryOp::Mul if kind != FloatKind::F80 => "product",
            BinaryOp::Div if kind != FloatKind::F80 => "quotient",
            _ => return None,
        };
        let end = match kind {
            FloatKind::F32 => "f",
            FloatKind::F64 => "",
            FloatKind::F80 => "l",
        };
        Some(format!("__hardbop_{name}{end}"))
    }

    /// The function of the library that converts a number by the rounding mode, and what it takes, which loses nothing.
    fn narrowing(&self, from: ExprId, to: TypeId) -> Option<(&'static str, TypeId)> {
        let program = &self.cx.program;
        let needed = match *program.ty(program.expr(from).ty) {
            Type::Float(kind) => digits(kind),
            Type::Machine { width, signed } => u32::from(width) - u32::from(signed),
            _ => return None,
        };
        let float = |kind| program.intern_type(Type::Float(kind));
        match *program.ty(to) {
            Type::Float(FloatKind::F32) if needed <= 53 => Some(("__hardbop_narrowf", float(FloatKind::F64))),
            Type::Float(FloatKind::F32) if needed <= 64 => {
                Some(("__hardbop_narrow_longf", float(FloatKind::F80)))
            }
            Type::Float(FloatKind::F64) if needed <= 64 => Some(("__hardbop_narrow", float(FloatKind::F80))),
            _ => None,
        }
    }

    /// Calls a function that computes an expression from operands.
    fn computed(
        &mut self,
        expr: ExprId,
        function: &str,
        operands: &[ExprId],
        last: &mut LocationId,
        span: Span,
    ) -> ExprId {
        let mut arguments = Vec::with_capacity(operands.len());
        for &operand in operands {
            let temp = self.temp(self.cx.program.expr(operand).ty, span);
            let place = self.cx.program.var_place(temp);
            self.append(Statement::Assign(place, operand), last, span);
            arguments.push(self.cx.program.var(temp));
        }
        let result = self.temp(self.cx.program.expr(expr).ty, span);
        self.call(function, arguments, Some(result), last, span);
        let value = self.cx.program.var(result);
        self.results.insert(expr, value);
        value
    }

    fn temp(&mut self, ty: TypeId, span: Span) -> VarId {
        // A name that no other variable of the procedure has.
        let first = self.names.len();
        let mut candidates = (first..).map(|count| format!("$rounded${count}"));
        let name = candidates.find(|name| !self.names.contains(name)).unwrap_or_default();
        self.names.insert(name.clone());
        let variable =
            ir::Variable { name, ty, kind: VarKind::Temp, span, align: 0, initial: ir::Initial::Arbitrary };
        let variable = self.cx.program.variables.push(variable);
        self.body().locals.push(variable);
        variable
    }

    fn call(
        &mut self,
        function: &str,
        arguments: Vec<ExprId>,
        result: Option<VarId>,
        last: &mut LocationId,
        span: Span,
    ) {
        let statement = match self.cx.links.library_function(function) {
            Some(entity) => {
                let callee = Callee::Direct(self.cx.procedure(entity));
                Statement::Call { result, callee, arguments }
            }
            None => Statement::Unsupported("a rounding mode".into()),
        };
        self.append(statement, last, span);
    }

    fn append(&mut self, statement: Statement, last: &mut LocationId, span: Span) {
        let target = self.body().locations.push(Location::default());
        self.body().edges.push(Edge { source: *last, target, statement, span });
        *last = target;
    }
}
