//! `posenc task`: one task of a Slurm array, which trains one cell as `posenc run` would; `submit` writes it into scripts.

use crate::commands::devices::{ensure_passive_threads, parse_device, prepare};
use crate::commands::run::repair_events;
use anyhow::{Context as _, ensure};
use grid::progress::GridProgress;
use grid::{Interrupt, Outcome, RunLimits, Scheduler, Task, Worker};
use slurm::{TIME_RAN_OUT, requeue};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use tch::Device;
use train::setup::device_name;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The experiment's run folder.
    #[arg(long)]
    run_dir: PathBuf,
    /// The list of cells.
    #[arg(long)]
    cells: PathBuf,
    /// The cell's place in the list, from 0.
    #[arg(long)]
    index: usize,
    /// Threads inside an operation.
    #[arg(long, default_value = "1")]
    threads: NonZeroUsize,
    /// Processes that divide each step of the cell.
    #[arg(long, default_value = "1")]
    ranks: NonZeroUsize,
    /// Where to compute: the devices of the ranks.
    #[arg(long, value_delimiter = ',', default_value = "cpu", value_parser = parse_device)]
    devices: Vec<Device>,
    /// The number of restarts up to which the task is requeued again.
    #[arg(long, default_value_t = 0)]
    max_requeues: u32,
}

/// Trains the cell; goes back into the queue if its time ran out.
/// A failed cell gives exit code 1.
pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    ensure_passive_threads()?;
    let interrupt = Interrupt::install().context("cannot listen to signals")?;
    args.devices.iter().try_for_each(|&device| prepare(device))?;
    let task = cell(args)?;
    let devices = args.devices.iter().map(|&device| device_name(device)).collect();
    let mut worker = Worker::this_program(args.threads.get(), devices).context("cannot find this program itself")?;
    worker.ranks = args.ranks.get();
    let limits = RunLimits { retries: 1, ..RunLimits::default() };
    let scheduler = Scheduler { worker: &worker, jobs: 1, fail_fast: false, interrupt: &interrupt, limits };
    let tasks = [task];
    let outcomes = scheduler.run(&tasks, &mut GridProgress::lines(&tasks, std::io::stderr()));
    interrupt.release();
    repair_events(&tasks, &outcomes);
    let well = outcomes.iter().all(Outcome::is_finished);
    let stopped = outcomes.iter().any(Outcome::is_unfinished);
    let mut note = |text: &str| eprintln!("{text}");
    if stopped && interrupt.time_runs_out() && !requeue(args.max_requeues, &mut note)? {
        return Ok(ExitCode::from(TIME_RAN_OUT));
    }
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

fn cell(args: &Args) -> anyhow::Result<Task> {
    let list = std::fs::read_to_string(&args.cells).with_context(|| format!("cannot read {}", args.cells.display()))?;
    let lines = list.lines().count();
    let name = list.lines().nth(args.index);
    let name = name.with_context(|| format!("{} has {lines} cells, none at {}", args.cells.display(), args.index))?;
    let dir = args.run_dir.join(name);
    ensure!(dir.is_dir(), "there is no cell {}; submit the experiment again", dir.display());
    Ok(Task { name: name.to_owned(), dir, config: None })
}
