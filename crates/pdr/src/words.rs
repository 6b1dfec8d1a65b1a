//! Invariants in words.

use std::collections::BTreeMap;

use hardbop_base::Span;
use hardbop_ir::{LocationId, ProcId, Program, Type, VarId};
use hardbop_logic::Term;
use hardbop_predicate::{AtLoop, Literal, show, variables};
use hardbop_semantics::{Decoder, Encoder, Subject};
use hardbop_verdict::KnownInvariant;

use crate::system::Cut;

/// What holds at the heads of loops, for the chains of calls that lead there.
pub(crate) struct Words<'a> {
    subject: Subject<'a>,
    /// The program, with the expressions of invariants.
    program: Program,
    /// One conjunction for each chain of calls.
    loops: BTreeMap<(ProcId, LocationId), Vec<Vec<Literal>>>,
}

impl<'a> Words<'a> {
    pub(crate) fn new(subject: Subject<'a>) -> Self {
        Words { subject, program: subject.program.overlay(), loops: BTreeMap::new() }
    }

    /// What holds at a cut point; what cannot be said is left out.
    pub(crate) fn add(&mut self, encoder: &Encoder, cut: &Cut, clauses: &[Term]) {
        let subject = Subject { program: &self.program, ..self.subject };
        let mut decoder = Decoder::new(encoder, subject);
        let mut literals = Vec::new();
        for &clause in clauses {
            if let Some(expr) = decoder.decode(clause) {
                let text = show(&self.program, expr);
                literals.push(Literal { text, variables: variables(&self.program, expr) });
            }
        }
        self.loops.entry((cut.procedure, cut.location)).or_default().push(literals);
    }

    /// All that was said, as lines and in parts. The parts mention plain variables only.
    pub(crate) fn all(self) -> (Vec<KnownInvariant>, Vec<AtLoop>) {
        let (mut lines, mut parts) = (Vec::new(), Vec::new());
        for ((procedure, head), cubes) in &self.loops {
            let span = self.span(*procedure, *head);
            let all: Vec<String> = cubes.iter().map(|cube| conjunction(cube)).collect();
            if all.iter().all(|text| !text.is_empty()) {
                let text = match &all[..] {
                    [one] => one.clone(),
                    several => {
                        several.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" || ")
                    }
                };
                lines.push(KnownInvariant { is_loop: true, procedure: *procedure, span, text });
            }
            let plain = |cube: &Vec<Literal>| -> Vec<Literal> {
                cube.iter().filter(|literal| self.is_plain(literal)).cloned().collect()
            };
            parts.push(AtLoop {
                procedure: *procedure,
                head: *head,
                cubes: cubes.iter().map(plain).collect(),
            });
        }
        (lines, parts)
    }

    /// Whether a condition is about machine integers with the names that the programmer gave them, and reads no memory.
    fn is_plain(&self, literal: &Literal) -> bool {
        let is_plain = |&var: &VarId| {
            let variable = &self.program.variables[var];
            matches!(self.program.ty(variable.ty), Type::Machine { .. }) && !variable.name.contains('$')
        };
        literal.variables.iter().all(is_plain) && !literal.text.contains(['*', '[', '.', '/', '%', '@'])
    }

    fn span(&self, procedure: ProcId, head: LocationId) -> Span {
        let p = &self.program.procedures[procedure];
        p.edges.values().find(|edge| edge.source == head).map_or(p.span, |edge| edge.span)
    }
}

fn conjunction(literals: &[Literal]) -> String {
    let texts: Vec<String> = literals.iter().map(|literal| literal.text.clone()).collect();
    match &texts[..] {
        [one] => one.clone(),
        several => several.iter().map(|text| format!("({text})")).collect::<Vec<_>>().join(" && "),
    }
}
