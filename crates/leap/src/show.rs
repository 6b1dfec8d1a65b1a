//! Conditions, abstract states and chains as text.

use hardbop_ir::{Program, Statement, Type};
use hardbop_logic::{Term, c};
use hardbop_semantics::Cell;

use crate::chain::Chain;
use crate::choice::{LeapStep, Resolution};
use crate::cross::{Crossing, NOT_ASKED};
use crate::leap::{Joined, Leap, Leaper};
use crate::query::Query;
use crate::set::Set;
use crate::system::{Kind, NodeId, System};
use crate::theorem::Holds;

/// The name of a symbol.
pub fn name(query: &Query<'_>, symbol: Term) -> String {
    let program = query.subject.program;
    match query.encoder.cell_of(symbol) {
        Some(Cell::Global(var) | Cell::Local(_, var)) => program.variables[var].name.clone(),
        _ => query.encoder.terms.symbol_name(symbol).unwrap_or("?").to_owned(),
    }
}

fn is_signed(program: &Program, cell: Option<Cell>) -> bool {
    match cell {
        Some(Cell::Global(var) | Cell::Local(_, var)) => {
            matches!(
                program.ty(program.variables[var].ty),
                Type::Machine { signed: true, .. } | Type::Integer
            )
        }
        _ => false,
    }
}

/// A condition as C.
pub fn condition(query: &Query<'_>, term: Term) -> String {
    let named = |symbol: Term| c::Name {
        text: name(query, symbol),
        signed: is_signed(query.subject.program, query.encoder.cell_of(symbol)),
    };
    c::expression(&query.encoder.terms, term, named).unwrap_or_else(|| "…".to_owned())
}

/// The line of a node, if it stands for one.
pub fn line(query: &Query<'_>, system: &System, node: NodeId) -> Option<u32> {
    let program = query.subject.program;
    let n = &system.nodes[node];
    let &(procedure, _) = n.stack.last()?;
    let p = &program.procedures[procedure];
    let span = match n.kind {
        Kind::Start | Kind::End => return None,
        Kind::Error(edge) => p.edges[edge].span,
        Kind::Recursion => p.span,
        Kind::Head => p.edges.values().find(|edge| edge.source == n.location)?.span,
    };
    Some(program.files.origin(span).line)
}

/// A node: what it is and where.
pub fn node(query: &Query<'_>, system: &System, node: NodeId) -> String {
    let n = &system.nodes[node];
    let line = line(query, system, node).unwrap_or_default();
    let name = n.stack.last().map(|&(procedure, _)| &query.subject.program.procedures[procedure].name);
    match (n.kind, name) {
        (Kind::Start, _) => "start".to_owned(),
        (Kind::End, _) => "end".to_owned(),
        (Kind::Error(_), _) => format!("error in line {line}"),
        (Kind::Recursion, Some(name)) => format!("{name} in line {line}"),
        _ => format!("loop in line {line}"),
    }
}

/// A set of states.
pub fn set(query: &Query<'_>, system: &System, set: &Set) -> String {
    let mut parts = Vec::new();
    for (at, term) in set.iter() {
        let place = node(query, system, at);
        parts.push(match query.encoder.terms.as_bool(term) {
            Some(true) => place,
            _ => format!("{place}: {}", condition(query, term)),
        });
    }
    if parts.is_empty() { "none".to_owned() } else { parts.join(" | ") }
}

/// The report of a search.
pub fn report(leaper: &Leaper<'_>, leap: &Leap) -> String {
    let (query, system, mts) = (&leaper.query, &leaper.system, &leaper.mts);
    let mut text = String::from("abstract states:\n");
    for (number, state) in mts.states.iter().enumerate() {
        text.push_str(&format!("  s{number}  {}\n", set(query, system, state)));
    }
    text.push_str("transitions:\n");
    for m in &mts.moves {
        let kind = match (m.plus, m.minus) {
            (true, true) => "must+ must-",
            (true, false) => "must+",
            (false, true) => "must-",
            (false, false) => "may",
        };
        text.push_str(&format!("  s{} -> s{}  {kind}\n", m.from, m.to));
    }
    if leap.chains.is_empty() && leap.stopped.is_none() {
        let excluded: Vec<String> =
            leap.excluded.iter().map(|(from, to)| format!("s{from} -> s{to}")).collect();
        text.push_str(&match excluded[..] {
            [] => "\nno path\n".to_owned(),
            _ => format!("\nno path: bounds on all runs from the start exclude {}\n", excluded.join(", ")),
        });
    }
    for (joined, chain) in &leap.chains {
        text.push('\n');
        text.push_str(&path(leaper, joined, chain));
    }
    text
}

