//! `cargo xtask bench svcomp`: the verdicts on the SV-COMP sample, and how long they take.
//!
//! Each task is checked by the release executable in a process of its own, two at a time. Prints, by
//! category and by folder, how many answers are right, wrong, unknown, out of time or crashes; wrong ones
//! are listed first. Writes all results as CSV below `target`, and compares with an earlier file of that
//! kind. With `--harness`, the harness of each FALSE is compiled with the program by gcc and run. With `--against`,
//! another executable is given each task too, right before or after, and the two are compared. Certificates that took longer
//! than the search, and those that were refused, are counted and listed.
//!
//! Fails if an answer is wrong, a certificate is refused, or a harness does not reach the error.

mod harness;
pub mod results;

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use regex_lite::Regex;
use results::{Answer, Row, Task};

use crate::corpus::bench_folder;
use crate::process::{cargo, run as run_program};
use crate::{Outcome, metadata};

/// What decides a task: `hardbop check -m32 TASK.yml --timeout 60s`. The exit codes 0, 1 and 2 mean that
/// the property holds, that it does not, and that nothing was found out.
const SUBCOMMAND: &str = "check";
/// How long a process may take to end after its time is up.
const GRACE: Duration = Duration::from_secs(10);

const USAGE: &str = "there are --category NAME (any number), --only REGEX, --expected true|false, --limit SECONDS, \
                     --jobs N, --tasks INDEX, --against EXECUTABLE, --compare FILE, --csv FILE and --harness; what follows -- goes to `hardbop check`";

struct SvcompOptions {
    /// The index of the tasks, in the folder of the sample.
    index: String,
    /// Another executable, to be compared with.
    against: Option<PathBuf>,
    categories: Vec<String>,
    only: Option<Regex>,
    expected: Option<bool>,
    seconds: u64,
    jobs: usize,
    compare: Option<PathBuf>,
    csv: Option<PathBuf>,
    harness: bool,
    /// Further options of `hardbop check`.
    passed: Vec<String>,
}

/// A set of tasks with verdicts.
pub struct Sample {
    /// Its folder in the benchmark data.
    pub folder: &'static str,
    /// Reads its tasks, given that folder and the name of an index in it.
    pub read: fn(&Path, &str) -> Result<Vec<Task>, String>,
}

const SVCOMP: Sample =
    Sample { folder: "svcomp", read: |folder, index| results::read_tasks(&read_file(&folder.join(index))?) };

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    measure(&SVCOMP, arguments)
}

/// Checks the tasks of a sample, as the arguments ask for.
pub fn measure(sample: &Sample, arguments: &[String]) -> Outcome {
    let options = parse(arguments)?;
    let Some(folder) = bench_folder(sample.folder) else { return Ok(()) };
    let earlier = options.compare.as_deref().map(read_results).transpose()?;
    let mut tasks = (sample.read)(&folder, &options.index)?;
    tasks.retain(|task| {
        (options.categories.is_empty() || options.categories.contains(&task.category))
            && options.only.as_ref().is_none_or(|only| only.is_match(&task.file))
            && options.expected.is_none_or(|expected| expected == task.expected)
    });
    if tasks.is_empty() {
        return Err("there is no such task".to_owned());
    }
    run_program(&mut cargo(["build", "--release", "--package", "hardbop"]))?;
    let target = metadata::load()?.target_directory;
    let decider = |executable: PathBuf, harness: bool| Decider {
        program: [executable.into(), SUBCOMMAND.into()]
            .into_iter()
            .chain(options.passed.iter().map(OsString::from))
            .collect(),
        folder: folder.clone(),
        limit: Duration::from_secs(options.seconds),
        harnesses: harness.then(|| target.join(format!("bench-{}-harness", sample.folder))),
    };
    let mut deciders = vec![decider(target.join("release/hardbop"), options.harness)];
    deciders.extend(options.against.map(|executable| decider(executable, false)));
    let mut tables = check_all(&deciders, &tasks, options.jobs, |row| println!("{}", results::line(row)))?;
    let rows = tables.remove(0);
    println!("\n{}", results::report(&rows));
    for other in tables.iter().chain(&earlier) {
        println!("{}", results::comparison(other, &rows));
    }
    let csv = options.csv.unwrap_or_else(|| target.join(format!("bench-{}.csv", sample.folder)));
    fs::write(&csv, results::csv(&rows)).map_err(|e| format!("{}: {e}", csv.display()))?;
    println!("all results: {}", csv.display());
    let wrong = rows.iter().filter(|row| row.is_wrong()).count();
    let harnesses = rows.iter().filter(|row| row.harness_failed()).count();
    let refused = rows.iter().filter(|row| row.is_refused()).count();
    match (wrong, harnesses, refused) {
        (0, 0, 0) => Ok(()),
        _ => Err(format!(
            "{wrong} WRONG answers, {harnesses} harnesses that do not reach the error, {refused} refused certificates"
        )),
    }
}

