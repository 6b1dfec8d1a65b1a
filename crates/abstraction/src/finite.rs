//! Variables with few values that matter: state machines, flags, feature switches.
//!
//! A variable that is never computed with, only copied and compared for equality, with constants or
//! with others of its kind, needs no discovery of predicates: which of those constants it holds, or
//! none of them, is nearly all that the program can see of it. The constants are numbered from 1 on, 0 stands for any other value, and each
//! bit of the number is a predicate: a disjunction of equalities. Variables that are copied to each
//! other share one numbering, so that a copy is a copy of bits.

use hardbop_alias::Alias;
use hardbop_ir::{
    BinaryOp, Callee, ExprId, ExprKind, PlaceId, ProcId, Program, Statement, Type, VarId, visit,
};
use rustc_hash::FxHashMap;

use hardbop_predicate::{Predicate, Scope};

/// Variables with more values than this are left to refinement.
const MAX_VALUES: usize = 100;

/// Predicates for all variables with few values that matter.
pub fn finite_predicates(program: &Program, alias: &Alias) -> Vec<Predicate> {
    finite_variables(program, alias).into_iter().flat_map(|(_, predicates)| predicates).collect()
}

/// The variables with few values that matter, in order, and the predicates of each.
pub fn finite_variables(program: &Program, alias: &Alias) -> Vec<(VarId, Vec<Predicate>)> {
    let classes = Survey::of(program, alias).classes();
    let predicates = |(var, values): (VarId, Vec<i128>)| {
        let owner = alias.objects().owner(var);
        let scope = owner.map_or(Scope::Global, Scope::Procedure);
        (var, one_of_few(program, scope, program.var(var), &values))
    };
    classes.into_iter().map(predicates).collect()
}

/// Predicates that tell which of some constants a value equals, or that it is none of them: the bits of the
/// constant's number.
pub fn one_of_few(program: &Program, scope: Scope, value: ExprId, constants: &[i128]) -> Vec<Predicate> {
    let bits = usize::BITS - constants.len().leading_zeros();
    let bit = |bit: u32| {
        let numbered = constants.iter().enumerate();
        let chosen = numbered.filter(|(number, _)| (number + 1) >> bit & 1 == 1).map(|(_, &value)| value);
        let expr = one_of(program, value, chosen.collect());
        Predicate { scope, expr }
    };
    (0..bits).map(bit).collect()
}

fn one_of(program: &Program, value: ExprId, constants: Vec<i128>) -> ExprId {
    let ty = program.expr(value).ty;
    let mut any = program.truth(false);
    for constant in constants {
        let constant = program.int(constant, ty);
        let equal = program.binary(BinaryOp::Eq, value, constant);
        any = program.binary(BinaryOp::Or, any, equal);
    }
    any
}

/// How each variable is used.
struct Survey<'a> {
    program: &'a Program,
    alias: &'a Alias,
    /// Variables that are used for more than copies and comparisons with constants.
    computed: Vec<bool>,
    /// The constants that each variable is compared with.
    compared: Vec<Vec<i128>>,
    /// Union-find over variables that are copied to each other.
    parent: Vec<usize>,
}

impl<'a> Survey<'a> {
    fn of(program: &'a Program, alias: &'a Alias) -> Self {
        let count = program.variables.len();
        let mut survey = Survey {
            program,
            alias,
            computed: vec![false; count],
            compared: vec![Vec::new(); count],
            parent: (0..count).collect(),
        };
        for (id, procedure) in program.procedures.iter() {
            for (edge, e) in procedure.edges.iter() {
                survey.statement(id, edge, &e.statement);
            }
        }
        survey
    }

    /// The variables in order, with the constants that matter to them.
    fn classes(mut self) -> Vec<(VarId, Vec<i128>)> {
        let ids: Vec<VarId> = self.program.variables.ids().collect();
        let mut values: FxHashMap<usize, Vec<i128>> = FxHashMap::default();
        for &var in &ids {
            if self.is_finite(var) {
                let root = self.find(var.index());
                values.entry(root).or_default().extend(&self.compared[var.index()]);
            }
        }
        for list in values.values_mut() {
            list.sort_unstable();
            list.dedup();
        }
        let mut found = Vec::new();
        for var in ids {
            let root = self.find(var.index());
            if let Some(list) = values.get(&root).filter(|list| (1..=MAX_VALUES).contains(&list.len()))
                && self.is_finite(var)
            {
                found.push((var, list.clone()));
            }
        }
        found
    }

