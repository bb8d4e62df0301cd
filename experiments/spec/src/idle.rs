//! What an experiment file varies to no effect: values that no row has, and axes along which nothing changes.

use super::axes::{AxisName, Point};
use super::expand::Combination;
use super::experiment::{Role, Row};
use super::file::ExperimentFile;
use super::run::{Mask, RunConfig};
use super::source::{at, dotted};

/// Steps at which two schedules are compared, at most, beside those where they change.
const COMPARED_STEPS: u64 = 10_000;

/// A sentence for each. `combinations` are those of the first rows, in order.
pub(super) fn idle(file: &ExperimentFile, rows: &[Row], combinations: &[Combination]) -> Vec<String> {
    let mut idle = values_in_no_row(file, combinations);
    idle.extend(AxisName::ALL.iter().filter_map(|&axis| nothing_changes_along(axis, rows, combinations)));
    idle
}

/// Values that `exclude` took out of every row, or `include` overwrote in all of them.
fn values_in_no_row(file: &ExperimentFile, combinations: &[Combination]) -> Vec<String> {
    let mut idle = Vec::new();
    for &axis in AxisName::ALL {
        for i in 0..file.axes.points(axis).map_or(0, |values| values.len()) {
            let place = at!["axes", axis.name(), i];
            if !combinations.iter().any(|row| row.origins.get(&axis) == Some(&place)) {
                let place = dotted(&place);
                idle.push(format!(
                    "`{place}` is in no row: `exclude` takes all of them out, or `include` overwrites it"
                ));
            }
        }
    }
    idle
}

/// An axis whose values, all else being equal, come to the same numbers wherever two rows can be compared.
fn nothing_changes_along(axis: AxisName, rows: &[Row], combinations: &[Combination]) -> Option<String> {
    let first: Vec<(&Row, &Point)> = rows
        .iter()
        .filter(|row| row.role != Role::Twin && row.matched.is_none())
        .zip(combinations.iter().map(|combination| &combination.point))
        .collect();
    let pairs = (0..first.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    let along = |&(i, j): &(usize, usize)| {
        let (a, b) = (first[i].1, first[j].1);
        AxisName::ALL.iter().all(|&other| (other == axis) != a.same(b, other))
    };
    let along: Vec<(usize, usize)> = pairs.filter(along).collect();
    let same = |&(i, j): &(usize, usize)| have_the_same_numbers(&first[i].0.run, &first[j].0.run);
    let &(i, j) = along.first().filter(|_| along.iter().all(same))?;
    let (a, b) = (&first[j].0.label, &first[i].0.label);
    Some(format!(
        "the axis `{axis}` has no effect: rows that differ in it only, like {a} and {b}, train in the same way"
    ))
}

/// Whether two runs with different configurations train in the same way all the same.
fn have_the_same_numbers(a: &RunConfig, b: &RunConfig) -> bool {
    let (mut a, mut b) = (a.clone(), b.clone());
    let steps = a.train.steps.min(b.train.steps);
    if same_rates(&a, &b, steps) {
        a.train.learning_rate = b.train.learning_rate.clone();
    }
    // Without a policy there is nothing to mask.
    for run in [&mut a, &mut b] {
        if run.outputs().policy.is_none() && run.outputs().soft_policy.is_none() {
            run.train.mask = Mask::default();
        }
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
