//! Layers: a node stands below all that lead to it, and lines go down from layer to layer.
//!
//! As in Sugiyama, Tagawa and Toda, "Methods for visual understanding of hierarchical system structures" (1981):
//! edges that close a cycle are turned round; a node's layer is the longest way to it; an edge that crosses layers
//! gets a point in each, for which room is kept as for a node, so that no line passes behind a box; the order in each
//! layer comes from the mean of the neighbours' places; then nodes move towards their neighbours as far as there is
//! room. A label is a point as wide as its text, in a layer between those of the nodes, so labels cover nothing.
//!
//! All numbers are pixels, and the result depends on the input alone.

/// What is drawn for a crate, or for what flows in and out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub text: String,
    pub style: Style,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A box.
    Solid,
    /// A dashed box.
    Dashed,
    /// No box.
    Text,
}

impl Node {
    pub fn solid(text: &str) -> Self {
        Self { text: text.to_owned(), style: Style::Solid }
    }

    pub fn dashed(text: &str) -> Self {
        Self { text: text.to_owned(), style: Style::Dashed }
    }

    pub fn text(text: &str) -> Self {
        Self { text: text.to_owned(), style: Style::Text }
    }
}

/// A node or a label at its place: the middle, and the size.
#[derive(Debug, Clone, PartialEq)]
pub struct Placed {
    /// `None` is a label.
    pub style: Option<Style>,
    pub text: String,
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

/// A line with an arrow at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    pub points: Vec<(f64, f64)>,
}

/// A finished layout.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    pub placed: Vec<Placed>,
    pub lines: Vec<Line>,
    pub width: f64,
    pub height: f64,
}

/// The width of a character of the fixed-width font.
pub const NODE_CHARACTER: f64 = 7.8;
pub const LABEL_CHARACTER: f64 = 6.6;

const NODE_HEIGHT: f64 = 26.0;
const LABEL_HEIGHT: f64 = 16.0;
const LAYER: f64 = 34.0;
const GAP: f64 = 18.0;
const MARGIN: f64 = 16.0;
const SWEEPS: usize = 24;

