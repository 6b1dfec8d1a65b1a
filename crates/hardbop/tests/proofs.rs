//! `check --proof` and `certify`, as a user sees them.

mod common;

use common::{Done, Folder};

const DOCUMENT: &str = include_str!("../../../docs/proof.md");

/// The blocks of a language, in order.
fn blocks(language: &str) -> Vec<&'static str> {
    let start = format!("```{language}\n");
    DOCUMENT.split(start.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap_or_default()).collect()
}

const FALSE: &str = "extern int __VERIFIER_nondet_int(void); void reach_error(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 77) reach_error();
  return 0;
}
";

/// The document's program, with its proof.
fn lock() -> Folder {
    let folder = Folder::new(&[("lock.c", blocks("c")[0])]);
    let done = folder.hardbop("check lock.c --proof lock.proof");
    assert_eq!(done.code, 0, "{done:?}");
    folder
}

/// The hash of the program's text form, which changes with lowering.
fn without_program(proof: &str) -> String {
    proof.lines().filter(|line| !line.starts_with("program sha256")).map(|line| format!("{line}\n")).collect()
}

/// A solver may find another state.
fn without_values(text: &str) -> String {
    text.lines().map(|line| line.split(" = ").next().unwrap_or_default().to_owned() + "\n").collect()
}

#[test]
fn the_document_shows_what_is_written() {
    let folder = lock();
    assert_eq!(without_program(&folder.read("lock.proof")), without_program(blocks("proof")[0]));
    let answers = blocks("text");
    let done = folder.hardbop("certify lock.c --proof lock.proof");
    assert_eq!(done, Done { code: 0, stdout: answers[0].to_owned(), stderr: String::new() });
    let weak = folder.read("lock.proof").replacen("\"lock.c:10:9\": p0", "\"lock.c:10:9\": true", 1);
    folder.write("weak.proof", weak);
    let done = folder.hardbop("certify lock.c --proof weak.proof");
    assert_eq!((done.code, done.stderr.as_str()), (1, ""));
    assert_eq!(without_values(&done.stdout), without_values(answers[1]));
}

#[test]
fn every_kind_is_written_and_accepted() {
    let bounded = "extern void reach_error(void);
int main(void) { int s = 0; for (int k = 0; k < 3; k++) s += k; if (s != 3) reach_error(); return 0; }\n";
    let cases = [
        ("check lock.c", "invariants", "TRUE by invariants"),
        ("check lock.c --engine wp", "backward", "TRUE by a proof that goes backwards"),
        ("check sum.c", "unrolled", "TRUE, as all runs are bounded"),
        ("check find.c", "run", "FALSE by a run"),
    ];
    let folder = Folder::new(&[("lock.c", blocks("c")[0]), ("sum.c", bounded), ("find.c", FALSE)]);
    for (command, kind, claim) in cases {
        folder.hardbop(&format!("{command} --proof a.proof"));
        let proof = folder.read("a.proof");
        assert!(proof.starts_with(&format!("proof 1 {kind};\n")), "{proof}");
        let file = command.split(' ').nth(1).unwrap();
        let done = folder.hardbop(&format!("certify {file} --proof a.proof"));
        assert_eq!(done.code, 0, "{done:?}");
        assert!(done.stdout.starts_with(&format!("PROOF: ACCEPTED\n{claim}: ")), "{done:?}");
    }
}

#[test]
fn programs_that_are_no_c_have_proofs() {
    let x = "main() { i: int; i := 0; while ? do i := i + 1; assert i >= 0 }\n";
    let folder = Folder::new(&[("up.x", x)]);
    assert_eq!(folder.hardbop("check up.x --proof up.proof").code, 0);
    assert_eq!(folder.hardbop("certify up.x --proof up.proof").code, 0);
    let done = folder.hardbop("certify up.x --overflow wrap --proof up.proof");
    assert_eq!(done.code, 65);
    assert!(done.stderr.contains("overflow is `wrap 32`, not `never`"), "{done:?}");
    folder.write("lock.c", blocks("c")[0]);
    assert_eq!(folder.hardbop("lower lock.c -o lock.ir").code, 0);
    assert_eq!(folder.hardbop("check lock.ir --proof ir.proof").code, 0);
    assert_eq!(folder.hardbop("certify lock.ir --proof ir.proof").code, 0);
}

#[test]
fn proofs_of_other_programs_are_refused_by_name() {
    let folder = lock();
    folder.write("other.c", blocks("c")[0].replace("locked = 0;", "locked = 0 ;"));
    let cases = [
        ("other.c", "it is about another file: `other.c` is not the `lock.c` that it names"),
        ("lock.c -m32", "data-model is `ILP32`, not `LP64`"),
        ("lock.c --entry lock", "entry is `lock`, not `main`"),
        ("lock.c --externals pure", "externals is `pure`, not `havoc`"),
        ("lock.c --malloc never-fails", "malloc is `never-fails`, not `may-fail`"),
        ("lock.c --error-label L", "error-function is none, not `reach_error`, `__VERIFIER_error`"),
        ("lock.c other.c", "it is about a program of 1 files, not of 2"),
    ];
    for (arguments, message) in cases {
        let done = folder.hardbop(&format!("certify {arguments} --proof lock.proof"));
        // Two definitions of one function are an error of their own.
        if arguments != "lock.c other.c" {
            assert!(done.stderr.contains(message), "{done:?}");
        }
        assert_eq!((done.code, done.stdout.as_str()), (65, ""), "{done:?}");
    }
    folder.write("lock.c", blocks("c")[0].replace("again", "repeat"));
    let done = folder.hardbop("certify lock.c --proof lock.proof");
    assert_eq!(done.code, 65);
    assert!(done.stderr.contains("other contents: `lock.c`"), "{done:?}");
}

