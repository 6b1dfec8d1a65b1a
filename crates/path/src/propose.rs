//! Predicates from an infeasible path.
//!
//! From each point, the rest of the path is executed in an arbitrary state of the activation that is
//! current there, and of those that wait for it. The conditions of the core ahead of the point are
//! then conditions on that state; atoms over the current activation and the globals become
//! predicates of its procedure. A value that a waiting caller passed is known to the callee as its
//! formal, so atoms about such values are not lost. Only what the core depends on is executed ([`Needed`]).

use hardbop_alias::Alias;
use hardbop_base::{Budget, Stop};
use hardbop_ir::{BinaryOp, ExprId, ExprKind, ProcId, Program, Statement, Type, VarId, VarKind};
use hardbop_logic::Term;
use hardbop_predicate::variables;
use hardbop_predicate::{Predicate, Scope};
use hardbop_semantics::path::{PathStep, Walk};
use hardbop_semantics::{Cell, Coder, Decoder, Encoder, Frame, State, Subject};
use hardbop_solver::{Answer, new_solver};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Path;
use crate::atoms::atoms;
use crate::needed::Needed;
use crate::relations::solved_for_symbol;

/// Points of a path from which it is looked ahead; more are too slow for long paths.
const MAX_POINTS: usize = 400;

pub(crate) fn propose(
    subject: Subject<'_>,
    path: &Path,
    core: &[usize],
    budget: &Budget,
) -> Result<Vec<Predicate>, Stop> {
    let Subject { program, alias, .. } = subject;
    let positions = activations(path);
    let mut found = Vec::new();
    let mut known = FxHashSet::default();
    let Some(&first) = core.first() else { return Ok(found) };
    let needed = Needed::by(subject, path, core);
    // Backwards from the contradiction: what is needed last is proposed first. Once the conditions
    // ahead contradict each other, there is nothing more to explain.
    let stride = needed.points.len().div_ceil(MAX_POINTS).max(1);
    for &point in needed.points.iter().step_by(stride) {
        budget.check()?;
        let procedure = positions[point];
        let mut encoder = Encoder::default();
        let condition = look_ahead(&mut encoder, subject, path, point, (core, &needed));
        if encoder.terms.as_bool(condition) == Some(false)
            || point < first && is_contradiction(&encoder, program, condition, budget)
        {
            break;
        }
        let atoms = atoms(&encoder.terms, condition);
        let mut decoder = Decoder::new(&encoder, subject);
        let exprs: Vec<ExprId> = atoms.into_iter().filter_map(|atom| decoder.decode(atom)).collect();
        for expr in exprs {
            if let Some(predicate) = scoped(program, alias, procedure, expr)
                && known.insert(predicate)
            {
                found.push(predicate);
            }
        }
    }
    Ok(found)
}

fn is_contradiction(encoder: &Encoder, program: &Program, condition: Term, budget: &Budget) -> bool {
    let mut solver = new_solver(program.uses_integers(), budget);
    solver.check(&encoder.terms, &[condition]) == Answer::Unsat
}

/// For each step, the procedure that takes it.
pub fn activations(path: &Path) -> Vec<ProcId> {
    let mut procedures = vec![path.entry];
    let mut positions = Vec::new();
    for step in &path.steps {
        positions.push(*procedures.last().expect("a path is somewhere"));
        match *step {
            PathStep::Edge(_) => {}
            PathStep::Enter(_, callee) => procedures.push(callee),
            PathStep::Leave => {
                procedures.pop();
            }
        }
    }
    positions
}

/// The conditions of the core from a point on, over the state there.
pub(crate) fn look_ahead(
    encoder: &mut Encoder,
    subject: Subject<'_>,
    path: &Path,
    point: usize,
    (core, needed): (&[usize], &Needed),
) -> Term {
    let mut coder = encoder.on(subject);
    let mut walk = Walk::suspended(path.entry, &path.steps[..point]);
    let passed = passed_values(&mut coder, path, point);
    for (i, &step) in path.steps.iter().enumerate().take(needed.len()).skip(point) {
        match needed.has(i) {
            true => _ = walk.step(&mut coder, step),
            false => walk.pass(step),
        }
    }
    let wanted = walk.conditions.iter().filter(|(step, _)| core.binary_search(&(step + point)).is_ok());
    let conditions: Vec<Term> = wanted.map(|&(_, term)| term).collect();
    let all = encoder.terms.and(&conditions);
    encoder.terms.substitute(all, &passed)
}

