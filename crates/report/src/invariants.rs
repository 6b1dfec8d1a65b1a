//! What a proof says, as expressions of C: an invariant for each loop, and for each function how its end is
//! related to its start.
//!
//! Relations are decision diagrams over predicates. Their paths to true are cubes; cubes that differ in
//! the value of one predicate are merged, and what all have in common stands in front. Predicates that number
//! the values of a variable are read together: as what the variable is, or is not.

use hardbop_ir::{
    BinaryOp, ExprId, ExprKind, LocationId, PlaceId, ProcId, Procedure, Program, VarId, VarKind,
};
use hardbop_predicate::{Proof, Relation, Slot, show, variables};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::names::readable;
use crate::summary::{Known, Place};

/// Relations with more cubes are not written out.
const MAX_CUBES: usize = 200;
/// Nor are those that still have more after merging.
const MAX_SHOWN: usize = 24;

/// Literals that hold together, in order of slots.
type Cube = Vec<(Slot, bool)>;

/// What holds at loops, and for functions between start and end; in the order of the program.
pub fn invariants(program: &Program, proof: &Proof) -> Vec<Known> {
    let mut writer = Writer::new(program, proof);
    let mut points: Vec<(ProcId, LocationId)> = proof.relations.keys().copied().collect();
    points.sort_unstable();
    points.iter().filter_map(|&point| writer.known(point)).collect()
}

/// The invariant of a point as an expression of C over what can be named there: weaker, if predicates
/// are about something else.
pub fn c_expression(
    program: &Program,
    proof: &Proof,
    point: (ProcId, LocationId),
    can_name: impl Fn(VarId) -> bool,
) -> Option<String> {
    let mut writer = Writer::new(program, proof);
    let mut cubes = cubes(proof.relations.get(&point)?)?;
    let named: Vec<bool> = proof
        .predicates
        .iter()
        .map(|predicate| {
            variables(program, predicate.expr).into_iter().all(&can_name)
                && !writer.show(predicate.expr).contains(['$', '\\'])
        })
        .collect();
    for cube in &mut cubes {
        cube.retain(|(slot, _)| matches!(slot, Slot::Now(i) if named[*i]));
    }
    let text = writer.formula(merged(cubes))?;
    (text != "1").then_some(text)
}

struct Writer<'a> {
    program: &'a Program,
    proof: &'a Proof,
    shown: FxHashMap<ExprId, String>,
}

impl<'a> Writer<'a> {
    fn new(program: &'a Program, proof: &'a Proof) -> Self {
        Writer { program, proof, shown: FxHashMap::default() }
    }

    fn show(&mut self, expr: ExprId) -> String {
        let text = self.shown.entry(expr).or_insert_with(|| show(self.program, expr));
        text.replace("$result", "\\result")
    }
}

