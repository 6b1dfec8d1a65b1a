//! Reads every C file of a benchmark set and says how it went.
//!
//! `cargo run --release -p hardbop-syntax --example sweep -- DIR` reads the tasks that
//! `DIR/tasks.csv` lists (columns: task, category, data model, …); with file names after `DIR`, only
//! those tasks whose name contains one of them.

#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use hardbop_base::{DataModel, Sources};
use hardbop_syntax::{SyntaxOptions, ast};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().unwrap_or_else(|| "../shared/bench/svcomp".to_owned());
    let only: Vec<String> = arguments.collect();
    let threads = std::thread::Builder::new().stack_size(512 << 20);
    let sweep = threads.spawn(move || sweep(Path::new(&directory), &only));
    match sweep.map(|handle| handle.join()) {
        Ok(Ok(true)) => {}
        _ => std::process::exit(1),
    }
}

fn sweep(directory: &Path, only: &[String]) -> bool {
    let Ok(tasks) = std::fs::read_to_string(directory.join("tasks.csv")) else {
        println!("no tasks.csv in {}", directory.display());
        return false;
    };
    let mut failed = 0;
    let mut timings = Vec::new();
    let mut reasons: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for line in tasks.lines().skip(1) {
        let mut columns = line.split(',');
        let (Some(task), Some(model)) = (columns.next(), columns.nth(1)) else { continue };
        if !only.is_empty() && !only.iter().any(|name| task.contains(name.as_str())) {
            continue;
        }
        let Ok(bytes) = std::fs::read(directory.join(task)) else {
            println!("{task}: cannot be read");
            failed += 1;
            continue;
        };
        let model = if model == "LP64" { DataModel::Lp64 } else { DataModel::Ilp32 };
        let mut sources = Sources::new();
        let start = Instant::now();
        let (_, result) = hardbop_syntax::parse_bytes(&mut sources, task, &bytes, &SyntaxOptions::new(model));
        timings.push((start.elapsed(), task.to_owned(), bytes.len()));
        match result {
            Ok((unit, _)) => note_unsupported(&unit, &sources, &mut reasons),
            Err(diagnostics) => {
                failed += 1;
                println!("{task}: rejected\n{}", diagnostics.render(&sources));
            }
        }
    }
    timings.sort();
    for (time, task, bytes) in timings.iter().rev().take(5) {
        println!("{time:9.3?} {bytes:9} bytes {task}");
    }
    let total: std::time::Duration = timings.iter().map(|t| t.0).sum();
    println!("{} tasks in {total:.3?}, {failed} rejected", timings.len());
    for (reason, (count, example)) in reasons {
        println!("{count:6} {reason}, as at {example}");
    }
    failed == 0
}

fn note_unsupported(unit: &ast::Unit, sources: &Sources, reasons: &mut BTreeMap<String, (usize, String)>) {
    let mut note = |reason: &str, span| {
        let example = || (0, sources.origin(span).to_string());
        reasons.entry(reason.to_owned()).or_insert_with(example).0 += 1;
    };
    for expr in unit.exprs.values() {
        if let ast::ExprKind::Unsupported(reason) = &expr.kind {
            note(reason, expr.span);
        }
        if let ast::Type::Unsupported(name, _) = &unit.types[expr.ty] {
            note(&format!("type {name}"), expr.span);
        }
    }
    for stmt in unit.stmts.values() {
        if let ast::StmtKind::Unsupported(reason) = &stmt.kind {
            note(reason, stmt.span);
        }
    }
}
