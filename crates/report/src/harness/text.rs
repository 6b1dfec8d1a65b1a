//! The C file of a harness.
//!
//! It includes no header, because a header may declare what the program leaves undefined and the harness
//! defines with another type. Functions are defined without prototypes: what they are called with does
//! not matter, and only the type of the result has to be right for the caller. Everything has a name of its
//! own in C and its real name for the linker, so that the program may stand in the same file.

use std::fmt::Write;

use hardbop_ir::interpret::OutsideMemory;
use hardbop_ir::{FloatKind, Program, Property, Type};
use hardbop_lower::is_standard;

use super::answers::{Answer, Answers, ValueSource, is_defined_elsewhere};
use super::copy::Copy;
use super::{ASSUMPTION_STATUS, DIVERGED_STATUS, REACHED, REACHED_STATUS, Subject};

/// Functions with a meaning in Hardbop that no C library has: the parameters, the result and the body.
const OWN_FUNCTIONS: [(&str, &str, &str, &str); 9] = [
    (
        "__VERIFIER_assume",
        "int condition",
        "void",
        "\n  if (!condition)\n    hardbop_stop(\"an assumption does not hold\", HARDBOP_ASSUMPTION);\n",
    ),
    ("__VERIFIER_assert", "int condition", "void", "\n  if (!condition)\n    hardbop_assertion_fails(0);\n"),
    ("assert", "int condition", "void", "\n  if (!condition)\n    hardbop_assertion_fails(0);\n"),
    (
        "__assert_fail",
        "const char *text, const char *file, unsigned line, const char *function",
        "void",
        " hardbop_assertion_fails(function); ",
    ),
    ("__assert", "const char *text, const char *file, int line", "void", " hardbop_assertion_fails(0); "),
    (
        "__assert_rtn",
        "const char *function, const char *file, int line, const char *text",
        "void",
        " hardbop_assertion_fails(function); ",
    ),
    ("__VERIFIER_atomic_begin", "", "void", " "),
    ("__VERIFIER_atomic_end", "", "void", " "),
    ("printk", "", "int", " return 0; "),
];

/// A function whose name is `name` for the linker.
fn function(result: &str, name: &str, parameters: &str, body: &str) -> String {
    format!(
        "{result} hardbop_is_{name}({parameters}) __asm__(\"{name}\");\n{result} hardbop_is_{name}({parameters}) {{{body}}}\n"
    )
}

/// What a harness is made of.
pub(super) struct HarnessParts<'a> {
    pub(super) property: &'a Property,
    pub(super) answers: &'a Answers,
    pub(super) copy: Option<&'a Copy<'a>>,
    pub(super) outcome: &'a str,
}

/// Writes the file.
pub(super) fn write(
    subject: &Subject<'_>,
    what: &HarnessParts<'_>,
    notes: &[String],
    not_reproduced: &[String],
) -> String {
    let HarnessParts { property, answers, copy, .. } = *what;
    let mut out = head(subject, what, notes, not_reproduced);
    if let Some(copy) = copy {
        out += &copy.text();
    }
    out += &ends(property, subject);
    if let Some(copy) = copy {
        out += &copy.definitions();
    }
    for name in subject.undefined_functions {
        let definition = match property {
            Property::ErrorFunction(error) if error == name => {
                function("void", name, "", " hardbop_reached(); ")
            }
            _ => definition(subject.program, name, answers),
        };
        if !definition.is_empty() {
            out.push('\n');
            out += &definition;
        }
    }
    out += &objects(subject, answers);
    out += &outside(subject, answers);
    if subject.entry != "main" {
        out += &main_function(subject, answers);
    }
    out
}

