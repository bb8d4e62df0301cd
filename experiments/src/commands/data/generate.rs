//! `posenc data generate`: datasets for whoever has none.

mod engines;
mod forced;
mod openings;
mod probe;
mod relabelled;

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
    /// Let a UCI or USI engine play against itself; keep its scores and, with MultiPV, soft policies.
    Engines(Box<engines::Args>),
    /// Find forced mates in a dataset's test games with an engine, as puzzles for `posenc eval`.
    ForcedLines(forced::Args),
    /// Play random openings, and keep those that an engine calls even, as a book for `posenc match`.
    Openings(openings::Args),
    /// Generate positions with exact labels from the rules: small tasks that separate encodings.
    Probe(probe::Args),
    /// Search test positions of a dataset again, with more nodes: labels against which losses on the old ones can be read.
    Relabelled(relabelled::Args),
}

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Engines(args) => engines::run(args),
        What::ForcedLines(args) => forced::run(args),
        What::Openings(args) => openings::run(args),
        What::Probe(args) => probe::run(args),
        What::Relabelled(args) => relabelled::run(args),
    }
}
