//! Predictions of a budget that was not run, with a hash of the cells that they are made from.

use super::compare_report::{NumberComparison, is_close};
use super::error::{cannot, no_report};
use super::names::{CELLS, is_safe};
use anyhow::{Context as _, ensure};
use records::files;
use records::folder::METRICS_FILE;
use report::sections::scaling::{Scaling, ScalingRow};
use report::statistics::power_law;
use report::{Report, ReportOptions};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

pub const FILE: &str = "predictions.json";

/// The largest relative difference of two numbers that count as equal: a fitted floor on another processor may differ in more
/// digits than a sum.
const TOLERANCE: f64 = 1e-4;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Predictions {
    pub experiment: String,
    pub metric: String,
    pub level: f64,
    pub made_from: MadeFrom,
    pub rows: Vec<PredictedRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MadeFrom {
    pub cells: usize,
    /// Of the lines that the bundle's list of hashes has for their metrics.
    pub blake3: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PredictedRow {
    pub game: String,
    pub row: String,
    /// Those of the budget that is predicted.
    pub positions: u64,
    /// The known floor of the loss.
    pub floor: Option<f64>,
    pub with_floor: Option<PredictedLoss>,
    pub with_fitted_floor: Option<PredictedLoss>,
    pub cells: Vec<String>,
}

/// A loss with the ends of its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PredictedLoss {
    pub loss: f64,
    pub low: f64,
    pub high: f64,
}

impl From<power_law::Predicted> for PredictedLoss {
    fn from(predicted: power_law::Predicted) -> Self {
        Self { loss: predicted.loss, low: predicted.interval.low, high: predicted.interval.high }
    }
}

impl Predictions {
    /// Those of an unpacked bundle; none if it has no such file.
    pub fn read(run_dir: &Path) -> anyhow::Result<Option<Self>> {
        let path = run_dir.join(FILE);
        if !path.exists() {
            return Ok(None);
        }
        let text = files::read(&path).map_err(cannot("read", &path))?;
        let read = serde_json::from_slice(&text).map_err(anyhow::Error::from);
        read.and_then(Self::checked)
            .map(Some)
            .with_context(|| format!("{} is damaged; publish the run folder again with --extrapolate", path.display()))
    }

    /// Pages print the hash and draw the numbers.
    fn checked(self) -> anyhow::Result<Self> {
        let Self { level, made_from, rows, .. } = &self;
        ensure!((0.0..1.0).contains(level), "the level is {level}");
        ensure!(blake3::Hash::from_hex(&made_from.blake3).is_ok(), "`blake3` is not a hash");
        for PredictedRow { row, positions, floor, with_floor, with_fitted_floor, cells, .. } in rows {
            let is_loss = |PredictedLoss { loss, low, high }: &PredictedLoss| {
                [low, loss, high].iter().all(|number| number.is_finite()) && low <= loss && loss <= high
            };
            let fits = floor.is_none_or(f64::is_finite)
                && with_floor.iter().chain(with_fitted_floor).all(is_loss)
                && *positions > 0
                && cells.iter().all(|cell| is_safe(cell));
            ensure!(fits, "the row {row:?} has impossible numbers or cells");
        }
        Ok(self)
    }

    /// Those of a report; none without a row that has some. `hash` gives that of a file of the bundle.
    pub(super) fn of(report: &Report, hash: impl Fn(&str) -> anyhow::Result<String>) -> anyhow::Result<Option<Self>> {
        let mut cells = BTreeSet::new();
        let mut rows = Vec::new();
        for (game, scaling, row) in predicted(report) {
            let Some(positions) = scaling.to else { continue };
            cells.extend(row.predicted_from.iter().map(|cell| format!("{CELLS}/{cell}/{METRICS_FILE}")));
            let [with_floor, with_fitted_floor] = row.predicted.map(|own| own.map(PredictedLoss::from));
            rows.push(PredictedRow {
                game: game.to_owned(),
                row: row.label.clone(),
                positions,
                floor: scaling.floor,
                with_floor,
                with_fitted_floor,
                cells: row.predicted_from.clone(),
            });
        }
        if rows.is_empty() {
            return Ok(None);
        }
        let mut list = String::new();
        for path in &cells {
            list += &format!("{}  {path}\n", hash(path)?);
        }
        Ok(Some(Self {
            experiment: report.experiment.clone(),
            metric: report.primary.name.clone(),
            level: 0.95,
            made_from: MadeFrom { cells: cells.len(), blake3: blake3::hash(list.as_bytes()).to_hex().to_string() },
            rows,
        }))
    }

    /// How they differ from those that the cells give.
    fn compared_with(&self, given: Option<&Self>) -> NumberComparison {
        let mut result = NumberComparison::default();
        let Some(given) = given else {
            result.differences.push("the cells predict nothing".to_owned());
            return result;
        };
        let facts = |own: &Self| [own.experiment.clone(), own.metric.clone(), own.level.to_string()];
        if facts(self) != facts(given) {
            let [own, other] = [self, given].map(|own| facts(own).join(", "));
            result.differences.push(format!("it is of {own}, the cells are of {other}"));
        }
        if self.made_from != given.made_from {
            let [own, other] =
                [self, given].map(|own| format!("{} cells, {}", own.made_from.cells, own.made_from.blake3));
            result.differences.push(format!("made from {own}; the bundle has {other}"));
        }
        for row in &self.rows {
            let name = format!("{}, {}, {} positions", row.game, row.row, row.positions);
            let key = |row: &PredictedRow| (row.game.clone(), row.row.clone(), row.positions);
            let Some(other) = given.rows.iter().find(|other| key(other) == key(row)) else {
                result.differences.push(format!("{name}: the cells do not predict it"));
                continue;
            };
            for ((what, own), (_, other)) in row.numbers().into_iter().zip(other.numbers()) {
                result.compared += 1;
                let is_same = match (own, other) {
                    (Some(own), Some(other)) => is_close(own, other, TOLERANCE),
                    (own, other) => own == other,
                };
                if !is_same {
                    let [own, other] =
                        [own, other].map(|number| number.map_or("nothing".to_owned(), |n| n.to_string()));
                    result.differences.push(format!("{name}: {what} is {own}, the cells give {other}"));
                }
            }
            if row.cells != other.cells {
                result.differences.push(format!("{name}: it names other cells than those of the smaller budgets"));
            }
        }
        result
    }
}

/// Compares the predictions of an unpacked bundle with those that its cells give; none if it has no such file.
pub fn compare(run_dir: &Path) -> anyhow::Result<Option<NumberComparison>> {
    let Some(stated) = Predictions::read(run_dir)? else { return Ok(None) };
    let extrapolate = stated.rows.first().map(|row| row.positions);
    let options = ReportOptions { extrapolate, ..ReportOptions::default() };
    let report = Report::with_options(run_dir, &options).map_err(no_report)?;
    let hash = |path: &str| {
        let path = run_dir.join(path.strip_prefix(CELLS).map_or(path, |cell| cell.trim_start_matches('/')));
        files::hash(&path).map_err(cannot("read", &path))
    };
    Ok(Some(stated.compared_with(Predictions::of(&report, hash)?.as_ref())))
}

impl PredictedRow {
    fn numbers(&self) -> [(&'static str, Option<f64>); 7] {
        let of = |predicted: Option<PredictedLoss>| {
            [predicted.map(|own| own.loss), predicted.map(|own| own.low), predicted.map(|own| own.high)]
        };
        let [loss, low, high] = of(self.with_floor);
        let [fitted, fitted_low, fitted_high] = of(self.with_fitted_floor);
        [
            ("the floor", self.floor),
            ("the loss", loss),
            ("the lower end", low),
            ("the upper end", high),
            ("the loss with a fitted floor", fitted),
            ("its lower end", fitted_low),
            ("its upper end", fitted_high),
        ]
    }
}

/// The rows with predictions, each with its game.
fn predicted(report: &Report) -> impl Iterator<Item = (&str, &Scaling, &ScalingRow)> {
    let of_game =
        report.games.iter().flat_map(|game| game.scaling.iter().map(move |scaling| (game.game.as_str(), scaling)));
    let rows = of_game.flat_map(|(game, scaling)| scaling.rows.iter().map(move |row| (game, scaling, row)));
    rows.filter(|(_, _, row)| row.predicted.iter().any(Option::is_some))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn impossible_predictions_are_refused() {
        let dir = tempfile::tempdir().expect("a folder for the test");
        let loss = json!({"loss": 2.0, "low": 1.9, "high": 2.1});
        let row = json!({
            "game": "chess", "row": "shaw", "positions": 64, "floor": 0.5, "with_floor": loss, "with_fitted_floor": null,
            "cells": ["chess-shaw-0123456789ab/seed-0"],
        });
        let made_from = json!({"cells": 1, "blake3": "0".repeat(64)});
        let whole = json!({
            "experiment": "small", "metric": "policy_loss", "level": 0.95, "made_from": made_from, "rows": [row],
        });
        let read = |predictions: &Value| {
            std::fs::write(dir.path().join(FILE), predictions.to_string()).expect("written");
            Predictions::read(dir.path()).map(|found| found.map(|found| found.rows.len()))
        };
        assert_eq!(read(&whole).expect("predictions"), Some(1));
        for (place, value) in [
            ("/level", json!(1.5)),
            ("/made_from/blake3", json!("[a](https://example.org)")),
            ("/made_from/cells", json!(-1)),
            ("/rows/0/positions", json!(0)),
            ("/rows/0/with_floor/low", json!(2.05)),
            ("/rows/0/with_floor/high", json!(null)),
            ("/rows/0/cells/0", json!("../../elsewhere")),
        ] {
            let mut changed = whole.clone();
            *changed.pointer_mut(place).expect(place) = value;
            let error = read(&changed).expect_err(place).to_string();
            assert!(error.contains("predictions.json is damaged"), "{place}: {error}");
        }
    }
}