fn head(
    subject: &Subject<'_>,
    what: &HarnessParts<'_>,
    notes: &[String],
    not_reproduced: &[String],
) -> String {
    let HarnessParts { property, copy, outcome, .. } = *what;
    let model = match subject.program.data_model.pointer_bits() {
        32 => "-m32",
        _ => "-m64",
    };
    let mut lines = vec![
        format!("Makes {} take the inputs of a run that ended so:", subject.files.join(" ")),
        format!("  {outcome}"),
        String::new(),
        match copy {
            Some(_) => format!("  gcc {model} -O0 -fwrapv -fno-strict-aliasing -w THIS_FILE"),
            None => {
                format!(
                    "  gcc {model} -O0 -fwrapv -fno-strict-aliasing {} THIS_FILE",
                    subject.files.join(" ")
                )
            }
        },
        String::new(),
        format!("The executable prints \"{REACHED}\" and ends with status {REACHED_STATUS}."),
    ];
    if copy.is_some() {
        lines.push(
            "This file stands for the whole program: it contains a copy in which storage is set that the \
             program leaves uninitialised."
                .to_owned(),
        );
    }
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
            format!(
                "if (function && hardbop_strcmp(function, \"{name}\") == 0)\n    hardbop_reached();\n  hardbop_abort();"
            )
        }
        _ => "hardbop_abort();".to_owned(),
    };
    format!(
        "\
extern int hardbop_dprintf(int, const char *, ...) __asm__(\"dprintf\");
extern int hardbop_fflush(void *) __asm__(\"fflush\");
extern int hardbop_strcmp(const char *, const char *) __asm__(\"strcmp\");
extern void hardbop_exit(int) __asm__(\"_exit\") __attribute__((noreturn));
extern void hardbop_abort(void) __asm__(\"abort\") __attribute__((noreturn));

enum {{
  HARDBOP_REACHED = {REACHED_STATUS},
  HARDBOP_DIVERGED = {DIVERGED_STATUS},
  HARDBOP_ASSUMPTION = {ASSUMPTION_STATUS}
}};

static void hardbop_stop(const char *why, int status) {{
  hardbop_fflush(0);
  hardbop_dprintf(2, \"hardbop: %s\\n\", why);
  hardbop_exit(status);
}}

void hardbop_reached(void) {{ hardbop_stop(\"{}\", HARDBOP_REACHED); }}

__attribute__((unused)) static void hardbop_diverge(const char *function) {{
  hardbop_fflush(0);
  hardbop_dprintf(2, \"hardbop: another run: %s is called once more\\n\", function);
  hardbop_exit(HARDBOP_DIVERGED);
}}

__attribute__((unused)) static void hardbop_assertion_fails(const char *function) {{
  {on_assertion}
}}
",
        REACHED.trim_start_matches("hardbop: ")
    )
}

/// A function that the program does not define; empty if the C library does.
fn definition(program: &Program, name: &str, answers: &Answers) -> String {
    if let Some((_, parameters, result, body)) = OWN_FUNCTIONS.iter().find(|(known, ..)| *known == name) {
        return function(result, name, parameters, body);
    }
    if is_standard(name) || name == "main" {
        return String::new();
    }
    let calls = answers.functions.get(name).map(Vec::as_slice).unwrap_or_default();
    let Some(first) = calls.iter().flatten().next() else {
        return match calls.len() {
            0 => function("long", name, "", &format!("\n  hardbop_diverge(\"{name}\");\n  return 0;\n")),
            _ => function("void", name, "", " "),
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
    let body = format!(
        "\n  static const {element} values[] = {{\n{}  }};\n  static unsigned next;\n  \
         if (next == sizeof values / sizeof *values)\n    hardbop_diverge(\"{name}\");\n  return {cast}values[next++]{member};\n",
        wrapped(values)
    );
    function(result, name, "", &body)
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
    for name in subject.undefined_objects.iter().filter(|name| !is_standard(name)) {
        let variable = program.globals.iter().copied().find(|&variable| {
            program.variables[variable].name == *name && is_defined_elsewhere(subject, variable)
        });
        let (size, align) = variable.map_or((1, 1), |variable| {
            let variable = &program.variables[variable];
            (program.size_of(variable.ty).max(1), variable.align.max(16))
        });
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "\nextern unsigned char hardbop_is_{name}[{size}] __asm__(\"{name}\");\n\
             unsigned char hardbop_is_{name}[{size}] __attribute__((aligned({align})))"
        );
        let bytes: Vec<String> = answers
            .given
            .iter()
            .filter_map(|(giver, given)| match giver {
                ValueSource::Object(object, offset) if Some(*object) == variable => {
                    Some((*offset, given.first()?))
                }
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

/// Memory outside of the program, where the run had it, with what was read from it.
fn outside(subject: &Subject<'_>, answers: &Answers) -> String {
    let memory = OutsideMemory::of(subject.program.data_model);
    let objects = answers.outside.iter().filter_map(|&address| memory.object(address));
    let objects: Vec<String> = objects.map(|(base, size)| format!("{{{base:#x}, {size:#x}}}")).collect();
    if objects.is_empty() {
        return String::new();
    }
    let mut bytes = Vec::new();
    for (giver, given) in &answers.given {
        let (&ValueSource::Outside(address), Some(answer)) = (giver, given.first()) else { continue };
        for i in 0..u64::from(answer.width.div_ceil(8)) {
            let byte = (answer.bits >> (8 * i.min(15))) as u8;
            bytes.extend((byte != 0).then(|| format!("{{{:#x}, {byte:#x}}}", address + i)));
        }
    }
    // There is always one, so that the list is not empty.
    bytes.push("{0, 0}".to_owned());
    format!(
        "\n/* Memory that the program does not have: private, anonymous, and exactly there. */\n\
         extern void *hardbop_mmap(void *, unsigned long, int, int, int, long) __asm__(\"mmap\");\n\
         __attribute__((constructor)) static void hardbop_outside(void) {{\n  \
         static const struct {{ unsigned long address, size; }} objects[] = {{\n{}  }};\n  \
         static const struct {{ unsigned long address, value; }} bytes[] = {{\n{}  }};\n  \
         unsigned long i;\n  \
         for (i = 0; i < sizeof objects / sizeof *objects; i++) {{\n    \
         void *address = (void *)objects[i].address;\n    \
         if (hardbop_mmap(address, objects[i].size, 3, 0x100022, -1, 0) != address)\n      \
         hardbop_stop(\"no memory outside of the program\", HARDBOP_DIVERGED);\n  }}\n  \
         for (i = 0; bytes[i].address; i++)\n    \
         *(unsigned char *)bytes[i].address = bytes[i].value;\n}}\n",
        wrapped(objects.into_iter()),
        wrapped(bytes.into_iter())
    )
}

/// Starts an entry that is not `main`, with variables set to what they held when it was called. Pointers that are not
/// among the inputs of the run are null.
fn main_function(subject: &Subject<'_>, answers: &Answers) -> String {
    let mut given =
        answers.given.get(&ValueSource::EntryArgument).map(Vec::as_slice).unwrap_or_default().iter();
    let program = subject.program;
    let procedure = program.procedures.values().find(|procedure| procedure.name == subject.entry);
    let formals = procedure.map(|procedure| procedure.formals.as_slice()).unwrap_or_default();
    let all_are_given = given.len() == formals.len();
    let (mut types, mut values, mut arguments) = (Vec::new(), String::new(), Vec::new());
    for (i, &formal) in formals.iter().enumerate() {
        let is_number =
            !matches!(program.ty(program.variables[formal].ty), Type::Pointer(_) | Type::Record(_));
        let Some(answer) = (all_are_given || is_number).then(|| given.next()).flatten() else {
            types.push("void *");
            arguments.push("0".to_owned());
            continue;
        };
        let form = Form::of(program, answer);
        let Form { element, cast, member, .. } = &form;
        // Writing to a String cannot fail.
        let _ = writeln!(values, "  static const {element} value_{i}[] = {{{}}};", form.value(answer.bits));
        types.push(form.result);
        arguments.push(format!("{cast}value_{i}[0]{member}"));
    }
    let types = if types.is_empty() { "void".to_owned() } else { types.join(", ") };
    let (externs, sets) = starts(subject, answers);
    format!(
        "\n{externs}extern void hardbop_entry({types}) __asm__(\"{}\");\n\nint main(void) {{\n{values}{sets}  \
         hardbop_entry({});\n  return 0;\n}}\n",
        subject.entry,
        arguments.join(", ")
    )
}

/// Declarations of the variables that are set before the entry is called, and what sets them.
fn starts(subject: &Subject<'_>, answers: &Answers) -> (String, String) {
    let (mut externs, mut sets) = (String::new(), String::new());
    let mut last = None;
    for (giver, given) in &answers.given {
        let (&ValueSource::Start(variable, offset), Some(answer)) = (giver, given.first()) else { continue };
        let name = &subject.program.variables[variable].name;
        if last.replace(variable) != Some(variable) {
            // Writing to a String cannot fail.
            let _ = writeln!(externs, "extern unsigned char hardbop_is_{name}[] __asm__(\"{name}\");");
        }
        for i in 0..u64::from(answer.width.div_ceil(8)) {
            let byte = (answer.bits >> (8 * i)) as u8;
            let _ = writeln!(sets, "  hardbop_is_{name}[{}] = {byte:#x};", offset + i);
        }
    }
    (externs, sets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hardbop_base::Sources;
    use hardbop_ir::DataModel;

    fn value(ty: Type, bits: u128, width: u16) -> (&'static str, String) {
        let program = Program::new(DataModel::Lp64);
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
        let sources = Sources::new();
        let subject = Subject {
            program: &program,
            sources: &sources,
            entry: "main",
            files: &files,
            undefined_functions: &[],
            undefined_objects: &[],
        };
        let property = Property::Assertion("x */ \n #include".into());
        let answers = Answers::default();
        let outcome = "x */\n#include <evil>";
        let what = HarnessParts { property: &property, answers: &answers, copy: None, outcome };
        let text = head(&subject, &what, &[], &[]);
        assert_eq!(text.matches("*/").count(), 1);
        assert!(text.lines().all(|line| line.starts_with(" *") || line == "/*"), "{text}");
    }
}
