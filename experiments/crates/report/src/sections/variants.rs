//! Rows of a grid as variants of each other: equal except for some settings.

use crate::files::{CellRecord, RunFolder};
use crate::primary::PrimaryMetric;
use facts::{Role, setting};
use games::GameKind;
use records::CellState;
use records::plan::Row;
use serde_json::Value;
use std::collections::BTreeMap;

/// A row with its resolved run.
#[derive(Clone)]
pub(crate) struct Variant<'a> {
    pub(crate) row: &'a Row,
    pub(crate) cells: &'a [CellRecord],
    /// The resolved run of a manifest, without the seed.
    config: Value,
}

/// The rows of a game of which a cell has a manifest with its run, without A/A controls.
pub(crate) fn of(folder: &RunFolder, game: GameKind) -> Vec<Variant<'_>> {
    let rows = folder.plan.rows.iter().zip(&folder.cells);
    rows.filter(|(row, _)| row.game == game && row.role != Role::Twin)
        .filter_map(|(row, cells)| {
            let config =
                cells.iter().find_map(|cell| Some(cell.facts.as_ref()?.config.clone()).filter(Value::is_object))?;
            Some(Variant { row, cells, config: without(config, &["seed"]) })
        })
        .collect()
}

/// Sets of rows that agree in all settings but these, in the order of their first rows.
pub(crate) fn sets<'a, 'b>(variants: &'a [Variant<'b>], but: &[&str]) -> Vec<Vec<&'a Variant<'b>>> {
    let mut sets: Vec<Vec<&Variant<'_>>> = Vec::new();
    for variant in variants {
        match sets.iter_mut().find(|set| set[0].but(but) == variant.but(but)) {
            Some(set) => set.push(variant),
            None => sets.push(vec![variant]),
        }
    }
    sets
}

impl<'a> Variant<'a> {
    /// The run without these settings, e.g. `train.learning_rate`.
    pub(crate) fn but(&self, places: &[&str]) -> Value {
        without(self.config.clone(), places)
    }

    pub(crate) fn at(&self, place: &str) -> Option<&Value> {
        place.split('.').try_fold(&self.config, |value, key| value.get(key))
    }

    /// A metric of the finished cells on test, by seed.
    pub(crate) fn test(&self, primary: &PrimaryMetric) -> BTreeMap<u64, f64> {
        let of = |cell: &CellRecord| cell.result.as_ref()?.test.metrics.get(&primary.name);
        let done = self.cells.iter().filter(|cell| cell.state == CellState::Done);
        done.filter_map(|cell| Some((cell.seed, of(cell)?)).filter(|(_, value)| value.is_finite())).collect()
    }
}

/// The values of the seeds that both have.
pub(crate) fn pairs(own: &BTreeMap<u64, f64>, other: &BTreeMap<u64, f64>) -> Vec<f64> {
    own.iter().filter_map(|(seed, value)| Some(value - other.get(seed)?)).collect()
}

fn without(mut config: Value, places: &[&str]) -> Value {
    places.iter().for_each(|place| setting::remove(&mut config, &setting::keys(place)));
    config
}