/// What the current activation calls the values that those who wait for it hold: a local that was passed, or of which
/// an address was computed that was passed (`lock(&d->lock)`), is the callee's formal, or the formal at a constant
/// distance. Through all activations: what the caller of the caller passed on has a name here, too.
fn passed_values(coder: &mut Coder<'_>, path: &Path, point: usize) -> FxHashMap<Term, Term> {
    let waiting = waiting(path, point);
    let mut renaming = FxHashMap::default();
    // The innermost first: what it calls the values of those outside is a name already.
    for (depth, &(call, caller)) in waiting.iter().enumerate().rev() {
        let frame = Frame(depth as u32 + 1);
        let inner = if depth + 1 == waiting.len() { Frame::ONLY } else { Frame(depth as u32 + 2) };
        for (symbol, name) in passed_by(coder, path, (call, caller), frame, inner) {
            let name = coder.encoder.terms.substitute(name, &renaming);
            renaming.entry(symbol).or_insert(name);
        }
    }
    renaming
}

/// The calls that wait at a point, the outermost first: the step, and the procedure that calls.
fn waiting(path: &Path, point: usize) -> Vec<(usize, ProcId)> {
    let mut waiting = Vec::new();
    let mut current = path.entry;
    for (i, step) in path.steps[..point].iter().enumerate() {
        match *step {
            PathStep::Edge(_) => {}
            PathStep::Enter(_, callee) => {
                waiting.push((i, current));
                current = callee;
            }
            PathStep::Leave => current = waiting.pop().map_or(current, |(_, caller)| caller),
        }
    }
    waiting
}

/// Registers of a caller with what they are in terms of the formals of its callee.
fn passed_by(
    coder: &mut Coder<'_>,
    path: &Path,
    (call, caller): (usize, ProcId),
    frame: Frame,
    inner: Frame,
) -> Vec<(Term, Term)> {
    let program = coder.program;
    let mut passed = Vec::new();
    let PathStep::Enter(edge, callee) = path.steps[call] else { return passed };
    let Statement::Call { arguments, .. } = &program.procedures[caller].edges[edge].statement else {
        return passed;
    };
    let copies = copies_before(program, path, call, caller);
    let state = State::new(frame);
    for (&argument, &formal) in arguments.iter().zip(&program.procedures[callee].formals) {
        if coder.sort_of(program.variables[formal].ty).is_none() {
            continue;
        }
        let target = coder.initial(Cell::Local(inner, formal));
        let original = variable(program, argument).and_then(|temporary| copies.get(&temporary)).copied();
        for value in [Some(argument), original].into_iter().flatten() {
            // What the evaluation asks for was asked for when the call was made.
            let value = coder.value(&state, value, &mut Vec::new());
            if coder.encoder.terms.sort(value) == coder.encoder.terms.sort(target)
                && let Some((symbol, name)) = solved_for_symbol(coder, target, value)
                && matches!(coder.encoder.cell_of(symbol), Some(Cell::Local(of, _)) if of == frame)
            {
                passed.push((symbol, name));
            }
        }
    }
    passed
}

/// The variable that an expression reads, if it does nothing else.
fn variable(program: &Program, expr: ExprId) -> Option<VarId> {
    let ExprKind::Load(place) = program.expr(expr).kind else { return None };
    program.whole_variable(place)
}

/// What temporaries were assigned shortly before a call.
fn copies_before(program: &Program, path: &Path, call: usize, caller: ProcId) -> FxHashMap<VarId, ExprId> {
    let mut copies = FxHashMap::default();
    for step in path.steps[..call].iter().rev().take(32) {
        let PathStep::Edge(edge) = *step else { break };
        if let Statement::Assign(place, value) = program.procedures[caller].edges[edge].statement
            && let Some(var) = program.whole_variable(place)
            && program.variables[var].kind == VarKind::Temp
        {
            copies.entry(var).or_insert(value);
        }
    }
    copies
}

/// The predicate of an expression: global if it mentions nothing of the procedure.
pub fn scoped(program: &Program, alias: &Alias, procedure: ProcId, expr: ExprId) -> Option<Predicate> {
    if program.as_truth(expr).is_some() {
        return None;
    }
    let expr = oriented(program, expr);
    let local = variables(program, expr).into_iter().any(|var| !alias.is_shared(program, var));
    let scope = if local { Scope::Procedure(procedure) } else { Scope::Global };
    Some(Predicate { scope, expr })
}

/// A comparison in the one of its forms that is proposed: of `a == b` and `b == a`, and of `a < b` and
/// its negation `b <= a`, the one with the constant on the right, or else with the older operand on the
/// left. A predicate says the same as its negation.
fn oriented(program: &Program, expr: ExprId) -> ExprId {
    let ExprKind::Binary(op, a, b) = program.expr(expr).kind else { return expr };
    let turned = match op {
        BinaryOp::Eq => BinaryOp::Eq,
        BinaryOp::Lt => BinaryOp::Le,
        BinaryOp::Le => BinaryOp::Lt,
        _ => return expr,
    };
    // The negation of a comparison of floats is another one.
    let ordered = matches!(
        program.ty(program.expr(a).ty),
        Type::Bool | Type::Integer | Type::Machine { .. } | Type::Pointer(_)
    );
    let rank = |expr: ExprId| (program.as_int(expr).is_some(), expr);
    if ordered && rank(b) < rank(a) { program.binary(turned, b, a) } else { expr }
}
