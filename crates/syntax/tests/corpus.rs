//! The whole benchmark set: what is read, what is not, and whether the trees keep their promises.

#![allow(clippy::print_stderr, reason = "the test says what it covered")]

mod common;

use common::contract::violations;
use common::{corpus, tasks, unit};
use hardbop_base::{DataModel, Sources};
use hardbop_syntax::{SyntaxOptions, needs_preprocessing, parse_bytes};

#[test]
fn benchmarks_are_read() {
    let Some(directory) = corpus() else { return };
    let (mut read, mut warnings) = (0, 0);
    for (task, model) in tasks(&directory) {
        let text = std::fs::read(directory.join(&task)).expect("a task");
        assert!(!needs_preprocessing(&text), "{task}");
        let mut sources = Sources::new();
        match parse_bytes(&mut sources, &task, &text, &SyntaxOptions::new(model)).1 {
            Ok((unit, messages)) => {
                let violations = violations(&unit);
                assert!(violations.is_empty(), "{task}: {violations:#?}");
                read += 1;
                warnings += messages.iter().count();
            }
            Err(messages) => {
                let messages = messages.render(&sources);
                panic!("{task}: {messages}");
            }
        }
    }
    eprintln!("{read} tasks, {warnings} warnings");
    assert!(read >= 468, "only {read} tasks");
}

#[test]
fn golden_files_keep_the_promises() {
    let directory = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    for entry in std::fs::read_dir(directory).expect("the directory of golden files") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with(".c") && !name.starts_with("errors") && name != "markers.c" {
            let violations = violations(&unit(&std::fs::read(&path).expect("a file"), DataModel::Lp64));
            assert!(violations.is_empty(), "{name}: {violations:#?}");
        }
    }
}
