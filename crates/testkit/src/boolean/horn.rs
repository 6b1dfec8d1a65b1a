//! Boolean programs as constrained Horn clauses, to compare the engines with a solver for those.
//!
//! One relation per location holds between the values at the entry of its procedure (globals, formals)
//! and the values there (globals, formals, locals; at the exit results too); one per procedure
//! holds between entry and exit. A procedure that is not called needs no values at entry. The clauses say
//! what the semantics of `hardbop_bp` says, word by word: they have a model (`sat`) iff the goal cannot
//! be reached.

use std::collections::HashSet;
use std::fmt::Write;

use hardbop_bp::{Call, EdgeId, Expr, Flow, FlowStep, Goal, LocId, ProcId, VarId, VarKind};

/// The clauses in SMT-LIB 2 (logic `HORN`), all over truth values.
pub fn horn(flow: &Flow, goal: &Goal) -> String {
    let mut text = "(set-logic HORN)\n".to_owned();
    declare(flow, &mut text);
    text += &start(flow);
    for edge in flow.edges.ids() {
        match &flow.edges[edge].step {
            FlowStep::Call(call) => text += &(enter(flow, edge, call) + &come_back(flow, edge, call)),
            FlowStep::Skip | FlowStep::Assume(_) | FlowStep::Assign(_) => text += &step(flow, edge),
        }
    }
    for (id, procedure) in flow.procedures.iter() {
        if !procedure.callers.is_empty() {
            let mut clause = Clause::new(flow);
            clause.assume_at(procedure.exit);
            let head = clause.summary(id, &entry, &now);
            text += &clause.implies(&head);
        }
    }
    for location in flow.goal_locations(goal) {
        let mut clause = Clause::new(flow);
        clause.assume_at(location);
        text += &clause.implies("false");
    }
    text + "(check-sat)\n"
}

fn declare(flow: &Flow, text: &mut String) {
    let mut one = |name: String, arity: usize| {
        let bools = vec!["Bool"; arity].join(" ");
        // Writing to a string cannot fail.
        let _ = writeln!(text, "(declare-fun {name} ({bools}) Bool)");
    };
    for location in flow.locations.ids() {
        one(at(location), entry_values(flow, location).len() + values(flow, location).len());
    }
    for (id, procedure) in flow.procedures.iter() {
        let arity = 2 * flow.globals.len() + procedure.formal_count + procedure.result_count;
        one(summary_of(id), arity);
    }
}

fn at(location: LocId) -> String {
    format!("at{}", location.index())
}

fn summary_of(procedure: ProcId) -> String {
    format!("summary{}", procedure.index())
}

/// What a relation knows of the entry of its procedure.
fn entry_values(flow: &Flow, location: LocId) -> Vec<VarId> {
    let procedure = flow.procedure_of(location);
    if procedure.callers.is_empty() {
        return Vec::new();
    }
    flow.globals.iter().chain(procedure.formals()).copied().collect()
}

/// What a relation knows of its location.
fn values(flow: &Flow, location: LocId) -> Vec<VarId> {
    let at_exit = flow.procedure_of(location).exit == location;
    let visible = |v: &VarId| at_exit || flow.variables[*v].kind != VarKind::Result;
    flow.scope(flow.locations[location].procedure).filter(visible).collect()
}

/// Which variable of a clause stands for the value of a variable of the program: a letter, and the
/// variable whose number follows it.
type Names<'n> = &'n dyn Fn(VarId) -> (char, VarId);

/// The value at the entry of the procedure.
fn entry(variable: VarId) -> (char, VarId) {
    ('e', variable)
}

/// The value before the step.
fn now(variable: VarId) -> (char, VarId) {
    ('v', variable)
}

/// The value that the step makes.
const NEXT: char = 'n';

/// The value at the exit of the callee.
const LAST: char = 'x';

fn start(flow: &Flow) -> String {
    let mut clause = Clause::new(flow);
    clause.enforce(flow.main, &now);
    let head = clause.at(flow.procedures[flow.main].entry, &now, &now);
    clause.implies(&head)
}

fn step(flow: &Flow, id: EdgeId) -> String {
    let edge = &flow.edges[id];
    let mut clause = Clause::new(flow);
    clause.assume_at(edge.source);
    let updates = match &edge.step {
        FlowStep::Assign(assign) => assign.updates.as_slice(),
        _ => &[],
    };
    let next = |v: VarId| if updates.iter().any(|(target, _)| *target == v) { (NEXT, v) } else { now(v) };
    for (target, value) in updates {
        clause.define(*target, value);
    }
    match &edge.step {
        FlowStep::Assume(e) => clause.assume(e, &now, &now),
        FlowStep::Assign(assign) => {
            assign.constrain.iter().for_each(|e| clause.assume(e, &now, &next));
        }
        FlowStep::Skip | FlowStep::Call(_) => {}
    }
    clause.enforce(edge.procedure, &next);
    let head = clause.at(edge.target, &entry, &next);
    clause.implies(&head)
}

/// From a call to the entry of the callee.
fn enter(flow: &Flow, id: EdgeId, call: &Call) -> String {
    let mut clause = Clause::new(flow);
    clause.assume_at(flow.edges[id].source);
    let frame = |v: VarId| if flow.variables[v].owner.is_none() { now(v) } else { (NEXT, v) };
    clause.pass(call);
    clause.enforce(call.callee, &frame);
    let head = clause.at(flow.procedures[call.callee].entry, &frame, &frame);
    clause.implies(&head)
}

