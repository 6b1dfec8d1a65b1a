//! Answers to tasks: tables, CSV, and what changed since an earlier time.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A task of the sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The C file, relative to the sample, or the name of a task of several files.
    pub file: String,
    /// What makes up the program, relative to the sample, if there is no task definition beside the file.
    pub sources: Vec<String>,
    /// The category.
    pub category: String,
    /// The option for its data model.
    pub bits: &'static str,
    /// Whether the property holds.
    pub expected: bool,
}

/// What came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    True,
    False,
    Unknown,
    Timeout,
    Crash,
}

const ANSWERS: [(Answer, &str); 5] = [
    (Answer::True, "true"),
    (Answer::False, "false"),
    (Answer::Unknown, "unknown"),
    (Answer::Timeout, "timeout"),
    (Answer::Crash, "crash"),
];

impl Task {
    /// The C files that a compiler is given, relative to the sample.
    pub fn program(&self) -> Vec<&str> {
        if self.sources.is_empty() {
            return vec![&self.file];
        }
        self.sources.iter().map(String::as_str).filter(|file| !file.ends_with(".h")).collect()
    }

    /// What `hardbop` is given, relative to the sample: the task definition, or the files.
    pub fn inputs(&self) -> Vec<String> {
        if self.sources.is_empty() {
            let definition = std::path::Path::new(&self.file).with_extension("yml");
            return vec![definition.to_string_lossy().into_owned()];
        }
        self.program().into_iter().map(str::to_owned).collect()
    }

    /// The folder of the file.
    fn folder(&self) -> &str {
        self.file.rsplit('/').nth(1).unwrap_or_default()
    }
}

impl Answer {
    fn name(self) -> &'static str {
        ANSWERS.iter().find(|(answer, _)| *answer == self).map_or("", |(_, name)| name)
    }
}

/// A task with its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    pub task: Task,
    pub answer: Answer,
    pub seconds: f64,
    /// How much of that the certificate of a proof took, if it is known.
    pub certificate: Option<f64>,
    /// A hint why there is no better answer.
    pub detail: String,
}

/// What the detail of an error starts with that could not be shown with a compiled program.
pub const HARNESS_FAILED: &str = "HARNESS: ";

/// What the detail of an answer starts with that an engine had a certificate refused for.
pub const CERTIFICATE_REFUSED: &str = "REFUSED: ";

impl Row {
    /// Whether the certificate of something that an engine found was refused.
    pub fn is_refused(&self) -> bool {
        self.detail.starts_with(CERTIFICATE_REFUSED)
    }

    /// Whether the certificate took longer than the search before it.
    fn has_slow_certificate(&self) -> bool {
        self.certificate.is_some_and(|certificate| certificate > self.seconds - certificate)
    }

    /// Whether there should be a harness that reaches the error, and is not.
    pub fn harness_failed(&self) -> bool {
        self.detail.starts_with(HARNESS_FAILED)
    }

    fn is_right(&self) -> bool {
        self.answer == if self.task.expected { Answer::True } else { Answer::False }
    }

    /// Whether the answer contradicts the truth.
    pub fn is_wrong(&self) -> bool {
        self.answer == if self.task.expected { Answer::False } else { Answer::True }
    }

    /// The points of SV-COMP.
    fn score(&self) -> i64 {
        match (self.answer, self.task.expected) {
            (Answer::True, true) => 2,
            (Answer::False, false) => 1,
            (Answer::False, true) => -16,
            (Answer::True, false) => -32,
            _ => 0,
        }
    }
}

/// Reads the index of the sample: task, category, data model, property, expected verdict, size.
pub fn read_tasks(text: &str) -> Result<Vec<Task>, String> {
    text.lines().skip(1).map(read_task).collect()
}

