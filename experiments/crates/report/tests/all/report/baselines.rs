//! Policies without a network stand in the tables, and rows that do not beat the log-linear one are marked.

use crate::report::folder::{Folder, has, lacks, row};
use crate::report::heads::tables;
use facts::Mask;
use records::baselines::{FILE, FORMAT};
use report::{csv, text};
use serde_json::{Value, json};
use std::fs;

/// The log-linear loss: above shaw's 2.313…, below absolute's 2.41 and rope's 2.413….
const LOG_LINEAR: f64 = 2.405;

/// A finished grid with baselines on the test positions of these rows; all others are tested elsewhere.
fn folder(of: impl Fn(&str) -> bool) -> Folder {
    let folder = Folder::finished();
    let baseline = |(name, loss): (&str, f64)| -> Value {
        json!({"name": name, "loss": loss, "accuracy": 0.25, "weights": 53, "training_positions": 8192})
    };
    let baselines = [("uniform", 3.4), ("static_prior", 3.1), ("log_linear", LOG_LINEAR)].map(baseline);
    let rows = folder.plan.rows.iter().filter(|row| of(&row.label)).map(|row| &row.folder[..]);
    let set = json!({
        "identity": "i", "game": "chess", "dataset": "x", "content_hash": "d", "asked": 4000, "positions": 3000,
        "games": 30, "target_entropy": 1.2, "rows": rows.collect::<Vec<&str>>(), "baselines": baselines,
    });
    let record = json!({"format": FORMAT, "sets": [set]});
    fs::write(folder.path().join(FILE), record.to_string()).expect("the record");
    folder
}

#[test]
fn the_tables_have_a_line_for_each_and_mark_rows_that_do_not_beat_the_model() {
    let report = folder(|_| true).report();
    let missing: Vec<bool> = report.games[0].rows.iter().map(|row| row.misses_log_linear()).collect();
    assert_eq!(missing, [true, false, true]);
    let drawn = text::draw(&report);
    let parts = [
        "absolute †",
        "RoPE †",
        "(baseline)",
        "log-linear model: 53 weights, fitted on 8,192 training positions",
        "†: does not beat the log-linear baseline (policy loss 2.405)",
        "chess: the policy loss of absolute, RoPE does not beat the log-linear baseline (2.405 nats, 53 weights)",
    ];
    has(&drawn.replace('\n', " "), &parts);
    lacks(&drawn, &["Shaw †"]);
    let widest = drawn.lines().filter(|line| !line.contains("Holm")).map(|line| line.chars().count()).max();
    assert!(widest <= Some(140), "{widest:?} columns:\n{drawn}");
    for drawn in crate::report::folder::drawn(&report) {
        assert!(drawn.contains("log-linear model") && drawn.contains("static prior"), "{drawn}");
    }
    assert!(csv::draw(&report).contains("by-hand,chess,log-linear model,baseline,policy_loss,,2.405,"));
}

#[test]
fn the_distances_are_those_of_the_losses() {
    let tables = tables(&folder(|_| true).report());
    let table = tables.iter().find(|table| table[0].iter().any(|name| name == "below log-linear")).expect("a table");
    let line = |name: &str| {
        let line = table.iter().find(|line| line.iter().any(|cell| cell.contains(name))).expect("the line");
        let value = |column: &str| line[table[0].iter().position(|name| name == column).expect("a column")].clone();
        ["below uniform", "below log-linear", "policy_kl", "policy_top5 %"].map(value)
    };
    assert_eq!(line("Shaw")[..2], ["1.087", "0.092"]);
    assert_eq!(line("log-linear model"), ["0.995", "0.000", "1.205", "–"]);
    assert_eq!(line("uniform over legal moves"), ["0.000", "−0.995", "2.200", "–"]);
}

#[test]
fn a_row_is_marked_by_the_baseline_of_its_own_test_positions() {
    let mut elsewhere = folder(|label| label == "absolute");
    let report = elsewhere.report();
    assert!(row(&report, "absolute").misses_log_linear() && !row(&report, "rope").misses_log_linear());
    // A row that is judged on illegal moves too solves another task.
    elsewhere.edit(|plan| plan.rows.iter_mut().for_each(|row| row.mask = Mask::None));
    assert!(!row(&elsewhere.report(), "absolute").misses_log_linear());
}

#[test]
fn a_run_without_the_record_shows_what_it_has() {
    let report = Folder::finished().report();
    assert_eq!(report.games[0].baselines, None);
    let drawn = text::draw(&report);
    assert!(drawn.contains("uniform 3.400 nats") && drawn.contains("below uniform"), "{drawn}");
    lacks(&drawn, &["†", "log-linear", "static prior"]);
}
