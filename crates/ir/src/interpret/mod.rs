//! The interpreter: runs a program with concrete, byte-addressed memory.
//!
//! ```text
//! Interpreter::new(&program)            lays out the globals; procedures are compiled when first called
//!     .run(&mut inputs, options) ─────▶ Run { outcome, steps, draws, output }
//!     .observe(…, &mut observer)        the same, with a callback before each step and, if it wants,
//!                                       for all memory that was touched
//! ```
//!
//! What a program does not determine comes from an [`Inputs`] and is recorded as a [`Draw`]; the
//! same draws give the same run. What C leaves open is fixed as everywhere in this project: signed
//! overflow wraps; an undefined operation or an invalid access ends the run with an [`Outcome`] of its
//! own; uninitialised storage holds an arbitrary but fixed value, drawn when it is first read.
//!
//! - Memory consists of objects at numeric addresses with gaps between them; pointers are plain
//!   numbers of the data model's width. Only the bounds of whole objects count, not those of their
//!   parts. The bytes of a scalar that have no value yet are drawn as one value of the type read; a
//!   bit-field whose bytes have no value draws those bytes. Copying draws what has no value, so that
//!   both copies agree, except for the padding of records.
//! - At a location with several outgoing edges all guards are evaluated; if more than one edge is
//!   enabled, the inputs choose.
//! - External procedures return arbitrary values; those with [`crate::Effect::Havoc`] or
//!   [`crate::Effect::Reaches`] also make arbitrary what they can reach, contents of string literals included.
//! - Output has no effect on the state and never ends a run.
//! - A drawn pointer may lead to memory outside of the program: see [`OutsideMemory`].
//!
//! Not modelled: the excess precision of x87 registers in 32-bit code, rounding modes other than
//! to nearest, mathematical integers of more than 128 bits (unsupported), alignment faults, and the bounds and effective types that strict C attaches to pointers.
//!
//! Layers, each knowing only those before it: `memory`, `float`, `decimal` and `eval` (values), `code`
//! (the compiled form), `assigned`, `values` and `compile` (into it), `machine`, `draws` and `effects` (running
//! it), `observe` (looking on).

mod assigned;
mod code;
mod compile;
mod decimal;
mod draws;
mod effects;
mod eval;
mod float;
mod inputs;
mod machine;
mod memory;
mod observe;
mod outcome;
mod output;
mod outside;
#[cfg(test)]
mod tests;
mod values;
mod written;

use std::sync::OnceLock;

use hardbop_base::Budget;

use code::{Code, Scalar};
use compile::Globals;
use machine::{Machine, Trap};
use memory::{Memory, UNINITIALISED};
use observe::{Evaluator, NoValue as Missing};

pub use inputs::{Draw, DrawSource, Inputs, ListInputs, Request, SeededInputs, Source, Storage, SwarmInputs};
pub use memory::Origin;
pub use observe::{LiveObject, NoValue, Observer, Touch, Value, View, converted, float_operation};
pub use outcome::{Access, Nearby, Outcome, Run, Site};
pub use outside::OutsideMemory;
pub use written::{NotANumber, WrittenInputs};

use crate::{BitRange, Initial, ProcId, Program};

/// What a run may use before it is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Edges taken.
    pub steps: u64,
    /// Bytes of all live objects (and a few more for each), and also of the frames of all
    /// activations.
    pub memory: u64,
    /// Activations waiting for a call to return.
    pub depth: usize,
    /// Values drawn; each is kept in the result.
    pub draws: usize,
    /// Bytes of output kept in the result; what goes beyond is dropped.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: u64::MAX, memory: 1 << 30, depth: 100_000, draws: 1 << 22, output: 1 << 24 }
    }
}

/// Gets what a program prints.
pub type Sink<'a> = &'a mut dyn FnMut(&[u8]);

/// How to run a program.
#[derive(Default)]
pub struct RunOptions<'a> {
    /// When to stop.
    pub limits: Limits,
    /// Who else may stop it; looked at every few thousand steps.
    pub budget: Budget,
    /// Gets what the program prints, instead of [`Run::output`].
    pub sink: Option<Sink<'a>>,
}

/// A program made ready to run, any number of times.
#[derive(Debug)]
pub struct Interpreter<'p> {
    program: &'p Program,
    globals: Globals,
    image: OnceLock<Result<Vec<InitialCell>, String>>,
    codes: Vec<OnceLock<Box<Code>>>,
    /// The same for observed runs, in which every variable tells whether it has a value.
    observed_codes: Vec<OnceLock<Box<Code>>>,
    /// The code of a machine that has not started.
    idle: Code,
    /// Whether it matters which procedures are known outside.
    has_callbacks: bool,
}

/// A scalar of a static initialiser, evaluated.
#[derive(Debug, Clone, Copy)]
enum InitialCell {
    Bytes { address: u64, length: usize, value: u128 },
    Bits { address: u64, bits: BitRange, value: u128 },
}

/// Runs a program once, with nobody watching.
pub fn run(program: &Program, inputs: &mut dyn Inputs, limits: Limits) -> Run {
    Interpreter::new(program).run(inputs, RunOptions { limits, ..RunOptions::default() })
}

