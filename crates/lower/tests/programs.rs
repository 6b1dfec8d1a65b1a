//! C programs, one construct each, lowered, verified, sent through their text form and run.
//!
//! Adding a test is adding a file:
//! - `programs/NAME.c` with `NAME.64.expected` and `NAME.32.expected`, what gcc's executable prints and
//!   returns (`programs/bless.sh` writes them), and `NAME.ir`, the lowered program for LP64
//!   (`UPDATE_EXPECT=1` writes it); `programs/link/CASE/` holds programs of several files;
//! - `undefined/NAME.c` and `intrinsics/NAME.c` say how the run ends (`// outcome:`) and with which
//!   inputs (`// inputs:`).
//!
//! A line `// data-model: LP64` restricts a program, `// known-bad: ILP32|LP64|both WHY` says that it is
//! known to go wrong, and fails when it no longer does.

use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect_file;
use hardbop_base::{DataModel, Sources};
use hardbop_ir::interpret::{Interpreter, Limits, Outcome, RunOptions, WrittenInputs};
use hardbop_ir::{self as ir, Program};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// The C files of a folder, in order.
fn c_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder of tests")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} has tests", folder.display());
    files
}

/// The value of a directive such as `// outcome: error`.
fn directive<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    text.lines()
        .find_map(|line| line.strip_prefix("// ")?.strip_prefix(name)?.strip_prefix(':'))
        .map(str::trim)
}

const MODELS: [DataModel; 2] = [DataModel::Lp64, DataModel::Ilp32];

fn bits(model: DataModel) -> &'static str {
    if model == DataModel::Lp64 { "64" } else { "32" }
}

/// Reads a file as `hardbop` does: through gcc's preprocessor if it has to be.
fn text_of(file: &Path, model: DataModel) -> Option<Vec<u8>> {
    let bytes = std::fs::read(file).expect("a readable test");
    if !hardbop_syntax::needs_preprocessing(&bytes) {
        return Some(bytes);
    }
    let options = hardbop_syntax::SyntaxOptions::new(model);
    let arguments = hardbop_syntax::gcc_arguments(&options, &[], &file.display().to_string());
    let done = Command::new("gcc").args(arguments).output().ok()?;
    assert!(done.status.success(), "gcc -E {}", file.display());
    Some(done.stdout)
}

/// Lowers the files of a program; `None` where there is no gcc to preprocess them.
fn lowered(files: &[PathBuf], model: DataModel) -> Option<Result<Program, String>> {
    let mut sources = Sources::new();
    let mut units = Vec::new();
    for file in files {
        let text = text_of(file, model)?;
        let name = file.file_name().expect("a name").to_string_lossy();
        let options = hardbop_syntax::SyntaxOptions::new(model);
        match hardbop_syntax::parse_bytes(&mut sources, &name, &text, &options).1 {
            Ok((unit, _)) => units.push(unit),
            Err(errors) => return Some(Err(errors.render(&sources))),
        }
    }
    let options =
        hardbop_lower::LowerOptions { malloc_may_fail: false, ..hardbop_lower::LowerOptions::default() };
    let program = match hardbop_lower::lower(&mut sources, units, &options) {
        Ok(program) => program,
        Err(errors) => return Some(Err(errors.render(&sources))),
    };
    let violations: Vec<String> = ir::verify(&program).iter().map(|v| v.show(&program)).collect();
    assert_eq!(violations, [""; 0], "{}", files[0].display());
    let text = ir::text::print(&program);
    let again =
        ir::text::parse(hardbop_base::Id::from_usize(0), &text).expect("a text form that can be read");
    assert!(ir::text::print(&again) == text, "{}: the text form is not stable", files[0].display());
    Some(Ok(program))
}

/// What a program prints, then how it ends, as the `.expected` files have it.
fn behaviour(program: &Program) -> String {
    let mut inputs = WrittenInputs::default();
    let options =
        RunOptions { limits: Limits { steps: 50_000_000, ..Limits::default() }, ..RunOptions::default() };
    let run = Interpreter::new(program).run(&mut inputs, options);
    let mut text = String::from_utf8_lossy(&run.output).into_owned();
    text += &match run.outcome {
        Outcome::Returned(status) | Outcome::Exited(status) => format!("exit {}\n", status & 0xff),
        Outcome::Aborted(_) => "exit 134\n".to_owned(),
        other => format!("{}\n", other.describe(program)),
    };
    text
}

