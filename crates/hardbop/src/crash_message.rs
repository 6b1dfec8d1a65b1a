//! What a dying worker says.
//!
//! An abort for lack of memory and one for a stack overflow look the same from outside: SIGABRT. But
//! the Rust and C++ runtimes announce them on standard error. The parent passes the worker's standard
//! error on, except for these announcements: it understands them and says the same in better words.
//! Everything else passes unchanged and at once, progress bars included.

use std::io::Write;

/// What the runtime of a dying process said on standard error.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum CrashMessage {
    #[default]
    None,
    StackOverflow,
    OutOfMemory,
}

/// Copies a stream except for the lines in which a language runtime announces an abort.
pub(crate) struct Filter<W> {
    /// Where the rest goes.
    pub(crate) to: W,
    /// A line that may yet turn out to be an announcement.
    held: Vec<u8>,
    /// An empty line came before it; Rust's announcement of a stack overflow starts with one.
    blank: bool,
    line_start: bool,
    pub(crate) words: CrashMessage,
    /// The end of what was passed on.
    tail: Vec<u8>,
}

impl<W: Write> Filter<W> {
    pub(crate) fn new(to: W) -> Self {
        Filter {
            to,
            held: Vec::new(),
            blank: false,
            line_start: true,
            words: CrashMessage::None,
            tail: Vec::new(),
        }
    }

    /// Whether the last message that was passed on is this one.
    pub(crate) fn ends_with(&self, message: &str) -> bool {
        self.tail.strip_suffix(b"\n").is_some_and(|tail| tail.ends_with(message.as_bytes()))
    }

    /// Takes what was read next.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        bytes.split_inclusive(|&byte| byte == b'\n').for_each(|part| self.push(part));
    }

    /// Takes the next part of a line; only the last part ends in a newline.
    fn push(&mut self, part: &[u8]) {
        if !self.line_start {
            self.write(part);
        } else if self.held.is_empty() && part == b"\n" && !self.blank {
            self.blank = true;
        } else {
            self.held.extend_from_slice(part);
            self.decide(part.ends_with(b"\n"));
        }
    }

    /// Passes or drops what is held, as soon as it is known to be ordinary or is complete.
    fn decide(&mut self, complete: bool) {
        let held = &self.held;
        let open = ANNOUNCEMENTS.iter().any(|(start, ..)| may_start_with(held, start.as_bytes()));
        if !open || held.len() > MAX_ANNOUNCEMENT {
            self.release();
        } else if complete {
            let line = String::from_utf8_lossy(&self.held);
            match announcement(&line) {
                // The first announcement is the cause; what follows are consequences.
                Some(words) if self.words == CrashMessage::None && words != CrashMessage::None => {
                    self.words = words;
                    self.drop_line();
                }
                Some(_) if self.words != CrashMessage::None => self.drop_line(),
                _ => self.release(),
            }
        }
    }

    fn drop_line(&mut self) {
        self.held.clear();
        self.blank = false;
    }

    fn release(&mut self) {
        if std::mem::take(&mut self.blank) {
            self.write(b"\n");
        }
        let held = std::mem::take(&mut self.held);
        self.write(&held);
    }

    /// Nothing more comes.
    pub(crate) fn finish(&mut self) {
        self.decide(true);
    }

    fn write(&mut self, bytes: &[u8]) {
        if let Some(last) = bytes.last() {
            self.line_start = *last == b'\n';
        }
        self.tail.extend_from_slice(bytes);
        self.tail.drain(..self.tail.len().saturating_sub(MAX_ANNOUNCEMENT));
        // If our standard error was closed, the worker must not be held up.
        let _ = self.to.write_all(bytes).and_then(|()| self.to.flush());
    }
}

/// Longer lines are no announcements.
const MAX_ANNOUNCEMENT: usize = 1000;

/// How the announcements start and end, and what they mean; those without a meaning follow another.
const ANNOUNCEMENTS: [(&str, &str, CrashMessage); 7] = [
    ("thread ", "has overflowed its stack", CrashMessage::StackOverflow),
    ("fatal runtime error: stack overflow", "", CrashMessage::StackOverflow),
    ("memory allocation of ", "bytes failed", CrashMessage::OutOfMemory),
    ("note: run with `RUST_BACKTRACE", "to display a backtrace", CrashMessage::None),
    ("terminate called after throwing an instance of 'std::bad_alloc'", "", CrashMessage::OutOfMemory),
    ("  what():  std::bad_alloc", "", CrashMessage::OutOfMemory),
    // The solvers, which are C++, throw only when they get no memory.
    ("fatal runtime error: Rust cannot catch foreign exceptions", "", CrashMessage::OutOfMemory),
];

fn announcement(line: &str) -> Option<CrashMessage> {
    let line = line.trim_end();
    let mut all = ANNOUNCEMENTS.iter();
    all.find(|(start, end, _)| line.starts_with(start) && line.ends_with(end)).map(|(_, _, words)| *words)
}

/// Whether text that begins with `seen` may begin with `start`.
fn may_start_with(seen: &[u8], start: &[u8]) -> bool {
    let common = seen.len().min(start.len());
    seen[..common] == start[..common]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Filters `chunks` as they would arrive and gives what passed and the last words.
    fn filter(chunks: &[&str]) -> (String, CrashMessage) {
        let mut passed = Vec::new();
        let mut filter = Filter::new(&mut passed);
        for chunk in chunks {
            filter.take(chunk.as_bytes());
        }
        filter.finish();
        let words = filter.words;
        (String::from_utf8(passed).unwrap(), words)
    }

    #[test]
    fn ordinary_text_passes_unchanged() {
        let long = format!("thread {}", "x".repeat(5000));
        for text in [
            &long,
            "",
            "\n",
            "\n\n\n",
            "a.c:1: error\n",
            "thread safety\n",
            "note: run with `RUST_BACKTRACE` to display a backtrace",
            "no newline",
            "a\n\nb\n",
            "\nthread",
        ] {
            assert_eq!(filter(&[text]), (text.to_owned(), CrashMessage::None), "{text:?}");
            let bytes: Vec<&str> = text.split_inclusive(|_| true).collect();
            assert_eq!(filter(&bytes), (text.to_owned(), CrashMessage::None), "{text:?} byte by byte");
        }
    }

    #[test]
    fn crash_messages_are_not_passed_on() {
        let overflow = "warning\n\nthread 'work' (77) has overflowed its stack\n\
                        fatal runtime error: stack overflow, aborting\n";
        assert_eq!(filter(&[overflow]), ("warning\n".to_owned(), CrashMessage::StackOverflow));
        let memory = [
            "memory allo",
            "cation of 123 bytes failed\nnote: run with `RUST_BACKTRACE=1` to display a backtrace\n",
        ];
        assert_eq!(filter(&memory), (String::new(), CrashMessage::OutOfMemory));
        let throws =
            "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc";
        assert_eq!(filter(&[throws]), (String::new(), CrashMessage::OutOfMemory));
        let foreign = "fatal runtime error: Rust cannot catch foreign exceptions, aborting\n";
        assert_eq!(filter(&[foreign]), (String::new(), CrashMessage::OutOfMemory));
    }

    #[test]
    fn a_progress_bar_is_not_held_back() {
        let mut passed = Vec::new();
        let mut filter = Filter::new(&mut passed);
        filter.push(b"\r 10 %");
        filter.push(b"\r 20 %");
        drop(filter);
        assert_eq!(passed, b"\r 10 %\r 20 %");
    }
}
