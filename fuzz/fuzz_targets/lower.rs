#![no_main]

use hardbop_fuzz::{mutate, watch};

const WORDS: &str = include_str!("../dictionaries/c.dict");

libfuzzer_sys::fuzz_target!(
    init: watch::start(),
    |data: &[u8]| watch::run_on_big_stack(data, hardbop_fuzz::lower)
);

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    mutate::mutate(data, size, max_size, seed, WORDS)
});
