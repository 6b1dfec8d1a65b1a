//! A story as text.

use std::fmt::Write;

use hardbop_base::Sources;

use super::{Item, Line, Repeated, Story};

/// Where notes start, if the code leaves room.
const NOTES_AT: usize = 48;
/// The longest code that is shown.
const MAX_CODE: usize = 90;
/// Lines that are printed at most: the first and the last ones.
const MAX_LINES: usize = 240;

impl Story {
    /// The story as text, a line for each line that is passed.
    pub fn text(&self, sources: &Sources) -> String {
        let mut out = Text { sources, lines: Vec::new(), file: String::new() };
        if self.skipped > 0 {
            out.lines.push(format!("      … {} steps before", self.skipped));
        }
        out.items(&self.items, 0);
        let count = out.lines.len();
        if count <= MAX_LINES {
            return join(&out.lines);
        }
        let (first, last) = (MAX_LINES / 3, MAX_LINES - MAX_LINES / 3);
        let gap = format!("      … {} lines left out\n", count - MAX_LINES);
        join(&out.lines[..first]) + &gap + &join(&out.lines[count - last..])
    }
}

impl Line {
    /// The line of the source text, without the space around it; nothing if the text is not at hand.
    pub fn code<'s>(&self, sources: &'s Sources) -> &'s str {
        sources.line_text(self.span).unwrap_or_default().trim()
    }
}

fn join(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |text, line| text + line + "\n")
}

struct Text<'a> {
    sources: &'a Sources,
    lines: Vec<String>,
    /// The file of the last line.
    file: String,
}

impl Text<'_> {
    fn items(&mut self, items: &[Item], depth: usize) {
        for item in items {
            match item {
                Item::Line(line) => self.line(line, depth, &[]),
                Item::Call(call) => {
                    // Else the line of the return statement says it.
                    let untold = call.result.as_ref().filter(|_| call.body.is_empty());
                    let returned = untold.map(|result| format!("{} returns {result}", call.callee));
                    self.line(&call.line, depth, returned.as_slice());
                    self.items(&call.body, depth + 1);
                }
                Item::More(times, what) => {
                    let (one, many) = match what {
                        Repeated::Iterations => ("iteration", "iterations"),
                        Repeated::Calls => ("call of itself", "calls of itself"),
                    };
                    let what = if *times == 1 { one } else { many };
                    self.lines.push(format!("      {:indent$}… {times} more {what}", "", indent = 2 * depth));
                }
            }
        }
    }

    fn line(&mut self, line: &Line, depth: usize, more: &[String]) {
        let origin = self.sources.origin(line.span);
        if origin.file != self.file {
            origin.file.clone_into(&mut self.file);
            self.lines.push(format!("in {}:", origin.file));
        }
        let code: String = line.code(self.sources).chars().take(MAX_CODE).collect();
        let mut notes: Vec<&str> = line.notes.iter().chain(more).map(String::as_str).collect();
        if line.breaks {
            notes.push("<-- here");
        }
        let mut text = format!("{:5} {:indent$}{code}", origin.line, "", indent = 2 * depth);
        if !notes.is_empty() {
            let room = (6 + NOTES_AT).saturating_sub(text.chars().count());
            // Writing to a String cannot fail.
            let _ = write!(text, "{:room$}  // {}", "", notes.join("; "));
        }
        self.lines.push(text);
    }
}
