//! `hardbop lower` from outside: its options, what it prints and what it writes.

mod common;

use common::{Folder, finish, has_gcc};

const MAIN: &str = "int main(void) { return 0; }\n";

#[test]
fn prints_the_program_as_text() {
    let folder = Folder::new(&[("a.c", MAIN)]);
    let done = folder.hardbop("lower a.c");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    assert!(done.stdout.starts_with("program 1 LP64\n"), "{}", done.stdout);
    assert!(done.stdout.contains("file 0 \"a.c\""), "{}", done.stdout);
    assert!(done.stdout.contains("fn main() -> $result: i32"), "{}", done.stdout);
    assert!(done.stdout.ends_with("entry $start\n"), "{}", done.stdout);
    assert_eq!(folder.hardbop("lower --check a.c"), done);
    assert_eq!(folder.hardbop("lower -o - a.c"), done);
    assert_eq!(folder.hardbop_with("lower -", MAIN).stdout.replace("<stdin>", "a.c"), done.stdout);
}

#[test]
fn writes_the_program_to_a_file() {
    let folder = Folder::new(&[("a.c", MAIN)]);
    let printed = folder.hardbop("lower a.c").stdout;
    folder.check("lower a.c -o out.ir", 0, "", "");
    assert_eq!(folder.read("out.ir"), printed);
    folder.check("lower a.c --output=out.ir --json-stats", 0, "", "");
    assert!(folder.read("out.ir").starts_with('{'), "the file is replaced");
    folder.check("lower a.c -o no/out.ir", 64, "", "hardbop: no/out.ir: no such file or directory\n");
    folder.check("lower a.c -o .", 64, "", "hardbop: .: is a directory\n");
    if cfg!(target_os = "linux") {
        folder.check("lower a.c -o /dev/full", 64, "", "hardbop: /dev/full: no space left on device\n");
    }
    assert_eq!(folder.names(), ["a.c", "out.ir"]);
}

#[test]
fn errors_leave_the_output_alone() {
    let bad: [(&str, &[u8]); 4] = [
        ("syntax.c", b"int main(void) { return }"),
        ("link.c", b"int x; double x; int main(void) { return x; }"),
        ("bad.ir", b"program 1 LP64\nfn"),
        ("nul.c", b"int x;\0"),
    ];
    let folder = Folder::new(&bad);
    folder.write("out.ir", "precious");
    for (name, _) in bad {
        for arguments in [format!("lower {name} -o out.ir"), format!("lower {name} -o new.ir")] {
            assert_eq!(folder.hardbop(&arguments).code, 65, "{arguments}");
        }
    }
    assert_eq!(folder.read("out.ir"), "precious");
    assert_eq!(folder.names(), ["bad.ir", "link.c", "nul.c", "out.ir", "syntax.c"]);
}

#[test]
fn counts_as_json() {
    let text = "#pragma once_more\n
        extern void reach_error(void); extern int elsewhere(void); int pthread_create();
        int global = 3;
        int main(void) {
          if (elsewhere() == global) reach_error();
          pthread_create();
          return 0;
        }";
    let folder = Folder::new(&[("a.c", text)]);
    let done = folder.hardbop("lower --json-stats -m32 a.c");
    assert_eq!((done.code, done.stderr.as_str()), (0, ""));
    let stats: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(stats["data_model"], "ILP32");
    assert_eq!(stats["entry"], "$start");
    assert_eq!(stats["procedures"], 2);
    assert_eq!(stats["external_procedures"], 1);
    assert_eq!(stats["globals"], 1);
    assert_eq!(stats["error_edges"], 1);
    assert_eq!(stats["unsupported"][0]["reason"], "a call of `pthread_create`");
    assert_eq!(stats["unsupported"][0]["at"], "a.c:7:11");
    assert_eq!(stats["assumptions"].as_array().unwrap().len(), 1, "{stats}");
    for count in ["records", "locations", "edges", "expressions", "seconds"] {
        assert!(stats[count].is_number(), "{count}");
    }
}

/// The text form of a program with these options.
#[track_caller]
fn lowered(text: &str, options: &str) -> String {
    let folder = Folder::new(&[("a.c", text)]);
    let done = folder.hardbop(&format!("lower --check {options} a.c"));
    assert_eq!((done.code, done.stderr.as_str()), (0, ""), "{options}");
    done.stdout
}