/// From a call to the place it returns to.
fn come_back(flow: &Flow, id: EdgeId, call: &Call) -> String {
    let edge = &flow.edges[id];
    let mut clause = Clause::new(flow);
    clause.assume_at(edge.source);
    clause.pass(call);
    let passed = |v: VarId| if flow.variables[v].owner.is_none() { now(v) } else { (NEXT, v) };
    let last = |v: VarId| (LAST, v);
    let summary = clause.summary(call.callee, &passed, &last);
    clause.body.push(summary);
    let results = flow.procedures[call.callee].results();
    let next = |v: VarId| match call.targets.iter().position(|target| *target == Some(v)) {
        Some(i) => (LAST, results[i]),
        None if flow.variables[v].owner.is_none() => (LAST, v),
        None => now(v),
    };
    clause.enforce(edge.procedure, &next);
    let head = clause.at(edge.target, &entry, &next);
    clause.implies(&head)
}

/// A clause in the making.
struct Clause<'a> {
    flow: &'a Flow,
    variables: Vec<String>,
    known: HashSet<String>,
    body: Vec<String>,
    choices: usize,
}

impl<'a> Clause<'a> {
    fn new(flow: &'a Flow) -> Self {
        Clause { flow, variables: Vec::new(), known: HashSet::new(), body: Vec::new(), choices: 0 }
    }

    fn variable(&mut self, name: String) -> String {
        if self.known.insert(name.clone()) {
            self.variables.push(name.clone());
        }
        name
    }

    fn value(&mut self, (letter, variable): (char, VarId)) -> String {
        self.variable(format!("{letter}{}", variable.index()))
    }

    fn list(&mut self, variables: &[VarId], names: Names) -> Vec<String> {
        variables.iter().map(|v| self.value(names(*v))).collect()
    }

    fn at(&mut self, location: LocId, entry: Names, names: Names) -> String {
        let mut arguments = self.list(&entry_values(self.flow, location), entry);
        arguments.extend(self.list(&values(self.flow, location), names));
        apply(&at(location), &arguments)
    }

    fn assume_at(&mut self, location: LocId) {
        let atom = self.at(location, &entry, &now);
        self.body.push(atom);
    }

    fn summary(&mut self, id: ProcId, entry: Names, exit: Names) -> String {
        let (flow, procedure) = (self.flow, &self.flow.procedures[id]);
        let mut arguments = self.list(&flow.globals, entry);
        arguments.extend(self.list(procedure.formals(), entry));
        arguments.extend(self.list(&flow.globals, exit));
        arguments.extend(self.list(procedure.results(), exit));
        apply(&summary_of(id), &arguments)
    }

    fn assume(&mut self, e: &Expr, old: Names, new: Names) {
        let condition = self.expr(e, old, new);
        self.body.push(condition);
    }

    fn enforce(&mut self, procedure: ProcId, names: Names) {
        if let Some(e) = &self.flow.procedures[procedure].enforce {
            self.assume(e, names, names);
        }
    }

    fn define(&mut self, target: VarId, value: &Expr) {
        let value = self.expr(value, &now, &now);
        let target = self.value((NEXT, target));
        self.body.push(format!("(= {target} {value})"));
    }

    fn pass(&mut self, call: &Call) {
        for (formal, value) in self.flow.procedures[call.callee].formals().iter().zip(&call.args) {
            self.define(*formal, value);
        }
    }

    fn expr(&mut self, e: &Expr, old: Names, new: Names) -> String {
        let operator = match e {
            Expr::Const(value) => return value.to_string(),
            Expr::Var(variable) => return self.value(old(*variable)),
            Expr::Next(variable) => return self.value(new(*variable)),
            Expr::Choice => return self.choice(),
            Expr::Schoose(yes, no) => {
                let (yes, no) = (self.expr(yes, old, new), self.expr(no, old, new));
                return format!("(or {yes} (and (not {no}) {}))", self.choice());
            }
            Expr::Not(_) => "not",
            Expr::And(_) => "and",
            Expr::Or(_) => "or",
            Expr::Xor(_) => "xor",
            Expr::Eq(..) => "=",
            Expr::Implies(..) => "=>",
        };
        let operands: Vec<String> = e.operands().into_iter().map(|e| self.expr(e, old, new)).collect();
        apply(operator, &operands)
    }

    fn choice(&mut self) -> String {
        self.choices += 1;
        self.variable(format!("c{}", self.choices))
    }

    /// The clause as text.
    fn implies(self, head: &str) -> String {
        let implication = match self.body.as_slice() {
            [] => head.to_owned(),
            [one] => format!("(=> {one} {head})"),
            many => format!("(=> {} {head})", apply("and", many)),
        };
        if self.variables.is_empty() {
            return format!("(assert {implication})\n");
        }
        let bound: Vec<String> = self.variables.iter().map(|name| format!("({name} Bool)")).collect();
        format!("(assert (forall ({}) {implication}))\n", bound.join(" "))
    }
}

fn apply(function: &str, arguments: &[String]) -> String {
    if arguments.is_empty() { function.to_owned() } else { format!("({function} {})", arguments.join(" ")) }
}
