//! A cell's event files: what TensorBoard shows of it, and their mending.

use crate::sinks::tensorboard;
use crate::sinks::tensorboard::{HParams, RebuildError};
use records::folder::{CONFIG_FILE, METRICS_FILE};
use serde_json::Value;
use spec::RunConfig;
use spec::axes::Point;
use std::path::Path;

/// What TensorBoard's HParams tab lists of a run: its value on every axis, its seed, and whether it is a twin. All
/// axes, and not only those that its experiment varies, so that cells of several experiments can be looked at together.
#[must_use]
pub fn hparams(run: &RunConfig) -> HParams {
    let point = Point::of(run);
    let Point { game, encoding: _, model, input, mask, optimizer: _, learning_rate: _, batch, steps, moves, phases } =
        point;
    let encoding = run.encoding.iter().map(encodings::EncodingConfig::label).collect::<Vec<_>>().join(" + ");
    let of = |value: serde_json::Result<Value>| value.unwrap_or(Value::Null);
    let named = [
        ("game", of(serde_json::to_value(game))),
        ("encoding", Value::from(encoding)),
        ("model", of(serde_json::to_value(model))),
        ("input", of(serde_json::to_value(input))),
        ("moves", of(serde_json::to_value(moves))),
        ("mask", of(serde_json::to_value(mask))),
        ("optimizer", of(serde_json::to_value(&run.train.optimizer))),
        ("learning_rate", of(serde_json::to_value(&run.train.learning_rate))),
        ("batch", of(serde_json::to_value(batch))),
        ("steps", of(serde_json::to_value(steps))),
        ("phases", of(serde_json::to_value(phases))),
        ("seed", Value::from(run.seed)),
        ("twin", Value::from(run.twin)),
    ];
    HParams(named.map(|(name, value)| (name.to_owned(), value)).to_vec())
}

/// Rebuilds the event files of a finished cell from its `metrics.jsonl` if they are missing or damaged, or lack a
/// line; says whether that was needed.
///
/// # Errors
/// If the cell's own files cannot be read, or its event files cannot be replaced.
pub fn mend(cell: &Path) -> Result<bool, RebuildError> {
    let metrics = cell.join(METRICS_FILE);
    if tensorboard::is_whole(&metrics, cell)? {
        return Ok(false);
    }
    // Without a configuration there is nothing to list, and the curves are there all the same.
    let config = std::fs::read_to_string(cell.join(CONFIG_FILE)).ok();
    let run = config.and_then(|text| RunConfig::from_yaml(&text).ok());
    tensorboard::rebuild(&metrics, cell, &run.map(|run| hparams(&run)).unwrap_or_default())?;
    Ok(true)
}