impl Writer<'_> {
    fn known(&mut self, (procedure, location): (ProcId, LocationId)) -> Option<Known> {
        let relation = self.proof.relations.get(&(procedure, location))?;
        let p = &self.program.procedures[procedure];
        let kind = match location {
            l if l == p.entry => return None,
            l if l == p.exit => "summary",
            l if is_loop(p, l) => "loop",
            _ => return None,
        };
        let first = p.edges.values().find(|edge| edge.source == location);
        let span = if kind == "loop" { first.map_or(p.span, |edge| edge.span) } else { p.span };
        let place = Place::of(self.program, span);
        if p.name.starts_with('$') || place.file.starts_with('<') {
            return None;
        }
        let invariant = match cubes(relation) {
            None => return None,
            Some(mut cubes) => {
                for cube in &mut cubes {
                    cube.retain(|&(slot, _)| match slot {
                        Slot::Entry(_) if kind == "loop" => false,
                        Slot::Entry(i) | Slot::Now(i) => {
                            let expr = self.proof.predicates[i].expr;
                            let outlives = kind == "loop" || is_known_to_callers(self.program, p, expr);
                            outlives && readable(&self.show(expr)).is_some()
                        }
                    });
                }
                self.formula(merged(cubes))?
            }
        };
        let trivial = invariant == "1";
        let invariant = readable(&invariant).filter(|_| !trivial)?;
        Some(Known { kind, function: p.name.clone(), location: place, invariant })
    }

    /// A disjunction of cubes, with what they have in common in front.
    fn formula(&mut self, cubes: Vec<Cube>) -> Option<String> {
        if cubes.len() > MAX_SHOWN {
            return None;
        }
        let Some(first) = cubes.first() else { return Some("0".to_owned()) };
        let common: Cube =
            first.iter().filter(|literal| cubes.iter().all(|cube| cube.contains(literal))).copied().collect();
        let mut conjuncts = self.conjuncts(&common);
        let rests: Vec<Cube> = cubes
            .iter()
            .map(|cube| cube.iter().filter(|literal| !common.contains(literal)).copied().collect())
            .collect();
        if rests.iter().all(|rest| !rest.is_empty()) {
            let texts: Vec<String> = rests
                .iter()
                .map(|rest| {
                    let texts = self.conjuncts(rest);
                    let single = texts.len() == 1 || rests.len() == 1;
                    let text = texts.join(" && ");
                    if single { text } else { format!("({text})") }
                })
                .collect();
            let text = texts.join(" || ");
            conjuncts.push(if conjuncts.is_empty() || texts.len() == 1 { text } else { format!("({text})") });
        }
        Some(if conjuncts.is_empty() { "1".to_owned() } else { conjuncts.join(" && ") })
    }

    /// The literals of a cube; those about the value of one variable are one.
    fn conjuncts(&mut self, cube: &[(Slot, bool)]) -> Vec<String> {
        let mut out: Vec<String> = Vec::new();
        let mut done: Vec<(bool, PlaceId)> = Vec::new();
        for &(slot, holds) in cube {
            let (Slot::Entry(i) | Slot::Now(i)) = slot;
            let at_entry = matches!(slot, Slot::Entry(_));
            let predicate = self.proof.predicates[i];
            let text = match values(self.program, predicate.expr) {
                Some((place, _)) if done.contains(&(at_entry, place)) => continue,
                Some((place, load)) => {
                    done.push((at_entry, place));
                    let name = self.show(load);
                    self.which_value(cube, at_entry, place, &name)
                }
                None => {
                    let text = self.show(predicate.expr);
                    if holds { grouped(text) } else { negated(&text) }
                }
            };
            out.push(if at_entry { format!("old({text})") } else { text });
        }
        out
    }

    /// What a cube says about the value of a place.
    fn which_value(&self, cube: &[(Slot, bool)], at_entry: bool, place: PlaceId, name: &str) -> String {
        let mut possible: Option<Vec<i128>> = None;
        let mut excluded: Vec<i128> = Vec::new();
        for &(slot, holds) in cube {
            let (Slot::Entry(i) | Slot::Now(i)) = slot;
            let Some(of) = of_place(self.program, self.proof.predicates[i].expr, place) else { continue };
            if matches!(slot, Slot::Entry(_)) != at_entry {
                continue;
            }
            match (holds, &mut possible) {
                (true, Some(possible)) => possible.retain(|value| of.contains(value)),
                (true, None) => possible = Some(of),
                (false, _) => excluded.extend(of),
            }
        }
        match possible {
            Some(mut possible) => {
                possible.retain(|value| !excluded.contains(value));
                let texts: Vec<String> = possible.iter().map(|value| format!("{name} == {value}")).collect();
                match texts.len() {
                    0 => "0".to_owned(),
                    1 => texts.concat(),
                    _ => format!("({})", texts.join(" || ")),
                }
            }
            None => {
                excluded.sort_unstable();
                excluded.dedup();
                let texts: Vec<String> = excluded.iter().map(|value| format!("{name} != {value}")).collect();
                texts.join(" && ")
            }
        }
    }
}

/// Whether a predicate speaks only of what outlives a call, and what was passed and returned.
fn is_known_to_callers(program: &Program, procedure: &Procedure, expr: ExprId) -> bool {
    variables(program, expr).into_iter().all(|var| match program.variables[var].kind {
        VarKind::Global | VarKind::Static | VarKind::Formal => true,
        _ => procedure.result == Some(var),
    })
}