#[test]
fn data_models() {
    for (options, name) in [
        ("-m32", "ILP32"),
        ("-m64", "LP64"),
        ("-m 32", "ILP32"),
        ("--data-model ILP32", "ILP32"),
        ("--data-model=LP64", "LP64"),
    ] {
        let bits = if name == "ILP32" { 32 } else { 64 };
        let text = lowered("long x; int main(void) { return 0; } long *f(void) { return &x; }", options);
        assert!(text.starts_with(&format!("program 1 {name}\n")), "{options}");
        let text = lowered("long x; long *main(void) { return &x; }", options);
        assert!(text.contains(&format!("global x: i{bits}")), "{text}");
    }
    let folder = Folder::new(&[("a.c", MAIN)]);
    for options in ["-m16", "-m", "--data-model ilp64", "-m32 --data-model LP64"] {
        assert_eq!(folder.hardbop(&format!("lower a.c {options}")).code, 64, "{options}");
    }
}

#[test]
fn options_of_the_preprocessor() {
    if !has_gcc() {
        return;
    }
    let text = "#include \"header.h\"\nint main(void) { return X; }\n";
    let folder = Folder::new(&[("a.c", text), ("plain.c", "int main(void) { return X; }\n")]);
    std::fs::create_dir(folder.path("inc")).unwrap();
    folder.write("inc/header.h", "#ifndef X\n#define X 7\n#endif\n");
    let missing = folder.hardbop("lower a.c");
    assert_eq!((missing.code, missing.stdout.as_str()), (65, ""));
    assert!(missing.stderr.contains("a.c:1:10: fatal error: header.h: No such file"), "{}", missing.stderr);
    for (arguments, returned) in [
        ("a.c -Iinc", 7),
        ("a.c -I inc", 7),
        ("a.c -Iinc -DX=8", 8),
        ("a.c -Iinc -D X", 1),
        ("a.c -Iinc -DX=8 -UX", 7),
        ("a.c -Iinc -UX -DX=8", 8),
        ("plain.c -DX=9", 9),
        ("plain.c -DX=Y -DY=10", 10),
    ] {
        folder.check(&format!("run {arguments}"), 0, &format!("OUTCOME: returned {returned}\n"), "");
    }
    // Text that was preprocessed already is not touched.
    folder.write("done.i", "int X; int main(void) { return X; }\n");
    folder.check("run done.i -DX=9", 0, "OUTCOME: returned 0\n", "");
}

#[test]
fn dialects() {
    if !has_gcc() {
        return;
    }
    let folder = Folder::new(&[("a.c", "int main(void) { return __STDC_VERSION__ % 10000 / 100; }\n")]);
    for (standard, version) in [("gnu17", 17), ("c11", 11), ("c99", 99), ("gnu11", 11)] {
        let returned = format!("OUTCOME: returned {version}\n");
        folder.check(&format!("run -std={standard} a.c"), 0, &returned, "");
        folder.check(&format!("run --std {standard} a.c"), 0, &returned, "");
    }
    folder.check("run -std=pascal a.c", 64, "", "hardbop: `pascal` is not a dialect of C that gcc knows\n");
}

#[test]
fn without_gcc_only_plain_text_is_read() {
    let folder = Folder::new(&[("a.c", MAIN), ("b.c", "#define X 1\nint main(void) { return X; }\n")]);
    let without = |arguments| finish(folder.command(arguments).env("PATH", folder.path("nowhere")));
    assert_eq!(without("run a.c").stdout, "OUTCOME: returned 0\n");
    let done = without("lower b.c -o b.ir");
    let message = "hardbop: b.c: needs preprocessing, and gcc cannot be run: no such file or directory\n";
    assert_eq!((done.code, done.stdout.as_str(), done.stderr.as_str()), (65, "", message));
    assert_eq!(folder.names(), ["a.c", "b.c"]);
}