fn read_task(line: &str) -> Result<Task, String> {
    let columns: Vec<&str> = line.split(',').collect();
    let [file, category, model, _, expected, ..] = columns[..] else {
        return Err(format!("not a task: {line}"));
    };
    Ok(Task {
        file: file.to_owned(),
        sources: Vec::new(),
        category: category.to_owned(),
        bits: if model == "ILP32" { "-m32" } else { "-m64" },
        expected: truth(expected).ok_or_else(|| format!("not a verdict: {line}"))?,
    })
}

fn truth(text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// A result while others are still to come.
pub fn line(row: &Row) -> String {
    let wrong = if row.is_wrong() { "WRONG " } else { "" };
    let text =
        format!("{:7} {:7.1} s  {wrong}{}  {}", row.answer.name(), row.seconds, row.task.file, row.detail);
    text.trim_end().to_owned()
}

/// Wrong answers, then the table.
pub fn report(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| row.is_wrong()) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "WRONG: {} is {}, the answer was {}",
            row.task.file,
            row.task.expected,
            row.answer.name()
        );
    }
    for row in rows.iter().filter(|row| row.harness_failed() || row.is_refused()) {
        let _ = writeln!(text, "{}: {}", row.task.file, row.detail);
    }
    text + &table(rows) + &certificates(rows)
}

/// Certificates that took longer than the search.
fn certificates(rows: &[Row]) -> String {
    let timed = rows.iter().filter(|row| row.certificate.is_some()).count();
    let slow: Vec<&Row> = rows.iter().filter(|row| row.has_slow_certificate()).collect();
    if timed == 0 {
        return String::new();
    }
    let refused = rows.iter().filter(|row| row.is_refused()).count();
    let mut text = format!(
        "\ncertificates: {timed} accepted, {refused} refused, {} took longer than the search\n",
        slow.len()
    );
    for row in slow {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "  {:.1} of {:.1} s  {}",
            row.certificate.unwrap_or_default(),
            row.seconds,
            row.task.file
        );
    }
    text
}

/// The category, its folders indented below it, and all.
fn table(rows: &[Row]) -> String {
    let mut categories: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    let mut folders: BTreeMap<(&str, &str), Vec<&Row>> = BTreeMap::new();
    for row in rows {
        categories.entry(&row.task.category).or_default().push(row);
        folders.entry((&row.task.category, row.task.folder())).or_default().push(row);
    }
    let mut text = format!(
        "{:22} {:>5} {:>6} {:>6} {:>8} {:>8} {:>6} {:>6} {:>9} {:>9}\n",
        "category", "tasks", "right", "wrong", "unknown", "timeout", "crash", "score", "median s", "total s"
    );
    for (category, rows) in &categories {
        text += &table_line(category, rows);
        for ((_, folder), rows) in folders.iter().filter(|((of, folder), _)| of == category && folder != of) {
            text += &table_line(&format!("  {folder}"), rows);
        }
    }
    text + &table_line("all", &rows.iter().collect::<Vec<_>>())
}

fn table_line(name: &str, rows: &[&Row]) -> String {
    let count = |is: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| is(row)).count();
    let answered = |answer: Answer| count(&|row: &Row| row.answer == answer);
    format!(
        "{name:22} {:5} {:6} {:6} {:8} {:8} {:6} {:6} {:9.2} {:9.1}\n",
        rows.len(),
        count(&Row::is_right),
        count(&Row::is_wrong),
        answered(Answer::Unknown),
        answered(Answer::Timeout),
        answered(Answer::Crash),
        rows.iter().map(|row| row.score()).sum::<i64>(),
        median(rows.iter().map(|row| row.seconds).collect()),
        rows.iter().map(|row| row.seconds).sum::<f64>(),
    )
}

/// The middle value, of an even number the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match (values.len(), values.get(values.len() / 2)) {
        (_, None) => 0.0,
        (count, Some(middle)) if count % 2 == 1 => *middle,
        (count, Some(middle)) => (values[count / 2 - 1] + middle) / 2.0,
    }
}

const HEAD: &str = "task,category,data_model,expected,answer,seconds,certificate,detail";

