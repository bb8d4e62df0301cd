//! Step times of a valid experiment, and the rows that share a property.

use crate::commands::bench::contenders;
use config::{Experiment, Row, grouped};
use tch::Device;
use train::bench::{BenchOptions, StepTime, step_times};

/// The splits of which an evaluation asks for more positions than there are, and so reads all.
pub(super) fn read_whole(row: &Row) -> Vec<String> {
    let asked = [
        ("validation", row.run.eval.validation_positions as u64, row.data.validation_positions),
        ("test", row.run.eval.test_positions as u64, row.data.test_positions),
    ];
    let asked = asked.into_iter().filter(|(_, asked, there)| asked > there);
    asked.map(|(split, asked, _)| format!("all {split} positions are read, of {} asked for", grouped(asked))).collect()
}

/// Seconds of a training step of each row on one CPU thread, rows taking turns; twins, which come last, are left out.
pub(super) fn measure(experiment: &Experiment) -> anyhow::Result<Vec<f64>> {
    let options = BenchOptions { threads: 1, device: Device::Cpu, rounds: 5, warm_up: 2 };
    let (contenders, _) = contenders::rows(experiment);
    Ok(step_times(&contenders, &options)?.iter().map(StepTime::median_s).collect())
}

/// The labels of the rows that share a property, by property in the order of the rows.
pub(super) fn labels_by<'a, K: PartialEq>(
    rows: impl Iterator<Item = &'a Row>,
    property: impl Fn(&'a Row) -> K,
) -> Vec<(K, Vec<&'a str>)> {
    let mut sets: Vec<(K, Vec<&str>)> = Vec::new();
    for row in rows {
        let found = property(row);
        match sets.iter_mut().find(|(known, _)| *known == found) {
            Some((_, labels)) => labels.push(&row.label),
            None => sets.push((found, vec![&row.label])),
        }
    }
    sets
}
