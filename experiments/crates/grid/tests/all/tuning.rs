//! The choice among trials, from what cells left.

use grid::Selector;
use grid::tuning::TuningSearch;
use records::Status;
use records::status::State;
use serde_json::json;
use std::fs;
use std::path::Path;
use testing::{load, small};

/// A trial whose loss on validation positions is this; a status with an error without one.
fn leave(cell: &Path, loss: Option<f64>, error: &str) {
    fs::create_dir_all(cell).expect("the cell's folder");
    let mut status = Status::new(State::Done, 8, 8);
    if let Some(loss) = loss {
        let time = json!({"unix_s": 0.0, "wall_s": 1.0, "positions_per_s": 10.0});
        let metrics = json!({"policy_loss": loss});
        let line = json!({"step": 8, "split": "validation", "epochs": 0.5, "metrics": metrics, "time": time});
        fs::write(cell.join("metrics.jsonl"), format!("{line}\n")).expect("metrics");
    } else {
        (status.state, status.error) = (State::Failed, Some(error.to_owned()));
    }
    status.write(cell).expect("a status");
}

#[test]
fn a_row_outside_of_the_selection_keeps_its_choice_although_a_trial_diverged() {
    let tune = "tune:\n  axes: {train.encoding_rate: [1, 8]}\n  seeds: [100]\nseeds: [0]";
    let experiment = load(&small().replace("seeds: [0]", tune));
    let tuning = experiment.tuning.as_ref().expect("trials");
    let shaw = tuning.rows.iter().position(|row| row.label.contains("shaw")).expect("a row");
    for (error, chosen) in
        [("step 3: the loss is not finite", Some(1)), ("cannot write: No space left on device (os error 28)", None)]
    {
        let dir = tempfile::tempdir().expect("a folder for the test");
        let cell = |trial: usize| dir.path().join(tuning.row(shaw, trial).folder()).join("seed-100");
        leave(&cell(0), None, error);
        leave(&cell(1), Some(2.0), "");
        let only = ["encoding=none".parse::<Selector>().expect("a selection")];
        let search = TuningSearch::new(&experiment, &only).expect("a search").expect("trials");
        let (_, record) = search.choose(dir.path()).expect("readable");
        assert_eq!(record.rows[shaw].chosen, chosen, "{error}");
    }
}
