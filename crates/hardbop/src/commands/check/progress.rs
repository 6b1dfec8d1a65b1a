//! Progress for the user: one line on a terminal that changes, or a line for each step.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use hardbop_verdict::Progress;

use crate::{output, worker};

/// A step is shown when it takes at least this long since the last change of the line.
const REDRAW_AFTER: Duration = Duration::from_millis(80);
/// What starts the line anew on a terminal, and empties it.
const START_OF_LINE: &str = "\r\x1b[K";

/// Where progress is shown.
pub(super) struct Display {
    how: ProgressStyle,
    start: Instant,
    last: Option<Instant>,
}

enum ProgressStyle {
    Nowhere,
    Lines,
    OneLine,
}

impl Display {
    /// Line by line if asked for; else only on a terminal.
    pub(super) fn new(lines: bool) -> Self {
        let how = match (lines, worker::on_terminal()) {
            (true, _) => ProgressStyle::Lines,
            (false, true) => ProgressStyle::OneLine,
            (false, false) => ProgressStyle::Nowhere,
        };
        Display { how, start: Instant::now(), last: None }
    }

    pub(super) fn show(&mut self, progress: Progress<'_>) {
        let Progress { iteration, predicates, statements, doing } = progress;
        match self.how {
            ProgressStyle::Nowhere => {}
            ProgressStyle::Lines => {
                output::report(&format!("{iteration}: {doing}, {predicates} predicates\n"))
            }
            ProgressStyle::OneLine if self.last.is_some_and(|last| last.elapsed() < REDRAW_AFTER) => {}
            ProgressStyle::OneLine => {
                self.last = Some(Instant::now());
                let seconds = self.start.elapsed().as_secs();
                let size = match statements {
                    0 => String::new(),
                    _ => format!(", boolean program of {statements} statements"),
                };
                output::report(&format!(
                    "{START_OF_LINE}{seconds} s, iteration {iteration}, {predicates} predicates{size}: {doing} …"
                ));
            }
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if self.last.is_some() {
            output::report(START_OF_LINE);
        }
    }
}

/// Removes what a worker that was ended left on the terminal.
pub(super) fn clear_line() {
    if std::io::stderr().is_terminal() {
        output::report(START_OF_LINE);
    }
}
