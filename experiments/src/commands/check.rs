//! `posenc check`: validates an experiment and prints its rows and cells. Trains nothing.

mod controls;
mod phases;
mod report;

use super::bench::contenders;
use super::options::{Sets, json_text, print};
use super::run::check_starts;
use crate::labs::evaluation;
use config::{Experiment, printable_lines};
use std::path::PathBuf;
use std::process::ExitCode;
use tch::Device;
use train::bench::{BenchOptions, StepTime, step_times};

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The experiment file.
    file: PathBuf,
    #[command(flatten)]
    sets: Sets,
    /// Time a training step of each row on one thread of this machine.
    #[arg(long)]
    measure: bool,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let experiment = args.sets.load(&args.file)?;
    check_starts(&experiment)?;
    evaluation::check(&experiment)?;
    let times = if args.measure { measure(&experiment)? } else { Vec::new() };
    let warnings = experiment.warnings();
    let text = if args.json {
        json_text(&report::json(&experiment, &times, &warnings))?
    } else {
        printable_lines(&report::text(&experiment, &times, &warnings))
    };
    print(&text)
}

/// Seconds of a training step of each row on one CPU thread, rows taking turns; twins, which come last, are left out.
fn measure(experiment: &Experiment) -> anyhow::Result<Vec<f64>> {
    let options = BenchOptions { threads: 1, device: Device::Cpu, rounds: 5, warm_up: 2 };
    let (contenders, _) = contenders::rows(experiment);
    Ok(step_times(&contenders, &options)?.iter().map(StepTime::median_s).collect())
}
