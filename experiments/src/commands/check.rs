//! `posenc check`: validates an experiment and prints its rows and cells. Trains nothing.

mod controls;
mod facts;
mod phases;
mod report;

use super::options::{Sets, json_text, print};
use super::run::check_starts;
use crate::labs::evaluation;
use config::printable_lines;
use std::path::PathBuf;
use std::process::ExitCode;

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
    let times = if args.measure { facts::measure(&experiment)? } else { Vec::new() };
    let warnings = experiment.warnings();
    let text = if args.json {
        json_text(&report::json(&experiment, &times, &warnings))?
    } else {
        printable_lines(&report::text(&experiment, &times, &warnings))
    };
    print(&text)
}
