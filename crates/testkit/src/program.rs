//! C programs with predicates about them.

mod driver;
mod random;

pub use driver::driver;
pub use random::random;

use std::fmt::Write;

/// A C program and predicates about it, in the order in which they may be added.
#[derive(Debug, Clone)]
pub struct Subject {
    /// The program. It needs no preprocessor.
    pub text: String,
    /// The function that a predicate belongs to, or nothing for all of them, and its text.
    pub predicates: Vec<(Option<String>, String)>,
}

impl Subject {
    /// A file of the first so many predicates.
    pub fn predicate_file(&self, count: usize) -> String {
        let mut file = String::new();
        for (owner, text) in self.predicates.iter().take(count) {
            let scope = owner.as_ref().map_or("global".to_owned(), |name| format!("proc {name}"));
            let _ = writeln!(file, "{scope}: {text};");
        }
        file
    }
}
