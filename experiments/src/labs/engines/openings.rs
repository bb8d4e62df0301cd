//! `posenc data generate openings`.

use crate::commands::show::parse_game;
use anyhow::Context as _;
use engines::EngineSettings;
use engines::balanced::{BalancedSettings, balanced_openings};
use games::GameKind;
use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The game: chess takes UCI engines, shogi USI engines.
    #[arg(long, value_parser = parse_game)]
    game: GameKind,
    /// The engine that judges (`scripts/engines` installs /usr/games/stockfish and /usr/games/fairy-stockfish).
    #[arg(long, value_name = "PATH")]
    engine: PathBuf,
    /// Nodes of each search.
    #[arg(long, value_name = "N", default_value = "20000")]
    nodes: NonZeroU64,
    /// Play between A and B random plies from the start.
    #[arg(long, value_name = "A..B", default_value = "4..10", value_parser = config::evaluate::range)]
    plies: (u16, u16),
    /// Keep openings that the engine scores within this many centipawns of even.
    #[arg(long, value_name = "CP", default_value_t = 100)]
    within: u16,
    /// Number of openings.
    #[arg(long, value_name = "N", default_value = "100")]
    count: NonZeroUsize,
    /// The seed of the random plies.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
    /// Write the openings to this file, one a line; it must not exist yet.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(!args.out.exists(), "{} exists already; name another file with --out", args.out.display());
    let settings = BalancedSettings {
        game: args.game,
        engine: EngineSettings::new(&args.engine, args.game, 1, Duration::from_secs(60)),
        nodes: args.nodes.get(),
        plies: args.plies,
        within: args.within.into(),
        count: args.count.get(),
        seed: args.seed,
    };
    let mut progress = |found: usize| {
        if found.is_multiple_of(100) {
            eprintln!("{found} of {} openings", args.count);
        }
    };
    let lines = balanced_openings(&settings, &mut progress)?;
    std::fs::write(&args.out, lines.join("\n") + "\n")
        .with_context(|| format!("cannot write {}", args.out.display()))?;
    println!("{} openings", lines.len());
    Ok(ExitCode::SUCCESS)
}
