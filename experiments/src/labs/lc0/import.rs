//! `posenc data import-net`: a network of Lc0 as a cell.

use crate::commands::devices::prepare;
use crate::commands::version;
use anyhow::Context as _;
use lc0::cell;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use tch::Device;
use train::environment::ensure_passive_threads;
use train::{CellOptions, run_cell};

/// Options of `posenc data import-net`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The weights file, Lc0's .pb.gz.
    file: PathBuf,
    /// The cell's folder to write, e.g. runs/lc0/maia-1100/seed-0.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Also evaluate it on this dataset's validation and test positions.
    #[arg(long, value_name = "DATASET")]
    data: Option<PathBuf>,
    /// Skip a part of the file that posenc cannot represent, as named in the error message; may be repeated.
    #[arg(long, value_name = "PART")]
    without: Vec<String>,
    /// OpenMP threads of the evaluation.
    #[arg(long, default_value_t = 1)]
    threads: usize,
}

/// Imports, and says what it is.
pub(crate) fn run(args: &Args) -> anyhow::Result<String> {
    ensure_passive_threads().context("cannot start again with OMP_WAIT_POLICY=PASSIVE")?;
    let imported =
        lc0::read(&args.file, &args.without).with_context(|| format!("{} is not imported", args.file.display()))?;
    let data = args.data.as_deref().map(std::path::absolute).transpose()?;
    if let Some(data) = &data {
        dataset::Dataset::open(data)?;
    }
    let run = cell::run_of(&imported, &args.file, data.as_deref())?;
    cell::write(&imported, &run, &args.out)?;
    let network = [serde_json::to_string(&run.model)?, serde_json::to_string(&run.encoding)?].join("\n");
    let mut text = format!("{}\n{network}\n", args.out.display());
    if data.is_some() {
        prepare(Device::Cpu)?;
        let revision = Some(version::revision());
        let options = CellOptions {
            threads: args.threads,
            device: Device::Cpu,
            smoke: false,
            force: false,
            revision,
            ranks: None,
            is_locked: false,
        };
        run_cell(&args.out, &options, Vec::new(), &mut |note| eprintln!("{note}"), &AtomicBool::new(false))?;
        let _ = writeln!(text, "evaluated; the numbers are in {}", args.out.join("metrics.jsonl").display());
    }
    Ok(text)
}
