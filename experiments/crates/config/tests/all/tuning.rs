//! `tune`: settings chosen for each row by trials.

use crate::cli::{EXPERIMENT, datasets, place, run, small};
use config::tuning::Trial;
use config::{Experiment, Role, Source, Tuning};
use records::TuningRecord;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

static DATA: LazyLock<TempDir> = LazyLock::new(|| {
    let dir = TempDir::new().expect("a temporary folder");
    datasets(dir.path());
    dir
});

const TUNE: &str = "tune:\n  axes: {train.encoding_rate: [1, 4, 16]}\n  seeds: [100, 101]\n";

/// The small experiment with this before its seeds.
fn with(tune: &str) -> String {
    EXPERIMENT.replace("seeds: [0, 1, 2]", &format!("{tune}seeds: [0, 1, 2]"))
}

fn load_with(text: &str, sets: &[&str]) -> Result<Experiment, String> {
    let source = Source::new(&DATA.path().join("experiment.yaml"), text);
    let sets: Vec<String> = sets.iter().map(|&set| set.to_owned()).collect();
    Experiment::with(&source, &sets).map_err(|error| error.to_string())
}

#[track_caller]
fn load(tune: &str) -> (Experiment, Tuning) {
    let experiment = load_with(&with(tune), &[]).unwrap_or_else(|error| panic!("{error}"));
    let tuning = experiment.tuning.clone().expect("something is tuned");
    (experiment, tuning)
}

#[track_caller]
fn refused(tune: &str, parts: &[&str]) {
    let message = load_with(&with(tune), &[]).expect_err("it is accepted");
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in:\n{message}");
    }
}

fn values(trials: &[Trial]) -> Vec<String> {
    let text = |trial: &Trial| trial.values.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>().join(" ");
    trials.iter().map(text).collect()
}

fn all(tuning: &Tuning) -> Vec<Vec<usize>> {
    tuning.rows.iter().map(|row| (0..row.trials.len()).collect()).collect()
}

#[test]
fn every_row_tries_every_value_on_seeds_of_its_own() {
    let (experiment, tuning) = load(TUNE);
    assert_eq!(tuning.rows.len(), 6, "the rows without their A/A controls");
    assert!(tuning.rows.iter().all(|row| values(&row.trials) == ["1", "4", "16"]));
    let trials = experiment.trials(0, &all(&tuning)).expect("a round of trials");
    assert_eq!((trials.name.as_str(), &trials.seeds[..]), ("small/tuning", &[100, 101][..]));
    // `none` has no parameter to which a rate belongs: its trials are one run.
    assert_eq!(trials.rows.len(), 2 * (1 + 3 + 3));
    assert!(trials.rows.iter().all(|row| row.run.train.steps == 8 && row.role != Role::Twin));
    assert!(experiment.trials(1, &all(&tuning)).is_none(), "there is one round");
}

#[test]
fn a_choice_changes_the_row_and_not_its_label() {
    let (experiment, _) = load(TUNE);
    let tuned = experiment.tuned(&[0, 1, 2, 0, 1, 2]);
    let labels = |experiment: &Experiment| experiment.rows.iter().map(|row| row.label.clone()).collect::<Vec<_>>();
    assert_eq!(labels(&tuned), labels(&experiment));
    let rates: Vec<f64> = tuned.rows.iter().map(|row| row.run.train.encoding_rate).collect();
    assert_eq!(rates, [1.0, 4.0, 16.0, 1.0, 4.0, 16.0, 1.0, 1.0]);
    let roles = |experiment: &Experiment| experiment.rows.iter().map(|row| row.role).collect::<Vec<_>>();
    assert_eq!(roles(&tuned), roles(&experiment));
    // The cell is the one that the value written by hand makes.
    let by_hand = EXPERIMENT.replace("    mask: train\n", "    mask: train\n    encoding_rate: 16\n");
    let by_hand = load_with(&by_hand, &[]).expect("an experiment");
    assert_eq!(tuned.rows[2].hash, by_hand.rows[2].hash);
    assert_ne!(tuned.rows[2].hash, experiment.rows[2].hash);
}

#[test]
fn rows_can_have_axes_of_their_own_with_equally_many_trials() {
    let conditional = |values: &str| {
        format!("{TUNE}  conditional:\n    - when: {{encoding: none}}\n      axes: {{learning_rate: {values}}}\n")
    };
    let (_, tuning) = load(&conditional("[1e-3, 2e-3, 3e-3]"));
    assert_eq!(tuning.rows[0].trials[1].values[0].0.name(), "learning_rate");
    assert_eq!(tuning.rows[1].trials[1].values[0].0.name(), "train.encoding_rate");
    refused(&conditional("[1e-3, 2e-3]"), &["some rows have 2 trials and others 3", "give every row equally many"]);
}

