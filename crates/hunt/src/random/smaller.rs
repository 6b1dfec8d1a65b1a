//! Making a random program that was judged wrongly smaller: lines and blocks are left out as long as gcc and the checker
//! say the same.

use std::time::Instant;

use crate::random::{Field, Question};

/// Shrinks a question, saves it, and says how to see that it is answered wrongly.
pub(super) fn shrink(field: &Field<'_>, mut question: Question) -> String {
    let until = Instant::now() + field.patience;
    loop {
        let before: usize = question.case.files.iter().map(String::len).sum();
        for file in 0..question.case.files.len() {
            let mut from = 0;
            while let Some((start, end)) = next_piece(&question.case.files[file], from) {
                if Instant::now() > until {
                    return save(field, &question);
                }
                let mut fewer = question.clone();
                fewer.case.files[file].replace_range(start..end, "");
                let same = fewer.case.points() == question.case.points();
                if same && fewer.stands(field.oracle) && fewer.is_wrong(&fewer.ask(field)) {
                    question = fewer;
                    from = start;
                } else {
                    from = next_line(&question.case.files[file], start);
                }
            }
        }
        if question.case.files.iter().map(String::len).sum::<usize>() >= before {
            return save(field, &question);
        }
    }
}

fn next_line(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |n| at + n + 1)
}

/// The next line that may be left out, with its block if it opens one.
fn next_piece(text: &str, from: usize) -> Option<(usize, usize)> {
    let mut start = from;
    while start < text.len() {
        let end = next_line(text, start);
        let line = text[start..end].trim();
        let closes = line.starts_with('}') || line.is_empty() || line.contains("@CHECK");
        if !closes {
            return Some((start, if line.ends_with('{') { end_of_block(text, end) } else { end }));
        }
        start = end;
    }
    None
}

/// Behind the line that closes the block that was opened before.
fn end_of_block(text: &str, mut at: usize) -> usize {
    let mut open = 1i32;
    while at < text.len() && open > 0 {
        let end = next_line(text, at);
        let line = &text[at..end];
        open += line.matches('{').count() as i32 - line.matches('}').count() as i32;
        at = end;
    }
    at
}

fn save(field: &Field<'_>, question: &Question) -> String {
    let texts = question.case.question(&question.goal);
    let all = texts.concat();
    let hash = all
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let plain: String =
        question.case.kind.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
    let wrong = if question.goal.reached { "TRUE" } else { "FALSE" };
    let mut names = Vec::new();
    for (number, text) in texts.iter().enumerate() {
        let file = field.out.join(format!("{plain}-{wrong}-{:08x}-{number}.c", hash as u32));
        let note = format!(
            "/* wrong {wrong}: check -m{} {} ({} inputs below {}) */\n",
            question.bits,
            question.way.join(" "),
            question.case.inputs,
            question.case.range
        );
        if let Err(error) = std::fs::write(&file, note + text) {
            return format!("{}: {error}", file.display());
        }
        names.push(file.display().to_string());
    }
    format!("`hardbop check -m{} {} {}`", question.bits, question.way.join(" "), names.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_lines_and_blocks() {
        let text = "int a;\nint f(void) {\n  if (a) {\n    a = 1;\n  }\n}\nint b;\n";
        assert_eq!(next_piece(text, 0), Some((0, 7)));
        let (start, end) = next_piece(text, 7).unwrap_or_default();
        assert_eq!(&text[end..], "int b;\n");
        assert_eq!(&text[start..start + 5], "int f");
        assert_eq!(next_piece("}\n@CHECK(a);\n", 0), None);
    }
}
