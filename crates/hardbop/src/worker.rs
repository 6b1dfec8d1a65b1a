//! Running a command in a worker process, so that no fault in third-party code ends us unseen.
//!
//! A stack overflow, an abort or a lack of memory ends a process; no handler in it can be relied on.
//! [`isolate`] therefore runs the same executable with the same arguments once more, marked by an
//! environment variable. The worker does the work under limits; the parent waits, kills it when it
//! overruns them, and turns the way it ended into an [`Exit`] or a [`Crash`].
//!
//! Invariants:
//! - the worker owns standard output; the parent prints only when the worker crashed;
//! - the worker's standard error passes through the parent (`last_words`);
//! - the limits of the worker are soft first (a raised [`Budget`], from inside), hard a little later
//!   (a kill, from outside), so that work that polls its budget can still report what it knows;
//! - the worker never outlives the parent on Linux.

use std::env;
use std::fmt;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hardbop_base::{Budget, Stop};
use rustix::process::{Resource, Rlimit, Signal};
use signal_hook::consts::{SIGINT, SIGKILL, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::signal_name;

use crate::last_words::{LastWords, listen};
use crate::limits::{Limits, SecondInterrupt, Watchdog, resident_bytes};
use crate::stack::STACK_BYTES;
use crate::{Exit, Failure};

/// Set in the environment of a worker.
const WORKER_VARIABLE: &str = "HARDBOP_WORKER";

/// What it is set to there if messages end up on a terminal.
const ON_TERMINAL: &str = "on a terminal";

/// Address space a worker may reserve beyond its memory limit: its stack, the stacks of threads that BDD
/// managers start (1 GB each), the arenas of the C allocator, the executable and its libraries. Most
/// of it is never touched.
const ADDRESS_SLACK: u64 = STACK_BYTES as u64 + (4 << 30);

/// How long an interrupted worker may take to finish before it is killed.
const INTERRUPT_GRACE: Duration = Duration::from_secs(5);

/// The longest pause between two looks at the worker.
const MAX_PAUSE: Duration = Duration::from_millis(16);

/// How a worker ended when it did not end by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crash {
    /// It overran the time limit without noticing.
    TimedOut,
    /// It overran the memory limit, or an allocation failed.
    OutOfMemory,
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
    /// The crash as a failure to deal with `input`: a limit or an interrupt is UNKNOWN, anything else
    /// is the fault of the input, as far as the user can do something about it.
    pub fn blame(self, input: &Path) -> Failure {
        match self {
            Crash::TimedOut => Failure::Stopped(Stop::Time),
            Crash::Interrupted => Failure::Stopped(Stop::Interrupt),
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
    let budget = Budget::unlimited();
    if is_worker() {
        confine(limits);
        let _watchdog = Watchdog::with_second_interrupt(*limits, &budget, SecondInterrupt::Ignore);
        return work(&budget);
    }
    // Signals are caught before there is a worker that could be left behind.
    let supervisor = Supervisor::new(*limits);
    match spawn() {
        Ok(worker) => supervisor.supervise(worker).or_else(on_crash),
        Err(_) => {
            let _watchdog = Watchdog::start(*limits, &budget);
            work(&budget)
        }
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

fn spawn() -> io::Result<Child> {
    Command::new(env::current_exe()?)
        .args(env::args_os().skip(1))
        .env(WORKER_VARIABLE, if io::stderr().is_terminal() { ON_TERMINAL } else { "1" })
        .stderr(Stdio::piped())
        .spawn()
}

fn classify(status: ExitStatus, words: LastWords, interrupted: bool) -> Result<Exit, Crash> {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::from_code(code).ok_or(Crash::Code(code)),
        (None, Some(SIGINT | SIGTERM)) if interrupted => Err(Crash::Interrupted),
        (None, Some(signal)) => Err(match words {
            LastWords::None => Crash::Signal(signal),
            LastWords::StackOverflow => Crash::StackOverflow,
            LastWords::OutOfMemory => Crash::OutOfMemory,
        }),
        (None, None) => Err(Crash::Signal(SIGKILL)),
    }
}

/// The parent's side of the limits.
struct Supervisor {
    limits: Limits,
    start: Instant,
    signals: Option<Signals>,
    interrupts: usize,
    first_interrupt: Option<Instant>,
    /// Why the worker was killed, if we did it.
    killed: Option<Crash>,
}

impl Supervisor {
    fn new(limits: Limits) -> Self {
        Supervisor {
            limits,
            start: Instant::now(),
            signals: Signals::new([SIGINT, SIGTERM]).ok(),
            interrupts: 0,
            first_interrupt: None,
            killed: None,
        }
    }

    /// Waits for the worker, enforces the limits, and says how it ended.
    fn supervise(mut self, mut worker: Child) -> Result<Exit, Crash> {
        let words = worker.stderr.take().map(listen);
        let status = self.wait(&mut worker);
        self.count_interrupts();
        // A process that the worker started may hold the pipe open: do not wait for that one.
        let words = words.and_then(|words| words.recv_timeout(Duration::from_secs(1)).ok());
        match (self.killed, status) {
            (Some(killed), _) => Err(killed),
            (None, Ok(status)) => classify(status, words.unwrap_or_default(), self.interrupts > 0),
            // Nobody else waits for our children, so this does not happen; the worker is lost to us.
            (None, Err(_)) => Err(Crash::Signal(SIGKILL)),
        }
    }

    fn count_interrupts(&mut self) {
        if let Some(signals) = &mut self.signals {
            self.interrupts += signals.pending().count();
        }
    }

    fn wait(&mut self, worker: &mut Child) -> io::Result<ExitStatus> {
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(status) = worker.try_wait()? {
                return Ok(status);
            }
            self.pass_interrupts_on(worker);
            if let Some(crash) = self.verdict(worker) {
                self.killed = Some(crash);
                worker.kill()?;
                return worker.wait();
            }
            thread::sleep(pause);
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// Asks the worker to stop at the first signal. The terminal may have told it too, which is
    /// harmless: a worker does not count.
    fn pass_interrupts_on(&mut self, worker: &Child) {
        self.count_interrupts();
        if self.interrupts > 0 && self.first_interrupt.is_none() {
            self.first_interrupt = Some(Instant::now());
            let _ = rustix::process::kill_process(rustix::process::Pid::from_child(worker), Signal::TERM);
        }
    }

    /// Why the worker has to be killed now, if it has to.
    fn verdict(&self, worker: &Child) -> Option<Crash> {
        let impatient = self.interrupts > 1;
        if impatient || self.first_interrupt.is_some_and(|first| first.elapsed() > INTERRUPT_GRACE) {
            return Some(Crash::Interrupted);
        }
        if self.limits.timeout.is_some_and(|limit| self.start.elapsed() > hard_timeout(limit)) {
            return Some(Crash::TimedOut);
        }
        let memory = self.limits.memory?;
        let used = resident_bytes(worker.id())?;
        (used > hard_memory(memory)).then_some(Crash::OutOfMemory)
    }
}

/// A tenth more than asked for, but between half a second and ten.
fn hard_timeout(limit: Duration) -> Duration {
    limit.saturating_add((limit / 10).clamp(Duration::from_millis(500), Duration::from_secs(10)))
}

/// A quarter more than asked for, so that the work has room to wrap up.
fn hard_memory(limit: u64) -> u64 {
    limit.saturating_add(limit / 4)
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

    #[test]
    fn hard_limits_are_a_little_later() {
        assert_eq!(hard_timeout(Duration::from_millis(10)), Duration::from_millis(510));
        assert_eq!(hard_timeout(Duration::from_secs(60)), Duration::from_secs(66));
        assert_eq!(hard_timeout(Duration::from_secs(1000)), Duration::from_secs(1010));
        assert_eq!(hard_memory(u64::MAX), u64::MAX);
    }
}
