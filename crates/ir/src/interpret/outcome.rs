//! How a run ends, and what it leaves behind.
//!
//! Every way to end is its own [`Outcome`], so that a caller can tell a broken property from an
//! undefined operation, and both from a limit. Outcomes are self-contained (names are copied), so
//! that they can be shown without the interpreter; [`Outcome::describe`] adds the source position.

use std::fmt;

use hardbop_base::{Span, Stop};

use super::inputs::Draw;
use crate::{Arbitrary, EdgeId, LocationId, ProcId, Program, Property, Undefined};

/// The step during which something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Site {
    /// The procedure.
    pub procedure: ProcId,
    /// Its edge.
    pub edge: EdgeId,
    /// The source text of the edge.
    pub span: Span,
}

/// What one run did.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// How many edges were taken.
    pub steps: u64,
    /// Every arbitrary value in the order drawn. A [`ListInputs`](super::ListInputs) made of them
    /// replays the run exactly.
    pub draws: Vec<Draw>,
    /// What the draws' numbers of [`Arbitrary`] kinds stand for.
    pub kinds: Vec<Arbitrary>,
    /// What was printed and not given to a sink: at most [`Limits::output`](super::Limits::output)
    /// bytes.
    pub output: Vec<u8>,
}

impl Run {
    /// Why a drawn value was arbitrary, if it is one of the program's.
    pub fn kind(&self, draw: &Draw) -> Option<&Arbitrary> {
        match draw.source {
            super::DrawSource::Value(number) => self.kinds.get(number as usize),
            _ => None,
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// The entry procedure returned this status; 0 if it has no result.
    Returned(i128),
    /// The program exited with this status.
    Exited(i128),
    /// The program aborted itself.
    Aborted(Site),
    /// Control reached a point that the source promises is never reached.
    Unreachable(Site),
    /// A property was broken.
    Error {
        /// Which one.
        property: Property,
        /// Where.
        site: Site,
    },
    /// No edge could be taken: an assumption failed.
    Blocked {
        /// The procedure.
        procedure: ProcId,
        /// Where control stood.
        location: LocationId,
        /// The source text of an edge that did not pass, if there is one.
        span: Span,
    },
    /// An access through the null pointer, or a small offset from it.
    NullDereference(Box<Access>),
    /// An access outside of the object that its address is nearest to.
    OutOfBounds(Box<Access>),
    /// An access to a heap object that was freed.
    UseAfterFree(Box<Access>),
    /// An access to a variable, or memory on the stack, whose activation has ended.
    UseAfterScope(Box<Access>),
    /// An access far from every object.
    InvalidAccess(Box<Access>),
    /// Freeing what is not (or no longer) the start of a heap object.
    InvalidFree(Box<Access>),
    /// An operation without a result.
    Undefined {
        /// Which one.
        what: Undefined,
        /// Where.
        site: Site,
    },
    /// A call through a pointer to what is no procedure.
    BadCall {
        /// The address called.
        address: u64,
        /// Where.
        site: Site,
    },
    /// Something without a meaning in the interpreter.
    Unsupported {
        /// What.
        reason: String,
        /// Where; nothing if the program could not be started.
        site: Option<Site>,
    },
    /// More activations than [`Limits::depth`](super::Limits::depth), or no memory for one more.
    StackOverflow(Site),
    /// [`Limits::steps`](super::Limits::steps) were taken.
    StepLimit,
    /// [`Limits::draws`](super::Limits::draws) values were drawn.
    DrawLimit,
    /// The live objects do not fit [`Limits::memory`](super::Limits::memory) or the address space.
    OutOfMemory {
        /// The bytes asked for last.
        size: u64,
        /// Where; nothing if the globals did not fit.
        site: Option<Site>,
    },
    /// The budget ran out.
    Stopped(Stop),
}

/// An access to memory that is not allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    /// The first byte.
    pub address: u64,
    /// How many bytes; 0 for [`Outcome::InvalidFree`].
    pub size: u64,
    /// Whether they were to be written.
    pub write: bool,
    /// The object that the address lies in or is nearest to.
    pub near: Option<Nearby>,
    /// Where.
    pub site: Site,
}

/// An object near an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nearby {
    /// What it is: a variable's name, or how it was allocated.
    pub name: String,
    /// Its first byte.
    pub base: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it is alive.
    pub live: bool,
}

