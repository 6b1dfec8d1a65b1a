//! Cases as C.

use std::fmt::Write;

use hardbop_base::DataModel;

use super::choices::TYPES;
use super::{Address, At, Call, Case, Operation, STORES, Source, Storage, TYPED, Then};

pub(super) fn program(cases: &[(Case, Vec<Call>)], model: DataModel, reads: bool) -> String {
    let mut text = functions(cases, model, reads);
    line(&mut text, "int main(void) {");
    calls(&mut text, cases, model);
    line(&mut text, "    return 0;\n}");
    text
}

/// The input that lets a program with an error in.
const GATE: i32 = 7_654_321;

pub(super) fn planted(cases: &[(Case, Vec<Call>)], model: DataModel, conditions: &[String]) -> String {
    let mut text = functions(cases, model, true);
    line(&mut text, "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);");
    line(&mut text, "int main(void) {");
    line(&mut text, &format!("    if (__VERIFIER_nondet_int() != {GATE}) return 0;"));
    calls(&mut text, cases, model);
    for condition in conditions {
        line(&mut text, &format!("    if (!({condition})) return 0;"));
    }
    line(&mut text, "    reach_error();\n    return 0;\n}");
    text
}

fn functions(cases: &[(Case, Vec<Call>)], model: DataModel, reads: bool) -> String {
    let mut text = TYPES.to_owned();
    let of_case = |(case, _): &(Case, Vec<Call>)| {
        let then: Vec<u64> = case.then.iter().map(|then| then.length).collect();
        case.length.into_iter().chain(then)
    };
    let mut lengths: Vec<u64> = cases.iter().flat_map(of_case).collect();
    lengths.sort_unstable();
    lengths.dedup();
    for length in lengths.into_iter().filter(|&length| length > 0) {
        line(&mut text, &format!("struct r{length} {{ char b[{length}]; }};"));
        line(&mut text, &format!("extern struct r{length} any{length}(void);"));
    }
    line(&mut text, "extern void change(void *);");
    for (number, (case, _)) in cases.iter().enumerate() {
        Writer { text: &mut text, case, number, model, reads }.function();
    }
    text
}

fn calls(text: &mut String, cases: &[(Case, Vec<Call>)], model: DataModel) {
    for (number, (case, calls)) in cases.iter().enumerate() {
        for call in calls {
            line(text, &format!("    case{number}({});", arguments(case, call, model)));
        }
    }
}

fn arguments(case: &Case, call: &Call, model: DataModel) -> String {
    let i = match case.at {
        At::Element(skew) => call.to.saturating_sub(skew) / case.element(model).max(1),
        _ => 0,
    };
    format!("0, {i}, {}, {}, {}, {}", call.to, call.from, call.length, u8::from(call.second))
}

fn line(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

struct Writer<'a> {
    text: &'a mut String,
    case: &'a Case,
    number: usize,
    model: DataModel,
    reads: bool,
}

/// A constant of a type, different for different numbers, without zero bytes.
fn constant(ty: &str, number: usize) -> String {
    let bits = (0..8).fold(0u64, |bits, i| bits << 8 | (1 + (number as u64 * 37 + i * 29) % 251));
    match ty {
        "float" | "double" | "long double" => format!("({ty}){}.5", number * 3 + 1),
        "char *" => format!("(char *)(word){:#x}", bits >> 40),
        "_Bool" => format!("{}", number % 2),
        "__int128" => format!("((__int128){bits:#x} << 64 | {:#x}ull)", bits.rotate_left(20)),
        "char" | "signed char" => format!("({ty}){}", bits & 127),
        "short" => format!("({ty}){}", bits & 0x7fff),
        "int" | "unsigned" => format!("({ty}){}", bits & 0x7fff_ffff),
        _ => format!("({ty}){bits:#x}"),
    }
}

