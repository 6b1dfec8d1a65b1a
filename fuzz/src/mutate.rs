//! Mutation by tokens, because most changes of single bytes only make syntax errors.
//!
//! All our languages have words, numbers and brackets. Tokens and bracketed groups are deleted, copied,
//! moved and exchanged, within an input and with a list of words; every fourth time libFuzzer's own
//! mutations get their turn.

use std::ops::Range;

/// Changes the first `size` bytes of `data` and says how many there are then.
pub fn mutate(data: &mut [u8], size: usize, max_size: usize, seed: u32, words: &str) -> usize {
    let mut random = Random(u64::from(seed) << 1 | 1);
    if random.below(4) == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let mut text = data[..size].to_vec();
    for _ in 0..=random.below(3) {
        text = step(&text, &mut random, words);
    }
    let size = text.len().min(max_size).min(data.len());
    data[..size].copy_from_slice(&text[..size]);
    size
}

/// One change.
fn step(text: &[u8], random: &mut Random, words: &str) -> Vec<u8> {
    let tokens = tokens(text);
    if tokens.is_empty() {
        return random.word(words).into();
    }
    let one = tokens[random.below(tokens.len())].clone();
    let other = tokens[random.below(tokens.len())].clone();
    let (group, other_group) = (group(text, &tokens, random), self::group(text, &tokens, random));
    match random.below(9) {
        0 => replace(text, one, b""),
        1 => replace(text, one, &text[other]),
        2 => replace(text, one, random.word(words)),
        3 => replace(text, one.start..one.start, &spaced(random.word(words))),
        4 => replace(text, one.start..one.start, &spaced(&text[other])),
        5 => replace(text, group, &text[other_group]),
        6 => replace(text, group, b""),
        7 => replace(text, group.start..group.start, &text[other_group]),
        _ => replace(text, one, &text[group]),
    }
}

fn replace(text: &[u8], range: Range<usize>, by: &[u8]) -> Vec<u8> {
    [&text[..range.start], by, &text[range.end..]].concat()
}

fn spaced(token: &[u8]) -> Vec<u8> {
    [b" ", token, b" "].concat()
}

/// The words, numbers and other characters of a text, without the blanks.
fn tokens(text: &[u8]) -> Vec<Range<usize>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let start = at;
        at += 1;
        if is_word(text[start]) {
            while text.get(at).is_some_and(|&byte| is_word(byte)) {
                at += 1;
            }
        }
        if !text[start].is_ascii_whitespace() {
            tokens.push(start..at);
        }
    }
    tokens
}

/// From a random token to the end of its brackets if it opens some, or of its statement or line, or a
/// few tokens on.
fn group(text: &[u8], tokens: &[Range<usize>], random: &mut Random) -> Range<usize> {
    let first = random.below(tokens.len());
    let start = tokens[first].start;
    let to_end_of_statement = random.below(2) == 0;
    let few = 1 + random.below(6);
    let mut depth = 0i32;
    for (count, token) in tokens[first..].iter().enumerate() {
        match text[token.start] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        let statement_ends = matches!(text[token.start], b';' | b'}');
        let ends = if to_end_of_statement { statement_ends } else { count >= few || depth == 0 && count > 0 };
        if depth < 0 {
            return start..token.start.max(start);
        }
        if depth == 0 && ends {
            return start..token.end;
        }
    }
    start..tokens[first].end
}

/// Xorshift; good enough to choose with.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    /// An entry of a dictionary in the format of libFuzzer; those with escapes are left to it.
    fn word<'w>(&mut self, words: &'w str) -> &'w [u8] {
        let entries = words.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"'));
        let entries: Vec<&str> = entries.filter(|entry| !entry.contains('\\')).collect();
        entries.get(self.below(entries.len().max(1))).map_or(b"", |entry| entry.as_bytes())
    }
}