/// What has a place in a layer: a node, a label, or a point of a line.
struct Item {
    layer: usize,
    width: f64,
    x: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

/// Lays a graph out. Edges go from a node to one that stands below it.
pub fn lay_out(nodes: &[Node], edges: &[(usize, usize, String)]) -> Layout {
    let turned = back_edges(nodes.len(), edges);
    let layers = layers(nodes.len(), edges, &turned);
    let mut items: Vec<Item> = nodes
        .iter()
        .zip(&layers)
        .map(|(node, &layer)| Item {
            layer,
            width: node.text.chars().count() as f64 * NODE_CHARACTER + 20.0,
            x: 0.0,
            above: Vec::new(),
            below: Vec::new(),
        })
        .collect();
    let chains: Vec<Chain> =
        edges.iter().zip(&turned).map(|(edge, &turned)| chain(&mut items, edge, turned)).collect();
    let mut rows = rows(&items);
    sort(&mut rows, &items);
    place(&rows, &mut items);
    finish(nodes, edges, &items, &chains)
}

/// Which edges close a cycle, on a walk that takes nodes and edges in order.
fn back_edges(count: usize, edges: &[(usize, usize, String)]) -> Vec<bool> {
    let mut turned = vec![false; edges.len()];
    // 0: not seen, 1: on the way, 2: left.
    let mut state = vec![0_u8; count];
    for start in 0..count {
        let mut stack = vec![(start, 0)];
        while let Some((node, next)) = stack.pop() {
            state[node] = 1;
            match (next..edges.len()).find(|&edge| edges[edge].0 == node) {
                None => state[node] = 2,
                Some(edge) => {
                    stack.push((node, edge + 1));
                    match state[edges[edge].1] {
                        0 => stack.push((edges[edge].1, 0)),
                        1 => turned[edge] = true,
                        _ => {}
                    }
                }
            }
        }
    }
    turned
}

fn ends(edge: &(usize, usize, String), turned: bool) -> (usize, usize) {
    if turned { (edge.1, edge.0) } else { (edge.0, edge.1) }
}

/// The longest way to each node, in steps of two if there are labels, which stand between.
fn layers(count: usize, edges: &[(usize, usize, String)], turned: &[bool]) -> Vec<usize> {
    let step = if edges.iter().any(|(_, _, label)| !label.is_empty()) { 2 } else { 1 };
    let mut layers = vec![0; count];
    for _ in 0..count {
        for (edge, &turned) in edges.iter().zip(turned) {
            let (upper, lower) = ends(edge, turned);
            layers[lower] = layers[lower].max(layers[upper] + step);
        }
    }
    layers
}

/// The items that a line passes, from its upper end to its lower, and the one that is the label.
struct Chain {
    items: Vec<usize>,
    label: Option<usize>,
}

fn chain(items: &mut Vec<Item>, edge: &(usize, usize, String), turned: bool) -> Chain {
    let (upper, lower) = ends(edge, turned);
    let layers = items[upper].layer + 1..items[lower].layer;
    // Where the arrow ends, many lines meet; so the label is where it begins.
    let label_layer = if turned { layers.end.saturating_sub(1) } else { layers.start };
    let mut chain = Chain { items: vec![upper], label: None };
    for layer in layers {
        let is_label = layer == label_layer && !edge.2.is_empty();
        let width = if is_label { edge.2.chars().count() as f64 * LABEL_CHARACTER + 8.0 } else { 4.0 };
        items.push(Item { layer, width, x: 0.0, above: Vec::new(), below: Vec::new() });
        chain.items.push(items.len() - 1);
        if is_label {
            chain.label = Some(items.len() - 1);
        }
    }
    chain.items.push(lower);
    for pair in chain.items.windows(2) {
        items[pair[0]].below.push(pair[1]);
        items[pair[1]].above.push(pair[0]);
    }
    chain
}

fn rows(items: &[Item]) -> Vec<Vec<usize>> {
    let last = items.iter().map(|item| item.layer).max().unwrap_or(0);
    (0..=last).map(|layer| (0..items.len()).filter(|&item| items[item].layer == layer).collect()).collect()
}

/// Orders each layer by the mean of the places of its neighbours, down and up in turns.
fn sort(rows: &mut [Vec<usize>], items: &[Item]) {
    let mut place: Vec<f64> = vec![0.0; items.len()];
    let mut best = (usize::MAX, rows.to_vec());
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        let order: Vec<usize> =
            if down { (0..rows.len()).collect() } else { (0..rows.len()).rev().collect() };
        for row in order {
            let mean = |item: usize| {
                let near = if down { &items[item].above } else { &items[item].below };
                match near.len() {
                    0 => place[item],
                    count => near.iter().map(|&other| place[other]).sum::<f64>() / count as f64,
                }
            };
            let means: std::collections::BTreeMap<usize, f64> =
                rows[row].iter().map(|&item| (item, mean(item))).collect();
            rows[row].sort_by(|a, b| means[a].total_cmp(&means[b]));
            let count = rows[row].len() as f64;
            for (index, &item) in rows[row].iter().enumerate() {
                place[item] = (index as f64 + 0.5) / count;
            }
        }
        let crossings = crossings(rows, items);
        if crossings < best.0 {
            best = (crossings, rows.to_vec());
        }
    }
    rows.clone_from_slice(&best.1);
}

/// How many pairs of lines cross.
fn crossings(rows: &[Vec<usize>], items: &[Item]) -> usize {
    let mut index = vec![0; items.len()];
    for row in rows {
        row.iter().enumerate().for_each(|(place, &item)| index[item] = place);
    }
    let mut count = 0;
    for row in rows {
        let lines: Vec<(usize, usize)> = row
            .iter()
            .flat_map(|&item| items[item].below.iter().map(move |&other| (item, other)))
            .map(|(item, other)| (index[item], index[other]))
            .collect();
        for (number, a) in lines.iter().enumerate() {
            count += lines[number + 1..]
                .iter()
                .filter(|b| (a.0 < b.0 && a.1 > b.1) || (a.0 > b.0 && a.1 < b.1))
                .count();
        }
    }
    count
}

/// Gives each item its middle: towards the mean of its neighbours, in order and with gaps.
fn place(rows: &[Vec<usize>], items: &mut [Item]) {
    for row in rows {
        let wanted: Vec<f64> = row.iter().map(|_| 0.0).collect();
        spread(row, &wanted, items);
    }
    for sweep in 0..SWEEPS * 4 {
        let down = sweep % 2 == 0;
        let order: Vec<usize> =
            if down { (0..rows.len()).collect() } else { (0..rows.len()).rev().collect() };
        for row in order {
            let mean = |item: usize| {
                let near: Vec<usize> = items[item].above.iter().chain(&items[item].below).copied().collect();
                match near.len() {
                    0 => items[item].x,
                    count => near.iter().map(|&other| items[other].x).sum::<f64>() / count as f64,
                }
            };
            let wanted: Vec<f64> = rows[row].iter().map(|&item| mean(item)).collect();
            spread(&rows[row], &wanted, items);
        }
    }
    let left = items.iter().map(|item| item.x - item.width / 2.0).fold(f64::INFINITY, f64::min);
    for item in items {
        item.x = (item.x - left + MARGIN).round();
    }
}

