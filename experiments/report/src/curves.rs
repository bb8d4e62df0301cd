//! Every number of every `metrics.jsonl` of a run folder as one long table, for data frames: as CSV (RFC 4180) or as Parquet.
//!
//! The columns are described in `docs/metrics.md`.

mod parquet;

pub use parquet::write_parquet;

use super::csv::field;
use super::error::CurvesError;
use records::MetricLine;
use records::folder::METRICS_FILE;
use records::lines::{self, ReadError};
use records::plan::{Plan, Row};
use std::io::{self, Write};
use std::path::Path;

/// The columns.
pub const COLUMNS: &[&str] = &["game", "row", "seed", "step", "split", "weights", "metric", "value"];

/// Writes the table as CSV: a line for each metric of each line of each cell, rows and seeds in the order of the plan.
/// Cells may be running; cells that have not measured anything yet have no lines.
///
/// # Errors
/// If the folder has no plan, a cell's metrics cannot be read, or `to` cannot be written.
pub fn write(run_dir: &Path, to: &mut impl Write) -> Result<(), CurvesError> {
    write!(to, "{}\r\n", COLUMNS.join(","))?;
    each_cell(run_dir, |row, seed, lines| {
        let cell = format!("{},{},{seed}", row.game.name(), field(&row.label));
        for line in lines {
            let (split, weights) = (line.split.name(), line.weights.name());
            for (metric, value) in line.metrics.iter() {
                write!(to, "{cell},{},{split},{weights},{metric},{value:?}\r\n", line.step)?;
            }
        }
        Ok(())
    })
}

/// Calls `of_cell` with the lines of each cell that has some.
fn each_cell(
    run_dir: &Path,
    mut of_cell: impl FnMut(&Row, u64, &[MetricLine]) -> Result<(), CurvesError>,
) -> Result<(), CurvesError> {
    let plan = Plan::read(run_dir)?;
    for row in &plan.rows {
        for &seed in &plan.seeds {
            let path = Plan::cell_dir(run_dir, row, seed).join(METRICS_FILE);
            let lines = match lines::read(&path) {
                Err(ReadError::Io { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => continue,
                lines => lines?,
            };
            of_cell(row, seed, &lines)?;
        }
    }
    Ok(())
}
