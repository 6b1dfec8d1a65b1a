//! Who is being tested.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use hardbop_ir::Program;
use hardbop_ir::testing::Random;

/// What a checker says of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// No error can be reached.
    True,
    /// One can.
    False,
    /// It does not know.
    Unknown,
    /// It did not do its work.
    Failed(String),
}

/// Decides whether a program can reach an error.
pub trait Checker {
    /// The answer with these options.
    fn check(&self, program: &Program, options: &[&str]) -> Answer;
}

/// The ways to ask besides the default one. Proofs of pdr are not evaluated along runs, so it is asked more often.
pub const OTHER_ARGUMENTS: [&[&str]; 14] = [
    &["--no-run"],
    &["--no-unroll"],
    &["--no-run", "--no-unroll"],
    &["--engine", "wp"],
    &["--engine", "wp", "--no-leap"],
    &["--engine", "pdr"],
    &["--engine", "pdr"],
    &["--engine", "pdr"],
    &["--engine", "unroll"],
    &["--no-run", "--no-leap"],
    &["--no-run", "--no-guess"],
    &["--no-run", "--no-unroll", "--no-leap"],
    &["--no-run", "--no-unroll", "--no-guess"],
    &["--no-run", "--no-unroll", "--no-leap", "--no-guess"],
];

/// The default way and another.
pub fn ways(random: &mut Random) -> [&'static [&'static str]; 2] {
    [&[], OTHER_ARGUMENTS[random.below(OTHER_ARGUMENTS.len())]]
}

/// The executable.
#[derive(Debug, Clone)]
pub struct Executable {
    path: PathBuf,
    folder: PathBuf,
    timeout: String,
}

impl Executable {
    /// The executable at a path, which gets files in a folder and so many seconds for each.
    pub fn new(path: &Path, folder: &Path, seconds: f64) -> Self {
        let timeout = format!("{}ms", (seconds * 1000.0) as u64);
        Executable { path: path.to_owned(), folder: folder.to_owned(), timeout }
    }

    /// The answer about files.
    pub fn check_files(&self, files: &[PathBuf], options: &[&str]) -> Answer {
        let mut command = Command::new(&self.path);
        command.arg("check").args(options).args(["--timeout", &self.timeout, "--memory", "3G"]).args(files);
        let done = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).output();
        let done = match done {
            Ok(done) => done,
            Err(error) => return Answer::Failed(error.to_string()),
        };
        match done.status.code() {
            Some(0) => Answer::True,
            Some(1) => Answer::False,
            Some(2) => Answer::Unknown,
            code => {
                let said = String::from_utf8_lossy(&done.stderr).into_owned();
                let line = said.lines().next().unwrap_or("nothing said");
                Answer::Failed(format!("exit {}: {line}", code.map_or("by signal".into(), |c| c.to_string())))
            }
        }
    }
}

/// Names files of checks that go on at the same time.
static NUMBER: AtomicUsize = AtomicUsize::new(0);

impl Checker for Executable {
    fn check(&self, program: &Program, options: &[&str]) -> Answer {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let file = self.folder.join(format!("plant-{}-{number}.ir", std::process::id()));
        if let Err(error) = std::fs::write(&file, hardbop_ir::text::print(program)) {
            return Answer::Failed(format!("{}: {error}", file.display()));
        }
        let answer = self.check_files(std::slice::from_ref(&file), options);
        let _ = std::fs::remove_file(&file);
        answer
    }
}