#[test]
fn the_meaning_of_what_is_outside() {
    let text = "void *malloc(unsigned long); int outside(int *); int x;
        int main(void) { return malloc(outside(&x)) != 0; }";
    let havoc = lowered(text, "");
    let pure = lowered(text, "--externals pure --malloc never-fails");
    assert_eq!(havoc, lowered(text, "--externals havoc --malloc may-fail"));
    assert!(havoc.contains("extern havoc fn outside") && havoc.contains(" or null"), "{havoc}");
    assert!(pure.contains("extern pure fn outside") && !pure.contains(" or null"), "{pure}");
    assert!(pure.contains("memory allocation never fails"), "{pure}");
    let folder = Folder::new(&[("a.c", MAIN)]);
    for options in ["--externals maybe", "--malloc sometimes", "--externals", "--entry"] {
        assert_eq!(folder.hardbop(&format!("lower a.c {options}")).code, 64, "{options}");
    }
}

#[test]
fn several_files_become_one_program() {
    let folder = Folder::new(&[
        ("a.c", "extern int twice(int); static int x = 1; int main(void) { return twice(x); }\n"),
        ("b.c", "static int x = 20; int twice(int n) { return 2 * n + x; }\n"),
        ("c.c", "int twice(int n) { return n + n; }\n"),
        ("d.c", "int twice = 3;\n"),
        ("p.ir", "program 1 LP64\n"),
    ]);
    folder.check("lower --check a.c b.c -o ab.ir", 0, "", "");
    folder.check("run a.c b.c", 0, "OUTCOME: returned 22\n", "");
    folder.check("run b.c a.c", 0, "OUTCOME: returned 22\n", "");
    folder.check("run ab.ir", 0, "OUTCOME: returned 22\n", "");
    for files in ["a.c b.c c.c", "a.c b.c d.c"] {
        let done = folder.hardbop(&format!("lower {files}"));
        assert_eq!((done.code, done.stdout.as_str()), (65, ""), "{files}");
        assert!(done.stderr.contains("twice") && done.stderr.contains("error:"), "{}", done.stderr);
        assert!(
            done.stderr.contains("b.c:1:") && done.stderr.contains(".c:1:5"),
            "both are shown: {}",
            done.stderr
        );
    }
    let alone = "hardbop: p.ir: a program in text form stands alone\n";
    folder.check("lower a.c p.ir", 64, "", alone);
    // All files are read before giving up.
    folder.write("e.c", "int e = ;\n");
    folder.write("f.c", "int f = ;\n");
    let done = folder.hardbop("lower e.c a.c f.c");
    assert_eq!(done.code, 65);
    assert!(
        done.stderr.contains("e.c:1:9: error") && done.stderr.contains("f.c:1:9: error"),
        "{}",
        done.stderr
    );
}

#[test]
fn the_text_form_is_an_input_too() {
    let folder = Folder::new(&[("a.c", "int f(int x) { return x + 1; } int main(void) { return f(41); }\n")]);
    folder.check("lower a.c -m32 -o a.ir", 0, "", "");
    let again = folder.hardbop("lower --check a.ir");
    assert_eq!((again.code, again.stdout), (0, folder.read("a.ir")));
    folder.check("run a.ir", 0, "OUTCOME: returned 42\n", "");
    let stats: serde_json::Value =
        serde_json::from_str(&folder.hardbop("lower a.ir --json-stats").stdout).unwrap();
    assert_eq!(stats["data_model"], "ILP32");
}

#[test]
fn programs_without_an_entry_lower_but_do_not_run() {
    let folder = Folder::new(&[("a.c", "int f(void) { return 1; }\n"), ("comment.c", "/* nothing */\n")]);
    for (file, functions) in [("a.c", 1), ("comment.c", 0)] {
        let done = folder.hardbop(&format!("lower {file}"));
        assert_eq!((done.code, done.stderr.as_str()), (0, ""));
        assert_eq!(done.stdout.matches("\nfn ").count(), functions, "{}", done.stdout);
        let stats = folder.hardbop(&format!("lower --json-stats {file}"));
        let stats: serde_json::Value = serde_json::from_str(&stats.stdout).unwrap();
        assert!(stats["entry"].is_null());
        let reason = "there is no function `main` to start with; see --entry";
        folder.check(&format!("run {file}"), 65, "", &format!("hardbop: {file}: {reason}\n"));
    }
    folder.check("run a.c --entry f", 0, "OUTCOME: returned 1\n", "");
    folder.check("lower a.c -o a.ir", 0, "", "");
    folder.check("run a.ir", 65, "", "hardbop: a.ir: the program does not say where it starts\n");
}
