//! `posenc compare`: what differs between several grids, and their results side by side.

use report::{Report, ReportError, markdown, side_by_side};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// Options of `posenc compare`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Run folders, two or more, e.g. runs/quickstart runs/chess-vs-shogi.
    #[arg(required = true, num_args = 2..)]
    run_dirs: Vec<PathBuf>,
    /// The format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Plain text.
    Text,
    /// Markdown.
    Md,
}

/// Prints the tables.
///
/// # Errors
/// If a folder is no run folder, or stdout cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let reports: Vec<Report> = args.run_dirs.iter().map(|dir| Report::of(dir)).collect::<Result<_, ReportError>>()?;
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
