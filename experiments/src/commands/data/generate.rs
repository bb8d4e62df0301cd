//! `posenc data generate`: datasets without records.

mod probe;

use crate::labs::GenerateCommand;
use clap::Subcommand;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Generate positions with exact labels from the rules: small tasks that separate encodings.
    Probe(probe::Args),
    #[command(flatten)]
    Lab(GenerateCommand),
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Probe(args) => probe::run(args),
        What::Lab(command) => command.run(),
    }
}
