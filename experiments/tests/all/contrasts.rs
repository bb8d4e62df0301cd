//! What is compared: `contrasts`, `reference` and `interactions` in what `posenc` says.

use crate::cli::run;
use serde_json::Value;
use testing::{EXPERIMENT, depths, place, write_experiment};

fn roles(contrasts: &str) -> Vec<(String, String)> {
    let dir = place(&EXPERIMENT.replace("reference:", &format!("{contrasts}reference:")));
    let json = run(&dir, "check experiment.yaml --json").json();
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
    let dir = place(&EXPERIMENT.replace("reference:", "contrasts: [{encoding: smolgen}]\nreference:"));
    run(&dir, "check experiment.yaml").fails_with(&["experiment.yaml:25", "matches no row but a reference"]);
}

#[test]
fn encodings_and_depths_are_one_grid_with_a_reference_at_each_depth() {
    let two_encodings = depths().replace("    - absolute: {at: input}\n", "");
    let dir = place(&two_encodings.replace("seeds: [0, 1, 2]", "seeds: [0]"));
    run(&dir, "check experiment.yaml").succeeds().says(&["against chess-none-layers2: chess-shaw-layers2\n"]);
    let ended = run(&dir, "run experiment.yaml --jobs 2").succeeds().says(&["Shaw, layers 1"]);
    assert_eq!(ended.stdout.matches(" reference ").count(), 2, "{}", ended.stdout);
    run(&dir, "report runs/small").succeeds().says(&[
        "On chess, Shaw, layers 1 against none, layers 1 has no verdict",
        "On chess, Shaw, layers 2 against none, layers 2 has no verdict",
        "each row is compared with the reference above it, the A/A control with none, layers 1;",
    ]);
}

#[test]
fn posenc_check_says_what_is_compared() {
    let gap = "interactions:\n  - gap: {axis: encoding, values: [none, {shaw: {terms: [q, k]}}]}\n";
    let by = "    by: {axis: model.chessformer.layers, values: [1, 2]}\n";
    let dir = place(&format!("{}{gap}{by}", depths()));
    let line = "interactions:\n  chess: shaw less none, with layers 2 against layers 1\n";
    run(&dir, "check experiment.yaml").succeeds().says(&[line]);
    write_experiment(dir.path(), &format!("{}{}{by}", depths(), gap.replace("axis: encoding", "axis: encodings")));
    run(&dir, "check experiment.yaml").fails_with(&["unknown key `encodings`", "did you mean `encoding`?"]);
}
