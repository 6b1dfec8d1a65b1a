//! Random boolean programs that pass the verifier, with every construct of the language.
//!
//! Assertions are few and weak (a disjunction over the variables in scope), so that about as many
//! programs are safe as not.

use hardbop_bp::Program;
use hardbop_bp::ast::{BinaryOp, Branch, ChainOp, Expr, Item, Name, Results, Stmt, StmtKind};

use crate::Rng;

/// What random programs look like.
#[derive(Debug, Clone)]
pub struct BooleanOptions {
    /// The number of globals.
    pub globals: usize,
    /// The number of procedures besides `main`.
    pub procedures: usize,
    /// The largest number of locals of a procedure.
    pub locals: usize,
    /// The largest number of formals of a procedure.
    pub formals: usize,
    /// The largest number of results of a procedure.
    pub results: usize,
    /// The largest number of statements in a list.
    pub statements: usize,
    /// How deep `if`, `while` and operators may nest.
    pub nesting: usize,
    /// Whether procedures may call themselves and those before them.
    pub recursion: bool,
    /// Whether there are `constrain` clauses.
    pub constrain: bool,
    /// Whether there are `enforce` clauses.
    pub enforce: bool,
    /// Whether expressions may contain `*` and `schoose`, and statements may be `dead`.
    pub choice: bool,
    /// Whether there are jumps; without, `while` still makes loops.
    pub goto: bool,
}

impl Default for BooleanOptions {
    fn default() -> Self {
        BooleanOptions {
            globals: 2,
            procedures: 2,
            locals: 2,
            formals: 2,
            results: 2,
            statements: 4,
            nesting: 2,
            recursion: true,
            constrain: true,
            enforce: true,
            choice: true,
            goto: true,
        }
    }
}

/// The program of a seed.
pub fn random(seed: u64, options: &BooleanOptions) -> Program {
    let mut rng = Rng::new(seed);
    let globals: Vec<Name> = (0..options.globals).map(|i| global_name(i, &mut rng)).collect();
    let signatures: Vec<Signature> =
        (0..=options.procedures).map(|i| Signature::random(i, options, &mut rng)).collect();
    let mut items = Vec::new();
    if !globals.is_empty() {
        items.push(Item::decl(globals.iter().cloned()));
    }
    for index in 0..signatures.len() {
        let generator = Generator {
            rng: Rng::new(rng.next_u64()),
            options,
            signatures: &signatures,
            index,
            scope: globals.clone(),
            labels: Vec::new(),
        };
        items.push(generator.procedure());
    }
    Program::of_procedures(items)
}

fn global_name(i: usize, rng: &mut Rng) -> Name {
    if rng.one_in(8) { Name::quoted(&format!("x[{i}] == y->z")) } else { Name::new(format!("g{i}")) }
}

struct Signature {
    name: String,
    formals: usize,
    results: Results,
}

impl Signature {
    fn random(index: usize, options: &BooleanOptions, rng: &mut Rng) -> Self {
        if index == 0 {
            return Signature { name: "main".to_owned(), formals: 0, results: Results::Void };
        }
        let results = match rng.below(options.results + 1) {
            0 => Results::Void,
            1 if rng.one_in(2) => Results::Bool,
            n => Results::Bools(u32::try_from(n).unwrap_or(1)),
        };
        Signature { name: format!("p{index}"), formals: rng.below(options.formals + 1), results }
    }
}

struct Generator<'a> {
    rng: Rng,
    options: &'a BooleanOptions,
    signatures: &'a [Signature],
    /// The procedure that is being made.
    index: usize,
    scope: Vec<Name>,
    labels: Vec<Name>,
}

