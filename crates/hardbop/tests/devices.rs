//! `hardbop check` on programs that talk to devices: constants that are used as addresses, `--mmio`, and `--volatile`.
//! Each property has a twin that is broken, and both data models are tried.

mod common;

use common::Folder;

const DECLARATIONS: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void); void *malloc(__SIZE_TYPE__);
#define REG (*(volatile unsigned *)0x40001000)
";

fn report(text: &str, options: &str) -> String {
    let folder = Folder::new(&[("a.c", format!("{DECLARATIONS}{text}"))]);
    folder.hardbop(&format!("check a.c {options}")).stdout
}

#[track_caller]
fn decides(text: &str, options: &str, verdict: &str) -> String {
    let mut all = String::new();
    for model in ["-m32", "-m64"] {
        all = report(text, &format!("{model} {options}"));
        let last = all.lines().last().unwrap_or_default();
        assert_eq!(last, format!("VERDICT: {verdict}"), "{text} {model}\n{all}");
    }
    all
}

#[test]
fn a_register_gives_anything_each_time() {
    decides("int main(void) { if (REG != REG) reach_error(); }", "", "FALSE");
    decides("int main(void) { REG = 5; if (REG != 5) reach_error(); }", "", "FALSE");
    decides(
        "int main(void) { unsigned x = REG; if ((x & 3) > 3) reach_error(); REG |= 1; REG++; }",
        "",
        "TRUE",
    );
    decides("int main(void) { int x = (REG = 5); if (x != 5) reach_error(); }", "", "TRUE");
    let trace = decides("int main(void) {\n unsigned x = REG;\n if (x == 7) reach_error(); }", "", "FALSE");
    assert!(trace.contains("device register 0x40001000 = 7"), "{trace}");
}

#[test]
fn registers_of_a_record_and_of_an_array() {
    let uart = "struct uart { volatile unsigned sr, dr; };\n#define UART ((struct uart *)0x40001000)\n";
    let main = "int main(void) { if (!(UART->sr & 1)) return 0; if (UART->dr == 0x41) reach_error(); }";
    let trace = decides(&format!("{uart}{main}"), "", "FALSE");
    assert!(trace.contains("device register 0x40001004 = 65"), "{trace}");
    let fields = "struct r { unsigned a : 3, b : 5; };\n#define R ((volatile struct r *)0x40001000)\n";
    decides(&format!("{fields}int main(void) {{ if (R->a > 7 || R->b > 31) reach_error(); }}"), "", "TRUE");
    decides(
        &format!("{fields}int main(void) {{ if (R->a == 7 && R->b == 31) reach_error(); }}"),
        "",
        "FALSE",
    );
    let truth =
        "int main(void) { _Bool b = *(volatile _Bool *)0x40001000; if (b != 0 && b != 1) reach_error(); }";
    decides(truth, "", "TRUE");
    let index =
        "int main(void) { unsigned i = __VERIFIER_nondet_uchar(); if ((&REG)[i] == 9) reach_error(); }";
    decides(index, "", "FALSE");
}

#[test]
fn a_pointer_leads_to_an_object_or_to_a_device() {
    let read = "volatile int flag; int get(volatile int *p) { return *p; }";
    // Runs of programs for 32 bits put their objects at this address otherwise.
    let main = "int main(void) { flag = 3; int x = get((volatile int *)0x10000000); if (get(&flag) != 3)
      reach_error(); return x; }";
    let proof = decides(&format!("{read}{main}"), "", "TRUE");
    assert!(proof.contains("assuming: a constant that is used as an address"), "{proof}");
    decides(&format!("{read}{}", main.replace("get(&flag) != 3", "x != 3")), "", "FALSE");
    let pick = "volatile int v; int main(void) {
      volatile int *p = __VERIFIER_nondet_int() ? &v : (volatile int *)0x40001000; v = 0; *p = 4;
      if (CONDITION) reach_error(); }";
    decides(&pick.replace("CONDITION", "v != 4 && v != 0 || v == 4 && *p != 4"), "", "TRUE");
    decides(&pick.replace("CONDITION", "v == 0 && *p == 5"), "", "FALSE");
    let heap = "int main(void) { volatile int *p = malloc(sizeof *p); if (!p) return 0; *p = 4; REG = 5;
      *(volatile int *)(0 ? p : (void *)0x40002000) = 6; if (*p != 4) reach_error(); }";
    decides(heap, "", "TRUE");
}

