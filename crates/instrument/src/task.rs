//! Task definitions: the files of a program, their data model, and what is asked about them.
//!
//! The format is that of BenchExec, versions 1.0 and 2.0:
//!
//! ```yaml
//! format_version: '2.0'
//! input_files: 'a.c'              # or a list
//! properties:
//!   - property_file: ../properties/unreach-call.prp
//!     expected_verdict: true      # may be missing
//! options:                        # version 2.0 only
//!   language: C
//!   data_model: ILP32
//! ```
//!
//! Paths are relative to the file itself. Keys that mean nothing here are left alone, because the format
//! allows additional information.

use hardbop_base::{DataModel, Diagnostics, FileId, Span};

use crate::yaml::{self, Node, Value};

/// A task definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// The files of the program, at least one, as written.
    pub input_files: Vec<Path>,
    /// What is asked, in order.
    pub properties: Vec<Question>,
    /// The data model; version 1.0 does not say.
    pub data_model: Option<DataModel>,
}

/// A path as written, relative to the task definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Path {
    /// The path.
    pub path: String,
    /// Where it is written.
    pub span: Span,
}

/// A property that a task is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The property file.
    pub file: Path,
    /// Whether it is known to hold.
    pub expected: Option<bool>,
}

/// Reads a task definition.
///
/// # Errors
/// What is not YAML, or not a task definition of a C program.
pub fn parse(file: FileId, text: &str) -> Result<Task, Diagnostics> {
    let document = yaml::parse(file, text).map_err(|error| Diagnostics::from_iter([error]))?;
    let mut reader = Reader { errors: Diagnostics::new() };
    let task = reader.task(&document);
    if reader.errors.is_empty() { Ok(task) } else { Err(reader.errors) }
}

struct Reader {
    errors: Diagnostics,
}

impl Reader {
    fn task(&mut self, document: &Node) -> Task {
        let mut task = Task { input_files: Vec::new(), properties: Vec::new(), data_model: None };
        if !matches!(document.value, Value::Mapping(_)) {
            self.errors.error(document.span, "not a task definition: a mapping is expected");
            return task;
        }
        self.version(document);
        if let Some(files) = self.required(document, "input_files") {
            task.input_files = self.paths(files);
        }
        if let Some(properties) = document.get("properties").filter(|node| !node.is_null()) {
            task.properties = self.questions(properties);
        }
        if let Some(options) = document.get("options").filter(|node| !node.is_null()) {
            task.data_model = self.options(options);
        }
        task
    }

