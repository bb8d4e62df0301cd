//! The section on movements of inspected cells.

use crate::report::folder::{Folder, SEEDS};
use games::GameKind;
use records::inspected::{DIR, FORMAT, HeadRecord, Inspected, Movement, Signal};
use report::html;
use std::fs;

fn head(head: usize, movement: Option<(&str, bool)>) -> HeadRecord {
    let movement = movement.map(|(relation, favours)| Movement { relation: relation.to_owned(), favours });
    let (signal, relations) = (Signal::Position, Vec::new());
    HeadRecord {
        layer: 0,
        head,
        signal,
        occupant: None,
        displacement_share: 1.0,
        distance_share: 0.5,
        movement,
        relations,
    }
}

/// Leaves what `posenc inspect` writes in a cell of the row `shaw`.
fn inspect(folder: &Folder, seed: u64, movements: &[Option<(&str, bool)>]) {
    let found = Inspected {
        format: FORMAT,
        cell: format!("shaw/seed-{seed}"),
        row: "shaw".to_owned(),
        game: GameKind::Chess,
        seed,
        weights: "raw".to_owned(),
        positions: 50,
        permutations: 9_999,
        controls: 120,
        alpha: 0.01,
        heads: movements.iter().enumerate().map(|(number, &movement)| head(number, movement)).collect(),
        control: vec![head(0, None)],
        pieces: Vec::new(),
        pieces_control: Vec::new(),
    };
    let dir = folder.cell("shaw", seed).join(DIR);
    fs::create_dir_all(&dir).expect("a folder");
    found.write(&dir).expect("a file");
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
    let expected = ["shaw", "chess", &seeds, "4", "3, 1", "0, 0", "rook 2, 1; avoids knight 1, 0"];
    assert_eq!(cells.len(), expected.len(), "{section}");
    for (cell, expected) in cells.iter().zip(expected) {
        assert!(cell.contains(&format!(">{expected}<")), "{expected:?} is not in {cell:?}");
    }
}
