//! Reports show the metrics of the heads that the networks have, and no others.

use crate::report::folder::{Folder, drawn, has, lacks};
use report::{Report, csv, markdown, text};
use serde_json::{Value, json};

/// A finished grid whose cells have these metrics on test in place of the usual ones; `loss` is that of a cell.
fn folder(primary: &str, test: impl Fn(f64) -> Value) -> Folder {
    let mut folder = Folder::finished();
    folder.by_loss(|loss, line| {
        line["metrics"] = if line["split"] == "test" { test(loss) } else { json!({primary: loss}) };
    });
    folder.edit(|plan| plan.primary.metric = primary.to_owned());
    folder
}

fn of_maps() -> Folder {
    folder("map_balanced_accuracy", |loss| {
        json!({
            "positions": 4000.0, "map_loss": loss / 2.0, "map_accuracy": loss / 3.0, "map_recall": 0.5,
            "map_specificity": 0.75, "map_balanced_accuracy": loss / 4.0, "map_cells": 256_000.0,
            "map_loss.endgame": loss, "map_balanced_accuracy.endgame": 0.5, "map_cells.endgame": 64_000.0,
            "map_balanced_accuracy.novel": loss / 5.0,
        })
    })
}

/// The tables of a report in Markdown: rows of cells, the header first.
pub(crate) fn tables(report: &Report) -> Vec<Vec<Vec<String>>> {
    let drawn = markdown::draw(report);
    let is_table = |block: &&str| block.starts_with('|');
    let cells = |line: &str| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    let lines = |block: &str| block.lines().filter(|line| !line.starts_with("| --")).map(cells).collect();
    drawn.split("\n\n").filter(is_table).map(lines).collect()
}

#[test]
fn no_table_has_a_column_without_a_value() {
    let heads = folder("policy_loss", |loss| json!({"policy_loss": loss, "moves_left_loss": 1.0, "q_loss": 0.5}));
    for folder in [Folder::finished(), Folder::of_two_games(), of_maps(), heads] {
        for table in tables(&folder.report()) {
            for column in 0..table[0].len() {
                let is_empty = |row: &Vec<String>| matches!(&row[column][..], "–" | "n/a");
                assert!(!table[1..].iter().all(is_empty), "{:?} in {table:?}", table[0][column]);
            }
        }
    }
}

#[test]
fn a_grid_of_maps_reports_maps_and_neither_moves_nor_values() {
    let report = of_maps().report();
    for drawn in drawn(&report).map(|drawn| drawn.replace('\\', "")) {
        has(&drawn, &["map_loss", "map_recall %", "map_specificity %", "map_balanced_accuracy", "256,000 map cells"]);
        lacks(&drawn, &["policy", "value_", "uniform", "top5"]);
    }
    let drawn = text::draw(&report);
    // The primary metric has its own table and is the accuracy that is shown by phase.
    has(&drawn, &["map_loss and map_balanced_accuracy by phase (map cells)", "endgame (64,000)", "0.6025 ± 0.0025"]);
    has(&drawn, &["map on test positions", "map_recall: "]);
    lacks(&drawn, &["map_balanced_accuracy %"]);
    assert!(csv::draw(&report).contains(",map_balanced_accuracy,3,"));
}

#[test]
fn small_heads_share_a_table_and_further_losses_belong_to_their_head() {
    let report = folder("policy_loss", |loss| {
        json!({
            "policy_loss": loss, "policy_kl": 1.0, "policy_accuracy": 0.4, "policy_top5": 0.8, "uniform_baseline": 3.4,
            "value_loss": 0.9, "value_accuracy": 0.6, "q_loss": 0.3, "q_error_loss": 0.2, "q_buckets_loss": 0.1,
            "moves_left_loss": 0.5, "moves_left_error": 11.0, "soft_policy_loss": 3.0, "soft_policy_kl": 0.2,
        })
    })
    .report();
    let names: Vec<&str> = report.games[0].heads.iter().map(|head| head.name).collect();
    assert_eq!(names, ["policy", "result", "soft_policy", "q", "moves_left"]);
    let headers: Vec<String> = tables(&report).iter().map(|table| table[0].join(" ")).collect();
    let expected = "row below uniform learnt % policy_kl policy_accuracy % policy_top5 % value_loss";
    assert!(headers.iter().any(|header| header.starts_with(expected)), "{headers:?}");
    let drawn = text::draw(&report);
    has(&drawn, &["policy, result on test positions", "soft policy, q, moves left on test positions"]);
    let widest = drawn.lines().filter(|line| !line.contains("Holm")).map(|line| line.chars().count()).max();
    assert!(widest <= Some(140), "{widest:?} columns:\n{drawn}");
}

#[test]
fn a_metric_that_does_not_apply_to_some_rows_is_marked_there() {
    let mut folder = folder("policy_loss", |loss| json!({"policy_loss": loss, "legal_mass": 0.25}));
    assert!(!text::draw(&folder.report()).contains("legal_mass"), "all rows were trained with the mask");
    folder.edit(|plan| plan.rows[1].mask = facts::Mask::Eval);
    let drawn = text::draw(&folder.report());
    let lines: Vec<&str> = drawn.lines().skip_while(|line| !line.contains("legal_mass %")).take(4).collect();
    assert!(lines[2].contains("absolute") && lines[2].contains("25.00 ± 0"), "{lines:?}");
    assert!(lines[3].contains("Shaw") && lines[3].ends_with("n/a"), "{lines:?}");
}

#[test]
fn a_primary_metric_without_a_unit_has_only_its_better_side_in_brackets() {
    let report = folder("moves_left_loss", |loss| json!({"moves_left_loss": loss})).report();
    has(&text::draw(&report), &["primary metric: moves_left_loss (lower is better) on test positions after"]);
}
