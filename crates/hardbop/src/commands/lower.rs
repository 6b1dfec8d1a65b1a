//! `hardbop lower`: C or X to the program representation, as text.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use hardbop_alias::{Alias, RegionKind, Regions};
use hardbop_base::{Budget, Sources, Stop};
use hardbop_ir::{Program, Statement};

use crate::frontend::{FrontEnd, Loaded};
use crate::limits::{Limits, peak_memory};
use crate::{Exit, Failure, output, worker};

/// Translate C or X to the program representation and print it
#[derive(Debug, Args)]
pub struct Lower {
    #[command(flatten)]
    program: FrontEnd,

    /// Write the program here instead of standard output
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,

    /// Also check that the result is well-formed and survives being printed and read back
    #[arg(long)]
    check: bool,

    /// Print counts as JSON instead of the program
    #[arg(long)]
    json_stats: bool,

    /// Print the X program as it was understood, instead of translating it
    #[arg(long, conflicts_with_all = ["json_stats", "check"])]
    source: bool,

    /// Print what pointers point to, regions of memory and effects of procedures instead of the program
    #[arg(long, hide = true, conflicts_with = "json_stats")]
    alias: bool,

    #[command(flatten)]
    limits: Limits,
}

impl Lower {
    /// Runs the command.
    pub fn run(self) -> Result<Exit, Failure> {
        worker::isolate(
            &self.limits,
            |crash| Err(crash.blame(self.program.first())),
            |budget| self.work(budget),
        )
    }

    fn work(&self, budget: &Budget) -> Result<Exit, Failure> {
        if self.source {
            output::write(&self.output, self.program.x_source()?.to_string())?;
            return Ok(Exit::Ok);
        }
        let start = Instant::now();
        let Loaded { program, .. } = self.program.load()?;
        let (seconds, peak) = (start.elapsed().as_secs_f64(), peak_memory());
        if self.check {
            check(&program)?;
        }
        if self.alias {
            output::write(&self.output, alias_report(&program, budget)?)?;
        } else if self.json_stats {
            let mut stats = stats(&program);
            stats["seconds"] = seconds.into();
            stats["peak_memory"] = peak.into();
            stats["alias"] = alias_stats(&program, budget);
            output::write(&self.output, format!("{stats:#}\n"))?;
        } else {
            output::write(&self.output, hardbop_ir::text::print(&program))?;
        }
        Ok(Exit::Ok)
    }
}

/// Makes sure that the program verifies and survives its text form.
fn check(program: &Program) -> Result<(), Failure> {
    let violations = hardbop_ir::verify(program);
    if let Some(first) = violations.first() {
        let text = first.show(program);
        return Err(Failure::Defect(format!(
            "the program is malformed in {} places: {text}",
            violations.len()
        )));
    }
    let text = hardbop_ir::text::print(program);
    let mut sources = Sources::new();
    let file = sources.add("<text form>", text.as_str());
    match hardbop_ir::text::parse(file, &text) {
        Ok(again) if hardbop_ir::text::print(&again) == text => Ok(()),
        Ok(_) => Err(Failure::Defect("the text form is read back differently".into())),
        Err(errors) => {
            Err(Failure::Defect(format!("the text form is not read back: {}", errors.render(&sources))))
        }
    }
}

fn alias_report(program: &Program, budget: &Budget) -> Result<String, Failure> {
    let alias = Alias::of(program, budget).map_err(Failure::Stopped)?;
    let regions = Regions::of(program, &alias, &[], budget).map_err(Failure::Stopped)?;
    Ok(hardbop_alias::show(program, &alias, &regions))
}

/// What the pointers of a program amount to, and how long that took to find out.
fn alias_stats(program: &Program, budget: &Budget) -> serde_json::Value {
    let start = Instant::now();
    let analyse = || -> Result<(Alias, f64, Regions), Stop> {
        let alias = Alias::of(program, budget)?;
        let seconds = start.elapsed().as_secs_f64();
        let regions = Regions::of(program, &alias, &[], budget)?;
        Ok((alias, seconds, regions))
    };
    match analyse() {
        Err(stop) => serde_json::json!({ "stopped": stop.to_string() }),
        Ok((alias, points_to_seconds, regions)) => {
            let bytes = regions.regions().values().filter(|r| r.kind == RegionKind::Bytes);
            serde_json::json!({
                "seconds": start.elapsed().as_secs_f64(),
                "points_to_seconds": points_to_seconds,
                "registers": program.variables.ids().filter(|&v| !alias.in_memory(v)).count(),
                "objects": alias.objects().len(),
                "regions": regions.regions().len(),
                "byte_regions": bytes.count(),
            })
        }
    }
}

/// Counts of what a program consists of, and what of it is unsupported or assumed.
fn stats(program: &Program) -> serde_json::Value {
    let edges = || program.procedures.values().flat_map(|p| p.edges.values());
    let unsupported: Vec<_> = edges()
        .filter_map(|edge| match &edge.statement {
            Statement::Unsupported(reason) => Some(serde_json::json!({
                "reason": reason,
                "at": program.files.origin(edge.span).to_string(),
            })),
            _ => None,
        })
        .collect();
    serde_json::json!({
        "data_model": program.data_model.name(),
        "entry": program.entry.map(|p| &program.procedures[p].name),
        "procedures": program.procedures.values().filter(|p| p.external.is_none()).count(),
        "external_procedures": program.procedures.values().filter(|p| p.external.is_some()).count(),
        "globals": program.globals.len(),
        "records": program.records.len(),
        "locations": program.procedures.values().map(|p| p.locations.len()).sum::<usize>(),
        "edges": edges().count(),
        "expressions": program.exprs().len(),
        "error_edges": edges().filter(|e| matches!(e.statement, Statement::Error(_))).count(),
        "unsupported": unsupported,
        "assumptions": program.assumptions.iter().map(|a| &a.text).collect::<Vec<_>>(),
    })
}
