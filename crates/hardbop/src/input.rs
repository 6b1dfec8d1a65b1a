//! Reading input files of unknown quality.
//!
//! Everything that can be wrong with a file before its content is understood is found here and said
//! in one sentence: missing, a directory, unreadable, empty, too large, NUL bytes (binary files),
//! invalid UTF-8. C text may hold Latin-1 in comments and strings, so [`read_bytes`] does not insist
//! on UTF-8; all of Hardbop's own formats do, through [`read_text`].

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::Failure;
use crate::output::say;

/// The largest input that is read. Preprocessed drivers have a few megabytes.
pub const MAX_INPUT_BYTES: u64 = 256 << 20;

/// Reads a file, or standard input for `-`, that must be neither empty nor binary.
pub fn read_bytes(file: &Path) -> Result<Vec<u8>, Failure> {
    read_at_most(file, MAX_INPUT_BYTES)
}

/// Like [`read_bytes`], for formats that are UTF-8.
pub fn read_text(file: &Path) -> Result<String, Failure> {
    String::from_utf8(read_bytes(file)?).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let (line, column) = position(error.as_bytes(), valid);
        Failure::input(file, format!("not valid UTF-8 at line {line}, column {column}"))
    })
}

fn read_at_most(file: &Path, limit: u64) -> Result<Vec<u8>, Failure> {
    let bytes = open_and_read(file, limit).map_err(|error| Failure::input(file, say(&error)))?;
    if bytes.len() as u64 > limit {
        return Err(Failure::input(file, format!("larger than the limit of {limit} bytes")));
    }
    if bytes.is_empty() {
        return Err(Failure::input(file, "file is empty"));
    }
    if let Some(nul) = bytes.iter().position(|&byte| byte == 0) {
        let (line, column) = position(&bytes, nul);
        return Err(Failure::input(
            file,
            format!("NUL byte at line {line}, column {column}: not a text file"),
        ));
    }
    Ok(bytes)
}

/// Reads one byte more than the limit at most, so that endless devices end too.
fn open_and_read(file: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if file == Path::new("-") {
        io::stdin().lock().take(limit + 1).read_to_end(&mut bytes)?;
        return Ok(bytes);
    }
    let source = File::open(file)?;
    let found = source.metadata()?;
    if found.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    if found.is_file() && found.len() <= limit {
        bytes.reserve_exact(usize::try_from(found.len()).unwrap_or(0) + 1);
    }
    source.take(limit + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The 1-based line and byte column of an offset.
fn position(bytes: &[u8], offset: usize) -> (usize, usize) {
    let before = &bytes[..offset];
    let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    (line, offset - start + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    /// Writes `content` to a file and gives the reason why it cannot be read, or its content.
    fn check(content: &[u8], read: impl Fn(&Path) -> Result<Vec<u8>, Failure>) -> Result<Vec<u8>, String> {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("input.c");
        std::fs::write(&file, content).unwrap();
        read(&file).map_err(reason)
    }

    fn reason(failure: Failure) -> String {
        match failure {
            Failure::Input { reason, .. } => reason,
            other => panic!("unexpected {other:?}"),
        }
    }

    fn text(file: &Path) -> Result<Vec<u8>, Failure> {
        read_text(file).map(String::into_bytes)
    }

    #[test]
    fn reads_good_files() {
        assert_eq!(check(b"int x;\n", read_bytes), Ok(b"int x;\n".to_vec()));
        assert_eq!(check("int ä;\n".as_bytes(), text), Ok("int ä;\n".as_bytes().to_vec()));
    }

    #[test]
    fn latin_1_is_bytes_but_not_text() {
        let latin = b"int x;\n/* \xe4 */\n";
        assert_eq!(check(latin, read_bytes), Ok(latin.to_vec()));
        assert_eq!(check(latin, text), Err("not valid UTF-8 at line 2, column 4".to_owned()));
    }

    #[test]
    fn says_what_is_wrong() {
        assert_eq!(check(b"", read_bytes), Err("file is empty".to_owned()));
        let nul = "NUL byte at line 2, column 3: not a text file";
        assert_eq!(check(b"a\nbc\0d", read_bytes), Err(nul.to_owned()));
        let large = "larger than the limit of 3 bytes";
        assert_eq!(check(b"abcd", |file| read_at_most(file, 3)), Err(large.to_owned()));
        assert_eq!(check(b"abc", |file| read_at_most(file, 3)), Ok(b"abc".to_vec()));
    }

    #[test]
    fn missing_files_and_directories() {
        let directory = tempfile::tempdir().unwrap();
        let read = |file: PathBuf| read_bytes(&file).map_err(reason);
        assert_eq!(read(directory.path().join("none.c")), Err("no such file or directory".to_owned()));
        assert_eq!(read(directory.path().to_owned()), Err("is a directory".to_owned()));
    }

    #[test]
    #[cfg(unix)]
    fn endless_devices_end() {
        let result = read_at_most(Path::new("/dev/zero"), 1000).map_err(reason);
        assert_eq!(result, Err("larger than the limit of 1000 bytes".to_owned()));
    }
}
