//! Programs with a few tokens changed: rejected with messages, or read back from their printed form, lowered
//! and run. A small relative of the fuzz target `x`.

use std::fs;
use std::path::Path;

use hardbop_base::{Sources, Span};
use hardbop_ir::interpret::{Limits, SeededInputs, run};
use hardbop_ir::testing::Random;
use hardbop_ir::verify;
use hardbop_teach::testing::{Size, random_program};
use hardbop_teach::{TeachOptions, check, lower, parse};

/// The programs in `examples`, and random ones.
fn originals() -> Vec<String> {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut texts = Vec::new();
    for folder in [examples.clone(), examples.join("papers")] {
        let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let programs = files.iter().filter(|file| file.extension().is_some_and(|e| e == "x"));
        texts.extend(programs.map(|file| fs::read_to_string(file).unwrap()));
    }
    assert!(texts.len() > 15);
    texts.extend((0..20).map(|seed| random_program(seed, Size::default()).to_string()));
    texts
}

/// Words, numbers and symbols.
fn tokens(text: &str) -> Vec<&str> {
    const DOUBLE: [&str; 8] = [":=", "||", "&&", "=>", "==", "!=", "<=", ">="];
    let without: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let mut tokens = Vec::new();
    for mut rest in without {
        while let Some(first) = rest.chars().next() {
            let word = |c: char| c.is_alphanumeric() || c == '_';
            let length = match rest.find(|c| !word(c)) {
                Some(0) => {
                    let is_double = DOUBLE.iter().any(|double| rest.starts_with(double));
                    first.len_utf8() + usize::from(is_double)
                }
                Some(length) => length,
                None => rest.len(),
            };
            let (token, after) = rest.split_at(length);
            if !token.trim().is_empty() {
                tokens.push(token);
            }
            rest = after;
        }
    }
    tokens
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphanumeric())
}

fn mutant(original: &str, random: &mut Random) -> String {
    const WORDS: [&str; 24] = [
        "?", "|", "||", "&&", "=>", "{", "}", "(", ")", ";", ":", "*", "-", "!", "T", "0", "mod", "else",
        "case", "do", "return", "int", "[7]", "out",
    ];
    let mut tokens = tokens(original);
    for _ in 0..1 + random.below(3) {
        let (at, other) = (random.below(tokens.len()), random.below(tokens.len()));
        match random.below(12) {
            0 => drop(tokens.remove(at)),
            1 => tokens.insert(at, tokens[other]),
            2 => tokens.swap(at, other),
            3 => tokens[at] = tokens[other],
            4 => tokens[at] = WORDS[random.below(WORDS.len())],
            5 => tokens.insert(at, WORDS[random.below(WORDS.len())]),
            _ if is_word(tokens[at]) == is_word(tokens[other]) => tokens[at] = tokens[other],
            _ => {}
        }
        if tokens.is_empty() {
            break;
        }
    }
    tokens.join(" ")
}

/// Whether the program is one.
fn examine(text: &str, seed: u64) -> bool {
    let mut sources = Sources::new();
    let file = sources.add("t.x", text);
    let (program, messages) = parse(text, file);
    let errors = check(&program);
    for message in messages.iter().chain(errors.iter()) {
        assert!(message.span != Span::none(), "a message without a place: {message:?}\n{text}");
    }
    messages.render(&sources);
    errors.render(&sources);
    if messages.has_errors() {
        return false;
    }
    let printed = program.to_string();
    let (again, messages) = parse(&printed, file);
    assert!(messages.is_empty() && again == program, "{messages:?}\n{text}\n{printed}");
    assert_eq!(check(&again).has_errors(), errors.has_errors(), "{text}");
    if errors.has_errors() {
        return false;
    }
    let lowered = lower(&program, &sources, &TeachOptions::default());
    let lowered = lowered.unwrap_or_else(|errors| panic!("{}\n{text}", errors.render(&sources)));
    let violations: Vec<String> = verify(&lowered).iter().map(|v| v.show(&lowered)).collect();
    assert!(violations.is_empty(), "{violations:#?}\n{text}");
    let limits = Limits { steps: 10_000, ..Limits::default() };
    if lowered.entry.is_some() {
        run(&lowered, &mut SeededInputs::new(seed), limits);
    }
    true
}

#[test]
fn mutants_are_rejected_or_run() {
    let originals = originals();
    let mut accepted = 0;
    for seed in 0..8000 {
        let mut random = Random::new(seed);
        let original = &originals[random.below(originals.len())];
        accepted += u32::from(examine(&mutant(original, &mut random), seed));
    }
    assert!(accepted > 800, "only {accepted} are programs");
}
