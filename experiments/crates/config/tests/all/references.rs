//! `reference`: one row of a game, or one for each group of rows.

use crate::cli::{EXPERIMENT, place, run};
use crate::settings::{load, load_with};
use config::{Experiment, Role, Row};
use grid::planned;
use records::Plan;

/// The small experiment with these axes beside the encodings.
fn with(axes: &str) -> String {
    let open = EXPERIMENT.replace("layers: 2, ", "");
    open.replace("axes:\n", &format!("axes:\n  {axes}\n"))
}

/// Encodings and depths, on chess.
fn depths() -> String {
    with("model.chessformer.layers: [1, 2]").replace("game: [chess, shogi]", "game: [chess]")
}

#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let message = load_with(text, &[]).expect_err("it is accepted");
    for part in parts {
        assert!(message.contains(part), "{part:?} is not in:\n{message}");
    }
}

/// The label of every row, with that of its reference.
fn pairs(experiment: &Experiment) -> Vec<(String, String)> {
    let reference = |row: &Row| experiment.rows.iter().find(|other| row.is_compared_with(other)).expect("a reference");
    experiment.rows.iter().map(|row| (row.label.clone(), reference(row).label.clone())).collect()
}

#[test]
fn a_reference_stands_in_every_group() {
    let experiment = load(&depths());
    let expected = [
        ("chess-none-layers1", "chess-none-layers1"),
        ("chess-none-layers2", "chess-none-layers2"),
        ("chess-absolute-layers1", "chess-none-layers1"),
        ("chess-absolute-layers2", "chess-none-layers2"),
        ("chess-shaw-layers1", "chess-none-layers1"),
        ("chess-shaw-layers2", "chess-none-layers2"),
        ("chess-none-layers1-twin", "chess-none-layers1"),
    ];
    assert_eq!(pairs(&experiment), expected.map(|(own, reference)| (own.to_owned(), reference.to_owned())));
    let roles: Vec<Role> = experiment.rows.iter().map(|row| row.role).collect();
    assert_eq!(roles.iter().filter(|role| **role == Role::Reference).count(), 2);

    // Each game has its own, and what is zipped with an axis belongs to it.
    let zipped = with("model.chessformer.layers: [1, 2]\n  steps: [8, 12]").replace("    steps: 8\n", "");
    let zipped = load(&zipped.replace("seeds:", "zip: [[model.chessformer.layers, steps]]\nseeds:"));
    assert_eq!(zipped.rows.len(), 2 * (3 * 2 + 1));
    for (own, reference) in pairs(&zipped) {
        let (game, depth) = (own.split('-').next(), own.contains("layers2"));
        assert_eq!((reference.split('-').next(), reference.contains("layers2")), (game, depth), "{own}: {reference}");
    }
}

#[test]
fn settings_that_only_some_rows_have_do_not_divide_groups() {
    // Every encoding has its own rate at two layers; the references differ in it, too.
    let rates = "include:\n  - {encoding: {absolute: {at: input}}, model.chessformer.layers: 2, train.encoding_rate: 4}\n  - \
                 {encoding: {shaw: {terms: [q, k]}}, model.chessformer.layers: 2, train.encoding_rate: 16}\n";
    let text = depths().replace("seeds:", &format!("{rates}seeds:"));
    let experiment = load(&text.replace("reference: {encoding: none}", "reference: {encoding: absolute}"));
    for row in experiment.rows.iter().filter(|row| row.role == Role::Compared) {
        let depth = if row.label.contains("layers2") { "layers2" } else { "layers1" };
        let reference = row.reference.as_deref().expect("a group");
        assert!(reference.starts_with("chess-absolute") && reference.contains(depth), "{}: {reference}", row.label);
    }
    // Without an axis, the rows' own settings tell the references apart.
    let listed = "include:\n  - {encoding: none, model.chessformer.layers: 1}\n  - {encoding: shaw, \
                  model.chessformer.layers: 1}\n  - {encoding: none, model.chessformer.layers: 2}\n  - {encoding: shaw, \
                  model.chessformer.layers: 2}\n";
    let (head, rest) =
        depths().split_once("axes:\n").map(|(a, b)| (a.to_owned(), b.to_owned())).expect("there are axes");
    let (_, tail) = rest.split_once("seeds:").expect("there are seeds");
    let experiment = load(&format!("{}{listed}seeds:{tail}", head.replace("base:\n", "base:\n  game: chess\n")));
    let compared = experiment.rows.iter().filter(|row| row.role == Role::Compared);
    let references: Vec<Option<&str>> = compared.map(|row| row.reference.as_deref()).collect();
    assert_eq!(references, [Some("chess-none-layers1"), Some("chess-none-layers2")]);
}

