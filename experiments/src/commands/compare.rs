//! `posenc compare`: what differs between several grids, and their results side by side.

use super::options::{BundleLimit, print};
use bundle::unpacked::is_bundle;
use bundle::{Limits, Part, Unpacked};
use facts::row_name::is_called;
use report::ranks::{self, Leaders};
use report::{Report, markdown, side_by_side};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Run folders or bundles of `posenc publish`, two or more, e.g. runs/quickstart runs/zoo.
    #[arg(required = true, num_args = 2..)]
    run_dirs: Vec<PathBuf>,
    /// Compare the order of encodings by the first grid's primary metric with that of every other grid (Kendall's τ);
    /// exploratory.
    #[arg(long, alias = "ranks")]
    orders: bool,
    /// Also compare the orders without this number of the best encodings of the first grid; by default the best third.
    #[arg(long, value_name = "NUMBER", requires = "orders")]
    leaders: Option<usize>,
    /// Also compare the orders without this row of the first grid; may be repeated.
    #[arg(long, value_name = "ROW", requires = "orders", conflicts_with = "leaders")]
    without: Vec<String>,
    /// The format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    limit: BundleLimit,
}

impl Args {
    fn leaders(&self) -> Leaders {
        match (self.leaders, &self.without[..]) {
            (Some(number), _) => Leaders::Best(number),
            (None, []) => Leaders::BestThird,
            (None, rows) => Leaders::Named(rows.to_vec()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Plain text.
    Text,
    /// Markdown.
    Md,
}

fn report_of(path: &Path, limits: Limits) -> anyhow::Result<Report> {
    if is_bundle(path) { Report::of(Unpacked::of(path, limits, Part::Records)?.run_dir()) } else { Report::of(path) }
}

/// Refuses rows of `--without` that the first grid does not have.
fn refuse_unknown_rows(args: &Args, first: &Report) -> anyhow::Result<()> {
    let has = |name: &str| first.games.iter().flat_map(|game| &game.rows).any(|row| is_called(&row.label, name));
    let Some(unknown) = args.without.iter().find(|name| !has(name.as_str())) else { return Ok(()) };
    let run_dir = args.run_dirs[0].display();
    anyhow::bail!("{} has no row {unknown}; write its name as in `posenc report {run_dir}`", first.experiment)
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let reports = args.run_dirs.iter().map(|path| report_of(path, args.limit.limits()));
    let reports: Vec<Report> = reports.collect::<anyhow::Result<_>>()?;
    refuse_unknown_rows(args, &reports[0])?;
    let tables = if args.orders { ranks::tables(&reports, &args.leaders()) } else { side_by_side::compare(&reports) };
    anyhow::ensure!(!tables.is_empty(), "the grids have no game in common, so no orders are compared");
    let drawn: Vec<String> = tables
        .iter()
        .map(|table| match args.format {
            Format::Text => table.text(),
            Format::Md => markdown::draw_table(table),
        })
        .collect();
    print(&(drawn.join("\n\n") + "\n"))
}
