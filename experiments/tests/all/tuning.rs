//! `tune`: one command tries, chooses and trains.

use crate::cli::run;
use records::TuningRecord;
use std::path::Path;
use testing::{assert_says, place, small};

fn record(dir: &Path) -> TuningRecord {
    TuningRecord::read(&dir.join("runs/small")).expect("a record").expect("a tuned grid")
}

/// The small experiment with trials of these rates.
fn tuned(values: &str) -> String {
    let tune = format!("tune:\n  axes: {{train.encoding_rate: {values}}}\n  seeds: [100]\n");
    small().replace("seeds: [0]", &format!("{tune}seeds: [0]"))
}

#[test]
fn one_command_tries_chooses_and_trains_and_a_longer_range_trains_what_is_new() {
    let dir = place(&tuned("[1, 8]"));
    let tuned_by = "trials: policy_loss on validation, tuning seeds [100]";
    let verdicts = "verdicts are tuned: the settings of each row are the best of 2 trials";
    run(&dir, "run experiment.yaml").succeeds().says(&["rows: tuned\n"]).tells(&["tuning: 5 cells of trials"]);
    run(&dir, "report runs/small").succeeds().says(&[verdicts, tuned_by]);
    let before = record(dir.path());
    for row in &before.rows {
        let scores: Vec<f64> = row.trials.iter().map(|trial| trial.score().expect("a score")).collect();
        let best = scores.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(scores[row.chosen.expect("a choice")], best, "{row:?}");
        assert!(dir.path().join("runs/small").join(&row.folder).join("seed-0/metrics.jsonl").is_file());
    }

    assert_eq!(run(&dir, "run experiment.yaml").succeeds().stderr, "", "nothing is trained, so nothing is printed");
    assert_eq!(record(dir.path()), before);

    std::fs::write(dir.path().join("experiment.yaml"), tuned("[1, 8, 64]")).expect("a file");
    // A row may choose a new rate, and then the plan drops its cells of the former one.
    let longer = run(&dir, "run experiment.yaml --replace").succeeds();
    let trials = longer.stderr.lines().filter(|line| line.contains(" cell started: ") && line.ends_with("seed 100"));
    assert_eq!(trials.count(), 2, "one new trial for each of two rows: {}", longer.stderr);
    assert_eq!(record(dir.path()).rows[1].trials[..2], before.rows[1].trials[..]);

    // A bundle has the trials, so its report says that the verdicts are tuned.
    run(&dir, "publish runs/small --out bundle").succeeds();
    let bundle = dir.path().join("bundle");
    let report = std::fs::read_to_string(bundle.join("report.txt")).expect("a report");
    assert_says(&report, &["verdicts are tuned: the settings of each row are the best of 3 trials"]);
    assert!(bundle.join("tuning.json").is_file());
    run(&dir, "verify bundle").succeeds();
}

#[test]
fn the_parts_of_a_run_keep_their_choices_and_a_bundle_has_all_of_them() {
    let dir = place(&tuned("[1, 8]"));
    let part = |rows: &str| run(&dir, &format!("run experiment.yaml --only encoding={rows}")).succeeds();
    part("shaw");
    let chosen = record(dir.path()).rows.into_iter().find(|row| row.chosen.is_some()).expect("shaw has a choice");
    part("none,absolute");
    let both = record(dir.path());
    assert!(both.rows.contains(&chosen) && both.rows.iter().all(|row| row.chosen.is_some()), "{both:?}");
    part("shaw");
    let trials = records::Plan::read(&dir.path().join("runs/small/tuning")).expect("the trials' plan");
    assert_eq!(trials.rows.len(), 5, "a run of some rows leaves the trials of the others in the plan");
    run(&dir, "publish runs/small --out bundle").succeeds();
    let again = run(&dir, "run experiment.yaml --out other --from bundle").succeeds();
    assert!(!again.stderr.contains("cell started"), "{}", again.stderr);
}

#[test]
fn a_smoke_run_tries_the_trials_too() {
    let dir = place(&tuned("[1, 4, 16]"));
    for _ in 0..2 {
        let smoke = run(&dir, "run experiment.yaml --smoke").succeeds();
        smoke.tells(&["tuning: 7 cells of trials"]).says(&["small: everything works\n"]);
    }
    run(&dir, "status runs/smoke-small --once").succeeds().says(&["chess-shaw seed 0"]);
}
