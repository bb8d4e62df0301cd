//! `posenc data`: makes datasets and looks at them.

mod display;
mod export;
mod filters;
mod generate;
mod import;
mod import_net;
mod info;
mod remake;
mod split;
mod verify;

use clap::Subcommand;
use dataset::Counts;
use spec::grouped;
use spec::open_dataset;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use train::signals::report_size_limits;

/// Options of `posenc data`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a dataset of records: PGN, Lc0 chunks, bags (chess), CSA, KIF, USI, HCPE, HCPE3, PSV (shogi), plain or packed.
    Import(Box<import::Args>),
    /// Make a cell of a network of Lc0, to be asked, exported and compared.
    ImportNet(import_net::Args),
    /// Make a dataset without records: engines play games.
    Generate(generate::Args),
    /// What is in a dataset.
    Info {
        /// The dataset's folder.
        dir: PathBuf,
        /// One JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Check a dataset from the ground up: hashes, legality of every move, what the splits share.
    Verify(verify::Args),
    /// Split a dataset in another way, by game or by opening: makes a new one.
    Split(remake::SplitCommand),
    /// Make one dataset of several.
    Merge(remake::MergeCommand),
    /// Make one row of equal positions: mean policy, value and result.
    Average(remake::AverageCommand),
    /// Write a dataset in a format of other programs.
    Export(export::Args),
}

/// Does it.
///
/// # Errors
/// If a dataset cannot be made, opened or replayed.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    report_size_limits();
    let text = match &args.action {
        Action::Import(args) => return import::run(args),
        Action::Generate(args) => return generate::run(args),
        Action::Info { dir, json } => {
            let info = dataset::summarise(&open_dataset(dir)?)?;
            if *json { format!("{:#}\n", serde_json::to_value(&info)?) } else { info::text(&info) }
        }
        Action::Verify(args) => verify::run(args)?,
        Action::Split(args) => remake::split(args)?,
        Action::Merge(args) => remake::merge(args)?,
        Action::Average(args) => remake::average(args)?,
        Action::Export(args) => export::run(args)?,
        Action::ImportNet(args) => import_net::run(args)?,
    };
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The first line about a dataset that was made.
fn headline(folder: &Path, counts: &Counts) -> String {
    format!("{}: {} games with {} positions\n", folder.display(), grouped(counts.kept), grouped(counts.positions))
}
