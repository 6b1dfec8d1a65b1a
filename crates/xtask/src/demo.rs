//! `cargo xtask demo`: from a fresh checkout to hardbop at work.

use std::path::Path;
use std::process::Command;

use crate::process::{cargo, root, run as run_program};
use crate::{Outcome, expect_none, metadata, setup};

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    expect_none(arguments)?;
    setup::for_demo()?;
    run_program(&mut cargo(["build", "--release", "--package", "hardbop"]))?;
    let executable = metadata::load()?.target_directory.join("release").join("hardbop");
    show(&executable)
}

/// A step of the demo: what to look at, what to run in the root of the workspace, and the exit code
/// that hardbop must give.
struct Step {
    say: &'static str,
    arguments: &'static [&'static str],
    /// The part of the output that is shown: lines from the first one that starts so to `}`.
    part: Option<&'static str>,
    code: i32,
}

const STEPS: [Step; 4] = [
    Step {
        say: "examples/lock.c has a lock that must be taken and given back in turn, and a way to break that \
              rule.\nThis is what hardbop makes of its function `serve`: steps between locations, without side \
              effects inside.",
        arguments: &["lower", "examples/lock.c"],
        part: Some("fn serve"),
        code: 0,
    },
    Step {
        say: "Three writes that fit into the buffer: the program returns, hardbop ends with 0.",
        arguments: &["run", "examples/lock.c", "--inputs", "examples/lock-good.inputs"],
        part: None,
        code: 0,
    },
    Step {
        say: "After a write of 10 bytes, 7 more do not fit: the error is reached, hardbop ends with 1.",
        arguments: &["run", "examples/lock.c", "--inputs", "examples/lock-bad.inputs"],
        part: None,
        code: 1,
    },
    Step {
        say: "The same with pseudo-random inputs.",
        arguments: &["run", "examples/lock.c", "--seed", "1"],
        part: None,
        code: 1,
    },
];

/// What the demo shows.
fn show(hardbop: &Path) -> Outcome {
    for step in &STEPS {
        println!("\n{}\n\n$ hardbop {}", step.say, step.arguments.join(" "));
        let done = Command::new(hardbop).args(step.arguments).current_dir(root()).output();
        let done = done.map_err(|error| format!("cannot start {}: {error}", hardbop.display()))?;
        let text = String::from_utf8_lossy(&done.stdout);
        print!(
            "{}{}",
            step.part.map_or_else(|| text.to_string(), |part| cut(&text, part)),
            String::from_utf8_lossy(&done.stderr)
        );
        if done.status.code() != Some(step.code) {
            return Err(format!("hardbop was to end with {}, but: {}", step.code, done.status));
        }
    }
    println!("\nRead README.md for how to use it on your own code.");
    Ok(())
}

fn cut(text: &str, start: &str) -> String {
    let lines = text.lines().skip_while(|line| !line.starts_with(start));
    let mut part = String::from("…\n");
    for line in lines {
        part.push_str(line);
        part.push('\n');
        if line == "}" {
            break;
        }
    }
    part + "…\n"
}
