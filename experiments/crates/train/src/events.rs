//! A cell's TensorBoard event files: hyperparameters and repair.

use crate::sinks::tensorboard::{self, HParams};
use config::{Role, RunConfig};
use records::Plan;
use records::folder::CONFIG_FILE;
use serde_json::Value;
use std::path::Path;

/// The hyperparameters of a cell for TensorBoard's HParams tab: what differs between the cells of its grid, and nothing
/// that all of them share. These are the values of its row on the varied axes and the name that the experiment gives to
/// the row, the seed, and whether it is an A/A control.
pub fn hparams(cell: &Path, run: &RunConfig) -> HParams {
    let mut hparams = HParams::from([("seed".to_owned(), Value::from(run.seed.to_string()))]);
    if let Some((folder, plan)) = cell.parent().and_then(|row| Some((row, Plan::read(row.parent()?).ok()?))) {
        if plan.rows.iter().any(|row| row.role == Role::Twin) {
            hparams.insert("twin".to_owned(), Value::from(run.twin));
        }
        if let Some(row) = plan.rows.into_iter().find(|row| folder.ends_with(&row.folder)) {
            hparams.extend(row.name.map(|name| ("row".to_owned(), Value::from(name))));
            hparams.extend(row.axes.into_iter().map(|(axis, value)| (axis, number_or_text(value))));
        }
    }
    hparams
}

fn number_or_text(value: String) -> Value {
    value.parse::<f64>().ok().filter(|number| number.is_finite()).map_or_else(|| Value::from(value), Value::from)
}

/// Rebuilds the event files of a finished cell from its `metrics.jsonl` if they are missing, damaged or incomplete, or have
/// other hyperparameters. Returns whether it rebuilt them.
pub fn repair(cell: &Path) -> anyhow::Result<bool> {
    // Without a configuration there are no hyperparameters, only curves.
    let run = RunConfig::read(&cell.join(CONFIG_FILE));
    tensorboard::repair(cell, run.map(|run| hparams(cell, &run)).unwrap_or_default())
}
