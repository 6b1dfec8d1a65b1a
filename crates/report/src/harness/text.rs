//! The C file of a harness.
//!
//! It includes no header, because a header may declare what the program leaves undefined and the harness
//! defines with another type. Functions are defined without prototypes: what they are called with does
//! not matter, and only the type of the result has to be right for the caller.

use std::fmt::Write;

use hardbop_ir::{FloatKind, Program, Property, Type};

use super::answers::{Answer, Answers, Giver, is_defined_elsewhere};
use super::{ASSUMPTION_STATUS, DIVERGED_STATUS, REACHED, REACHED_STATUS, Subject};

/// Functions and variables that the C library provides and a harness must leave alone: those that have a
/// meaning in Hardbop, so that nothing is drawn for them, and those that programs in C cannot do without.
const C_LIBRARY: &str = "\
    abort exit _exit _Exit quick_exit atexit at_quick_exit malloc calloc realloc reallocarray free alloca \
    memcpy memmove mempcpy memset bzero bcopy memcmp bcmp memchr memrchr strlen strnlen strcpy stpcpy strncpy \
    strcat strncat strcmp strncmp strcasecmp strncasecmp strcoll strchr strrchr strchrnul index rindex \
    strspn strcspn strpbrk strstr strdup strndup __strdup abs labs llabs atoi atol atoll strtol strtoul \
    strtoll strtoull isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace \
    isupper isxdigit toascii tolower toupper __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc \
    __errno_location printf vprintf puts putchar fprintf vfprintf fputs fputc putc _IO_putc perror fflush \
    dprintf __printf_chk __fprintf_chk syslog warn warnx pthread_create pthread_join pthread_exit \
    pthread_cancel pthread_detach thrd_create thrd_join setjmp _setjmp __sigsetjmp sigsetjmp longjmp \
    siglongjmp fork vfork stdin stdout stderr environ __environ optarg optind opterr optopt timezone daylight \
    tzname program_invocation_name program_invocation_short_name signgam main";

/// Whether a name is left to the C library.
pub(super) fn is_in_c_library(name: &str) -> bool {
    C_LIBRARY.split_ascii_whitespace().any(|known| known == name)
}

/// Functions with a meaning in Hardbop that no C library has: the definitions.
const OURS: [(&str, &str); 9] = [
    (
        "__VERIFIER_assume",
        "void __VERIFIER_assume(int condition) {\n  if (!condition)\n    stop(\"an assumption does not hold\", ASSUMPTION);\n}\n",
    ),
    (
        "__VERIFIER_assert",
        "void __VERIFIER_assert(int condition) {\n  if (!condition)\n    assertion_fails(0);\n}\n",
    ),
    ("assert", "void assert(int condition) {\n  if (!condition)\n    assertion_fails(0);\n}\n"),
    (
        "__assert_fail",
        "void __assert_fail(const char *text, const char *file, unsigned line, const char *function) {\n  \
         assertion_fails(function);\n}\n",
    ),
    ("__assert", "void __assert(const char *text, const char *file, int line) {\n  assertion_fails(0);\n}\n"),
    (
        "__assert_rtn",
        "void __assert_rtn(const char *function, const char *file, int line, const char *text) {\n  \
         assertion_fails(function);\n}\n",
    ),
    ("__VERIFIER_atomic_begin", "void __VERIFIER_atomic_begin() { }\n"),
    ("__VERIFIER_atomic_end", "void __VERIFIER_atomic_end() { }\n"),
    ("printk", "int printk() { return 0; }\n"),
];

/// Writes the file.
pub(super) fn write(
    subject: &Subject<'_>,
    property: &Property,
    answers: &Answers,
    outcome: &str,
    notes: &[String],
    not_reproduced: &[String],
) -> String {
    let mut out = head(subject, property, outcome, notes, not_reproduced);
    out += &ends(property, subject);
    for name in subject.undefined_functions {
        let function = match property {
            Property::ErrorFunction(error) if error == name => {
                format!("void {name}() {{ hardbop_reached(); }}\n")
            }
            _ => definition(subject.program, name, answers),
        };
        if !function.is_empty() {
            out.push('\n');
            out += &function;
        }
    }
    out += &objects(subject, answers);
    if subject.entry != "main" {
        out += &main_function(subject, answers);
    }
    out
}

