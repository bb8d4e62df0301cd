//! Predictions of a budget that was not run, with a hash of the cells that they are made from.

use super::collect::Content;
use super::names::CELLS;
use records::folder::METRICS_FILE;
use report::Report;
use report::sections::scaling::{Scaling, ScalingRow};
use report::statistics::power_law::Predicted;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The file of a bundle.
pub(super) const FILE: &str = "predictions.json";

/// The predictions of a report; none without a row that has some. `files` are those of the cells. The hash is the BLAKE3 of the
/// lines that the bundle's list of hashes has for the metrics of the cells that the predictions are made from.
pub(super) fn predictions(report: &Report, files: &BTreeMap<String, Content>) -> anyhow::Result<Option<Value>> {
    let mut cells = BTreeSet::new();
    let mut rows = Vec::new();
    for (game, scaling, row) in predicted(report) {
        cells.extend(row.predicted_from.iter().map(|cell| format!("{CELLS}/{cell}/{METRICS_FILE}")));
        let [given, fitted] = row.predicted.map(|own| own.map(|own| loss(&own)));
        rows.push(json!({
            "game": game, "row": row.label, "positions": scaling.to, "floor": scaling.floor, "with_floor": given,
            "with_fitted_floor": fitted, "cells": row.predicted_from,
        }));
    }
    if rows.is_empty() {
        return Ok(None);
    }
    let mut list = String::new();
    for path in &cells {
        let content = files.get(path).ok_or_else(|| anyhow::anyhow!("{path} is missing; please report this"))?;
        list += &format!("{}  {path}\n", content.hash()?.0.to_hex());
    }
    let made_from = json!({"cells": cells.len(), "blake3": blake3::hash(list.as_bytes()).to_hex().to_string()});
    Ok(Some(json!({
        "experiment": report.experiment, "metric": report.primary.name, "level": 0.95, "made_from": made_from, "rows": rows,
    })))
}

/// The rows with predictions, each with its game.
fn predicted(report: &Report) -> impl Iterator<Item = (&str, &Scaling, &ScalingRow)> {
    let of_game =
        report.games.iter().flat_map(|game| game.scaling.iter().map(move |scaling| (game.game.as_str(), scaling)));
    let rows = of_game.flat_map(|(game, scaling)| scaling.rows.iter().map(move |row| (game, scaling, row)));
    rows.filter(|(_, _, row)| row.predicted.iter().any(Option::is_some))
}

fn loss(predicted: &Predicted) -> Value {
    json!({"loss": predicted.loss, "low": predicted.interval.low, "high": predicted.interval.high})
}
