//! `hardbop fault`: fails on purpose, so that tests can see every failure reported as it should be.
//!
//! Hidden from help. The faults are those that third-party code could commit on odd input.

use std::hint::black_box;
use std::path::Path;
use std::thread;
use std::time::Duration;

use clap::{Args, ValueEnum};
use hardbop_base::Budget;
use rustix::process::{Signal, getpid, kill_process};

use crate::limits::{Limits, Watchdog};
use crate::worker::isolate;
use crate::{Exit, Failure, output};

/// The arguments of `fault`.
#[derive(Debug, Args)]
pub struct Fault {
    /// What to do wrong
    kind: Kind,

    /// Do it in a worker process
    #[arg(long)]
    isolate: bool,

    #[command(flatten)]
    limits: Limits,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    /// Nothing
    None,
    /// Panic
    Panic,
    /// Catch a panic
    CaughtPanic,
    /// Recurse without end
    StackOverflow,
    /// Reserve memory until an allocation fails
    OutOfMemory,
    /// Use memory without looking at the budget
    Hoard,
    /// Call abort
    Abort,
    /// Receive SIGSEGV
    Segfault,
    /// Exit with a code of no meaning
    Code,
    /// Use time without looking at the budget, once that is announced
    Hang,
    /// Wait for oneself
    Deadlock,
    /// Wait for the budget to run out, once that is announced
    Poll,
    /// Write without end
    Write,
}

impl Fault {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let work = |budget: &Budget| commit(self.kind, budget);
        if self.isolate {
            return isolate(&self.limits, |crash| Err(crash.blame(Path::new("fault"))), work);
        }
        let budget = Budget::unlimited();
        let _watchdog = Watchdog::start(self.limits, &budget);
        work(&budget)
    }
}

fn commit(kind: Kind, budget: &Budget) -> Result<Exit, Failure> {
    match kind {
        Kind::None => {}
        Kind::Panic => fail(),
        Kind::CaughtPanic => drop(std::panic::catch_unwind(fail)),
        Kind::StackOverflow => drop(recurse(0)),
        Kind::OutOfMemory => {
            let mut reserved: Vec<Vec<u8>> = Vec::new();
            loop {
                reserved.push(Vec::with_capacity(64 << 20));
                black_box(&mut reserved);
            }
        }
        Kind::Hoard => {
            let mut used = Vec::new();
            loop {
                used.push(black_box(vec![1_u8; 1 << 20]));
                thread::sleep(Duration::from_millis(1));
            }
        }
        Kind::Abort => std::process::abort(),
        // Rust's handler expects the faulty instruction to be tried again, so once is not enough.
        Kind::Segfault => while kill_process(getpid(), Signal::SEGV).is_ok() {},
        Kind::Code => std::process::exit(42),
        Kind::Hang => {
            output::print("ready\n")?;
            loop {
                thread::sleep(Duration::from_secs(1));
            }
        }
        Kind::Deadlock => {
            let (_sender, receiver) = std::sync::mpsc::channel::<()>();
            let _ = receiver.recv();
        }
        Kind::Poll => {
            output::print("ready\n")?;
            loop {
                budget.check().map_err(Failure::Stopped)?;
                thread::sleep(Duration::from_millis(1));
            }
        }
        Kind::Write => loop {
            output::print("more\n")?;
        },
    }
    output::print("done\n")?;
    Ok(Exit::Ok)
}

#[expect(clippy::panic, reason = "this is what the command is for")]
fn fail() {
    panic!("asked to panic");
}

/// Its end is out of reach, but the compiler must not know.
fn recurse(depth: u64) -> u64 {
    let frame = black_box([depth; 128]);
    if frame[7] == u64::MAX { 0 } else { recurse(depth + 1) + black_box(frame[7]) }
}