#[test]
fn a_row_without_a_reference_is_named() {
    let three = depths().replace("[1, 2]", "[1, 2, 3]");
    let text = three.replace("seeds:", "exclude: [{encoding: none, model.chessformer.layers: 3}]\nseeds:");
    let parts = [
        "experiment.yaml:27:12: chess-absolute-layers3 has no reference",
        "no row that `reference` matches has its `model.chessformer.layers`",
        "exclude this row",
    ];
    refused(&text, &parts);
    // One reference of all rows, as always.
    let one = text.replace("reference: {encoding: none}", "reference: {encoding: none, model.chessformer.layers: 2}");
    assert!(load(&one).rows.iter().all(|row| row.reference.is_none()));
}

#[test]
fn one_reference_is_no_field_of_the_plan() {
    let plan = planned::plan(&load(EXPERIMENT), false);
    assert!(plan.rows.iter().all(|row| row.reference.is_none()));
    assert!(!serde_json::to_string(&plan).expect("JSON").contains("\"reference\":"));

    let plan = planned::plan(&load(&depths()), false);
    let read: Plan = serde_json::from_value(serde_json::to_value(&plan).expect("JSON")).expect("a plan");
    assert_eq!(read, plan);
    for row in &plan.rows {
        let reference = plan.rows.iter().find(|other| row.is_compared_with(other)).expect("a reference");
        assert_eq!(row.reference.as_ref(), Some(&reference.folder));
        assert_eq!(reference.label.contains("layers 2"), row.label.contains("layers 2"), "{}", row.label);
    }
}

#[test]
fn tuned_rows_and_controls_keep_their_references() {
    let further = "tune:\n  axes: {train.encoding_rate: [1, 4]}\n  seeds: [100]\ncontrols:\n  - row: {encoding: none, \
                   model.chessformer.layers: 2}\n    match: {params: {encoding: {shaw: {terms: [q, k]}}}, by: ffn}\n";
    let experiment = load(&depths().replace("seeds: [0", &format!("{further}seeds: [0")));
    let number = experiment.tuning.as_ref().expect("trials").rows.len();
    let tuned = experiment.tuned(&vec![1; number]);
    assert_eq!(pairs(&tuned), pairs(&experiment));
    let control = tuned.rows.iter().find(|row| row.matched.is_some()).expect("a control");
    assert_eq!(control.reference.as_deref(), Some("chess-none-layers2"));
    let plan = planned::plan(&tuned, false);
    let folders: Vec<&String> = plan.rows.iter().map(|row| &row.folder).collect();
    assert!(plan.rows.iter().all(|row| row.reference.as_ref().is_some_and(|folder| folders.contains(&folder))));
}

#[test]
fn an_override_may_leave_references_only() {
    let experiment = load_with(&depths(), &["encoding=shaw"]).expect("it can be run");
    assert!(experiment.rows.iter().all(|row| row.role != Role::Compared));
}

#[test]
fn encodings_and_depths_are_one_grid_with_a_reference_at_each_depth() {
    let dir = place(&depths().replace("seeds: [0, 1, 2]", "seeds: [0]").replace("    - absolute: {at: input}\n", ""));
    let checked = run(dir.path(), &["check", "experiment.yaml"]).succeeds().stdout;
    assert!(checked.contains("against chess-none-layers2"), "{checked}");
    let said = run(dir.path(), &["run", "experiment.yaml", "--jobs", "2"]).succeeds().stdout;
    for part in [
        "On chess, shaw, layers 1 against none, layers 1 has no verdict",
        "On chess, shaw, layers 2 against none, layers 2 has no verdict",
        "each row is compared with the reference above it, the A/A control with none, layers 1;",
    ] {
        assert!(said.contains(part), "{part:?} is not in\n{said}");
    }
}
