//! `cargo xtask fuzz TARGET`: runs a fuzz target of `fuzz/` with libFuzzer.
//!
//! Seeds are the inputs of our tests. The corpus that grows from them and the inputs that break something
//! stay in `fuzz/corpus` and `fuzz/artifacts`, which are not checked in. `fuzz/README.md` says what the
//! targets check, and how to do without this command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::process::{cargo, root, run as run_program, succeeds};
use crate::{Outcome, setup};

/// A fuzz target.
struct Target {
    name: &'static str,
    /// The words of its language, in `fuzz/dictionaries`.
    dictionary: &'static str,
    /// The longest input, in bytes.
    max_len: u32,
    seeds: fn(&Path) -> Outcome,
}

const TARGETS: [Target; 5] = [
    Target { name: "lower", dictionary: "c.dict", max_len: 4096, seeds: c_seeds },
    // The text form is wordy.
    Target { name: "ir_text", dictionary: "ir.dict", max_len: 16384, seeds: ir_seeds },
    Target { name: "bp", dictionary: "bp.dict", max_len: 4096, seeds: bp_seeds },
    Target { name: "x", dictionary: "x.dict", max_len: 4096, seeds: x_seeds },
    Target { name: "inputs", dictionary: "inputs.dict", max_len: 4096, seeds: input_seeds },
];

/// The release of cargo-fuzz that is installed where there is none.
const CARGO_FUZZ: &str = "0.13";

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    let names = TARGETS.map(|target| target.name).join(", ");
    let Some((name, options)) = arguments.split_first() else {
        return Err(format!("which target? There are {names}"));
    };
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.ok_or_else(|| format!("there is no target `{name}`; there are {names}"))?;
    let mut seconds = 600;
    let mut options = options.iter();
    while let Some(option) = options.next() {
        match option.as_str() {
            "--seconds" => {
                let number = options.next().and_then(|n| n.parse().ok());
                seconds = number.ok_or("--seconds needs a number")?;
            }
            _ => return Err(format!("unexpected argument `{option}`; there is --seconds N")),
        }
    }
    setup::for_fuzzing()?;
    if !succeeds(&mut cargo(["fuzz", "--version"])) {
        println!("missing: cargo-fuzz");
        run_program(&mut cargo(["install", "cargo-fuzz", "--locked", "--version", CARGO_FUZZ]))?;
    }
    fuzz(target, seconds)
}

fn fuzz(target: &Target, seconds: u32) -> Outcome {
    let folder = root().join("fuzz");
    let (corpus, artifacts) = (folder.join("corpus"), folder.join("artifacts"));
    let (corpus, artifacts) = (corpus.join(target.name), artifacts.join(target.name));
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    (target.seeds)(&corpus)?;
    let last_input = artifacts.join("last-input");
    let mut command = cargo(["fuzz", "run", "--sanitizer", "none", "--no-trace-compares", target.name, "--"]);
    command
        .arg(format!("-dict=fuzz/dictionaries/{}", target.dictionary))
        .arg(format!("-max_len={}", target.max_len))
        .arg(format!("-max_total_time={seconds}"))
        .args(["-timeout=20", "-rss_limit_mb=4096", "-print_final_stats=1"])
        // cargo-fuzz uses options of the compiler that the stable one has, but hides.
        .env("RUSTC_BOOTSTRAP", "1")
        .env("HARDBOP_FUZZ_LAST_INPUT", &last_input);
    run_program(&mut command).map_err(|message| {
        format!("{message}\nIf no artifact is named above, the last input is in {}", shown(&last_input))
    })
}

/// A path as seen from the root of the workspace.
fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Our C tests, preprocessed without their headers, once for each data model: texts that start with
/// `//32` are read for ILP32.
fn c_seeds(corpus: &Path) -> Outcome {
    for folder in ["crates/lower/tests", "crates/syntax/tests/golden"] {
        for file in files_below(&root().join(folder), "c")? {
            let text = preprocessed(&file)?;
            write_seed(corpus, "64", &file, &text)?;
            write_seed(corpus, "32", &file, &[b"//32\n", &text[..]].concat())?;
        }
    }
    Ok(())
}

/// What gcc's preprocessor makes of a file without the lines that include others; undeclared functions
/// are no error in the C that we read.
fn preprocessed(file: &Path) -> Result<Vec<u8>, String> {
    let failed = |e| format!("{}: {e}", file.display());
    let text = fs::read(file).map_err(failed)?;
    let text = String::from_utf8_lossy(&text);
    let lines = text.lines().filter(|line| !line.trim_start().starts_with("#include"));
    let without: String = lines.flat_map(|line| [line, "\n"]).collect();
    let mut gcc = Command::new("gcc");
    gcc.args(["-E", "-P", "-w", "-xc", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = gcc.stderr(Stdio::null()).spawn().map_err(failed)?;
    if let Some(mut stdin) = child.stdin.take() {
        std::io::Write::write_all(&mut stdin, without.as_bytes()).map_err(failed)?;
    }
    // A file that cannot be preprocessed is a seed as it is.
    let done = child.wait_with_output().map_err(failed)?;
    Ok(if done.status.success() { done.stdout } else { without.into_bytes() })
}

fn ir_seeds(corpus: &Path) -> Outcome {
    copy_seeds(corpus, "crates/lower/tests", "ir")
}

fn bp_seeds(corpus: &Path) -> Outcome {
    copy_seeds(corpus, "examples/papers", "bp")
}

fn x_seeds(corpus: &Path) -> Outcome {
    copy_seeds(corpus, "examples", "x")
}

fn input_seeds(corpus: &Path) -> Outcome {
    write_seed(corpus, "all", Path::new("inputs"), b"all 1, -2, 0x3 # four\n1.5 -0.0 nan 1e400\n")
}

fn copy_seeds(corpus: &Path, folder: &str, extension: &str) -> Outcome {
    for file in files_below(&root().join(folder), extension)? {
        let text = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        write_seed(corpus, "seed", &file, &text)?;
    }
    Ok(())
}

fn write_seed(corpus: &Path, prefix: &str, file: &Path, text: &[u8]) -> Outcome {
    let own = file.strip_prefix(root()).unwrap_or(file).display().to_string();
    let seed = corpus.join(format!("{prefix}-{}", own.replace('/', "-")));
    fs::write(&seed, text).map_err(|e| format!("{}: {e}", seed.display()))
}

/// The files with an extension in a folder and the folders in it.
fn files_below(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let failed = |e| format!("{}: {e}", folder.display());
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            files.extend(files_below(&path, extension)?);
        } else if path.extension().is_some_and(|e| e == extension) {
            files.push(path);
        }
    }
    Ok(files)
}
