//! `posenc inspect`: what the heads of trained networks do with positions.

use crate::commands::devices::CellNetwork;
use inspect::analysis::Testing;
use inspect::{Options, inspect, terminal};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Cells, runs/<experiment>/<row>/seed-<n>, which the page sets side by side; or a run folder, of which every finished
    /// cell is inspected.
    #[arg(required = true, value_name = "CELL|RUN_DIR")]
    paths: Vec<PathBuf>,
    /// The folder to write [default: `inspect` in each cell's folder; the page of several in the first's or the run folder's].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Show the keys of this square, e.g. e4 (chess) or 5e (shogi) [default: the middle of the board].
    #[arg(long)]
    square: Option<String>,
    /// Show content, position part and attention also in this position: a FEN or SFEN, optionally followed by `moves …`;
    /// may be repeated.
    #[arg(long = "position", value_name = "FEN|SFEN")]
    asked: Vec<String>,
    /// Average maps over this many validation positions, at most an evaluation batch.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Name heads whose p-values, corrected for relations and heads, are below this.
    #[arg(long, default_value_t = 0.01, value_parser = level)]
    alpha: f64,
    /// Compare heads with this many networks with random weights, e.g. 120: a second p-value, in minutes; 0 leaves it out.
    #[arg(long, value_name = "N", default_value_t = 0)]
    controls: usize,
    /// Test heads also by the piece on the query or the key, in minutes.
    #[arg(long)]
    pieces: bool,
    /// Draw permutations and random weights with this seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Evaluate the cell without each part of its encodings on the test positions.
    #[arg(long)]
    ablate: bool,
    #[command(flatten)]
    network: CellNetwork,
}

fn level(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(level) if level > 0.0 && level < 1.0 => Ok(level),
        _ => Err("expected a number between 0 and 1".to_owned()),
    }
}

/// Inspects, and prints the heads of a cell or the rows of several, and the page's path.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (weights, device) = args.network.prepare()?;
    let options = Options {
        testing: Testing { alpha: args.alpha, controls: args.controls, pieces: args.pieces, seed: args.seed },
        positions: args.positions as usize,
        square: args.square.clone(),
        asked: args.asked.clone(),
        ablate: args.ablate,
        weights,
        device,
        out: args.out.clone(),
    };
    let written = inspect(&args.paths, &options, &mut |text| eprintln!("{text}"))?;
    let page = written.dir.join(inspect::output::PAGE_FILE);
    let text = format!("{}\npage: {}\n", terminal::text(&written.cells), page.display());
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