#[test]
fn a_random_search_draws_the_same_places_for_every_row() {
    let axes = "axes: {train.encoding_rate: [1, 4, 16, 64], train.clip: [1, 10]}\n";
    let (_, tuning) = load(&format!("tune:\n  {axes}  search: {{random: 5}}\n  seeds: [100]\n"));
    let places = |row: usize| tuning.rows[row].trials.iter().map(|trial| trial.place.clone()).collect::<Vec<_>>();
    assert_eq!((places(0).len(), places(0).iter().collect::<BTreeSet<_>>().len()), (5, 5));
    assert!((1..6).all(|row| places(row) == places(0)));
}

#[test]
fn successive_halving_keeps_the_better_third() {
    let axes = "axes: {train.encoding_rate: [1, 2, 4, 8, 16, 32, 64]}\n";
    let (experiment, tuning) =
        load(&format!("tune:\n  {axes}  search: {{halving: {{steps: [2, 4, 6]}}}}\n  seeds: [100]\n"));
    let rounds: Vec<_> = tuning.rounds.iter().map(|round| (round.steps, round.keep)).collect();
    assert_eq!(rounds, [(Some(2), 3), (Some(4), 1), (Some(6), 1)]);
    let second = experiment.trials(1, &vec![vec![0, 3]; 6]).expect("a second round");
    assert_eq!(second.name, "small/tuning-2");
    assert!(second.rows.iter().all(|row| row.run.train.steps == 4));
    refused(
        &format!("tune:\n  {axes}  search: {{halving: {{steps: [4, 2]}}}}\n  seeds: [100]\n"),
        &["rising numbers", "halving: {steps:"],
    );
}

#[test]
fn what_cannot_be_tuned_is_refused() {
    refused(&TUNE.replace("[100, 101]", "[100, 1]"), &["the seed 1 is also one of `seeds`", "favours the row"]);
    refused(&TUNE.replace("[100, 101]", "[]"), &["there is no seed"]);
    refused(&TUNE.replace("[100, 101]", "[100, 100]"), &["the seed 100 stands twice"]);
    refused(&TUNE.replace("[1, 4, 16]", "[]"), &["no values to try"]);
    refused(&TUNE.replace("train.encoding_rate: [1, 4, 16]", "eval.every: [1, 2]"), &["cannot be tuned"]);
    refused(&TUNE.replace("train.encoding_rate: [1, 4, 16]", ""), &["there is nothing to tune"]);
    refused(&TUNE.replace("[1, 4, 16]", "[1, -4]"), &["a number, 0 or more"]);
}

#[test]
fn the_command_line_can_fix_what_a_file_tunes() {
    let fixed = load_with(&with(TUNE), &["train.encoding_rate=3"]).expect("an experiment");
    assert_eq!(fixed.tuning, None);
    assert!(fixed.rows.iter().filter(|row| row.label.contains("shaw")).all(|row| row.run.train.encoding_rate == 3.0));
}

#[test]
fn a_control_is_tuned_with_its_own_sizes() {
    let controls = "controls:\n  - row: {encoding: none, game: chess}\n    match: {params: {encoding: {shaw: {terms: [q, k]}}}, by: ffn}\n";
    let (experiment, tuning) = load(&format!("{TUNE}{controls}"));
    let control = experiment.rows.iter().position(|row| row.matched.is_some()).expect("a control");
    assert_eq!(tuning.rows.len(), 7);
    let tuned = experiment.tuned(&[2; 7]);
    assert_eq!(tuned.rows[control].run.model, experiment.rows[control].run.model);
    let goal = tuned.rows.iter().find(|row| row.label == "chess-shaw").expect("the goal").folder();
    assert_eq!(tuned.rows[control].matched.as_ref().map(|matched| matched.goal_folder.clone()), Some(goal));
    let of_network =
        controls.to_owned() + &TUNE.replace("train.encoding_rate: [1, 4, 16]", "model.chessformer.ff: [8, 16]");
    refused(&of_network, &["cannot be tuned beside matched controls"]);
}

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
    let first = run(dir.path(), &["run", "experiment.yaml"]).succeeds();
    assert!(first.stderr.contains("tuning, round 1 of 1: 5 cells of trials"), "{}", first.stderr);
    assert!(
        first.stdout.contains("verdicts are tuned: the settings of each row are the best of 2 trials"),
        "{}",
        first.stdout
    );
    assert!(first.stdout.contains("trials: policy_loss on validation, tuning seeds [100]"), "{}", first.stdout);
    let before = record(dir.path());
    for row in &before.rows {
        let scores: Vec<f64> = row.trials.iter().map(|trial| trial.score().expect("a score")).collect();
        let best = scores.iter().copied().fold(f64::INFINITY, f64::min);
        assert_eq!(scores[row.chosen.expect("a choice")], best, "{row:?}");
        assert!(dir.path().join("runs/small").join(&row.folder).join("seed-0/metrics.jsonl").is_file());
    }

    let again = run(dir.path(), &["run", "experiment.yaml"]).succeeds();
    assert_eq!(again.stderr, "", "nothing is trained, so nothing is told");
    assert_eq!(record(dir.path()), before);

    std::fs::write(dir.path().join("experiment.yaml"), tuned("[1, 8, 64]")).expect("a file");
    // A row may choose a new rate, and then the plan drops its cells of the former one.
    let longer = run(dir.path(), &["run", "experiment.yaml", "--replace"]).succeeds();
    let trials = longer.stderr.lines().filter(|line| line.starts_with("cell started") && line.ends_with("seed 100"));
    assert_eq!(trials.count(), 2, "one new trial for each of two rows: {}", longer.stderr);
    assert_eq!(record(dir.path()).rows[1].trials[..2], before.rows[1].trials[..]);

    // A bundle has the trials, so its report says that the verdicts are tuned.
    run(dir.path(), &["publish", "runs/small", "--out", "bundle"]).succeeds();
    let bundle = dir.path().join("bundle");
    let report = std::fs::read_to_string(bundle.join("report.txt")).expect("a report");
    assert!(report.contains("verdicts are tuned: the settings of each row are the best of 3 trials"), "{report}");
    assert!(bundle.join("tuning.json").is_file());
    let plan = records::Plan::read(&bundle.join("tuning")).expect("the trials' plan");
    assert_eq!(plan.seeds, [100]);
    for row in &plan.rows {
        let trial = records::Plan::cell_dir(&bundle.join("tuning"), row, 100);
        assert!(trial.join("metrics.jsonl").is_file() && trial.join("config.yaml").is_file(), "{}", row.folder);
    }
    run(dir.path(), &["verify", "bundle"]).succeeds();
}

