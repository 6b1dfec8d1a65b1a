//! Abstracts a driver-like program and prints figures, one per line, `name value`:
//!
//! `cargo run --release -p hardbop-testkit --example abstraction -- LINES PREDICATES blast|z3 THREADS`
//!
//! First with all predicates but the last, then once more with the last one: what a predicate costs that
//! comes later.

#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::{Duration, Instant};

use hardbop_abstraction::{Abstraction, AbstractionOptions, Abstractor, Backend, print};
use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel, Diagnostics, Sources};
use hardbop_ir::Program;
use hardbop_predicate::places;
use hardbop_predicate::{Predicate, parse_predicates};
use hardbop_semantics::Subject;
use hardbop_testkit::program;
use rustix::time::{ClockId, clock_gettime};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let [lines, predicates, backend, threads] = words[..] else {
        return Err("LINES PREDICATES blast|z3 THREADS".into());
    };
    let backend = match backend {
        "z3" => Backend::Z3,
        "blast" => Backend::Blaster,
        _ => return Err("the backend is blast or z3".into()),
    };
    let subject = program::driver(lines.parse()?, predicates.parse()?);
    let options = AbstractionOptions { backend, threads: threads.parse()?, ..AbstractionOptions::default() };
    measure(&subject, options)
}

fn measure(subject: &program::Subject, options: AbstractionOptions) -> Result<(), Box<dyn Error>> {
    let (program, predicates) = read(subject)?;
    let budget = Budget::unlimited();
    let stopped = |_| "stopped";
    let start = Clock::now();
    let alias = Alias::of(&program, &budget).map_err(stopped)?;
    let regions = Regions::of(&program, &alias, &places(&program, &predicates), &budget).map_err(stopped)?;
    let prepared = start.elapsed();
    let subject_of = Subject { program: &program, alias: &alias, regions: &regions };
    let mut abstractor = Abstractor::new(options, budget);
    let start = Clock::now();
    let first = abstractor.run(subject_of, &predicates[..predicates.len() - 1]).map_err(stopped)?;
    let all_but_one = start.elapsed();
    let start = Clock::now();
    let second = abstractor.run(subject_of, &predicates).map_err(stopped)?;
    let one_more = start.elapsed();
    // The same from the start, to compare with.
    let whole = {
        let mut abstractor = Abstractor::new(options, Budget::unlimited());
        let start = Clock::now();
        let whole = abstractor.run(subject_of, &predicates).map_err(stopped)?;
        if text(&whole, &program) != text(&second, &program) {
            return Err("what was remembered changes the result".into());
        }
        (whole, start.elapsed())
    };
    println!("lines {}", subject.text.lines().count());
    println!("predicates {}", predicates.len());
    println!("steps {}", whole.0.statistics.steps);
    show("prepare", prepared);
    report("whole", &whole.0, whole.1);
    report("first", &first, all_but_one);
    report("more", &second, one_more);
    Ok(())
}

fn text(abstraction: &Abstraction, program: &Program) -> String {
    print(abstraction, program, &|_| None)
}

fn report(name: &str, abstraction: &Abstraction, time: [Duration; 2]) {
    let counts = abstraction.statistics.counts;
    println!("{name}-queries {}", counts.queries);
    println!("{name}-by-model {}", counts.by_model);
    println!("{name}-gave-up {}", counts.gave_up);
    show(name, time);
}

fn show(name: &str, [wall, processor]: [Duration; 2]) {
    println!("{name}-seconds {:.4}", wall.as_secs_f64());
    println!("{name}-processor-seconds {:.4}", processor.as_secs_f64());
}

fn read(subject: &program::Subject) -> Result<(Program, Vec<Predicate>), String> {
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(DataModel::Lp64);
    let parsed = hardbop_syntax::parse_bytes(&mut sources, "driver.c", subject.text.as_bytes(), &options).1;
    let (unit, _) = parsed.map_err(|errors| errors.render(&sources))?;
    let lowered = hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::LowerOptions::default());
    let program = lowered.map_err(|errors| errors.render(&sources))?;
    let text = subject.predicate_file(subject.predicates.len());
    let file = sources.add("driver.preds", text.as_str());
    let mut diagnostics = Diagnostics::new();
    let predicates = parse_predicates(&program, file, &text, &mut diagnostics);
    if diagnostics.has_errors() { Err(diagnostics.render(&sources)) } else { Ok((program, predicates)) }
}

/// A moment on the wall and in processor time.
struct Clock(Instant, Duration);

impl Clock {
    fn now() -> Self {
        Clock(Instant::now(), processor_time())
    }

    fn elapsed(&self) -> [Duration; 2] {
        [self.0.elapsed(), processor_time().saturating_sub(self.1)]
    }
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}