impl Outcome {
    /// A short name for the way the run ended, the same for all runs that end so.
    pub fn name(&self) -> &'static str {
        match self {
            Outcome::Returned(_) => "returned",
            Outcome::Exited(_) => "exited",
            Outcome::Aborted(_) => "aborted",
            Outcome::Unreachable(_) => "unreachable",
            Outcome::Error { .. } => "error",
            Outcome::Blocked { .. } => "blocked",
            Outcome::NullDereference(_) => "null-dereference",
            Outcome::OutOfBounds(_) => "out-of-bounds",
            Outcome::UseAfterFree(_) => "use-after-free",
            Outcome::UseAfterScope(_) => "use-after-scope",
            Outcome::InvalidAccess(_) => "invalid-access",
            Outcome::InvalidFree(_) => "invalid-free",
            Outcome::Undefined { what, .. } => match what {
                Undefined::DivisionByZero => "division-by-zero",
                Undefined::DivisionOverflow => "division-overflow",
                Undefined::ShiftOutOfRange => "shift-out-of-range",
                Undefined::FloatConversion => "float-conversion",
            },
            Outcome::BadCall { .. } => "bad-call",
            Outcome::Unsupported { .. } => "unsupported",
            Outcome::StackOverflow(_) => "stack-overflow",
            Outcome::StepLimit => "step-limit",
            Outcome::DrawLimit => "draw-limit",
            Outcome::OutOfMemory { .. } => "out-of-memory",
            Outcome::Stopped(_) => "stopped",
        }
    }

    /// Where the run ended, if that is a step of the program.
    pub fn site(&self) -> Option<Site> {
        match self {
            Outcome::Aborted(site)
            | Outcome::Unreachable(site)
            | Outcome::StackOverflow(site)
            | Outcome::Error { site, .. }
            | Outcome::Undefined { site, .. }
            | Outcome::BadCall { site, .. } => Some(*site),
            Outcome::Unsupported { site, .. } | Outcome::OutOfMemory { site, .. } => *site,
            _ => self.access().map(|access| access.site),
        }
    }

    /// The access that was not allowed, if that ended the run.
    pub fn access(&self) -> Option<&Access> {
        match self {
            Outcome::NullDereference(access)
            | Outcome::OutOfBounds(access)
            | Outcome::UseAfterFree(access)
            | Outcome::UseAfterScope(access)
            | Outcome::InvalidAccess(access)
            | Outcome::InvalidFree(access) => Some(access),
            _ => None,
        }
    }

    /// The outcome in words, with the place in the source.
    pub fn describe(&self, program: &Program) -> String {
        let (span, procedure) = match (self, self.site()) {
            (_, Some(site)) => (site.span, Some(site.procedure)),
            (&Outcome::Blocked { span, procedure, .. }, None) => (span, Some(procedure)),
            _ => (Span::none(), None),
        };
        let mut text = self.to_string();
        if let Some(procedure) = procedure.and_then(|id| program.procedures.get(id)) {
            text += &format!(" in {}", procedure.name);
        }
        if !span.is_none()
            && let Some(file) = program.files.get(span.file)
        {
            let (name, line) = file.lines.lookup(span.line).unwrap_or((&file.name, span.line));
            text += &format!(" at {name}:{line}:{}", span.column);
        }
        text
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Returned(status) => write!(f, "returned {status}"),
            Outcome::Exited(status) => write!(f, "exited with status {status}"),
            Outcome::Aborted(_) => f.write_str("aborted"),
            Outcome::Unreachable(_) => f.write_str("reached a point that is declared unreachable"),
            Outcome::Error { property, .. } => write_property(f, property),
            Outcome::Blocked { .. } => f.write_str("no way on: an assumption does not hold"),
            Outcome::NullDereference(access) => write!(f, "null pointer dereference: {access}"),
            Outcome::OutOfBounds(access) => write!(f, "out-of-bounds access: {access}"),
            Outcome::UseAfterFree(access) => write!(f, "use after free: {access}"),
            Outcome::UseAfterScope(access) => write!(f, "use after the end of life: {access}"),
            Outcome::InvalidAccess(access) => write!(f, "invalid access: {access}"),
            Outcome::InvalidFree(access) => {
                write!(f, "invalid free of {:#x}", access.address)?;
                write_near(f, access)
            }
            Outcome::Undefined { what, .. } => write!(f, "undefined: {what}"),
            Outcome::BadCall { address, .. } => {
                write!(f, "call of {address:#x}, which is not a function")
            }
            Outcome::Unsupported { reason, .. } => write!(f, "unsupported: {reason}"),
            Outcome::StackOverflow(_) => f.write_str("stack overflow"),
            Outcome::StepLimit => f.write_str("step limit reached"),
            Outcome::DrawLimit => f.write_str("limit of arbitrary values reached"),
            Outcome::OutOfMemory { size, .. } => write!(f, "out of memory: no room for {size} bytes"),
            Outcome::Stopped(stop) => write!(f, "stopped: {stop}"),
        }
    }
}

fn write_property(f: &mut fmt::Formatter<'_>, property: &Property) -> fmt::Result {
    match property {
        Property::ErrorFunction(name) => write!(f, "error: {name} was called"),
        Property::Assertion(text) => write!(f, "error: assertion failed: {text}"),
        Property::ErrorLabel(label) => write!(f, "error: label {label} was reached"),
    }
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = if self.write { "write" } else { "read" };
        let plural = if self.size == 1 { "" } else { "s" };
        write!(f, "{verb} of {} byte{plural} at {:#x}", self.size, self.address)?;
        write_near(f, self)
    }
}

fn write_near(f: &mut fmt::Formatter<'_>, access: &Access) -> fmt::Result {
    let Some(near) = &access.near else { return Ok(()) };
    let after = access.address.wrapping_sub(near.base);
    let state = if near.live { "" } else { "dead " };
    match access.address.checked_sub(near.base) {
        Some(0) => write!(f, ", the start of")?,
        Some(_) if after < near.size => write!(f, ", byte {after} of")?,
        Some(_) => write!(f, ", {} bytes behind the end of", after - near.size)?,
        None => write!(f, ", {} bytes before", near.base - access.address)?,
    }
    write!(f, " {state}{} ({} bytes)", near.name, near.size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Id;

    #[test]
    fn accesses_read_well() {
        let site = Site { procedure: Id::from_usize(0), edge: Id::from_usize(0), span: Span::none() };
        let near = Nearby { name: "a".into(), base: 0x1000, size: 40, live: true };
        let access = Access { address: 0x1028, size: 4, write: true, near: Some(near), site };
        assert_eq!(
            Outcome::OutOfBounds(Box::new(access.clone())).to_string(),
            "out-of-bounds access: write of 4 bytes at 0x1028, 0 bytes behind the end of a (40 bytes)"
        );
        let before = Access { address: 0xffc, write: false, size: 1, ..access };
        assert_eq!(before.to_string(), "read of 1 byte at 0xffc, 4 bytes before a (40 bytes)");
    }
}
