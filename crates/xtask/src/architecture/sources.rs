//! Source files, taken apart as far as checks need it, without a parser of Rust.
//!
//! Comments and the contents of literals are blanked, so that what is left is code and braces match. Then what only
//! tests see is cut out: files that are test programs, files of modules under `#[cfg(test)]`, and such modules
//! that are written in place. Blanking keeps all line breaks, so line numbers are those of the file.

use std::fs;
use std::path::{Path, PathBuf};

use crate::process::root;

/// A source file.
pub struct Source {
    /// Where it is, from the root of the workspace.
    pub path: String,
    /// The whole text.
    pub text: String,
    /// Code that is not only for tests.
    pub code: String,
    /// Code that only tests see.
    pub tests: String,
    /// Documentation, where examples are.
    pub examples: String,
}

impl Source {
    /// Takes a text apart.
    pub fn new(path: &str, text: &str, is_test: bool) -> Self {
        let masked = mask(text);
        let (code, tests) = if is_test { (String::new(), masked) } else { split(&masked) };
        let documentation = text.lines().map(str::trim_start);
        let documentation = documentation.filter(|line| line.starts_with("///") || line.starts_with("//!"));
        Self {
            path: path.to_owned(),
            text: text.to_owned(),
            code,
            tests,
            examples: documentation.collect::<Vec<_>>().join("\n"),
        }
    }
}

/// All Rust files of a package, in the order of their paths, with those of others that its tests include.
pub fn read(package: &Path) -> Result<Vec<Source>, String> {
    let mut files = Vec::new();
    for folder in ["src", "tests", "benches", "examples"] {
        collect(&package.join(folder), &mut files)?;
    }
    files.sort();
    let mut texts = Vec::new();
    for file in files {
        texts.push((text(&file)?, file));
    }
    let hidden: Vec<PathBuf> =
        texts.iter().flat_map(|(text, file)| test_modules(file, &mask(text))).collect();
    let borrowed: Vec<PathBuf> = texts.iter().flat_map(|(text, file)| included(file, text)).collect();
    for file in borrowed.into_iter().filter(|file| !file.starts_with(package)) {
        texts.push((text(&file)?, file));
    }
    let source = |(text, file): (String, PathBuf)| {
        let in_sources = file.starts_with(package.join("src"));
        let is_hidden = |module: &PathBuf| file.starts_with(module) || file == module.with_extension("rs");
        let path = file.strip_prefix(root()).unwrap_or(&file).to_string_lossy().replace('\\', "/");
        Source::new(&path, &text, !in_sources || hidden.iter().any(is_hidden))
    };
    Ok(texts.into_iter().map(source).collect())
}

fn text(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}

/// The files that a file includes by `#[path = "…"]`.
fn included(file: &Path, text: &str) -> Vec<PathBuf> {
    let folder = file.parent().unwrap_or(file);
    let named = text.split("\n#[path = \"").skip(1).filter_map(|rest| rest.split_once('"'));
    named.filter_map(|(name, _)| folder.join(name).canonicalize().ok()).collect()
}

/// The Rust files under a folder; none if there is no such folder.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let path = entry.map_err(|error| format!("cannot read {}: {error}", folder.display()))?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

/// Where the modules are that a file declares for tests only: paths without `.rs`.
fn test_modules(file: &Path, masked: &str) -> Vec<PathBuf> {
    let folder = match file.file_stem().and_then(|stem| stem.to_str()) {
        Some("lib" | "main" | "mod") => file.parent().unwrap_or(file).to_owned(),
        _ => file.with_extension(""),
    };
    let declared = masked.split(CFG_TEST).skip(1).filter_map(|rest| {
        let rest = rest.trim_start();
        let rest = rest.strip_prefix("pub ").unwrap_or(rest).strip_prefix("mod ")?;
        rest.split_once(';').map(|(name, _)| name).filter(|name| name.bytes().all(is_word))
    });
    declared.map(|name| folder.join(name)).collect()
}

