#![no_main]

use hardbop_fuzz::{mutate, watch};

const WORDS: &str = include_str!("../dictionaries/x.dict");

libfuzzer_sys::fuzz_target!(init: watch::start(), |data: &[u8]| watch::run(data, hardbop_fuzz::x));

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::mutate(data, size, max_size, seed, WORDS)
});
