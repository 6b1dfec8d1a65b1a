//! Little room, little time, and signals: there is always an answer, soon, and nobody is left behind.

#![cfg(target_os = "linux")]

mod common;

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::Folder;
use rustix::process::{Pid, Signal, kill_process};

const TRUE: &str = "void reach_error(void); int f(int a) { return a + 1; }
    int main(void) { int x = __VERIFIER_nondet_int(); if (x > 0 && x < 9 && f(x) < 2) reach_error(); return 0; }";
const FALSE: &str = "void reach_error(void); int main(void) { unsigned x = __VERIFIER_nondet_uint();
    if (x * 7 == 700049) reach_error(); return 0; }";
const LOOP: &str =
    "void reach_error(void); int lock, n; void acquire(void) { if (lock) reach_error(); lock = 1; }
    void release(void) { if (!lock) reach_error(); lock = 0; }
    int main(void) { int old; do { acquire(); old = n; if (__VERIFIER_nondet_int()) { release(); n++; } }
    while (n != old); release(); return 0; }";
const X: &str =
    "main() { x, y: int; assume(x > y); [1] while (x > y) { x--; } if (x != y) { ERROR: skip; } }\n";
const BAD: &str = "int main(void) { return 1 +; }\n";
/// Nobody decides this.
const ENDLESS: &str =
    "void reach_error(void); int main(void) { unsigned n = __VERIFIER_nondet_uint(), s = 0, i;
    for (i = 0; i < n; i++) s += i * i; if (s == 77) { if (n * s * s == 12345) reach_error(); } return 0; }";

fn folder() -> Folder {
    let files = [("true.c", TRUE), ("false.c", FALSE), ("loop.c", LOOP), ("x.x", X), ("bad.c", BAD)];
    let folder = Folder::new(&files);
    folder.write("endless.c", ENDLESS);
    folder
}

/// The command in an address space of so many KiB.
fn within(kilobytes: u64, command: &Command) -> Command {
    let mut limited = Command::new("sh");
    limited.args(["-c", &format!("ulimit -v {kilobytes}; exec \"$0\" \"$@\"")]);
    limited.arg(command.get_program()).args(command.get_args());
    limited.current_dir(command.get_current_dir().unwrap());
    limited
}

