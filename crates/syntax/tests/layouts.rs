//! Record layouts against gcc: sizes, alignments and offsets as static assertions about the
//! original text, bit-fields by the bits that are set in an initialised object.

#![allow(clippy::print_stderr, reason = "the tests say what they covered")]

mod common;

use std::collections::HashMap;
use std::fmt::Write;

use common::{MODELS, corpus, gcc, has_gcc, tasks, unit};
use hardbop_base::DataModel;
use hardbop_syntax::ast::{Record, Type, Unit};

/// A bit-field: an object that has all its bits set, and which bits those are.
struct Probe {
    name: String,
    size: u64,
    first: u64,
    width: u64,
}

struct Checks {
    text: String,
    probes: Vec<Probe>,
    records: usize,
}

/// Assertions and objects about all records that can be named.
fn checks(unit: &Unit) -> Checks {
    let mut count = HashMap::new();
    for record in unit.records.values() {
        *count.entry(record.tag.as_deref()).or_insert(0) += 1;
    }
    let mut checks = Checks { text: "\n".to_owned(), probes: Vec::new(), records: 0 };
    for record in unit.records.values() {
        let (Some(tag), Some((size, align))) = (&record.tag, record.layout) else { continue };
        if count[&Some(tag.as_str())] > 1 || record.unsupported.is_some() || tag.starts_with("__va_list") {
            continue;
        }
        let name = format!("{} {tag}", if record.is_union { "union" } else { "struct" });
        checks.assert(&format!("sizeof({name})"), size);
        checks.assert(&format!("_Alignof({name})"), align);
        checks.records += 1;
        checks.members(unit, record, &name, 0, size);
    }
    checks
}

impl Checks {
    fn assert(&mut self, what: &str, value: u64) {
        _ = writeln!(self.text, "_Static_assert({what} == {value}, \"{what} == {value}\");");
    }

    /// The members of a record that lies at an offset in the record of that name.
    fn members(&mut self, unit: &Unit, record: &Record, name: &str, base: u64, size: u64) {
        for field in &record.fields {
            let offset = base + field.offset;
            match (&field.name, field.bits) {
                (Some(member), None) => {
                    self.assert(&format!("__builtin_offsetof({name}, {member})"), offset);
                }
                (Some(member), Some((first, width))) => {
                    let probe = format!("hardbop_probe_{}", self.probes.len());
                    _ = writeln!(self.text, "{name} {probe} = {{ .{member} = -1 }};");
                    let (first, width) = (offset * 8 + u64::from(first), u64::from(width));
                    self.probes.push(Probe { name: probe, size, first, width });
                }
                (None, None) => {
                    if let Type::Record(inner) = unit.types[field.ty] {
                        self.members(unit, &unit.records[inner], name, offset, size);
                    }
                }
                (None, Some(_)) => {}
            }
        }
    }

    /// Checks all this at the end of a text; complaints.
    fn run(&self, text: &[u8], flag: &str) -> Vec<String> {
        let mut text = text.to_vec();
        text.extend_from_slice(self.text.as_bytes());
        let compile = |mode: &[&str]| gcc(&[&[flag, "-w", "-O0", "-std=gnu17"], mode].concat(), &text);
        let failed = |messages: &str| -> Vec<String> {
            messages
                .lines()
                .filter(|line| line.contains("static assertion failed"))
                .map(str::to_owned)
                .collect()
        };
        let assembly = match compile(&["-S", "-o", "-"]) {
            Ok(assembly) => assembly,
            // Some texts have assembly that gcc cannot place; the assertions it still checks.
            Err(_) => {
                return compile(&["-fsyntax-only"]).map_or_else(|messages| failed(&messages), |_| Vec::new());
            }
        };
        let objects = objects(&assembly);
        let wrong = |probe: &&Probe| {
            let end = probe.first + probe.width;
            let expected: Vec<u8> = (0..probe.size)
                .map(|byte| {
                    (0..8)
                        .filter(|bit| (probe.first..end).contains(&(byte * 8 + bit)))
                        .map(|bit| 1 << bit)
                        .sum()
                })
                .collect();
            objects.get(probe.name.as_str()) != Some(&expected)
        };
        let complaint = |probe: &Probe| {
            let line = self.text.lines().find(|line| line.contains(&format!("{} ", probe.name)));
            format!(
                "{line:?}: bits {}+{}, gcc has {:x?}",
                probe.first,
                probe.width,
                objects.get(probe.name.as_str())
            )
        };
        self.probes.iter().filter(wrong).map(complaint).collect()
    }
}

/// The bytes behind each label of an assembly file that is an object.
fn objects(assembly: &str) -> HashMap<&str, Vec<u8>> {
    let mut objects: HashMap<&str, Vec<u8>> = HashMap::new();
    let mut current = None;
    for line in assembly.lines() {
        if let Some(label) = line.strip_suffix(':') {
            current = label.starts_with("hardbop_probe_").then_some(label);
            if let Some(label) = current {
                objects.insert(label, Vec::new());
            }
            continue;
        }
        let Some(bytes) = current.and_then(|label| objects.get_mut(label)) else { continue };
        let mut words = line.split_whitespace();
        let (Some(directive), Some(value)) = (words.next(), words.next()) else { continue };
        let width = match directive {
            ".byte" => 1,
            ".value" | ".short" => 2,
            ".long" => 4,
            ".quad" => 8,
            ".zero" => {
                bytes.resize(bytes.len() + value.parse::<usize>().unwrap_or(0), 0);
                continue;
            }
            _ => continue,
        };
        let value = value.parse::<i128>().unwrap_or(0);
        bytes.extend_from_slice(&value.to_le_bytes()[..width]);
    }
    objects
}

