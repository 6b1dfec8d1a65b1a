//! `hardbop man`: manual pages made from the argument definitions, one per subcommand.

use clap::{Args, CommandFactory};

use crate::{Cli, Exit, Failure, output};

/// The arguments of `man`.
#[derive(Debug, Args)]
pub struct Man {
    /// The subcommand to describe, instead of hardbop as a whole
    command: Option<String>,
}

impl Man {
    pub(super) fn run(self) -> Result<Exit, Failure> {
        let mut hardbop = Cli::command();
        hardbop.build();
        let described = match self.command {
            None => hardbop,
            Some(name) => match hardbop.find_subcommand(&name) {
                Some(found) => found.clone(),
                None => return Err(Failure::Usage(format!("there is no subcommand `{name}`"))),
            },
        };
        let mut page = Vec::new();
        match clap_mangen::Man::new(described).render(&mut page) {
            Ok(()) => output::print(page).map(|()| Exit::Ok),
            Err(error) => Err(Failure::Usage(format!("cannot make the manual page: {error}"))),
        }
    }
}
