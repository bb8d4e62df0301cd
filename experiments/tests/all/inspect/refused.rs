//! What `posenc export` and `posenc predict` refuse, and that they leave nothing behind.

use crate::cli::{SHOGI_START, answer, posenc, run, run_args};
use std::fs;
use std::path::Path;
use testing::{Finished, place, small};

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("the folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.into_string().expect("UTF-8")).collect();
    names.sort();
    names
}

#[test]
fn what_is_no_cell_or_has_no_weights() {
    let (finished, dir) = (Finished::new(), tempfile::tempdir().expect("a folder"));
    let ask = |cell: &str| run(finished.path(), &format!("predict {cell} --fen startpos"));
    ask("nowhere").fails_with(&["nowhere is not a cell", "runs/<experiment>/<row>/seed-<n>"]);
    ask("runs/chess").fails_with(&["is not a cell", "A cell below it is", "seed-0"]);
    let config = finished.path().join(finished.cell("chess")).join("config.yaml");
    fs::copy(config, dir.path().join("config.yaml")).expect("copied");
    run(&dir, "predict . --fen startpos").fails_with(&["has no weights yet", "run its experiment"]);
    run(&dir, "export . --out out").fails_with(&["has no weights yet"]);
    assert_eq!(names(dir.path()), ["config.yaml"]);
}

#[test]
fn positions_of_another_game_and_bad_lines() {
    let finished = Finished::new();
    let ask =
        |game: &str, more: &[&str]| run_args(finished.path(), &[&["predict", &finished.cell(game)], more].concat());
    ask("chess", &["--sfen", SHOGI_START]).fails_with(&["no position of chess, which the cell is of"]);
    ask("shogi", &["--fen", "8/8/8/8/8/k7/p7/K7 w - - 3 9"]).fails_with(&["no position of shogi"]);
    let short = "8/8/8/8/8/k7/p7/K w - - 3 9";
    ask("chess", &["--fen", short]).fails_with(&["no position of chess", "^\n  help: write FEN"]);
    ask("chess", &["--fen", "startpos moves e2e4 e2e4"]).fails_with(&["e2e4"]);
    assert_eq!(ask("chess", &[]).code, Some(2), "a position must be named");
    assert_eq!(ask("chess", &["--fen", "startpos", "--temperature", "-1"]).code, Some(2));

    fs::write(finished.path().join("list"), "startpos\nnonsense\n").expect("written");
    let before = names(finished.path());
    let cell = finished.cell("chess");
    let export = |list: &str| run(finished.path(), &format!("export {cell} --out out --positions {list}"));
    export("list").fails_with(&["list, line 2: no position of chess"]);
    export("missing").fails_with(&["cannot read"]);
    assert_eq!(names(finished.path()), before, "nothing is left behind");
}

#[test]
fn what_is_there_already_and_a_package_that_is_missing() {
    let finished = Finished::new();
    fs::write(finished.path().join("taken"), "mine").expect("written");
    let (before, cell) = (names(finished.path()), finished.cell("chess"));
    run(finished.path(), &format!("export {cell} --out taken")).fails_with(&["taken exists already"]);
    run(finished.path(), &format!("predict {cell} --fen startpos --dump taken")).fails_with(&["taken exists already"]);
    assert_eq!(fs::read_to_string(finished.path().join("taken")).expect("there"), "mine");
    assert_eq!(names(finished.path()), before);

    let mut onnx = posenc(finished.path(), &["export", &cell, "--out", "exported", "--onnx"]);
    let refused = answer(onnx.env("POSENC_TORCH_PYTHON", "no-such-python"));
    refused.fails_with(&["exported is written", "no-such-python", "pip install", "POSENC_TORCH_PYTHON"]);
    assert!(finished.path().join("exported/weights.safetensors").is_file());
}

#[test]
fn a_grid_of_networks_without_attention_has_nothing_to_inspect() {
    let (chessformer, resnet) =
        ("chessformer: {layers: 2, width: 16, heads: 2, ff: 16}", "resnet: {blocks: 1, channels: 8, policy: planes}");
    let text = small().replace(chessformer, resnet).replace("piece_tokens", "lc0_112");
    let dir = place(&text.replace("    - absolute: {at: input}\n    - shaw: {terms: [q, k]}\n", ""));
    run(&dir, "run experiment.yaml").succeeds();
    run(&dir, "inspect runs/small").fails_with(&["has no attention heads: its architecture is resnet"]);
}