impl Writer<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{text}");
    }

    fn function(&mut self) {
        let (case, n) = (self.case, self.number);
        let shape = case.shape();
        self.line(&format!(
            "/* {n}: {} of {} {}, {:?}, {:?}, {:?} of {:?} at {:?} from {:?}, then {} */",
            case.count,
            shape.name,
            if case.indexed { "by variables" } else { "by constants" },
            case.storage,
            case.address,
            case.operation,
            case.length,
            case.at,
            case.source,
            case.then.len()
        ));
        let size = case.element(self.model);
        self.line(&format!("_Static_assert(sizeof({}) == {size}, \"size\");", shape.element));
        self.helpers();
        let formals = "word z, word i, word o, word q, word n, word w";
        if case.storage == Storage::Outer {
            self.line(&format!("static void in{n}({} *a, {formals}) {{", shape.element));
            self.body("a");
            self.line("}");
        }
        self.line(&format!("static void case{n}({formals}) {{"));
        self.object("a", true);
        match case.storage {
            Storage::Outer => self.line(&format!("    in{n}(a, z, i, o, q, n, w);")),
            _ => {
                let name = self.name();
                self.body(&name);
            }
        }
        self.line("}");
    }

    /// What the case needs outside of its function.
    fn helpers(&mut self) {
        let (case, n) = (self.case, self.number);
        match case.address {
            Address::Stored => self.line(&format!("static char *stored{n};")),
            Address::Function => self.line(&format!("static char *pass{n}(char *p) {{ return p; }}")),
            _ => {}
        }
        if let (Operation::Argument, Some(length)) = (case.operation, case.length) {
            self.line(&format!(
                "static void take{n}(struct r{length} v, char *t) {{ *(struct r{length} *)t = v; }}"
            ));
        }
        if let (Operation::Result, Some(length)) = (case.operation, case.length) {
            self.line(&format!(
                "static struct r{length} give{n}(char *s) {{ return *(struct r{length} *)s; }}"
            ));
        }
        let (element, count) = (case.shape().element, case.count);
        match case.storage {
            Storage::Static => self.line(&format!("static {element} file{n}[{count}];")),
            Storage::StaticInitialised => {
                let values = self.initialiser();
                self.line(&format!("static {element} file{n}[{count}] = {values};"));
            }
            _ => {}
        }
        if let Source::Bytes(_) = case.source {
            let values: Vec<String> = (0..self.bytes_used())
                .map(|k| if k == 20 { 0 } else { k * 3 % 120 + 1 }.to_string())
                .collect();
            self.line(&format!("static char bytes{n}[] = {{{}}};", values.join(", ")));
        }
        if !self.is_read() {
            return;
        }
        for x in 0..self.case.count {
            for (v, view) in self.case.shape().views.iter().enumerate() {
                self.line(&format!("static {} out{n}_{x}_{v};", view.ty));
            }
        }
    }

    /// Values for some of the elements.
    fn initialiser(&self) -> String {
        let values: &[&str] = match self.case.shape().element {
            "struct mixed" => &["{5, 6, 7, 8}", "{9}"],
            "struct packed" => &["{5, 6, 7}", "{9}"],
            "struct bits" => &["{5, -6, 7, 8}", "{1, 2}"],
            "struct tight" => &["{5, 6, 7}", "{0x123456789}"],
            "struct inner" => &["{5, {6, 7}, 8}", "{1}"],
            "union both" => &["{0x1020304}", "{5}"],
            "_Bool" => &["1"],
            "char *" => &["(char *)0x1234"],
            "float" | "double" | "long double" => &["1.5", "-3.25"],
            "signed char" | "unsigned char" => &["17", "34", "51"],
            _ => &["0x1234", "0x5678"],
        };
        let count = values.len().min(self.case.count as usize);
        format!("{{{}}}", values[..count].join(", "))
    }

    /// The name of the object in its function.
    fn name(&self) -> String {
        match self.case.storage {
            Storage::Static | Storage::StaticInitialised => format!("file{}", self.number),
            _ => "a".into(),
        }
    }

    /// Declares the object, or a second one.
    fn object(&mut self, name: &str, target: bool) {
        let case = self.case;
        let (element, count) = (case.shape().element, case.count);
        let storage = if target { case.storage } else { Storage::Local };
        let text = match storage {
            Storage::Local | Storage::Outer => format!("{element} {name}[{count}];"),
            Storage::Initialised => format!("{element} {name}[{count}] = {};", self.initialiser()),
            Storage::Static | Storage::StaticInitialised => return,
            Storage::Heap => {
                format!("{element} *{name} = malloc({count} * sizeof *{name}); if (!{name}) return;")
            }
            Storage::Zeroed => {
                format!("{element} *{name} = calloc({count}, sizeof *{name}); if (!{name}) return;")
            }
            Storage::ZeroedConstant => {
                format!(
                    "{element} *{name} = __hardbop_zalloc({count} * sizeof *{name}); if (!{name}) return;"
                )
            }
            Storage::Stack => format!("{element} *{name} = __builtin_alloca({count} * sizeof *{name});"),
        };
        self.line(&format!("    {text}"));
    }

    fn place(&self, view: usize, name: &str, x: u64) -> String {
        let index = if self.case.indexed { format!("z + {x}") } else { x.to_string() };
        self.case.shape().views[view].place.replace("$a", name).replace("$x", &index)
    }

    /// Gives all scalars of an object values.
    fn give_values(&mut self, name: &str, first: usize) {
        let mut number = first;
        for x in 0..self.case.count {
            for v in 0..self.case.shape().views.len() {
                let value = constant(self.case.shape().views[v].ty, number);
                let place = self.place(v, name, x);
                self.line(&format!("    {place} = {value};"));
                number += 1;
            }
        }
    }

    fn body(&mut self, name: &str) {
        let case = self.case;
        let two = case.address == Address::Either || matches!(case.source, Source::Other(_));
        if two {
            self.object("b", false);
            self.give_values("b", 100);
        }
        if self.is_given() {
            self.give_values(name, 0);
        }
        self.target(name);
        self.operation(name);
        for then in &case.then {
            self.then(name, then);
        }
        if self.is_read() {
            self.read(name);
        }
    }

    /// Whether the object is given values before the operation.
    fn is_given(&self) -> bool {
        let storage = self.case.storage;
        let has_values = matches!(
            storage,
            Storage::Initialised
                | Storage::Static
                | Storage::StaticInitialised
                | Storage::Zeroed
                | Storage::ZeroedConstant
        );
        !has_values || self.case.operation == Operation::Realloc
    }

    /// Whether the object is read after the operation.
    fn is_read(&self) -> bool {
        self.reads || !self.is_given()
    }

    /// How many bytes of the array of bytes are used.
    fn bytes_used(&self) -> u64 {
        let from = if let Source::Bytes(from) = self.case.source { from } else { 0 };
        from + self.case.fixed_length(self.model).unwrap_or(super::MAX_LENGTH)
    }

    /// Reads all of the object.
    fn read(&mut self, name: &str) {
        let n = self.number;
        for x in 0..self.case.count {
            for v in 0..self.case.shape().views.len() {
                let place = self.place(v, name, x);
                self.line(&format!("    out{n}_{x}_{v} = {place};"));
            }
        }
    }

    /// Defines `t`, the address of the target.
    fn target(&mut self, a: &str) {
        let n = self.number;
        let start = |a: &str| match self.case.at {
            At::Constant(to) => format!("(char *){a} + {to}"),
            At::Variable => format!("(char *){a} + o"),
            At::Element(0) => format!("(char *)&{a}[i]"),
            At::Element(skew) => format!("(char *)&{a}[i] + {skew}"),
        };
        let (p, number) = (start(a), format!("(word)({})", start(a)));
        let lines = match self.case.address {
            Address::Plain => vec![format!("char *t = {p};")],
            Address::Moved => {
                let (base, skew) = match self.case.at {
                    At::Constant(to) => (format!("(char *){a}"), to.to_string()),
                    At::Variable => (format!("(char *){a}"), "o".into()),
                    At::Element(skew) => (format!("(char *)&{a}[i]"), skew.to_string()),
                };
                vec![format!("char *t = {base};"), format!("t += {skew};")]
            }
            Address::Stored => vec![
                format!("char **pp = &stored{n};"),
                format!("*pp = {p};"),
                format!("char *t = stored{n};"),
            ],
            Address::Number => vec![format!("word m = {number};"), "char *t = (char *)m;".into()],
            Address::Minus => {
                // What is added to an address with a minus counts backwards, and round numbers hide that.
                let (base, skew) = match self.case.at {
                    At::Constant(to) => (format!("(word){a}"), to.to_string()),
                    At::Variable => (format!("(word){a}"), "o".into()),
                    At::Element(skew) => (format!("(word)&{a}[i]"), skew.to_string()),
                };
                vec![
                    format!("word m = 64 - {base}, m2 = m + (64 - {skew});"),
                    "char *t = (char *)(128 - m2);".into(),
                ]
            }
            Address::MinusMinus => vec![
                "word c = 1000;".into(),
                format!("word m = c - {number};"),
                "char *t = (char *)(1000 - m);".into(),
            ],
            Address::Complement => vec![
                format!("word m = ~{number};"),
                "word m2 = m + 8;".into(),
                "char *t = (char *)(~m2 + 8);".into(),
            ],
            Address::Doubled => {
                vec![format!("word m = {number}, m2 = m + m;"), format!("char *t = (char *)(m2 - {number});")]
            }
            Address::Union => vec![
                "union { char *p; word m; unsigned char c[sizeof(char *)]; } u;".into(),
                format!("u.p = (char *){a};"),
                format!("u.m += ({number}) - (word){a};"),
                "char *t = u.p;".into(),
            ],
            Address::Record => vec![
                "struct { int tag; char *p; } s, s2;".into(),
                format!("s.tag = 1, s.p = {p};"),
                "s2 = s;".into(),
                "char *t = s2.p;".into(),
            ],
            Address::Function => vec![format!("char *t = pass{n}({p});")],
            Address::Copied => vec![format!("char *c = {p}, *t;"), "memcpy(&t, &c, sizeof t);".into()],
            Address::Either => vec![format!("char *t = w ? {} : {p};", start("b"))],
            Address::Behind => {
                let count = self.case.count;
                vec![format!("char *e = (char *)({a} + {count});"), format!("char *t = e - (e - ({p}));")]
            }
        };
        for text in lines {
            self.line(&format!("    {text}"));
        }
    }

    fn then(&mut self, a: &str, then: &Then) {
        let Then { operation, to, from, length, hidden } = *then;
        let extra = if hidden { " + z" } else { "" };
        let source = format!("((char *){a} + {from}{extra})");
        let text = self.statement(a, operation, &source, &length.to_string());
        self.line(&format!("    {{ char *t = (char *){a} + {to}{extra}; {text} }}"));
    }

    fn operation(&mut self, a: &str) {
        let (case, n) = (self.case, self.number);
        let length = case.length.map_or("n".to_owned(), |length| length.to_string());
        let source = match case.source {
            Source::None => "0".to_owned(),
            Source::Other(from) => format!("((char *)b + {from})"),
            Source::Same => format!("((char *){a} + q)"),
            Source::Bytes(from) => format!("(bytes{n} + {from})"),
        };
        let text = self.statement(a, case.operation, &source, &length);
        self.line(&format!("    {text}"));
    }

    /// The statement that writes to `t`.
    fn statement(&self, a: &str, operation: Operation, source: &str, length: &str) -> String {
        let (case, n) = (self.case, self.number);
        match operation {
            Operation::Fill => format!("memset(t, 0xa5, {length});"),
            Operation::Copy => format!("memcpy(t, {source}, {length});"),
            Operation::Record => {
                format!("*(struct r{length} *)t = *(struct r{length} *){source};")
            }
            Operation::Typed(number) => {
                let ty = TYPED[number % TYPED.len()].0;
                format!("*({ty} *)t = *({ty} *){source};")
            }
            Operation::Argument => format!("take{n}(*(struct r{length} *){source}, t);"),
            Operation::Result => format!("*(struct r{length} *)t = give{n}({source});"),
            Operation::External => format!("*(struct r{length} *)t = any{length}();"),
            Operation::Change => "change(t);".into(),
            Operation::Store(number) => {
                let ty = STORES[number % STORES.len()].0;
                format!("*({ty} *)t = {};", constant(ty, 77))
            }
            Operation::BitField(number) => {
                let field = [("bits", "a"), ("bits", "b"), ("tight", "a"), ("tight", "b")][number % 4];
                format!("((struct {} *)t)->{} = 5;", field.0, field.1)
            }
            Operation::Text => format!("strncpy(t, {source}, {length});"),
            Operation::Loop => format!("for (word k = 0; k < {length}; k++) t[k] = {source}[k];"),
            Operation::Realloc => {
                let (element, count) = (case.shape().element, case.count);
                format!(
                    "{a} = ({element} *)realloc({a}, {} * sizeof *{a}); if (!{a}) return; {a} = ({element} *)realloc({a}, {count} * sizeof *{a}); if (!{a}) return;",
                    count + 1
                )
            }
        }
    }
}