/// The name of a state of a path: its number, or those of which it is the union.
fn title(states: &[usize]) -> String {
    let names: Vec<String> = states.iter().map(|state| format!("s{state}")).collect();
    names.join("+")
}

/// What is known of a path.
fn path(leaper: &Leaper<'_>, joined: &Joined, chain: &Chain) -> String {
    let titles: Vec<String> = joined.iter().map(|states| title(states)).collect();
    let mut text = format!("path: {}\n", titles.join(", "));
    for (link, title) in chain.links.iter().zip(&titles) {
        for (crossing, theorem) in [(&link.forward, 2), (&link.backward, 1)] {
            if let Some(crossing) = crossing
                && (theorem == 2 || chain.flip != Some(0))
            {
                text.push_str(&crossed(leaper, title, crossing, theorem));
            }
        }
    }
    let last = chain.links.len() - 1;
    let (first, end) = (&titles[0], &titles[last]);
    text.push_str(&match chain.flip {
        None => format!("{end} is not shown to be reached from {first}\n"),
        Some(0) => format!("must+*: {end} is reached from {first}\n"),
        Some(flip) if flip == last => format!("must-*: {end} is reached from {first}\n"),
        Some(flip) => {
            format!("must-* to {}, one flip, must+*: {end} is reached from {first}\n", titles[flip])
        }
    });
    text
}

/// A state with its ports and which theorem holds of it.
fn crossed(leaper: &Leaper<'_>, title: &str, crossing: &Crossing, wanted: u32) -> String {
    let (query, system) = (&leaper.query, &leaper.system);
    let mut text = format!("  {title}  {}\n", set(query, system, &crossing.a));
    if crossing.rounds > 0 {
        text.push_str(&format!("      refined {} times\n", crossing.rounds));
    }
    match &crossing.resolution {
        Resolution::Deterministic => {}
        Resolution::Prefer(steps) => {
            for &step in steps {
                text.push_str(&format!("      prefers {}\n", statements(leaper, &crossing.steps[step])));
            }
        }
        Resolution::RoundRobin => text.push_str("      takes turns\n"),
    }
    text.push_str(&format!("      entry port  {}\n", set(query, system, &crossing.e)));
    text.push_str(&format!("      exit port   {}\n", set(query, system, &crossing.x)));
    let says = |holds: &Holds| match holds {
        Ok(()) => "yes".to_owned(),
        Err(why) => format!("no: {why}"),
    };
    text.push_str(&format!("      finite: {}\n", says(&crossing.finite)));
    let first = (crossing.first_holds(), "Theorem 1", "must-*(entry, exit)", says(&crossing.first));
    let second = match &crossing.second {
        (Err(why), _) | (Ok(()), Err(why)) => format!("no: {why}"),
        _ => "yes".to_owned(),
    };
    let second = (crossing.second_holds(), "Theorem 2", "must+*(entry, exit)", second);
    let both = if wanted == 2 { [second, first] } else { [first, second] };
    for (holds, name, conclusion, why) in both {
        if why.ends_with(NOT_ASKED) {
            continue;
        }
        text.push_str(&match holds {
            true => format!("      {name}: {conclusion}\n"),
            false if why == "yes" => format!("      {name}: no: conditions 2 and 3 hold, 1 does not\n"),
            false => format!("      {name}: {why}\n"),
        });
    }
    text
}

/// The statements of a step that do something.
fn statements(leaper: &Leaper<'_>, step: &LeapStep) -> String {
    let program = leaper.query.subject.program;
    let branch = &leaper.system.branches[step.branch];
    let mut shown = Vec::new();
    for &(procedure, edge) in &branch.edges {
        let statement = &program.procedures[procedure].edges[edge].statement;
        if !matches!(statement, Statement::Skip | Statement::Assume(_) | Statement::Return) {
            shown.push(program.show_statement(statement).to_string());
        }
    }
    shown.join("; ")
}

/// The modal transition system for Graphviz: may-transitions are dashed, must⁺ has a filled head, must⁻ a filled tail.
pub fn dot(leaper: &Leaper<'_>) -> String {
    let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
    let mut text = String::from("digraph mts {\n  node [shape=box];\n");
    for (number, state) in leaper.mts.states.iter().enumerate() {
        let label = escape(&set(&leaper.query, &leaper.system, state));
        text.push_str(&format!("  s{number} [label=\"s{number}\\n{label}\"];\n"));
    }
    for m in &leaper.mts.moves {
        let style = match (m.plus, m.minus) {
            (true, true) => "label=\"must+ must-\"",
            (true, false) => "label=\"must+\"",
            (false, true) => "label=\"must-\"",
            (false, false) => "style=dashed, label=may",
        };
        text.push_str(&format!("  s{} -> s{} [{style}];\n", m.from, m.to));
    }
    text.push_str("}\n");
    text
}