#[test]
fn malformed_proofs_are_shown_with_their_place() {
    let folder = lock();
    let proof = folder.read("lock.proof");
    let cases: [(String, &str); 7] = [
        (proof.replacen("proof 1", "proof 7", 1), "bad.proof:1:7: error: the format has version 7"),
        (proof.replacen("locked == 0", "lokked == 0", 1), "error: `lokked` is not known here"),
        (proof[..proof.len() / 2].to_owned(), "bad.proof:"),
        (proof.replacen("p0;\n  exit", "p0\n  exit", 1), "expected `;`, found `exit`"),
        (format!("{proof}more"), "expected `relations` or the end of the text, found `more`"),
        ("\u{feff}proof 1".to_owned(), "bad.proof:1:1: error: this character means nothing here"),
        ("/* proof".to_owned(), "this comment is not closed"),
    ];
    for (text, message) in cases {
        folder.write("bad.proof", text);
        let done = folder.hardbop("certify lock.c --proof bad.proof");
        assert_eq!((done.code, done.stdout.as_str()), (65, ""), "{done:?}");
        assert!(done.stderr.contains(message), "{message}: {done:?}");
    }
    for (bytes, message) in
        [(&b"proof 1 \xff"[..], "not valid UTF-8"), (b"", "file is empty"), (b"a\0", "NUL byte")]
    {
        folder.write("bad.proof", bytes);
        let done = folder.hardbop("certify lock.c --proof bad.proof");
        assert_eq!(done.code, 65, "{done:?}");
        assert!(done.stderr.contains(message), "{done:?}");
    }
    assert_eq!(folder.hardbop("certify lock.c --proof none.proof").code, 65);
}

#[test]
fn a_proof_is_for_its_verdict_only() {
    let folder = Folder::new(&[("find.c", FALSE)]);
    assert_eq!(folder.hardbop("check find.c --proof find.proof").code, 1);
    let proof = folder.read("find.proof");
    folder.write("other.proof", proof.replacen("  77 bits", "  78 bits", 1));
    let done = folder.hardbop("certify find.c --proof other.proof");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stdout.starts_with("PROOF: REFUSED\nthe run does not reach an error"), "{done:?}");
    // Nobody is talked into TRUE.
    let end = proof.find("steps").unwrap();
    folder
        .write("true.proof", proof[..end].replacen("proof 1 run", "proof 1 unrolled", 1) + "steps 100000;\n");
    let done = folder.hardbop("certify find.c --proof true.proof");
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.stdout.starts_with("PROOF: REFUSED\nan error may be reached"), "{done:?}");
}

#[test]
fn limits_and_unwritable_files() {
    let folder = lock();
    let done = folder.hardbop("certify lock.c --proof lock.proof --timeout 1ms");
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.stdout.starts_with("PROOF: UNKNOWN\n"), "{done:?}");
    let done = folder.hardbop("check lock.c --proof no/such/folder/lock.proof");
    assert_eq!(done.code, 64, "{done:?}");
    let done = folder.hardbop_with("check - --proof other.proof", FALSE);
    assert_eq!((done.code, done.stdout.as_str()), (64, ""), "{done:?}");
    assert!(done.stderr.contains("not for standard input"), "{done:?}");
    let done = folder.hardbop("certify lock.c --proof lock.proof --memory 1M");
    assert_eq!((done.code, done.stdout.as_str()), (2, "PROOF: UNKNOWN\nmemory limit reached\n"), "{done:?}");
    assert_eq!(folder.names(), ["lock.c", "lock.proof"]);
}

/// A task definition names the files, the data model and the property.
#[test]
fn tasks_have_proofs() {
    let folder = lock();
    let task = "format_version: '2.0'\ninput_files: 'lock.c'\nproperties:\n  - property_file: unreach.prp\n    \
                expected_verdict: true\noptions:\n  language: C\n  data_model: ILP32\n";
    folder.write("unreach.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    folder.write("lock.yml", task);
    let done = folder.hardbop("check lock.yml --proof task.proof");
    assert_eq!(done.code, 0, "{done:?}");
    let proof = folder.read("task.proof");
    assert!(proof.contains("option data-model \"ILP32\";\noption entry \"main\";\n"), "{proof}");
    assert!(proof.contains("option malloc \"never-fails\";"), "{proof}");
    assert_eq!(folder.hardbop("certify lock.yml --proof task.proof").code, 0);
    assert_eq!(folder.hardbop("certify lock.c -m32 --property unreach.prp --proof task.proof").code, 0);
    assert_eq!(folder.hardbop("certify lock.c --proof task.proof").code, 65);
}

#[test]
fn no_verdict_has_no_proof() {
    let text = "extern int nondet(void); extern void reach_error(void);
int main(void) { int x = nondet(); __asm__(\"nop\" : \"+r\"(x)); if (x * x * x == 41) reach_error(); return 0; }\n";
    let folder = Folder::new(&[("odd.c", text)]);
    let done = folder.hardbop("check odd.c --timeout 1ms --proof odd.proof");
    assert_eq!(done.code, 2, "{done:?}");
    assert_eq!(folder.names(), ["odd.c"]);
}
