//! Whether encodings have the same order in several grids.

use crate::report::folder::{Folder, SEEDS};
use facts::metrics::Direction;
use facts::{Quantity, Role, Weights};
use games::GameKind;
use records::TuningRecord;
use records::plan::{MatchedTo, Row};
use records::tuning::{TrialRecord, TunedRowRecord};
use report::ranks::{Leaders, tables};
use report::table::Table;
use serde_json::json;

const ENCODINGS: [&str; 6] = ["absolute", "shaw", "rope", "lepe", "alibi", "none"];

/// A finished grid with these means, and the encodings of its rows in its manifests.
fn folder(means: [f64; 6], theta: f64) -> Folder {
    let mut folder = Folder::new();
    let like = folder.plan.rows[0].clone();
    let more = ENCODINGS[3..].iter().map(|label| Row {
        label: (*label).to_owned(),
        folder: format!("chess-{label}-0123456789ab"),
        ..like.clone()
    });
    folder.plan.rows.extend(more);
    folder.write_plan();
    for (label, mean) in ENCODINGS.iter().zip(means).chain([(&"absolute-twin", 2.0)]) {
        folder.row(label, [mean - 0.01, mean, mean + 0.01]);
        let options = if *label == "rope" { json!({"layout": "axial_2d", "theta": theta}) } else { json!({}) };
        for seed in SEEDS {
            folder.manifest(label, seed, |manifest| manifest["config"] = json!({"encoding": [{*label: options}]}));
        }
    }
    folder
}

/// Makes a grid one that tuned theta of its rope.
fn tune(folder: &Folder) {
    let mut record = TuningRecord::new("policy_loss", Direction::Lower, Weights::Raw, vec![100]);
    record.rows.push(TunedRowRecord {
        game: GameKind::Chess,
        folder: "chess-rope-0123456789ab".to_owned(),
        trials: vec![TrialRecord {
            values: vec![("encoding.rope.theta".to_owned(), "3".to_owned())],
            place: vec![0],
            scores: vec![vec![Some(1.0)]],
        }],
        chosen: Some(0),
    });
    record.write(folder.path()).expect("written");
}

fn ranks(one: &Folder, other: &Folder, leaders: &Leaders) -> Table {
    tables(&[one.report(), other.report()], leaders).remove(0)
}

#[test]
fn orders_are_compared_by_encoding_with_and_without_the_leaders() {
    // The second and the third change places: one of fifteen pairs.
    let one = folder([1.3, 1.0, 1.2, 1.1, 1.4, 1.5], 3.0);
    let mut other = folder([2.3, 2.0, 2.1, 2.2, 2.4, 2.5], 100.0);
    // Labels need not agree, and a matched control is another network.
    other.plan.rows.iter_mut().for_each(|row| row.label += ", classes 28");
    let goal = other.plan.rows[0].folder.clone();
    let control = Row {
        label: "absolute [= params of shaw]".to_owned(),
        folder: "chess-control-0123456789ab".to_owned(),
        role: Role::Compared,
        matched: Some(MatchedTo { quantity: Quantity::Params, goal, ratio: Some(1.0) }),
        ..other.plan.rows[1].clone()
    };
    other.plan.rows.push(control);
    other.write_plan();
    let apart = ranks(&one, &other, &Leaders::BestThird);
    assert_eq!(apart.rows[0][2], "5", "thetas differ, and nobody tuned them");
    assert!(apart.notes.iter().any(|note| note == "in by-hand (1) and not in by-hand (2): rope"), "{:?}", apart.notes);

    tune(&other);
    let table = ranks(&one, &other, &Leaders::BestThird);
    assert_eq!(table.title, "chess: the order of encodings by policy_loss of by-hand (1)");
    let row: Vec<&str> = table.rows[0].iter().map(String::as_str).collect();
    assert_eq!(row[..4], ["by-hand (2)", "policy_loss", "6", "0.87"]);
    assert_eq!((row[5], row[7]), ("1.00", "shaw; lepe"));
    assert!(row[4].starts_with('[') && row[4].ends_with("+1.00]"), "{}", row[4]);
    assert!(table.notes[0].starts_with("exploratory; τ: Kendall's τ_b"), "{:?}", table.notes);
    assert_eq!(table, ranks(&one, &other, &Leaders::BestThird), "draws are the same");

    let named = ranks(&one, &other, &Leaders::Named(vec!["none".to_owned()]));
    assert_eq!((&named.rows[0][5][..], &named.rows[0][7][..]), ("0.80", "none"));
    let best = ranks(&one, &other, &Leaders::Best(4));
    assert_eq!((&best.rows[0][5][..], &best.rows[0][7][..]), ("–", "shaw; lepe; rope; absolute"), "two are no order");
}

#[test]
fn a_metric_of_which_more_is_better_has_the_order_turned_round() {
    let one = folder([1.3, 1.0, 1.2, 1.1, 1.4, 1.5], 3.0);
    let mut other = folder([1.3, 1.6, 1.4, 1.5, 1.2, 1.1], 3.0);
    assert_eq!(ranks(&one, &other, &Leaders::BestThird).rows[0][3], "−1.00");
    for (label, seed) in ENCODINGS.iter().flat_map(|label| SEEDS.map(|seed| (label, seed))) {
        let path = other.cell(label, seed).join("metrics.jsonl");
        let lines = std::fs::read_to_string(&path).expect("metrics");
        // The number of the loss becomes an accuracy.
        let turned =
            lines.replace("\"policy_accuracy\"", "\"other\"").replace("\"policy_loss\"", "\"policy_accuracy\"");
        std::fs::write(&path, turned).expect("written");
    }
    other.plan.primary.metric = "policy_accuracy".to_owned();
    other.write_plan();
    assert_eq!(ranks(&one, &other, &Leaders::BestThird).rows[0][3], "1.00");
}

#[test]
fn rows_that_share_an_encoding_and_rows_without_a_value_are_named() {
    let (one, mut other) = (folder([1.3, 1.0, 1.2, 1.1, 1.4, 1.5], 3.0), folder([1.3, 1.0, 1.2, 1.1, 1.4, 1.5], 3.0));
    for seed in SEEDS {
        let encoding = json!({"encoding": [{"shaw": {}}]});
        other.manifest("lepe", seed, |manifest| manifest["config"] = encoding.clone());
        other.failed("none", seed, "out of memory");
    }
    other.write_plan();
    let table = ranks(&one, &other, &Leaders::BestThird);
    assert_eq!(table.rows[0][2], "3");
    for part in [
        "several rows of by-hand (2) have one encoding, so they are left out: shaw; lepe",
        "without a value in by-hand (2): none",
        "in by-hand (1) and not in by-hand (2): shaw; lepe; none",
    ] {
        assert!(table.notes.iter().any(|note| note == part), "{part:?}: {:?}", table.notes);
    }
    other.plan.rows.retain(|row| row.label == "absolute");
    other.write_plan();
    assert_eq!(ranks(&one, &other, &Leaders::BestThird).rows[0][2..5], ["1", "–", "–"]);
}
