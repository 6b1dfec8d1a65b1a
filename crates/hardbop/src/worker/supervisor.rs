//! The parent's side: waits for the worker, passes on what it says, and ends it when it overruns its limits.
//!
//! All of it is one loop in one thread, which takes next to no memory: where the system grants no more threads, or
//! the worker has used up all there is, the parent still answers. It waits for the worker only, and never for
//! the reader of its messages.

use std::fs;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStderr, ChildStdout, ExitStatus};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, getpid, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGKILL, SIGTERM};
use signal_hook::iterator::Signals;

use super::drafts::Inbox;
use super::{Crash, NO_MEMORY};
use crate::crash_message::{CrashMessage, Filter};
use crate::limits::{Limits, WATCHDOG, age, catch_signals, resident_bytes};
use crate::{Exit, room};

/// How long an interrupted worker may take to finish before it is killed.
const INTERRUPT_GRACE: Duration = Duration::from_secs(1);

/// The longest pause between two looks at the worker.
const MAX_PAUSE: Duration = Duration::from_millis(16);

/// How long to try to pass on the last messages.
const LAST_MESSAGES: Duration = Duration::from_secs(1);

/// So much can be written to a pipe that takes anything, without waiting (`PIPE_BUF`).
const AT_ONCE: usize = 4096;

/// A worker whose threads wait for each other for so long will do so for ever.
const DEADLOCK_AFTER: Duration = Duration::from_secs(3);

/// How often to look whether they do.
const DEADLOCK_POLL: Duration = Duration::from_millis(500);

/// How long it takes a process that is killed to be gone, on a busy machine, and how much longer for its memory.
const LEAVING: Duration = Duration::from_millis(100);
const MAX_LEAVING: Duration = Duration::from_millis(500);
const FREED_PER_SECOND: u64 = 2 << 30;

/// How a worker ended, and what it left to be printed.
pub(super) struct Ended {
    pub(super) how: Result<Exit, Crash>,
    pub(super) inbox: Inbox,
    /// It may still be about to end.
    worker: Child,
}

impl Drop for Ended {
    /// Nobody is left behind.
    fn drop(&mut self) {
        // Neither can fail in a way that matters: it is our child, and it has ended or is killed.
        let _ = self.worker.kill();
        let _ = self.worker.wait();
    }
}

/// The parent's side of the limits.
pub(super) struct Supervisor {
    limits: Limits,
    start: Instant,
    signals: Option<Signals>,
    interrupts: usize,
    first_interrupt: Option<Instant>,
    deadlock: DeadlockWatch,
}

impl Supervisor {
    /// Time counts from the start of the process.
    pub(super) fn new(limits: Limits) -> Self {
        let now = Instant::now();
        let start = age(getpid()).and_then(|age| now.checked_sub(age)).unwrap_or(now);
        let deadlock = DeadlockWatch { since: now, looked: now, time: None };
        Supervisor { limits, start, signals: catch_signals(), interrupts: 0, first_interrupt: None, deadlock }
    }

    /// Waits for the worker, enforces the limits, and says how it ended.
    pub(super) fn supervise(mut self, mut worker: Child) -> Ended {
        let mut pipes = Pipes::of(&mut worker);
        // Nobody else waits for our children, so this does not fail; the worker would be lost to us.
        let ended = self.wait(&mut worker, &mut pipes).unwrap_or(Err(Crash::Signal(SIGKILL)));
        let how = match &pipes.inbox.last {
            Some(draft) if draft.is_final => Ok(draft.exit),
            _ => ended,
        };
        pipes.flush(LAST_MESSAGES);
        Ended { how, inbox: pipes.inbox, worker }
    }

    fn wait(&mut self, worker: &mut Child, pipes: &mut Pipes) -> io::Result<Result<Exit, Crash>> {
        loop {
            pipes.pump(self.pause());
            if pipes.inbox.last.as_ref().is_some_and(|draft| draft.is_final) {
                // It has said everything, and may take long to tidy up.
                worker.kill()?;
                pipes.drain();
                return Ok(Ok(Exit::Ok));
            }
            if let Some(status) = worker.try_wait()? {
                pipes.drain();
                self.count_interrupts();
                return Ok(classify(status, pipes.filter.words, self.interrupts > 0));
            }
            self.pass_interrupts_on(worker);
            if let Some(crash) = self.verdict(worker) {
                worker.kill()?;
                worker.wait()?;
                pipes.drain();
                // It may have said so itself and been about to end.
                let is_said =
                    crash.stop().is_some_and(|stop| pipes.filter.ends_with(&format!("hardbop: {stop}")));
                return Ok(if is_said { Ok(Exit::Unknown) } else { Err(crash) });
            }
        }
    }

