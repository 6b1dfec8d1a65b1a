//! What a worker hands to its parent to be printed: drafts of a report, each better than the one before.
//!
//! A worker may be ended at any time. What it has found by then must not be lost, and nothing must be printed
//! twice; so it prints nothing itself. It sends whole reports through its standard output, which is a pipe: as soon
//! as there is a verdict a short one, and at the end the one with everything. The parent prints the last that
//! arrived whole. Other bytes that come through the pipe are passed on as they are.

use crate::{Exit, Failure, output};

/// What a draft begins with: nothing else in the output begins so.
const MARK: &[u8] = b"\0hardbop draft ";

/// Where a worker puts its reports.
#[derive(Debug, Clone, Copy)]
pub struct Drafts {
    /// Whether there is a parent that reads them.
    pub(super) are_sent: bool,
}

impl Drafts {
    /// Hands over what is to be said if there is no time to say it better.
    pub fn draft(&self, text: &str, exit: Exit) -> Result<(), Failure> {
        if self.are_sent { output::print(framed(text, exit, false)) } else { Ok(()) }
    }

    /// Hands over the whole report. Whatever is not done yet need not be done any more.
    pub fn finish(&self, text: &str, exit: Exit) -> Result<(), Failure> {
        if self.are_sent { output::print(framed(text, exit, true)) } else { output::print(text) }
    }
}

fn framed(text: &str, exit: Exit, is_final: bool) -> Vec<u8> {
    let head = format!("{} {} {}\n", exit.code(), u8::from(is_final), text.len());
    [MARK, head.as_bytes(), text.as_bytes()].concat()
}

/// A report that arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Draft {
    pub(super) text: Vec<u8>,
    pub(super) exit: Exit,
    pub(super) is_final: bool,
}

/// The parent's side.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    /// What is not understood yet.
    unread: Vec<u8>,
    /// What belongs to no draft.
    pub(super) plain: Vec<u8>,
    /// The last draft that is complete.
    pub(super) last: Option<Draft>,
}

impl Inbox {
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.unread.extend_from_slice(bytes);
        while let Some(start) = find(&self.unread, MARK) {
            self.plain.extend(self.unread.drain(..start));
            match parse(&self.unread) {
                Parsed::Open => return,
                Parsed::Draft(draft, length) => {
                    self.unread.drain(..length);
                    self.last = Some(draft);
                }
                Parsed::Other => self.plain.extend(self.unread.drain(..MARK.len())),
            }
        }
    }

    /// Nothing more comes.
    pub(super) fn finish(&mut self) {
        // Half a draft is none.
        let rest = std::mem::take(&mut self.unread);
        if find(&rest, MARK).is_none() {
            self.plain.extend(rest);
        }
    }
}

enum Parsed {
    /// Some of it is still to come.
    Open,
    /// A draft that takes so many bytes.
    Draft(Draft, usize),
    /// No draft after all.
    Other,
}

/// Reads a draft from bytes that start with the mark.
fn parse(bytes: &[u8]) -> Parsed {
    let rest = &bytes[MARK.len()..];
    let Some(end) = rest.iter().position(|&byte| byte == b'\n') else { return Parsed::Open };
    let head = str::from_utf8(&rest[..end]).unwrap_or_default();
    let mut numbers = head.split(' ').map(str::parse::<usize>);
    let (Some(Ok(code)), Some(Ok(is_final)), Some(Ok(length))) =
        (numbers.next(), numbers.next(), numbers.next())
    else {
        return Parsed::Other;
    };
    let Some(exit) = i32::try_from(code).ok().and_then(Exit::from_code) else { return Parsed::Other };
    match rest[end + 1..].get(..length) {
        Some(text) => {
            let draft = Draft { text: text.to_owned(), exit, is_final: is_final == 1 };
            Parsed::Draft(draft, MARK.len() + end + 1 + length)
        }
        None => Parsed::Open,
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What arrives if bytes come in pieces of a size.
    fn arrive(bytes: &[u8], size: usize) -> Inbox {
        let mut inbox = Inbox::default();
        bytes.chunks(size).for_each(|chunk| inbox.take(chunk));
        inbox.finish();
        inbox
    }

    #[test]
    fn the_last_whole_draft_counts() {
        let short = framed("VERDICT: TRUE\n", Exit::Ok, false);
        let long = framed("why\nVERDICT: FALSE\n", Exit::False, true);
        let all = [b"before", &short[..], b"between", &long].concat();
        for size in [1, 2, 7, 1000] {
            let inbox = arrive(&all, size);
            assert_eq!(inbox.plain, b"beforebetween");
            let last = inbox.last.unwrap();
            assert_eq!((&last.text[..], last.exit), (&b"why\nVERDICT: FALSE\n"[..], Exit::False));
            assert!(last.is_final);
            let inbox = arrive(&all[..all.len() - 1], size);
            assert_eq!((inbox.plain, inbox.last.unwrap().exit), (b"beforebetween".to_vec(), Exit::Ok));
        }
    }

    #[test]
    fn other_bytes_pass() {
        for text in [&b""[..], b"\0hardbop", b"a\0hardbop draft x\n", b"\0hardbop draft 99 0 1\nx"] {
            let inbox = arrive(text, 3);
            assert_eq!((&inbox.plain[..], inbox.last), (text, None));
        }
    }
}
