//! Running a command in a worker process, so that no fault in third-party code ends us unseen.
//!
//! A stack overflow, an abort or a lack of memory ends a process; no handler in it can be relied on.
//! [`isolate`] therefore runs the same executable with the same arguments once more, marked by an
//! environment variable. The worker does the work under limits; the parent waits, kills it when it
//! overruns them, and turns the way it ended into an [`Exit`] or a [`Crash`].
//!
//! Invariants:
//! - the worker owns standard output, and the parent prints only when the worker crashed; but where the result is a
//!   report ([`isolate_report`]), the worker hands drafts of it to the parent (`drafts`), which prints the last one;
//! - the worker's standard error passes through the parent (`crash_message`);
//! - the limits of the worker are soft first (a raised [`Budget`], from inside), hard a little later
//!   (a kill, from outside), so that work that polls its budget can still report what it knows; at the time limit
//!   everything is over (`supervisor`);
//! - the worker never outlives the parent on Linux.

mod drafts;
mod supervisor;

use std::env;
use std::fmt;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use hardbop_base::{Budget, Stop};
use rustix::process::{Resource, Rlimit, Signal, getppid};
use signal_hook::consts::SIGKILL;
use signal_hook::low_level::signal_name;

pub use drafts::Drafts;
use supervisor::{Ended, Supervisor, soft_timeout};

use crate::limits::{Limits, SecondInterrupt, Watchdog, age, now};
use crate::stack::STACK_BYTES;
use crate::{Exit, Failure, output, room};

/// Set in the environment of a worker.
const WORKER_VARIABLE: &str = "HARDBOP_WORKER";

/// What it is set to there if messages end up on a terminal.
const ON_TERMINAL: &str = "on a terminal";

/// Address space a worker may reserve beyond its memory limit: its stack, the stacks of threads that BDD
/// managers start (1 GB each), the arenas of the C allocator, the executable and its libraries. Most
/// of it is never touched.
const ADDRESS_SLACK: u64 = STACK_BYTES as u64 + (4 << 30);

/// By this code a worker tells its parent that it has no memory left (`EX_OSERR`); it is not visible outside.
pub(crate) const NO_MEMORY: u8 = 71;

/// How a worker ended when it did not end by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crash {
    /// It overran the time limit without noticing.
    TimedOut,
    /// It overran the memory limit, or an allocation failed.
    OutOfMemory,
    /// It was not started, for there is no room in an address space of so many bytes.
    NoRoom(u64),
    /// Its threads wait for each other.
    Stuck,
    /// It recursed too deeply.
    StackOverflow,
    /// The user interrupted and it did not stop.
    Interrupted,
    /// A signal ended it.
    Signal(i32),
    /// It ended with a code that is not one of ours.
    Code(i32),
}

impl Crash {
    /// Why there is no result, unless the input or a defect is to blame.
    pub fn stop(self) -> Option<Stop> {
        match self {
            Crash::TimedOut => Some(Stop::Time),
            // Only the system kills without a word, when it has no memory left.
            Crash::OutOfMemory | Crash::NoRoom(_) | Crash::Signal(SIGKILL) => Some(Stop::Memory),
            Crash::Interrupted => Some(Stop::Interrupt),
            Crash::Stuck | Crash::StackOverflow | Crash::Signal(_) | Crash::Code(_) => None,
        }
    }

    /// The crash as a failure to deal with `input`: a limit or an interrupt is UNKNOWN, anything else
    /// is the fault of the input, as far as the user can do something about it.
    pub fn blame(self, input: &Path) -> Failure {
        match self {
            Crash::TimedOut => Failure::Stopped(Stop::Time),
            Crash::Interrupted => Failure::Stopped(Stop::Interrupt),
            Crash::NoRoom(_) => Failure::Stopped(Stop::Memory),
            Crash::Stuck => Failure::Defect(format!("the worker process {self}")),
            Crash::StackOverflow => Failure::input(input, "nested too deeply to be processed"),
            Crash::OutOfMemory => Failure::input(input, "needs more memory than there is to be processed"),
            Crash::Signal(_) | Crash::Code(_) => {
                Failure::input(input, format!("cannot be processed: the worker process {self}"))
            }
        }
    }
}

impl fmt::Display for Crash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Crash::TimedOut => f.write_str("reached the time limit"),
            Crash::OutOfMemory => f.write_str("ran out of memory"),
            Crash::NoRoom(limit) => {
                let (limit, least) = (limit >> 10, room::LEAST >> 10);
                write!(f, "needs an address space of {least} KiB, and {limit} are allowed (ulimit -v)")
            }
            Crash::Stuck => f.write_str("waits for itself"),
            Crash::StackOverflow => f.write_str("overflowed its stack"),
            Crash::Interrupted => f.write_str("was interrupted"),
            Crash::Signal(SIGKILL) => f.write_str("was killed by the system, probably for lack of memory"),
            Crash::Signal(signal) => {
                write!(f, "crashed (signal {signal}, {})", signal_name(signal).unwrap_or("unknown"))
            }
            Crash::Code(code) => write!(f, "ended with the unexpected code {code}"),
        }
    }
}

