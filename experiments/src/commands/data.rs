//! `posenc data`: makes datasets and looks at them.

mod import;
mod info;

use crate::config::open_dataset;
use clap::Subcommand;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `posenc data`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a dataset of game records: PGN (chess) or CSA (shogi), plain or compressed with zstd.
    Import(import::Args),
    /// What is in a dataset.
    Info {
        /// The dataset's folder.
        dir: PathBuf,
        /// One JSON object instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Check that a dataset's files are the ones that it describes, and that every game can be replayed.
    Verify {
        /// The dataset's folder.
        dir: PathBuf,
    },
}

/// Does it.
///
/// # Errors
/// If a dataset cannot be made, opened or replayed.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let text = match &args.action {
        Action::Import(args) => return import::run(args),
        Action::Info { dir, json } => {
            let info = dataset::summarise(&open_dataset(dir)?)?;
            if *json { format!("{:#}\n", serde_json::to_value(&info)?) } else { info::text(&info) }
        }
        Action::Verify { dir } => {
            let info = dataset::summarise(&open_dataset(dir)?)?;
            let (name, shards) = (&info.manifest.name, info.manifest.shards.len());
            format!("{name} is whole: {shards} shards, {} games replayed\n", info.manifest.counts.kept)
        }
    };
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