fn parse(arguments: &[String]) -> Result<SvcompOptions, String> {
    let mut options = SvcompOptions {
        index: "tasks.csv".to_owned(),
        against: None,
        categories: Vec::new(),
        only: None,
        expected: None,
        seconds: 60,
        jobs: 2,
        compare: None,
        csv: None,
        harness: false,
        passed: Vec::new(),
    };
    let mut rest = arguments.iter();
    while let Some(option) = rest.next() {
        let mut value = || rest.next().ok_or_else(|| format!("{option} needs a value"));
        match option.as_str() {
            "--category" => options.categories.push(value()?.clone()),
            "--only" => {
                let only = value()?;
                options.only = Some(Regex::new(only).map_err(|e| format!("`{only}`: {e}"))?);
            }
            "--expected" => {
                let expected = value()?;
                options.expected =
                    Some(expected.parse().map_err(|_| format!("`{expected}` is neither true nor false"))?);
            }
            "--limit" => options.seconds = number(value()?)?,
            "--jobs" => options.jobs = number::<usize>(value()?)?.max(1),
            "--tasks" => options.index.clone_from(value()?),
            "--against" => options.against = Some(value()?.into()),
            "--compare" => options.compare = Some(value()?.into()),
            "--csv" => options.csv = Some(value()?.into()),
            "--harness" => options.harness = true,
            "--" => options.passed = rest.by_ref().cloned().collect(),
            _ => return Err(format!("unexpected argument `{option}`; {USAGE}")),
        }
    }
    Ok(options)
}

fn number<T: std::str::FromStr>(text: &str) -> Result<T, String> {
    text.parse().map_err(|_| format!("`{text}` is no number"))
}

/// The text of a file.
pub fn read_file(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))
}

fn read_results(file: &Path) -> Result<Vec<Row>, String> {
    results::read_csv(&read_file(file)?).map_err(|e| format!("{}: {e}", file.display()))
}

/// What decides tasks.
struct Decider {
    /// A program and its first arguments.
    program: Vec<OsString>,
    /// What the files of tasks are relative to.
    folder: PathBuf,
    limit: Duration,
    /// Where harnesses go, if they are asked for.
    harnesses: Option<PathBuf>,
}

