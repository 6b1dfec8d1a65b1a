//! What fuzzing found, shrunk: any text is rejected with a message, or becomes a program that satisfies
//! the verifier, comes back from its text form and runs.

use hardbop_base::{DataModel, Id, Sources};
use hardbop_ir::interpret::{Interpreter, Limits, RunOptions, SeededInputs};
use hardbop_ir::{self as ir};

/// Checks a text for both data models; the name of how it ends for LP64, or the errors.
#[track_caller]
fn check(text: &str) -> String {
    ends(text, DataModel::Ilp32);
    ends(text, DataModel::Lp64)
}

#[track_caller]
fn ends(text: &str, model: DataModel) -> String {
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(model);
    let unit = match hardbop_syntax::parse_bytes(&mut sources, "input.c", text.as_bytes(), &options).1 {
        Ok((unit, _)) => unit,
        Err(errors) => return errors.render(&sources),
    };
    let program =
        match hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::LowerOptions::default()) {
            Ok(program) => program,
            Err(errors) => return errors.render(&sources),
        };
    let violations: Vec<String> = ir::verify(&program).iter().map(|v| v.show(&program)).collect();
    assert_eq!(violations, [""; 0]);
    let printed = ir::text::print(&program);
    match ir::text::parse(Id::from_usize(0), &printed) {
        Ok(again) => assert_eq!(ir::text::print(&again), printed),
        Err(errors) => panic!("{errors:?}\n{printed}"),
    }
    if program.entry.is_none() {
        return "no entry".to_owned();
    }
    let limits = Limits { steps: 20_000, memory: 4 << 20, ..Limits::default() };
    let options = RunOptions { limits, ..RunOptions::default() };
    let run = Interpreter::new(&program).run(&mut SeededInputs::new(1), options);
    run.outcome.name().to_owned()
}

#[test]
fn records_of_variable_size_are_unsupported() {
    let in_main = |body: &str| check(&format!("int main(void) {{ int n = 3; {body} return 0; }}"));
    assert_eq!(in_main("struct { int a[n]; int b; } s; s.b = 1;"), "unsupported");
    assert_eq!(in_main("struct { int a[n]; int b; } *p = 0; p->b = 1;"), "unsupported");
    assert_eq!(in_main("struct { int a[n]; int b; } *p = 0; p++;"), "unsupported");
    assert_eq!(in_main("struct { int a[n]; int b; } *p = 0; return p - p;"), "unsupported");
}

#[test]
fn an_object_of_type_void_has_an_address() {
    assert_eq!(check("extern void x; int main(void) { return &x == 0; }"), "returned");
    assert_eq!(check("int main(void) { extern void x; (void)x; return (char *)&x == 0; }"), "returned");
}

#[test]
fn constructors_with_parameters_are_unsupported() {
    for mark in ["constructor", "destructor"] {
        let text =
            format!("__attribute__(({mark})) static void f(int n) {{ }} int main(void) {{ return 0; }}");
        assert_eq!(check(&text), "unsupported");
    }
}

#[test]
fn main_may_have_strange_parameters() {
    for parameters in [
        "int n, float f",
        "int n, struct s s",
        "struct s s",
        "int n, char **v, _Bool b",
        "float f",
        "int n, ...",
    ] {
        check(&format!("struct s {{ int x; }}; int main({parameters}) {{ return 0; }}"));
    }
    check("int main(n, s) struct s { int x; } s; { return s.x; }");
    check("struct s { int x; }; int main(int n, struct s s) { return s.x; }");
    check("int main(int n, float f, double d, long double l, __int128 i) { return f + d + l + i; }");
    check("struct s { int x[3]; } main(void) { struct s s = { 1 }; return s; }");
    check("float main(void) { return 1; }");
    check("static void main(void) { }");
    check("__attribute__((weak)) int main(void); int main(void) { return main(); }");
}

#[test]
fn bit_fields_of_more_than_64_bits_are_unsupported() {
    let text = "struct { __int128 i : 100; } s; int main(void) { s.i = -1; return s.i == -1; }";
    assert_eq!(ends(text, DataModel::Lp64), "unsupported");
}

#[test]
fn atomic_operations_on_aggregates_are_unsupported() {
    let text = "int main(void) { struct { int a, b; } s, t; __atomic_load(&s, &t, 5); return t.a; }";
    assert_eq!(check(text), "unsupported");
}

