//! Reading of evidence, for a program that is there.

use hardbop_alias::{Alias, Regions};
use hardbop_base::text::{Failed, Parse};
use hardbop_base::{Budget, Span, Stop};
use hardbop_certify::backward::{Backward, Claim, Point};
use hardbop_certify::proof::Proof;
use hardbop_ir::{Order, ProcId, Program, Property, Statement};
use hardbop_predicate::{Ghost, Predicate, Scope, instrument_ghosts, parse_block};
use hardbop_semantics::Subject;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::cursor::{Cursor, Kind as Token, Pieces};
use crate::place::{parse_edge, parse_location, parse_own, parse_procedure};
use crate::print::role;
use crate::terms::Reader;
use crate::{ErrorAt, Evidence, InputAt, Kind, RunInputs, relation};

/// Why there is no evidence.
pub(crate) enum Fault {
    /// A diagnostic says why.
    Said,
    /// A limit was reached.
    Stopped(Stop),
}

impl From<Failed> for Fault {
    fn from(Failed: Failed) -> Self {
        Fault::Said
    }
}

impl From<Stop> for Fault {
    fn from(stop: Stop) -> Self {
        Fault::Stopped(stop)
    }
}

/// Reads the evidence of a kind, up to the end of the text.
pub(crate) fn parse(
    cursor: &mut Cursor<'_>,
    kind: Kind,
    program: &Program,
    budget: &Budget,
) -> Result<(Program, Evidence), Fault> {
    let mut program = program.overlay();
    let evidence = match kind {
        Kind::Invariants => {
            let (with_ghosts, proof) = invariants(cursor, program)?;
            program = with_ghosts;
            Evidence::Invariants(Box::new(proof))
        }
        Kind::Backward => Evidence::Backward(Box::new(backward(cursor, &program, budget)?)),
        Kind::Unrolled => Evidence::Unrolled(steps(cursor)?),
        Kind::Run => Evidence::Run(run(cursor, &program)?),
    };
    if cursor.token.kind != Token::End {
        return Err(cursor.unexpected("the end of the text").into());
    }
    Ok((program, evidence))
}

/// `steps 12;`
fn steps(cursor: &mut Cursor<'_>) -> Parse<u64> {
    cursor.expect_word("steps")?;
    let steps = cursor.number("a number of steps")?;
    cursor.expect(";")?;
    Ok(steps)
}

/// Reads invariants; ghosts are known from where they stand on.
fn invariants(cursor: &mut Cursor<'_>, mut program: Program) -> Parse<(Program, Proof)> {
    let mut ghosts = Vec::new();
    while cursor.eat_word("ghost") {
        let (span, ghost) = ghost(cursor, &program)?;
        program = instrument_ghosts(&program, std::slice::from_ref(&ghost))
            .map_err(|fault| cursor.error(span, fault.to_string()))?;
        ghosts.push(ghost);
    }
    cursor.expect_word("start")?;
    let entry = parse_procedure(cursor, &program)?;
    cursor.expect(";")?;
    let predicates = predicates(cursor, &program)?;
    let mut proof =
        Proof { entry, ghosts, predicates, relations: FxHashMap::default(), unused: FxHashSet::default() };
    while cursor.eat_word("relations") {
        relations(cursor, &program, &mut proof)?;
    }
    if cursor.token.kind != Token::End {
        return Err(cursor.unexpected("`relations` or the end of the text"));
    }
    Ok((program, proof))
}

/// `f "$ghost_x_12" of x at L12 "a.c:3:5";`
fn ghost(cursor: &mut Cursor<'_>, program: &Program) -> Parse<(Span, Ghost)> {
    let procedure = parse_procedure(cursor, program)?;
    let span = cursor.here();
    let name = cursor.name("the name of the ghost")?;
    cursor.expect_word("of")?;
    let of = parse_own(cursor, program, procedure)?;
    cursor.expect_word("at")?;
    let location = parse_location(cursor, program, procedure)?;
    cursor.expect(";")?;
    Ok((span, Ghost { procedure, name, of, location }))
}

/// `predicates { … }`, in the language of predicates.
fn predicates(cursor: &mut Cursor<'_>, program: &Program) -> Parse<Vec<Predicate>> {
    cursor.expect_word("predicates")?;
    if !cursor.at("{") {
        return Err(cursor.unexpected("`{`"));
    }
    let (file, text, at) = (cursor.file, cursor.text, cursor.token.end);
    let Some((found, end)) = parse_block(program, (file, text), at, &mut cursor.diagnostics) else {
        return Err(Failed);
    };
    cursor.go_to(end);
    Ok(found)
}

/// `f { entry L0 "a.c:1:1": true; … }`
fn relations(cursor: &mut Cursor<'_>, program: &Program, proof: &mut Proof) -> Parse<()> {
    let procedure = parse_procedure(cursor, program)?;
    let p = &program.procedures[procedure];
    let order = Order::of(p);
    cursor.expect("{")?;
    while !cursor.eat("}") {
        let span = cursor.here();
        let said = cursor.word("`entry`, `loop`, `exit` or `}`")?;
        let location = parse_location(cursor, program, procedure)?;
        let role = role(program, procedure, location);
        if said != role || (role == "loop" && !order.is_cut(location)) {
            return Err(cursor.error(span, format!("L{} is no {said} of `{}`", location.index(), p.name)));
        }
        cursor.expect(":")?;
        let predicates = &proof.predicates;
        let relation = relation::parse(cursor, &|i| is_known(program, predicates, procedure, i))?;
        if proof.relations.insert((procedure, location), relation).is_some() {
            return Err(cursor.error(span, format!("L{} has a relation already", location.index())));
        }
    }
    Ok(())
}

