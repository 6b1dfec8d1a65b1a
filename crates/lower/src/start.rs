//! Where a program starts: initialisers that are not constant, constructors, the arguments of
//! `main`, then `main`. Also reads the library that comes along.

use hardbop_base::{DataModel, Diagnostics, Sources, Span};
use hardbop_ir::{self as ir, Arbitrary, BinaryOp, ExprId, Initial, Statement, Type};
use hardbop_syntax::ast::{self, DeclKind};

use crate::Lowering;
use crate::body::Body;
use crate::link::{Entity, symbol_name};
use crate::standard;

const LIBRARY: &str = include_str!("library.c");
const TEXT: &str = include_str!("text.c");
const MATH: &str = include_str!("math.c");
const ROOT: &str = include_str!("root.c");

/// The floating-point types, for which the mathematical functions are there once each: C's name, the end of the
/// names, the result of `__signbit`, the exponents of two of the largest and the smallest normal number, the
/// precision, and the largest number.
const REALS: [(&str, &str, u32, i32, i32, u32, &str); 3] = [
    ("float", "f", 8, 127, -126, 24, "0x1.fffffep127L"),
    ("double", "", 128, 1023, -1022, 53, "0x1.fffffffffffffp1023L"),
    ("long double", "l", 0x8000, 16383, -16382, 64, "0x1.fffffffffffffffep16383L"),
];

/// The library as one text.
fn library_text() -> String {
    let mut text = LIBRARY.to_owned() + TEXT;
    for real in REALS {
        text += &math(real);
    }
    text + &root("float", "f", "double", "unsigned", 23, 127)
        + &root("double", "", "long double", "unsigned long long", 52, 1023)
}

/// The square root of one type, and what else there is for it.
fn root(real: &str, end: &str, wide: &str, word: &str, fraction: u32, bias: u32) -> String {
    let mut text = String::new();
    for line in ROOT.lines() {
        let part = |name| line.trim_start().strip_prefix(name)?.strip_suffix(')');
        if let Some(step) = part("STEP(") {
            (0..fraction + 2).for_each(|_| text += &format!("{step}\n"));
        } else if let Some(step) = part("SHIFT(") {
            let powers = (0..6).rev().map(|n| 1 << n).filter(|&power: &u32| power <= fraction);
            powers.for_each(|power| text += &format!("{}\n", step.replace('P', &power.to_string())));
        } else {
            text += &format!("{line}\n");
        }
    }
    text.replace("REAL", real)
        .replace("WIDE", wide)
        .replace("WORD", word)
        .replace("FRACTION", &fraction.to_string())
        .replace("BIAS", &bias.to_string())
        .replace('@', end)
}

/// The mathematical functions of one type.
fn math(
    (real, end, sign, largest, smallest, digits, most): (&str, &str, u32, i32, i32, u32, &str),
) -> String {
    let powers: Vec<u32> = (0..14).rev().map(|n| 1 << n).filter(|&p| p <= largest.unsigned_abs()).collect();
    let mut text = String::new();
    for line in MATH.lines() {
        // A step for each power of two; subnormal numbers need the largest one twice.
        let steps = ["  LARGE(", "  SMALL(", "  POWER("].into_iter().find_map(|step| {
            let parts = line.strip_prefix(step)?.strip_suffix(')')?;
            Some((parts.splitn(3, ", "), step == "  SMALL("))
        });
        let Some((parts, twice)) = steps else {
            text += line;
            text.push('\n');
            continue;
        };
        let parts: Vec<&str> = parts.collect();
        for power in powers.first().filter(|_| twice).into_iter().chain(&powers) {
            let of = |part: &str| {
                let part = part.replace("pPL", &format!("p{power}L")).replace("-PL", &format!("-{power}L"));
                part.strip_suffix(" P").map_or(part.clone(), |rest| format!("{rest} {power}"))
            };
            if let [condition, first, second] = parts[..] {
                text += &format!("  if ({}) {{ {}; {}; }}\n", of(condition), of(first), of(second));
            }
        }
    }
    text.replace("REAL", real)
        .replace("WHOLE", &format!("({real})0x1p{}L", digits - 1))
        .replace("LARGEST", &largest.to_string())
        .replace("SMALLEST", &format!("({smallest})"))
        .replace("LEAST", &format!("0x1p{smallest}L"))
        .replace("MOST", most)
        .replace("DIGITS", &digits.to_string())
        .replace("SIGN", &sign.to_string())
        .replace('@', end)
}