fn head(
    subject: &Subject<'_>,
    property: &Property,
    outcome: &str,
    notes: &[String],
    not_reproduced: &[String],
) -> String {
    let model = match subject.program.data_model.pointer_bits() {
        32 => "-m32",
        _ => "-m64",
    };
    let mut lines = vec![
        format!("Makes {} take the inputs of a run that ended so:", subject.files.join(" ")),
        format!("  {outcome}"),
        String::new(),
        format!("  gcc {model} -O0 -fwrapv -fno-strict-aliasing {} THIS_FILE", subject.files.join(" ")),
        String::new(),
        format!("The executable prints \"{REACHED}\" and ends with status {REACHED_STATUS}."),
    ];
    if let Property::ErrorFunction(name) = property
        && !subject.undefined_functions.contains(name)
    {
        lines.push(format!(
            "If {name} of the program does not fail by an assertion, it does what it does instead."
        ));
    }
    lines.extend(notes.iter().map(|note| format!("To do: {note}.")));
    lines.extend(not_reproduced.iter().map(|lost| format!("Not reproduced: {lost}.")));
    let mut text = String::from("/*\n");
    for line in lines {
        // Nothing in a name may end the comment, or the line.
        let line = line.replace("*/", "* /").replace(|c: char| c.is_control(), "?");
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{}", format!(" * {line}").trim_end());
    }
    text + " */\n"
}

