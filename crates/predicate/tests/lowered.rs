//! Conditions of lowered C programs, as predicates: printing them gives text that is read back as the
//! same expression, and the text of the source itself is read as what lowering made of it.

mod common;

use std::path::{Path, PathBuf};

use common::{lowered, read};
use hardbop_base::{DataModel, Sources, Span};
use hardbop_ir::{Program, Statement};
use hardbop_predicate::{Predicate, Scope, print_predicates};

/// The programs that lowering is tested with, as far as they need no preprocessor.
fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../lower/tests/programs");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder of programs")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    files
}

/// All conditions of a program with the text they come from.
fn conditions(program: &Program) -> Vec<(Predicate, Span)> {
    let mut found = Vec::new();
    for (id, procedure) in program.procedures.iter() {
        for (_, edge) in procedure.edges.iter() {
            if let Statement::Assume(expr) = edge.statement {
                found.push((Predicate { scope: Scope::Procedure(id), expr }, edge.span));
            }
        }
    }
    found
}

/// The text of a condition in one line that is not the operand of a switch.
fn source_text(sources: &Sources, span: Span) -> Option<&str> {
    let line = sources.line_text(span).filter(|_| span.line == span.end_line)?;
    let before = line.get(..span.column as usize - 1)?;
    let text = line.get(span.column as usize - 1..span.end_column as usize - 1)?;
    (!before.trim_end_matches(' ').ends_with("switch (")).then_some(text)
}

#[test]
fn conditions_come_back() {
    let mut count = 0;
    for file in programs() {
        let text = std::fs::read_to_string(&file).expect("a readable program");
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let Ok((program, _)) = lowered(&text, model) else { continue };
            let mut wanted: Vec<Predicate> = conditions(&program).into_iter().map(|(p, _)| p).collect();
            wanted.sort();
            wanted.dedup();
            let printed = print_predicates(&program, &wanted);
            let (mut found, messages) = read(&program, &printed);
            assert_eq!(messages, "", "{}\n{printed}", file.display());
            found.sort();
            assert_eq!(found, wanted, "{}\n{printed}", file.display());
            // Only pointers to arrays, which variable-length arrays are made of, need the escape.
            let plain = !printed.contains('@') || printed.contains("$address");
            assert!(plain, "{}: C can say what comes from C\n{printed}", file.display());
            count += wanted.len();
        }
    }
    assert!(count > 1000, "{count} conditions");
}

#[test]
fn source_text_means_what_it_means_in_the_program() {
    let mut compared = 0;
    for file in programs() {
        let text = std::fs::read_to_string(&file).expect("a readable program");
        let Ok((program, sources)) = lowered(&text, DataModel::Lp64) else { continue };
        for (predicate, span) in conditions(&program) {
            let Some(source) = source_text(&sources, span) else { continue };
            let Scope::Procedure(id) = predicate.scope else { continue };
            let name = program.procedures[id].name.clone();
            let (found, messages) = read(&program, &format!("proc \"{name}\": {source};"));
            let ([found], "") = (found.as_slice(), messages.as_str()) else { continue };
            let negated = program.not(found.expr);
            assert!(
                predicate.expr == found.expr || predicate.expr == negated,
                "{}: `{source}` is {}, not {}",
                file.display(),
                program.show_expr(found.expr),
                program.show_expr(predicate.expr)
            );
            compared += 1;
        }
    }
    assert!(compared > 250, "{compared} compared");
}
