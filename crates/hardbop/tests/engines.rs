//! The engines of `hardbop reach` from outside: that they agree, and what limits do to each.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::{Expect, expect};
use hardbop_testkit::Rng;
use hardbop_testkit::boolean::families;
use tempfile::TempDir;

const ENGINES: [&str; 3] = ["bdd", "sat", "explicit"];

/// What a run prints and returns.
struct Ran {
    /// All lines but those that name the engine and the property.
    details: String,
    reason: String,
    verdict: String,
    code: Option<i32>,
}

#[track_caller]
fn reach(file: &Path, engine: &str, options: &[&str]) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
    command.arg("reach").arg(file).args(["--engine", engine]).args(options);
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{engine} {options:?} {}", file.display());
    let text = String::from_utf8(output.stdout).unwrap();
    let last = |start: &str| text.lines().filter_map(|line| line.strip_prefix(start)).next_back();
    let heads = ["program:", "property:", "engine:", "reason:", "VERDICT:"];
    let details = text.lines().filter(|line| !heads.iter().any(|head| line.starts_with(head)));
    Ran {
        details: details.map(|line| format!("{line}\n")).collect(),
        reason: last("reason:   ").unwrap_or_default().to_owned(),
        verdict: last("VERDICT: ").unwrap_or_default().to_owned(),
        code: output.status.code(),
    }
}

/// A file that is there as long as the value.
struct Program {
    _folder: TempDir,
    file: PathBuf,
}

impl Program {
    fn new(text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("p.bp");
        fs::write(&file, text).unwrap();
        Program { _folder: folder, file }
    }
}

/// A parity of random products: no order of the variables makes its diagram small.
fn explosive() -> String {
    let mut rng = Rng::new(7);
    let names: Vec<String> = (0..60).map(|i| format!("v{i}")).collect();
    let products: Vec<String> = (0..400)
        .map(|_| format!("({} & {})", names[rng.below(names.len())], names[rng.below(names.len())]))
        .collect();
    let sum = products.join(" ^ ");
    format!("decl {}, s;\nvoid main() begin s := {sum}; assume({sum}); assert(s); end\n", names.join(", "))
}

/// The examples of the papers, each with the options that say what is asked.
fn papers() -> Vec<(PathBuf, Vec<String>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/papers");
    let mut programs: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bp"))
        .collect();
    programs.sort();
    assert!(programs.len() >= 12, "the examples are there");
    let goal = |program: &PathBuf| {
        let text = fs::read_to_string(program).unwrap();
        let command = text.lines().find_map(|line| line.strip_prefix("// $ ")).unwrap().to_owned();
        let mut words = command.split(' ').skip_while(|word| *word != "--label");
        words.by_ref().take(2).map(str::to_owned).collect()
    };
    programs.into_iter().map(|program| (program.clone(), goal(&program))).collect()
}

#[test]
fn engines_agree_on_the_papers() {
    for (program, goal) in papers() {
        let goal: Vec<&str> = goal.iter().map(String::as_str).collect();
        let name = program.display();
        let ask = |engine: &str, options: &[&str]| reach(&program, engine, &[&goal, options].concat());
        let [bdd, sat, explicit] = ENGINES.map(|engine| ask(engine, &[]));
        assert!(["TRUE", "FALSE"].contains(&bdd.verdict.as_str()), "{name}");
        assert_eq!((&bdd.verdict, bdd.code), (&explicit.verdict, explicit.code), "{name}");
        assert_eq!((&sat.verdict, sat.code), (&explicit.verdict, explicit.code), "{name}");
        // Shortest traces may differ, but not in length; states may not differ at all.
        let [bdd, explicit] = ["bdd", "explicit"].map(|engine| ask(engine, &["--trace"]));
        assert_eq!(bdd.reason, explicit.reason, "{name}");
        let [bdd, explicit] = ["bdd", "explicit"].map(|engine| ask(engine, &["--invariants"]));
        assert_eq!(bdd.details, explicit.details, "{name}");
    }
}

