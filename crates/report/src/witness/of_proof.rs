//! The invariants of a proof: those of loops, as far as their keywords are found in the text and their
//! predicates speak of variables that are in scope there.

use hardbop_base::Span;
use hardbop_ir::{LocationId, ProcId, Program, VarId, VarKind};
use hardbop_predicate::{AtLoop, Proof};

use super::Invariant;
use super::places::Places;
use crate::invariants::{c_expression, grouped};

/// What is known at a loop, without what cannot be named: weaker.
fn expression(known: &AtLoop, can_name: impl Fn(VarId) -> bool) -> Option<String> {
    let mut texts: Vec<String> = Vec::new();
    for cube in &known.cubes {
        let named = cube.iter().filter(|literal| literal.variables.iter().all(|&var| can_name(var)));
        let named: Vec<String> = named.map(|literal| grouped(literal.text.clone())).collect();
        if named.is_empty() {
            return None;
        }
        let text = named.join(" && ");
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    Some(match &texts[..] {
        [] => "0".to_owned(),
        [text] => text.clone(),
        _ => texts.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" || "),
    })
}

/// The invariants of all loops that can be named.
pub fn invariants_of(program: &Program, places: &Places<'_>, proof: &Proof) -> Vec<Invariant> {
    let mut points: Vec<(ProcId, LocationId)> = proof.relations.keys().copied().collect();
    points.sort_unstable();
    let said = |point| invariant(program, places, point, &|named| c_expression(program, proof, point, named));
    points.into_iter().filter_map(said).collect()
}

/// The same, of what is known at some loops.
pub fn invariants_at(program: &Program, places: &Places<'_>, loops: &[AtLoop]) -> Vec<Invariant> {
    let said = |known: &AtLoop| {
        invariant(program, places, (known.procedure, known.head), &|named| expression(known, named))
    };
    loops.iter().filter_map(said).collect()
}

/// Says which variables can be named.
type Scope<'a> = &'a dyn Fn(VarId) -> bool;

fn invariant(
    program: &Program,
    places: &Places<'_>,
    point: (ProcId, LocationId),
    expression: &dyn Fn(Scope<'_>) -> Option<String>,
) -> Option<Invariant> {
    let procedure = &program.procedures[point.0];
    if places.preprocessed || point.1 == procedure.entry || point.1 == procedure.exit {
        return None;
    }
    let condition = procedure.edges.values().find(|edge| edge.source == point.1)?.span;
    let text = places.text(condition)?;
    let at = offset(text, condition)?;
    let keyword = keyword(text, at)?;
    let line = text[..keyword].matches('\n').count() as u32 + 1;
    let column = (keyword - text[..keyword].rfind('\n').map_or(0, |newline| newline + 1)) as u32 + 1;
    let location = places.at(condition, line, column, Some(&procedure.name))?;
    let is_declared = |var: VarId| {
        let variable = &program.variables[var];
        match variable.kind {
            VarKind::Global => true,
            VarKind::Formal => procedure.formals.contains(&var),
            VarKind::Static | VarKind::Local if variable.span.file == condition.file => {
                let here = variable.kind == VarKind::Static || procedure.locals.contains(&var);
                here && offset(text, variable.span)
                    .is_some_and(|declared| is_visible(text, declared, keyword, at))
            }
            _ => false,
        }
    };
    // Another variable of that name would be meant, unless it is the argument of which this is a copy.
    let is_hidden = |var: VarId| {
        let name = &program.variables[var].name;
        let hides = |&other: &VarId| {
            let names = program.variables[other].name.strip_prefix(name.as_str());
            other != var
                && names.is_some_and(|rest| rest.is_empty() || rest.starts_with('$') && rest != "$in")
        };
        procedure.formals.iter().chain(&procedure.locals).any(|other| hides(other) && is_declared(*other))
    };
    let value = expression(&|var| is_declared(var) && !is_hidden(var))?;
    Some(Invariant { of_loop: true, location, value })
}

/// Where a span starts in the text.
fn offset(text: &str, span: Span) -> Option<usize> {
    let line = span.line.checked_sub(1)? as usize;
    let start = match line {
        0 => 0,
        _ => text.match_indices('\n').nth(line - 1)?.0 + 1,
    };
    Some(start + span.column.checked_sub(1)? as usize).filter(|&at| text.is_char_boundary(at))
}

/// The keyword of the loop whose condition is here.
fn keyword(text: &str, condition: usize) -> Option<usize> {
    let before = &text[..condition];
    let stripped = before.trim_end_matches(|c: char| c.is_whitespace() || c == '(' || c == '!');
    if let Some(rest) = stripped.strip_suffix("while")
        && before[stripped.len()..].contains('(')
        && !rest.ends_with(|c: char| c.is_alphanumeric() || c == '_')
    {
        // That of `do` stands in front of its body.
        let is_do = rest.trim_end().ends_with('}');
        return (!is_do).then_some(rest.len());
    }
    // for (…; condition
    let first =
        before.trim_end_matches(|c: char| c.is_whitespace() || c == '(' || c == '!').strip_suffix(';')?;
    let open = first.rfind("for")?;
    let head = &first[open + 3..];
    let is_word = !first[..open].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let balance = |c| head.matches(c).count();
    let fits = is_word && head.trim_start().starts_with('(') && !head.contains([';', '{', '}']);
    (fits && balance('(') == balance(')') + 1).then_some(open)
}

/// Whether a declaration is visible at a loop: nothing that it stands in is closed before.
fn is_visible(text: &str, declared: usize, keyword: usize, condition: usize) -> bool {
    if declared > keyword {
        // In the head of the loop itself.
        return declared < condition;
    }
    let mut depth = 0;
    for c in text[declared..keyword].chars() {
        depth += match c {
            '{' | '(' => 1,
            '}' | ')' => -1,
            _ => 0,
        };
        if depth < 0 {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_found_from_conditions() {
        let find = |text: &str| keyword(text, text.find("x <").unwrap());
        assert_eq!(find("  while (x < 3)"), Some(2));
        assert_eq!(find("while(!(x < 3))"), Some(0));
        assert_eq!(find("a; for (int i = f(1); x < 3; i++)"), Some(3));
        assert_eq!(find("do { } while (x < 3)"), None);
        assert_eq!(find("if (x < 3)"), None);
        assert_eq!(find("awhile (x < 3)"), None);
        assert_eq!(find("for (;;) { y = 1; x < 3"), None);
    }

    #[test]
    fn scopes_end_with_their_block() {
        let visible = |text: &str| {
            let keyword = text.find("while").unwrap();
            is_visible(text, text.find('v').unwrap(), keyword, keyword + 6)
        };
        assert!(visible("{ int v; { while"));
        assert!(!visible("{ { int v; } while"));
        assert!(!visible("for (int v = 0; ; ) ; while"));
    }
}