const CFG_TEST: &str = "#[cfg(test)]";

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Code, and items under `#[cfg(test)]`, each with the other blanked.
fn split(masked: &str) -> (String, String) {
    let mut code = String::new();
    let mut tests = String::new();
    let mut rest = masked;
    while let Some(start) = rest.find(CFG_TEST) {
        let (before, item) = rest.split_at(start);
        let (item, after) = item.split_at(end_of_item(item));
        code.extend([before, &blank(item)]);
        tests.extend([&blank(before), item]);
        rest = after;
    }
    code.push_str(rest);
    tests.push_str(&blank(rest));
    (code, tests)
}

/// Where an item ends: behind the first `;`, or behind the block that opens before it.
fn end_of_item(item: &str) -> usize {
    match item.find([';', '{']) {
        Some(at) if item[at..].starts_with('{') => end_of_block(item, at),
        Some(at) => at + 1,
        None => item.len(),
    }
}

/// The position behind the brace that closes the one at `open`.
pub fn end_of_block(masked: &str, open: usize) -> usize {
    let mut depth = 0_usize;
    for (at, byte) in masked.bytes().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return at + 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    masked.len()
}

/// Spaces, with the line breaks of the text.
fn blank(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { '\n' } else { ' ' }).collect()
}

/// The text with comments and the contents of literals blanked.
fn mask(text: &str) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    let mut after_word = false;
    while let Some(c) = rest.chars().next() {
        let hidden = if after_word { 0 } else { raw_string(rest) };
        let length = if hidden > 0 { hidden } else { hidden_length(rest) };
        if length == 0 {
            masked.push(c);
            rest = &rest[c.len_utf8()..];
        } else {
            masked.push_str(&blank(&rest[..length]));
            rest = &rest[length..];
        }
        after_word = length == 0 && c.is_ascii() && is_word(c as u8);
    }
    masked
}

/// The length of the raw string that begins here, or 0.
fn raw_string(text: &str) -> usize {
    let inner = text.strip_prefix('b').unwrap_or(text);
    let Some(inner) = inner.strip_prefix('r') else { return 0 };
    let hashes = inner.len() - inner.trim_start_matches('#').len();
    if !inner[hashes..].starts_with('"') {
        return 0;
    }
    let start = text.len() - inner.len() + hashes + 1;
    let close = format!("\"{}", "#".repeat(hashes));
    text[start..].find(&close).map_or(text.len(), |at| start + at + close.len())
}

/// The length of the comment or literal that begins here, or 0. A quote that begins a lifetime hides nothing.
fn hidden_length(text: &str) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return text.find("*/").map_or(text.len(), |at| at + 2);
    }
    if text.starts_with('"') {
        return quoted(text, '"');
    }
    let mut inside = text.chars();
    if inside.next() != Some('\'') {
        return 0;
    }
    match (inside.next(), inside.next()) {
        (Some('\\'), _) => quoted(text, '\''),
        (Some(c), Some('\'')) => 2 + c.len_utf8(),
        _ => 0,
    }
}

/// The length of a literal up to its closing quote, past escapes.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked() {
        for (text, masked) in [
            ("a // b\nc", "a     \nc"),
            ("a /* { */ b", "a         b"),
            ("f(\"{\\\"\", 1)", "f(     , 1)"),
            ("r#\"{\"}\"# }", "         }"),
            ("var\"{\"", "var   "),
            ("&'a str, '{', '\\'', b'x'", "&'a str,    ,     , b   "),
        ] {
            assert_eq!(mask(text), masked, "{text}");
        }
    }

    #[test]
    fn tests_are_told_from_code() {
        let (code, tests) =
            split("use a;\n#[cfg(test)]\nmod t {\n fn f() {}\n}\nfn g() {}\n#[cfg(test)]\nuse b;\n");
        assert_eq!(code.split_whitespace().collect::<Vec<_>>(), ["use", "a;", "fn", "g()", "{}"]);
        assert!(tests.contains("fn f()") && tests.contains("use b;") && !tests.contains("use a;"));
        assert_eq!(code.lines().count(), tests.lines().count());
    }

    #[test]
    fn modules_of_tests_are_found() {
        let text = "#[cfg(test)]\nmod soundness;\n#[cfg(test)]\nmod tests {\n}\nmod other;\n";
        assert_eq!(test_modules(Path::new("a/src/lib.rs"), text), [Path::new("a/src/soundness")]);
        assert_eq!(test_modules(Path::new("a/src/b.rs"), text), [Path::new("a/src/b/soundness")]);
    }
}