/// Lets each decider check all tasks, and tells about each answer when it is there. One table for each decider, in the
/// order of the tasks.
fn check_all(
    deciders: &[Decider],
    tasks: &[Task],
    jobs: usize,
    tell: impl Fn(&Row) + Sync,
) -> Result<Vec<Vec<Row>>, String> {
    for folder in deciders.iter().filter_map(|decider| decider.harnesses.as_ref()) {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(number) else { break };
                    for turn in 0..deciders.len() {
                        // None is always the one that finds the files in the cache.
                        let who = (number + turn) % deciders.len();
                        let row = deciders[who].check(number, task);
                        tell(&row);
                        if let Ok(mut done) = done.lock() {
                            done.push((number, who, row));
                        }
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_by_key(|(number, _, _)| *number);
    let mut tables: Vec<Vec<Row>> = deciders.iter().map(|_| Vec::with_capacity(tasks.len())).collect();
    done.into_iter().for_each(|(_, who, row)| tables[who].push(row));
    Ok(tables)
}

impl Decider {
    fn check(&self, number: usize, task: &Task) -> Row {
        let harness = self.harnesses.as_ref().map(|folder| folder.join(format!("{number}.c")));
        let start = Instant::now();
        let child = self.command(task, harness.as_deref()).spawn().map_err(|e| e.to_string());
        let ended = child.and_then(|child| self.wait(child));
        let seconds = start.elapsed().as_secs_f64();
        let (answer, mut detail, certificate) = match ended {
            Ok((status, said)) => {
                let (answer, detail) = judge(status, &said);
                (answer, detail, certificate_of(&said).filter(|_| answer == Answer::True))
            }
            Err(reason) => (Answer::Crash, reason, None),
        };
        if answer == Answer::False
            && let Some(harness) = &harness
        {
            let program: Vec<PathBuf> = task.program().iter().map(|file| self.folder.join(file)).collect();
            detail = match harness::reaches(&program, harness, task.bits) {
                Ok(()) => "harness: ok".to_owned(),
                Err(reason) => format!("{}{reason}", results::HARNESS_FAILED),
            };
        }
        Row { task: task.clone(), answer, seconds, certificate, detail }
    }

    fn command(&self, task: &Task, harness: Option<&Path>) -> Command {
        let mut words = self.program.iter();
        let mut command = Command::new(words.next().cloned().unwrap_or_default());
        command.args(words).arg(task.bits).args(task.inputs().iter().map(|file| self.folder.join(file)));
        command.args(["--timeout", &format!("{}s", self.limit.as_secs())]);
        if let Some(harness) = harness {
            command.arg("--harness").arg(harness);
        }
        command.arg("--stats");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Waits for the end, which is forced when the limit is well over; gives what was printed.
    fn wait(&self, mut child: Child) -> Result<(Option<ExitStatus>, String), String> {
        let reader = |pipe: Option<Box<dyn Read + Send>>| {
            std::thread::spawn(move || {
                let mut bytes = Vec::new();
                // What could be read is enough for a hint.
                let _ = pipe.map(|mut pipe| pipe.read_to_end(&mut bytes));
                String::from_utf8_lossy(&bytes).into_owned()
            })
        };
        let stdout = reader(child.stdout.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
        let stderr = reader(child.stderr.take().map(|pipe| Box::new(pipe) as Box<dyn Read + Send>));
        let last = Instant::now() + self.limit + GRACE;
        let status = loop {
            match child.try_wait().map_err(|e| e.to_string())? {
                Some(status) => break Some(status),
                None if Instant::now() >= last => {
                    // It may have ended just now.
                    let _ = child.kill();
                    let _ = child.wait();
                    break None;
                }
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        };
        if status.is_none() {
            // A process of its own that it left behind may keep the pipes open.
            return Ok((None, String::new()));
        }
        let mut said = stderr.join().unwrap_or_default();
        said += &stdout.join().unwrap_or_default();
        Ok((status, said))
    }
}

/// What is printed where a certificate was refused.
const REFUSED: &str = "the certificate was refused: ";

/// How long the certificate took, in seconds: `time: 4.300 s, of which the certificate took 0.200 s`.
fn certificate_of(said: &str) -> Option<f64> {
    let time = said.lines().find_map(|line| line.strip_prefix("time: "))?;
    let (_, certificate) = time.split_once(" took ")?;
    certificate.strip_suffix(" s")?.parse().ok()
}

/// What an exit status means, and a hint why.
fn judge(status: Option<ExitStatus>, said: &str) -> (Answer, String) {
    let Some(status) = status else { return (Answer::Timeout, "did not end by itself".to_owned()) };
    let lines = || said.lines().map(str::trim).filter(|line| !line.is_empty());
    if let Some(refused) = lines().find(|line| line.contains(REFUSED)) {
        let answer = match status.code() {
            Some(0) => Answer::True,
            Some(1) => Answer::False,
            _ => Answer::Unknown,
        };
        return (answer, format!("{}{refused}", results::CERTIFICATE_REFUSED));
    }
    match status.code() {
        Some(0) => (Answer::True, String::new()),
        Some(1) => (Answer::False, String::new()),
        Some(2) if said.contains("time limit") => (Answer::Timeout, String::new()),
        Some(2) => {
            let reason = lines().find(|line| line.starts_with("reason: ")).or(lines().next_back());
            (Answer::Unknown, reason.unwrap_or_default().to_owned())
        }
        _ => (Answer::Crash, format!("{status}: {}", lines().next().unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A shell that answers as the name of the task says.
    fn fake(limit: Duration) -> Decider {
        let script = r#"case "$2" in
            *right*|*proved*) exit 0 ;;
            *broken*) exit 1 ;;
            *unsure*) echo 'reason: no idea'; echo 'VERDICT: UNKNOWN'; exit 2 ;;
            *proof*) echo 'time: 4.3 s, of which the certificate took 3.250 s'; exit 0 ;;
            *doubtful*) echo 'warning: leap: the certificate was refused: no'; exit 0 ;;
            *late*) echo 'hardbop: time limit reached' >&2; exit 2 ;;
            *refused*) echo 'cannot be read' >&2; exit 65 ;;
            *killed*) kill -9 $$ ;;
        esac
        echo "$0 $1 $2 $3 $4"; exit 2"#;
        let program = ["sh", "-c", script, SUBCOMMAND].map(OsString::from).to_vec();
        Decider { program, folder: "/bench".into(), limit, harnesses: None }
    }

    fn task(name: &str) -> Task {
        let (file, category) = (format!("c/{name}.c"), "Loops".into());
        Task { file, sources: Vec::new(), category, bits: "-m32", expected: true }
    }

    #[test]
    fn exit_codes_are_answers() {
        let names = ["right", "broken", "unsure", "late", "refused", "killed", "proof", "doubtful"];
        let deciders = [fake(Duration::from_secs(60)), fake(Duration::from_secs(50))];
        let tables = check_all(&deciders, &names.map(task), 2, |_| {}).ok().unwrap();
        let rows = &tables[0];
        let answers: Vec<Answer> = rows.iter().map(|row| row.answer).collect();
        use Answer::{Crash, False, Timeout, True, Unknown};
        assert_eq!(answers, [True, False, Unknown, Timeout, Crash, Crash, True, True]);
        assert_eq!(rows[2].detail, "reason: no idea");
        assert_eq!((rows[0].certificate, rows[6].certificate), (None, Some(3.25)));
        let refused: Vec<bool> = rows.iter().map(|row| row.is_refused()).collect();
        assert_eq!(refused, [false, false, false, false, false, false, false, true]);
        assert!(rows[4].detail.ends_with(": cannot be read"), "{}", rows[4].detail);
        assert_eq!(rows.iter().map(|row| row.task.file.as_str()).collect::<Vec<_>>()[1], "c/broken.c");
        assert_eq!(tables[1].iter().map(|row| row.answer).collect::<Vec<_>>(), answers);
    }

    #[test]
    fn the_command_line_is_the_one_of_hardbop() {
        let row = fake(Duration::from_secs(7)).check(0, &task("other"));
        assert_eq!(row.detail, "check -m32 /bench/c/other.yml --timeout 7s");
        let sources = vec!["a.h".into(), "a.c".into()];
        let row = fake(Duration::from_secs(7)).check(0, &Task { sources, ..task("other") });
        assert_eq!(row.detail, "check -m32 /bench/a.c --timeout 7s");
        let nobody = Decider { program: vec!["/no/such/program".into()], ..fake(Duration::ZERO) };
        assert_eq!(nobody.check(0, &task("right")).answer, Answer::Crash);
    }

    #[test]
    fn options_are_read() {
        let parse = |text: &str| parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        let options = parse(
            "--category Loops --limit 5 --category Heap --compare old.csv --jobs 1 --only ^c/l.*s/ --harness \
             --expected false --tasks tasks-more.csv --against old -- --no-leap --limit",
        )
        .ok()
        .unwrap();
        assert_eq!(options.categories, ["Loops", "Heap"]);
        assert_eq!((options.index.as_str(), options.against), ("tasks-more.csv", Some("old".into())));
        assert_eq!((options.seconds, options.compare), (5, Some("old.csv".into())));
        assert_eq!(
            (options.expected, options.passed),
            (Some(false), vec!["--no-leap".into(), "--limit".into()])
        );
        assert!(options.harness && options.jobs == 1 && options.only.unwrap().is_match("c/locks/a.c"));
        assert!(parse("--only (").is_err());
        assert!(
            parse("--limit").is_err()
                && parse("--limit x").is_err()
                && parse("--expected maybe").is_err()
                && parse("--fast").is_err()
        );
    }
}
