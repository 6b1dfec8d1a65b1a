//! Packages of Debian, unpacked below `target`: each into a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::process::succeeds;

/// The sources of kernel modules. `vpoll-dkms` is checked, too.
const MODULES: [&str; 24] = [
    "vpoll-dkms",
    "acpi-call-dkms",
    "adv-17v35x-dkms",
    "apfs-dkms",
    "bbswitch-dkms",
    "ddcci-dkms",
    "digimend-dkms",
    "dm-writeboost-dkms",
    "dpdk-kmods-dkms",
    "evdi-dkms",
    "gost-crypto-dkms",
    "iptables-netflow-dkms",
    "jool-dkms",
    "langford-dkms",
    "librem-ec-acpi-dkms",
    "lime-forensics-dkms",
    "nat-rtsp-dkms",
    "openrazer-driver-dkms",
    "openvpn-dco-dkms",
    "rapiddisk-dkms",
    "tp-smapi-dkms",
    "v4l2loopback-dkms",
    "xtables-addons-dkms",
    "xtrx-dkms",
];
/// What modules include; it depends on the headers of one kernel, and these on what is common to all architectures and
/// on tools.
const HEADERS: &str = "linux-headers-amd64";
/// Where the headers are unpacked, all into one folder.
const LINUX: &str = "linux";

/// Unpacked packages.
pub struct Packages {
    /// The folder that holds them.
    pub folder: PathBuf,
    /// Those with sources of modules, in order.
    pub modules: Vec<&'static str>,
    /// The headers of one architecture.
    pub architecture: PathBuf,
    /// Those common to all.
    pub common: PathBuf,
}

/// Downloads and unpacks what is not there yet. None, after a message, where that is not possible.
pub fn unpacked(folder: &Path) -> Result<Option<Packages>, String> {
    if !["apt-get", "apt-cache", "dpkg"].iter().all(|tool| succeeds(Command::new(tool).arg("--version"))) {
        println!("skipped: packages come by apt-get, which is not there");
        return Ok(None);
    }
    for headers in headers() {
        if !get(folder, &headers, LINUX)? {
            println!("skipped: `apt-get download {headers}` failed; is there a network?");
            return Ok(None);
        }
    }
    let mut modules = Vec::new();
    for package in MODULES {
        match get(folder, package, package)? {
            true => modules.push(package),
            false => println!("there is no package {package} here"),
        }
    }
    let sources = folder.join(LINUX).join("usr/src");
    let find = |end: &str| entries(&sources).into_iter().rfind(|path| name(path).ends_with(end));
    match (find("-amd64"), find("-common")) {
        (Some(architecture), Some(common)) => {
            Ok(Some(Packages { folder: folder.to_owned(), modules, architecture, common }))
        }
        _ => Err(format!("there are no headers in {}", sources.display())),
    }
}

impl Packages {
    /// The folder of a package.
    pub fn of(&self, package: &str) -> PathBuf {
        self.folder.join(package)
    }

    /// The C files of a package, in order.
    pub fn sources(&self, package: &str) -> Vec<PathBuf> {
        let mut files = below(&self.of(package).join("usr/src"));
        files.retain(|file| file.extension().is_some_and(|end| end == "c") && file.is_file());
        files
    }

    /// The folders called `include` in a package, in order.
    pub fn includes(&self, package: &str) -> Vec<PathBuf> {
        let mut folders = below(&self.of(package).join("usr/src"));
        folders.retain(|folder| name(folder) == "include" && folder.is_dir());
        folders
    }
}

/// The headers and all that they depend on, the headers of the newest kernel among them.
fn headers() -> Vec<String> {
    let mut all = vec![HEADERS.to_owned()];
    let mut next = 0;
    while let Some(package) = all.get(next).cloned() {
        for needed in depends(&package) {
            if needed.starts_with("linux-") && !all.contains(&needed) {
                all.push(needed);
            }
        }
        next += 1;
    }
    all
}

fn depends(package: &str) -> Vec<String> {
    let mut command = Command::new("apt-cache");
    command.args(["depends", package]).stdin(Stdio::null()).stderr(Stdio::null());
    let said = command.output().map(|done| done.stdout).unwrap_or_default();
    dependencies(&String::from_utf8_lossy(&said))
}

/// Reads what `apt-cache depends` prints.
fn dependencies(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.trim().strip_prefix("Depends: ")).map(str::to_owned).collect()
}

/// Downloads a package and unpacks it into a folder, unless that was done before; says whether it is there.
fn get(folder: &Path, package: &str, into: &str) -> Result<bool, String> {
    let error = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
    let download = folder.join("packages").join(package);
    let done = download.join("unpacked");
    if done.is_file() {
        return Ok(true);
    }
    fs::create_dir_all(&download).map_err(|e| error(&download, e))?;
    println!("$ apt-get download {package}");
    if !succeeds(Command::new("apt-get").args(["-qq", "download", package]).current_dir(&download)) {
        return Ok(false);
    }
    let archive = entries(&download).into_iter().find(|path| name(path).ends_with(".deb"));
    let Some(archive) = archive else { return Ok(false) };
    let root = folder.join(into);
    if !succeeds(Command::new("dpkg").arg("-x").arg(&archive).arg(&root)) {
        return Err(format!("{} cannot be unpacked", archive.display()));
    }
    fs::write(&done, "").map_err(|e| error(&done, e))?;
    Ok(true)
}

/// All that is in a folder and in folders in it, in order; links are not followed.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for path in entries(folder) {
        if path.is_symlink() {
            continue;
        }
        let inner = if path.is_dir() { below(&path) } else { Vec::new() };
        all.push(path);
        all.extend(inner);
    }
    all
}

/// What is in a folder, in order.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let all = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let mut all: Vec<PathBuf> = all.map(|entry| entry.path()).collect();
    all.sort();
    all
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_apt_says_is_read() {
        let text =
            "linux-headers-amd64\n  Depends: linux-headers-6.1.0-48-amd64\n  Suggests: x\n |Depends: y\n";
        assert_eq!(dependencies(text), ["linux-headers-6.1.0-48-amd64"]);
    }
}