/// All results, with commas.
pub fn csv(rows: &[Row]) -> String {
    let mut text = format!("{HEAD}\n");
    for Row { task, answer, seconds, certificate, detail } in rows {
        let model = if task.bits == "-m32" { "ILP32" } else { "LP64" };
        let detail = detail.replace([',', '\n', '\r'], ";");
        let certificate = certificate.map(|seconds| format!("{seconds:.3}")).unwrap_or_default();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{},{},{model},{},{},{seconds:.3},{certificate},{detail}",
            task.file,
            task.category,
            task.expected,
            answer.name()
        );
    }
    text
}

/// The inverse of [`csv`].
pub fn read_csv(text: &str) -> Result<Vec<Row>, String> {
    let mut lines = text.lines();
    if lines.next() != Some(HEAD) {
        return Err("not a file of results".to_owned());
    }
    let row = |line: &str| {
        let columns: Vec<&str> = line.splitn(8, ',').collect();
        let [file, category, model, expected, answer, seconds, certificate, detail] = columns[..] else {
            return None;
        };
        Some(Row {
            task: Task {
                file: file.to_owned(),
                sources: Vec::new(),
                category: category.to_owned(),
                bits: if model == "ILP32" { "-m32" } else { "-m64" },
                expected: truth(expected)?,
            },
            answer: ANSWERS.iter().find(|(_, name)| *name == answer)?.0,
            seconds: seconds.parse().ok()?,
            certificate: if certificate.is_empty() { None } else { Some(certificate.parse().ok()?) },
            detail: detail.to_owned(),
        })
    };
    lines.map(|line| row(line).ok_or_else(|| format!("not a result: {line}"))).collect()
}