/// Places one layer as near to what is wanted as order and gaps allow: halfway between pushing right and pushing left.
fn spread(row: &[usize], wanted: &[f64], items: &mut [Item]) {
    let apart = |a: usize, b: usize, items: &[Item]| (items[a].width + items[b].width) / 2.0 + GAP;
    let mut right = wanted.to_vec();
    for index in 1..row.len() {
        right[index] = right[index].max(right[index - 1] + apart(row[index - 1], row[index], items));
    }
    let mut left = wanted.to_vec();
    for index in (1..row.len()).rev() {
        left[index - 1] = left[index - 1].min(left[index] - apart(row[index - 1], row[index], items));
    }
    for (index, &item) in row.iter().enumerate() {
        items[item].x = f64::midpoint(left[index], right[index]);
    }
}

fn finish(nodes: &[Node], edges: &[(usize, usize, String)], items: &[Item], chains: &[Chain]) -> Layout {
    let last = items.iter().map(|item| item.layer).max().unwrap_or(0);
    let labelled = chains.iter().any(|chain| chain.label.is_some());
    let step = if labelled { LAYER } else { 2.0 * LAYER };
    let y = |layer: usize| MARGIN + NODE_HEIGHT / 2.0 + layer as f64 * step;
    let placed = |item: usize, style: Option<Style>, text: &str, height: f64| {
        let Item { layer, width, x, .. } = items[item];
        Placed { style, text: text.to_owned(), x, y: y(layer), width, height }
    };
    let mut all: Vec<Placed> = (0..nodes.len())
        .map(|node| placed(node, Some(nodes[node].style), &nodes[node].text, NODE_HEIGHT))
        .collect();
    let mut lines = Vec::new();
    for (edge, chain) in edges.iter().zip(chains) {
        all.extend(chain.label.map(|item| placed(item, None, &edge.2, LABEL_HEIGHT)));
        let mut points: Vec<(f64, f64)> =
            chain.items.iter().map(|&item| (items[item].x, y(items[item].layer))).collect();
        if let [first, .., last] = &mut points[..] {
            first.1 += NODE_HEIGHT / 2.0;
            last.1 -= NODE_HEIGHT / 2.0;
        }
        if chain.items.first() != Some(&edge.0) {
            points.reverse();
        }
        lines.push(Line { points });
    }
    let width = items.iter().map(|item| item.x + item.width / 2.0).fold(0.0, f64::max) + MARGIN;
    Layout { placed: all, lines, width, height: y(last) + NODE_HEIGHT / 2.0 + MARGIN }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(names: &[&str], edges: &[(usize, usize, &str)]) -> Layout {
        let nodes: Vec<Node> = names.iter().map(|name| Node::solid(name)).collect();
        let edges: Vec<_> = edges.iter().map(|&(a, b, label)| (a, b, label.to_owned())).collect();
        lay_out(&nodes, &edges)
    }

    #[test]
    fn lines_go_down_and_cycles_are_closed() {
        let layout = graph(&["a", "b", "c"], &[(0, 1, ""), (1, 2, ""), (0, 2, ""), (2, 0, "")]);
        let y = |node: usize| layout.placed[node].y;
        assert!(y(0) < y(1) && y(1) < y(2));
        for (line, (from, to)) in layout.lines.iter().zip([(0, 1), (1, 2), (0, 2), (2, 0)]) {
            let (first, last) = (line.points[0], line.points[line.points.len() - 1]);
            assert!((first.1 - y(from)).abs() < NODE_HEIGHT && (last.1 - y(to)).abs() < NODE_HEIGHT);
        }
        // The long lines have a point beside b, and the way is free there.
        for line in &layout.lines[2..] {
            assert_eq!(line.points.len(), 3);
            assert!((line.points[1].0 - layout.placed[1].x).abs() > layout.placed[1].width / 2.0);
        }
    }

    #[test]
    fn nothing_covers_anything() {
        let names: Vec<String> = (0..20).map(|n| format!("node-{}", "x".repeat(n % 7))).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let edges: Vec<(usize, usize, &str)> =
            (1..20).flat_map(|n| [(n / 2, n, "a label"), (n / 3, n, "b")]).collect();
        let layout = graph(&names, &edges);
        assert_eq!(layout.placed.len(), 20 + edges.len());
        for (index, a) in layout.placed.iter().enumerate() {
            for b in &layout.placed[index + 1..] {
                let apart = (a.x - b.x).abs() * 2.0 >= a.width + b.width
                    || (a.y - b.y).abs() * 2.0 >= a.height + b.height;
                assert!(apart, "{a:?} and {b:?}");
            }
            assert!(a.x - a.width / 2.0 >= 0.0 && a.x + a.width / 2.0 <= layout.width);
            assert!(a.y - a.height / 2.0 >= 0.0 && a.y + a.height / 2.0 <= layout.height);
        }
    }
}
