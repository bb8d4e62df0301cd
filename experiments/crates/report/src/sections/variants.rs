//! Rows of a grid as variants of each other: equal except for some settings.

use crate::primary::PrimaryMetric;
use crate::run_folder::{CellRecord, RunFolder};
use facts::{Role, by_key, setting};
use games::GameKind;
use records::CellState;
use records::plan::Row;
use records::tuning::TunedRowRecord;
use serde_json::Value;
use std::collections::BTreeMap;

/// A row with its resolved run.
#[derive(Clone)]
pub(crate) struct Variant<'a> {
    pub(crate) row: &'a Row,
    pub(crate) cells: &'a [CellRecord],
    /// The resolved run of a manifest as rows are compared, without the seed.
    config: Value,
}

/// The rows of a game of which a cell has a manifest with its run, without A/A controls.
pub(crate) fn of(folder: &RunFolder, game: GameKind) -> Vec<Variant<'_>> {
    let lines = folder.lines_of(game).filter(|(row, _)| row.role != Role::Twin);
    let variants = lines.filter_map(|(row, cells)| {
        let config = cells.iter().find_map(|cell| cell.facts.as_ref()?.compared_run())?;
        Some(Variant { row, cells, config: without(config, &["seed"]) })
    });
    variants.collect()
}

/// The settings in which a row may differ between two budgets.
const SCHEDULE: [&str; 4] = ["train.steps", "train.learning_rate", "train.checkpoint_every", "eval.every"];

/// The rows as curves over budgets, in the order of their first rows: those of a curve agree in all settings but the schedule and
/// what the trials of each have chosen.
pub(crate) fn curves<'a, 'b>(folder: &RunFolder, variants: &'a [Variant<'b>]) -> Vec<Vec<&'a Variant<'b>>> {
    let of_curve = |variant: &'a Variant<'b>| {
        let of_row = |tuned: &&TunedRowRecord| tuned.folder == variant.row.folder;
        let tuned = folder.tuning.iter().flat_map(|tuning| &tuning.rows).find(of_row);
        let chosen = tuned.and_then(|row| row.trials.first()).into_iter().flat_map(|trial| &trial.values);
        let settings: Vec<&str> = SCHEDULE.into_iter().chain(chosen.map(|(name, _)| name.as_str())).collect();
        (variant.run_without(&settings), variant)
    };
    by_key(variants.iter().map(of_curve)).into_iter().map(|(_, rows)| rows).collect()
}

/// The rows of a game's plan as curves over budgets: those that have begun as [`curves`] has them, each other one beside rows with
/// the same planned values on axes, schedule and tuned settings left out.
pub(crate) fn planned_curves(folder: &RunFolder, game: GameKind) -> Vec<Vec<&Row>> {
    let tuned = folder.tuning.iter().flat_map(|tuning| &tuning.rows).filter_map(|row| row.trials.first());
    let tuned = tuned.flat_map(|trial| &trial.values).map(|(name, _)| name.as_str());
    let left_out: Vec<&str> = SCHEDULE.into_iter().chain(tuned).collect();
    let is_kept = |axis: &str| !left_out.iter().any(|setting| is_part_of(axis, setting));
    let values = |row: &Row| -> Vec<(String, String)> {
        row.axes.iter().filter(|(axis, _)| is_kept(axis)).map(|(axis, value)| (axis.clone(), value.clone())).collect()
    };
    let variants = of(folder, game);
    let begun = curves(folder, &variants).into_iter();
    let mut planned: Vec<Vec<&Row>> = begun.map(|curve| curve.iter().map(|variant| variant.row).collect()).collect();
    let has_begun = |row: &Row| variants.iter().any(|variant| variant.row.folder == row.folder);
    for (row, _) in folder.lines_of(game).filter(|(row, _)| row.role != Role::Twin && !has_begun(row)) {
        // Plans of older versions have no values.
        let is_own = |curve: &&mut Vec<&Row>| !row.axes.is_empty() && values(curve[0]) == values(row);
        if let Some(curve) = planned.iter_mut().find(is_own) { curve.push(row) } else { planned.push(vec![row]) }
    }
    planned
}

/// Whether a setting is this one or below it.
pub(crate) fn is_part_of(setting: &str, other: &str) -> bool {
    setting.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl<'a> Variant<'a> {
    /// The run without these settings, e.g. `train.learning_rate`.
    pub(crate) fn run_without(&self, places: &[&str]) -> Value {
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
    for place in places {
        setting::remove(&mut config, &setting::keys(place));
    }
    config
}
