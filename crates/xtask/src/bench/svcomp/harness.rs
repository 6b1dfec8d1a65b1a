//! Harnesses of counterexamples: compiled by gcc and run.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How a harness ends when the error is reached.
const REACHED: i32 = 107;
/// How programs end whose error function aborts.
const ABORTED: i32 = 6;
/// What those harnesses say then.
const MAY_ABORT: &str = "does what it does instead";
/// What harnesses say that stand for the whole program.
const STANDS_ALONE: &str = "stands for the whole program";
/// How long the executable may run.
const LIMIT: Duration = Duration::from_secs(20);

/// Compiles a harness with its program and runs it.
pub fn reaches(program: &[PathBuf], harness: &Path, bits: &str) -> Result<(), String> {
    let text = fs::read_to_string(harness).map_err(|e| format!("{}: {e}", harness.display()))?;
    let executable = harness.with_extension("exe");
    let mut gcc = Command::new("gcc");
    gcc.args([bits, "-O0", "-fwrapv", "-fno-strict-aliasing", "-w", "-o"]).arg(&executable);
    if !text.contains(STANDS_ALONE) {
        gcc.args(program);
    }
    let done = gcc.arg(harness).output().map_err(|e| format!("gcc: {e}"))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        return Err(format!("gcc: {}", said.lines().find(|line| line.contains("error")).unwrap_or(&said)));
    }
    let ended = run(&executable, text.contains(MAY_ABORT));
    // It can be made again.
    let _ = fs::remove_file(&executable);
    let lost = text.lines().find(|line| line.contains("Not reproduced")).unwrap_or_default();
    ended.map_err(|why| format!("{why} {}", lost.trim_start_matches(" *").trim()))
}

fn run(executable: &Path, may_abort: bool) -> Result<(), String> {
    let mut command = Command::new(executable);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let last = Instant::now() + LIMIT;
    loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) if status.code() == Some(REACHED) => return Ok(()),
            Some(status) if may_abort && signal(status) == Some(ABORTED) => return Ok(()),
            Some(status) => return Err(status.to_string()),
            None if Instant::now() >= last => {
                // It may have ended just now.
                let _ = child.kill();
                let _ = child.wait();
                return Err("does not end".to_owned());
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    }
}

#[cfg(unix)]
fn signal(status: std::process::ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: std::process::ExitStatus) -> Option<i32> {
    None
}
