//! `posenc cell`: trains one cell in this process; `posenc run` starts it.

use crate::commands::devices::{ensure_environment, parse_device};
use crate::commands::version;
use anyhow::{Context as _, bail, ensure};
use config::RunConfig;
use records::folder::CONFIG_FILE;
use records::identity::assignments;
use records::machine::{Cpu, LibTorch};
use records::{MetricLine, Part};
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tch::Device;
use train::environment::{arithmetic, use_threads};
use train::ranks::{self, MOST_RANKS, RankId, Ranks};
use train::sinks::{Sink, progress};
use train::{CellOptions, CellOutcome, inference, run_cell, signals};

/// Checks the number of ranks of a cell, and that each gets a GPU if they compute on `gpus`.
pub(crate) fn check_ranks(ranks: NonZeroUsize, gpus: usize) -> anyhow::Result<()> {
    ensure!(ranks.is_power_of_two(), "--ranks {ranks}: write a power of two, such as 2, 4 or 8");
    ensure!(ranks.get() <= MOST_RANKS, "--ranks {ranks}: a cell has at most {MOST_RANKS}");
    ensure!(
        gpus.is_multiple_of(ranks.get()),
        "--ranks {ranks}: name a GPU for each rank, as in --devices cuda:0,cuda:1; there are {gpus}"
    );
    Ok(())
}

/// Checks that the ranks of a cell can share its micro-batches, as far as its settings give their number.
pub(crate) fn check_shares(cell: &Path, ranks: NonZeroUsize) -> anyhow::Result<()> {
    Ok(ranks::check_shares(&inference::cell::config_of(cell)?, ranks.get())?)
}

/// The option of a process that is one of several ranks.
pub(crate) const RANKED: &str = "--ranked";

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The cell's folder, which holds its config.yaml.
    #[arg(long)]
    dir: PathBuf,
    /// Threads inside an operation; another number changes the bits of the result.
    #[arg(long, default_value = "1")]
    threads: NonZeroUsize,
    /// The device: cpu, cuda or cuda:N. Of several, ranks take those of their numbers on this machine.
    #[arg(long, value_delimiter = ',', default_value = "cpu", value_parser = parse_device)]
    device: Vec<Device>,
    /// Run only a few steps and a small evaluation.
    #[arg(long)]
    smoke: bool,
    /// Stop at a checkpoint, as after a signal, once this step is logged.
    #[arg(long, value_name = "STEP")]
    stop_after: Option<u64>,
    /// Resume even if the bits will differ from an undisturbed run.
    #[arg(long)]
    force: bool,
    /// Take a share of each step: this process is one of several ranks, which the variables of its launcher number.
    #[arg(long)]
    ranked: bool,
    /// Take no lock of the cell's folder: the process that starts this one has it.
    #[arg(long)]
    locked: bool,
}

impl Args {
    /// Of a rank that a launcher started.
    pub(super) fn ranked(dir: PathBuf, device: Vec<Device>, threads: NonZeroUsize, force: bool) -> Self {
        Self { dir, threads, device, smoke: false, stop_after: None, force, ranked: true, locked: false }
    }
}

/// Trains. Progress and notes go to stderr, which `posenc run` keeps as the cell's log.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    // If it cannot be read, training reports the error.
    let run = RunConfig::read(&args.dir.join(CONFIG_FILE));
    let needed = "--ranked is for processes that torchrun, srun, mpirun or `posenc run --ranks` starts";
    let rank_id = if args.ranked { Some(RankId::of_environment()?.context(needed)?) } else { None };
    let device = match (&rank_id, &args.device[..]) {
        (Some(rank_id), devices) => rank_id.device(devices)?,
        (None, [device]) => *device,
        (None, _) => bail!("--device: name one, or add {RANKED}"),
    };
    ensure_environment(device, run.iter())?;
    signals::report_size_limits();
    let stop = signals::stop_flag().context("cannot listen to signals")?;
    super::devices::prepare(device)?;
    let options = CellOptions {
        threads: args.threads.get(),
        device,
        smoke: args.smoke,
        force: args.force,
        revision: Some(version::revision()),
        ranks: rank_id.map(|rank_id| ranks(args, &rank_id, device)).transpose()?.flatten(),
        is_locked: args.locked,
    };
    let is_first = options.ranks.as_ref().is_none_or(|ranks| ranks.is_first());
    if let Some(text) = options.ranks.as_ref().filter(|_| is_first).and_then(|ranks| ranks.between_gpus()) {
        eprintln!("{text}");
    }
    let mut note = |text: &str| eprintln!("{text}");
    let mut sinks: Vec<Box<dyn Sink>> = run.iter().map(|run| progress::on_stderr(run.train.steps)).collect();
    if let Some(step) = args.stop_after {
        sinks.push(Box::new(StopAfter { step, stop: Arc::clone(&stop) }));
    }
    match run_cell(&args.dir, &options, sinks, &mut note, &stop)? {
        CellOutcome::Interrupted { .. } if is_first => Ok(ExitCode::from(1)),
        // The other ranks have done their part.
        CellOutcome::Interrupted { .. } | CellOutcome::Done | CellOutcome::AlreadyDone => Ok(ExitCode::SUCCESS),
    }
}

/// The other ranks, if there are any.
fn ranks(args: &Args, rank_id: &RankId, device: Device) -> anyhow::Result<Option<Arc<Ranks>>> {
    if rank_id.size == 1 {
        return Ok(None);
    }
    use_threads(args.threads.get());
    let path = args.dir.join(CONFIG_FILE);
    let config = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let variables = arithmetic(device);
    let about = format!(
        "revision {}, LibTorch {}, {}, {}{} threads, {}cell {}{}",
        version::revision(),
        LibTorch::detect().version.as_deref().unwrap_or("of unknown version"),
        Cpu::detect().instruction_set(),
        if device == Device::Cpu { "" } else { "GPUs, " },
        args.threads,
        if variables.is_empty() { String::new() } else { format!("{}, ", assignments(&variables)) },
        &blake3::hash(&config).to_hex()[..12],
        if args.smoke { ", a smoke run" } else { "" }
    );
    Ok(Some(Arc::new(Ranks::join(rank_id, &about, device)?)))
}

/// Asks for a checkpoint after a step.
struct StopAfter {
    step: u64,
    stop: Arc<AtomicBool>,
}

impl Sink for StopAfter {
    fn line(&mut self, line: &MetricLine) -> io::Result<()> {
        if line.split == Part::Train && line.step >= self.step {
            self.stop.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}