    fn is_finite(&self, var: VarId) -> bool {
        let kind = self.program.ty(self.program.variables[var].ty);
        matches!(kind, Type::Machine { .. } | Type::Integer)
            && !self.alias.in_memory(var)
            && !self.computed[var.index()]
    }

    fn find(&mut self, i: usize) -> usize {
        let mut root = i;
        while self.parent[root] != root {
            root = self.parent[root];
        }
        self.parent[i] = root;
        root
    }

    fn link(&mut self, a: VarId, b: VarId) {
        if self.program.variables[a].ty == self.program.variables[b].ty {
            let (a, b) = (self.find(a.index()), self.find(b.index()));
            self.parent[a.max(b)] = a.min(b);
        }
    }

    fn statement(&mut self, procedure: ProcId, edge: hardbop_ir::EdgeId, statement: &Statement) {
        match *statement {
            Statement::Assign(place, value) => match self.program.whole_variable(place) {
                Some(target) => self.copied(target, value),
                None => {
                    self.place(place);
                    self.used(value);
                }
            },
            Statement::Assume(condition) => self.condition(condition),
            Statement::Havoc(place, _) => {
                if self.program.whole_variable(place).is_none() {
                    self.place(place);
                }
            }
            Statement::Call { result, callee, ref arguments } => {
                if let Callee::Indirect(pointer) = callee {
                    self.used(pointer);
                }
                let callees = self.alias.callees(procedure, edge).to_vec();
                for callee in callees {
                    let p = &self.program.procedures[callee];
                    for (&formal, &argument) in p.formals.iter().zip(arguments) {
                        if p.external.is_none() {
                            self.copied(formal, argument);
                        }
                    }
                    if let (Some(to), Some(from)) = (result, p.result)
                        && p.external.is_none()
                    {
                        self.link(to, from);
                    }
                }
            }
            // What is shown, and the status of an exit, matter to nothing in the program.
            Statement::Output { .. } | Statement::Halt(_) => {}
            _ => visit::roots(self.program, statement).into_iter().for_each(|e| self.used(e)),
        }
    }

    fn variable(&self, expr: ExprId) -> Option<VarId> {
        match self.program.expr(expr).kind {
            ExprKind::Load(place) => self.program.whole_variable(place),
            _ => None,
        }
    }

    /// A value is stored in a variable.
    fn copied(&mut self, target: VarId, value: ExprId) {
        match self.variable(value) {
            Some(source) => self.link(target, source),
            None => self.condition(value),
        }
    }

    /// A condition, or anything else: comparisons with constants are fine, other uses are not.
    fn condition(&mut self, expr: ExprId) {
        match self.program.expr(expr).kind {
            ExprKind::Unary(_, a) | ExprKind::Cast(a) if !self.is_variable(a) => self.condition(a),
            ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, a, b) => {
                match (self.variable(a), self.program.as_int(b)) {
                    (Some(var), Some(value)) => self.compared[var.index()].push(value),
                    _ => match (self.program.as_int(a), self.variable(a), self.variable(b)) {
                        (Some(value), _, Some(var)) => self.compared[var.index()].push(value),
                        (_, Some(x), Some(y)) => self.link(x, y),
                        _ => [a, b].into_iter().for_each(|e| self.operand(e)),
                    },
                }
            }
            ExprKind::Binary(_, a, b) => [a, b].into_iter().for_each(|e| self.operand(e)),
            ExprKind::If(c, a, b) => [c, a, b].into_iter().for_each(|e| self.operand(e)),
            _ => self.used(expr),
        }
    }

    fn is_variable(&self, expr: ExprId) -> bool {
        self.variable(expr).is_some()
    }

    fn operand(&mut self, expr: ExprId) {
        match self.variable(expr) {
            Some(var) => self.computed[var.index()] = true,
            None => self.condition(expr),
        }
    }

    /// Every variable in the expression is computed with.
    fn used(&mut self, expr: ExprId) {
        match self.program.expr(expr).kind {
            ExprKind::Load(place) => {
                if let Some(var) = self.program.whole_variable(place) {
                    self.computed[var.index()] = true;
                }
                self.place(place);
            }
            ExprKind::AddressOf(place) => self.place(place),
            ref kind => visit::operator_parts(kind).for_each(|e| self.operand(e)),
        }
    }

    fn place(&mut self, place: PlaceId) {
        visit::place_parts(self.program, place).for_each(|part| self.used(part));
    }
}
