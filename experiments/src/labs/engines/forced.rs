//! `posenc data generate forced-lines`.

use crate::commands::options::cores;
use crate::commands::show::parse_game;
use anyhow::Context as _;
use engines::EngineSettings;
use engines::forced::{ForcedLine, ForcedSettings, MULTI_PV, csv, forced_lines};
use games::GameKind;
use std::collections::BTreeMap;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The game: chess takes UCI engines, shogi USI engines.
    #[arg(long, value_parser = parse_game)]
    game: GameKind,
    /// Search the ends of the test games of this dataset.
    #[arg(long, value_name = "DIR")]
    from: PathBuf,
    /// The engine's program (`scripts/engines` installs /usr/games/stockfish and /usr/games/fairy-stockfish).
    #[arg(long, value_name = "PATH")]
    engine: PathBuf,
    /// Nodes of each search.
    #[arg(long, value_name = "N", default_value = "100000")]
    nodes: NonZeroU64,
    /// Keep at most this many lines of a length.
    #[arg(long, value_name = "N", default_value = "100")]
    per_length: NonZeroUsize,
    /// Number of engine processes [default: one per core]. The lines do not depend on it.
    #[arg(long, value_name = "N")]
    processes: Option<NonZeroUsize>,
    /// Write the lines to this file, with the columns of Lichess' puzzles; it must not exist yet.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(!args.out.exists(), "{} exists already; name another file with --out", args.out.display());
    let engine = EngineSettings::new(&args.engine, args.game, MULTI_PV, Duration::from_secs(60));
    let settings = ForcedSettings {
        game: args.game,
        from: args.from.clone(),
        engine,
        nodes: args.nodes.get(),
        processes: args.processes.map_or_else(cores, NonZeroUsize::get),
        per_length: args.per_length.get(),
    };
    let lines = forced_lines(&settings)?;
    std::fs::write(&args.out, csv(&lines)).with_context(|| format!("cannot write {}", args.out.display()))?;
    let mut lengths: BTreeMap<usize, usize> = BTreeMap::new();
    lines.iter().map(ForcedLine::plies).for_each(|plies| *lengths.entry(plies).or_default() += 1);
    let counts: Vec<String> = lengths.into_iter().map(|(plies, count)| format!("{count} of {plies} plies")).collect();
    println!("{} lines: {}", lines.len(), counts.join(", "));
    Ok(ExitCode::SUCCESS)
}
