//! Panics as internal defects.
//!
//! The panic hook only takes notes: a panic that some stage catches on purpose (third-party parsers
//! panic on odd input) must stay silent. When a panic reaches the top, the last note is printed as
//! one short message, with a backtrace only if `RUST_BACKTRACE` asks for it.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic::{self, PanicHookInfo};
use std::sync::{Arc, Mutex, PoisonError};

use crate::output::complain;

/// Longer panic messages are cut: they tend to print whole data structures.
const MAX_MESSAGE: usize = 400;

/// What the panic hook noted last.
#[derive(Debug, Clone, Default)]
pub struct PanicLog {
    last: Arc<Mutex<Option<String>>>,
}

impl PanicLog {
    /// Replaces the panic hook of the process with one that takes notes.
    pub fn install() -> Self {
        let log = PanicLog::default();
        let hook = log.clone();
        panic::set_hook(Box::new(move |info| {
            *hook.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(describe(info));
        }));
        log
    }

    /// Tells the user about the last panic.
    pub fn report(&self) {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner).take();
        complain(&format_args!("internal defect: {}", last.as_deref().unwrap_or("unknown panic")));
        complain(&"this is a bug in hardbop: please report it together with the input");
    }
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let message = payload.downcast_ref::<&str>().copied();
    let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let mut text = shorten(message.unwrap_or("panic without a message"));
    if let Some(place) = info.location() {
        text.push_str(&format!(" (at {}:{}:{})", place.file(), place.line(), place.column()));
    }
    // With little memory, a backtrace would be the end of us: see `room`.
    if crate::room::limit().is_some() {
        return text;
    }
    let backtrace = Backtrace::capture();
    if backtrace.status() == BacktraceStatus::Captured {
        text.push_str(&format!("\n{backtrace}"));
    }
    text
}

/// The message on one line, cut at a character boundary.
fn shorten(message: &str) -> String {
    let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_one_short_line() {
        assert_eq!(shorten("left: 1\n right: 2"), "left: 1 right: 2");
        let long = shorten(&"ä".repeat(1000));
        assert_eq!(long.chars().count(), MAX_MESSAGE + 1);
        assert!(long.ends_with('…'));
    }
}
