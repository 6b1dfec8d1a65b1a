//! Making what was found small.
//!
//! A step becomes `skip`, a branch is closed, a condition of the plant is dropped, a procedure or variable that is not
//! mentioned any more is left out, as long as the checker says TRUE and a run still reaches the error.

use std::path::Path;
use std::time::Instant;

use hardbop_base::{Budget, Id};
use hardbop_ir::interpret::{Draw, ListInputs, Outcome};
use hardbop_ir::{EdgeId, Halt, ProcId, Program, Statement, verify};

use crate::checker::{Answer, Checker};
use crate::inputs::ByStep;
use crate::record::run;
use crate::session::{HuntOptions, PlantedError};

/// Shrinks a plant that was called unreachable and saves it; how to see it.
pub fn shrink(
    name: &str,
    found: &PlantedError,
    way: &[&str],
    checker: &dyn Checker,
    options: &HuntOptions,
) -> String {
    let mut work = Shrinking {
        program: found.program.clone(),
        draws: found.run.draws.clone(),
        way,
        checker,
        until: Instant::now() + options.patience,
    };
    work.shrink_steps();
    work.shrink_text();
    work.save(name, &found.program, &options.out).unwrap_or_else(|error| error)
}

struct Shrinking<'a> {
    program: Program,
    /// What the run to the error draws.
    draws: Vec<Draw>,
    way: &'a [&'a str],
    checker: &'a dyn Checker,
    until: Instant,
}

impl Shrinking<'_> {
    /// Takes over a smaller program if it is wrong in the same way.
    fn accept(&mut self, smaller: Program, same_steps: bool) -> bool {
        if Instant::now() > self.until || !verify(&smaller).is_empty() {
            return false;
        }
        let budget = Budget::unlimited();
        let reached = match same_steps {
            true => run(&smaller, &mut ByStep::new(&self.draws), &budget),
            false => run(&smaller, &mut ListInputs::replay(&self.draws), &budget),
        };
        if !matches!(reached.outcome, Outcome::Error { .. })
            || self.checker.check(&smaller, self.way) != Answer::True
        {
            return false;
        }
        self.program = smaller;
        self.draws = reached.draws;
        true
    }

    /// Steps become `skip`, many at a time at first; one of two branches is closed.
    fn shrink_steps(&mut self) {
        let mut size = self.steps().len().div_ceil(2);
        while size > 0 {
            let steps = self.steps();
            for chunk in steps.chunks(size) {
                let mut smaller = self.program.clone();
                for &(procedure, edge) in chunk {
                    let statement = &mut smaller.procedures[procedure].edges[edge].statement;
                    *statement = match statement {
                        // Nobody goes here any more: the other branch must be open then.
                        Statement::Assume(_) => Statement::Halt(Halt::Abort),
                        _ => Statement::Skip,
                    };
                }
                open_others(&mut smaller, chunk);
                self.accept(smaller, true);
            }
            size /= 2;
        }
    }

    /// What may be left out: all but the error, returns, and what is gone already.
    fn steps(&self) -> Vec<(ProcId, EdgeId)> {
        let mut steps = Vec::new();
        for (id, procedure) in self.program.procedures.iter() {
            for (edge, e) in procedure.edges.iter() {
                let kept = matches!(e.statement, Statement::Skip | Statement::Return | Statement::Error(_))
                    || matches!(e.statement, Statement::Halt(_))
                    || matches!(e.statement, Statement::Assume(c) if self.program.as_truth(c).is_some());
                if !kept {
                    steps.push((id, edge));
                }
            }
        }
        steps
    }

    /// Leaves out lines and blocks of the text form without which the error is still reached.
    fn shrink_text(&mut self) {
        loop {
            let text = hardbop_ir::text::print(&self.program);
            let before = text.len();
            for (start, end) in blocks(&text).into_iter().rev() {
                let text = hardbop_ir::text::print(&self.program);
                if end > text.len() || !text.is_char_boundary(start) || !text.is_char_boundary(end) {
                    continue;
                }
                let shorter = [&text[..start], &text[end..]].concat();
                if let Ok(smaller) = hardbop_ir::text::parse(Id::from_usize(0), &shorter) {
                    self.accept(smaller, false);
                }
            }
            if hardbop_ir::text::print(&self.program).len() >= before || Instant::now() > self.until {
                break;
            }
        }
    }

    /// Writes the program, what it was, and how to see that it is wrong.
    fn save(&self, name: &str, whole: &Program, out: &Path) -> Result<String, String> {
        let failed = |error: std::io::Error| format!("{}: {error}", out.display());
        std::fs::create_dir_all(out).map_err(failed)?;
        let plain: String = name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        let text = hardbop_ir::text::print(&self.program);
        let stem = format!("{plain}-{:08x}", fingerprint(&text) as u32);
        let file = out.join(format!("{stem}.ir"));
        std::fs::write(&file, text).map_err(failed)?;
        std::fs::write(out.join(format!("{stem}.whole.ir")), hardbop_ir::text::print(whole))
            .map_err(failed)?;
        let values: Vec<String> = self.draws.iter().map(|draw| draw.value.to_string()).collect();
        let inputs = out.join(format!("{stem}.inputs"));
        std::fs::write(&inputs, format!("all {}\n", values.join(" "))).map_err(failed)?;
        Ok(format!(
            "`hardbop check {} {file}` says TRUE, `hardbop run {file} --inputs {inputs}` reaches the error",
            self.way.join(" "),
            file = file.display(),
            inputs = inputs.display(),
        ))
    }
}

/// Where one of the edges that leave a location is closed and only one is left, that one is open.
fn open_others(program: &mut Program, closed: &[(ProcId, EdgeId)]) {
    for &(procedure, edge) in closed {
        let p = &program.procedures[procedure];
        let source = p.edges[edge].source;
        let open: Vec<EdgeId> = p
            .edges
            .iter()
            .filter(|(_, e)| e.source == source && !matches!(e.statement, Statement::Halt(_)))
            .map(|(id, _)| id)
            .collect();
        if let &[only] = &open[..]
            && matches!(program.procedures[procedure].edges[only].statement, Statement::Assume(_))
        {
            program.procedures[procedure].edges[only].statement = Statement::Skip;
        }
        // An edge that stops what may go on elsewhere must not be taken.
        let never = program.truth(false);
        let statement = &mut program.procedures[procedure].edges[edge].statement;
        if matches!(statement, Statement::Halt(_)) && !open.is_empty() {
            *statement = Statement::Assume(never);
        }
    }
}

/// Pieces of a text form that may be left out: lines, and blocks in braces with their first line.
fn blocks(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut open: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        let bare = line.trim_end();
        if line.starts_with('}') {
            found.extend(open.take().map(|start| (start, end)));
        } else if !line.starts_with(' ') && bare.contains('{') && !bare.contains('}') {
            open = Some(at);
        } else if !bare.is_empty() && !line.starts_with("program") && !line.starts_with("entry") {
            found.push((at, end));
        }
        at = end;
    }
    found
}

/// A number that tells texts apart (FNV-1a).
fn fingerprint(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}
