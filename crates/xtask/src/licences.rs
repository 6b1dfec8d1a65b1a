//! The licence check: everything we build on must be compatible with MIT OR Apache-2.0.
//!
//! Licence expressions are SPDX: names joined by `AND` and `OR`, with parentheses; `AND` binds
//! tighter; `NAME WITH EXCEPTION` counts as one name. The old `/` means `OR`.

use crate::Outcome;
use crate::metadata::Metadata;

const ALLOWED: [&str; 14] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "Unlicense",
    "Zlib",
];

/// Names every package whose licence does not allow our use.
pub fn check(metadata: &Metadata) -> Outcome {
    let offenders: Vec<String> = metadata
        .packages
        .iter()
        .filter(|package| !package.licence.as_deref().is_some_and(is_allowed))
        .map(|package| {
            let licence = package.licence.as_deref().unwrap_or("no licence expression");
            format!("{} {}: {licence}", package.name, package.version)
        })
        .collect();
    if offenders.is_empty() {
        println!("{} packages, all under compatible licences", metadata.packages.len());
        return Ok(());
    }
    Err(format!("licences that are not known to be compatible:\n  {}", offenders.join("\n  ")))
}

/// Whether the expression can be met with allowed licences only; a malformed one cannot.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut parser = Parser { words: &words };
    parser.any() == Some(true) && parser.words.is_empty()
}

struct Parser<'a> {
    words: &'a [&'a str],
}

impl<'a> Parser<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(first)
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self.words.first() == Some(&word);
        if found {
            self.words = &self.words[1..];
        }
        found
    }

    fn any(&mut self) -> Option<bool> {
        let mut allowed = self.all()?;
        while self.eat("OR") {
            allowed |= self.all()?;
        }
        Some(allowed)
    }

    fn all(&mut self) -> Option<bool> {
        let mut allowed = self.one()?;
        while self.eat("AND") {
            allowed &= self.one()?;
        }
        Some(allowed)
    }

    fn one(&mut self) -> Option<bool> {
        if self.eat("(") {
            let allowed = self.any()?;
            return self.eat(")").then_some(allowed);
        }
        let mut name = self.next()?.to_owned();
        if self.eat("WITH") {
            name = format!("{name} WITH {}", self.next()?);
        }
        Some(ALLOWED.contains(&name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn expressions() {
        for good in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0-only OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        ] {
            assert!(is_allowed(good), "{good}");
        }
        for bad in [
            "",
            "GPL-3.0-only",
            "MIT AND GPL-3.0-only",
            "MIT OR",
            "(MIT",
            "MIT)",
            "MIT Apache-2.0",
            "GPL-2.0 WITH LLVM-exception",
            "GPL-3.0-only AND (MIT OR Apache-2.0)",
        ] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }
}