/// The name of the file with the library functions that Hardbop brings along.
pub const LIBRARY_NAME: &str = "<hardbop library>";

/// Reads the library functions for a data model.
///
/// # Errors
/// None, but reading C can fail.
pub fn library(sources: &mut Sources, data_model: DataModel) -> Result<ast::Unit, Diagnostics> {
    let file = sources.add(LIBRARY_NAME, library_text());
    let options = hardbop_syntax::SyntaxOptions::new(data_model);
    hardbop_syntax::parse(sources, file, &options).map(|(unit, _)| unit)
}

impl Lowering<'_> {
    /// Asks for what the start needs.
    pub(crate) fn request_start(&mut self, entry: Entity) {
        self.procedure(entry);
        for (_, entity) in self.startup_functions() {
            self.procedure(entity);
        }
    }

    /// Functions with the `constructor` attribute, in the order they run.
    fn startup_functions(&self) -> Vec<(u16, Entity)> {
        self.marked_functions(|f| f.constructor)
    }

    fn marked_functions(&self, mark: impl Fn(&ast::Function) -> Option<u16>) -> Vec<(u16, Entity)> {
        let mut found = Vec::new();
        for (unit, u) in self.units.iter().enumerate() {
            for (decl, d) in u.decls.iter() {
                if let DeclKind::Function(f) = &d.kind
                    && f.body.is_some()
                    && let Some(priority) = mark(f)
                {
                    found.push((priority, Entity { unit, decl }));
                }
            }
        }
        found.sort_by_key(|&(priority, _)| priority);
        found
    }

    /// Builds the procedure that the program starts with. Everything else has been lowered.
    pub(crate) fn build_start(&mut self, entry: Entity) {
        let span = self.decl(entry).span;
        let main = self.procedure(entry);
        let result = self.program.procedures[main].result.map(|r| self.program.variables[r].ty);
        let result = result.unwrap_or_else(|| self.program.void());
        let name = self.unique_name("$start");
        let start = self.new_procedure(name, span, Vec::new(), result, None);
        let result = self.program.procedures[start].result;
        let library = self.units.len() - 1;
        let changing = self.options.open.then(|| self.forget_globals());
        let mut body = Body::new(self, library, "$start");
        body.result = result;
        body.initialise_dynamically();
        for at in std::mem::take(&mut body.cx.ambiguous) {
            body.unsupported(at, crate::initial::AMBIGUOUS);
        }
        if changing.is_none() {
            for (_, entity) in body.cx.startup_functions() {
                body.call_marked(entity, span);
            }
        }
        for (name, variable) in body.cx.library_objects() {
            let place = body.ir().var_place(variable);
            body.emit(Statement::Havoc(place, Arbitrary::Library(name)), span);
        }
        let arguments = match &changing {
            Some(changing) => body.open_arguments(main, changing, span),
            None => body.entry_arguments(entry, main, span),
        };
        let value = body.call_plain(main, arguments, span);
        if let (Some(value), Some(result)) = (value, body.result) {
            body.set(result, value, span);
        }
        let int = body.ir().machine(32, true);
        let status = match body.result {
            Some(result) => body.ir().var(result),
            None => body.ir().int(0, int),
        };
        if changing.is_none() {
            body.run_exit_functions(status, span);
        }
        body.emit_return(span);
        body.finish(start);
        self.program.entry = Some(start);
    }

    /// Variables of the C library that the program uses and the library here does not define hold something.
    fn library_objects(&self) -> Vec<(String, ir::VarId)> {
        let mut found = Vec::new();
        for (&entity, &variable) in &self.globals {
            let decl = self.decl(entity);
            let declared =
                matches!(&decl.kind, DeclKind::Object(o) if o.definition == ast::Definition::Declared);
            if let Some(name) = symbol_name(decl)
                && declared
                && decl.linkage == ast::Linkage::External
                && standard::is_object(name)
            {
                found.push((name.to_owned(), variable));
            }
        }
        found.sort();
        found
    }
}

impl Body<'_, '_> {
    /// What happens when the program exits: functions given to `atexit` and `on_exit` are called, then
    /// destructors.
    pub(crate) fn run_exit_functions(&mut self, status: ExprId, span: Span) {
        let registers = |name: &String| name == "atexit" || name == "on_exit";
        if self.cx.undefined.functions.iter().any(registers)
            && let Some(run) = self.cx.links.library_function("__hardbop_at_exit")
        {
            let int = self.ir().machine(32, true);
            let status = self.converted(status, int, span);
            let procedure = self.cx.procedure(run);
            self.call_plain(procedure, vec![status], span);
        }
        let mut destructors = self.cx.marked_functions(|f| f.destructor);
        destructors.reverse();
        for (_, entity) in destructors {
            self.call_marked(entity, span);
        }
    }

