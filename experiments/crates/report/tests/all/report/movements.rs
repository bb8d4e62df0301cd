//! The section on movements of inspected cells.

use crate::report::folder::{Folder, SEEDS, change_lines};
use games::GameKind;
use records::head_maps;
use records::inspected::{DIR, FILE, FORMAT};
use report::{Report, ReportOptions, figures, html};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

fn head(head: usize, movement: Option<(&str, bool)>) -> Value {
    let relation = |(relation, _): (&str, bool)| -> Value {
        json!({"relation": relation, "share": 0.5, "fit": 0.6, "z": 9.0, "p": 0.001, "p_control": null})
    };
    json!({
        "layer": 0, "head": head, "signal": "position", "displacement_share": 1.0, "distance_share": 0.5,
        "movement": movement.map(|(relation, favours)| json!({"relation": relation, "favours": favours})),
        "relations": movement.map(relation).into_iter().collect::<Vec<Value>>(),
    })
}

/// The file of `posenc inspect` in a cell of the row `shaw`.
fn file(folder: &Folder, seed: u64) -> PathBuf {
    folder.cell("shaw", seed).join(DIR).join(FILE)
}

/// Leaves what `posenc inspect` writes there.
fn inspect(folder: &Folder, seed: u64, movements: &[Option<(&str, bool)>]) {
    let heads: Vec<Value> = movements.iter().enumerate().map(|(number, &movement)| head(number, movement)).collect();
    let found = json!({
        "format": FORMAT, "cell": format!("shaw/seed-{seed}"), "row": "shaw", "game": "chess", "seed": seed,
        "weights": "raw", "positions": 50, "permutations": 9_999, "controls": 120, "alpha": 0.01,
        "heads": heads, "control": [head(0, None)],
    });
    fs::create_dir_all(folder.cell("shaw", seed).join(DIR)).expect("a folder");
    fs::write(file(folder, seed), found.to_string()).expect("written");
}

#[test]
fn heads_of_inspected_cells_are_counted_by_movement_and_seed() {
    let folder = Folder::finished();
    assert!(!html::draw(&folder.report()).contains("Movements of heads"), "no cell is inspected");
    inspect(&folder, SEEDS[0], &[Some(("rook", true)), Some(("rook", true)), Some(("knight", false)), None]);
    inspect(&folder, SEEDS[1], &[Some(("rook", true)), None, None, None]);
    let drawn = html::draw(&folder.report());
    let section = &drawn[drawn.rfind("Movements of heads").unwrap_or_else(|| panic!("{drawn}"))..];
    let cells: Vec<&str> = section.split("<td").take(7).collect();
    let seeds = format!("{}, {}", SEEDS[0], SEEDS[1]);
    let expected = ["Shaw", "chess", &seeds, "4", "3, 1", "0, 0", "rook 2, 1; avoids knight 1, 0"];
    assert_eq!(cells.len(), expected.len(), "{section}");
    for (cell, expected) in cells.iter().zip(expected) {
        assert!(cell.contains(&format!(">{expected}<")), "{expected:?} is not in {cell:?}");
    }
}

#[test]
fn a_cell_without_networks_with_random_weights_counts_no_heads_of_them() {
    let folder = Folder::finished();
    for seed in [SEEDS[0], SEEDS[1]] {
        inspect(&folder, seed, &[Some(("rook", true))]);
    }
    change_lines(&file(&folder, SEEDS[1]), |found| {
        found["controls"] = 0.into();
        found["control"] = json!([]);
    });
    assert!(html::draw(&folder.report()).contains(">0, –<"), "the second cell was not compared");
}

#[test]
fn a_report_of_a_part_of_the_cells_counts_no_heads_of_the_others() {
    let folder = Folder::finished();
    inspect(&folder, SEEDS[0], &[Some(("rook", true))]);
    inspect(&folder, SEEDS[1], &[Some(("knight", true))]);
    let row = folder.cell("shaw", SEEDS[0]).parent().and_then(|row| row.file_name()).expect("a folder").to_owned();
    let kept = [(row.into_string().expect("a name"), SEEDS[0])].into();
    let asked = ReportOptions { cells: Some(kept), ..ReportOptions::default() };
    let report = Report::with_options(folder.path(), &asked).expect("a report");
    let [shaw] = &report.movements[..] else { panic!("{:?}", report.movements) };
    assert_eq!((&shaw.seeds[..], &shaw.movements[..]), (&SEEDS[..1], &[("rook".to_owned(), vec![1])][..]));
}

/// What `posenc inspect` stores of two heads of a layer: numbers from 0 on, by displacement.
fn leave_maps(folder: &Folder, seed: u64) {
    let (files, ranks) = GameKind::Chess.geometry().torus();
    let size = 2 * files * ranks;
    let header = format!(
        r#"{{"displacement.layer.0":{{"dtype":"F64","shape":[2,{ranks},{files}],"data_offsets":[0,{}]}}}}"#,
        8 * size
    );
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.bytes());
    bytes.extend((0..size).flat_map(|value| (value as f64).to_le_bytes()));
    fs::write(folder.cell("shaw", seed).join(DIR).join(head_maps::FILE), bytes).expect("maps");
}

#[test]
fn heads_with_stored_maps_stand_beside_the_hero_figure() {
    let (folder, dir) = (Folder::finished(), tempfile::tempdir().expect("a folder"));
    inspect(&folder, SEEDS[0], &[Some(("rook", true)), Some(("knight", false))]);
    assert!(!html::draw(&folder.report()).contains("id=\"heads\""), "no maps are stored");
    leave_maps(&folder, SEEDS[0]);
    let report = folder.report();
    let [rook] = &report.named_heads[..] else { panic!("one head favours a movement: {:?}", report.named_heads) };
    assert_eq!((&rook.movement[..], rook.layer, rook.head), ("rook", 0, 0));
    // The numbers 0 to 224 less their mean, which is that of the middle.
    assert_eq!((rook.map[0], rook.map[112], rook.map[224]), (-112.0, 0.0, 112.0));
    let page = html::draw(&report);
    let [hero, heads, table] = ["id=\"chess-hero\"", "id=\"heads\"", "id=\"results\""]
        .map(|part| page.find(part).unwrap_or_else(|| panic!("{part}")));
    assert!(hero < heads && heads < table, "beside the hero figure");
    let written = figures::write(&report, dir.path()).expect("figures");
    assert!(written.iter().any(|figure| figure.id == "heads" && figure.svg.contains("rook")));
}

#[test]
fn heads_of_a_named_row_are_found_by_its_name() {
    let mut folder = Folder::finished();
    inspect(&folder, SEEDS[0], &[Some(("rook", true)), None]);
    leave_maps(&folder, SEEDS[0]);
    change_lines(&file(&folder, SEEDS[0]), |found| found["row"] = "Shaw's".into());
    folder.edit_rows("shaw", |row| row.name = Some("Shaw's".to_owned()));
    assert_eq!(folder.report().named_heads.len(), 1);
}