#[test]
fn nothing_is_read_where_nothing_is_evaluated() {
    let text = "int main(void) { volatile int *p = 0, *q = (volatile int *)0x40001000; int x = p ? *p : 1;
      int y = (q && *q) ? 2 : 3; if (x != 1 || CONDITION) reach_error(); }";
    decides(&text.replace("CONDITION", "y != 2 && y != 3"), "", "TRUE");
    decides(&text.replace("CONDITION", "y == 3"), "", "FALSE");
    // Null is no device.
    decides("int main(void) { volatile int *p = 0; (void)REG; *p = 1; reach_error(); }", "", "TRUE");
}

#[test]
fn ranges_can_be_declared() {
    let text = "unsigned long base = 0x40000000; int main(void) {
      if (*(volatile unsigned *)(base + 0x1000) == 9) reach_error(); }";
    let unknown = decides(text, "", "UNKNOWN");
    assert!(unknown.contains("0x40001000"), "{unknown}");
    decides(text, "--mmio 0x40000000-0x4000ffff", "FALSE");
    decides(text, "--mmio 0x20000000+16 --mmio 0x40001000+4", "FALSE");
    decides(text, "--mmio 0x40001004+4", "UNKNOWN");
    let proof = decides(&text.replace("== 9", "> 0xffffffff"), "--mmio 0x40000000-0x4000ffff", "TRUE");
    assert!(proof.contains("assuming: devices lie at 0x40000000-0x4000ffff"), "{proof}");
    // What is not volatile is a device only by declaration.
    let plain = "int main(void) { if (*(int *)0x40001000 == 3) reach_error(); }";
    decides(plain, "", "UNKNOWN");
    decides(plain, "--mmio 0x40001000+4", "FALSE");
}

#[test]
fn bad_ranges_are_wrong_usage() {
    let folder = Folder::new(&[("a.c", "int main(void) { return 0; }"), ("a.x", "proc main() { }")]);
    for range in ["5-4", "0x1000", "0x1000+0", "x-y", "0x1000-0x2000-0x3000"] {
        let done = folder.hardbop(&format!("check a.c --mmio {range}"));
        assert_eq!(done.code, 64, "{range}: {done:?}");
        assert!(done.stderr.contains("--mmio"), "{done:?}");
    }
    let done = folder.hardbop("check a.c -m32 --mmio 0-0x100000000");
    assert_eq!((done.code, done.stderr.contains("ILP32 has no addresses beyond")), (64, true), "{done:?}");
    assert_eq!(folder.hardbop("check a.x --mmio 4096+4").code, 64);
    assert_eq!(folder.hardbop("check a.x --volatile arbitrary").code, 64);
    assert_eq!(folder.hardbop("check a.c --volatile maybe").code, 64);
}

#[test]
fn volatile_objects_are_memory_or_anything() {
    let text =
        "volatile int x; int g; int main(void) { g = 1; x = 1; int y = x; if (CONDITION) reach_error(); }";
    decides(&text.replace("CONDITION", "y != 1"), "", "TRUE");
    let trace = decides(&text.replace("CONDITION", "y != 1"), "--volatile arbitrary", "FALSE");
    assert!(trace.contains("volatile x = "), "{trace}");
    let proof = decides(&text.replace("CONDITION", "g != 1"), "--volatile arbitrary", "TRUE");
    assert!(proof.contains("assuming: volatile objects are changed by others"), "{proof}");
    let member = "struct s { volatile int a; int b; } s; int main(void) { s.a = 1; s.b = 2; if (MEMBER) reach_error(); }";
    decides(&member.replace("MEMBER", "s.a != 1"), "--volatile arbitrary", "FALSE");
    decides(&member.replace("MEMBER", "s.b != 2"), "--volatile arbitrary", "TRUE");
}

#[test]
fn proofs_name_the_devices() {
    let folder = Folder::new(&[(
        "a.c",
        format!("{DECLARATIONS}int main(void) {{ if (REG % 2 > 1) reach_error(); }}"),
    )]);
    assert_eq!(folder.hardbop("check a.c --mmio 4096+4 --proof p").code, 0);
    assert_eq!(folder.hardbop("certify a.c --proof p --mmio 4096+4").code, 0);
    let other = folder.hardbop("certify a.c --proof p");
    assert_eq!(other.code, 65, "{other:?}");
}
