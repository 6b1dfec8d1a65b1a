//! `cargo xtask bench everyday`: the verdicts on everyday programs, and how long they take.
//!
//! The programs of `../shared/bench/everyday` and the small ones in `causes` that isolate what stood in the way of
//! some. Everything else is as in `bench svcomp`: a row for each, a table by group with the counts and the median, and
//! all options.

use std::path::Path;

use super::svcomp::results::Task;
use super::svcomp::{Sample, measure, read_file};
use crate::Outcome;

const EVERYDAY: Sample = Sample { folder: "everyday", read: read_tasks };

/// The folder, and the group, of the isolated causes.
const CAUSES: &str = "causes";

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    measure(&EVERYDAY, arguments)
}

fn read_tasks(folder: &Path, index: &str) -> Result<Vec<Task>, String> {
    let mut tasks = programs(&read_file(&folder.join(index))?)?;
    let causes = folder.join(CAUSES).join(index);
    if causes.is_file() {
        tasks.extend(isolated(&read_file(&causes)?)?);
    }
    Ok(tasks)
}

/// Reads the index of the programs: task, group, files, expected verdict, reason.
fn programs(text: &str) -> Result<Vec<Task>, String> {
    let task = |line: &str| {
        let columns: Vec<&str> = line.splitn(5, ',').collect();
        let [task, group, files, expected, ..] = columns[..] else { return None };
        let sources = files.split(';').map(str::to_owned).collect();
        Some(Task { sources, ..single(format!("{group}/{task}"), group, expected)? })
    };
    rows(text, task)
}

/// Reads the index of the causes: file, expected verdict.
fn isolated(text: &str) -> Result<Vec<Task>, String> {
    rows(text, |line| {
        let (file, expected) = line.split_once(',')?;
        single(format!("{CAUSES}/{file}"), CAUSES, expected)
    })
}

fn rows(text: &str, task: impl Fn(&str) -> Option<Task>) -> Result<Vec<Task>, String> {
    text.lines().skip(1).map(|line| task(line).ok_or_else(|| format!("not a task: {line}"))).collect()
}

/// A task of one file.
fn single(file: String, group: &str, expected: &str) -> Option<Task> {
    let expected = match expected.trim() {
        "TRUE" => true,
        "FALSE" => false,
        _ => return None,
    };
    Some(Task { sources: vec![file.clone()], file, category: group.to_owned(), bits: "-m64", expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_have_one_or_several_files() {
        let index = "task,group,files,expected,reason\na,arith,arith/a.c,TRUE,\"yes, always\"\n\
                     m,modules,modules/m/m.h;modules/m/m.c;modules/m/main.c,FALSE,no\n";
        let tasks = programs(index).unwrap_or_default();
        assert_eq!(tasks.iter().map(|task| task.expected).collect::<Vec<_>>(), [true, false]);
        assert_eq!(tasks[0].inputs(), ["arith/a.c"]);
        assert_eq!(tasks[1].inputs(), ["modules/m/m.c", "modules/m/main.c"]);
        assert_eq!((tasks[1].file.as_str(), tasks[1].category.as_str()), ("modules/m", "modules"));
    }

    #[test]
    fn causes_have_a_file_and_a_verdict() {
        let tasks = isolated("file,expected\nring.c,TRUE\n").unwrap_or_default();
        assert_eq!((tasks[0].inputs(), tasks[0].expected), (vec!["causes/ring.c".to_owned()], true));
        assert!(isolated("file,expected\nring.c,maybe\n").is_err());
        assert!(programs("head\na,arith\n").is_err());
    }
}
