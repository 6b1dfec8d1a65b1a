//! `hardbop check` on programs that write memory in all ways: the error is behind the values that a run of
//! the interpreter read, so it can be reached, and TRUE is wrong.
//!
//! `HARDBOP_RANDOM` is the number of rounds: 1 unless set.

mod common;

use common::Folder;
use hardbop_alias::{Alias, Regions};
use hardbop_base::{Budget, DataModel};
use hardbop_semantics::Subject;
use hardbop_shadow::{Draws, lowered, trail};
use hardbop_testkit::Rng;
use hardbop_testkit::memory::{self, Call, Case};

const OPTIONS: [&str; 4] = ["", "--no-run", "--no-unroll", "--engine wp"];

fn rounds() -> u64 {
    std::env::var("HARDBOP_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

/// A program of one case, with an error behind what the run found.
fn planted(seed: u64, model: DataModel) -> Option<String> {
    let mut rng = Rng::new(seed);
    let case = memory::random(&mut rng, model);
    let calls = case.calls(model);
    let call = calls[rng.below(calls.len())];
    let group: Vec<(Case, Vec<Call>)> = vec![(case, vec![call])];
    let program = lowered(&memory::program(&group, model, true), model).ok()?;
    let budget = Budget::unlimited();
    let alias = Alias::of(&program, &budget).ok()?;
    let regions = Regions::of(&program, &alias, &[], &budget).ok()?;
    let subject = Subject { program: &program, alias: &alias, regions: &regions };
    let trail = trail(subject, &mut Draws::new(seed), 100_000, |name| name.starts_with("out")).ok()?;
    let outputs = memory::outputs(&group);
    let mut conditions = Vec::new();
    for (var, value, _) in &trail.results {
        let name = &program.variables[*var].name;
        let Some((_, ty)) = outputs.iter().find(|(output, _)| output == name) else { continue };
        let bits = value.as_bool().map(u128::from).or(value.as_bits())?;
        conditions.extend(memory::has_bits(name, ty, bits));
    }
    Some(memory::planted(&group, model, &conditions))
}

#[test]
#[allow(clippy::print_stdout, reason = "the counts are what was tried")]
fn what_a_run_reads_is_never_proved_impossible() {
    let mut counts = [[0; 3]; OPTIONS.len()];
    let mut wrong = Vec::new();
    for seed in 0..6 * rounds() {
        let model = if seed % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
        let Some(text) = planted(seed, model) else { continue };
        let width = format!("--data-model {}", model.name());
        let folder = Folder::new(&[("a.c", text.clone())]);
        for (n, options) in OPTIONS.iter().enumerate() {
            let done = folder.hardbop(&format!("check a.c {options} {width} --timeout 5s"));
            match done.stdout.lines().last().unwrap_or_default() {
                "VERDICT: TRUE" => {
                    counts[n][0] += 1;
                    wrong.push(format!("seed {seed}, `{options} {width}`:\n{text}"));
                }
                "VERDICT: FALSE" => counts[n][1] += 1,
                "VERDICT: UNKNOWN" => counts[n][2] += 1,
                other => panic!("seed {seed}, `{options} {width}`: {other}\n{}\n{text}", done.stderr),
            }
        }
    }
    let counts: Vec<String> = OPTIONS
        .iter()
        .zip(counts)
        .map(|(options, [t, f, u])| format!("`{options}`: {t} TRUE, {f} FALSE, {u} UNKNOWN"))
        .collect();
    println!("{}", counts.join("; "));
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
