//! Writes a C program and predicates about it, `NAME.c` and `NAME.preds`:
//!
//! `cargo run -p hardbop-testkit --example subject -- random SEED STATEMENTS PREDICATES NAME`
//! `cargo run -p hardbop-testkit --example subject -- driver LINES PREDICATES NAME`

use std::error::Error;

use hardbop_testkit::program;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (subject, name) = match words[..] {
        ["random", seed, statements, predicates, name] => {
            (program::random(seed.parse()?, statements.parse()?, predicates.parse()?), name)
        }
        ["driver", lines, predicates, name] => (program::driver(lines.parse()?, predicates.parse()?), name),
        _ => return Err("random SEED STATEMENTS PREDICATES NAME, or driver LINES PREDICATES NAME".into()),
    };
    std::fs::write(format!("{name}.c"), &subject.text)?;
    std::fs::write(format!("{name}.preds"), subject.predicate_file(subject.predicates.len()))?;
    Ok(())
}
