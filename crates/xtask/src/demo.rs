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
struct DemoStep {
    say: &'static str,
    arguments: &'static [&'static str],
    /// The part of the output that is shown: lines from the first one that starts so to `}`.
    part: Option<&'static str>,
    code: i32,
}

const STEPS: [DemoStep; 4] = [
    DemoStep {
        say: "examples/packets.c is the loop of a driver that takes requests from a list under a lock. \
              The lock must be\ntaken and given back in turn. Can the driver break that rule? It can, and this is how:",
        arguments: &["check", "examples/packets.c"],
        part: None,
        code: 1,
    },
    DemoStep {
        say: "With the mistake corrected, no run breaks the rule, however often the loop goes round. What the \
              proof knows of the\nloop and of the functions, and what it rests on:",
        arguments: &["check", "examples/packets-fixed.c", "--invariants", "--stats"],
        part: None,
        code: 0,
    },
    DemoStep {
        say: "This is what hardbop makes of the function `dispatch`: steps between locations, without side \
              effects inside.",
        arguments: &["lower", "examples/packets-fixed.c"],
        part: Some("fn dispatch"),
        code: 0,
    },
    DemoStep {
        say: "Programs can also be run, here with inputs from a file: after a write of 10 bytes, 7 more do not \
              fit.",
        arguments: &["run", "examples/lock.c", "--inputs", "examples/lock-bad.inputs"],
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
