//! The programs that are hunted in: all that the project has or can make.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use hardbop_ir::testing::Random;

/// A program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is called in reports.
    pub name: String,
    /// Its files.
    pub files: Vec<PathBuf>,
    /// The data model that it was written for, in bits; nothing if any will do.
    pub bits: Option<u32>,
    /// Whether functions without a definition do nothing and allocations succeed.
    pub sv_comp: bool,
}

/// All programs below the root of the workspace and in the folder of the benchmarks.
pub fn entries(root: &Path, bench: &Path) -> Vec<Entry> {
    let mut entries = Vec::new();
    for table in ["tasks.csv", "tasks-more.csv"] {
        let folder = bench.join("svcomp");
        for columns in table_of(&folder.join(table)) {
            let [file, _, model, ..] = &columns[..] else { continue };
            let bits = Some(if model == "ILP32" { 32 } else { 64 });
            let name = format!("svcomp/{}", file.trim_start_matches("c/"));
            entries.push(Entry { name, files: vec![folder.join(file)], bits, sv_comp: true });
        }
    }
    for (folder, column) in [("everyday", 2), ("soundness", 1)] {
        for columns in table_of(&bench.join(folder).join("tasks.csv")) {
            let (Some(task), Some(files)) = (columns.first(), columns.get(column)) else { continue };
            let files = files.split([';', ' ']).filter(|file| !file.is_empty());
            let files = files.map(|file| bench.join(folder).join(file)).collect();
            entries.push(Entry { name: format!("{folder}/{task}"), files, bits: None, sv_comp: false });
        }
    }
    let mut own = Vec::new();
    for folder in ["examples", "crates/lower/tests/programs"] {
        files_below(&root.join(folder), &mut own);
    }
    for file in own {
        let name = file.strip_prefix(root).unwrap_or(&file).display().to_string();
        entries.push(Entry { name, files: vec![file], bits: None, sv_comp: false });
    }
    entries.retain(|entry| entry.files.iter().all(|file| file.is_file()));
    entries
}

/// The rows of a table with a header; only columns that are not used here have quotes.
fn table_of(file: &Path) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines().skip(1).map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

/// The C and X files in a folder and the folders in it, in order.
fn files_below(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            files_below(&path, files);
        } else if path.extension().is_some_and(|e| e == "c" || e == "x") {
            files.push(path);
        }
    }
}

/// Programs that csmith writes, if it is there.
pub fn csmith(folder: &Path, count: usize, random: &mut Random) -> Vec<Entry> {
    let mut entries = Vec::new();
    for _ in 0..count {
        let seed = random.bits() >> 33;
        let file = folder.join(format!("csmith-{seed}.c"));
        let mut command = Command::new("csmith");
        command.args(["--no-argc", "--bitfields", "--unions", "--concise", "--max-funcs", "4"]);
        command.args(["--max-block-depth", "3", "--max-expr-complexity", "4", "--seed", &seed.to_string()]);
        let Ok(done) = command.stdin(Stdio::null()).output() else { return entries };
        if done.status.success() && std::fs::write(&file, done.stdout).is_ok() {
            let name = format!("csmith/{seed}");
            entries.push(Entry { name, files: vec![file], bits: None, sv_comp: false });
        }
    }
    entries
}

/// Lowers a program by the executable, so that a crash of the front end is only a message; the text form.
pub fn lower(hardbop: &Path, entry: &Entry, bits: u32) -> Result<String, String> {
    let mut command = Command::new(hardbop);
    command.args(["lower", "--timeout", "20s", "--memory", "3G", &format!("-m{bits}")]);
    command.arg("-I/usr/include/csmith");
    if entry.sv_comp {
        command.args(["--externals", "pure", "--malloc", "never-fails"]);
    }
    command.args(&entry.files).stdin(Stdio::null());
    let done = command.output().map_err(|error| error.to_string())?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr).into_owned();
        return Err(said.lines().next().unwrap_or("nothing said").to_owned());
    }
    String::from_utf8(done.stdout).map_err(|_| "not UTF-8".to_owned())
}
