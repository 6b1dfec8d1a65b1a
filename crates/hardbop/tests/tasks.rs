//! Task definitions and property files as inputs.

mod common;

use common::{Done, Folder};

const CALLS: &str = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
const OLD_CALLS: &str = "CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )\n";
const ENDS: &str = "CHECK( init(main()), LTL(F end) )\n";

/// Everything that can be an error, one after the other; the input says which.
const PROGRAM: &str = "extern void reach_error(void);
extern void __VERIFIER_error(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  switch (__VERIFIER_nondet_int()) {
    case 1: reach_error(); break;
    case 2: __VERIFIER_error(); break;
    case 3: __assert_fail(\"x\", \"\", 0, \"\"); break;
    case 4: goto ERROR;
    case 5: return sizeof(long);
  }
  return 0;
  ERROR: return 9;
}
int start(void) { reach_error(); return 0; }
";

fn task(version: &str, properties: &[(&str, &str)], rest: &str) -> String {
    let properties: String = properties
        .iter()
        .map(|(file, verdict)| format!("  - property_file: {file}\n    expected_verdict: {verdict}\n"))
        .collect();
    format!("format_version: '{version}'\ninput_files: 'a.c'\nproperties:\n{properties}{rest}")
}

fn folder() -> Folder {
    let folder =
        Folder::new(&[("a.c", PROGRAM), ("calls.prp", CALLS), ("old.prp", OLD_CALLS), ("ends.prp", ENDS)]);
    for choice in 1..=5 {
        folder.write(&choice.to_string(), choice.to_string());
    }
    folder
}

/// How runs with the inputs 1 to 4 end.
fn outcomes(folder: &Folder, arguments: &str) -> Vec<String> {
    let run = |choice: i32| {
        let Done { code, stdout, stderr } = folder.hardbop(&format!("run --inputs {choice} {arguments}"));
        assert!(code < 2, "{stderr}");
        let outcome =
            stdout.lines().last().and_then(|line| line.strip_prefix("OUTCOME: ")).unwrap().to_owned();
        assert_eq!(code == 1, outcome.starts_with("error"), "{outcome}");
        outcome.split(" in main").next().unwrap().to_owned()
    };
    (1..=4).map(run).collect()
}

const REACH_ERROR: &str = "error: reach_error was called";
const VERIFIER_ERROR: &str = "error: __VERIFIER_error was called";

#[test]
fn only_the_chosen_property_counts() {
    let folder = folder();
    let all = [REACH_ERROR, VERIFIER_ERROR, "error: assertion failed: x", "error: label ERROR was reached"];
    assert_eq!(outcomes(&folder, "a.c"), all);
    let calls = [REACH_ERROR, "returned 0", "aborted", "returned 9"];
    assert_eq!(outcomes(&folder, "a.c --property calls.prp"), calls);
    let old_calls = ["returned 0", VERIFIER_ERROR, "aborted", "returned 9"];
    assert_eq!(outcomes(&folder, "a.c --property old.prp"), old_calls);
    folder.write("label.prp", "CHECK( init(main()), LTL(G ! label(ERROR)) )");
    let label = ["returned 0", "returned 0", "aborted", "error: label ERROR was reached"];
    assert_eq!(outcomes(&folder, "a.c --property label.prp"), label);
    assert_eq!(outcomes(&folder, "a.c --error-label ERROR"), label);
    assert_eq!(outcomes(&folder, "a.c --error-function reach_error"), calls);
    let both = [REACH_ERROR, "returned 0", "aborted", "error: label ERROR was reached"];
    assert_eq!(outcomes(&folder, "a.c --error-function reach_error --error-label ERROR"), both);
}

#[test]
fn programs_in_text_form_have_errors_of_their_own() {
    let folder = folder();
    folder.check("lower a.c --error-function main -o main.ir", 0, "", "");
    assert_eq!(outcomes(&folder, "main.ir")[0], "error: main was called");
    folder.check("lower a.c -o a.ir", 0, "", "");
    assert_eq!(outcomes(&folder, "a.ir"), outcomes(&folder, "a.c"));
    // What follows a call of an error function is not in the program any more.
    assert_eq!(
        outcomes(&folder, "a.ir --property calls.prp"),
        [REACH_ERROR, "aborted", "aborted", "returned 9"]
    );
    folder.check("lower a.c --property calls.prp -o calls.ir", 0, "", "");
    let message =
        "hardbop: calls.ir: the label `ERROR` is no error in it; lower the program with --error-label\n";
    folder.check("run calls.ir --error-label ERROR", 65, "", message);
}

#[test]
fn static_error_functions_of_several_files_are_errors() {
    let unit = |name: &str| {
        format!(
            "static void reach_error(void) {{ }}\nvoid {name}(void) {{ void (*f)(void) = reach_error; f(); }}\n"
        )
    };
    let main = "void one(void); void two(void); int main(int argc, char **argv) { if (argc > 1) one(); else two(); }";
    let folder = Folder::new(&[("one.c", unit("one")), ("two.c", unit("two")), ("main.c", main.to_owned())]);
    folder.write("1", "1");
    for inputs in ["", "--inputs 1"] {
        let done = folder.hardbop(&format!("run main.c one.c two.c {inputs}"));
        assert!(done.outcome().starts_with(REACH_ERROR), "{done:?}");
    }
}

#[test]
fn tasks_of_version_2_say_everything() {
    let folder = folder();
    let properties = [("ends.prp", "true"), ("calls.prp", "false")];
    folder.write("t.yml", task("2.0", &properties, "options:\n  language: C\n  data_model: ILP32\n"));
    assert_eq!(outcomes(&folder, "t.yml"), outcomes(&folder, "a.c --property calls.prp"));
    assert_eq!(folder.hardbop("run --inputs 5 t.yml").outcome(), "returned 4");
    assert_eq!(folder.hardbop("run --inputs 5 t.yml -m32").outcome(), "returned 4");
    let message = "hardbop: t.yml is a task for ILP32, and the command line says LP64\n";
    folder.check("run t.yml -m64", 64, "", message);
    assert_eq!(outcomes(&folder, "t.yml --property old.prp")[1], VERIFIER_ERROR);
    let lowered = folder.hardbop("lower t.yml");
    assert!(lowered.stdout.starts_with("program 1 ILP32\n\nfile 0 \"a.c\"\n"), "{lowered:?}");
}

#[test]
fn tasks_of_version_1_need_a_data_model() {
    let folder = folder();
    folder.write("t.yml", task("1.0", &[("calls.prp", "false")], ""));
    folder.check("run t.yml", 64, "", "hardbop: t.yml names no data model; say -m32 or -m64\n");
    assert_eq!(folder.hardbop("run --inputs 5 t.yml -m32").outcome(), "returned 4");
    assert_eq!(folder.hardbop("run --inputs 5 t.yml --data-model LP64").outcome(), "returned 8");
}

#[test]
fn paths_are_relative_to_the_task() {
    let folder = folder();
    std::fs::create_dir(folder.path("sub")).unwrap();
    let text = task("1.0", &[("../calls.prp", "false")], "").replace("'a.c'", "['../a.c', more.c]");
    folder.write("sub/t.yml", text);
    folder.write("sub/more.c", "int more;\n");
    assert_eq!(outcomes(&folder, "-m64 sub/t.yml")[0], REACH_ERROR);
}

#[test]
fn sv_comp_has_its_own_defaults() {
    let text = "int x = 1; void outside(void); void *malloc(unsigned long);
        int main(void) { outside(); return 2 * x + (malloc(4) == 0); }";
    let folder = Folder::new(&[("a.c", text), ("calls.prp", CALLS)]);
    folder.write("t.yml", task("1.0", &[("calls.prp", "true")], ""));
    // Every question is answered by 1: whether the allocation fails, what `x` is afterwards.
    folder.write("in", "all 1 1 1 1 1 1");
    let statement = |arguments: &str| folder.hardbop(&format!("lower {arguments}")).stdout;
    for arguments in ["a.c --property calls.prp", "t.yml -m64"] {
        let lowered = statement(arguments);
        assert!(lowered.contains("extern pure fn outside"), "{lowered}");
        assert!(!lowered.contains("or null"), "{lowered}");
        assert_eq!(folder.hardbop(&format!("run {arguments} --inputs in")).outcome(), "returned 2");
        let explicit = statement(&format!("{arguments} --externals havoc --malloc may-fail"));
        assert!(explicit.contains("extern havoc fn outside"), "{explicit}");
        assert_eq!(explicit, statement("a.c --error-function reach_error"));
    }
}

#[test]
fn entries_come_from_the_property() {
    let folder = folder();
    folder.write("start.prp", CALLS.replace("main", "start"));
    assert!(
        folder
            .hardbop("run a.c --property start.prp")
            .outcome()
            .starts_with("error: reach_error was called in start")
    );
    assert_eq!(folder.hardbop("run a.c --property start.prp --entry start").code, 1);
    let message = "hardbop: start.prp is about runs of `start`, and --entry says `main`\n";
    folder.check("run a.c --property start.prp --entry main", 64, "", message);
    folder.write("none.prp", CALLS.replace("main", "none"));
    let message = "hardbop: a.c: there is no function `none` to start with; see --entry\n";
    folder.check("run a.c --property none.prp", 65, "", message);
}

#[test]
fn a_property_must_be_chosen() {
    let folder = folder();
    folder.write("two.yml", task("1.0", &[("calls.prp", "true"), ("old.prp", "false")], ""));
    let message = "hardbop: two.yml: several properties can be checked; choose one with --property: calls.prp, old.prp\n";
    folder.check("run two.yml -m64", 64, "", message);
    assert_eq!(outcomes(&folder, "two.yml -m64 --property old.prp")[1], VERIFIER_ERROR);
    folder.write("none.yml", task("1.0", &[], ""));
    folder.check("run none.yml -m64", 64, "", "hardbop: none.yml names no property; see --property\n");
    folder.write("ends.yml", task("1.0", &[("ends.prp", "true")], ""));
    folder.check(
        "run ends.yml -m64",
        65,
        "",
        "hardbop: ends.prp: the property termination is not supported\n",
    );
    folder.check(
        "run a.c --property ends.prp",
        65,
        "",
        "hardbop: ends.prp: the property termination is not supported\n",
    );
    folder.write("bad.prp", "CHECK( main )\n");
    folder
        .write("bad.yml", task("1.0", &[("ends.prp", "true"), ("bad.prp", "true"), ("no.prp", "true")], ""));
    let message = "hardbop: bad.yml: none of its properties can be checked: ends.prp: the property termination is not \
        supported; bad.prp: `main` stands where `init` is expected (bad.prp:1:8); no.prp: no such file or directory\n";
    folder.check("run bad.yml -m64", 65, "", message);
    let message =
        "bad.prp:1:8: error: `main` stands where `init` is expected\n    CHECK( main )\n           ^~~~\n";
    folder.check("run a.c --property bad.prp", 65, "", message);
    // What cannot be read does not matter if another property can be checked.
    folder.write(
        "some.yml",
        task("1.0", &[("bad.prp", "true"), ("calls.prp", "true"), ("no.prp", "true")], ""),
    );
    assert_eq!(outcomes(&folder, "some.yml -m64")[0], REACH_ERROR);
}

#[test]
fn wrong_task_definitions_are_refused() {
    let folder = folder();
    folder.write("t.yml", "format_version: '1.0'\ninput_files: [a.c\n");
    let done = folder.hardbop("run t.yml -m64");
    assert_eq!(done.code, 65);
    assert!(done.stderr.starts_with("t.yml:"), "{done:?}");
    folder.write("t.yml", "input_files: a.c\n");
    folder.check(
        "run t.yml",
        65,
        "",
        "t.yml:1:1: error: `format_version` is missing\n    input_files: a.c\n    ^\n",
    );
    folder.write("t.yml", task("1.0", &[("calls.prp", "true")], "").replace("a.c", "missing.c"));
    folder.check("run t.yml -m64", 65, "", "hardbop: missing.c: no such file or directory\n");
    folder.check("run a.c t.yml", 64, "", "hardbop: t.yml: a task definition stands alone\n");
    let message =
        "hardbop: t.yml says what is an error; --error-function and --error-label cannot add to it\n";
    folder.check("run t.yml --error-label L", 64, "", message);
    assert_eq!(folder.hardbop("run a.c --property calls.prp --error-label L").code, 64);
}
