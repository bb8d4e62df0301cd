//! `tune`: settings chosen for each row by trials.

use config::trials::Trial;
use config::{Experiment, Role, Tuning};
use std::collections::BTreeSet;
use testing::{EXPERIMENT, load_with, refused};

const TUNE: &str = "tune:\n  axes: {train.encoding_rate: [1, 4, 16]}\n  seeds: [100, 101]\n";

/// The small experiment with this before its seeds.
fn with(tune: &str) -> String {
    EXPERIMENT.replace("seeds: [0, 1, 2]", &format!("{tune}seeds: [0, 1, 2]"))
}

#[track_caller]
fn load(tune: &str) -> (Experiment, Tuning) {
    let experiment = load_with(&with(tune), &[]).unwrap_or_else(|error| panic!("{error}"));
    let tuning = experiment.tuning.clone().expect("something is tuned");
    (experiment, tuning)
}

fn values(trials: &[Trial]) -> Vec<String> {
    let text = |trial: &Trial| trial.values.iter().map(|(_, value)| value.clone()).collect::<Vec<_>>().join(" ");
    trials.iter().map(text).collect()
}

#[test]
fn every_row_tries_every_value_on_seeds_of_its_own() {
    let (experiment, tuning) = load(TUNE);
    assert_eq!(tuning.rows.len(), 6, "the rows without their A/A controls");
    assert!(tuning.rows.iter().all(|row| values(&row.trials) == ["1", "4", "16"]));
    let trials = experiment.trials().expect("trials");
    assert_eq!((trials.name.as_str(), &trials.seeds[..]), ("small/tuning", &[100, 101][..]));
    // `none` has no parameter to which a rate belongs: its trials are one run.
    assert_eq!(trials.rows.len(), 2 * (1 + 3 + 3));
    assert!(trials.rows.iter().all(|row| row.run.train.steps == 8 && row.role != Role::Twin));
    assert!(trials.trials().is_none(), "trials are not tuned");
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
    // What the command line sets is not tried, and the row tries what others do.
    let set = load_with(&with(&conditional("[1e-3, 2e-3, 3e-3]")), &["learning_rate=1e-3"]).expect("an experiment");
    assert_eq!(values(&set.tuning.expect("something is tuned").rows[0].trials), ["1", "4", "16"]);
}

#[test]
fn a_random_search_draws_the_same_places_for_every_row() {
    let axes = "axes: {train.encoding_rate: [1, 4, 16, 64], train.clip: [1, 10]}\n";
    let (_, tuning) = load(&format!("tune:\n  {axes}  search: {{random: 5}}\n  seeds: [100]\n"));
    let places = |row: usize| tuning.rows[row].trials.iter().map(|trial| trial.place.clone()).collect::<Vec<_>>();
    assert_eq!((places(0).len(), places(0).iter().collect::<BTreeSet<_>>().len()), (5, 5));
    assert!((1..6).all(|row| places(row) == places(0)));
    let numbers = format!("{:?}", (1..=1000).collect::<Vec<u16>>());
    let axes = format!("axes: {{train.encoding_rate: {numbers}, train.clip: {numbers}}}\n");
    let (_, tuning) = load(&format!("tune:\n  {axes}  search: {{random: 5}}\n  seeds: [100]\n"));
    assert_eq!(tuning.rows[0].trials.len(), 5, "of a million combinations");
}

#[test]
fn too_many_trials_are_refused() {
    let many = format!("{:?}", (1..=20_000).collect::<Vec<u16>>());
    refused(&with(&TUNE.replace("[1, 4, 16]", &many)), &["120000 rows with 2 seeds are too many cells"]);
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
    let phased = with(&(TUNE.replace("encoding_rate: [1, 4, 16]", "steps: [4, 6]") + controls));
    let phased = phased.replace("    mask: train\n", "    mask: train\n    phases: [{steps: 2}, {}]\n");
    let tuned = load_with(&phased, &[]).expect("an experiment").tuned(&[1; 7]);
    assert!(tuned.rows.iter().all(|row| row.data.phase_ends == [2, 6]), "a control has the phases of its trial");
}