    fn required<'n>(&mut self, node: &'n Node, key: &str) -> Option<&'n Node> {
        let found = node.get(key);
        if found.is_none() {
            self.errors.error(node.span, format!("`{key}` is missing"));
        }
        found
    }

    fn version(&mut self, document: &Node) {
        let Some(version) = self.required(document, "format_version") else { return };
        match version.text() {
            Some("1.0" | "2.0") => {}
            Some(other) => {
                let message =
                    format!("task definitions of version {other} are not supported, only 1.0 and 2.0");
                self.errors.error(version.span, message);
            }
            None => self.errors.error(version.span, "a version is expected"),
        }
    }

    /// A path, or a list of them.
    fn paths(&mut self, node: &Node) -> Vec<Path> {
        let paths: Vec<Path> = match &node.value {
            Value::Sequence(nodes) => nodes.iter().filter_map(|node| self.path(node)).collect(),
            _ => self.path(node).into_iter().collect(),
        };
        if paths.is_empty() && self.errors.is_empty() {
            self.errors.error(node.span, "there are no input files");
        }
        paths
    }

    fn path(&mut self, node: &Node) -> Option<Path> {
        match node.text() {
            Some(path) if !node.is_null() && !path.is_empty() && !path.contains('\0') => {
                Some(Path { path: path.to_owned(), span: node.span })
            }
            _ => {
                self.errors.error(node.span, "a path is expected");
                None
            }
        }
    }

    fn questions(&mut self, node: &Node) -> Vec<Question> {
        let Value::Sequence(nodes) = &node.value else {
            self.errors.error(node.span, "a list of properties is expected");
            return Vec::new();
        };
        nodes.iter().filter_map(|node| self.question(node)).collect()
    }

    fn question(&mut self, node: &Node) -> Option<Question> {
        if !matches!(node.value, Value::Mapping(_)) {
            self.errors.error(node.span, "a property is expected: a mapping with `property_file`");
            return None;
        }
        let file = self.required(node, "property_file")?;
        let file = self.path(file)?;
        let verdict = node.get("expected_verdict").filter(|verdict| !verdict.is_null());
        let expected = verdict.and_then(Node::truth);
        if let (Some(verdict), None) = (verdict, expected) {
            self.errors.error(verdict.span, "a verdict is `true` or `false`");
        }
        Some(Question { file, expected })
    }

    fn options(&mut self, node: &Node) -> Option<DataModel> {
        if !matches!(node.value, Value::Mapping(_)) {
            self.errors.error(node.span, "options are a mapping");
            return None;
        }
        if let Some(language) = node.get("language")
            && language.text() != Some("C")
        {
            let name = language.text().unwrap_or("this");
            self.errors.error(language.span, format!("programs in {name} are not supported, only C"));
        }
        let model = node.get("data_model")?;
        match model.text() {
            Some("ILP32") => Some(DataModel::Ilp32),
            Some("LP64") => Some(DataModel::Lp64),
            _ => {
                self.errors.error(model.span, "a data model is `ILP32` or `LP64`");
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Id;

    fn read(text: &str) -> Result<Task, Vec<String>> {
        parse(Id::from_usize(0), text).map_err(|errors| {
            errors.iter().map(|e| format!("{}:{}: {}", e.span.line, e.span.column, e.message)).collect()
        })
    }

    fn names(paths: &[Path]) -> Vec<&str> {
        paths.iter().map(|path| path.path.as_str()).collect()
    }

    #[test]
    fn version_1() {
        let task = read(
            "format_version: '1.0'\n\n# old file name: x\ninput_files: 'gj2007.c.i.p+nlh-reducer.c'\n\n\
             properties:\n  - property_file: ../properties/unreach-call.prp\n    expected_verdict: true\n\
             \x20 - property_file: ../properties/coverage-branches.prp\n",
        )
        .unwrap();
        assert_eq!(names(&task.input_files), ["gj2007.c.i.p+nlh-reducer.c"]);
        let questions: Vec<_> = task.properties.iter().map(|q| (q.file.path.as_str(), q.expected)).collect();
        let expected =
            [("../properties/unreach-call.prp", Some(true)), ("../properties/coverage-branches.prp", None)];
        assert_eq!(questions, expected);
        assert_eq!(task.data_model, None);
    }

    #[test]
    fn version_2() {
        let task = read(
            "format_version: \"2.0\"\ninput_files:\n  - a.c\n  - \"b c.c\"\nrequired_files: [x.h]\nproperties:\n\
             \x20 - {property_file: p.prp, expected_verdict: false, subproperty: valid-free}\n\
             options:\n  language: C\n  data_model: ILP32\nadditional_information: {anything: [goes]}\n",
        )
        .unwrap();
        assert_eq!(names(&task.input_files), ["a.c", "b c.c"]);
        assert_eq!(task.properties[0].expected, Some(false));
        assert_eq!(task.data_model, Some(DataModel::Ilp32));
        // A number is a version too, and a task may ask nothing.
        assert_eq!(read("format_version: 2.0\ninput_files: a.c\nproperties:\n").unwrap().properties, []);
    }

    #[test]
    fn errors_have_places() {
        let head = "format_version: '2.0'\n";
        for (rest, errors) in [
            ("", &["1:1: `input_files` is missing"][..]),
            ("input_files: []\n", &["2:14: there are no input files"]),
            ("input_files: [a.c, [b.c], ~]\n", &["2:20: a path is expected", "2:27: a path is expected"]),
            ("input_files: a.c\nproperties: p.prp\n", &["3:13: a list of properties is expected"]),
            (
                "input_files: a.c\nproperties: [x]\n",
                &["3:14: a property is expected: a mapping with `property_file`"],
            ),
            (
                "input_files: a.c\nproperties: [{expected_verdict: true}]\n",
                &["3:14: `property_file` is missing"],
            ),
            (
                "input_files: a.c\nproperties:\n- property_file: p\n  expected_verdict: 'true'\n",
                &["5:21: a verdict is `true` or `false`"],
            ),
            (
                "input_files: a.c\noptions:\n  language: Java\n  data_model: LLP64\n",
                &[
                    "4:13: programs in Java are not supported, only C",
                    "5:15: a data model is `ILP32` or `LP64`",
                ],
            ),
            ("input_files: a.c\noptions: x\n", &["3:10: options are a mapping"]),
            ("input_files: a.c\ninput_files: b.c\n", &["3:1: the key `input_files` is there twice"]),
        ] {
            assert_eq!(read(&format!("{head}{rest}")).unwrap_err(), errors, "{rest}");
        }
        let version = "1:17: task definitions of version 3.0 are not supported, only 1.0 and 2.0";
        assert_eq!(read("format_version: '3.0'\ninput_files: a.c\n").unwrap_err(), [version]);
        assert_eq!(read("- a\n").unwrap_err(), ["1:1: not a task definition: a mapping is expected"]);
    }

    /// Changes a task definition in all kinds of ways: whatever comes out is read or refused.
    #[test]
    fn damaged_files_are_refused() {
        let plain = "format_version: '1.0'\ninput_files: ['a.c', \"b\\x41.c\"]\nproperties:\n\
            \x20 - property_file: p\n    expected_verdict: true\n";
        let odd = "? |\n   x\n  : >-\n   y\n%YAML 1.2\n---\n&a !!str *a {[?\t]}\n";
        let mut random = hardbop_ir::testing::Random::new(7);
        let alphabet: Vec<char> = ":-?[]{}&*!|>'\"%@`#,\\ \t\n\r~.xü\u{0}\u{2028}\u{feff}".chars().collect();
        let mut accepted = 0;
        for round in 0..20_000 {
            let text = if round % 2 == 0 { plain } else { odd };
            let mut characters: Vec<char> = text.chars().collect();
            for _ in 0..=random.below(4) {
                let at = random.below(characters.len());
                match random.below(3) {
                    0 => characters[at] = random.pick(&alphabet),
                    1 => characters.insert(at, random.pick(&alphabet)),
                    _ => characters.truncate(at.max(1)),
                }
            }
            let damaged: String = characters.into_iter().collect();
            match parse(Id::from_usize(0), &damaged) {
                Ok(_) => accepted += 1,
                Err(errors) => {
                    // Positions are inside of the text or just behind it.
                    let lines = damaged.split('\n').count() as u32;
                    assert!(errors.iter().all(|e| (1..=lines).contains(&e.span.line)), "{damaged:?}");
                }
            }
        }
        assert!((1..20_000).contains(&accepted), "{accepted}");
    }
}
