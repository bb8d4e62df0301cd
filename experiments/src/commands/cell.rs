//! `posenc cell`: trains one cell in this process; `posenc run` starts it.

use crate::commands::devices::{ensure_environment, parse_device};
use crate::commands::version;
use anyhow::Context as _;
use config::RunConfig;
use records::folder::CONFIG_FILE;
use std::path::PathBuf;
use std::process::ExitCode;
use tch::Device;
use train::sinks::{Sink, progress};
use train::{CellOptions, Outcome, run_cell, signals};

/// Train one cell.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The cell's folder, which holds its config.yaml.
    #[arg(long)]
    dir: PathBuf,
    /// Threads inside an operation; another number changes the bits of the result.
    #[arg(long, default_value_t = 1)]
    threads: usize,
    /// The device: cpu, cuda or cuda:N.
    #[arg(long, default_value = "cpu", value_parser = parse_device)]
    device: Device,
    /// Run only a few steps and a small evaluation.
    #[arg(long)]
    smoke: bool,
    /// Resume even if the bits will differ from an undisturbed run.
    #[arg(long)]
    force: bool,
}

/// Trains. Progress and notes go to stderr, which `posenc run` keeps as the cell's log.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let run = config_of(args);
    ensure_environment(args.device, run.iter())?;
    signals::report_size_limits();
    let stop = signals::stop_flag().context("cannot listen to signals")?;
    super::devices::prepare(args.device)?;
    let options = CellOptions {
        threads: args.threads,
        device: args.device,
        smoke: args.smoke,
        force: args.force,
        revision: Some(version::revision()),
    };
    let mut note = |text: &str| eprintln!("{text}");
    match run_cell(&args.dir, &options, progress_sinks(run.as_ref()), &mut note, &stop)? {
        Outcome::Done | Outcome::AlreadyDone => Ok(ExitCode::SUCCESS),
        Outcome::Interrupted { .. } => Ok(ExitCode::from(1)),
    }
}

/// The run, if its configuration can be read; otherwise training reports the error.
fn config_of(args: &Args) -> Option<RunConfig> {
    let text = RunConfig::read_text(&args.dir.join(CONFIG_FILE)).ok()?;
    RunConfig::from_yaml(&text).ok()
}

/// A progress bar over the configured number of steps.
fn progress_sinks(run: Option<&RunConfig>) -> Vec<Box<dyn Sink>> {
    run.map(|run| progress::on_stderr(run.train.steps)).into_iter().collect()
}
