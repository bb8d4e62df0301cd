//! Variations without effect in an experiment file: values that no row has, and axes that change no run.

use crate::rows::expand::{Combination, Matrix};
use crate::rows::row::Row;
use crate::settings::run::RunConfig;
use crate::settings::setting::Setting;
use crate::yaml::source::dotted;
use facts::{Role, distinct};
use std::collections::HashMap;

/// The most steps at which two schedules are compared, in addition to those where they change.
const COMPARED_STEPS: u64 = 10_000;

/// One sentence for each. `combinations` are those of the first rows, in order.
pub(crate) fn sentences(matrix: Matrix<'_>, rows: &[Row], combinations: &[Combination]) -> Vec<String> {
    let mut sentences = values_in_no_row(matrix, combinations);
    let mut axes: Vec<&Setting> = distinct(combinations.iter().flat_map(|row| row.point.settings()));
    axes.sort_by_key(|setting| setting.rank());
    sentences.extend(axes.into_iter().filter_map(|axis| axis_without_effect(axis, rows, combinations)));
    sentences
}

/// Values that `exclude` removes from every row, or that `include` overwrites in all of them.
fn values_in_no_row(matrix: Matrix<'_>, combinations: &[Combination]) -> Vec<String> {
    let mut sentences = Vec::new();
    for (axis, values) in &matrix.file.axes.0 {
        for value in values.elements() {
            let is_there =
                |row: &Combination| row.point.get(axis).is_some_and(|own| own.origin.path == value.origin.path);
            if !combinations.iter().any(is_there) {
                let place = dotted(&value.origin.path);
                sentences.push(format!(
                    "`{place}` is in no row: `exclude` takes all of them out, or `include` overwrites it"
                ));
            }
        }
    }
    sentences
}

/// An axis along which all rows that differ in nothing else train in the same way.
fn axis_without_effect(axis: &Setting, rows: &[Row], combinations: &[Combination]) -> Option<String> {
    let first = rows.iter().filter(|row| row.role != Role::Twin && row.matched.is_none());
    let mut alike: HashMap<String, Vec<(&Row, &Combination)>> = HashMap::new();
    let mut like = None;
    for (row, combination) in first.zip(combinations) {
        let before = alike.entry(combination.without([axis]).to_string()).or_default();
        for &(other, _) in before.iter().filter(|(_, other)| other.json != combination.json) {
            if !have_the_same_numbers(&row.run, &other.run) {
                return None;
            }
            like.get_or_insert((&other.label, &row.label));
        }
        before.push((row, combination));
    }
    let (a, b) = like?;
    Some(format!(
        "the axis `{axis}` has no effect: rows that differ in it only, like {a} and {b}, train in the same way"
    ))
}

/// Whether two runs train in the same way although their configurations differ.
fn have_the_same_numbers(a: &RunConfig, b: &RunConfig) -> bool {
    let (mut a, mut b) = (a.clone(), b.clone());
    let steps = a.train.steps.min(b.train.steps);
    if same_rates(&a, &b, steps) {
        a.train.learning_rate = b.train.learning_rate.clone();
    }
    for run in [&mut a, &mut b] {
        run.train.mask = run.acting_mask();
    }
    a == b
}

fn same_rates(a: &RunConfig, b: &RunConfig, steps: u64) -> bool {
    let (a, b) = (&a.train.learning_rate, &b.train.learning_rate);
    let spread = (0..steps).step_by(usize::try_from(steps.div_ceil(COMPARED_STEPS).max(1)).unwrap_or(usize::MAX));
    let changes = [a, b].into_iter().flat_map(|rate| rate.changes().into_iter().chain([rate.warmup()]));
    let around = changes.flat_map(|step| [step.saturating_sub(1), step]).filter(|&step| step < steps);
    spread.chain(around).chain(steps.checked_sub(1)).all(|step| a.at(step).to_bits() == b.at(step).to_bits())
}
