//! A cell's TensorBoard event files: hyperparameters and repair.

use crate::sinks::tensorboard::{self, HParams};
use config::setting::SHORT;
use config::{RunConfig, Setting};
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

/// Rebuilds the event files of a finished cell from its `metrics.jsonl` if they are missing, damaged or incomplete.
/// Returns whether it rebuilt them.
pub fn repair(cell: &Path) -> anyhow::Result<bool> {
    let metrics = cell.join(METRICS_FILE);
    if tensorboard::is_whole(&metrics, cell)? {
        return Ok(false);
    }
    // Without a configuration there are no hyperparameters, only curves.
    let config = RunConfig::read_text(&cell.join(CONFIG_FILE)).ok();
    let run = config.and_then(|text| RunConfig::from_yaml(&text).ok());
    tensorboard::rebuild(&metrics, cell, &run.map(|run| hparams(&run)).unwrap_or_default())?;
    Ok(true)
}
