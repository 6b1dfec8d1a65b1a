//! The executable from outside: arguments, exit codes, faults, limits and signals.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

fn hardbop(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    command.args(arguments).env_remove("RUST_BACKTRACE");
    command
}

fn run(arguments: &[&str]) -> Output {
    hardbop(arguments).output().unwrap()
}

/// Runs and compares the exit code, all of standard output and all of standard error.
#[track_caller]
fn check(arguments: &[&str], code: i32, stdout: &str, stderr: &str) {
    let output = run(arguments);
    assert_eq!(String::from_utf8_lossy(&output.stderr), stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout);
    assert_eq!(output.status.code(), Some(code));
}

#[test]
fn version_and_help_are_a_success() {
    check(&["--version"], 0, concat!("hardbop ", env!("CARGO_PKG_VERSION"), "\n"), "");
    let help = run(&["--help"]);
    assert_eq!(help.status.code(), Some(0));
    let text = String::from_utf8(help.stdout).unwrap();
    assert!(text.contains("Exit codes:") && text.contains("completions"), "{text}");
    assert!(!text.contains("fault"), "hidden commands stay hidden: {text}");
}

#[test]
fn wrong_usage_is_64() {
    let wrong: [&[&str]; 6] = [
        &[],
        &["nonsense"],
        &["--nonsense"],
        &["completions", "nonsense"],
        &["man", "nonsense"],
        &["fault", "none", "--timeout", "soon"],
    ];
    for arguments in wrong {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(64), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(&["completions", shell]);
        assert_eq!(output.status.code(), Some(0), "{shell}");
        assert!(String::from_utf8(output.stdout).unwrap().contains("hardbop"), "{shell}");
    }
}

#[test]
fn manual_pages() {
    for (arguments, title) in [(&["man"][..], "hardbop"), (&["man", "completions"], "hardbop-completions")] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(0));
        let page = String::from_utf8(output.stdout).unwrap();
        assert!(page.contains(".TH") && page.contains(title), "{page}");
    }
}

#[test]
fn a_panic_is_an_internal_defect() {
    for arguments in [&["fault", "panic"][..], &["fault", "panic", "--isolate"]] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(70));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.starts_with("hardbop: internal defect: asked to panic (at "), "{message}");
        assert_eq!(message.lines().count(), 2, "{message}");
    }
    check(&["fault", "caught-panic"], 0, "done\n", "");
}

#[test]
fn a_worker_that_succeeds_is_not_noticed() {
    check(&["fault", "none", "--isolate", "--timeout", "60", "--memory", "1G"], 0, "done\n", "");
}

#[test]
fn crashes_of_a_worker_are_reported() {
    // A stack counts as memory too once it is used.
    let overflow = "hardbop: fault: nested too deeply to be processed\n";
    check(&["fault", "stack-overflow", "--isolate", "--timeout", "60"], 65, "", overflow);
    let crash = |kind, message: &str| {
        let limits = ["fault", kind, "--isolate", "--memory", "64M", "--timeout", "60"];
        check(&limits, 65, "", &format!("hardbop: fault: {message}\n"));
    };
    crash("out-of-memory", "needs more memory than there is to be processed");
    crash("abort", "cannot be processed: the worker process crashed (signal 6, SIGABRT)");
    crash("segfault", "cannot be processed: the worker process crashed (signal 11, SIGSEGV)");
    crash("code", "cannot be processed: the worker process ended with the unexpected code 42");
    if cfg!(target_os = "linux") {
        crash("hoard", "needs more memory than there is to be processed");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_that_waits_for_itself_is_a_defect() {
    let message = "hardbop: internal defect: the worker process waits for itself\n";
    check(&["fault", "deadlock", "--isolate"], 70, "", message);
}

#[test]
fn limits_end_in_unknown() {
    check(&["fault", "poll", "--timeout", "50ms"], 2, "ready\n", "hardbop: time limit reached\n");
    check(
        &["fault", "poll", "--isolate", "--timeout", "50ms"],
        2,
        "ready\n",
        "hardbop: time limit reached\n",
    );
    check(
        &["fault", "hang", "--isolate", "--timeout", "50ms"],
        2,
        "ready\n",
        "hardbop: time limit reached\n",
    );
    if cfg!(target_os = "linux") {
        check(&["fault", "poll", "--memory", "4K"], 2, "ready\n", "hardbop: memory limit reached\n");
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    for arguments in [&["fault", "write"][..], &["fault", "write", "--isolate"]] {
        let mut child = hardbop(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "more\n");
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(2));
    }
}

/// Starts a command that waits, and waits until it does.
fn start(arguments: &[&str]) -> Child {
    let mut child = hardbop(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut ready = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut ready).unwrap();
    assert_eq!(ready, "ready\n");
    child
}

fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[track_caller]
fn interrupted(mut child: Child) {
    let start = Instant::now();
    let status = child.wait().unwrap();
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert_eq!(message, "hardbop: interrupted\n");
    assert_eq!(status.code(), Some(2));
    assert!(start.elapsed() < Duration::from_secs(4), "it was told, not killed after a while");
}

#[test]
fn interrupts_end_in_unknown() {
    for arguments in [&["fault", "poll"][..], &["fault", "poll", "--isolate"]] {
        for signal in [Signal::INT, Signal::TERM] {
            let child = start(arguments);
            send(&child, signal);
            interrupted(child);
        }
    }
}

#[test]
fn a_second_interrupt_does_not_wait() {
    let child = start(&["fault", "hang", "--isolate"]);
    send(&child, Signal::INT);
    send(&child, Signal::TERM);
    interrupted(child);
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_dies_with_its_parent() {
    let mut child = hardbop(&["fault", "write", "--isolate"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut String::new()).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    // Only an end of the worker, which holds the other end of the pipe, can end this.
    std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
}
