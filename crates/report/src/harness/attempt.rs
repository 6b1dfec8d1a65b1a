//! Runs with the answers that a harness can give, and other values for everything else.

use std::collections::BTreeMap;

use hardbop_base::Budget;
use hardbop_ir::interpret::{
    Inputs, Interpreter, Limits, Outcome, Request, Run, RunOptions, SeededInputs, Source,
};

use super::Subject;
use super::answers::{Answers, Need, ValueSource};
use super::copy::Copy;

/// The values that the harness does not control, as the attempt chooses them.
#[derive(Debug, Clone, Copy)]
enum Rest {
    Zeros,
    Ones,
    Seed(u64),
}

const OTHER_VALUES: [Rest; 4] = [Rest::Zeros, Rest::Ones, Rest::Seed(1), Rest::Seed(2)];

/// Runs may get lost with other values.
const EXTRA_STEPS: u64 = 10_000;

/// Whether the error is reached whatever was tried for what a harness cannot give.
pub(super) fn always_fails(
    subject: &Subject<'_>,
    interpreter: &Interpreter<'_>,
    run: &Run,
    answers: &Answers,
    copy: Option<&Copy<'_>>,
    budget: &Budget,
) -> bool {
    OTHER_VALUES.iter().all(|&rest| {
        let mut inputs = Attempt {
            subject,
            answers,
            copy,
            used: BTreeMap::new(),
            rest,
            random: SeededInputs::new(if let Rest::Seed(seed) = rest { seed } else { 0 }),
        };
        let mut discard = |_: &[u8]| {};
        let limits = Limits { steps: 2 * run.steps + EXTRA_STEPS, ..Limits::default() };
        let options = RunOptions { limits, budget: budget.clone(), sink: Some(&mut discard) };
        same_error(&interpreter.run(&mut inputs, options).outcome, &run.outcome)
    })
}

fn same_error(one: &Outcome, other: &Outcome) -> bool {
    match (one, other) {
        (Outcome::Error { property: one, .. }, Outcome::Error { property: other, .. }) => one == other,
        _ => false,
    }
}

struct Attempt<'a> {
    subject: &'a Subject<'a>,
    answers: &'a Answers,
    copy: Option<&'a Copy<'a>>,
    /// How many answers each giver has given.
    used: BTreeMap<ValueSource, usize>,
    rest: Rest,
    random: SeededInputs,
}

impl Attempt<'_> {
    fn other_value(&mut self, request: &Request<'_>) -> u128 {
        match self.rest {
            Rest::Zeros => 0,
            Rest::Ones => u128::MAX,
            Rest::Seed(_) => self.random.next(request),
        }
    }

    /// An address like those that a compiled program could get: not null, and of no object here.
    fn other_address(&self) -> u128 {
        match self.subject.program.data_model.pointer_bits() {
            32 => 0xffff_fff0,
            _ => 0x7fff_ffff_fff0,
        }
    }
}

impl Inputs for Attempt<'_> {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        let (kind, is_choice) = Need::of_source(request.source);
        let (procedure, edge) = (request.site.procedure, request.site.edge);
        let is_allocation = request.source == Source::AllocationFails;
        let need = Need { kind, storage: request.storage, procedure, edge, is_choice, is_allocation };
        let giver = need.giver(self.subject, self.copy);
        match (&giver, request.source) {
            (ValueSource::System, _) => return 0,
            (ValueSource::Unknown, Source::Choice(number)) => {
                return self.other_value(request) % u128::from(number.max(1));
            }
            (ValueSource::Unknown, _) => return self.other_value(request),
            _ => {}
        }
        let used = self.used.entry(giver.clone()).or_default();
        let answer = self.answers.given.get(&giver).and_then(|given| given.get(*used));
        *used += 1;
        match answer {
            Some(answer) if answer.is_address(self.subject.program) => self.other_address(),
            Some(answer) => answer.bits,
            None => 0,
        }
    }
}
