//! `cargo xtask drivers`: drivers that somebody else wrote.
//!
//! Debian's `*-dkms` packages hold the sources of kernel modules, `linux-headers-amd64` what they include. Both are
//! unpacked below `target`, never into the system. With `--lower`, each source that gcc accepts is lowered; what we
//! reject then is a defect of ours. Without, one driver is checked: the lock of `vpoll` is taken and given back in
//! turn, and no longer is when the unlock is left out.
//!
//! Where there is no apt or no network, that is said, and nothing is done.

mod kernel;
mod lowered;
mod packages;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::corpus::bench_folder;
use crate::process::{cargo, run as run_program};
use crate::{Outcome, metadata};

/// How long a check may take.
const SECONDS: u64 = 60;
/// The call that is left out of the driver, so that it is wrong.
const UNLOCK: &str = "spin_unlock_irq(&vpoll_data->wqh.lock);";

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    let lower = match arguments {
        [] => false,
        [only] if only == "--lower" => true,
        _ => return Err("`drivers` has one option, --lower".to_owned()),
    };
    let target = metadata::load()?.target_directory;
    let Some(packages) = packages::unpacked(&target.join("drivers"))? else { return Ok(()) };
    run_program(&mut cargo(["build", "--release", "--package", "hardbop"]))?;
    let hardbop = target.join("release/hardbop");
    if lower { lowered::run(&hardbop, &packages) } else { check_lock(&hardbop, &packages) }
}

/// The driver with its unlock, and without.
fn check_lock(hardbop: &Path, packages: &packages::Packages) -> Outcome {
    let Some(folder) = bench_folder("drivers") else { return Ok(()) };
    let rest = folder.join("vpoll-lock.c");
    let rest = fs::read_to_string(&rest).map_err(|e| format!("{}: {e}", rest.display()))?;
    let source = packages.sources("vpoll-dkms");
    let source = source.iter().find(|file| file.ends_with("vpoll.c")).ok_or("vpoll-dkms has no vpoll.c")?;
    let text = fs::read_to_string(kernel::preprocess(packages, "vpoll-dkms", source)?)
        .map_err(|e| format!("{}: {e}", source.display()))?;
    let [right, broken] = programs(&text, &rest)?;
    let mut missed = 0;
    for (name, text, expected) in [("vpoll-lock", right, 0), ("vpoll-no-unlock", broken, 1)] {
        let file = packages.folder.join(format!("{name}.i"));
        fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        missed += usize::from(check(hardbop, name, &file)? != Some(expected));
    }
    if missed == 0 { Ok(()) } else { Err(format!("{missed} of 2 verdicts are not as expected")) }
}

/// The preprocessed driver with what is behind it, as it is and without its unlock.
fn programs(driver: &str, rest: &str) -> Result<[String; 2], String> {
    if driver.matches(UNLOCK).count() != 1 {
        return Err(format!("there is not one `{UNLOCK}` in the driver"));
    }
    Ok([driver.to_owned(), driver.replace(UNLOCK, ";")].map(|driver| format!("{driver}\n{rest}")))
}

/// Prints a row, and gives the exit code.
fn check(hardbop: &Path, name: &str, file: &Path) -> Result<Option<i32>, String> {
    let start = Instant::now();
    let mut command = Command::new(hardbop);
    command.args(["check", "-m64", "--timeout", &format!("{SECONDS}s")]).arg(file).stdin(Stdio::null());
    let done = command.output().map_err(|e| format!("{}: {e}", hardbop.display()))?;
    let said = String::from_utf8_lossy(&done.stdout);
    let line = |start: &str| said.lines().find(|line| line.starts_with(start)).unwrap_or_default();
    let (verdict, reason) = (line("VERDICT: "), line("reason: "));
    println!("{name:16} {verdict:16} {:6.1} s  {reason}", start.elapsed().as_secs_f64());
    Ok(done.status.code())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wrong_driver_has_no_unlock() {
        let driver = format!("lock();\n\t{UNLOCK}\n");
        let programs = programs(&driver, "int main(void);").unwrap_or_default();
        assert_eq!(programs[0], format!("lock();\n\t{UNLOCK}\n\nint main(void);"));
        assert_eq!(programs[1], "lock();\n\t;\n\nint main(void);");
        assert!(super::programs("lock();", "").is_err());
    }
}
