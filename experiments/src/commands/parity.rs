//! `posenc parity`: outputs of networks with random weights, for comparing implementations and devices.

use super::devices::{parse_device, prepare};
use super::options::{by_name, json_text};
use config::{Dtype, Experiment, Row, RunConfig};
use dataset::{Dataset, Split};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use tch::Device;
use train::TrainError;
use train::environment::use_threads;
use train::inference::export::{self, ExportFolder};
use train::inference::{Loaded, gradient, positions};
use train::setup::open_data;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The experiment file; it is not trained.
    file: PathBuf,
    /// The folder to write; it must not exist yet.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The seed of all weights.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    random: u64,
    /// Also write this many steps of the optimiser.
    #[arg(long, value_name = "N", default_value_t = 0)]
    steps: u64,
    /// The device: cpu, cuda or cuda:N.
    #[arg(long, default_value = "cpu", value_parser = parse_device)]
    device: Device,
    /// The element type of matrix products in the forward pass; gradients and steps stay f32.
    #[arg(long, value_parser = by_name("types", &[Dtype::F32, Dtype::Bf16], Dtype::name), default_value = "f32")]
    dtype: Dtype,
}

/// The list of the rows, in the folder.
const ROWS_FILE: &str = "rows.json";

/// Test positions that each row is asked about.
const POSITIONS: usize = 12;

/// Writes an export with its gradient for every row, and the list of them.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    prepare(args.device)?;
    use_threads(1);
    let experiment = Experiment::load(&args.file)?;
    let folder = ExportFolder::begin(&args.out)?;
    let mut opened: Option<(RunConfig, Arc<Dataset>)> = None;
    let mut listed: Vec<Value> = Vec::new();
    for row in &experiment.rows {
        let dataset = match &opened {
            Some((run, dataset)) if same_dataset(run, &row.run) => Arc::clone(dataset),
            _ => Arc::new(open_data(&row.run)?),
        };
        opened = Some((row.run.clone(), Arc::clone(&dataset)));
        let name = row.folder();
        write(args, row, &dataset, &folder.path().join(&name))?;
        listed.push(json!({"folder": name, "label": row.label, "game": row.run.game.name()}));
    }
    let path = folder.path().join(ROWS_FILE);
    let cause = |cause| TrainError::File { action: "write", path: path.clone(), cause };
    std::fs::write(&path, json_text(&listed)?).map_err(cause)?;
    folder.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// Whether two runs read the same dataset in the same way.
fn same_dataset(opened: &RunConfig, next: &RunConfig) -> bool {
    let read = |run: &RunConfig| {
        let data = (run.data.clone(), run.test_data.clone(), run.generate.clone());
        (data, run.view.clone(), run.moves, run.outputs())
    };
    read(opened) == read(next)
}

fn write(args: &Args, row: &Row, dataset: &Arc<Dataset>, out: &std::path::Path) -> Result<(), TrainError> {
    let mut cell = Loaded::random(row.run.clone(), args.random, args.device)?;
    cell.kind = args.dtype.kind();
    let lines = dataset.lines(Split::Test, POSITIONS, row.run.input)?.join("\n");
    let requests = positions::read_lines(&lines, &dataset.manifest().name, row.run.game, row.run.input, row.run.moves)?;
    let folder = ExportFolder::begin(out)?;
    export::write(&cell, &requests, &folder)?;
    let batch = gradient::first_batch(&cell, dataset)?;
    gradient::write(&cell, &batch, folder.path())?;
    if args.steps > 0 {
        gradient::write_steps(&mut cell, &batch, args.steps, folder.path())?;
    }
    folder.finish()
}
