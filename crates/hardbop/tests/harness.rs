//! Harnesses: compiled together with the program, they make it reach the error of a run.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{Done, Folder, bench_folder, finish, has_gcc};

/// What a harness says that is compiled without the program.
const STANDS_ALONE: &str = "stands for the whole program";

const REACHED: (i32, &str) = (107, "hardbop: the error is reached\n");

/// Compiles C files and runs the result: its status, 128 and more for a signal, and its standard error.
/// Nothing if gcc cannot compile for the data model.
fn compiled(files: &[PathBuf], bits: &str, flags: &[&str], arguments: &[&str]) -> Option<(i32, String)> {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("a.out");
    if bits == "-m32" && !can_compile_for_32_bits(folder.path()) {
        return None;
    }
    let mut gcc = Command::new("gcc");
    gcc.args([bits, "-O0", "-fwrapv", "-fno-strict-aliasing", "-w"]).args(flags).args(files);
    let done = gcc.arg("-o").arg(&executable).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let done = Command::new(executable).args(arguments).output().unwrap();
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&done.status).unwrap_or(0);
    let status = done.status.code().unwrap_or(128 + signal);
    Some((status, String::from_utf8_lossy(&done.stderr).into_owned()))
}

/// The files to compile: the harness, and the program unless the harness contains it.
fn files(folder: &Folder) -> Vec<PathBuf> {
    match folder.read("h.c").contains(STANDS_ALONE) {
        true => vec![folder.path("h.c")],
        false => vec![folder.path("a.c"), folder.path("h.c")],
    }
}

fn can_compile_for_32_bits(folder: &Path) -> bool {
    let file = folder.join("probe.c");
    fs::write(&file, "int main(void) { return 0; }\n").unwrap();
    let done = Command::new("gcc").arg("-m32").arg(&file).arg("-o").arg(folder.join("probe")).output();
    done.is_ok_and(|done| done.status.success())
}

/// Writes the harness for a program with inputs; both are in the folder.
fn harness(folder: &Folder, arguments: &str) -> Done {
    let done = folder.hardbop(&format!("run a.c --inputs in --harness h.c {arguments}"));
    assert_eq!(done.code, 1, "{done:?}");
    done
}

/// Checks that the compiled program reaches the error for both data models, and that nothing is missing.
#[track_caller]
fn reaches(program: &str, inputs: &str, arguments: &str) {
    if !has_gcc() {
        return;
    }
    let folder = Folder::new(&[("a.c", program), ("in", inputs)]);
    for bits in ["-m64", "-m32"] {
        let done = harness(&folder, &format!("{arguments} {bits}"));
        assert_eq!(done.stderr, "", "{}", folder.read("h.c"));
        if let Some((status, messages)) = compiled(&files(&folder), bits, &[], &[]) {
            assert_eq!((status, messages.as_str()), REACHED, "{bits}: {}", folder.read("h.c"));
        }
    }
}

#[test]
fn every_type_of_result() {
    reaches(
        "extern void reach_error(void);
         extern _Bool __VERIFIER_nondet_bool(void); extern char __VERIFIER_nondet_char(void);
         extern unsigned char __VERIFIER_nondet_uchar(void); extern short __VERIFIER_nondet_short(void);
         extern unsigned short __VERIFIER_nondet_ushort(void); extern int __VERIFIER_nondet_int(void);
         extern unsigned __VERIFIER_nondet_uint(void); extern long __VERIFIER_nondet_long(void);
         extern unsigned long __VERIFIER_nondet_ulong(void); extern long long __VERIFIER_nondet_longlong(void);
         extern unsigned long long __VERIFIER_nondet_ulonglong(void); extern float __VERIFIER_nondet_float(void);
         extern double __VERIFIER_nondet_double(void); extern long double __VERIFIER_nondet_ldouble(void);
         extern void *__VERIFIER_nondet_pointer(void);
         int main(void) {
           if (__VERIFIER_nondet_bool() == 1 && __VERIFIER_nondet_char() == -128
             && __VERIFIER_nondet_uchar() == 200 && __VERIFIER_nondet_short() == -32768
             && __VERIFIER_nondet_ushort() == 65535 && __VERIFIER_nondet_int() == -2147483647 - 1
             && __VERIFIER_nondet_uint() == 4294967295u && __VERIFIER_nondet_long() == -7
             && __VERIFIER_nondet_ulong() == 7 && __VERIFIER_nondet_longlong() == -9223372036854775807ll - 1
             && __VERIFIER_nondet_ulonglong() == 18446744073709551615ull && __VERIFIER_nondet_float() == -2.5f
             && __VERIFIER_nondet_double() == 1e300 && __VERIFIER_nondet_ldouble() == 0.5L
             && __VERIFIER_nondet_pointer() == 0 && __VERIFIER_nondet_int() == 3)
             reach_error();
           return 0;
         }",
        "1 -128 200 -32768 65535 -2147483648 4294967295 -7 7 -9223372036854775808 18446744073709551615 -2.5 1e300
         0.5 0 3",
        "",
    );
}

