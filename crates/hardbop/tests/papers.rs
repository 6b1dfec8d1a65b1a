//! The worked examples of the papers: each program in `examples/papers` names the commands to run on
//! it, in comments that start with `// $ `, and the file beside it has all they print.
//!
//! To add an example, add a program; `UPDATE_EXPECT=1 cargo test -p hardbop --test papers` writes down
//! what is printed.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

use expect_test::expect_file;

#[test]
fn the_examples_print_what_is_expected() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/papers");
    let mut programs: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bp"))
        .collect();
    programs.sort();
    assert!(programs.len() >= 12, "the examples are there");
    for program in programs {
        let name = program.file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&program).unwrap();
        let commands: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("// $ ")).collect();
        assert!(!commands.is_empty(), "{name} names no command");
        let mut printed = String::new();
        for command in commands {
            let mut words = command.split(' ');
            assert_eq!(words.next(), Some("hardbop"), "{name}");
            let output = Command::new(env!("CARGO_BIN_EXE_hardbop"))
                .args(words)
                .arg(&name)
                .current_dir(&folder)
                .output()
                .unwrap();
            let stdout = String::from_utf8(output.stdout).unwrap();
            let code = output.status.code().unwrap();
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{name}");
            writeln!(printed, "$ {command} {name}\n{stdout}exit code {code}\n").unwrap();
        }
        expect_file![program.with_extension("out")].assert_eq(&printed);
    }
}