    fn count_interrupts(&mut self) {
        if let Some(signals) = &mut self.signals {
            self.interrupts += signals.pending().count();
        }
    }

    /// Asks the worker to stop at the first signal. The terminal may have told it too, which is
    /// harmless: a worker does not count.
    fn pass_interrupts_on(&mut self, worker: &Child) {
        self.count_interrupts();
        if self.interrupts > 0 && self.first_interrupt.is_none() {
            self.first_interrupt = Some(Instant::now());
            let _ = kill_process(Pid::from_child(worker), Signal::TERM);
        }
    }

    /// How long the next look at the worker can wait.
    fn pause(&self) -> Duration {
        let left =
            self.limits.timeout.map(|limit| hard_timeout(limit, 0).saturating_sub(self.start.elapsed()));
        left.map_or(MAX_PAUSE, |left| left.min(MAX_PAUSE))
    }

    /// Why the worker has to be killed now, if it has to.
    fn verdict(&mut self, worker: &Child) -> Option<Crash> {
        let impatient = self.interrupts > 1;
        if impatient || self.first_interrupt.is_some_and(|first| first.elapsed() > INTERRUPT_GRACE) {
            return Some(Crash::Interrupted);
        }
        if let Some(limit) = self.limits.timeout
            && self.start.elapsed() + MAX_LEAVING >= limit
            && self.start.elapsed() >= hard_timeout(limit, resident_bytes(worker.id()).unwrap_or(0))
        {
            return Some(Crash::TimedOut);
        }
        if self.deadlock.is_endless(worker.id()) {
            // Where memory is short, a thread that got none may have left a lock behind.
            return Some(if room::limit().is_some() { Crash::OutOfMemory } else { Crash::Stuck });
        }
        let memory = self.limits.memory?;
        let used = resident_bytes(worker.id())?;
        (used > hard_memory(memory)).then_some(Crash::OutOfMemory)
    }
}

/// For how long a worker has done nothing but wait for itself.
struct DeadlockWatch {
    since: Instant,
    looked: Instant,
    /// The processor time of its threads when they were last seen to wait.
    time: Option<u64>,
}

impl DeadlockWatch {
    fn is_endless(&mut self, process: u32) -> bool {
        if self.looked.elapsed() < DEADLOCK_POLL {
            return false;
        }
        self.looked = Instant::now();
        let time = waits_for_itself(process);
        if time.is_none() || time != self.time {
            self.since = self.looked;
        }
        self.time = time;
        self.since.elapsed() >= DEADLOCK_AFTER
    }
}

/// If all threads of a process wait for each other, but for the watchdog, which only looks around: the time that
/// they have used so far. `None` also where the system does not tell.
fn waits_for_itself(process: u32) -> Option<u64> {
    let mut time = 0;
    for thread in fs::read_dir(format!("/proc/{process}/task")).ok()? {
        let folder = thread.ok()?.path();
        let stat = fs::read_to_string(folder.join("stat")).ok()?;
        let (name, rest) = stat.rsplit_once(')')?;
        if name.ends_with(WATCHDOG) {
            continue;
        }
        if !fs::read_to_string(folder.join("wchan")).ok()?.starts_with("futex") {
            return None;
        }
        let number = |n: usize| rest.split_whitespace().nth(n).and_then(|field| field.parse::<u64>().ok());
        time += number(11)? + number(12)?;
    }
    Some(time)
}

/// When to begin to end, so that all is over at the limit: a sixtieth of the time is for finishing.
pub(super) fn soft_timeout(limit: Duration) -> Duration {
    hard_timeout(limit, 0).saturating_sub((limit / 60).min(Duration::from_secs(2)))
}

/// When a worker that uses so many bytes is killed: it must be gone at the limit.
fn hard_timeout(limit: Duration, resident: u64) -> Duration {
    let freeing = Duration::from_secs_f64(resident as f64 / FREED_PER_SECOND as f64);
    limit.saturating_sub((LEAVING + freeing).min(MAX_LEAVING).min(limit / 10))
}

/// A quarter more than asked for, so that the work has room to wrap up.
fn hard_memory(limit: u64) -> u64 {
    limit.saturating_add(limit / 4)
}

fn classify(status: ExitStatus, words: CrashMessage, interrupted: bool) -> Result<Exit, Crash> {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) if code == i32::from(NO_MEMORY) => Err(Crash::OutOfMemory),
        (Some(code), _) => Exit::from_code(code).ok_or(Crash::Code(code)),
        (None, Some(SIGINT | SIGTERM | SIGHUP)) if interrupted => Err(Crash::Interrupted),
        (None, Some(signal)) => Err(match words {
            CrashMessage::None => Crash::Signal(signal),
            CrashMessage::StackOverflow => Crash::StackOverflow,
            CrashMessage::OutOfMemory => Crash::OutOfMemory,
        }),
        (None, None) => Err(Crash::Signal(SIGKILL)),
    }
}

