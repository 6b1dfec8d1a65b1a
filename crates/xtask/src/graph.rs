//! `cargo xtask graph`: `docs/crates.svg`, a picture of the crates and of what flows between them.
//!
//! Two panels, one under the other. The first shows what flows where, from `flow.txt`; the second who uses whom,
//! from the manifests, without what follows from the rest (if a uses b, and b uses c, then no line leads from a to
//! c). Both are laid out in layers ([`layout`]). The file stands alone and has colours for light and dark pages.
//!
//! A test holds the file against what would be drawn.

mod layout;
mod svg;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::architecture::{members, short};
use crate::metadata::{Metadata, Package};
use crate::process::root;
use crate::{Outcome, expect_none, metadata, order};
use layout::Node;

/// What is drawn.
const FILE: &str = "docs/crates.svg";

/// What flows where: `from -> to: what`, one per line; names that are no crates stand in quotes.
const FLOW: &str = include_str!("../flow.txt");

/// Crates that only tests and developers use, drawn dashed.
const TOOLS: [&str; 4] = ["testkit", "shadow", "hunt", "xtask"];

/// The command.
pub fn run(arguments: &[String]) -> Outcome {
    expect_none(arguments)?;
    let picture = draw(&metadata::load()?)?;
    fs::write(root().join(FILE), picture).map_err(|error| format!("cannot write {FILE}: {error}"))?;
    println!("{FILE} is drawn");
    Ok(())
}

/// The picture.
fn draw(metadata: &Metadata) -> Result<String, String> {
    let members = members(metadata, &order::names()?)?;
    let known: BTreeSet<&str> = members.iter().map(|package| short(&package.name)).collect();
    let flow = flow(FLOW, &known)?;
    let uses = uses(&members);
    let panels = [
        ("What flows where", layout::lay_out(&flow.0, &flow.1)),
        ("Who uses whom (without what follows from the rest)", layout::lay_out(&uses.0, &uses.1)),
    ];
    Ok(svg::write(&panels))
}

/// Nodes, and edges between them by their numbers, with labels.
type Graph = (Vec<Node>, Vec<(usize, usize, String)>);

/// Reads [`FLOW`].
fn flow(text: &str, known: &BTreeSet<&str>) -> Result<Graph, String> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut edges = Vec::new();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    for line in lines {
        let wrong = || format!("flow.txt: `{line}` is not of the form `from -> to: what`");
        let (ends, label) = line.split_once(": ").ok_or_else(wrong)?;
        let (from, to) = ends.split_once(" -> ").ok_or_else(wrong)?;
        let mut number = |name: &str| {
            let quoted = name.strip_prefix('"').and_then(|name| name.strip_suffix('"'));
            if quoted.is_none() && !known.contains(name) {
                return Err(format!("flow.txt: there is no crate {name}"));
            }
            let node = match quoted {
                Some(text) => Node::text(text),
                None => Node::solid(name),
            };
            Ok(nodes.iter().position(|known| *known == node).unwrap_or_else(|| {
                nodes.push(node);
                nodes.len() - 1
            }))
        };
        edges.push((number(from)?, number(to)?, label.to_owned()));
    }
    Ok((nodes, edges))
}

/// Who uses whom; users stand above.
fn uses(members: &[&Package]) -> Graph {
    let number: BTreeMap<&str, usize> =
        members.iter().enumerate().map(|(number, package)| (package.name.as_str(), number)).collect();
    let direct = |package: &Package| -> BTreeSet<usize> {
        package.dependencies.iter().filter_map(|used| number.get(used.as_str()).copied()).collect()
    };
    // Members are in the order of dependency, so those that one uses have been seen.
    let mut reached: Vec<BTreeSet<usize>> = Vec::new();
    let mut edges = Vec::new();
    for (user, package) in members.iter().enumerate() {
        let direct = direct(package);
        let through = |used: usize| reached.get(used).cloned().unwrap_or_default();
        let indirect: BTreeSet<usize> = direct.iter().flat_map(|&used| through(used)).collect();
        edges.extend(direct.difference(&indirect).map(|&used| (user, used, String::new())));
        reached.push(direct.union(&indirect).copied().collect());
    }
    let node = |package: &&Package| match short(&package.name) {
        name if TOOLS.contains(&name) => Node::dashed(name),
        name => Node::solid(name),
    };
    (members.iter().map(node).collect(), edges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_current() {
        let drawn = draw(&metadata::load().unwrap()).unwrap();
        let kept = fs::read_to_string(root().join(FILE)).unwrap_or_default();
        assert!(drawn == kept, "{FILE} is not what the manifests and flow.txt say: run `cargo xtask graph`");
    }

    #[test]
    fn the_flow_is_read() {
        let known = BTreeSet::from(["a", "b"]);
        let (nodes, edges) = flow("# what\n\"text\" -> a: words\na -> b: terms: two\n", &known).unwrap();
        assert_eq!(nodes, [Node::text("text"), Node::solid("a"), Node::solid("b")]);
        assert_eq!(edges, [(0, 1, "words".to_owned()), (1, 2, "terms: two".to_owned())]);
        assert_eq!(flow("a -> c: x", &known).unwrap_err(), "flow.txt: there is no crate c");
        assert!(flow("a, b: x", &known).is_err());
    }

    #[test]
    fn what_follows_is_left_out() {
        let package = |name: &str, uses: &[&str]| Package {
            name: name.to_owned(),
            dependencies: uses.iter().map(|&used| used.to_owned()).collect(),
            ..Package::default()
        };
        let (a, b) = (package("a", &["other"]), package("b", &["a"]));
        let (c, d) = (package("c", &["a", "b"]), package("d", &["a", "c"]));
        let (_, edges) = uses(&[&a, &b, &c, &d]);
        let pairs: Vec<(usize, usize)> = edges.into_iter().map(|(user, used, _)| (user, used)).collect();
        assert_eq!(pairs, [(1, 0), (2, 1), (3, 2)]);
    }
}