#[test]
fn library_functions_may_be_declared_otherwise() {
    for (declaration, call) in [
        ("float memcpy(float)", "memcpy(0)"),
        ("float memcpy(float, float, float)", "memcpy(0, 0, 0)"),
        ("struct s memcpy(struct s, int, double)", "memcpy(s, 0, 0).x"),
        ("int memcpy(int, int, int)", "memcpy(0, 0, 0)"),
        ("struct s memset(int, struct s, struct s)", "memset(0, s, s).x"),
        ("struct s free(int)", "free(0).x"),
        ("float free(void *)", "free(0)"),
        ("float free(float)", "free(0)"),
        ("struct s exit(int)", "exit(0).x"),
        ("float exit(struct s)", "exit(s)"),
        ("struct s malloc(struct s)", "malloc(s).x"),
        ("float malloc(float)", "malloc(0)"),
        ("struct s abort(void)", "abort().x"),
        ("float assert(struct s)", "assert(s)"),
        ("struct s assert(float)", "assert(0).x"),
        ("struct s __VERIFIER_assume(struct s)", "__VERIFIER_assume(s).x"),
        ("float strlen(struct s)", "strlen(s)"),
        ("float strcpy(float, float)", "strcpy(0, 0)"),
        ("struct s __hardbop_copy_object(struct s, int)", "__hardbop_copy_object(s, 0).x"),
        ("struct s __hardbop_fill(int, int, int)", "__hardbop_fill(0, 0, 0).x"),
        ("float pthread_create(float)", "pthread_create(0)"),
        ("struct s printf(struct s)", "printf(s).x"),
        ("_Bool __VERIFIER_nondet_bool(struct s)", "__VERIFIER_nondet_bool(s)"),
        ("struct s __VERIFIER_nondet_bool(int)", "__VERIFIER_nondet_bool(0).x"),
        ("void calloc(void)", "(calloc(), 0)"),
        ("struct s realloc(struct s, ...)", "realloc(s).x"),
        ("float memcmp()", "memcmp()"),
    ] {
        check(&format!("struct s {{ int x; }} s; {declaration}; int main(void) {{ return {call}; }}"));
    }
}

#[test]
fn arguments_of_odd_library_calls_are_evaluated_once() {
    let text = "void free(int); static int n; int main(void) { free(n++ * 0); return n == 1 ? 0 : 1 / 0; }";
    assert_eq!(check(text), "returned");
}

fn with_cleanup(function: &str) -> String {
    check(&format!(
        "struct s {{ int x; }}; {function} int main(void) {{ __attribute__((cleanup(f))) int x = 3; return x; }}"
    ))
}

#[test]
fn cleanup_functions_may_be_declared_otherwise() {
    for function in ["void f(int *p, int q) { }", "void f(float p) { }", "int f() { }", "int f(struct s p);"]
    {
        let rejected = with_cleanup(function);
        assert!(rejected.contains("takes one argument"), "{rejected}");
    }
    assert_eq!(with_cleanup("int f(int *p, ...);"), "returned");
    assert_eq!(with_cleanup("int f(int *p, ...) { return *p; }"), "returned");
}

#[test]
fn cleanup_functions_may_be_defined_otherwise() {
    for (parameters, outcome) in [
        ("int *p, int q", "returned"),
        ("int *p, float q, struct s r", "returned"),
        ("void", "returned"),
        ("", "returned"),
        ("long p", "returned"),
        ("int *p, ...", "returned"),
        ("float p", "unsupported"),
        ("struct s p", "unsupported"),
    ] {
        let text = format!("void g({parameters}) {{ }} void f(int *) __attribute__((alias(\"g\")));");
        assert_eq!(with_cleanup(&text), outcome, "{parameters}");
    }
}

#[test]
fn cleanup_functions_are_called_as_others_are() {
    for (function, outcome) in
        [("void reach_error(void *)", "error"), ("void pthread_exit(void *)", "unsupported")]
    {
        let name = function.split([' ', '(']).nth(1).expect("a name");
        let text =
            format!("{function}; int main(void) {{ __attribute__((cleanup({name}))) int x = 3; return x; }}");
        assert_eq!(check(&text), outcome);
    }
}

#[test]
fn an_object_is_no_function() {
    assert_eq!(check("int main;"), "no entry");
    assert_eq!(check("int strlen; int main(void) { return __builtin_strlen(\"abc\"); }"), "returned");
    let alias = check("int x; void f(void) __attribute__((alias(\"x\"))); int main(void) { return f == 0; }");
    assert!(alias.contains("one is a function, the other an object"), "{alias}");
    let clash = check("void f(void) { extern int x; } int main(void) { void x(void); x(); return 0; }");
    assert!(clash.contains("error"), "{clash}");
}

#[test]
fn the_library_does_not_see_what_the_program_names_alike() {
    let text = "int strlen = 7; char *strdup(const char *); int strcmp(const char *, const char *);
        int main(void) { char *p = strdup(\"abc\"); if (p && (strcmp(p, \"abc\") || strlen != 7)) __builtin_trap(); }";
    assert_eq!(check(text), "returned");
}
