//! Positions without end, from the experiment file to the bundle, and several positions of a game.

use crate::cli::{cell_of, run};
use std::collections::BTreeSet;
use std::fs;
use tempfile::TempDir;
use testing::{assert_says, manifest, write_experiment};

/// A small grid over a map of the board.
pub(crate) const GRID: &str = "\
name: endless
base:
  data: {generate: {probe: attacked-squares, game: chess, seed: 1, every: 8}}
  game: chess
  input: piece_tokens
  model:
    chessformer: {layers: 1, width: 16, heads: 2, ff: 16, outputs: {per_square: {classes: 4}}}
  train: {steps: 4, batch: 8, optimizer: nadam, learning_rate: 1e-3, mask: none}
  eval: {validation_positions: 8, test_positions: 16, every: 2}
axes: {encoding: [none, shaw]}
seeds: [0]
reference: {encoding: none}
primary: {metric: map_loss, at: last, weights: raw}
twin: false
";

#[test]
fn a_grid_needs_no_dataset_folder() {
    let dir = TempDir::new().expect("a temporary folder");
    write_experiment(dir.path(), GRID);
    let parts = ["endless attacked-squares: 32 training positions are made", "8 validation and 16 test positions"];
    run(&dir, "check experiment.yaml").succeeds().says(&parts);
    run(&dir, "run experiment.yaml").succeeds();
    let cell = cell_of(&dir.path().join("runs/endless"), "chess-shaw");
    let manifest = manifest(&cell);
    assert_eq!(manifest.dataset.name, "endless attacked-squares");
    assert!(manifest.finish.expect("finished").made.is_some_and(|made| made.games > 0));
    let lines = fs::read_to_string(cell.join("metrics.jsonl")).expect("lines");
    assert!(lines.contains("validation") && !lines.contains("train_sample"), "no training position is kept: {lines}");
    run(&dir, "report runs/endless").succeeds().says(&["16 test positions", "1,024 map cells"]);
    run(&dir, "publish runs/endless --out bundle.tar.zst").succeeds();
    run(&dir, "verify bundle.tar.zst --rerun 1").succeeds().says(&[": the same, bit for bit"]);
    run(&dir, "verify bundle.tar.zst --unpack bundle").succeeds();
    let licences = fs::read_to_string(dir.path().join("bundle/LICENCES.md")).expect("its licences");
    assert_says(&licences, &["CC0-1.0", "generate: {probe: attacked-squares"]);
}

#[test]
fn a_check_tells_what_making_takes() {
    let dir = TempDir::new().expect("a temporary folder");
    let check = |text: &str, options: &str| {
        write_experiment(dir.path(), text);
        run(&dir, &format!("check experiment.yaml {options}")).succeeds()
    };
    let few = "to make them: 16,384 positions a cell, about 1 s of CPU (assuming 235,000 a second)";
    check(GRID, "").says_in_prose(&[few]);
    let one_a_game = GRID.replace(", every: 8", "").replace("steps: 4, batch: 8", "batch: 1000");
    let many = one_a_game.replace("axes: {", "axes: {train.steps: [4, 4000], ");
    let most = "to make them: up to 4,014,080 positions a cell, about 72 s of CPU (assuming 56,000 a second)";
    check(&many, "").says_in_prose(&[most]);
    let rows = check(&many, "--json").json();
    let making = |row: usize| rows["rows"][row]["dataset"]["making"].clone();
    let positions: BTreeSet<Option<u64>> = (0..4).map(|row| making(row)["positions"].as_u64()).collect();
    assert_eq!(positions, BTreeSet::from([Some(16_384), Some(4_014_080)]));
    assert_eq!(making(0)["assumed_positions_per_s"], 56_000);
    check(&GRID.replace("every: 8", "every: 4"), "").says_in_prose(&["a cell (how fast was not measured)"]);
}

#[test]
fn the_games_of_several_positions_are_counted() {
    let dir = TempDir::new().expect("a temporary folder");
    let made = "data generate probe attacked-squares --every 8 --game shogi --positions 300 --seed 1 --out set";
    run(&dir, made).succeeds().says(&["300 positions of "]);
    let stated = fs::read_to_string(dir.path().join("set/dataset.yaml")).expect("its description");
    assert_says(&stated, &["probe attacked-squares --every 8 --game shogi", "every: 8"]);
    run(&dir, "data verify set").succeeds();
    run(&dir, "data info set").succeeds().says(&["every 8 plies of ", "clustered by random game"]);
}
