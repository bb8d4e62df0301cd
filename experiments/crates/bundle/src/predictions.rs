//! Predictions of a budget that was not run, with a hash of the cells that they are made from.

use super::error::cannot;
use super::names::CELLS;
use anyhow::Context as _;
use records::folder::METRICS_FILE;
use records::stored;
use report::Report;
use report::sections::scaling::{Scaling, ScalingRow};
use report::statistics::power_law;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// The file of a bundle.
pub(super) const FILE: &str = "predictions.json";

/// What a bundle predicts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Predictions {
    pub experiment: String,
    pub metric: String,
    /// The confidence of the intervals.
    pub level: f64,
    pub made_from: MadeFrom,
    pub rows: Vec<PredictedRow>,
}

/// The cells of all predictions.
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
        let text = stored::read(&path).map_err(cannot("read", &path))?;
        serde_json::from_slice(&text)
            .map(Some)
            .with_context(|| format!("{} is damaged; publish the run folder again with --extrapolate", path.display()))
    }

    /// Those of a report; none without a row that has some. `hash` gives that of a file of the bundle.
    pub(super) fn of(
        report: &Report,
        hash: impl Fn(&str) -> anyhow::Result<blake3::Hash>,
    ) -> anyhow::Result<Option<Self>> {
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
            list += &format!("{}  {path}\n", hash(path)?.to_hex());
        }
        Ok(Some(Self {
            experiment: report.experiment.clone(),
            metric: report.primary.name.clone(),
            level: 0.95,
            made_from: MadeFrom { cells: cells.len(), blake3: blake3::hash(list.as_bytes()).to_hex().to_string() },
            rows,
        }))
    }
}

/// The rows with predictions, each with its game.
fn predicted(report: &Report) -> impl Iterator<Item = (&str, &Scaling, &ScalingRow)> {
    let of_game =
        report.games.iter().flat_map(|game| game.scaling.iter().map(move |scaling| (game.game.as_str(), scaling)));
    let rows = of_game.flat_map(|(game, scaling)| scaling.rows.iter().map(move |row| (game, scaling, row)));
    rows.filter(|(_, _, row)| row.predicted.iter().any(Option::is_some))
}
