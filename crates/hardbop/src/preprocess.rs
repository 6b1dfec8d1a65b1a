//! Running `gcc -E`, and the options of the command line that are meant for it.

use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;

use clap::{Arg, ArgAction, ArgMatches, Args, FromArgMatches};
use hardbop_syntax::{PreprocessorOption, SyntaxOptions};

use crate::input::MAX_INPUT_BYTES;
use crate::{Failure, output};

/// The options `-I`, `-D` and `-U` in the order given, which matters: the last word on a macro counts.
#[derive(Debug, Clone, Default)]
pub struct Flags(Vec<PreprocessorOption>);

/// A flag: its identity, letter, the name of its value, what it is for, and what it becomes.
type Flag = (&'static str, char, &'static str, &'static str, fn(String) -> PreprocessorOption);

const FLAGS: [Flag; 3] = [
    ("include", 'I', "DIR", "Look for included files in DIR", PreprocessorOption::Include),
    ("define", 'D', "NAME[=VALUE]", "Define a macro", PreprocessorOption::Define),
    ("undefine", 'U', "NAME", "Undefine a macro", PreprocessorOption::Undefine),
];

impl Args for Flags {
    fn augment_args(command: clap::Command) -> clap::Command {
        FLAGS.iter().fold(command, |command, &(id, letter, value, help, _)| {
            let flag = Arg::new(id).short(letter).value_name(value).help(help);
            command.arg(flag.action(ArgAction::Append).help_heading("C"))
        })
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut placed: Vec<(usize, PreprocessorOption)> = Vec::new();
        for (id, .., make) in FLAGS {
            let values = matches.get_many::<String>(id).into_iter().flatten();
            let places = matches.indices_of(id).into_iter().flatten();
            placed.extend(places.zip(values).map(|(place, value)| (place, make(value.clone()))));
        }
        placed.sort_by_key(|&(place, _)| place);
        Ok(Flags(placed.into_iter().map(|(_, flag)| flag).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Flags {
    /// Whether a text without any directive needs preprocessing because of them.
    pub fn define_something(&self) -> bool {
        self.0.iter().any(|flag| !matches!(flag, PreprocessorOption::Include(_)))
    }

    /// The text of `file` after preprocessing. Its bytes are passed for standard input, `-`, which can
    /// be read only once.
    pub fn preprocess(
        &self,
        file: &Path,
        bytes: Vec<u8>,
        options: &SyntaxOptions,
    ) -> Result<Vec<u8>, Failure> {
        let from_stdin = file == Path::new("-");
        let arguments = hardbop_syntax::gcc_arguments(options, &self.0, &file.display().to_string());
        let mut gcc = Command::new("gcc");
        gcc.args(arguments).stdin(if from_stdin { Stdio::piped() } else { Stdio::null() });
        let failed = |error: io::Error| {
            let reason = format!("needs preprocessing, and gcc cannot be run: {}", output::say(&error));
            Failure::input(file, reason)
        };
        let child = gcc.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(failed)?;
        let done = exchange(child, bytes).map_err(failed)?;
        if done.text.len() as u64 > MAX_INPUT_BYTES {
            let reason = format!("larger than the limit of {MAX_INPUT_BYTES} bytes after preprocessing");
            return Err(Failure::input(file, reason));
        }
        if !done.success {
            output::report(&String::from_utf8_lossy(&done.messages));
            return Err(Failure::InputReported);
        }
        Ok(done.text)
    }
}

/// Stack of a thread that copies bytes.
const PIPE_STACK: usize = 1 << 18;

struct Done {
    success: bool,
    text: Vec<u8>,
    messages: Vec<u8>,
}

/// Feeds the child, reads what it says, one byte more than the limit at most, and waits for its end.
fn exchange(mut child: Child, bytes: Vec<u8>) -> io::Result<Done> {
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (mut text, mut messages) = (Vec::new(), Vec::new());
    let read = thread::scope(|scope| {
        let thread = || thread::Builder::new().stack_size(PIPE_STACK);
        // A child that does not read on has its reasons, and says them.
        thread().spawn_scoped(scope, || stdin.map(|mut pipe| pipe.write_all(&bytes)))?;
        let listen = || stderr.map(|pipe| pipe.take(MAX_INPUT_BYTES).read_to_end(&mut messages));
        thread().spawn_scoped(scope, listen)?;
        let read = stdout.map(|pipe| pipe.take(MAX_INPUT_BYTES + 1).read_to_end(&mut text));
        read.transpose()
    });
    if let Err(error) = read {
        // If no thread can be started, for instance: the child must not be left running.
        let _ = child.kill();
        let _ = child.wait();
        return Err(error);
    }
    // Both pipes are closed by now, so a child that wanted to say more than is wanted ends as well.
    let success = child.wait()?.success();
    Ok(Done { success, text, messages })
}