impl<'p> Interpreter<'p> {
    /// Makes a program ready. It must have passed the verifier.
    pub fn new(program: &'p Program) -> Self {
        let mut globals = Globals::default();
        let mut plan = Memory::plan(program.data_model).without(&program.devices);
        for &var in &program.globals {
            // A global that does not fit the address space makes every run end at its start.
            let size = program.size_of(program.variables[var].ty);
            let address =
                plan.allocate(size, values::align_of_variable(program, var), Origin::Global(var), None, 0);
            globals.addresses.insert(var, address.unwrap_or(0));
        }
        Interpreter {
            program,
            globals,
            image: OnceLock::new(),
            codes: program.procedures.ids().map(|_| OnceLock::new()).collect(),
            observed_codes: program.procedures.ids().map(|_| OnceLock::new()).collect(),
            idle: Code::default(),
            has_callbacks: program.has_callbacks(),
        }
    }

    /// Runs the program.
    pub fn run(&self, inputs: &mut dyn Inputs, options: RunOptions<'_>) -> Run {
        self.observe(inputs, options, &mut ())
    }

    /// Runs the program and tells an observer about each step.
    pub fn observe<O: Observer>(
        &self,
        inputs: &mut dyn Inputs,
        options: RunOptions<'_>,
        observer: &mut O,
    ) -> Run {
        let RunOptions { limits, budget, sink } = options;
        // Wrapped, because the machine wants all its references to live equally long.
        let mut ask = Asked(inputs);
        let mut show = sink.map(|sink| move |bytes: &[u8]| sink(bytes));
        let sink = show.as_mut().map(|show| show as Sink<'_>);
        let mut machine = Machine::new(self, limits, budget, &mut ask, sink);
        let outcome = machine.run(observer);
        Run {
            outcome,
            steps: machine.steps,
            draws: machine.draws,
            kinds: machine.kinds,
            output: machine.output,
        }
    }

    fn code(&self, procedure: ProcId, observed: bool) -> &Code {
        let codes = if observed { &self.observed_codes } else { &self.codes };
        let compile = || Box::new(compile::compile(self.program, &self.globals, procedure, observed));
        codes[procedure.index()].get_or_init(compile)
    }

    /// Puts the globals into empty memory, where the compiled code expects them.
    fn initialise(&self, memory: &mut Memory) -> Result<(), Trap> {
        for &var in &self.program.globals {
            let variable = &self.program.variables[var];
            let size = self.program.size_of(variable.ty);
            let kind = matches!(variable.initial, Initial::Arbitrary).then_some(UNINITIALISED);
            let align = values::align_of_variable(self.program, var);
            let address = memory.allocate(size, align, Origin::Global(var), kind, 0);
            if address.ok() != self.globals.addresses.get(&var).copied() {
                return Err(Box::new(Outcome::OutOfMemory { size, site: None }));
            }
        }
        let image = self.image.get_or_init(|| self.evaluate_initialisers(memory));
        let image = image
            .as_ref()
            .map_err(|reason| Box::new(Outcome::Unsupported { reason: reason.clone(), site: None }))?;
        for cell in image {
            match *cell {
                InitialCell::Bytes { address, length, value } => {
                    if let Ok((object, offset)) = memory.range_mut(address, length as u64) {
                        object.bytes[offset..offset + length].copy_from_slice(&value.to_le_bytes()[..length]);
                    }
                }
                InitialCell::Bits { address, bits: BitRange { first, width }, value } => {
                    let length = eval::bit_field_bytes(first, width);
                    if let Ok((object, offset)) = memory.range_mut(address, length as u64) {
                        eval::insert_bits(&mut object.bytes[offset..offset + length], first, width, value);
                    }
                }
            }
        }
        Ok(())
    }

    fn evaluate_initialisers(&self, memory: &Memory) -> Result<Vec<InitialCell>, String> {
        let evaluator = Evaluator { program: self.program, globals: &self.globals, memory, frame: None };
        let mut image = Vec::new();
        for &var in &self.program.globals {
            let variable = &self.program.variables[var];
            let Initial::Values(values) = &variable.initial else { continue };
            let unsupported = |_: Missing| format!("the initialiser of {}", variable.name);
            for initial in values {
                let value = evaluator.bits(initial.value).map_err(unsupported)?;
                let scalar = Scalar::of(self.program, self.program.expr(initial.value).ty);
                let Some(base) = self.globals.addresses.get(&var) else { continue };
                let address = base.wrapping_add(initial.offset);
                image.push(match initial.bits {
                    Some(bits) => InitialCell::Bits { address, bits, value: value as u128 },
                    None => {
                        let cell =
                            scalar.and_then(Scalar::cell).ok_or_else(|| unsupported(Missing::Unsupported))?;
                        InitialCell::Bytes { address, length: cell.size(), value: value as u128 }
                    }
                });
            }
        }
        Ok(image)
    }
}

/// Somebody else's inputs.
struct Asked<'a>(&'a mut dyn Inputs);

impl Inputs for Asked<'_> {
    fn next(&mut self, request: &Request<'_>) -> u128 {
        self.0.next(request)
    }

    fn renewed(&mut self, variable: crate::VarId) {
        self.0.renewed(variable);
    }

    fn changed_outside(&mut self, by: (ProcId, crate::EdgeId)) {
        self.0.changed_outside(by);
    }
}
