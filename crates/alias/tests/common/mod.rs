//! Reading and lowering C for the tests.

#![allow(dead_code, reason = "each test uses a part")]

use std::path::{Path, PathBuf};

use hardbop_base::{DataModel, Sources};
use hardbop_ir::{Effect, Program};

pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// The C files of a folder, in order.
pub fn c_files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder of tests")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c" || e == "i"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} has tests", folder.display());
    files
}

/// Lowers a text that needs no preprocessing.
pub fn lower_text(text: &[u8], model: DataModel, externals: Effect) -> Result<Program, String> {
    let mut sources = Sources::new();
    let options = hardbop_syntax::SyntaxOptions::new(model);
    let unit = hardbop_syntax::parse_bytes(&mut sources, "test.c", text, &options).1;
    let (unit, _) = unit.map_err(|errors| errors.render(&sources))?;
    let options = hardbop_lower::LowerOptions {
        externals,
        malloc_may_fail: false,
        ..hardbop_lower::LowerOptions::default()
    };
    hardbop_lower::lower(&mut sources, vec![unit], &options).map_err(|errors| errors.render(&sources))
}
