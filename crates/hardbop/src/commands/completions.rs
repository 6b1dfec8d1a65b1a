//! `hardbop completions`: a completion script made from the argument definitions.

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::{Cli, Exit, Failure, output};

/// The arguments of `completions`.
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell to complete for
    shell: Shell,
}

impl Completions {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let mut script = Vec::new();
        generate(self.shell, &mut Cli::command(), "hardbop", &mut script);
        output::print(script)?;
        Ok(Exit::Ok)
    }
}
