//! The plan of an experiment: what `grid.json` records of references and interactions.

use config::Experiment;
use grid::{Prepared, RunSelection, plan};
use records::Plan;
use std::fs;
use testing::{EXPERIMENT, depths, load, pairs, place, small};

#[test]
fn one_reference_is_no_field_of_the_plan() {
    let plan = plan::plan(&load(EXPERIMENT), false);
    assert!(plan.rows.iter().all(|row| row.reference.is_none()));
    assert!(!serde_json::to_string(&plan).expect("JSON").contains("\"reference\":"));

    let plan = plan::plan(&load(&depths()), false);
    let read: Plan = serde_json::from_value(serde_json::to_value(&plan).expect("JSON")).expect("a plan");
    assert_eq!(read, plan);
    for row in &plan.rows {
        let reference = plan.rows.iter().find(|other| row.is_compared_with(other)).expect("a reference");
        assert_eq!(row.reference.as_ref(), Some(&reference.folder));
        assert_eq!(reference.label.contains("layers 2"), row.label.contains("layers 2"), "{}", row.label);
    }
}

#[test]
fn a_name_is_a_field_of_its_row_only() {
    let text = |experiment: &Experiment| serde_json::to_string(&plan::plan(experiment, false)).expect("a plan");
    assert!(!text(&load(EXPERIMENT)).contains("\"name\":"), "an old plan stays as it was");
    let tune = "tune:\n  axes: {train.encoding_rate: [1, 4]}\n  seeds: [100]\n";
    let named = load(&format!("{EXPERIMENT}{tune}names: {{No position: none}}\n"));
    let number = named.tuning.as_ref().expect("trials").rows.len();
    for plan in [plan::plan(&named, false), plan::plan(&named.tuned(&vec![1; number]), false)] {
        let read: Plan = serde_json::from_value(serde_json::to_value(&plan).expect("JSON")).expect("a plan");
        assert_eq!(read, plan);
        for row in &plan.rows {
            let shown = row.label.replace("none", "No position");
            assert_eq!((row.display_name(), row.name.is_some()), (&shown[..], shown != row.label));
            assert_eq!(row.folder.contains("-No-position-"), row.name.is_some(), "{}", row.folder);
        }
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
    let plan = plan::plan(&tuned, false);
    let folders: Vec<&String> = plan.rows.iter().map(|row| &row.folder).collect();
    assert!(plan.rows.iter().all(|row| row.reference.as_ref().is_some_and(|folder| folders.contains(&folder))));
}

#[test]
fn they_change_no_cell_and_stand_in_the_plan() {
    let interactions = "interactions:\n  - gap: {axis: encoding, values: [none, {shaw: {terms: [q, k]}}]}\n    \
                        by: {axis: model.chessformer.layers, values: [1, 2]}\n";
    let (plain, asked) = (load(&depths()), load(&format!("{}{interactions}", depths())));
    assert_eq!(plain.rows, asked.rows);
    let text = |experiment: &Experiment| serde_json::to_string(&plan::plan(experiment, false)).expect("a plan");
    assert!(!text(&plain).contains("interactions"), "an old plan stays as it was");
    let read: Plan = serde_json::from_str(&text(&asked)).expect("a plan");
    assert_eq!(read.interactions.len(), 1);
    assert_eq!(read.interactions, asked.interactions);
}

#[test]
fn a_run_folder_keeps_the_file_as_it_was_read() {
    let dir = place(&small());
    let path = dir.path().join("experiment.yaml");
    let experiment = Experiment::load(&path).expect("an experiment");
    fs::write(&path, "name: another\n").expect("changed");
    let selection = RunSelection { out: dir.path().join("runs"), ..RunSelection::default() };
    let prepared = Prepared::new(&experiment, &selection).expect("a run folder");
    assert_eq!(fs::read_to_string(prepared.run_dir.join("experiment.yaml")).expect("the file"), small());
}
