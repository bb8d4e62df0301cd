//! `posenc inspect`: what the heads of trained networks do with positions.

use crate::commands::devices::{parse_device, prepare};
use config::Weights;
use inspect::analysis::Testing;
use inspect::{Options, inspect, tables};
use records::plan;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use tch::Device;
use train::environment::use_threads;

/// Options of `posenc inspect`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A cell's folder, runs/<experiment>/<row>/seed-<n>, or a run folder, of which every finished cell is inspected.
    path: PathBuf,
    /// The folder to write [default: `inspect` in the cell's folder; for a run folder in each cell's, tables in its own].
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Show the keys of this square, e.g. e4 (chess) or 5e (shogi) [default: the middle of the board].
    #[arg(long)]
    square: Option<String>,
    /// Show content, position part and attention in this position: a FEN or SFEN, optionally followed by `moves …`.
    #[arg(long, value_name = "FEN|SFEN")]
    position: Option<String>,
    /// Average maps over this many validation positions, at most an evaluation batch.
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Name heads whose p-values, corrected for relations and heads, are below this.
    #[arg(long, default_value_t = 0.01, value_parser = level)]
    alpha: f64,
    /// Compare with this many networks with random weights; 0 leaves the comparison out.
    #[arg(long, value_name = "N", default_value_t = 120)]
    controls: usize,
    /// Draw permutations and random weights with this seed.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Evaluate the cell without each part of its encodings on the test positions.
    #[arg(long)]
    ablate: bool,
    /// Use the averaged weights of a run that averages them.
    #[arg(long)]
    averaged: bool,
    /// The device: cpu, cuda or cuda:N.
    #[arg(long, default_value = "cpu", value_parser = parse_device)]
    device: Device,
}

fn level(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(level) if level > 0.0 && level < 1.0 => Ok(level),
        _ => Err("expected a number between 0 and 1".to_owned()),
    }
}

/// Inspects, and prints the table of heads, or of a run folder the table over seeds.
///
/// # Errors
/// If an option does not fit, a cell cannot be loaded, or a file cannot be written.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    prepare(args.device)?;
    use_threads(1);
    let options = Options {
        testing: Testing { alpha: args.alpha, controls: args.controls, seed: args.seed },
        positions: args.positions as usize,
        square: args.square.clone(),
        position: args.position.clone(),
        ablate: args.ablate,
        weights: if args.averaged { Weights::Averaged } else { Weights::Raw },
        device: args.device,
        out: args.out.clone(),
    };
    let written = inspect(&args.path, &options, &mut |text| eprintln!("{text}"))?;
    let is_grid = args.path.join(plan::FILE).is_file();
    let table = match &written.cells[..] {
        [cell] if !is_grid => tables::heads(&cell.heads, cell.alpha),
        cells => tables::seeds(cells),
    };
    let text = format!("{}\n\n{}\n", table.text(), written.dir.join(inspect::output::PAGE_FILE).display());
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
