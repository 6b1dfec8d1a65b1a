//! Prints the typed syntax tree of a C file: `dump FILE [-m32] [-std=…]`.

#![allow(clippy::print_stdout, reason = "a program for the terminal")]

use hardbop_base::{DataModel, Sources};
use hardbop_syntax::SyntaxOptions;

fn main() {
    let mut options = SyntaxOptions::new(DataModel::Lp64);
    let mut files = Vec::new();
    for argument in std::env::args().skip(1) {
        if argument == "-m32" {
            options.data_model = DataModel::Ilp32;
        } else if let Some(flag) = argument.strip_prefix("-std=") {
            options = options.clone().with_standard(flag).unwrap_or(options);
        } else {
            files.push(argument);
        }
    }
    for file in files {
        match std::fs::read(&file) {
            Ok(bytes) => show(&file, &bytes, &options),
            Err(error) => println!("{file}: {error}"),
        }
    }
}

fn show(name: &str, bytes: &[u8], options: &SyntaxOptions) {
    let mut sources = Sources::new();
    let (_, result) = hardbop_syntax::parse_bytes(&mut sources, name, bytes, options);
    match result {
        Ok((unit, warnings)) => print!("{}{}", warnings.render(&sources), hardbop_syntax::dump(&unit)),
        Err(errors) => print!("{}", errors.render(&sources)),
    }
}
