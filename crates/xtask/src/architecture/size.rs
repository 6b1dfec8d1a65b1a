//! Lengths: files of at most 700 lines and functions of at most 100, or a reason why not.
//!
//! The reason stands where the length is seen: a line `//! Length: …` in the header of a file, a line
//! `/// Length: …` (or `// Length: …`) above a function. A reason that is no longer needed is an offence.

use regex_lite::Regex;

use super::sources::{Source, end_of_block};

const LONGEST_FILE: usize = 700;
const LONGEST_FUNCTION: usize = 100;

/// What is too long without a reason, and reasons for what is not too long.
pub fn offences(sources: &[&Source]) -> Vec<String> {
    sources.iter().flat_map(|source| offences_of(source)).collect()
}

fn offences_of(source: &Source) -> Vec<String> {
    let path = &source.path;
    let lines: Vec<&str> = source.text.lines().collect();
    let header = lines.iter().take_while(|line| line.starts_with("//!"));
    let mut found = Vec::new();
    match (lines.len() > LONGEST_FILE, header.into_iter().any(|line| line.starts_with("//! Length: "))) {
        (true, false) => found.push(format!("{path} has {} lines, and no reason in its header", lines.len())),
        (false, true) => found.push(format!("{path} is short enough: drop the reason in its header")),
        _ => {}
    }
    for part in [&source.code, &source.tests] {
        for Function { name, line, length } in functions(part) {
            match (length > LONGEST_FUNCTION, has_reason(&lines[..line - 1])) {
                (true, false) => {
                    found.push(format!("{path}:{line}: `{name}` has {length} lines, and no reason above it"));
                }
                (false, true) => {
                    found.push(format!("{path}:{line}: `{name}` is short enough: drop the reason"))
                }
                _ => {}
            }
        }
    }
    found
}

/// Whether the comments and attributes just above give a reason.
fn has_reason(above: &[&str]) -> bool {
    let attached = |line: &&&str| {
        let line = line.trim_start();
        line.starts_with("///") || line.starts_with("// ") || line.starts_with("#[")
    };
    let mut attached = above.iter().rev().take_while(attached).map(|line| line.trim_start());
    attached.any(|line| line.starts_with("/// Length: ") || line.starts_with("// Length: "))
}

struct Function {
    name: String,
    /// Where its head begins, from 1.
    line: usize,
    /// The number of its lines, from the head to the closing brace.
    length: usize,
}

/// The functions that have a body, in masked code.
fn functions(masked: &str) -> Vec<Function> {
    let Ok(head) = Regex::new(r"\bfn\s+(\w+)") else { return Vec::new() };
    let function = |found: regex_lite::Captures<'_>| {
        let start = found.get(0)?.start();
        let open = start + masked[start..].find(['{', ';'])?;
        if masked[open..].starts_with(';') {
            return None;
        }
        let body = &masked[start..end_of_block(masked, open)];
        let line = 1 + masked[..start].matches('\n').count();
        Some(Function { name: found[1].to_owned(), line, length: 1 + body.matches('\n').count() })
    };
    head.captures_iter(masked).filter_map(function).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn long(name: &str, lines: usize) -> String {
        format!("fn {name}() {{\n{}}}\n", "    step();\n".repeat(lines - 2))
    }

    fn all(text: &str) -> Vec<String> {
        offences(&[&Source::new("a.rs", text, false)])
    }

    #[test]
    fn functions_are_measured() {
        assert_eq!(all(&long("f", 100)), [""; 0]);
        assert_eq!(
            all(&format!("\n{}", long("f", 101))),
            ["a.rs:2: `f` has 101 lines, and no reason above it"]
        );
        assert_eq!(all(&format!("/// Length: a table.\n#[test]\n{}", long("f", 101))), [""; 0]);
        assert_eq!(
            all(&format!("/// Length: a table.\n{}", long("f", 100))),
            ["a.rs:2: `f` is short enough: drop the reason"]
        );
        assert_eq!(all(&format!("trait A {{\n    fn f(&self);\n}}\n{}", long("g", 99))), [""; 0]);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", long("f", 101));
        assert_eq!(all(&tests), ["a.rs:3: `f` has 101 lines, and no reason above it"]);
    }

    #[test]
    fn files_are_measured() {
        let lines = "use a;\n".repeat(701);
        assert_eq!(all(&lines), ["a.rs has 701 lines, and no reason in its header"]);
        assert_eq!(all(&format!("//! A.\n//!\n//! Length: all of it.\n{lines}")), [""; 0]);
        assert_eq!(
            all("//! Length: all of it.\nuse a;\n"),
            ["a.rs is short enough: drop the reason in its header"]
        );
    }
}
