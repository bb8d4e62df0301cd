//! `posenc check`: validates an experiment and says what it would do. Trains nothing.

mod controls;
mod facts;
mod phases;
mod report;

use super::sets::Sets;
use crate::labs::evaluation;
use config::printable_lines;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `posenc check`.
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

/// Checks.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let experiment = args.sets.load(&args.file)?;
    evaluation::check(&experiment)?;
    let times = if args.measure { facts::measure(&experiment)? } else { Vec::new() };
    let warnings = facts::warnings(&experiment);
    let text = if args.json {
        format!("{:#}\n", report::json(&experiment, &times, &warnings))
    } else {
        printable_lines(&report::text(&experiment, &times, &warnings))
    };
    std::io::stdout().lock().write_all(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