    /// Calls a constructor or destructor. What one with parameters is called with depends on the C
    /// library.
    fn call_marked(&mut self, entity: Entity, span: Span) {
        let procedure = self.cx.procedure(entity);
        if self.ir().procedures[procedure].formals.is_empty() {
            self.call_plain(procedure, Vec::new(), span);
        } else {
            let at = self.cx.decl(entity).span;
            self.unsupported(at, "a constructor or destructor with parameters");
        }
    }

    /// Runs the static initialisers that are not constant expressions. Lowering one may ask for
    /// more.
    fn initialise_dynamically(&mut self) {
        let (unit, index) = (self.unit, self.unit_index);
        while let Some(dynamic) = self.cx.dynamic.pop() {
            self.unit_index = dynamic.unit;
            self.unit = self.cx.unit(dynamic.unit);
            let span = self.unit.exprs[dynamic.entry.value].span;
            if matches!(self.ir().variables[dynamic.variable].initial, Initial::Arbitrary) {
                self.ir().variables[dynamic.variable].initial = Initial::Values(Vec::new());
            }
            self.initialise_statically(dynamic.variable, &dynamic.entry, span);
            self.cx.work();
        }
        self.unit = unit;
        self.unit_index = index;
    }

    /// What the entry is called with: of `main`, any number of strings; of others, anything.
    fn entry_arguments(&mut self, entry: Entity, main: ir::ProcId, span: Span) -> Vec<ExprId> {
        let formals = self.ir().procedures[main].formals.clone();
        let types: Vec<ir::TypeId> = formals.iter().map(|&f| self.ir().variables[f].ty).collect();
        let is_main = self.cx.options.entry == "main"
            && types.split_first().is_some_and(|(&count, strings)| {
                matches!(self.ir().ty(count), Type::Machine { width: 32, .. })
                    && strings.iter().all(|&ty| matches!(self.ir().ty(ty), Type::Pointer(_)))
            });
        if !is_main {
            let source = Arbitrary::Nondet("entry argument".into());
            return types.into_iter().map(|ty| self.arbitrary(ty, source.clone(), span)).collect();
        }
        let mut arguments = Vec::new();
        // The name of the program comes first; what is arbitrary is the number of the others.
        let others = self.arbitrary_count("argc - 1", types[0], span);
        let one = self.ir().int(1, types[0]);
        let count = self.ir().binary(BinaryOp::Add, others, one);
        let count = self.keep(count, span);
        arguments.push(count);
        let strings = self.cx.links.library_function("__hardbop_arguments");
        for (i, &ty) in types.iter().enumerate().skip(1) {
            let value = match strings {
                Some(strings) if self.is_parameter_used(entry, i) => {
                    let procedure = self.cx.procedure(strings);
                    let count = match i {
                        1 => count,
                        _ => self.arbitrary_count("size of the environment", types[0], span),
                    };
                    let built = self.call_plain(procedure, vec![count], span);
                    built.unwrap_or(count)
                }
                _ => self.ir().int(0, ty),
            };
            arguments.push(self.converted(value, ty, span));
        }
        arguments
    }

    /// A number of strings.
    fn arbitrary_count(&mut self, what: &str, ty: ir::TypeId, span: Span) -> ExprId {
        let count = self.arbitrary(ty, Arbitrary::Nondet(what.into()), span);
        let (zero, limit) = (self.ir().int(0, ty), self.ir().int(i128::from(i32::MAX) - 1, ty));
        let least = self.ir().binary(BinaryOp::Le, zero, count);
        let most = self.ir().binary(BinaryOp::Lt, count, limit);
        let sensible = self.ir().binary(BinaryOp::And, least, most);
        self.emit(Statement::Assume(sensible), span);
        count
    }

    fn is_parameter_used(&self, function: Entity, index: usize) -> bool {
        match &self.cx.decl(function).kind {
            DeclKind::Function(f) => f
                .parameters
                .get(index)
                .is_none_or(|&parameter| self.cx.facts[function.unit].is_used(parameter)),
            _ => true,
        }
    }
}