/// Runs `work` in a worker process under `limits`; `on_crash` decides what a crash of it means.
///
/// In the parent this returns what the worker returned to the system. In the worker, which is the
/// same program with the same arguments, it runs `work`. Nothing with a visible effect, such as reading
/// standard input, may therefore happen before it is called. Where no process can be started, the work is done in this one.
pub fn isolate(
    limits: &Limits,
    on_crash: impl FnOnce(Crash) -> Result<Exit, Failure>,
    work: impl FnOnce(&Budget) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    isolated(limits, Stdio::inherit(), on_crash, work)
}

/// Like [`isolate`], for work whose result is a report, handed over as drafts. What the parent says when
/// the worker crashed counts only if no draft has arrived.
pub fn isolate_report(
    limits: &Limits,
    on_crash: impl FnOnce(Crash) -> Result<Exit, Failure>,
    work: impl FnOnce(&Budget, &Drafts) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let are_sent = is_worker();
    isolated(limits, Stdio::piped(), on_crash, |budget| work(budget, &Drafts { are_sent }))
}

fn isolated(
    limits: &Limits,
    stdout: Stdio,
    on_crash: impl FnOnce(Crash) -> Result<Exit, Failure>,
    work: impl FnOnce(&Budget) -> Result<Exit, Failure>,
) -> Result<Exit, Failure> {
    let budget = Budget::unlimited().with_stacks(room::stack_limit()).with_clock(now);
    if is_worker() {
        confine(limits);
        // The clock runs since our parent was started.
        let spent = getppid().and_then(age).unwrap_or_default();
        let left = limits.timeout.map(|limit| soft_timeout(limit).saturating_sub(spent));
        let end = left.and_then(|left| Instant::now().checked_add(left));
        let _watchdog = Watchdog::with_second_interrupt(*limits, end, &budget, SecondInterrupt::Ignore);
        return work(&budget);
    }
    if let Some(limit) = room::limit()
        && limit < room::LEAST
    {
        output::complain(&format_args!("the worker process {}", Crash::NoRoom(limit)));
        return on_crash(Crash::NoRoom(limit));
    }
    // Signals are caught before there is a worker that could be left behind.
    let supervisor = Supervisor::new(*limits);
    match spawn(stdout) {
        Ok(worker) => conclude(supervisor.supervise(worker), on_crash),
        Err(error) if error.kind() == io::ErrorKind::OutOfMemory => on_crash(Crash::OutOfMemory),
        Err(_) => {
            let _watchdog = Watchdog::start(*limits, &budget);
            work(&budget)
        }
    }
}

/// Prints what the worker has handed over, and says how it ended.
fn conclude(ended: Ended, on_crash: impl FnOnce(Crash) -> Result<Exit, Failure>) -> Result<Exit, Failure> {
    output::print(&ended.inbox.plain)?;
    match (&ended.inbox.last, ended.how) {
        (Some(draft), Ok(exit)) if draft.is_final => {
            output::print(&draft.text)?;
            Ok(exit)
        }
        // A worker that failed has said why, and what it handed over before does not count.
        (_, Ok(exit)) => Ok(exit),
        (last, Err(crash)) => match (last, crash.stop()) {
            (Some(draft), Some(stop)) => {
                output::complain(&format_args!("{stop}: the report is not complete"));
                output::print(&draft.text)?;
                Ok(draft.exit)
            }
            _ => on_crash(crash),
        },
    }
}

/// Whether this process is a worker.
pub fn is_worker() -> bool {
    env::var_os(WORKER_VARIABLE).is_some()
}

/// Whether standard error is a terminal, seen through the pipe between a worker and its parent.
pub fn on_terminal() -> bool {
    match env::var_os(WORKER_VARIABLE) {
        Some(value) => value == ON_TERMINAL,
        None => io::stderr().is_terminal(),
    }
}

/// Lowers the limits of this process to those of a worker.
///
/// A limit that cannot be set is one the parent still enforces, so failures do not matter here.
fn confine(limits: &Limits) {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    lower_limit(Resource::Core, 0);
    if let Some(memory) = limits.memory {
        lower_limit(Resource::As, memory.saturating_add(ADDRESS_SLACK));
    }
}

fn lower_limit(resource: Resource, limit: u64) {
    let maximum = rustix::process::getrlimit(resource).maximum;
    let limit = maximum.map_or(limit, |maximum| limit.min(maximum));
    let _ = rustix::process::setrlimit(resource, Rlimit { current: Some(limit), maximum });
}

fn spawn(stdout: Stdio) -> io::Result<Child> {
    Command::new(env::current_exe()?)
        .args(env::args_os().skip(1))
        .envs(room::variables())
        .stdout(stdout)
        .env(WORKER_VARIABLE, if io::stderr().is_terminal() { ON_TERMINAL } else { "1" })
        .stderr(Stdio::piped())
        .spawn()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crashes_are_blamed() {
        let file = Path::new("a.c");
        assert_eq!(Crash::StackOverflow.blame(file).exit(), Exit::BadInput);
        assert_eq!(Crash::OutOfMemory.blame(file).exit(), Exit::BadInput);
        assert_eq!(Crash::TimedOut.blame(file).exit(), Exit::Unknown);
        let message = "a.c: cannot be processed: the worker process crashed (signal 11, SIGSEGV)";
        assert_eq!(Crash::Signal(11).blame(file).to_string(), message);
    }
}