/// What changed since an earlier time, for the tasks of both.
pub fn comparison(earlier: &[Row], now: &[Row]) -> String {
    let before: BTreeMap<&str, &Row> = earlier.iter().map(|row| (row.task.file.as_str(), row)).collect();
    let pairs: Vec<(&Row, &Row)> =
        now.iter().filter_map(|row| Some((*before.get(row.task.file.as_str())?, row))).collect();
    let mut text = format!("compared with the earlier results ({} tasks in common):\n", pairs.len());
    for (old, new) in &pairs {
        if old.answer != new.answer {
            let change = match (old.is_right(), new.is_right()) {
                (false, true) => "gained",
                (true, false) => "LOST",
                _ => "changed",
            };
            let change = if new.is_wrong() { "WRONG" } else { change };
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "  {change:8} {:7} -> {:7}  {}",
                old.answer.name(),
                new.answer.name(),
                new.task.file
            );
        }
    }
    let both: Vec<&(&Row, &Row)> =
        pairs.iter().filter(|(old, new)| old.is_right() && new.is_right()).collect();
    let right = |rows: &[&Row]| rows.iter().filter(|row| row.is_right()).count();
    let olds: Vec<&Row> = pairs.iter().map(|(old, _)| *old).collect();
    let news: Vec<&Row> = pairs.iter().map(|(_, new)| *new).collect();
    let _ = writeln!(
        text,
        "  right: {} -> {}; score: {} -> {}; the {} that are right both times: {:.1} s -> {:.1} s",
        right(&olds),
        right(&news),
        olds.iter().map(|row| row.score()).sum::<i64>(),
        news.iter().map(|row| row.score()).sum::<i64>(),
        both.len(),
        both.iter().map(|(old, _)| old.seconds).sum::<f64>(),
        both.iter().map(|(_, new)| new.seconds).sum::<f64>(),
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(file: &str, category: &str, expected: bool, answer: Answer, seconds: f64) -> Row {
        let task = Task {
            file: file.into(),
            sources: Vec::new(),
            category: category.into(),
            bits: "-m32",
            expected,
        };
        Row { task, answer, seconds, certificate: None, detail: String::new() }
    }

    fn sample() -> Vec<Row> {
        vec![
            row("c/loops/a.c", "Loops", true, Answer::True, 1.0),
            row("c/loops/b.c", "Loops", false, Answer::False, 2.0),
            row("c/loops/c.c", "Loops", true, Answer::Timeout, 60.0),
            row("c/lists/d.c", "Heap", false, Answer::True, 3.0),
            row("c/lists/e.c", "Heap", true, Answer::Unknown, 0.5),
            row("c/trees/f.c", "Heap", true, Answer::Crash, 0.25),
            row("c/trees/g.c", "Heap", true, Answer::False, 1.25),
        ]
    }

    #[test]
    fn tables_count_by_category_and_wrong_answers_come_first() {
        let expected = "\
WRONG: c/lists/d.c is false, the answer was true
WRONG: c/trees/g.c is true, the answer was false
category               tasks  right  wrong  unknown  timeout  crash  score  median s   total s
Heap                       4      0      2        1        0      1    -48      0.88       5.0
  lists                    2      0      1        1        0      0    -32      1.75       3.5
  trees                    2      0      1        0        0      1    -16      0.75       1.5
Loops                      3      2      0        0        1      0      3      2.00      63.0
  loops                    3      2      0        0        1      0      3      2.00      63.0
all                        7      2      2        1        1      1    -45      1.25      68.0
";
        assert_eq!(report(&sample()), expected);
        let mut rows = sample();
        (rows[0].certificate, rows[3].certificate) = (Some(0.25), Some(2.0));
        rows[0].detail = format!("{CERTIFICATE_REFUSED}no");
        let text = report(&rows);
        assert!(text.contains("\nc/loops/a.c: REFUSED: no\n"), "{text}");
        let end = "certificates: 2 accepted, 1 refused, 1 took longer than the search\n  2.0 of 3.0 s  c/lists/d.c\n";
        assert!(text.ends_with(end), "{text}");
        assert_eq!(line(&sample()[3]), "true        3.0 s  WRONG c/lists/d.c");
    }

    #[test]
    fn medians() {
        assert_eq!(median(vec![]), 0.0);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0]), 2.5);
    }

    #[test]
    fn results_survive_their_file() {
        let mut rows = sample();
        assert_eq!(read_csv(&csv(&rows)).unwrap(), rows);
        rows[0].certificate = Some(0.5);
        assert_eq!(read_csv(&csv(&rows)).unwrap(), rows);
        rows[0].detail = "a, b\nc".into();
        assert_eq!(read_csv(&csv(&rows)).unwrap()[0].detail, "a; b;c");
        assert!(read_csv("x\n").is_err());
        assert!(read_csv(&format!("{HEAD}\na.c,Loops,ILP32,maybe,true,1,,\n")).is_err());
    }

    #[test]
    fn changes_are_told() {
        let mut now = sample();
        now[0].answer = Answer::Unknown;
        now[2].answer = Answer::True;
        now[4].answer = Answer::Timeout;
        now[5].answer = Answer::False;
        now[1].seconds = 1.5;
        now.remove(3);
        let expected = "\
compared with the earlier results (6 tasks in common):
  LOST     true    -> unknown  c/loops/a.c
  gained   timeout -> true     c/loops/c.c
  changed  unknown -> timeout  c/lists/e.c
  WRONG    crash   -> false    c/trees/f.c
  right: 2 -> 2; score: -13 -> -29; the 1 that are right both times: 2.0 s -> 1.5 s
";
        assert_eq!(comparison(&sample(), &now), expected);
    }

    #[test]
    fn tasks_are_read() {
        let index =
            "task,category,data_model,property,expected,bytes\nc/x.i,Arrays,LP64,unreach-call,false,9\n";
        let (file, category) = ("c/x.i".into(), "Arrays".into());
        let task = Task { file, sources: Vec::new(), category, bits: "-m64", expected: false };
        assert_eq!(read_tasks(index).unwrap(), [task]);
        assert!(read_tasks("head\nc/x.i,Arrays\n").is_err());
    }
}
