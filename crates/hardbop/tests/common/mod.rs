//! Runs the executable on files in a folder of their own.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A folder that hardbop is run in.
pub struct Folder(TempDir);

/// What a run gave.
#[derive(Debug, PartialEq, Eq)]
pub struct Done {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    /// A folder with files of these names and contents.
    pub fn new<C: AsRef<[u8]>>(files: &[(&str, C)]) -> Self {
        let folder = Folder(tempfile::tempdir().unwrap());
        for (name, content) in files {
            folder.write(name, content);
        }
        folder
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The names of its files, hidden ones included.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<_> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Hardbop with these arguments, separated by blanks.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
        command.args(arguments.split_whitespace()).current_dir(self.0.path()).env_remove("RUST_BACKTRACE");
        command
    }

    pub fn hardbop(&self, arguments: &str) -> Done {
        finish(&mut self.command(arguments))
    }

    /// Hardbop with something on its standard input.
    pub fn hardbop_with(&self, arguments: &str, stdin: &str) -> Done {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        Done::new(child.wait_with_output().unwrap())
    }

    /// Runs and compares the exit code, all of standard output and all of standard error.
    #[track_caller]
    pub fn check(&self, arguments: &str, code: i32, stdout: &str, stderr: &str) {
        let expected = Done { code, stdout: stdout.to_owned(), stderr: stderr.to_owned() };
        assert_eq!(self.hardbop(arguments), expected, "hardbop {arguments}");
    }
}

impl Done {
    fn new(output: std::process::Output) -> Self {
        Done {
            code: output.status.code().expect("hardbop ends by itself"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The last line, which says how a run ended.
    pub fn outcome(&self) -> &str {
        self.stdout.lines().last().and_then(|line| line.strip_prefix("OUTCOME: ")).unwrap_or_default()
    }
}

/// Runs to the end.
pub fn finish(command: &mut Command) -> Done {
    Done::new(command.stdin(Stdio::null()).output().unwrap())
}

/// Whether gcc is there; says so if not.
pub fn has_gcc() -> bool {
    let found = Command::new("gcc").arg("--version").output().is_ok();
    if !found {
        eprintln!("skipped: there is no gcc");
    }
    found
}

/// A folder of the benchmark data beside the workspace; says so if it is not there.
pub fn bench_folder(name: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let bench = std::env::var_os("HARDBOP_BENCH").map_or_else(|| root.join("../shared/bench"), PathBuf::from);
    let folder = bench.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no benchmark data in ../shared/bench/{name}");
    None
}
