//! Lines of the program's text, as its author wrote them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

use hardbop_base::{FileId, Sources, Span};

use crate::input;

/// Finds lines. Texts are cut into lines once; where the compiler's preprocessor changed a text, the
/// file that it came from is read again, if it is still there.
pub struct Listing<'a> {
    sources: &'a Sources,
    texts: RefCell<HashMap<FileId, Vec<&'a str>>>,
    files: RefCell<HashMap<String, Option<Vec<String>>>>,
}

impl<'a> Listing<'a> {
    /// The lines of these texts.
    pub fn new(sources: &'a Sources) -> Self {
        Listing { sources, texts: RefCell::default(), files: RefCell::default() }
    }

    /// The line that a span starts on.
    pub fn line(&self, span: Span) -> Option<String> {
        if span.is_none() {
            return None;
        }
        let origin = self.sources.origin(span);
        let read = self.sources.file(span.file);
        if origin.file == read.name && origin.line == span.line {
            return self.line_read(span);
        }
        let mut files = self.files.borrow_mut();
        let lines = files.entry(origin.file.to_owned()).or_insert_with(|| {
            let file = Path::new(origin.file);
            // Whatever a `#line` names; a device or pipe would not end.
            let text = file.is_file().then(|| input::read_bytes(file).ok())??;
            Some(String::from_utf8_lossy(&text).lines().map(str::to_owned).collect())
        });
        match lines {
            Some(lines) => lines.get((origin.line as usize).checked_sub(1)?).cloned(),
            None => self.line_read(span),
        }
    }

    /// The line of the text that was read.
    fn line_read(&self, span: Span) -> Option<String> {
        let mut texts = self.texts.borrow_mut();
        let lines = texts.entry(span.file).or_insert_with(|| {
            let text = self.sources.file(span.file).text.as_deref().unwrap_or_default();
            text.split('\n').collect()
        });
        lines.get((span.line as usize).checked_sub(1)?).map(|line| (*line).to_owned())
    }
}
