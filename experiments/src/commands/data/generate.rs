//! `posenc data generate`: datasets for whoever has none.

mod engines;
mod probe;

use clap::Subcommand;
use std::process::ExitCode;

/// Options of `posenc data generate`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Games that a UCI or USI engine plays against itself, with its scores and, by MultiPV, soft policies.
    Engines(Box<engines::Args>),
    /// Positions with a known right answer, by the rules alone: small tasks that tell encodings apart.
    Probe(probe::Args),
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Engines(args) => engines::run(args),
        What::Probe(args) => probe::run(args),
    }
}