/// What the worker says.
struct Pipes {
    stderr: Option<ChildStderr>,
    stdout: Option<ChildStdout>,
    /// Holds what is to be passed on to our standard error.
    filter: Filter<Vec<u8>>,
    inbox: Inbox,
}

impl Pipes {
    fn of(worker: &mut Child) -> Self {
        let (stderr, stdout) = (worker.stderr.take(), worker.stdout.take());
        // Where this is not to be had, we wait for the worker where we could do without.
        let _ = stderr.as_ref().map(|pipe| rustix::io::ioctl_fionbio(pipe, true));
        let _ = stdout.as_ref().map(|pipe| rustix::io::ioctl_fionbio(pipe, true));
        Pipes { stderr, stdout, filter: Filter::new(Vec::new()), inbox: Inbox::default() }
    }

    /// Waits until something is to be done, but no longer than `pause`, and does it.
    fn pump(&mut self, pause: Duration) {
        let own = io::stderr();
        let mut waiting = Vec::with_capacity(2);
        waiting.extend(self.stdout.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        if !self.filter.to.is_empty() {
            waiting.push(PollFd::new(&own, PollFlags::OUT));
        } else {
            waiting.extend(self.stderr.as_ref().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        }
        wait_for(&mut waiting, pause);
        drop(waiting);
        self.pass_on();
        if self.filter.to.is_empty() {
            read(&mut self.stderr, AT_ONCE, |bytes| self.filter.take(bytes));
        }
        read(&mut self.stdout, usize::MAX, |bytes| self.inbox.take(bytes));
        self.pass_on();
    }

    /// Reads what is left of a worker that has ended. A process that it started may hold the pipes open, so this does
    /// not wait for their end.
    fn drain(&mut self) {
        read(&mut self.stderr, usize::MAX, |bytes| self.filter.take(bytes));
        read(&mut self.stdout, usize::MAX, |bytes| self.inbox.take(bytes));
        self.filter.finish();
        self.inbox.finish();
    }

    /// Passes on as much as is taken at once.
    fn pass_on(&mut self) {
        let mut own = io::stderr();
        while !self.filter.to.is_empty() && takes(own.as_fd(), Duration::ZERO) {
            let count = self.filter.to.len().min(AT_ONCE);
            let written = own.write(&self.filter.to[..count]);
            // If our standard error was closed, the worker must not be held up.
            let count = written.unwrap_or(self.filter.to.len());
            self.filter.to.drain(..count);
        }
    }

    fn flush(&mut self, patience: Duration) {
        let start = Instant::now();
        while !self.filter.to.is_empty() && start.elapsed() < patience {
            takes(io::stderr().as_fd(), MAX_PAUSE);
            self.pass_on();
        }
    }
}

/// Whether something can be written there now, or before long.
fn takes(file: std::os::fd::BorrowedFd<'_>, pause: Duration) -> bool {
    wait_for(&mut [PollFd::new(&file, PollFlags::OUT)], pause)
}

/// Whether something happens before long.
fn wait_for(files: &mut [PollFd<'_>], pause: Duration) -> bool {
    let pause = Timespec { tv_sec: pause.as_secs() as i64, tv_nsec: i64::from(pause.subsec_nanos()) };
    // A wait that a signal ends is over.
    poll(files, Some(&pause)).is_ok_and(|count| count > 0)
}

/// Reads what is there, up to about so many bytes; at the end the pipe is closed.
fn read(pipe: &mut Option<impl Read>, most: usize, mut take: impl FnMut(&[u8])) {
    let mut buffer = [0; AT_ONCE];
    let mut total = 0;
    while let Some(from) = pipe
        && total < most
    {
        match from.read(&mut buffer) {
            Ok(count) if count > 0 => {
                take(&buffer[..count]);
                total += count;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Ok(_) | Err(_) => *pipe = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_begins_a_little_before_the_limit() {
        let [second, half_minute, hour] = [1, 30, 3600].map(Duration::from_secs);
        assert_eq!(soft_timeout(half_minute), Duration::from_millis(29_400));
        assert_eq!(hard_timeout(half_minute, 0), Duration::from_millis(29_900));
        assert_eq!(hard_timeout(half_minute, 1 << 40), Duration::from_millis(29_500));
        assert_eq!(hard_timeout(second, 1 << 40), Duration::from_millis(900));
        assert_eq!(hour - soft_timeout(hour), Duration::from_millis(2100));
        assert_eq!(hard_memory(u64::MAX), u64::MAX);
    }
}