/// Whether control can come back to a location from behind it, with the location before everything else
/// on the way: where it is first reached from the entry.
fn is_loop(procedure: &Procedure, head: LocationId) -> bool {
    let mut ways: FxHashMap<LocationId, Vec<LocationId>> = FxHashMap::default();
    for edge in procedure.edges.values() {
        ways.entry(edge.source).or_default().push(edge.target);
    }
    // What can be reached from the entry without passing the head does not count.
    let reach = |from: &[LocationId], without: Option<LocationId>| {
        let mut seen: FxHashSet<LocationId> = FxHashSet::default();
        let mut open: Vec<LocationId> = from.to_vec();
        while let Some(location) = open.pop() {
            if Some(location) != without && seen.insert(location) {
                open.extend(ways.get(&location).into_iter().flatten());
            }
        }
        seen
    };
    let outside = reach(&[procedure.entry], Some(head));
    let successors: Vec<LocationId> =
        ways.get(&head).into_iter().flatten().copied().filter(|next| !outside.contains(next)).collect();
    successors.contains(&head) || reach(&successors, None).contains(&head)
}

/// The values of a disjunction that compares one place with constants, if the place is this one.
fn of_place(program: &Program, expr: ExprId, place: PlaceId) -> Option<Vec<i128>> {
    let mut values = Vec::new();
    equalities(program, expr, &mut values)?;
    values.iter().all(|&(of, _, _)| of == place).then(|| values.iter().map(|&(.., value)| value).collect())
}

/// The place that a disjunction of equalities with constants is about, and an expression that reads it.
fn values(program: &Program, expr: ExprId) -> Option<(PlaceId, ExprId)> {
    let mut values = Vec::new();
    equalities(program, expr, &mut values)?;
    let &(place, load, _) = values.first()?;
    values.iter().all(|&(of, _, _)| of == place).then_some((place, load))
}

fn equalities(program: &Program, expr: ExprId, into: &mut Vec<(PlaceId, ExprId, i128)>) -> Option<()> {
    match program.expr(expr).kind {
        ExprKind::Binary(BinaryOp::Or, a, b) => {
            equalities(program, a, into)?;
            equalities(program, b, into)
        }
        ExprKind::Binary(BinaryOp::Eq, a, b) => match (&program.expr(a).kind, &program.expr(b).kind) {
            (&ExprKind::Load(place), &ExprKind::Int(value)) => {
                into.push((place, a, value));
                Some(())
            }
            (&ExprKind::Int(value), &ExprKind::Load(place)) => {
                into.push((place, b, value));
                Some(())
            }
            _ => None,
        },
        _ => None,
    }
}

/// A text that can be an operand of `&&`.
pub(crate) fn grouped(text: String) -> String {
    if text.contains("||") || text.contains(" ? ") { format!("({text})") } else { text }
}

/// The negation of a condition; a single comparison is turned round.
fn negated(text: &str) -> String {
    const OPPOSITES: [(&str, &str); 6] = [
        (" == ", " != "),
        (" != ", " == "),
        (" <= ", " > "),
        (" >= ", " < "),
        (" < ", " >= "),
        (" > ", " <= "),
    ];
    let comparisons: usize = OPPOSITES.iter().map(|(operator, _)| text.matches(operator).count()).sum();
    let plain = !["&&", "||", " & ", " | ", " ^ ", " ? "].iter().any(|operator| text.contains(operator));
    if comparisons == 1 && plain && !text.starts_with('!') {
        for (operator, opposite) in OPPOSITES {
            if text.contains(operator) {
                return text.replacen(operator, opposite, 1);
            }
        }
    }
    format!("!({text})")
}

/// The paths to true, unless there are too many.
fn cubes(relation: &Relation) -> Option<Vec<Cube>> {
    let mut done = Vec::new();
    let mut open: Vec<(usize, Cube)> = vec![(relation.root, Cube::new())];
    while let Some((node, cube)) = open.pop() {
        match node {
            0 => {}
            1 => done.push(cube),
            _ => {
                let &(slot, low, high) = relation.nodes.get(node - 2)?;
                for (next, value) in [(high, true), (low, false)] {
                    let mut longer = cube.clone();
                    longer.push((slot, value));
                    open.push((next, longer));
                }
            }
        }
        if done.len() + open.len() > MAX_CUBES {
            return None;
        }
    }
    Some(done)
}

