//! Limits of time and memory, and the user's interrupt, as a raised [`Budget`].
//!
//! Engines poll the budget and never look at a clock; a [`Watchdog`] thread looks for them. It raises
//! the budget but forces nothing: code that does not poll is stopped by the parent process, see
//! [`crate::worker`].

use std::fs;
use std::process;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hardbop_base::{Budget, Stop};
use rustix::process::Pid;
use rustix::time::{ClockId, clock_gettime};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::Exit;

/// How often the watchdog looks.
const TICK: Duration = Duration::from_millis(20);

/// The name of the thread that looks.
pub(crate) const WATCHDOG: &str = "watchdog";

/// The options that limit a command; flatten them into its arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::Args)]
pub struct Limits {
    /// Stop after this much wall-clock time: 60, 60s, 500ms, 2m, 1h
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub timeout: Option<Duration>,

    /// Stop when this much memory is in use: 2G, 512M, or a number of bytes
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub memory: Option<u64>,
}

/// What a second interrupt means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecondInterrupt {
    /// The user is impatient: end at once.
    Exit,
    /// The parent process decides when to end us; it may repeat a signal the terminal sent already.
    Ignore,
}

/// A thread that raises a budget when a limit is reached or a signal arrives, until it is dropped.
///
/// Keep one per process: SIGINT, SIGTERM and SIGHUP stay caught even after it is dropped.
#[derive(Debug)]
pub struct Watchdog {
    /// Dropping it ends the thread.
    alive: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Starts the clock now. Where threads or signals are not to be had, that watch is not kept.
    pub fn start(limits: Limits, budget: &Budget) -> Self {
        let end = limits.timeout.and_then(|limit| Instant::now().checked_add(limit));
        Watchdog::with_second_interrupt(limits, end, budget, SecondInterrupt::Exit)
    }

    /// Time is up at `end`, whatever the limits say.
    pub(crate) fn with_second_interrupt(
        limits: Limits,
        end: Option<Instant>,
        budget: &Budget,
        second: SecondInterrupt,
    ) -> Self {
        let (alive, ended) = mpsc::channel::<()>();
        let (budget, signals) = (budget.clone(), catch_signals());
        let mut watch = Watch { memory: limits.memory, end, budget, second, signals, interrupts: 0 };
        let thread = thread::Builder::new().name(WATCHDOG.to_owned()).spawn(move || {
            while ended.recv_timeout(watch.pause()) == Err(RecvTimeoutError::Timeout) {
                watch.look();
            }
        });
        Watchdog { alive: Some(alive), thread: thread.ok() }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.alive.take());
        if let Some(thread) = self.thread.take() {
            // It cannot panic, and if it did there is nothing more to watch.
            let _ = thread.join();
        }
    }
}

struct Watch {
    memory: Option<u64>,
    end: Option<Instant>,
    budget: Budget,
    second: SecondInterrupt,
    signals: Option<Signals>,
    interrupts: usize,
}

impl Watch {
    /// How long the next look at the limits can wait.
    fn pause(&self) -> Duration {
        let left = |end: Instant| end.saturating_duration_since(Instant::now());
        let left = self.end.map(left).filter(|left| !left.is_zero());
        left.map_or(TICK, |left| left.min(TICK))
    }

    fn look(&mut self) {
        if let Some(signals) = &mut self.signals {
            self.interrupts += signals.pending().count();
        }
        if self.interrupts > 0 {
            self.budget.stop(Stop::Interrupt);
        }
        if self.interrupts > 1 && self.second == SecondInterrupt::Exit {
            process::exit(i32::from(Exit::Unknown.code()));
        }
        if self.end.is_some_and(|end| Instant::now() >= end) {
            self.budget.stop(Stop::Time);
        }
        if let Some(limit) = self.memory
            && resident_bytes(process::id()).is_some_and(|used| used >= limit)
        {
            self.budget.stop(Stop::Memory);
        }
    }
}

/// Catches the signals by which a process is asked to end; nothing where that is not to be had.
///
/// Who starts us under `nohup` wants us to ignore SIGHUP, and so we do.
pub(crate) fn catch_signals() -> Option<Signals> {
    let hangup = (!is_ignored(SIGHUP)).then_some(SIGHUP);
    Signals::new([SIGINT, SIGTERM].into_iter().chain(hangup)).ok()
}

fn is_ignored(signal: i32) -> bool {
    let mask = status_line("SigIgn:").and_then(|mask| u64::from_str_radix(&mask, 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// How long ago a process was started, to a hundredth of a second; `None` where the system has no `/proc`.
pub(crate) fn age(process: Pid) -> Option<Duration> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero())).ok()?;
    // The second field is a name in parentheses, with anything in it; the time of the start is the 22nd.
    let start: u64 = stat.rsplit(')').next()?.split_whitespace().nth(19)?.parse().ok()?;
    let start = Duration::from_secs_f64(start as f64 / rustix::param::clock_ticks_per_second().max(1) as f64);
    Duration::try_from(clock_gettime(ClockId::Boottime)).ok()?.checked_sub(start)
}

