//! Every number of every `metrics.jsonl` of a run folder as one long CSV table (RFC 4180), for data frames.
//!
//! The columns are described in `docs/metrics.md`.

use super::csv::field;
use super::error::CurvesError;
use records::folder::METRICS_FILE;
use records::lines::{self, ReadError};
use records::plan::Plan;
use std::io::{self, Write};
use std::path::Path;

/// The columns.
pub const COLUMNS: &[&str] = &["game", "row", "seed", "step", "split", "weights", "metric", "value"];

/// Writes the table: a line for each metric of each line of each cell, rows and seeds in the order of the plan. Cells may
/// be running; cells that have not measured anything yet have no lines.
///
/// # Errors
/// If the folder has no plan, a cell's metrics cannot be read, or `to` cannot be written.
pub fn write(run_dir: &Path, to: &mut impl Write) -> Result<(), CurvesError> {
    let plan = Plan::read(run_dir)?;
    write!(to, "{}\r\n", COLUMNS.join(","))?;
    for row in &plan.rows {
        for &seed in &plan.seeds {
            let path = Plan::cell_dir(run_dir, row, seed).join(METRICS_FILE);
            let lines = match lines::read(&path) {
                Err(ReadError::Io { cause, .. }) if cause.kind() == io::ErrorKind::NotFound => continue,
                lines => lines?,
            };
            let cell = format!("{},{},{seed}", row.game.name(), field(&row.label));
            for line in &lines {
                let (split, weights) = (line.split.name(), line.weights.name());
                for (metric, value) in line.metrics.iter() {
                    write!(to, "{cell},{},{split},{weights},{metric},{value:?}\r\n", line.step)?;
                }
            }
        }
    }
    Ok(())
}
