//! `posenc report`: tables of a run folder, also while it runs, or of a bundle.

use super::options::{BundleLimit, print};
use bundle::unpacked::is_bundle;
use bundle::{Unpacked, UnpackedPart};
use config::printable;
use report::{Report, ReportOptions, csv, curves, figures, html, latex, markdown, text};
use std::io::{BufWriter, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// The experiment's run folder, e.g. runs/quickstart, or a bundle of `posenc publish`.
    run_dir: PathBuf,
    /// The format.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
    /// Report the number of seeds needed to detect a difference of this size in the primary metric.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    difference: Option<f64>,
    /// Judge equivalence with a margin of the primary metric chosen after the run, e.g. policy_loss=0.02.
    #[arg(long, value_name = "METRIC=SIZE", value_parser = margin)]
    equivalent_within: Option<(String, f64)>,
    /// Compare with the rows that have this value of an axis instead of the experiment's reference, e.g. encoding=shaw. The report
    /// says that its comparisons were chosen after the run.
    #[arg(long, value_name = "AXIS=VALUE", value_parser = reference)]
    reference: Option<(String, String)>,
    /// Predict the losses of a budget of this number of training positions from smaller budgets.
    #[arg(long, value_name = "POSITIONS", value_parser = clap::value_parser!(u64).range(1..))]
    extrapolate: Option<u64>,
    /// Write every plot to this folder as SVG and PDF, one column of a paper wide; print titles and captions.
    #[arg(long, value_name = "DIR", conflicts_with = "format")]
    figures: Option<PathBuf>,
    /// Write for each cell a CSV table with a line per step and its settings as JSON, for experiment trackers.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["format", "figures"])]
    wide: Option<PathBuf>,
    #[command(flatten)]
    limit: BundleLimit,
}

fn positive(text: &str) -> Option<f64> {
    text.parse().ok().filter(|size: &f64| size.is_finite() && *size > 0.0)
}

fn size(text: &str) -> Result<f64, &'static str> {
    positive(text).ok_or(
        "a difference must be a positive number in the unit of the metric (policy_accuracy: 0.01 is one percentage point)",
    )
}

fn margin(text: &str) -> Result<(String, f64), String> {
    let (metric, size) = text.split_once('=').ok_or("write the metric and the size, e.g. policy_loss=0.02")?;
    let wrong = || format!("the size must be a positive number in the unit of {metric}, got {size:?}");
    Ok((metric.to_owned(), positive(size).ok_or_else(wrong)?))
}

fn reference(text: &str) -> Result<(String, String), &'static str> {
    let (axis, value) = text.split_once('=').ok_or("write the axis and the value, e.g. encoding=shaw")?;
    Ok((axis.to_owned(), value.to_owned()))
}

impl Args {
    fn options(&self) -> ReportOptions {
        ReportOptions {
            difference: self.difference,
            equivalent_within: self.equivalent_within.clone(),
            extrapolate: self.extrapolate,
            reference: self.reference.clone(),
            ..ReportOptions::default()
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ReportFormat {
    /// Plain text.
    Text,
    /// One page for a browser, without other files.
    Html,
    /// Markdown.
    Md,
    /// Unrounded numbers, a line per row and metric.
    Csv,
    /// Every number of every step as a long CSV table, for pandas or polars.
    Curves,
    /// The same table as Parquet; send it to a file.
    Parquet,
    /// Tables for a paper.
    Latex,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if is_bundle(&args.run_dir) {
        let unpacked = Unpacked::of(&args.run_dir, args.limit.limits(), UnpackedPart::Records)?;
        return of_run_folder(unpacked.run_dir(), args);
    }
    of_run_folder(&args.run_dir, args)
}

fn of_run_folder(run_dir: &Path, args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(dir) = &args.figures {
        let written = figures::write(&Report::with_options(run_dir, &args.options())?, dir)?;
        let mut stdout = std::io::stdout().lock();
        for figures::Figure { id, title, caption, .. } in written {
            writeln!(stdout, "{}", printable(&format!("{id}: {title} {caption}")))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let is_asked = args.options() != ReportOptions::default();
    if is_asked && (args.wide.is_some() || matches!(args.format, ReportFormat::Curves | ReportFormat::Parquet)) {
        eprintln!(
            "--difference, --equivalent-within, --reference and --extrapolate have no effect on the numbers of every step"
        );
    }
    if let Some(dir) = &args.wide {
        let cells = curves::write_wide(run_dir, dir)?;
        return print(&format!("{cells} cells in {}, each with {}\n", dir.display(), curves::WIDE.join(" and ")));
    }
    let draw = match args.format {
        ReportFormat::Text => text::draw,
        ReportFormat::Html => html::draw,
        ReportFormat::Md => markdown::draw,
        ReportFormat::Csv => csv::draw,
        ReportFormat::Latex => latex::draw,
        ReportFormat::Parquet => {
            let stdout = std::io::stdout();
            anyhow::ensure!(!stdout.is_terminal(), "a Parquet file is not for a terminal; add > metrics.parquet");
            // Only a whole table is written: its end has the places of all columns.
            let mut file = Vec::new();
            curves::write_parquet(run_dir, &mut file)?;
            stdout.lock().write_all(&file)?;
            return Ok(ExitCode::SUCCESS);
        }
        ReportFormat::Curves => {
            let mut stdout = BufWriter::new(std::io::stdout().lock());
            curves::write(run_dir, &mut stdout)?;
            stdout.flush()?;
            return Ok(ExitCode::SUCCESS);
        }
    };
    print(&draw(&Report::with_options(run_dir, &args.options())?))
}
