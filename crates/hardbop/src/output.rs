//! Writing results and messages.
//!
//! Results go to standard output or to a file; messages go to standard error. A file is complete or
//! absent: it is written under a temporary name in its directory and renamed at the end. A closed
//! pipe is a [`Failure::BrokenPipe`], never a panic, which is why nothing here uses `println!`.

use std::fmt::Display;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::Failure;

/// Prints a message as `hardbop: MESSAGE` on standard error, or nowhere if that is closed.
pub fn complain(message: &dyn Display) {
    // At once, so that nothing is half-written if the process is ended meanwhile.
    let text = format!("hardbop: {message}\n");
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Prints text that is formatted already, such as rendered diagnostics, on standard error.
pub fn report(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Prints a result on standard output.
pub fn print(text: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_ref()).and_then(|()| stdout.flush()).map_err(|error| stdout_failure(&error))
}

/// Writes a result to `file`, where `-` is standard output.
pub fn write(file: &Path, content: impl AsRef<[u8]>) -> Result<(), Failure> {
    if file == Path::new("-") {
        return print(content);
    }
    let target = resolve(file).map_err(|error| Failure::output(file, say(&error)))?;
    let result = match target {
        Target::Regular(path) => replace(&path, content.as_ref()),
        Target::Special => fs::OpenOptions::new()
            .write(true)
            .open(file)
            .and_then(|mut special| special.write_all(content.as_ref())),
    };
    result.map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
        _ => Failure::output(file, say(&error)),
    })
}

/// The text of a system error without the number that `io::Error` appends.
pub fn say(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}

fn stdout_failure(error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::BrokenPipe => Failure::BrokenPipe,
        _ => Failure::output(Path::new("standard output"), say(error)),
    }
}

enum Target {
    /// A regular file, existing or not, with symbolic links resolved so that they survive.
    Regular(PathBuf),
    /// A device or pipe, which must be written in place: renaming over `/dev/null` would destroy it.
    Special,
}

fn resolve(file: &Path) -> io::Result<Target> {
    match fs::metadata(file) {
        Ok(found) if found.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory)),
        Ok(found) if found.is_file() => fs::canonicalize(file).map(Target::Regular),
        Ok(_) => Ok(Target::Special),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Target::Regular(file.to_owned())),
        Err(error) => Err(error),
    }
}

fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hardbop-").suffix(".tmp");
    let mode = fs::metadata(path).ok().map(|found| found.permissions());
    #[cfg(unix)]
    if mode.is_none() {
        use std::os::unix::fs::PermissionsExt;
        // As for any new file: what the umask leaves of it.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(directory)?;
    if let Some(mode) = mode {
        file.as_file().set_permissions(mode)?;
    }
    file.write_all(content)?;
    file.persist(path).map(drop).map_err(|failure| failure.error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn writes_and_replaces_without_leftovers() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("out.ir");
        write(&file, "one").unwrap();
        write(&file, "two").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "two");
        assert_eq!(names(directory.path()), ["out.ir"]);
    }

    #[test]
    fn says_why_it_cannot_write() {
        let directory = tempfile::tempdir().unwrap();
        let failure = write(directory.path(), "x").unwrap_err();
        assert_eq!(failure.to_string(), format!("{}: is a directory", directory.path().display()));
        let missing = directory.path().join("no/such/file");
        let failure = write(&missing, "x").unwrap_err();
        assert_eq!(failure.to_string(), format!("{}: no such file or directory", missing.display()));
        assert_eq!(names(directory.path()), [""; 0]);
    }

    #[test]
    #[cfg(unix)]
    fn keeps_links_modes_and_devices() {
        use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        write(&file, "one").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        write(&link, "two").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "two");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);

        write(Path::new("/dev/null"), "gone").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert!(matches!(write(Path::new("/dev/full"), "x"), Err(Failure::Output { .. })));
    }
}
