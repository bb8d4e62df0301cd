//! A game that no other test names, from its dataset to reports, pictures and an engine.

use crate::cli::{cell_of, given, posenc, run, run_args};
use crate::endless::GRID;
use std::path::Path;
use tempfile::TempDir;
use testing::write_experiment;

/// The grid of endless positions, with the moves of a dataset in place of them.
fn grid(game: &str) -> String {
    GRID.replace("name: endless", "name: third")
        .replace("{generate: {probe: attacked-squares, game: chess, seed: 1, every: 8}}", "moves")
        .replace("game: chess\n", &format!("game: {game}\n"))
        .replace("per_square: {classes: 4}", "policy: {}")
        .replace("mask: none}", "mask: none, loss: {policy: 1, value: 0}}")
        .replace("metric: map_loss", "metric: policy_loss")
}

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

    write_experiment(dir.path(), &grid(game));
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

/// Runs in `scripts/long-check example-game` alone.
#[cfg(feature = "skirmish")]
#[test]
fn a_game_that_exists_in_tests_only_does_the_same() {
    from_dataset_to_report("skirmish");
}
