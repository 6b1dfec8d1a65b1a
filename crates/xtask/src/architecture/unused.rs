//! Dependencies that nothing needs.
//!
//! A crate under `[dependencies]` must be mentioned by code that is not only for tests, one under
//! `[dev-dependencies]` by tests or by examples in documentation. What is needed without being mentioned (for its
//! features, or to pin a version) is listed with the reason:
//!
//! ```toml
//! [package.metadata.hardbop]
//! unmentioned = { rucc-base = "turns a feature on" }
//! ```

use regex_lite::Regex;

use super::short;
use super::sources::Source;
use crate::metadata::Package;

/// Names what a manifest lists in vain.
pub fn offences(package: &Package, sources: &[Source]) -> Vec<String> {
    let name = short(&package.name);
    let by_code = |used: &String| mentioned(used, sources, |source| vec![&source.code]);
    let by_tests = |used: &String| mentioned(used, sources, |source| vec![&source.tests, &source.examples]);
    let mut found = Vec::new();
    for used in &package.dependencies {
        let excused = package.unmentioned.contains_key(used);
        match by_code(used) {
            true if excused => found.push(format!("{name} mentions {used}: drop its `unmentioned`")),
            false if !excused && by_tests(used) => {
                found.push(format!("{name} uses {used} only in tests: it belongs under [dev-dependencies]"));
            }
            false if !excused => found.push(format!("{name} does not use {used}, which its manifest lists")),
            _ => {}
        }
    }
    for used in &package.test_dependencies {
        if package.dependencies.contains(used) {
            found.push(format!("{name} lists {used} twice: tests may use what the code uses"));
        } else if !by_tests(used) && !package.unmentioned.contains_key(used) {
            found.push(format!("no test of {name} uses {used}, which its manifest lists"));
        }
    }
    let listed =
        |used: &&String| package.dependencies.contains(used) || package.test_dependencies.contains(used);
    let idle = package.unmentioned.keys().filter(|used| !listed(used));
    found.extend(idle.map(|used| format!("{name}: `unmentioned` names {used}, which is no dependency")));
    found
}

/// Whether the chosen part of a source names the crate as Rust spells it.
fn mentioned(used: &str, sources: &[Source], part: impl Fn(&Source) -> Vec<&String>) -> bool {
    let Ok(word) = Regex::new(&format!(r"\b{}\b", used.replace('-', "_"))) else { return false };
    sources.iter().any(|source| part(source).into_iter().any(|text| word.is_match(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(uses: &[&str], tests: &[&str], unmentioned: &[&str]) -> Package {
        let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        Package {
            name: "hardbop-top".to_owned(),
            dependencies: owned(uses),
            test_dependencies: owned(tests),
            unmentioned: unmentioned.iter().map(|&name| (name.to_owned(), "because".to_owned())).collect(),
            ..Package::default()
        }
    }

    #[test]
    fn each_kind_has_its_place() {
        let text = "//! ```\n//! use in_example::A;\n//! ```\n// use in_comment::A;\nuse in_code::A;\n\
                    #[cfg(test)]\nmod tests {\n    use in_test::A;\n}\n";
        let sources = [Source::new("crates/top/src/lib.rs", text, false)];
        assert_eq!(offences(&package(&["in-code"], &["in-test", "in-example"], &[]), &sources), [""; 0]);
        assert_eq!(
            offences(&package(&["in-comment", "in-test"], &["in-code", "elsewhere"], &[]), &sources),
            [
                "top does not use in-comment, which its manifest lists",
                "top uses in-test only in tests: it belongs under [dev-dependencies]",
                "no test of top uses in-code, which its manifest lists",
                "no test of top uses elsewhere, which its manifest lists",
            ]
        );
        assert_eq!(
            offences(
                &package(&["in-code", "pinned"], &["in-code"], &["in-code", "pinned", "gone"]),
                &sources
            ),
            [
                "top mentions in-code: drop its `unmentioned`",
                "top lists in-code twice: tests may use what the code uses",
                "top: `unmentioned` names gone, which is no dependency",
            ]
        );
    }
}
