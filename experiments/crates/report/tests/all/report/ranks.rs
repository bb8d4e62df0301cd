//! Whether encodings have the same order in several grids.

use crate::report::folder::{Folder, SEEDS};
use facts::Quantity;
use records::plan::{MatchedTo, Row};
use report::ranks::{Leaders, tables};
use report::table::Table;
use serde_json::json;

const ENCODINGS: [&str; 6] = ["absolute", "shaw", "rope", "lepe", "alibi", "none"];

/// A finished grid with these means, and the encodings of its rows in its manifests.
fn folder(means: [f64; 6], theta: f64) -> Folder {
    let mut folder = Folder::new();
    let more: Vec<Row> = ENCODINGS[3..].iter().map(|label| folder.like(label)).collect();
    folder.edit(|plan| plan.rows.extend(more));
    for (label, mean) in ENCODINGS.iter().zip(means).chain([(&"absolute-twin", 2.0)]) {
        folder.row(label, [mean - 0.01, mean, mean + 0.01]);
        let options = if *label == "rope" { json!({"layout": "axial_2d", "theta": theta}) } else { json!({}) };
        folder.run(label, &json!({"encoding": [{*label: options}]}));
    }
    folder
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
        matched: Some(MatchedTo { quantity: Quantity::Params, goal, ratio: Some(1.0) }),
        label: "absolute [= params of shaw]".to_owned(),
        ..other.like("control")
    };
    other.edit(|plan| plan.rows.push(control));
    let apart = ranks(&one, &other, &Leaders::BestThird);
    assert_eq!(apart.rows[0][2], "5", "thetas differ, and nobody tuned them");
    assert!(apart.notes.iter().any(|note| note == "in by-hand (1) and not in by-hand (2): RoPE"), "{:?}", apart.notes);

    other.tuned("encoding.rope.theta", &[("rope", &[(3, &[1.0])], 0)]);
    let table = ranks(&one, &other, &Leaders::BestThird);
    assert_eq!(table.title, "chess: the order of encodings by policy_loss of by-hand (1)");
    let row: Vec<&str> = table.rows[0].iter().map(String::as_str).collect();
    assert_eq!(row[..4], ["by-hand (2)", "policy_loss", "6", "0.87"]);
    assert_eq!((row[5], row[7]), ("1.00", "Shaw; LePE"));
    assert!(row[4].starts_with('[') && row[4].ends_with("+1.00]"), "{}", row[4]);
    assert!(table.notes[0].starts_with("exploratory; τ: Kendall's τ_b"), "{:?}", table.notes);
    assert_eq!(table, ranks(&one, &other, &Leaders::BestThird), "draws are the same");

    let named = ranks(&one, &other, &Leaders::Named(vec!["none".to_owned()]));
    assert_eq!((&named.rows[0][5][..], &named.rows[0][7][..]), ("0.80", "none"));
    let leaders = ["lepe", "LePE"].map(|name| ranks(&one, &other, &Leaders::Named(vec![name.to_owned()])));
    assert_eq!(leaders[0], leaders[1], "a row is known by its label and by its name");
    assert_eq!(leaders[0].rows[0][7], "LePE");
    let best = ranks(&one, &other, &Leaders::Best(4));
    assert_eq!((&best.rows[0][5][..], &best.rows[0][7][..]), ("–", "Shaw; LePE; RoPE; absolute"), "two are no order");
}

#[test]
fn a_metric_of_which_more_is_better_has_the_order_turned_round() {
    let one = folder([1.3, 1.0, 1.2, 1.1, 1.4, 1.5], 3.0);
    let mut other = folder([1.3, 1.6, 1.4, 1.5, 1.2, 1.1], 3.0);
    assert_eq!(ranks(&one, &other, &Leaders::BestThird).rows[0][3], "−1.00");
    for label in ENCODINGS {
        // The number of the loss becomes an accuracy.
        other.lines_of(label, |line| line["metrics"] = json!({"policy_accuracy": line["metrics"]["policy_loss"]}));
    }
    other.edit(|plan| plan.primary.metric = "policy_accuracy".to_owned());
    assert_eq!(ranks(&one, &other, &Leaders::BestThird).rows[0][3], "1.00");
}

#[test]
fn rows_that_share_an_encoding_and_rows_without_a_value_are_named() {
    let (one, mut other) = (folder([1.3, 1.0, 1.2, 1.1, 1.4, 1.5], 3.0), folder([1.3, 1.0, 1.2, 1.1, 1.4, 1.5], 3.0));
    other.run("lepe", &json!({"encoding": [{"shaw": {}}]}));
    SEEDS.into_iter().for_each(|seed| other.failed("none", seed, "out of memory"));
    let table = ranks(&one, &other, &Leaders::BestThird);
    assert_eq!(table.rows[0][2], "3");
    for part in [
        "several rows of by-hand (2) have one encoding, so they are left out: Shaw; LePE",
        "without a value in by-hand (2): none",
        "in by-hand (1) and not in by-hand (2): Shaw; LePE; none",
    ] {
        assert!(table.notes.iter().any(|note| note == part), "{part:?}: {:?}", table.notes);
    }
    other.edit(|plan| plan.rows.retain(|row| row.label == "absolute"));
    assert_eq!(ranks(&one, &other, &Leaders::BestThird).rows[0][2..5], ["1", "–", "–"]);
}
