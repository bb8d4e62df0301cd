//! `posenc report`: tables of a run folder, also while it runs.

use report::{Report, csv, html, latex, markdown, text};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `posenc report`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The experiment's run folder, e.g. runs/quickstart.
    run_dir: PathBuf,
    /// The format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Say how many seeds each comparison needs to show a difference of this size in the primary metric.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    difference: Option<f64>,
}

fn size(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(size) if size.is_finite() && size > 0.0 => Ok(size),
        _ => {
            Err("a size is a number above 0 in the unit of the metric (policy_accuracy: 0.01 is one point)".to_owned())
        }
    }
}

/// The formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Plain text.
    Text,
    /// One page for a browser, without scripts or other files.
    Html,
    /// Markdown.
    Md,
    /// Every number, unrounded, a line for each row and metric.
    Csv,
    /// Tables for a paper.
    Latex,
}

/// Prints the report.
///
/// # Errors
/// If the folder is no run folder, or stdout cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let report = Report::seeing(&args.run_dir, args.difference)?;
    let drawn = match args.format {
        Format::Text => text::draw(&report),
        Format::Html => html::draw(&report),
        Format::Md => markdown::draw(&report),
        Format::Csv => csv::draw(&report),
        Format::Latex => latex::draw(&report),
    };
    std::io::stdout().lock().write_all(drawn.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}
