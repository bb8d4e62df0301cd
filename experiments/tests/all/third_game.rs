//! A game that no other test names, from its dataset to reports, pictures and an engine.

use crate::cli::{cell_of, given, posenc, run, run_args};
use std::path::Path;
use tempfile::TempDir;
use testing::write_experiment;

const GRID: &str = "\
name: third
base:
  data: {GAME: moves}
  input: piece_tokens
  model: {chessformer: {layers: 1, width: 16, heads: 2, ff: 16, outputs: {policy: {}}}}
  train: {steps: 4, batch: 8, optimizer: nadam, learning_rate: 1e-3, mask: none, loss: {policy: 1, value: 0}}
  eval: {validation_positions: 8, test_positions: 16, every: 2}
axes:
  game: [GAME]
  encoding: [none, shaw]
seeds: [0]
reference: {encoding: none}
primary: {metric: policy_loss, at: last, weights: raw}
twin: false
";

fn from_dataset_to_report(game: &str) {
    let dir = TempDir::new().expect("a temporary folder");
    let probe = |task: &str, out: &str| {
        let options = format!("--game {game} --positions 300 --seed 1 --out {out}");
        run(&dir, &format!("data generate probe {task} {options}")).succeeds();
        run(&dir, &format!("data verify {out}")).succeeds();
    };
    probe("attacked-squares", "attacked");
    probe("legal-moves", "moves");
    let listed = run(&dir, "list games --json").json();
    let entries = listed.as_array().expect("a list");
    assert!(entries.iter().any(|entry| entry["name"] == game), "{listed}");
    let shown = run(&dir, &format!("show --game {game} --position startpos --json")).json();
    let legal = shown["legal"].as_array().expect("moves").len();
    assert!(legal > 0);

    write_experiment(dir.path(), &GRID.replace("GAME", game));
    run(&dir, "run experiment.yaml").succeeds();
    run(&dir, "report runs/third").succeeds().says(&[game, "Shaw", "16 test positions"]);
    let cell = cell_of(&dir.path().join("runs/third"), &format!("{game}-shaw"));
    if cfg!(feature = "play") {
        plays(dir.path(), &cell);
    }
    if cfg!(feature = "inspect") {
        let cell = cell.to_str().expect("UTF-8");
        run_args(&dir, &["inspect", cell, "--positions", "3", "--out", "heads"]).succeeds();
    }
}

/// As a USI engine that is given its own answers: they must be legal moves.
fn plays(dir: &Path, cell: &Path) {
    let mut moves: Vec<String> = Vec::new();
    for _ in 0..6 {
        let asked = format!("usi\nisready\nposition startpos moves {}\ngo nodes 1\nquit\n", moves.join(" "));
        let said = given(posenc(dir, &["play", cell.to_str().expect("UTF-8")]), asked).stdout;
        assert!(said.contains("usiok\nreadyok\n") && !said.contains("info string"), "{said}");
        let best = said.lines().find_map(|line| line.strip_prefix("bestmove ")).expect("a move");
        if best == "resign" {
            break;
        }
        moves.push(best.to_owned());
    }
    assert!(!moves.is_empty());
}

#[test]
fn minishogi_goes_from_a_dataset_to_reports_and_an_engine() {
    from_dataset_to_report("minishogi");
}

#[test]
fn the_largest_board_for_probes_does_the_same() {
    from_dataset_to_report("board11");
}

/// `scripts/long-check example-game`.
#[cfg(feature = "skirmish")]
#[test]
fn a_game_that_exists_in_tests_only_does_the_same() {
    from_dataset_to_report("skirmish");
}