/// The physical memory a process uses; `None` where the system has no `/proc`.
pub fn resident_bytes(process: u32) -> Option<u64> {
    let statm = fs::read_to_string(format!("/proc/{process}/statm")).ok()?;
    let pages: u64 = statm.split(' ').nth(1)?.parse().ok()?;
    pages.checked_mul(rustix::param::page_size() as u64)
}

/// The most physical memory that this process has used, in bytes, where the system tells.
pub fn peak_memory() -> Option<u64> {
    status_bytes("VmHWM:")
}

/// The most address space that this process has had, in bytes, where the system tells.
pub(crate) fn peak_address_space() -> Option<u64> {
    status_bytes("VmPeak:")
}

fn status_bytes(name: &str) -> Option<u64> {
    let line = status_line(name)?;
    line.strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// What the system says about this process under a name.
fn status_line(name: &str) -> Option<String> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| line.strip_prefix(name)).map(|value| value.trim().to_owned())
}

/// The time that processors have spent on this process: what it would take on an idle machine, as long
/// as one thread does the work.
pub fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Parses a positive time: a whole number with one of the units `ms`, `s` (default), `m`, `h`.
pub fn parse_time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split_unit(text)?;
    let millis = match unit {
        "ms" => 1,
        "" | "s" => 1000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => return Err(format!("unknown unit `{unit}`: use ms, s, m or h")),
    };
    number.checked_mul(millis).map(Duration::from_millis).ok_or_else(|| "too long".to_owned())
}

/// Parses a positive size: a whole number of bytes, or of `K`, `M`, `G`, `T` (powers of 1024).
pub fn parse_size(text: &str) -> Result<u64, String> {
    let (number, unit) = split_unit(text)?;
    let lower = unit.to_ascii_lowercase();
    let shift = match lower.strip_suffix("ib").or(lower.strip_suffix('b')).unwrap_or(&lower) {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(format!("unknown unit `{unit}`: use K, M, G or T")),
    };
    number.checked_mul(1 << shift).ok_or_else(|| "too large".to_owned())
}

fn split_unit(text: &str) -> Result<(u64, &str), String> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    match number.parse() {
        Ok(0) => Err("must be more than zero".to_owned()),
        Ok(number) => Ok((number, unit.trim_start())),
        Err(_) if number.is_empty() => Err("expected a whole number".to_owned()),
        Err(_) => Err("number too large".to_owned()),
    }
}

/// The time, from some moment on.
pub fn now() -> Duration {
    Duration::try_from(clock_gettime(ClockId::Monotonic)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        let millis = |text| parse_time(text).map(|time| time.as_millis());
        assert_eq!(millis("60"), Ok(60_000));
        assert_eq!(millis("60s"), Ok(60_000));
        assert_eq!(millis("2m"), Ok(120_000));
        assert_eq!(millis("1 h"), Ok(3_600_000));
        assert_eq!(millis("500ms"), Ok(500));
        for bad in ["", "s", "0", "-1", "1.5", "1d", "99999999999999999999", "18446744073709551615h"] {
            assert!(parse_time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(parse_size("4096"), Ok(4096));
        assert_eq!(parse_size("2G"), Ok(2 << 30));
        assert_eq!(parse_size("512M"), Ok(512 << 20));
        assert_eq!(parse_size("512 MiB"), Ok(512 << 20));
        assert_eq!(parse_size("3kb"), Ok(3 << 10));
        for bad in ["", "G", "0M", "1X", "2GG", "99999999999T"] {
            assert!(parse_size(bad).is_err(), "{bad}");
        }
    }

    /// Runs a watchdog under `limits` and waits for the reason it gives.
    fn reason(limits: Limits) -> Stop {
        let budget = Budget::unlimited();
        let _watchdog = Watchdog::start(limits, &budget);
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(20) {
            if let Err(stop) = budget.check() {
                return stop;
            }
            thread::sleep(Duration::from_millis(1));
        }
        panic!("the watchdog never woke up");
    }

    #[test]
    fn raises_the_budget() {
        let timeout = Some(Duration::from_millis(30));
        assert_eq!(reason(Limits { timeout, memory: None }), Stop::Time);
        if resident_bytes(process::id()).is_some() {
            assert_eq!(reason(Limits { timeout: None, memory: Some(4096) }), Stop::Memory);
        }
    }

    #[test]
    fn leaves_the_budget_alone_within_limits() {
        let budget = Budget::unlimited();
        let timeout = Some(Duration::from_secs(3600));
        let watchdog = Watchdog::start(Limits { timeout, memory: Some(1 << 50) }, &budget);
        thread::sleep(3 * TICK);
        drop(watchdog);
        assert_eq!(budget.check(), Ok(()));
    }
}
