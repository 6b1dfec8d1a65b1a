//! Helpers for the tests of other crates: generators of programs and formulas, and the place of benchmark data.
//!
//! Everything is deterministic: a seed names a program for good. Nothing here is part of the tool.

pub mod boolean;
pub mod formula;
pub mod memory;
pub mod program;
mod rng;
mod structured;

use std::path::PathBuf;

pub use rng::Rng;
pub use structured::structured;

/// A folder of the benchmark data, or nothing, with a message, where the data is absent.
///
/// The data lies beside the workspace, in `../shared/bench`, or where the environment variable
/// `HARDBOP_BENCH` says.
#[allow(clippy::print_stderr)]
pub fn bench_folder(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("HARDBOP_BENCH").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench"),
        PathBuf::from,
    );
    let folder = root.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no benchmark data in {}", folder.display());
    None
}
