//! `posenc export`: a cell's network for other programs.

mod onnx;

use self::onnx::Form;
use super::devices::CellNetwork;
use super::options::print;
use crate::labs::ExportFormat;
use anyhow::Context as _;
use config::grouped;
use dataset::{Split, bounded};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use train::TrainError;
use train::inference::activations::{ACTIVATIONS_FILE, activations};
use train::inference::cell::config_of;
use train::inference::export::{self, ExportFolder};
use train::inference::{Loaded, Request, gradient, positions, tensors_file};
use train::setup::open_data;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The cell's folder: runs/<experiment>/<row>/seed-<n>.
    cell: PathBuf,
    /// The folder to write; it must not exist yet.
    #[arg(long, value_name = "DIR", required_unless_present = "format_of_lab")]
    out: Option<PathBuf>,
    #[command(flatten)]
    format: ExportFormat,
    /// Positions whose inputs and outputs are written: per line a FEN, SFEN or `startpos`, followed by `moves …` for
    /// the history. Default: some test positions of the cell's dataset.
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Replace the weights by random ones of this seed, none of them zero, for comparing implementations.
    #[arg(long, value_name = "SEED", conflicts_with = "averaged")]
    random: Option<u64>,
    /// Also write a training batch, its losses and their gradient.
    #[arg(long)]
    gradient: bool,
    /// Also write the residual stream, attention weights and parts of the logits of every layer.
    #[arg(long)]
    activations: bool,
    /// Write the activations of these layers only, from 0, e.g. 0,3.
    #[arg(long, value_name = "N,…", value_delimiter = ',', requires = "activations")]
    layers: Option<Vec<usize>>,
    /// Also write network.onnx; `--onnx=FORM` says what it reads. It is made by the Python package posenc-torch
    /// (labs/torch), with $POSENC_TORCH_PYTHON or python3.
    #[arg(long, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "usual")]
    onnx: Option<Form>,
    #[command(flatten)]
    network: CellNetwork,
}

/// Test positions in a folder where no others are named.
const POSITIONS: usize = 12;

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (weights, device) = args.network.prepare()?;
    let config = config_of(&args.cell)?;
    let onnx = args.onnx.map(|form| form.of(&config)).transpose()?;
    let cell = match args.random {
        Some(seed) => Loaded::random(config, seed, device)?,
        None => Loaded::cell(&args.cell, weights, device)?,
    };
    let text = match (args.format.chosen(), &args.out) {
        (Some((file, write, check)), _) => {
            let is_idle = args.positions.is_some() && check.is_none();
            anyhow::ensure!(!is_idle, "--positions has no effect without --check: add it, or leave --positions out");
            let requests = check.map(|count| requests(args, &cell, count)).transpose()?;
            write(&cell, file, requests.as_deref())?
        }
        (None, Some(out)) => write_folder(args, &cell, out, onnx)?,
        (None, None) => unreachable!("clap requires --out or the format of a lab"),
    };
    print(&text)
}

/// Writes the folder; returns what to say about it.
fn write_folder(args: &Args, cell: &Loaded, out: &Path, onnx: Option<Form>) -> anyhow::Result<String> {
    let folder = ExportFolder::begin(out)?;
    let requests = requests(args, cell, POSITIONS)?;
    export::write(cell, &requests, &folder)?;
    if args.gradient {
        let dataset = Arc::new(open_data(&cell.config).context("--gradient takes a batch of the cell's dataset")?);
        gradient::write(cell, &gradient::first_batch(cell, &dataset)?, folder.path())?;
    }
    if args.activations {
        let activations = activations(cell, &requests, args.layers.as_deref())?;
        tensors_file::write(&folder.path().join(ACTIVATIONS_FILE), &activations)?;
    }
    folder.finish()?;
    if let Some(form) = onnx {
        form.write(out)?;
    }
    let network = onnx.map_or_else(String::new, |form| form.described(&cell.config));
    let (parameters, positions) = (grouped(cell.layout().total() as u64), requests.len());
    Ok(format!("{}: {parameters} parameters from {}; {positions} positions\n{network}", out.display(), cell.origin))
}

/// The positions that are named, or this many test positions.
fn requests(args: &Args, cell: &Loaded, count: usize) -> anyhow::Result<Vec<Request>> {
    let (game, input, moves) = (cell.config.game, cell.config.input, cell.config.moves);
    if let Some(path) = &args.positions {
        return Ok(positions::read_lines(&read(path)?, &path.display().to_string(), game, input, moves)?);
    }
    let dataset = open_data(&cell.config).context("the default positions; --positions names others")?;
    let lines = dataset.lines(Split::Test, count, input)?.join("\n");
    Ok(positions::read_lines(&lines, &dataset.manifest().name, game, input, moves)?)
}

/// The text of a file with a position a line.
pub(super) fn read(path: &Path) -> Result<String, TrainError> {
    let text = File::open(path).and_then(|file| bounded::read_stream(file, bounded::TEXT));
    text.map_err(|cause| TrainError::File { action: "read", path: path.to_owned(), cause })
}
