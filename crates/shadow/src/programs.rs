//! C programs for tests.

use std::path::{Path, PathBuf};
use std::process::Command;

use hardbop_base::{DataModel, Sources};
use hardbop_ir::Program;

/// Lowers a C program that needs no preprocessing; the messages if that fails.
///
/// # Errors
/// The messages of the front end.
pub fn lowered(text: &str, model: DataModel) -> Result<Program, String> {
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(model);
    let unit = match hardbop_syntax::parse_bytes(&mut sources, "test.c", text.as_bytes(), &options).1 {
        Ok((unit, _)) => unit,
        Err(errors) => return Err(errors.render(&sources)),
    };
    hardbop_lower::lower(&mut sources, vec![unit], &hardbop_lower::LowerOptions::default())
        .map_err(|errors| errors.render(&sources))
}

/// Lowers a C file, through gcc's preprocessor if it has to be; nothing where that does not work.
pub fn lowered_file(file: &Path, model: DataModel, include: &[&str]) -> Option<Program> {
    let bytes = std::fs::read(file).ok()?;
    let text = if hardbop_syntax::needs_preprocessing(&bytes) {
        let options = hardbop_syntax::SyntaxOptions::new(model);
        let include: Vec<_> =
            include.iter().map(|&f| hardbop_syntax::PreprocessorOption::Include(f.into())).collect();
        let arguments = hardbop_syntax::gcc_arguments(&options, &include, &file.display().to_string());
        let done = Command::new("gcc").args(arguments).output().ok()?;
        done.status.success().then_some(done.stdout)?
    } else {
        bytes
    };
    lowered(&String::from_utf8_lossy(&text), model).ok()
}

/// The C files of a folder, in order.
pub fn c_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "c")).collect();
    files.sort();
    files
}
