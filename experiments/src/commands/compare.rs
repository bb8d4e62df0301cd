//! `posenc compare`: what differs between several grids, and their results side by side.

use super::bundle_limit::BundleLimit;
use bundle::unpacked::is_bundle;
use bundle::{Limits, Part, Unpacked};
use report::{Report, markdown, side_by_side};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Options of `posenc compare`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Run folders or bundles of `posenc publish`, two or more, e.g. runs/quickstart runs/chess-vs-shogi.
    #[arg(required = true, num_args = 2..)]
    run_dirs: Vec<PathBuf>,
    /// The format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    limit: BundleLimit,
}

/// The formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Plain text.
    Text,
    /// Markdown.
    Md,
}

fn report_of(path: &Path, limits: Limits) -> anyhow::Result<Report> {
    if is_bundle(path) {
        return Ok(Report::of(Unpacked::of(path, limits, Part::Records)?.run_dir())?);
    }
    Ok(Report::of(path)?)
}

/// Prints the tables.
///
/// # Errors
/// If a folder is no run folder, or stdout cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let reports = args.run_dirs.iter().map(|path| report_of(path, args.limit.limits()));
    let reports: Vec<Report> = reports.collect::<anyhow::Result<_>>()?;
    let drawn: Vec<String> = side_by_side::compare(&reports)
        .iter()
        .map(|table| match args.format {
            Format::Text => table.text(),
            Format::Md => markdown::draw_table(table),
        })
        .collect();
    writeln!(std::io::stdout().lock(), "{}", drawn.join("\n\n"))?;
    Ok(ExitCode::SUCCESS)
}
