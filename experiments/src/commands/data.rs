//! `posenc data`: makes, inspects and checks datasets.

mod agreement;
mod baselines;
pub(crate) mod display;
mod export;
mod filters;
mod generate;
mod import;
pub(crate) mod info;
mod recipe;
mod remake;
pub(crate) mod split;
mod verify;

use super::options::{json_text, print};
use crate::labs::DataCommand;
use clap::Subcommand;
use config::printable_lines;
use dataset::Dataset;
use display::shown;
use std::path::PathBuf;
use std::process::ExitCode;
use train::signals::report_size_limits;

#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Convert records to a dataset: PGN, Lc0 chunks, bags, Lichess' evaluations (chess), CSA, KIF, USI, HCPE, HCPE3, PSV (shogi), plain or
    /// compressed.
    Import(Box<import::Args>),
    /// Public sets that people have: where they are, what they lose, how to import them.
    Recipe(recipe::Args),
    /// Generate a dataset: engines play games, or solvers label positions.
    Generate(generate::Args),
    /// Show the content of a dataset.
    Info {
        /// The dataset's folder.
        dir: PathBuf,
        /// Print one JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Measure policies without a network: a uniform choice, a static prior, a log-linear model.
    Baselines(baselines::Args),
    /// Compare the policies of the test positions that two datasets share.
    Agreement(agreement::Args),
    /// Check a dataset: hashes, the legality of every move, overlaps of the splits.
    Verify(verify::Args),
    /// Split a dataset differently, by game or by opening, into a new dataset.
    Split(remake::SplitCommand),
    /// Join several datasets into one.
    Merge(remake::MergeCommand),
    /// Merge equal positions into one row: mean policy, value and result.
    Average(remake::AverageCommand),
    /// Write a dataset in the format of another program.
    Export(export::Args),
    #[command(flatten)]
    Lab(DataCommand),
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    report_size_limits();
    let text = match &args.action {
        Action::Import(args) => import::run(args)?,
        Action::Recipe(args) => recipe::run(args)?,
        Action::Generate(args) => return generate::run(args),
        Action::Info { dir, json } => {
            let info = dataset::summarise(&shown(|progress| Dataset::open_shown(dir, progress))?)?;
            if *json { json_text(&info)? } else { printable_lines(&info::text(&info)) }
        }
        Action::Baselines(args) => baselines::run(args)?,
        Action::Agreement(args) => agreement::run(args)?,
        Action::Verify(args) => verify::run(args)?,
        Action::Split(args) => remake::split(args)?,
        Action::Merge(args) => remake::merge(args)?,
        Action::Average(args) => remake::average(args)?,
        Action::Export(args) => export::run(args)?,
        Action::Lab(command) => command.run()?,
    };
    print(&text)
}
