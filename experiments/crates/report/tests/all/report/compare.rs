//! Several grids side by side, and the settings in which they differ.

use crate::report::folder::Folder;
use report::side_by_side;
use report::table::Table;
use serde_json::{Value, json};

/// A finished grid whose rows have runs of `steps` steps, trained by another processor.
fn folder(steps: u64, processor: &str) -> Folder {
    let folder = Folder::finished();
    folder.manifests(&["absolute", "shaw", "rope"], |label, seed, manifest| {
        let rate = if label == "shaw" { 0.2 } else { 0.1 };
        let train = json!({"steps": steps, "batch": 64, "learning_rate": {"values": [rate]}});
        manifest["config"] = json!({"seed": seed, "train": train, "encoding": [label]});
        manifest["cpu"] = json!({"model": processor, "vendor": "x", "cores": 2, "capability": "AVX2"});
    });
    folder
}

fn compared(one: &Folder, other: &Folder) -> Vec<Table> {
    side_by_side::compare(&[one.report(), other.report()])
}

#[test]
fn grids_are_set_side_by_side() {
    let folder = Folder::finished();
    let tables = compared(&folder, &folder);
    assert_eq!(tables.len(), 3);
    assert_eq!(tables[0].title, "settings in which the grids differ");
    assert_eq!(tables[0].rows, [["none", "", ""]]);
    assert_eq!(tables[1].header, ["row", "by-hand (1)", "by-hand (2)"]);
    assert_eq!(tables[1].rows[1], ["Shaw", "−0.097 [−0.111, −0.082] better", "−0.097 [−0.111, −0.082] better"]);
    assert!(tables[1].notes.iter().any(|note| note.ends_with("Kendall's τ = 1.00")), "{:?}", tables[1].notes);
}

#[test]
fn an_order_by_a_loss_and_the_same_order_by_an_accuracy_agree() {
    let [one, mut other] = [Folder::finished(), Folder::finished()];
    other.by_loss(|loss, line| line["metrics"]["policy_accuracy"] = json!(1.0 - loss / 10.0));
    other.edit(|plan| plan.primary.metric = "policy_accuracy".to_owned());
    let tables = compared(&one, &other);
    assert!(tables[1].notes.iter().any(|note| note.ends_with("Kendall's τ = 1.00")), "{:?}", tables[1].notes);
}

#[test]
fn what_differs_comes_before_the_results() {
    let [one, mut other] = [folder(100, "one"), folder(200, "another")];
    other.manifest("rope", 0, |manifest| {
        manifest["identity"]["numerics"] = json!(2);
        manifest["dataset"]["name"] = json!("y");
    });
    other.plan.primary.metric = "policy_accuracy".to_owned();
    other.edit(|plan| plan.seeds.truncate(2));
    let tables = compared(&one, &other);
    let rows: Vec<[&str; 3]> = tables[0].rows.iter().map(|row| [&row[0][..], &row[1][..], &row[2][..]]).collect();
    let after = "on test positions after the last step, raw weights";
    let [loss, accuracy] = ["policy_loss (nats, lower", "policy_accuracy (share, higher"]
        .map(|metric| format!("{metric} is better) {after}"));
    let expected = [
        ["primary metric", &loss, &accuracy],
        ["chess: dataset", "x (d)", "x (d), y (d)"],
        ["chess: train.steps", "100", "200"],
        ["seeds", "0, 1, 2", "0, 1"],
        ["numerics version", "1", "1, 2"],
        ["processor", "one", "another"],
    ];
    assert_eq!(rows, expected);
}

/// Gives the cells of `shaw` this learning rate, and changes their configuration.
fn shaw_at(folder: &Folder, rate: f64, change: impl Fn(&mut Value)) {
    folder.manifests(&["shaw"], |_, _, manifest| {
        let train = json!({"steps": 100, "batch": 64, "learning_rate": {"values": [rate]}});
        manifest["config"] = json!({"train": train, "encoding": ["shaw"]});
        change(&mut manifest["config"]);
        manifest["cpu"] = json!({"model": "one", "vendor": "x", "cores": 2, "capability": "AVX2"});
    });
}

#[test]
fn a_setting_that_one_grid_varies_and_another_fixes_differs() {
    let [one, other] = [folder(100, "one"), folder(100, "one")];
    shaw_at(&other, 0.1, |config| config["mask"] = json!(null));
    let tables = compared(&one, &other);
    let expected = [["chess: train.learning_rate.values", "varies", "[0.1]"], ["chess: mask", "–", "varies"]];
    assert_eq!(tables[0].rows, expected);
    assert!(tables[0].notes[0].contains("varies: the rows of the grid differ"));
}

#[test]
fn another_path_to_the_same_data_is_no_difference() {
    let [one, same, other] = [("data", "d"), ("runs/../data", "d"), ("data-2", "e")].map(|(path, hash)| {
        let folder = Folder::finished();
        folder.manifests(&["absolute", "shaw", "rope", "absolute-twin"], |_, _, manifest| {
            manifest["config"] = json!({"data": path, "test_data": path});
            manifest["dataset"]["content_hash"] = json!(hash);
        });
        folder
    });
    assert_eq!(compared(&one, &same)[0].rows, [["none", "", ""]]);
    let paths = ["chess: data", "chess: test_data"].map(|setting| [setting, "data", "data-2"]);
    assert_eq!(compared(&one, &other)[0].rows, [["chess: dataset", "x (d)", "x (e)"], paths[0], paths[1]]);
}

#[test]
fn a_row_is_compared_with_itself_in_the_other_grid() {
    let [one, other] = [Folder::finished(), Folder::finished()];
    one.row("shaw", [1.0, 1.1, 1.2]);
    other.row("shaw", [0.5, 0.6, 0.7]);
    let tables = compared(&one, &other);
    let table = tables.last().expect("a table of differences");
    assert_eq!(table.title, "chess: by-hand (1) less by-hand (2)");
    assert_eq!(table.header[1..3], ["by-hand (1)", "by-hand (2)"]);
    let shaw = table.rows.iter().find(|row| row[0] == "Shaw").expect("the row");
    // Means 1.1 and 0.6, each with a standard error of 0.1 / √3: 0.5 ± t(0.975; 4) · 0.0816.
    assert_eq!(shaw[1..4], ["1.10 ± 0.10", "0.60 ± 0.10", "+0.50 [+0.27, +0.73]"]);
    let same = table.rows.iter().find(|row| row[0] == "RoPE").expect("the row");
    assert!(same[3].starts_with("0.000 ") && same[4] == "1.00", "{same:?}");
}

#[test]
fn a_row_with_another_setting_than_in_the_other_grid_is_named_with_its_value() {
    let [one, other] = [folder(100, "one"), folder(100, "one")];
    shaw_at(&other, 0.4, |_| ());
    let tables = compared(&one, &other);
    assert_eq!(tables[0].rows, [["chess: train.learning_rate.values", "varies (Shaw: [0.2])", "varies (Shaw: [0.4])"]]);
}