#[track_caller]
fn agrees(text: &str) {
    for (model, flag) in MODELS {
        if has_gcc(flag) {
            let complaints = checks(&unit(text.as_bytes(), model)).run(text.as_bytes(), flag);
            assert!(complaints.is_empty(), "{flag}: {complaints:#?}");
        }
    }
}

/// Records of members that are chosen by a fixed pseudo-random sequence.
fn generated(count: usize) -> String {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut choose = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % n
    };
    let types = [
        "char",
        "signed char",
        "unsigned char",
        "short",
        "unsigned short",
        "int",
        "unsigned",
        "long",
        "unsigned long",
        "long long",
        "unsigned long long",
        "_Bool",
        "float",
        "double",
        "long double",
        "char *",
        "enum { A# = -1, B# = 3 }",
        "enum { C# = 0x100000001 }",
    ];
    let widths = [8, 8, 8, 16, 16, 32, 32, 32, 32, 64, 64, 1];
    let mut text = String::new();
    for record in 0..count {
        let keyword = if choose(5) == 0 { "union" } else { "struct" };
        let attribute = match choose(8) {
            0 | 1 => "__attribute__((packed)) ",
            2 => "__attribute__((aligned(8))) ",
            3 => "__attribute__((packed, aligned(4))) ",
            _ => "",
        };
        // Together with the attribute, see below.
        let pack = if choose(8) == 0 && !attribute.contains("packed") { 1 << choose(4) } else { 0 };
        if pack > 0 {
            _ = writeln!(text, "#pragma pack(push, {pack})");
        }
        _ = write!(text, "{keyword} {attribute}r{record} {{ ");
        for member in 0..=choose(9) {
            let ty = choose(types.len() as u64) as usize;
            let spelled = types[ty].replace('#', &format!("_{record}_{member}"));
            let suffix = match choose(12) {
                0 => " __attribute__((packed))",
                1 => " __attribute__((aligned(4)))",
                _ => "",
            };
            match (choose(3), widths.get(ty)) {
                (0, Some(&width)) => match choose(6) {
                    0 => _ = write!(text, "{spelled} : 0; "),
                    1 => _ = write!(text, "{spelled} : {}; ", 1 + choose(width)),
                    // Attributes on bit-fields: see below.
                    _ => _ = write!(text, "{spelled} m{member} : {}; ", 1 + choose(width)),
                },
                (1, _) if record > 0 && choose(4) == 0 => {
                    // A union may be named like a struct, never both.
                    _ = write!(text, "struct {{ {spelled} a{member}; char b{member}; }}; ");
                }
                (1, _) => _ = write!(text, "{spelled} m{member}[{}]{suffix}; ", choose(4)),
                _ => _ = write!(text, "{spelled} m{member}{suffix}; "),
            }
        }
        _ = writeln!(text, "}} o{record};");
        if pack > 0 {
            text.push_str("#pragma pack(pop)\n");
        }
    }
    text
}

#[test]
fn nasty_records() {
    agrees(include_str!("records.c"));
}

#[test]
fn generated_records() {
    agrees(&generated(1000));
}

/// Where the front end is known to differ from gcc. Nobody writes these; if one of them starts to
/// agree, move it to `records.c`.
#[test]
fn known_differences() {
    let both =
        "#pragma pack(push, 4)\nstruct __attribute__((packed)) s { unsigned x : 12; } o;\n#pragma pack(pop)";
    let microsoft = "struct __attribute__((ms_struct)) s { char c; double d; } o;";
    let bits = "struct s { int i; long long b : 31 __attribute__((aligned(4))); _Bool z; } o;";
    let cases = [
        (both, DataModel::Lp64, "-m64"),
        (microsoft, DataModel::Ilp32, "-m32"),
        (bits, DataModel::Lp64, "-m64"),
    ];
    for (text, model, flag) in cases {
        if has_gcc(flag) {
            let complaints = checks(&unit(text.as_bytes(), model)).run(text.as_bytes(), flag);
            assert!(!complaints.is_empty(), "{text} agrees now");
        }
    }
}

/// Some of the larger files of the benchmark set; all of them with `HARDBOP_ALL=1`.
#[test]
fn records_of_the_benchmarks() {
    let Some(directory) = corpus() else { return };
    if !MODELS.iter().all(|(_, flag)| has_gcc(flag)) {
        return;
    }
    let all = std::env::var_os("HARDBOP_ALL").is_some();
    let (mut files, mut records, mut fields) = (0, 0, 0);
    for (index, (task, model)) in tasks(&directory).into_iter().enumerate() {
        let text = std::fs::read(directory.join(&task)).expect("a task");
        if !all && (index % 12 != 0 || text.len() < 50_000 || text.len() > 900_000) {
            continue;
        }
        // The one file that the front end rejects has no records worth the exception.
        let mut sources = hardbop_base::Sources::new();
        let options = hardbop_syntax::SyntaxOptions::new(model);
        let Ok((unit, _)) = hardbop_syntax::parse_bytes(&mut sources, &task, &text, &options).1 else {
            continue;
        };
        let checks = checks(&unit);
        let flag = if model == DataModel::Lp64 { "-m64" } else { "-m32" };
        let complaints = checks.run(&text, flag);
        assert!(complaints.is_empty(), "{task}: {complaints:#?}");
        files += 1;
        records += checks.records;
        fields += checks.probes.len();
    }
    eprintln!("{files} files, {records} records, {fields} bit-fields");
    assert!(records > 100, "only {records} records");
}
