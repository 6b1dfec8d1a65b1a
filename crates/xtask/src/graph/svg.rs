//! Writes layouts as one SVG file that needs nothing else.

use std::fmt::Write;

use super::layout::{Layout, Line, Placed, Style};

const TITLE_HEIGHT: f64 = 36.0;

const STYLE: &str = "\
  svg { background: #ffffff; color: #1f2328; font-family: ui-monospace, Menlo, Consolas, monospace; }
  .title { fill: currentColor; font-size: 15px; font-weight: bold; }
  .name { fill: currentColor; font-size: 13px; text-anchor: middle; dominant-baseline: central; }
  .label { fill: #57606a; font-size: 11px; text-anchor: middle; dominant-baseline: central; }
  .behind { fill: #ffffff; }
  .box { fill: #eef4fb; stroke: #3b6ea5; }
  .tool { fill: none; stroke: #3b6ea5; stroke-dasharray: 4 3; }
  .line { fill: none; stroke: #8c959f; }
  .head { fill: #8c959f; }
  @media (prefers-color-scheme: dark) {
    svg { background: #0d1117; color: #e6edf3; }
    .label { fill: #9da7b3; }
    .behind { fill: #0d1117; }
    .box { fill: #16263a; stroke: #6aa2dc; }
    .tool { stroke: #6aa2dc; }
    .line { stroke: #6e7681; }
    .head { fill: #6e7681; }
  }
";

/// The panels, one under the other.
pub fn write(panels: &[(&str, Layout)]) -> String {
    let width = panels.iter().map(|(_, layout)| layout.width).fold(0.0, f64::max);
    let height: f64 = panels.iter().map(|(_, layout)| layout.height + TITLE_HEIGHT).sum();
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = panels_to(&mut text, panels, width, height);
    text
}

fn panels_to(text: &mut String, panels: &[(&str, Layout)], width: f64, height: f64) -> std::fmt::Result {
    let size = format!("viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\"");
    writeln!(text, "<svg xmlns=\"http://www.w3.org/2000/svg\" {size} role=\"img\">")?;
    writeln!(text, "<!-- Drawn by `cargo xtask graph`. -->")?;
    writeln!(text, "<title>The crates of Hardbop</title>\n<style>\n{STYLE}</style>")?;
    writeln!(
        text,
        "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" \
                    markerHeight=\"8\" orient=\"auto\"><path class=\"head\" d=\"M0,0 L8,4 L0,8 z\"/></marker></defs>"
    )?;
    let mut top = 0.0;
    for (title, layout) in panels {
        writeln!(text, "<text class=\"title\" x=\"16\" y=\"{}\">{}</text>", top + 24.0, escaped(title))?;
        top += TITLE_HEIGHT;
        let left = ((width - layout.width) / 2.0).round();
        writeln!(text, "<g transform=\"translate({left},{top})\">")?;
        layout.lines.iter().try_for_each(|line| line_to(text, line))?;
        layout.placed.iter().try_for_each(|placed| placed_to(text, placed))?;
        writeln!(text, "</g>")?;
        top += layout.height;
    }
    writeln!(text, "</svg>")
}

/// A line through its points, rounded where it bends: vertical at each point, so that it is smooth.
fn line_to(text: &mut String, line: &Line) -> std::fmt::Result {
    let Some(&(x, y)) = line.points.first() else { return Ok(()) };
    write!(text, "<path class=\"line\" marker-end=\"url(#head)\" d=\"M{x},{y}")?;
    for pair in line.points.windows(2) {
        let ((x1, y1), (x2, y2)) = (pair[0], pair[1]);
        let middle = f64::midpoint(y1, y2);
        write!(text, " C{x1},{middle} {x2},{middle} {x2},{y2}")?;
    }
    writeln!(text, "\"/>")
}

fn placed_to(text: &mut String, placed: &Placed) -> std::fmt::Result {
    let Placed { x, y, width, height, .. } = *placed;
    let (frame, class) = match placed.style {
        Some(Style::Solid) => (Some("box"), "name"),
        Some(Style::Dashed) => (Some("tool"), "name"),
        Some(Style::Text) => (None, "name"),
        None => (Some("behind"), "label"),
    };
    if let Some(frame) = frame {
        let (left, top) = (x - width / 2.0, y - height / 2.0);
        writeln!(
            text,
            "<rect class=\"{frame}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height}\" rx=\"4\"/>"
        )?;
    }
    writeln!(text, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{}</text>", escaped(&placed.text))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::layout::{Node, lay_out};

    #[test]
    fn texts_are_escaped_and_tags_match() {
        let layout = lay_out(&[Node::text("a<b>"), Node::dashed("c")], &[(0, 1, "x & y".to_owned())]);
        let text = write(&[("T", layout)]);
        assert!(text.contains(">a&lt;b&gt;</text>") && text.contains(">x &amp; y</text>"));
        for tag in ["svg", "g", "defs", "style", "marker", "text"] {
            let open = text.matches(&format!("<{tag} ")).count() + text.matches(&format!("<{tag}>")).count();
            assert_eq!(open, text.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }
}
