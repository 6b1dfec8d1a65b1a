//! The violation that a run is: what functions of the verification harness and undefined ones returned, call
//! by call, and where the property breaks.

use hardbop_base::{Budget, Span};
use hardbop_ir::interpret::{Interpreter, ListInputs, Observer, Outcome, Run, RunOptions, View};
use hardbop_ir::{Arbitrary, Program, Property, Type};

use super::places::Places;
use super::{Requirement, Segment, Violation, Waypoint};

/// More values than this are not listed: validators search for the rest.
const MAX_SEGMENTS: usize = 2_000;

/// The calls that led to the last step.
struct Last {
    /// How many steps come before the last.
    before: u64,
    stack: Vec<(Span, String)>,
}

impl Observer for Last {
    fn unheard(&self) -> u64 {
        self.before
    }

    fn step(&mut self, view: &View<'_, '_>) {
        let program = view.program();
        if matches!(
            program.procedures[view.procedure()].edges[view.edge()].statement,
            hardbop_ir::Statement::Error(_)
        ) {
            self.stack = view
                .stack()
                .map(|site| (site.span, program.procedures[site.procedure].name.clone()))
                .collect();
        }
    }
}

/// The violation; nothing for runs that reach no error, or if the budget does not suffice.
pub fn violation_of(program: &Program, places: &Places<'_>, run: &Run, budget: &Budget) -> Option<Violation> {
    let Outcome::Error { property, .. } = &run.outcome else { return None };
    let mut last = Last { before: run.steps.saturating_sub(1), stack: Vec::new() };
    let mut discard = |_: &[u8]| {};
    let options = RunOptions { budget: budget.clone(), sink: Some(&mut discard), ..RunOptions::default() };
    let interpreter = Interpreter::new(program);
    interpreter.observe(&mut ListInputs::replay(&run.draws), options, &mut last);
    // The call of the error function breaks the property, not what happens in it.
    let is_inside = |name: &String| matches!(property, Property::ErrorFunction(error) if error == name);
    let mut sites = last.stack.iter().filter(|(_, name)| !is_inside(name));
    let target = sites.find_map(|(span, name)| places.start(*span, Some(name)))?;
    let segments = run.draws.iter().take(MAX_SEGMENTS).filter_map(|draw| {
        let named = match run.kind(draw)? {
            Arbitrary::Nondet(name) | Arbitrary::External(name) => !name.contains(' '),
            Arbitrary::Uninitialised | Arbitrary::Assembly | Arbitrary::Library(_) => false,
        };
        let procedure = &program.procedures[draw.procedure];
        let edge = procedure.edges.get(draw.edge).filter(|_| named && draw.storage.is_none())?;
        let value = match *program.ty(draw.ty?) {
            Type::Machine { width, signed } => {
                hardbop_ir::wrap(width, signed, draw.value as i128).to_string()
            }
            Type::Bool => u8::from(draw.value != 0).to_string(),
            _ => return None,
        };
        let location = places.parenthesis(edge.span, Some(&procedure.name))?;
        let follow = Waypoint { requirement: Requirement::FunctionReturn(value), location };
        Some(Segment::from(follow))
    });
    Some(Violation { segments: segments.collect(), avoid: Vec::new(), target })
}