#[test]
fn functions_that_nobody_defines() {
    // Of the calls only some draw a value; unused functions must be there for the linker.
    reaches(
        "extern void reach_error(void); int step(int); void note(char *); double ratio(void);
         extern int unused(void); extern int elsewhere; extern struct { char c; int i[3]; } record;
         extern void __VERIFIER_assume(int); extern void __VERIFIER_atomic_begin(void);
         int (*table[2])(int) = { step, step };
         static int dead(void) { return unused() + sqrt(2.0) + gettimeofday(0, 0); }
         int main(void) {
           note(\"a\"); step(1); int a = step(2); table[1](3); int b = table[0](4);
           __VERIFIER_atomic_begin();
           __VERIFIER_assume(a == 11);
           if (b == 12 && ratio() == 0.25 && elsewhere == 5 && record.i[1] == -6) reach_error();
           return 0;
         }",
        "all 11 12 0x3fd0000000000000 5 -6",
        "--externals pure",
    );
}

#[test]
fn assertions_and_error_functions_of_the_program() {
    let assertion = "#include <assert.h>\nint __VERIFIER_nondet_int(void);
        int main(void) { assert(__VERIFIER_nondet_int() != 4); return 0; }";
    reaches(assertion, "4", "");
    reaches("int nondet(void); int main(void) { assert(nondet() != 4); return 0; }", "all 4", "");
    // As in SV-COMP: an assertion that fails in the error function is the error, another one is not.
    let own = "#include <assert.h>\nextern int __VERIFIER_nondet_int(void);
        void reach_error(void) { assert(0); }
        int main(void) { if (__VERIFIER_nondet_int() == 4) reach_error(); return 0; }";
    reaches(own, "4", "");
    reaches("extern void bug(void); int main(void) { bug(); return 0; }", "0", "--error-function bug");
}

#[test]
fn an_error_function_may_just_abort() {
    if !has_gcc() {
        return;
    }
    let program =
        "extern void abort(void); void reach_error(void) { abort(); } int main(void) { reach_error(); }";
    let folder = Folder::new(&[("a.c", program), ("in", "0")]);
    harness(&folder, "");
    let (status, messages) = compiled(&files(&folder), "-m64", &[], &[]).unwrap();
    assert_eq!((status, messages.as_str()), (128 + 6, ""));
}

#[test]
fn another_entry() {
    let program = "extern void reach_error(void);
        void start(int a, float f, unsigned char c, void *p) { if (a == -3 && f == 1.5f && c == 255 && !p) reach_error(); }";
    if !has_gcc() {
        return;
    }
    let folder = Folder::new(&[("a.c", program), ("in", "-3 1.5 255 0")]);
    let done = harness(&folder, "--entry start");
    assert_eq!(done.stderr, "hardbop: h.c: if the program has a `main`, compile it with -Dmain=other_main\n");
    let (status, messages) = compiled(&files(&folder), "-m64", &[], &[]).unwrap();
    assert_eq!((status, messages.as_str()), REACHED);
}

#[test]
fn labels_are_marked_in_a_copy() {
    let program = "extern int __VERIFIER_nondet_int(void);
        int main(void) { if (__VERIFIER_nondet_int() == 9) goto ERROR; return 0; ERROR: return 1; }";
    reaches(program, "9", "");
}

#[test]
fn labels_have_to_be_marked_in_several_files() {
    if !has_gcc() {
        return;
    }
    let program = "extern int __VERIFIER_nondet_int(void);
        int main(void) { if (__VERIFIER_nondet_int() == 9) goto ERROR; return 0; ERROR: return 1; }";
    let folder = Folder::new(&[("a.c", program), ("b.c", "int other;\n"), ("in", "9")]);
    let done = folder.hardbop("run a.c b.c --inputs in --harness h.c");
    let note = "hardbop: h.c: insert `hardbop_reached();` behind the label `ERROR:` at a.c:2:82\n";
    assert_eq!((done.code, done.stderr.as_str()), (1, note));
    folder.write("a.c", program.replace("ERROR: return", "ERROR: hardbop_reached(); return"));
    let (status, messages) = compiled(&files(&folder), "-m64", &[], &[]).unwrap();
    assert_eq!((status, messages.as_str()), REACHED);
}

#[test]
fn uninitialised_storage_is_set_in_a_copy() {
    let declarations = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n";
    let check = |program: &str, inputs: &str| {
        reaches(&format!("{declarations}{program}"), inputs, "--externals pure --malloc never-fails");
    };
    check("int main(void) { int x; if (x == 3) reach_error(); return 0; }", "all 3");
    // Several declarators, arrays, records, pointers to functions, and one more value in between.
    check(
        "struct s { char c; int i; };
         int main(void) { int a[3], (*f)(int, int), b = 1; struct s s; char c, *p;
           if (a[1] == 5 && __VERIFIER_nondet_int() == 6 && s.i == -7 && c == 'x' && !f && b == 1 && !p)
             reach_error();
           return 0; }",
        "all 5 6 -7 120 0 0",
    );
    // Each activation has a value of its own; in a loop, each iteration.
    check(
        "int f(int n) { int x; int below = n ? f(n - 1) : 0; return below * 10 + x; }
         int main(void) { int s = 0; for (int i = 0; i < 3; i++) { int y; s = s * 10 + y; }
           if (f(2) == 123 && s == 456) reach_error();
           return 0; }",
        "all 4 5 6 1 2 3",
    );
    // A declaration that is not always passed, and a read through a pointer.
    check(
        "int read(int *p) { return *p; }
         int f(int n) { if (n) { int x; return read(&x); } return 1; }
         int main(void) { if (f(0) == 1 && f(1) == 8 && f(0) == 1 && f(1) == 9) reach_error(); return 0; }",
        "all 8 9",
    );
    check(
        "void *malloc(__SIZE_TYPE__);
         int main(void) { malloc(3); int *p = malloc(8), *q = malloc(8); if (p[1] == 5 && q[0] == 6) reach_error();
           return 0; }",
        "all 0 0 0 5 6",
    );
}

#[test]
fn allocations_fail_in_a_copy() {
    let heap = "extern void reach_error(void); void *malloc(__SIZE_TYPE__);
        int main(void) { char *p = malloc(4), *q = malloc(4); if (p && !q) reach_error(); return 0; }";
    reaches(heap, "all 0 0 1", "");
}

#[test]
fn arguments_are_told() {
    if !has_gcc() {
        return;
    }
    let program = "extern void reach_error(void); unsigned long strlen(const char *);
        int main(int argc, char **argv) { if (argc == 3 && strlen(argv[2]) == 4) reach_error(); return 0; }";
    // How many, and of each the length and the address; then the characters of the last one.
    let folder = Folder::new(&[("a.c", program), ("in", "all 2 0  5 0  0 0  4 0  1 1 1 1")]);
    let done = harness(&folder, "--malloc never-fails");
    let lost = "not reproduced: the uninitialised value of memory, 0x1, needed in strlen";
    let expected =
        format!("hardbop: h.c: give the program these arguments: '' 'aaaa'\nhardbop: h.c: {lost}\n");
    assert_eq!(done.stderr, expected);
    let files = [folder.path("a.c"), folder.path("h.c")];
    let (status, messages) = compiled(&files, "-m64", &[], &["", "aaaa"]).unwrap();
    assert_eq!((status, messages.as_str()), REACHED);
}

#[test]
fn what_cannot_be_reproduced_is_said() {
    let lost = |program: &str, inputs: &str, arguments: &str, expected: &str| {
        let folder = Folder::new(&[("a.c", program), ("in", inputs)]);
        let done = harness(&folder, arguments);
        let expected = if expected.is_empty() {
            String::new()
        } else {
            format!("hardbop: h.c: not reproduced: {expected}\n")
        };
        assert_eq!(done.stderr, expected);
        assert_eq!(folder.read("h.c").contains("Not reproduced"), !expected.is_empty());
    };
    // The error does not need it.
    let any = "extern void reach_error(void); int main(void) { int x, y = x; reach_error(); return y; }";
    lost(any, "all 3", "", "");
    let register = "extern void reach_error(void);
        int main(void) { register int x; if (x == 3) reach_error(); return 0; }";
    lost(register, "all 3", "", "the uninitialised value of `x`, 0x3, needed at a.c:2:46");
    let written = "extern void reach_error(void); void fill(int *);
        int main(void) { int x = 0; fill(&x); if (x == 2) reach_error(); return 0; }";
    lost(written, "all 2", "", "what `fill` wrote to `x`, 0x2, needed at a.c:2:51");
}

#[test]
fn other_runs_are_noticed() {
    if !has_gcc() {
        return;
    }
    let program = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
        int main(void) { if (MORE __VERIFIER_nondet_int() == 1) reach_error(); return 0; }";
    let folder = Folder::new(&[("a.c", program), ("in", "1")]);
    harness(&folder, "-DMORE=");
    let files = [folder.path("a.c"), folder.path("h.c")];
    let (status, messages) = compiled(&files, "-m64", &["-DMORE=!__VERIFIER_nondet_int()||"], &[]).unwrap();
    assert_eq!(status, 108);
    assert_eq!(messages, "hardbop: another run: __VERIFIER_nondet_int is called once more\n");
}

#[test]
fn no_harness_without_an_error() {
    let folder = Folder::new(&[("a.c", "int main(void) { return 0; }")]);
    let message = "hardbop: h.c: not written, for the run reached no error\n";
    folder.check("run a.c --harness h.c", 0, "OUTCOME: returned 0\n", message);
    assert_eq!(folder.names(), ["a.c"]);
    folder.check("lower a.c -o a.ir", 0, "", "");
    let message = "hardbop: a harness is for C programs only\n";
    folder.check("run a.ir --harness h.c", 64, "", message);
}

/// The replays of tasks of the SV-COMP sample reach the error when compiled, too.
#[test]
fn replays_reach_the_error_when_compiled() {
    let Some(bench) = bench_folder("svcomp") else { return };
    if !has_gcc() {
        return;
    }
    let index = fs::read_to_string(bench.join("tasks.csv")).unwrap();
    let replays = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replays");
    let mut files: Vec<PathBuf> = fs::read_dir(replays).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let folder = tempfile::tempdir().unwrap();
    let harness = folder.path().join("harness.c");
    for inputs in &files {
        let text = fs::read_to_string(inputs).unwrap();
        let task = text.lines().next().and_then(|line| line.strip_prefix("# ")).unwrap();
        let row = index.lines().find(|line| line.starts_with(&format!("{task},"))).unwrap();
        let bits = if row.contains("ILP32") { "-m32" } else { "-m64" };
        let mut command = Command::new(env!("CARGO_BIN_EXE_hardbop"));
        command.current_dir(&bench).args(["run", bits]).arg(Path::new(task).with_extension("yml"));
        let done = finish(command.arg("--inputs").arg(inputs).arg("--harness").arg(&harness));
        assert_eq!(done.code, 1, "{task}: {done:?}");
        assert_eq!(done.stderr, "", "{task}");
        let mut files = vec![harness.clone()];
        if !fs::read_to_string(&harness).unwrap().contains(STANDS_ALONE) {
            files.push(bench.join(task));
        }
        if let Some((status, messages)) = compiled(&files, bits, &[], &[]) {
            assert_eq!((status, messages.as_str()), REACHED, "{task}");
        }
    }
}
