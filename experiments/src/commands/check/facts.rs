//! Warnings and step times of a valid experiment, and the rows that share a property.

use config::{Experiment, Role, Row, grouped};
use tch::Device;
use train::bench::{BenchOptions, BenchRun, StepTime, step_times};

/// Pairs of seeds below which no verdict is given.
const SEEDS_FOR_A_VERDICT: usize = 3;

/// Warnings about an experiment that can run but may not answer its question.
pub(super) fn warnings(experiment: &Experiment) -> Vec<String> {
    let mut warnings = experiment.no_effect.clone();
    let seeds = experiment.seeds.len();
    if seeds < SEEDS_FOR_A_VERDICT {
        let give = if seeds == 1 { "seed gives" } else { "seeds give" };
        warnings.push(format!("{seeds} {give} no verdict: at least {SEEDS_FOR_A_VERDICT} complete pairs are needed"));
    }
    for game in experiment.games() {
        let rows: Vec<&Row> = without_twins(experiment).filter(|row| row.run.game == game).collect();
        let name = game.name();
        if let Some(row) = rows.iter().find(|row| row.epochs() > 1.0) {
            let (label, epochs) = (&row.label, row.epochs());
            warnings
                .push(format!("{name}: {label} sees the training split {epochs:.2} times; beyond 1 it may memorise"));
        }
        if rows.len() < 2 {
            warnings.push(format!("{name}: there is one row only, so nothing is compared"));
        } else if rows.iter().all(|row| row.role == Role::Reference) {
            warnings.push(format!("{name}: every row is a reference, so nothing is compared"));
        }
        let late = rows.iter().find_map(|row| Some((row, never_reached(row)?)));
        if let Some((row, boundary)) = late {
            let (label, steps) = (&row.label, row.run.train.steps);
            warnings
                .push(format!("{name}: {label} has {steps} steps, so its learning rate never changes at {boundary}"));
        }
    }
    warnings
}

/// The splits of which an evaluation asks for more positions than there are, and so reads all.
pub(super) fn read_whole(row: &Row) -> Vec<String> {
    let asked = [
        ("validation", row.run.eval.validation_positions as u64, row.data.validation_positions),
        ("test", row.run.eval.test_positions as u64, row.data.test_positions),
    ];
    let asked = asked.into_iter().filter(|(_, asked, there)| asked > there);
    asked.map(|(split, asked, _)| format!("all {split} positions are read, of {} asked for", grouped(asked))).collect()
}

fn without_twins(experiment: &Experiment) -> impl Iterator<Item = &Row> {
    experiment.rows.iter().filter(|row| row.role != Role::Twin)
}

/// The end of warm-up or a boundary of the schedule after the last step.
fn never_reached(row: &Row) -> Option<u64> {
    let rate = &row.run.train.learning_rate;
    rate.changes().into_iter().chain([rate.warmup()]).find(|&step| step > row.run.train.steps)
}

/// Seconds of a training step of each row on one CPU thread, rows taking turns; twins, which come last, are left out.
pub(super) fn measure(experiment: &Experiment) -> anyhow::Result<Vec<f64>> {
    let options = BenchOptions { threads: 1, device: Device::Cpu, rounds: 5, warm_up: 2 };
    let contender = |row: &Row| BenchRun { name: row.label.clone(), run: row.run.clone() };
    let contenders: Vec<BenchRun> = without_twins(experiment).map(contender).collect();
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
