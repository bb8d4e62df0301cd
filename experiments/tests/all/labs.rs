//! A program without labs: their commands are absent, and a file that needs one is refused.

use crate::cli::run;
use std::fs;
use testing::{place, small};

#[test]
fn commands_are_absent_and_evaluations_name_the_lab_that_they_need() {
    let dir = place(&format!("{}evaluate:\n  chess:\n    mates: [mates.fen]\n", small()));
    fs::write(dir.path().join("mates.fen"), "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1\n").expect("written");
    for command in ["eval x", "inspect x", "submit x", "watch x", "data import-net x", "data generate openings"] {
        assert_eq!(run(&dir, command).code, Some(2), "{command:?}");
    }
    run(&dir, "--help").succeeds().says(&["Built without the labs engines, inspect, lc0, play, slurm, watch"]);
    for command in ["check", "run"] {
        run(&dir, &format!("{command} experiment.yaml")).fails_with(&["`evaluate`", "lab `play`", "--features play"]);
    }
}
