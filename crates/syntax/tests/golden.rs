//! Every `golden/*.c` file is read, and what comes out is compared with the `.txt` file beside it:
//! the messages, then the tree. `UPDATE_EXPECT=1 cargo test` rewrites the expectations.
//!
//! The first line of a file may set options: `// -m32 -std=gnu89`.

use std::path::{Path, PathBuf};

use expect_test::expect_file;
use hardbop_base::{DataModel, Sources};
use hardbop_syntax::{SyntaxOptions, dump, parse_bytes};

fn read(path: &Path) -> String {
    let bytes = std::fs::read(path).expect("a file that was listed");
    let first = bytes.split(|&b| b == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first);
    let mut options = SyntaxOptions::new(DataModel::Lp64);
    for flag in first.strip_prefix("//").unwrap_or_default().split_whitespace() {
        match flag.strip_prefix("-std=") {
            Some(standard) => options = options.with_standard(standard).expect("a standard"),
            None if flag == "-m32" => options.data_model = DataModel::Ilp32,
            None => {}
        }
    }
    let mut sources = Sources::new();
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match parse_bytes(&mut sources, &name, &bytes, &options).1 {
        Ok((unit, warnings)) => format!("{}{}", warnings.render(&sources), dump(&unit)),
        Err(errors) => errors.render(&sources),
    }
}

#[test]
fn golden_files() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let listing = std::fs::read_dir(directory).expect("the directory of golden files");
    let mut files: Vec<PathBuf> = listing.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "c"));
    files.sort();
    assert!(files.len() > 20, "{} files", files.len());
    for path in files {
        expect_file![path.with_extension("txt")].assert_eq(&read(&path));
    }
}