/// Waits for the end, which must come soon.
#[track_caller]
fn finish(mut child: Child, patience: Duration) -> (Option<i32>, String, String) {
    let start = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if start.elapsed() > patience => {
                let _ = child.kill();
                panic!("it did not end within {patience:?}");
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let (mut stdout, mut stderr) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    (status.code(), stdout, stderr)
}

fn start(command: &mut Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// What is said about each program in an address space of so many KiB is the verdict, or that there is no room.
fn sweep(limits: impl Iterator<Item = u64>, patience: Duration) {
    let folder = folder();
    for limit in limits {
        let mut decided = 0;
        for (file, code, verdict) in [
            ("true.c", 0, "VERDICT: TRUE\n"),
            ("false.c", 1, "VERDICT: FALSE\n"),
            ("loop.c", 0, "VERDICT: TRUE\n"),
            ("x.x", 0, "VERDICT: TRUE\n"),
            ("bad.c", 65, ""),
        ] {
            // Backtraces take memory where there is none left.
            let command = folder.command(&format!("check {file}"));
            let child = start(within(limit, &command).env("RUST_BACKTRACE", "1"));
            let (ended, stdout, stderr) = finish(child, patience);
            let unknown = ended == Some(2) && stdout.ends_with("VERDICT: UNKNOWN\n");
            let known = ended == Some(code) && stdout.ends_with(verdict);
            let context = format!("{file} in {limit} KiB: {ended:?}\n{stdout}{stderr}");
            assert!(known || unknown && stdout.contains("reason: memory limit reached\n"), "{context}");
            decided += usize::from(known);
        }
        assert!(limit < 500_000 || decided == 5, "only {decided} are decided in {limit} KiB");
    }
}

#[test]
fn little_room_is_said_to_be_little() {
    sweep(
        [50_000, 140_000, 160_000, 200_000, 250_000, 400_000, 1_000_000].into_iter(),
        Duration::from_secs(60),
    );
}

/// As fast as a release build must be: `cargo xtask test --long`.
#[test]
#[ignore = "takes minutes, and means something only in release mode"]
fn all_limits_of_room() {
    sweep((50_000..=1_000_000).step_by(10_000), Duration::from_secs(5));
}

#[test]
fn other_commands_say_that_there_is_no_room() {
    let folder = folder();
    for command in ["lower true.c", "run true.c"] {
        let child = start(&mut within(60_000, &folder.command(command)));
        let (code, stdout, stderr) = finish(child, Duration::from_secs(60));
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
        let expected = "hardbop: the worker process needs an address space of 153600 KiB, and 60000 are allowed \
                        (ulimit -v)\nhardbop: memory limit reached\n";
        assert_eq!(stderr, expected);
    }
}

/// The processes that a process has started.
fn children(parent: &Child) -> Vec<Pid> {
    let path = format!("/proc/{0}/task", parent.id());
    let Ok(threads) = std::fs::read_dir(path) else { return Vec::new() };
    let read = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("children")).ok();
    let listed: Vec<String> = threads.filter_map(|thread| read(thread.ok()?)).collect();
    let numbers = listed.iter().flat_map(|list| list.split_whitespace());
    numbers.filter_map(|number| Pid::from_raw(number.parse().ok()?)).collect()
}

/// Starts the endless check and waits until its worker is at it.
fn endless(folder: &Folder, options: &str) -> (Child, Pid) {
    let mut child = start(&mut folder.command(&format!("check endless.c {options}")));
    for _ in 0..5000 {
        if let [worker] = children(&child)[..] {
            std::thread::sleep(Duration::from_millis(300));
            return (child, worker);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    panic!("there is no worker: {:?}", child.wait());
}

fn is_gone(process: Pid) -> bool {
    rustix::process::test_kill_process(process).is_err()
}

/// Whether this test, and so what it starts, ignores SIGHUP (`nohup`).
fn ignores_hangups() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap().trim();
    u64::from_str_radix(mask, 16).unwrap() & 1 == 1
}

#[test]
fn signals_end_a_check_with_a_verdict() {
    let folder = folder();
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        if signal == Signal::HUP && ignores_hangups() {
            continue;
        }
        let (child, worker) = endless(&folder, "");
        kill_process(Pid::from_child(&child), signal).unwrap();
        let (code, stdout, stderr) = finish(child, Duration::from_secs(20));
        assert_eq!((code, stderr.as_str()), (Some(2), ""), "{signal:?}");
        assert!(stdout.contains("reason: interrupted\n"), "{signal:?}: {stdout}");
        assert!(stdout.ends_with("VERDICT: UNKNOWN\n"), "{signal:?}: {stdout}");
        assert!(is_gone(worker), "{signal:?}");
    }
}

#[test]
fn a_check_is_over_when_its_time_is() {
    let folder = folder();
    let begin = Instant::now();
    let (child, worker) = endless(&folder, "--timeout 2s");
    let (code, stdout, _) = finish(child, Duration::from_secs(20));
    let took = begin.elapsed();
    assert_eq!(code, Some(2), "{stdout}");
    assert!(stdout.contains("reason: time limit reached\n"), "{stdout}");
    assert!(stdout.ends_with("VERDICT: UNKNOWN\n"), "{stdout}");
    assert!(took > Duration::from_millis(1500), "{took:?}");
    assert!(is_gone(worker));
}

#[test]
fn a_killed_worker_is_unknown() {
    let folder = folder();
    let (child, worker) = endless(&folder, "");
    kill_process(worker, Signal::KILL).unwrap();
    let (code, stdout, _) = finish(child, Duration::from_secs(20));
    assert_eq!(code, Some(2), "{stdout}");
    assert!(stdout.ends_with("VERDICT: UNKNOWN\n"), "{stdout}");
}

#[test]
fn a_stopped_worker_is_ended_all_the_same() {
    let folder = folder();
    let (child, worker) = endless(&folder, "--timeout 3s");
    kill_process(worker, Signal::STOP).unwrap();
    let (code, stdout, _) = finish(child, Duration::from_secs(20));
    assert_eq!(code, Some(2), "{stdout}");
    assert!(
        stdout.ends_with(
            "reason: time limit reached\ntry: a longer --timeout\ntry: --save-predicates FILE, then \
                             --predicates FILE, to go on from where it stopped\nVERDICT: UNKNOWN\n"
        ),
        "{stdout}"
    );
    assert!(is_gone(worker));
}

#[test]
fn nobody_listens() {
    let folder = folder();
    let mut child = start(&mut folder.command("check true.c"));
    drop(child.stdout.take());
    let status = child.wait().unwrap();
    let mut stderr = String::new();
    child.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
    // Not 0: nobody has heard that it is true.
    assert_eq!((status.code(), stderr.as_str()), (Some(2), ""));
}
