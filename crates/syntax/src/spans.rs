//! Byte offsets to lines and columns, for a tree with a million nodes.
//!
//! Nodes come in about the order in which they were written, so the line of one offset is usually
//! that of the offset asked for before, or one of the next few; a search over all lines is the
//! exception.

use std::cell::Cell;

use hardbop_base::{FileId, Span};

/// The line starts of one text, and the line asked for last.
pub(crate) struct Lines {
    file: FileId,
    starts: Vec<u32>,
    last: Cell<usize>,
}

impl Lines {
    /// Indexes a text of less than 4 GB.
    pub fn new(file: FileId, text: &[u8]) -> Self {
        let mut starts = vec![0];
        for (at, &byte) in text.iter().enumerate() {
            if byte == b'\n' {
                starts.push(u32::try_from(at + 1).unwrap_or(u32::MAX));
            }
        }
        Lines { file, starts, last: Cell::new(0) }
    }

    /// The line, counted from 1, of a byte offset.
    pub fn line(&self, offset: u32) -> u32 {
        self.position(offset).0
    }

    /// The span of the bytes `lo..hi`.
    pub fn span(&self, lo: u32, hi: u32) -> Span {
        let (line, column) = self.position(lo);
        let (end_line, end_column) = self.position(hi.max(lo));
        Span { file: self.file, line, column, end_line, end_column }
    }

    fn position(&self, offset: u32) -> (u32, u32) {
        const NEARBY: usize = 8;
        let from = self.last.get();
        let mut line = from;
        if self.starts[from] <= offset {
            while line + 1 < self.starts.len() && self.starts[line + 1] <= offset {
                line += 1;
                if line - from > NEARBY {
                    line = self.starts.partition_point(|&s| s <= offset) - 1;
                    break;
                }
            }
        } else {
            line = self.starts.partition_point(|&s| s <= offset) - 1;
        }
        self.last.set(line);
        (u32::try_from(line + 1).unwrap_or(u32::MAX), offset - self.starts[line] + 1)
    }
}

#[cfg(test)]
mod tests {
    use hardbop_base::{Id, LineIndex};

    use super::*;

    #[test]
    fn agrees_with_the_plain_index_in_any_order() {
        let text: Vec<u8> =
            (0..4000u32).map(|i| if i % 7 == 0 || i % 31 < 3 { b'\n' } else { b'x' }).collect();
        let lines = Lines::new(Id::from_usize(0), &text);
        let index = LineIndex::new(&text);
        let mut at = 1u32;
        for _ in 0..20_000 {
            at = at.wrapping_mul(1_103_515_245).wrapping_add(12_345);
            let offset = (at >> 8) % 4001;
            assert_eq!(lines.position(offset), index.line_column(offset));
        }
        for offset in 0..=4000 {
            assert_eq!(lines.position(offset), index.line_column(offset));
        }
    }
}
