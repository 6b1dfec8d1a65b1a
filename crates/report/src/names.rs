//! Names as the programmer wrote them.
//!
//! Lowering makes names unique with `$`: `f$count` is a static variable `count` of `f`, `x$2` the second `x` of
//! a function, and names that start with `$` are its own.

use hardbop_ir::interpret::OutsideMemory;

/// A text with the programmer's names; nothing if it has a name that is none of theirs.
pub(crate) fn readable(text: &str) -> Option<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, behind) = (&rest[..at], &rest[at + 1..]);
        let start = before.rfind(|c| !is_word(c)).map_or(0, |i| i + 1);
        if start == before.len() {
            return None;
        }
        let end = behind.find(|c| !is_word(c)).unwrap_or(behind.len());
        let suffix = &behind[..end];
        if suffix.starts_with(|c: char| c.is_ascii_digit()) || suffix == "in" {
            out += before;
            rest = &behind[end..];
        } else {
            out += &before[..start];
            rest = behind;
        }
    }
    Some(out + rest)
}

/// An address in memory outside of the program, by the distance from the start of its object.
pub(crate) fn outside_name(number: u32, distance: u64) -> String {
    let name = format!("memory {number} outside of the program");
    match distance.wrapping_sub(OutsideMemory::REACH).cast_signed() {
        0 => name,
        offset => format!("{name} {offset:+} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn names_lose_what_made_them_unique() {
        assert_eq!(readable("x + 1").as_deref(), Some("x + 1"));
        assert_eq!(readable("f$count == n$in").as_deref(), Some("count == n"));
        assert_eq!(readable("x$2[i$3]").as_deref(), Some("x[i]"));
        assert_eq!(readable("f$count$2").as_deref(), Some("count"));
        assert_eq!(readable("x + $1"), None);
        assert_eq!(readable("$result"), None);
    }
}
