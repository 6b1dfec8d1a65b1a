//! Preprocessing as the kernel's build system does it, for a module that is built out of the tree.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::packages::Packages;

/// What the compiler is told for each file of a module on this architecture, as far as it matters to the preprocessor.
const OPTIONS: [&str; 20] = [
    "-nostdinc",
    "-std=gnu11",
    "-m64",
    "-O2",
    "-mno-sse",
    "-mno-mmx",
    "-mno-sse2",
    "-mno-3dnow",
    "-mno-avx",
    "-mno-80387",
    "-mno-red-zone",
    "-mcmodel=kernel",
    "-mpreferred-stack-boundary=3",
    "-fshort-wchar",
    "-fno-PIE",
    "-fno-strict-aliasing",
    "-w",
    "-D__KERNEL__",
    "-DMODULE",
    "-DCC_USING_FENTRY",
];

/// What makes a file readable to us, and whether gcc could read it.
pub fn preprocess(packages: &Packages, package: &str, source: &Path) -> Result<PathBuf, String> {
    let inside = source.strip_prefix(packages.of(package)).unwrap_or(source);
    let output = packages.folder.join("preprocessed").join(package).join(inside).with_extension("i");
    if output.is_file() {
        return Ok(output);
    }
    let folder = output.parent().unwrap_or(&output);
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let raw = output.with_extension("raw.i");
    gcc(command(packages, package, source).arg("-E").arg(source).arg("-o").arg(&raw))?;
    let mut check = Command::new("gcc");
    gcc(check.args(OPTIONS).arg("-fsyntax-only").arg(&raw))?;
    fs::rename(&raw, &output).map_err(|e| format!("{}: {e}", output.display()))?;
    Ok(output)
}

fn command(packages: &Packages, package: &str, source: &Path) -> Command {
    let (common, own) = (&packages.common, &packages.architecture);
    let mut command = Command::new("gcc");
    command.args(OPTIONS);
    let folders = [
        common.join("arch/x86/include"),
        own.join("arch/x86/include/generated"),
        common.join("include"),
        own.join("include"),
        common.join("arch/x86/include/uapi"),
        own.join("arch/x86/include/generated/uapi"),
        common.join("include/uapi"),
        own.join("include/generated/uapi"),
    ];
    // What a package adds in its makefiles is, nearly always, one of the folders around the file; the outermost first,
    // since the file's own folder is searched for what it quotes in any case.
    let root = packages.of(package);
    let mut near: Vec<&Path> = source.ancestors().skip(1).take_while(|folder| *folder != root).collect();
    near.reverse();
    let near = near.into_iter().map(Path::to_owned);
    for folder in folders.into_iter().chain(near).chain(packages.includes(package)) {
        command.arg("-I").arg(folder);
    }
    for header in ["compiler-version.h", "kconfig.h", "compiler_types.h"] {
        command.arg("-include").arg(common.join("include/linux").join(header));
    }
    let module = module_name(source);
    for (name, value) in [
        ("KBUILD_BASENAME", format!("\"{module}\"")),
        ("KBUILD_MODNAME", format!("\"{module}\"")),
        ("__KBUILD_MODNAME", format!("kmod_{module}")),
    ] {
        command.arg(format!("-D{name}={value}"));
    }
    command
}

/// The name of a file as kbuild uses it in identifiers.
fn module_name(source: &Path) -> String {
    let stem = source.file_stem().unwrap_or_default().to_string_lossy();
    stem.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Runs gcc; the first error is why it failed.
fn gcc(command: &mut Command) -> Result<(), String> {
    let done = command.stdin(Stdio::null()).output().map_err(|e| format!("gcc: {e}"))?;
    if done.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let line = said.lines().find_map(|line| line.split_once("error: "));
    Err(line.map_or("gcc failed", |(_, message)| message).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_modules_are_identifiers() {
        assert_eq!(module_name(Path::new("a/hid-uclogic-core.c")), "hid_uclogic_core");
    }
}
