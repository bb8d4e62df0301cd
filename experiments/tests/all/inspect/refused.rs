//! What `posenc export` and `posenc predict` refuse, and that they leave nothing behind.

use crate::cli::{Answer, posenc, run};
use std::fs;
use std::path::Path;
use testing::Finished;

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("the folder");
    entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect()
}

#[test]
fn what_is_no_cell() {
    let finished = Finished::new();
    let row = Path::new(&finished.cell("chess")).parent().expect("the row").to_str().expect("UTF-8").to_owned();
    let ask = |cell: &str| run(finished.path(), &["predict", cell, "--fen", "startpos"]);
    ask("nowhere").fails_with(&["nowhere is not a cell", "runs/<experiment>/<row>/seed-<n>"]);
    ask(&row).fails_with(&["is not a cell", "A cell below it is", "seed-0"]);
}

#[test]
fn a_cell_without_weights() {
    let (finished, dir) = (Finished::new(), tempfile::tempdir().expect("a folder"));
    let config = finished.path().join(finished.cell("chess")).join("config.yaml");
    fs::copy(config, dir.path().join("config.yaml")).expect("copied");
    run(dir.path(), &["predict", ".", "--fen", "startpos"]).fails_with(&["has no weights yet", "run its experiment"]);
    run(dir.path(), &["export", ".", "--out", "out"]).fails_with(&["has no weights yet"]);
    assert_eq!(names(dir.path()), ["config.yaml"]);
}

#[test]
fn what_is_no_position_of_the_cells_game() {
    let finished = Finished::new();
    let ask = |game: &str, more: &[&str]| run(finished.path(), &[&["predict", &finished.cell(game)], more].concat());
    let sfen = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    ask("chess", &["--sfen", sfen]).fails_with(&["no position of chess, which the cell is of"]);
    ask("shogi", &["--fen", "8/8/8/8/8/k7/p7/K7 w - - 3 9"]).fails_with(&["no position of shogi"]);
    ask("chess", &["--fen", "8/8/8/8/8/k7/p7/K w - - 3 9"]).fails_with(&["no position of chess", "^"]);
    ask("chess", &["--fen", "startpos moves e2e4 e2e4"]).fails_with(&["e2e4"]);
    assert_eq!(ask("chess", &[]).code, Some(2), "a position must be named");
    assert_eq!(ask("chess", &["--fen", "startpos", "--temperature", "-1"]).code, Some(2));
}

#[test]
fn a_bad_line_of_a_file() {
    let (finished, dir) = (Finished::new(), tempfile::tempdir().expect("a folder"));
    let (list, out) = (dir.path().join("list"), dir.path().join("out"));
    let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
    fs::write(&list, "startpos\nnonsense\n").expect("written");
    let cell = finished.cell("chess");
    let export = |list: &str| run(finished.path(), &["export", &cell, "--out", &text(&out), "--positions", list]);
    export(&text(&list)).fails_with(&["list, line 2: no position of chess"]);
    export(&text(&dir.path().join("missing"))).fails_with(&["cannot read"]);
    assert_eq!(names(dir.path()), ["list"], "nothing is left behind");
}

#[test]
fn nothing_is_overwritten() {
    let (finished, dir) = (Finished::new(), tempfile::tempdir().expect("a folder"));
    let file = dir.path().join("taken");
    fs::write(&file, "mine").expect("written");
    let (cell, out) = (finished.cell("chess"), file.to_str().expect("UTF-8"));
    run(finished.path(), &["export", &cell, "--out", out]).fails_with(&["taken exists already"]);
    run(finished.path(), &["predict", &cell, "--fen", "startpos", "--dump", out]).fails_with(&["taken exists already"]);
    assert_eq!(fs::read_to_string(&file).expect("there"), "mine");
    assert_eq!(names(dir.path()), ["taken"]);
}

#[test]
fn onnx_without_its_package_says_what_to_install_and_keeps_the_export() {
    let finished = Finished::new();
    let mut command = posenc(finished.path(), &["export", &finished.cell("chess"), "--out", "exported", "--onnx"]);
    let answer: Answer = command.env("POSENC_TORCH_PYTHON", "no-such-python").output().expect("posenc starts").into();
    answer.fails_with(&["exported is written", "no-such-python", "pip install", "POSENC_TORCH_PYTHON"]);
    assert!(finished.path().join("exported/weights.safetensors").is_file());
}
