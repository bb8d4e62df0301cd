//! Every number of every `metrics.jsonl` of a run folder as one long table, for data frames: as CSV (RFC 4180) or as Parquet.
//!
//! The columns are described in `docs/metrics.md`.

mod parquet;

pub use parquet::write_parquet;

use super::axes::Axes;
use super::csv::field;
use super::error::CurvesError;
use records::MetricLine;
use records::folder::METRICS_FILE;
use records::lines::{self, ReadError};
use records::plan::{Plan, Row};
use std::io::{self, Write};
use std::path::Path;

/// The columns that every table has. One for each varied axis follows, with its dotted name.
pub const COLUMNS: &[&str] = &["game", "row", "role", "seed", "step", "split", "weights", "metric", "value"];

/// Writes the table as CSV: a line for each metric of each line of each cell, rows and seeds in the order of the plan.
/// Cells may be running; cells that have not measured anything yet have no lines.
///
/// # Errors
/// If the folder has no plan, a cell's metrics cannot be read, or `to` cannot be written.
pub fn write(run_dir: &Path, to: &mut impl Write) -> Result<(), CurvesError> {
    let source = Source::read(run_dir)?;
    let names: Vec<String> = source.columns().map(field).collect();
    write!(to, "{}\r\n", names.join(","))?;
    source.each_cell(|row, seed, lines| {
        let cell = format!("{},{},{},{seed}", row.game.name(), field(&row.label), row.role.name());
        let axes: String = source.axes.values(row).iter().map(|value| format!(",{}", field(value))).collect();
        for line in lines {
            let (split, weights) = (line.split.name(), line.weights.name());
            for (metric, value) in line.metrics.iter() {
                let metric = field(metric);
                write!(to, "{cell},{},{split},{weights},{metric},{value:?}{axes}\r\n", line.step)?;
            }
        }
        Ok(())
    })
}

/// A run folder as far as the table needs it.
struct Source<'a> {
    run_dir: &'a Path,
    plan: Plan,
    axes: Axes,
}

impl<'a> Source<'a> {
    fn read(run_dir: &'a Path) -> Result<Self, CurvesError> {
        let plan = Plan::read(run_dir)?;
        Ok(Self { axes: Axes::read(run_dir, &plan), run_dir, plan })
    }

    fn columns(&self) -> impl Iterator<Item = &str> {
        COLUMNS.iter().copied().chain(self.axes.names().iter().map(String::as_str))
    }

    /// Calls `of_cell` with the lines of each cell that has some.
    fn each_cell(
        &self,
        mut of_cell: impl FnMut(&Row, u64, &[MetricLine]) -> Result<(), CurvesError>,
    ) -> Result<(), CurvesError> {
        for row in &self.plan.rows {
            for &seed in &self.plan.seeds {
                let path = Plan::cell_dir(self.run_dir, row, seed).join(METRICS_FILE);
                let lines = match lines::read(&path) {
                    Err(ReadError::Io { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => continue,
                    lines => lines?,
                };
                of_cell(row, seed, &lines)?;
            }
        }
        Ok(())
    }
}
