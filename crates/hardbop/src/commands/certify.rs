//! `hardbop certify`: checks a proof from scratch.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use hardbop_base::{Budget, Stop};
use hardbop_certify::broken::{Broken, To};
use hardbop_ir::{LocationId, Program};
use hardbop_proof::{
    Judgement, Kind, Opened, Refused, Unreadable, edge_position, judge, location_position, open,
};

use crate::frontend::{FrontEnd, Loaded, reported};
use crate::limits::Limits;
use crate::worker::{self, Crash};
use crate::{Exit, Failure, input, output, proofs};

/// The arguments of `certify`.
#[derive(Debug, Args)]
pub struct Certify {
    #[command(flatten)]
    program: FrontEnd,

    /// The proof
    #[arg(long, value_name = "FILE")]
    proof: PathBuf,

    #[command(flatten)]
    limits: Limits,
}

impl Certify {
    /// Runs the command.
    pub fn run(self) -> Result<Exit, Failure> {
        let crashed = |crash: Crash| match crash.stop() {
            Some(stop) => stopped(stop),
            None => Err(crash.blame(&self.proof)),
        };
        worker::isolate(&self.limits, crashed, |budget| match self.work(budget) {
            Err(Failure::Stopped(stop)) => stopped(stop),
            done => done,
        })
    }

    fn work(&self, budget: &Budget) -> Result<Exit, Failure> {
        let text = input::read_text(&self.proof)?;
        let Loaded { mut sources, program, about } = self.program.load_to_start()?;
        let file = sources.add(self.proof.display().to_string(), text.as_str());
        let opened = open(file, &text).map_err(|errors| reported(&sources, &errors))?;
        proofs::matches(&opened.header, &program, &about)?.map_err(|why| Failure::input(&self.proof, why))?;
        let (found, mut evidence) = match opened.evidence(&program, budget) {
            Ok(read) => read,
            Err(Unreadable::Malformed(errors)) => return Err(reported(&sources, &errors)),
            Err(Unreadable::Stopped(stop)) => return Err(Failure::Stopped(stop)),
        };
        say(&found, &opened, judge(&program, &found, &mut evidence, None, budget))
    }
}

fn say(program: &Program, opened: &Opened<'_>, judgement: Judgement) -> Result<Exit, Failure> {
    let kind = opened.header.kind;
    let (text, exit) = match judgement {
        Judgement::Accepted(work) => (format!("PROOF: ACCEPTED\n{}: {work}\n", claim(kind)), Exit::Ok),
        Judgement::Refused(refused) => (refusal(program, &refused), Exit::False),
        Judgement::Undecided(why) => {
            (format!("PROOF: UNKNOWN\nno solver decides it: {why}\n"), Exit::Unknown)
        }
        Judgement::Stopped(stop) => return stopped(stop),
    };
    output::print(text)?;
    Ok(exit)
}

fn stopped(stop: Stop) -> Result<Exit, Failure> {
    output::print(format!("PROOF: UNKNOWN\n{stop}\n"))?;
    Ok(Exit::Unknown)
}

/// What is accepted.
fn claim(kind: Kind) -> &'static str {
    match kind {
        Kind::Invariants => "TRUE by invariants",
        Kind::Backward => "TRUE by a proof that goes backwards",
        Kind::Unrolled => "TRUE, as all runs are bounded",
        Kind::Run => "FALSE by a run",
    }
}

fn refusal(program: &Program, refused: &Refused) -> String {
    let mut text = format!("PROOF: REFUSED\n{}\n", refused.why);
    if let Some(broken) = &refused.broken {
        triple(program, broken, &mut text);
    }
    text
}

/// From where to where the paths go that break a triple, and with which values.
fn triple(program: &Program, broken: &Broken, text: &mut String) {
    let &Broken { from, to: (procedure, to), .. } = broken;
    let location = |of, at: LocationId| {
        let name = &program.procedures[of].name;
        format!("L{} of `{name}` ({})", at.index(), location_position(program, of, at))
    };
    let from = from.map_or_else(|| "the start of the program".to_owned(), |(of, at)| location(of, at));
    let to = match to {
        To::Location(at) => location(procedure, at),
        To::Edge(edge) => format!("the error at {}", edge_position(program, procedure, edge)),
        To::Call(edge, callee) => {
            let callee = &program.procedures[callee].name;
            format!("the call of `{callee}` at {}", edge_position(program, procedure, edge))
        }
    };
    // Writing to a String cannot fail.
    let _ = writeln!(text, "  from {from}\n  to {to}");
    for (when, values) in [("before", &broken.before), ("after", &broken.after)] {
        for (name, value) in values {
            let is = if matches!(&value[..], "true" | "false") { "is" } else { "=" };
            let _ = writeln!(text, "  {when}: {name} {is} {value}");
        }
    }
}
