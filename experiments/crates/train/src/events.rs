//! A cell's TensorBoard event files: hyperparameters and repair.

use crate::sinks::tensorboard::{self, HParams};
use config::setting::SHORT;
use config::{RunConfig, Setting};
use records::Plan;
use records::folder::{CONFIG_FILE, METRICS_FILE};
use serde_json::Value;
use std::path::Path;

/// The hyperparameters of a run for TensorBoard's HParams tab: the settings with a short name, the seed, and whether it
/// is an A/A control. All settings are listed, not only the varied ones, so that cells of several experiments can be
/// compared.
pub fn hparams(run: &RunConfig) -> HParams {
    let json = serde_json::to_value(run).unwrap_or_default();
    let encoding = run.encoding.iter().map(encodings::EncodingConfig::label).collect::<Vec<_>>().join(" + ");
    let value = |name: &'static str| match name {
        "encoding" => Value::from(encoding.clone()),
        // A run's JSON omits an empty list of phases.
        name => Setting::short(name).of(&json).cloned().unwrap_or_else(|| Value::Array(Vec::new())),
    };
    let settings = SHORT.iter().map(|&(name, _)| (name, value(name)));
    let all = settings.chain([("seed", Value::from(run.seed)), ("twin", Value::from(run.twin))]);
    HParams(all.map(|(name, value)| (name.to_owned(), value)).collect())
}

/// The hyperparameter with the name that an experiment gives to a row.
const ROW: &str = "row";

/// The hyperparameters of a cell, with the name of its row if the experiment gives it one.
pub(crate) fn hparams_of(cell: &Path, run: &RunConfig) -> HParams {
    let mut hparams = hparams(run);
    hparams.0.extend(row_name(cell).map(|name| (ROW.to_owned(), Value::from(name))));
    hparams
}

fn row_name(cell: &Path) -> Option<String> {
    let row = cell.parent()?;
    let plan = Plan::read(row.parent()?).ok()?;
    plan.rows.into_iter().find(|known| row.ends_with(&known.folder))?.name
}

/// Whether the event files have the name that the row has now.
fn is_named(cell: &Path) -> bool {
    let shown = tensorboard::read_session(cell).ok().and_then(|session| session.hparams);
    let shown = shown.and_then(|hparams| hparams.0.into_iter().find(|(key, _)| key == ROW));
    shown.map(|(_, name)| name) == row_name(cell).map(Value::from)
}

/// Rebuilds the event files of a finished cell from its `metrics.jsonl` if they are missing, damaged or incomplete, or have
/// another name of its row. Returns whether it rebuilt them.
pub fn repair(cell: &Path) -> anyhow::Result<bool> {
    let metrics = cell.join(METRICS_FILE);
    if tensorboard::is_whole(&metrics, cell)? && is_named(cell) {
        return Ok(false);
    }
    // Without a configuration there are no hyperparameters, only curves.
    let config = RunConfig::read_text(&cell.join(CONFIG_FILE)).ok();
    let run = config.and_then(|text| RunConfig::from_yaml(&text).ok());
    tensorboard::rebuild(&metrics, cell, &run.map(|run| hparams_of(cell, &run)).unwrap_or_default())?;
    Ok(true)
}