impl Generator<'_> {
    fn procedure(mut self) -> Item {
        let signature = &self.signatures[self.index];
        let formals: Vec<Name> = (0..signature.formals).map(|i| Name::new(format!("a{i}"))).collect();
        let locals: Vec<Name> =
            (0..self.rng.below(self.options.locals + 1)).map(|i| Name::new(format!("l{i}"))).collect();
        self.scope.extend(formals.iter().chain(&locals).cloned());
        let mut body = Vec::new();
        if !locals.is_empty() {
            body.push(Stmt::new(StmtKind::Decl(locals)));
        }
        if self.options.enforce && self.rng.one_in(4) {
            let clause = self.weak_condition();
            body.push(Stmt::new(StmtKind::Enforce(clause)));
        }
        let mut statements = self.statements(self.options.nesting);
        if self.index == 0 || self.rng.one_in(4) {
            let condition = self.weak_condition();
            statements.push(Stmt::new(StmtKind::Assert(condition)));
        }
        self.aim_jumps(&mut statements);
        body.append(&mut statements);
        Item::procedure(signature.results, signature.name.as_str(), formals, body)
    }

    fn statements(&mut self, nesting: usize) -> Vec<Stmt> {
        let count = 1 + self.rng.below(self.options.statements);
        (0..count).map(|_| self.labelled_statement(nesting)).collect()
    }

    fn labelled_statement(&mut self, nesting: usize) -> Stmt {
        let kind = self.statement(nesting);
        let mut stmt = Stmt::new(kind);
        while self.rng.one_in(6) {
            let label = Name::new(format!("L{}", self.labels.len()));
            self.labels.push(label.clone());
            stmt = stmt.labelled(label);
        }
        stmt
    }

    fn statement(&mut self, nesting: usize) -> StmtKind {
        match self.rng.below(20) {
            0 => StmtKind::Skip,
            1 | 2 => StmtKind::Assume(self.weak_condition()),
            3 => StmtKind::AbortIf(self.expr(self.options.nesting)),
            4 if self.options.choice => match self.distinct_targets(2) {
                targets if targets.is_empty() => StmtKind::Skip,
                targets => StmtKind::Dead(targets),
            },
            5 if self.rng.one_in(3) => StmtKind::Assert(self.weak_condition()),
            6 if self.options.goto => StmtKind::Goto(Vec::new()),
            7 if self.rng.one_in(3) => self.return_statement(),
            8 | 9 if nesting > 0 => self.if_statement(nesting - 1),
            10 | 11 if nesting > 0 => {
                let condition = self.expr(1);
                StmtKind::While(Branch::new(condition, self.statements(nesting - 1)))
            }
            12..=14 => self.call(),
            _ => self.assignment(),
        }
    }

    fn if_statement(&mut self, nesting: usize) -> StmtKind {
        let count = if self.rng.one_in(3) { 2 } else { 1 };
        let branches = (0..count).map(|_| {
            let condition = self.expr(self.options.nesting);
            Branch::new(condition, self.statements(nesting))
        });
        let branches = branches.collect();
        let otherwise = if self.rng.one_in(2) { Some(self.statements(nesting)) } else { None };
        StmtKind::If { branches, otherwise }
    }

    fn return_statement(&mut self) -> StmtKind {
        let count = self.signatures[self.index].results.count();
        StmtKind::Return((0..count).map(|_| self.expr(self.options.nesting)).collect())
    }

    fn call(&mut self) -> StmtKind {
        let first = if self.options.recursion { 0 } else { self.index + 1 };
        let Some(callee) = self.rng.pick(&self.signatures[first..]) else { return StmtKind::Skip };
        let args = (0..callee.formals).map(|_| self.expr(self.options.nesting)).collect();
        let mut targets = Vec::new();
        if !self.rng.one_in(6) {
            targets.extend(self.distinct_targets(callee.results.count()).into_iter().map(Some));
            // Where variables are too few, results are dropped.
            targets.resize(callee.results.count(), None);
        }
        StmtKind::Call { targets, callee: Name::new(callee.name.clone()), args }
    }

    fn assignment(&mut self) -> StmtKind {
        let count = 1 + self.rng.below(2);
        let targets = self.distinct_targets(count);
        if targets.is_empty() {
            return StmtKind::Skip;
        }
        let values: Vec<Expr> = targets.iter().map(|_| self.expr(self.options.nesting)).collect();
        let constrain = if self.options.constrain && self.rng.one_in(4) {
            let primed = targets.iter().map(|name| {
                let next = Expr::next(name.clone());
                if self.rng.one_in(2) { Expr::not(next) } else { next }
            });
            let mut operands: Vec<Expr> = primed.collect();
            operands.push(self.expr(1));
            Some(Expr::or(operands))
        } else {
            None
        };
        let mut targets: Vec<_> = targets.into_iter().map(Some).collect();
        if self.rng.one_in(20) {
            targets[0] = None;
        }
        // A discarded target has no new value to constrain, but its name still has one: itself.
        StmtKind::Assign { targets, values, constrain }
    }

    /// Up to `count` different variables in scope.
    fn distinct_targets(&mut self, count: usize) -> Vec<Name> {
        let mut left = self.scope.clone();
        let count = count.min(left.len());
        (0..count).map(|_| left.swap_remove(self.rng.below(left.len()))).collect()
    }

    /// A disjunction that most states satisfy.
    fn weak_condition(&mut self) -> Expr {
        let mut operands: Vec<Expr> = (0..1 + self.rng.below(3)).map(|_| self.literal()).collect();
        if self.rng.one_in(3) {
            operands.push(self.expr(1));
        }
        Expr::or(operands)
    }

    fn literal(&mut self) -> Expr {
        let variable = match self.rng.pick(&self.scope) {
            Some(name) => Expr::var(name.clone()),
            None => Expr::constant(true),
        };
        if self.rng.one_in(2) { Expr::not(variable) } else { variable }
    }

    fn expr(&mut self, nesting: usize) -> Expr {
        let choice = self.options.choice;
        if nesting == 0 {
            return match self.rng.below(10) {
                0 => Expr::constant(self.rng.one_in(2)),
                1 if choice => Expr::choice(),
                _ => self.literal(),
            };
        }
        match self.rng.below(12) {
            0 => Expr::not(self.expr(nesting - 1)),
            1 if choice => Expr::schoose(self.expr(nesting - 1), self.expr(nesting - 1)),
            2..=5 => {
                let ops = [ChainOp::And, ChainOp::And, ChainOp::Or, ChainOp::Xor];
                let op = ops[self.rng.below(ops.len())];
                let count = 2 + self.rng.below(2);
                Expr::chain(op, (0..count).map(|_| self.expr(nesting - 1)).collect())
            }
            6 => {
                let ops = [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Implies];
                let op = ops[self.rng.below(ops.len())];
                Expr::binary(op, self.expr(nesting - 1), self.expr(nesting - 1))
            }
            _ => self.expr(0),
        }
    }

    /// Gives every jump targets among the labels of the procedure.
    fn aim_jumps(&mut self, statements: &mut [Stmt]) {
        for stmt in statements {
            match &mut stmt.kind {
                StmtKind::Goto(targets) => {
                    let count = 1 + self.rng.below(2);
                    targets.extend((0..count).filter_map(|_| self.rng.pick(&self.labels).cloned()));
                    if targets.is_empty() {
                        stmt.kind = StmtKind::Skip;
                    }
                }
                StmtKind::If { branches, otherwise } => {
                    branches.iter_mut().for_each(|branch| self.aim_jumps(&mut branch.body));
                    self.aim_jumps(otherwise.as_deref_mut().unwrap_or_default());
                }
                StmtKind::While(branch) => self.aim_jumps(&mut branch.body),
                _ => {}
            }
        }
    }
}