#[test]
fn every_engine_is_right_on_the_benchmarks() {
    let Some(folder) = hardbop_testkit::bench_folder("boolean") else { return };
    let tasks = fs::read_to_string(folder.join("tasks.csv")).unwrap();
    let mut recursive = Vec::new();
    for task in tasks.lines().skip(1) {
        let fields: Vec<&str> = task.split(',').collect();
        let label = fields[2].strip_prefix("-l ");
        let mut options = vec!["--trace"];
        options.extend(label.iter().flat_map(|label| ["--label", label]));
        for engine in ENGINES {
            let ran = reach(&folder.join(fields[0]), engine, &options);
            if engine == "sat" && ran.reason == "recursion cannot be inlined" {
                recursive.push(fields[0]);
                continue;
            }
            assert_eq!(ran.verdict, fields[1].to_uppercase(), "{engine} {}: {}", fields[0], ran.reason);
            assert_eq!(ran.details.contains("trace of "), fields[1] == "false", "{engine} {}", fields[0]);
        }
    }
    assert!(recursive.len() < 4, "{recursive:?}");
}

#[test]
fn recursion_is_unknown_to_sat() {
    for safe in [true, false] {
        let program = Program::new(&families::recursion_family(3, safe));
        let [bdd, sat, explicit] = ENGINES.map(|engine| reach(&program.file, engine, &["--trace"]));
        assert_eq!((bdd.verdict, bdd.code), (explicit.verdict, explicit.code));
        assert_eq!(sat.reason, "recursion cannot be inlined");
        assert_eq!((sat.verdict.as_str(), sat.code), ("UNKNOWN", Some(2)));
    }
}

#[test]
fn arguments_of_function_terms() {
    for safe in [true, false] {
        let program = Program::new(&families::dense_family(5, 12, safe));
        for arguments in ["symbolic", "0", "2", "initial", "explicit"] {
            let ran = reach(&program.file, "sat", &["--arguments", arguments]);
            assert_eq!(ran.verdict, if safe { "TRUE" } else { "FALSE" }, "{arguments}");
        }
        for (engine, arguments) in [("sat", "some"), ("sat", "-1"), ("bdd", "initial"), ("explicit", "0")] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
            command.arg("reach").arg(&program.file).args(["--engine", engine]);
            let output = command.arg(format!("--arguments={arguments}")).output().unwrap();
            assert_eq!(output.status.code(), Some(64), "{engine} {arguments}");
        }
    }
}

#[track_caller]
fn check_statistics(engine: &str, expected: Expect) {
    let program = Program::new(&families::dense_family(5, 12, true));
    let ran = reach(&program.file, engine, &["--stats"]);
    let names = ran.details.lines().filter_map(|line| line.strip_prefix("  "));
    let names: String = names.map(|line| format!("{}\n", line.split("  ").next().unwrap())).collect();
    expected.assert_eq(&names);
}

#[test]
fn statistics() {
    check_statistics(
        "bdd",
        expect![[r#"
            procedures
            locations
            diagram variables
            path edge iterations
            rings
            trace
            peak nodes
            restarts
            order
            time
            processor time
            peak memory
        "#]],
    );
    check_statistics(
        "sat",
        expect![[r#"
        blocks
        blocks met
        global variables
        variables per block
        function terms
        triples
        fixpoint triples
        copies of procedures
        clauses
        solver calls
        solver calls to cut
        time
        processor time
        peak memory
    "#]],
    );
}

#[track_caller]
fn check_limit(program: &Program, engine: &str, options: &[&str], reason: &str) {
    let ran = reach(&program.file, engine, options);
    assert_eq!(ran.reason, reason, "{engine} {options:?}");
    assert_eq!((ran.verdict.as_str(), ran.code), ("UNKNOWN", Some(2)), "{engine} {options:?}");
}

#[test]
fn limits_end_in_unknown() {
    let explosive = Program::new(&explosive());
    let nodes = "node limit reached: 100 nodes of decision diagrams";
    for engine in ["bdd", "sat"] {
        check_limit(&explosive, engine, &["--nodes", "100"], nodes);
        check_limit(&explosive, engine, &["--timeout", "100ms"], "time limit reached");
    }
    let large = Program::new(&families::level_family(4000, true));
    check_limit(&large, "bdd", &["--timeout", "50ms"], "time limit reached");
}

/// The threads of diagram managers reserve much address space, of which they use little.
#[test]
fn little_memory_is_enough_for_small_programs() {
    let program = Program::new(&families::level_family(20, true));
    for memory in ["100M", "300M"] {
        let ran = reach(&program.file, "bdd", &["--memory", memory, "--invariants"]);
        assert_eq!((ran.verdict.as_str(), ran.code), ("TRUE", Some(0)), "{memory}: {}", ran.reason);
    }
    let program = Program::new(&families::dense_family(5, 12, false));
    let ran = reach(&program.file, "sat", &["--memory", "100M", "--trace"]);
    assert_eq!((ran.verdict.as_str(), ran.code), ("FALSE", Some(1)), "{}", ran.reason);
}