/// The ways to end.
fn ends(property: &Property, subject: &Subject<'_>) -> String {
    let on_assertion = match property {
        Property::Assertion(_) => "hardbop_reached();".to_owned(),
        // SV-COMP tasks define the error function by an assertion that fails.
        Property::ErrorFunction(name) if !subject.undefined_functions.contains(name) => {
            format!("if (function && strcmp(function, \"{name}\") == 0)\n    hardbop_reached();\n  abort();")
        }
        _ => "abort();".to_owned(),
    };
    format!(
        "\
#pragma GCC diagnostic ignored \"-Wbuiltin-declaration-mismatch\"

extern int dprintf(int, const char *, ...);
extern int fflush(void *);
extern int strcmp(const char *, const char *);
extern void _exit(int) __attribute__((noreturn));
extern void abort(void) __attribute__((noreturn));

enum {{ REACHED = {REACHED_STATUS}, DIVERGED = {DIVERGED_STATUS}, ASSUMPTION = {ASSUMPTION_STATUS} }};

static void stop(const char *why, int status) {{
  fflush(0);
  dprintf(2, \"hardbop: %s\\n\", why);
  _exit(status);
}}

void hardbop_reached(void) {{ stop(\"{}\", REACHED); }}

__attribute__((unused)) static void diverge(const char *function) {{
  fflush(0);
  dprintf(2, \"hardbop: another run: %s is called once more\\n\", function);
  _exit(DIVERGED);
}}

__attribute__((unused)) static void assertion_fails(const char *function) {{
  {on_assertion}
}}
",
        REACHED.trim_start_matches("hardbop: ")
    )
}

/// A function that the program does not define; empty if the C library does.
fn definition(program: &Program, name: &str, answers: &Answers) -> String {
    if let Some((_, ours)) = OURS.iter().find(|(known, _)| *known == name) {
        return (*ours).to_owned();
    }
    if is_in_c_library(name) {
        return String::new();
    }
    let calls = answers.functions.get(name).map(Vec::as_slice).unwrap_or_default();
    let Some(first) = calls.iter().flatten().next() else {
        return match calls.len() {
            0 => format!("long {name}() {{\n  diverge(\"{name}\");\n  return 0;\n}}\n"),
            _ => format!("void {name}() {{ }}\n"),
        };
    };
    let is_truth = name.ends_with("nondet_bool") || name.ends_with("nondet__Bool");
    let form = Form::of(program, first);
    let unseen = Answer { bits: 0, ..*first };
    let values = calls.iter().map(|call| {
        let call = call.unwrap_or(unseen);
        if is_truth { u8::from(call.bits != 0).to_string() } else { form.value(call.bits) }
    });
    let Form { result, element, cast, member, .. } = &form;
    format!(
        "{result} {name}() {{\n  static const {element} values[] = {{\n{}  }};\n  static unsigned next;\n  \
         if (next == sizeof values / sizeof *values)\n    diverge(\"{name}\");\n  return {cast}values[next++]{member};\n}}\n",
        wrapped(values)
    )
}

/// Values in lines of moderate length.
fn wrapped(values: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    let mut line = String::new();
    for value in values {
        if line.len() + value.len() > 90 {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "   {line}");
            line.clear();
        }
        line.push(' ');
        line += &value;
        line.push(',');
    }
    text + "   " + &line + "\n"
}

/// How values of a type are written in C.
struct Form {
    /// The type of the result.
    result: &'static str,
    /// The type of what stands in a list of values.
    element: &'static str,
    /// What leads from there to the value: before and behind it.
    cast: &'static str,
    member: &'static str,
    kind: Kind,
}

enum Kind {
    Integer { width: u32, signed: bool },
    Address,
    Bits,
    Extended,
}

impl Form {
    fn of(program: &Program, answer: &Answer) -> Form {
        let plain = |result, kind| Form { result, element: result, cast: "", member: "", kind };
        let union = |result, element, kind| Form { result, element, cast: "", member: ".value", kind };
        match answer.ty.map(|ty| program.ty(ty)) {
            Some(Type::Float(FloatKind::F32)) => {
                union("float", "union { unsigned bits; float value; }", Kind::Bits)
            }
            Some(Type::Float(FloatKind::F64)) => {
                union("double", "union { unsigned long long bits; double value; }", Kind::Bits)
            }
            Some(Type::Float(FloatKind::F80)) => union(
                "long double",
                "union { struct { unsigned long long low; unsigned short high; } bits; long double value; }",
                Kind::Extended,
            ),
            Some(Type::Pointer(_)) => Form {
                result: "void *",
                element: "unsigned long",
                cast: "(void *)",
                member: "",
                kind: Kind::Address,
            },
            ty => {
                let signed = matches!(ty, Some(Type::Machine { signed: true, .. }));
                let name = match (answer.width, signed) {
                    (0..=8, true) => "signed char",
                    (0..=8, false) => "unsigned char",
                    (9..=16, true) => "short",
                    (9..=16, false) => "unsigned short",
                    (17..=32, true) => "int",
                    (17..=32, false) => "unsigned",
                    (33..=64, true) => "long long",
                    (33..=64, false) => "unsigned long long",
                    (_, true) => "__int128",
                    (_, false) => "unsigned __int128",
                };
                plain(name, Kind::Integer { width: answer.width.clamp(1, 128).into(), signed })
            }
        }
    }

    /// A value of the type as C.
    fn value(&self, bits: u128) -> String {
        match self.kind {
            Kind::Bits => format!("{{{bits:#x}}}"),
            Kind::Extended => format!("{{{{{:#x}, {:#x}}}}}", bits as u64, (bits >> 64) as u16),
            Kind::Address => format!("{bits:#x}"),
            Kind::Integer { width, signed: true } => signed_literal(bits, width),
            Kind::Integer { width: 0..=32, .. } => format!("{bits}u"),
            Kind::Integer { width: 33..=64, .. } => format!("{bits}ull"),
            Kind::Integer { .. } => wide_literal(bits),
        }
    }
}

fn signed_literal(bits: u128, width: u32) -> String {
    let value = (bits << (128 - width)) as i128 >> (128 - width);
    match width {
        // The literal of the smallest number would not fit its type.
        0..=32 if value == i32::MIN.into() => "(-2147483647 - 1)".to_owned(),
        0..=32 => value.to_string(),
        33..=64 if value == i64::MIN.into() => "(-9223372036854775807ll - 1)".to_owned(),
        33..=64 => format!("{value}ll"),
        _ => wide_literal(bits),
    }
}

fn wide_literal(bits: u128) -> String {
    format!("((unsigned __int128){:#x}ull << 64 | {:#x}ull)", (bits >> 64) as u64, bits as u64)
}

/// The variables that the program does not define, with what was read from them.
fn objects(subject: &Subject<'_>, answers: &Answers) -> String {
    let program = subject.program;
    let mut out = String::new();
    for name in subject.undefined_objects.iter().filter(|name| !is_in_c_library(name)) {
        let variable = program.globals.iter().copied().find(|&variable| {
            program.variables[variable].name == *name && is_defined_elsewhere(subject, variable)
        });
        let (size, align) = variable.map_or((1, 1), |variable| {
            let variable = &program.variables[variable];
            (program.size_of(variable.ty).max(1), variable.align.max(16))
        });
        // Writing to a String cannot fail.
        let _ = write!(out, "\nunsigned char {name}[{size}] __attribute__((aligned({align})))");
        let bytes: Vec<String> = answers
            .given
            .iter()
            .filter_map(|(giver, given)| match giver {
                Giver::Object(object, offset) if Some(*object) == variable => Some((*offset, given.first()?)),
                _ => None,
            })
            .flat_map(|(offset, answer)| {
                let bytes = u64::from(answer.width.div_ceil(8));
                let byte = move |i: u64| ((answer.bits >> (8 * i)) as u8, offset + i);
                (0..bytes).map(byte).filter(|(byte, _)| *byte != 0)
            })
            .map(|(byte, at)| format!("[{at}] = {byte:#x}"))
            .collect();
        if !bytes.is_empty() {
            let _ = write!(out, " = {{\n{}}}", wrapped(bytes.into_iter()));
        }
        out += ";\n";
    }
    out
}

/// Starts an entry that is not `main`.
fn main_function(subject: &Subject<'_>, answers: &Answers) -> String {
    let given = answers.given.get(&Giver::EntryArgument).map(Vec::as_slice).unwrap_or_default();
    let forms: Vec<Form> = given.iter().map(|answer| Form::of(subject.program, answer)).collect();
    let types: Vec<&str> = forms.iter().map(|form| form.result).collect();
    let types = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
    let entry = subject.entry;
    let mut out = format!("\nextern void {entry}({types});\n\nint main(void) {{\n");
    let mut arguments = Vec::new();
    for (i, (form, answer)) in forms.iter().zip(given).enumerate() {
        let Form { element, cast, member, .. } = form;
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  static const {element} value_{i}[] = {{{}}};", form.value(answer.bits));
        arguments.push(format!("{cast}value_{i}[0]{member}"));
    }
    let _ = write!(out, "  {entry}({});\n  return 0;\n}}\n", arguments.join(", "));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_ir::DataModel;

    fn value(ty: Type, bits: u128, width: u16) -> (&'static str, String) {
        let mut program = Program::new(DataModel::Lp64);
        let ty = Some(program.intern_type(ty));
        let form = Form::of(&program, &Answer { bits, width, ty });
        (form.result, form.value(bits))
    }

    fn integer(bits: u128, width: u16, signed: bool) -> (&'static str, String) {
        value(Type::Machine { width, signed }, bits, width)
    }

    #[test]
    fn values_are_literals_of_their_types() {
        assert_eq!(integer(0x80, 8, true), ("signed char", "-128".into()));
        assert_eq!(integer(0xffff, 16, false), ("unsigned short", "65535u".into()));
        assert_eq!(integer(0x8000_0000, 32, true), ("int", "(-2147483647 - 1)".into()));
        assert_eq!(integer(0xffff_ffff, 32, false), ("unsigned", "4294967295u".into()));
        assert_eq!(integer(1 << 63, 64, true), ("long long", "(-9223372036854775807ll - 1)".into()));
        let wide = "((unsigned __int128)0xffffffffffffffffull << 64 | 0xfffffffffffffffeull)";
        assert_eq!(integer(u128::MAX - 1, 128, true), ("__int128", wide.into()));
        assert_eq!(value(Type::Float(FloatKind::F32), 0x3f80_0000, 32), ("float", "{0x3f800000}".into()));
        let extended = value(Type::Float(FloatKind::F80), 0x3fff_8000_0000_0000_0000, 80);
        assert_eq!(extended, ("long double", "{{0x8000000000000000, 0x3fff}}".into()));
    }

    #[test]
    fn long_lists_are_broken_into_lines() {
        let text = wrapped((0..100).map(|i| i.to_string()));
        assert!(text.lines().count() > 3 && text.lines().all(|line| line.len() < 110), "{text}");
        let numbers: Vec<&str> = text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
        assert_eq!(numbers.len(), 100);
    }

    #[test]
    fn comments_stay_comments() {
        let program = Program::new(DataModel::Lp64);
        let files = ["a*/b.c".to_owned()];
        let subject = Subject {
            program: &program,
            entry: "main",
            files: &files,
            undefined_functions: &[],
            undefined_objects: &[],
        };
        let property = Property::Assertion("x */ \n #include".into());
        let text = head(&subject, &property, "x */\n#include <evil>", &[], &[]);
        assert_eq!(text.matches("*/").count(), 1);
        assert!(text.lines().all(|line| line.starts_with(" *") || line == "/*"), "{text}");
    }
}