/// Whether a program is known to go wrong for a data model.
fn is_known_bad(text: &str, model: DataModel) -> bool {
    directive(text, "known-bad").is_some_and(|why| why.starts_with("both") || why.starts_with(model.name()))
}

/// Compares a program with what gcc made of it; the name if it differs from what is known of it.
fn compare(files: &[PathBuf], expected: &dyn Fn(DataModel) -> PathBuf) -> Vec<String> {
    let text = std::fs::read_to_string(&files[0]).expect("a readable test");
    let mut wrong = Vec::new();
    for model in MODELS {
        let Ok(expected) = std::fs::read_to_string(expected(model)) else { continue };
        let Some(program) = lowered(files, model) else { continue };
        let found = program.as_ref().map_or_else(Clone::clone, behaviour);
        if (found == expected) == is_known_bad(&text, model) {
            wrong.push(format!("{} {}:\n{found}", files[0].display(), model.name()));
        }
    }
    wrong
}

#[test]
fn programs_behave_as_with_gcc() {
    let files = c_files(&folder("programs"));
    assert!(files.len() > 100);
    let wrong: Vec<String> = files
        .into_iter()
        .flat_map(|file| {
            let expected = |model| file.with_extension(format!("{}.expected", bits(model)));
            compare(std::slice::from_ref(&file), &expected)
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn programs_of_several_files_behave_as_with_gcc() {
    let mut wrong = Vec::new();
    for case in std::fs::read_dir(folder("programs/link")).expect("link cases") {
        let case = case.expect("an entry").path();
        let expected = |model| case.join(format!("run.{}.expected", bits(model)));
        wrong.extend(compare(&c_files(&case), &expected));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_does_not_link_shows_both_places() {
    for case in std::fs::read_dir(folder("programs/link_errors")).expect("link cases") {
        let case = case.expect("an entry").path();
        let errors =
            lowered(&c_files(&case), DataModel::Lp64).expect("no preprocessing").expect_err("a conflict");
        assert!(errors.contains("a.c:") && errors.contains("b.c:"), "{}: {errors}", case.display());
    }
}

#[test]
fn lowered_programs_are_as_before() {
    for file in c_files(&folder("programs")) {
        let text = std::fs::read_to_string(&file).expect("a readable test");
        if is_known_bad(&text, DataModel::Lp64) || hardbop_syntax::needs_preprocessing(text.as_bytes()) {
            continue;
        }
        let program = lowered(std::slice::from_ref(&file), DataModel::Lp64)
            .expect("no preprocessing")
            .expect("a program");
        // Positions in the library would change with the library.
        let own = |p: &ir::Procedure| p.span.file.index() == 0;
        if program.procedures.values().all(own) {
            expect_file![file.with_extension("ir")].assert_eq(&ir::text::print(&program));
        }
    }
}

/// Runs a program with its inputs; how it ended, as `// outcome:` says it.
fn outcome_of(file: &Path, text: &str, model: DataModel) -> Option<String> {
    let program = lowered(&[file.to_owned()], model)?.unwrap_or_else(|errors| panic!("{errors}"));
    let mut inputs = WrittenInputs::parse(directive(text, "inputs").unwrap_or("")).expect("numbers");
    let limits = Limits { steps: 3_000_000, depth: 10_000, ..Limits::default() };
    let run = Interpreter::new(&program).run(&mut inputs, RunOptions { limits, ..RunOptions::default() });
    Some(match run.outcome {
        Outcome::Returned(status) => format!("returned {status}"),
        Outcome::Exited(status) => format!("exited {status}"),
        other => other.name().to_owned(),
    })
}

fn check_outcomes(name: &str) {
    let mut wrong = Vec::new();
    for file in c_files(&folder(name)) {
        let text = std::fs::read_to_string(&file).expect("a readable test");
        let expected =
            directive(&text, "outcome").unwrap_or_else(|| panic!("{}: no outcome", file.display()));
        for model in MODELS {
            if directive(&text, "data-model").is_some_and(|only| only != model.name()) {
                continue;
            }
            if let Some(found) = outcome_of(&file, &text, model)
                && found != expected
            {
                wrong.push(format!("{} {}: {found}, not {expected}", file.display(), model.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn undefined_behaviour_ends_runs_by_name() {
    check_outcomes("undefined");
}

#[test]
fn intrinsics_take_inputs_in_order() {
    check_outcomes("intrinsics");
}
