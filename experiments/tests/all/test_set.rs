//! A test set of one's own, from its import to the bundle.

use crate::cli::{cell_of, run};
use records::{Baselines, Manifest};
use std::fs;
use testing::{assert_says, opening_records, place, small};

#[test]
fn a_grid_is_tested_on_other_games_than_those_of_its_dataset() {
    let data = "data: {chess: {train: chess, test: openings}, shogi: shogi}";
    let dir = place(&small().replace("data: {chess: chess, shogi: shogi}", data));
    fs::write(dir.path().join("openings.pgn"), opening_records()).expect("written");
    let imported = run(&dir, "data import --game chess --from openings.pgn --out openings --test 1").succeeds();
    imported.says(&["train 0, validation 0, test 64"]);
    let stated = fs::read_to_string(dir.path().join("openings/dataset.yaml")).expect("its description");
    assert_says(&stated, &["--test 1 --validation 0 --split-seed 0"]);
    let parts = ["dataset chess with", "dataset openings with 256 test positions", "that occur in these are left out"];
    run(&dir, "check experiment.yaml").succeeds().says_in_prose(&parts);
    assert_eq!(run(&dir, "check experiment.yaml --json").json()["rows"][0]["dataset"]["test"]["name"], "openings");

    run(&dir, "run experiment.yaml").succeeds();
    let run_dir = dir.path().join("runs/small");
    let manifest = Manifest::read(&cell_of(&run_dir, "chess-shaw")).expect("readable").expect("a manifest");
    let set = manifest.dataset.test.expect("the test set");
    let games = dataset::Manifest::read(&dir.path().join("chess")).expect("a dataset").split.games;
    assert_eq!((set.left_out_of_train, set.left_out_of_validation), (games.train, games.validation));
    let baselines = Baselines::read(&run_dir).expect("baselines");
    assert!(baselines.sets[0].content_hash.ends_with(&format!(", test {}", set.content_hash)));
    let left_out = format!("test games of openings; {} training and", games.train);
    run(&dir, "report runs/small").succeeds().says(&[&left_out]);

    // Finished cells are known by both hashes.
    run(&dir, "publish runs/small --out bundle.tar.zst").succeeds();
    let again = run(&dir, "run experiment.yaml --out other --from bundle.tar.zst").succeeds();
    again.tells(&["copied from other run folders or bundles: 4 cells, finished there"]);
    let verify = "verify bundle.tar.zst --rerun 1 --data chess";
    run(&dir, verify).fails_with(&["needs the dataset openings with the content hash", "--data"]);
    let said = run(&dir, &format!("{verify} --data openings")).succeeds().stdout;
    assert_says(&said, &[": the same, bit for bit"]);
}