#[test]
fn the_parts_of_a_run_keep_their_choices_and_a_bundle_has_all_of_them() {
    let dir = place(&tuned("[1, 8]"));
    let part =
        |rows: &str| run(dir.path(), &["run", "experiment.yaml", "--only", &format!("encoding={rows}")]).succeeds();
    part("shaw");
    let chosen = record(dir.path()).rows.into_iter().find(|row| row.chosen.is_some()).expect("shaw has a choice");
    part("none,absolute");
    let both = record(dir.path());
    assert!(both.rows.contains(&chosen) && both.rows.iter().all(|row| row.chosen.is_some()), "{both:?}");
    part("shaw");
    let trials = records::Plan::read(&dir.path().join("runs/small/tuning")).expect("the trials' plan");
    assert_eq!(trials.rows.len(), 5, "a run of some rows leaves the trials of the others in the plan");
    run(dir.path(), &["publish", "runs/small", "--out", "bundle"]).succeeds();
    let again = run(dir.path(), &["run", "experiment.yaml", "--out", "other", "--from", "bundle"]).succeeds();
    assert!(!again.stderr.contains("cell started"), "{}", again.stderr);
}

#[test]
fn a_cell_of_another_run_folder_is_not_trained_again() {
    let dir = place(&small());
    run(dir.path(), &["run", "experiment.yaml"]).succeeds();
    let other = small().replace("name: small", "name: other");
    std::fs::write(dir.path().join("experiment.yaml"), &other).expect("a file");
    let second = run(dir.path(), &["run", "experiment.yaml"]).succeeds();
    assert!(
        second.stderr.contains("4 cells were finished in other run folders and are copied from there"),
        "{}",
        second.stderr
    );
    assert!(!second.stderr.contains("cell started"), "{}", second.stderr);
    let metrics = |name: &str| {
        let plan = records::Plan::read(&dir.path().join("runs").join(name)).expect("a plan");
        let cell = records::Plan::cell_dir(&dir.path().join("runs").join(name), &plan.rows[2], 0);
        std::fs::read(cell.join("metrics.jsonl")).expect("metrics")
    };
    assert_eq!(metrics("small"), metrics("other"));
    // From a folder of run folders elsewhere, too.
    std::fs::rename(dir.path().join("runs"), dir.path().join("elsewhere")).expect("a folder");
    let third = run(dir.path(), &["run", "experiment.yaml", "--cells", "elsewhere"]).succeeds();
    assert!(third.stderr.contains("4 cells were finished in other run folders"), "{}", third.stderr);
}

#[test]
fn a_smoke_run_tries_the_trials_too() {
    let dir = place(&small().replace("seeds: [0]", &format!("{TUNE}seeds: [0]")));
    for _ in 0..2 {
        let smoke = run(dir.path(), &["run", "experiment.yaml", "--smoke"]).succeeds();
        assert!(smoke.stderr.contains("tuning, round 1 of 1: 14 cells of trials"), "{}", smoke.stderr);
        assert!(smoke.stdout.contains("3 cells finished (and 1 A/A controls)"), "{}", smoke.stdout);
    }
    let status = run(dir.path(), &["status", "runs/smoke-small", "--once"]).succeeds();
    assert!(status.stdout.contains("chess-shaw seed 0"), "{}", status.stdout);
}