/// Whether a procedure sees a predicate, or why not.
fn is_known(program: &Program, predicates: &[Predicate], procedure: ProcId, i: usize) -> Result<(), String> {
    match predicates.get(i).map(|predicate| predicate.scope) {
        None => Err(format!("there are only {} predicates", predicates.len())),
        Some(Scope::Procedure(of)) if of != procedure => {
            Err(format!("p{i} is a predicate of `{}`", program.procedures[of].name))
        }
        Some(_) => Ok(()),
    }
}

fn backward(cursor: &mut Cursor<'_>, program: &Program, budget: &Budget) -> Result<Backward, Fault> {
    let alias = Alias::of(program, budget)?;
    let regions = Regions::of(program, &alias, &[], budget)?;
    let subject = Subject { program, alias: &alias, regions: &regions };
    let mut proof = Backward::default();
    cursor.expect_word("units")?;
    cursor.expect("{")?;
    while !cursor.eat("}") {
        proof.units.push(parse_procedure(cursor, program)?);
    }
    while cursor.eat_word("point") {
        let span = cursor.here();
        let point = point(cursor, program)?;
        if !is_way(&alias, &point) {
            return Err(cursor.error(span, "these calls do not lead there").into());
        }
        cursor.expect("{")?;
        let mut reader = Reader { cursor, subject, encoder: &mut proof.encoder };
        let [fails, returns] = reader.conditions(["fails", "returns"])?;
        cursor.expect("}")?;
        if proof.claims.insert(point, Claim { fails, returns }).is_some() {
            return Err(cursor.error(span, "this point is there already").into());
        }
    }
    if cursor.token.kind != Token::End {
        return Err(cursor.unexpected("`point` or the end of the text").into());
    }
    Ok(proof)
}

/// Whether the open calls of a point lead from its unit to its procedure.
fn is_way(alias: &Alias, point: &Point) -> bool {
    let callers = point.calls.iter().map(|&(caller, _)| caller);
    let callees = callers.clone().skip(1).chain([point.procedure]);
    let leads = |(&(caller, edge), callee): (_, ProcId)| alias.callees(caller, edge).contains(&callee);
    callers.chain([point.procedure]).next() == Some(point.unit)
        && point.calls.iter().zip(callees).all(leads)
        && (point.head.is_some() || point.calls.is_empty())
}

/// `f through f E3 "a.c:3:5" in g loop L4 "a.c:9:1"`; instead of a loop, `entry`.
fn point(cursor: &mut Cursor<'_>, program: &Program) -> Parse<Point> {
    let unit = parse_procedure(cursor, program)?;
    let mut calls = Vec::new();
    while cursor.eat_word("through") {
        let caller = parse_procedure(cursor, program)?;
        let span = cursor.here();
        let edge = parse_edge(cursor, program, caller)?;
        if !matches!(program.procedures[caller].edges[edge].statement, Statement::Call { .. }) {
            return Err(cursor.error(span, "this edge is no call"));
        }
        calls.push((caller, edge));
    }
    cursor.expect_word("in")?;
    let procedure = parse_procedure(cursor, program)?;
    let head = if cursor.eat_word("loop") {
        let span = cursor.here();
        let head = parse_location(cursor, program, procedure)?;
        if !Order::of(&program.procedures[procedure]).is_head(head) {
            return Err(cursor.error(span, format!("L{} is no head of a loop", head.index())));
        }
        Some(head)
    } else {
        cursor.expect_word("entry")?;
        None
    };
    Ok(Point { unit, calls, procedure, head })
}

fn run(cursor: &mut Cursor<'_>, program: &Program) -> Parse<RunInputs> {
    let steps = steps(cursor)?;
    cursor.expect_word("error")?;
    let span = cursor.here();
    let word = cursor.word("`function`, `assertion` or `label`")?;
    let name = cursor.text("a name in quotes")?;
    let property = match word {
        "function" => Property::ErrorFunction(name),
        "assertion" => Property::Assertion(name),
        "label" => Property::ErrorLabel(name),
        _ => return Err(cursor.error(span, "expected `function`, `assertion` or `label`")),
    };
    cursor.expect_word("in")?;
    let procedure = parse_procedure(cursor, program)?;
    let edge = parse_edge(cursor, program, procedure)?;
    if program.procedures[procedure].edges[edge].statement != Statement::Error(property.clone()) {
        return Err(cursor.error(span, "this edge is another statement"));
    }
    cursor.expect(";")?;
    let error = ErrorAt { property, procedure, edge };
    cursor.expect_word("inputs")?;
    cursor.expect("{")?;
    let mut inputs = Vec::new();
    while !cursor.eat("}") {
        let value = cursor.number("a value or `}`")?;
        cursor.expect_word("bits")?;
        let width = cursor.number("a number of bits")?;
        cursor.expect_word("in")?;
        let procedure = parse_procedure(cursor, program)?;
        let edge = parse_edge(cursor, program, procedure)?;
        cursor.expect(";")?;
        inputs.push(InputAt { value, width, procedure, edge });
    }
    Ok(RunInputs { steps, error, inputs })
}