/// The same set of states with fewer cubes.
fn merged(mut cubes: Vec<Cube>) -> Vec<Cube> {
    cubes.iter_mut().for_each(|cube| cube.sort_unstable());
    loop {
        cubes.sort_by_key(|cube| cube.len());
        let mut kept: Vec<Cube> = Vec::new();
        for cube in std::mem::take(&mut cubes) {
            if !kept.iter().any(|wider| wider.iter().all(|literal| cube.contains(literal))) {
                kept.push(cube);
            }
        }
        cubes = kept;
        let pair = (0..cubes.len())
            .find_map(|i| (i + 1..cubes.len()).find_map(|j| Some((i, j, resolvent(&cubes[i], &cubes[j])?))));
        let Some((i, j, cube)) = pair else { return cubes };
        // The resolvent covers at least one of the two; what it does not cover stays.
        let covers = |other: &Cube| cube.iter().all(|literal| other.contains(literal));
        let rest: Vec<Cube> = [j, i].map(|k| cubes.remove(k)).into_iter().filter(|c| !covers(c)).collect();
        cubes.extend(rest);
        cubes.push(cube);
    }
}

/// If the cubes differ in the value of one predicate, and one says no more than the other besides: what
/// holds without it, given the other.
fn resolvent(a: &Cube, b: &Cube) -> Option<Cube> {
    let opposite: Vec<Slot> =
        a.iter().filter(|(slot, value)| b.contains(&(*slot, !value))).map(|(slot, _)| *slot).collect();
    let [slot] = opposite[..] else { return None };
    let without = |cube: &Cube| -> Cube { cube.iter().filter(|(s, _)| *s != slot).copied().collect() };
    let (a, b) = (without(a), without(b));
    let within = |small: &Cube, large: &Cube| small.iter().all(|literal| large.contains(literal));
    if within(&a, &b) {
        Some(b)
    } else if within(&b, &a) {
        Some(a)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(text: &str) -> Cube {
        text.split_whitespace()
            .map(|word| match word.strip_prefix('!') {
                Some(number) => (Slot::Now(number.parse().unwrap()), false),
                None => (Slot::Now(word.parse().unwrap()), true),
            })
            .collect()
    }

    fn holds(cubes: &[Cube], state: usize) -> bool {
        cubes.iter().any(|cube| {
            cube.iter().all(|&(slot, value)| matches!(slot, Slot::Now(i) if (state >> i & 1 == 1) == value))
        })
    }

    #[test]
    fn merging_keeps_the_set_of_states() {
        // All sets of cubes over three predicates with at most three cubes.
        let literals = |i: usize, how: usize| match how {
            0 => vec![],
            1 => vec![(Slot::Now(i), true)],
            _ => vec![(Slot::Now(i), false)],
        };
        let all: Vec<Cube> = (0..27)
            .map(|n: usize| {
                [n % 3, n / 3 % 3, n / 9].iter().enumerate().flat_map(|(i, &h)| literals(i, h)).collect()
            })
            .collect();
        for a in &all {
            for b in &all {
                for c in &all {
                    let before = vec![a.clone(), b.clone(), c.clone()];
                    let after = merged(before.clone());
                    assert!((0..8).all(|state| holds(&before, state) == holds(&after, state)), "{before:?}");
                }
            }
        }
    }

    #[test]
    fn cubes_are_merged() {
        assert_eq!(merged(vec![cube("0 1"), cube("0 !1")]), [cube("0")]);
        assert_eq!(merged(vec![cube("0"), cube("!0")]), [cube("")]);
        assert_eq!(merged(vec![cube("0 1"), cube("0 1 2")]), [cube("0 1")]);
    }

    #[test]
    fn comparisons_are_turned_round() {
        assert_eq!(negated("x == 1"), "x != 1");
        assert_eq!(negated("a[i] <= n"), "a[i] > n");
        assert_eq!(negated("x == 1 || x == 2"), "!(x == 1 || x == 2)");
        assert_eq!(negated("(x == 1) == y"), "!((x == 1) == y)");
    }
}
