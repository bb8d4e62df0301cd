//! `contrasts`: which comparisons are the question.

use crate::cli::{EXPERIMENT, place, run};
use serde_json::Value;

fn roles(contrasts: &str) -> Vec<(String, String)> {
    let dir = place(&EXPERIMENT.replace("reference:", &format!("{contrasts}reference:")));
    let checked = run(dir.path(), &["check", "experiment.yaml", "--json"]).succeeds();
    let json: Value = serde_json::from_str(&checked.stdout).expect("JSON");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let rows = json["rows"].as_array().expect("rows");
    rows.iter().map(|row| (text(&row["label"]), text(&row["role"]))).collect()
}

#[test]
fn rows_outside_the_contrasts_are_exploratory() {
    let without = roles("");
    assert!(without.iter().all(|(_, role)| role != "exploratory"), "{without:?}");
    let with = roles("contrasts: [{encoding: {shaw: {terms: [q, k]}}}]\n");
    for ((label, role), (_, before)) in with.iter().zip(&without) {
        let expected = if before == "candidate" && !label.contains("shaw") { "exploratory" } else { before };
        assert_eq!(role, expected, "{label}");
    }
    assert!(with.iter().any(|(_, role)| role == "candidate") && with.iter().any(|(_, role)| role == "exploratory"));
}

#[test]
fn a_contrast_that_is_no_row_is_refused_where_it_stands() {
    let text = EXPERIMENT.replace("reference:", "contrasts: [{encoding: smolgen}]\nreference:");
    let dir = place(&text);
    run(dir.path(), &["check", "experiment.yaml"])
        .fails_with(&["experiment.yaml:25", "matches no row but a reference"]);
}
