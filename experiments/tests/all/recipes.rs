//! `posenc data recipe`: each recipe is shown, and imports a small file of its format.

#[path = "../../../games/tests/all/bag/writer.rs"]
mod writer;

use crate::cli::{answer, run};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use testing::{chess_records, root, shogi_records};
use writer::{action_value, nested};

const FEN: &str = "8/8/8/4k3/8/8/4P3/4K3 b - - 3 40";

const EVALUATIONS: &str = concat!(
    r#"{"fen":"8/8/8/4k3/8/8/4P3/4K3 w - -","evals":[{"pvs":[{"cp":31,"line":"e2e4 e5e4"}],"knodes":9,"depth":20}]}"#,
    "\n",
    r#"{"fen":"8/8/8/4k3/8/8/4P3/4K3 b - -","evals":[{"pvs":[{"mate":3,"line":"e5e4"}],"knodes":9,"depth":20}]}"#,
    "\n"
);

/// A file of each recipe's format, and its positions; the names are those of fetched files.
fn fixtures() -> Vec<(&'static str, &'static str, Vec<u8>, u64)> {
    let sample = |name: &str| fs::read(root().join("games/tests/data").join(name)).expect("a sample");
    let packed = |bytes: &[u8]| zstd::bulk::compress(bytes, 0).expect("zstd");
    let bag = |record: Vec<u8>| writer::bag(&[record], false);
    let states = bag([nested(FEN), 0.25f64.to_be_bytes().to_vec()].concat());
    let moves = bag([nested(FEN), b"e5e4".to_vec()].concat());
    vec![
        ("lichess-evals", "lichess_db_eval.jsonl.zst", packed(EVALUATIONS.as_bytes()), 2),
        ("lichess-months", "lichess_db_standard_rated_2026-06.pgn.zst", packed(chess_records().as_bytes()), 196),
        ("chessbench-states", "state_value_data.bag", states, 1),
        ("chessbench-moves", "behavioral_cloning_data.bag", moves, 1),
        ("chessbench-actions", "action_value-00000-of-02148_data.bag", bag(action_value(FEN, "e5e4", 0.25)), 1),
        ("lc0-chunks", "training-run1-test80-20220901-0017.tar", sample("lc0_v6_selfplay.tar"), 0),
        ("floodgate", "floodgate.csa", shogi_records().into_bytes(), 324),
        ("dlshogi-hcpe", "train.hcpe", sample("shogi_selfplay_40games.hcpe"), 0),
        ("dlshogi-hcpe3", "train.hcpe3", sample("shogi_selfplay_40games.hcpe3"), 0),
        ("nodchip-psv", "kifu.bin", sample("shogi_selfplay_40games.psv"), 0),
    ]
}

fn written(dir: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, bytes).expect("the folder can be written");
    path
}

fn recipes() -> Vec<Value> {
    match run(root(), "data recipe list --json").json() {
        Value::Array(recipes) => recipes,
        other => panic!("{other}"),
    }
}

#[test]
fn every_recipe_imports_a_file_of_its_format() {
    let dir = TempDir::new().expect("a temporary folder");
    let recipes = recipes();
    let names: Vec<&str> = recipes.iter().map(|recipe| recipe["name"].as_str().expect("a name")).collect();
    let fixtures = fixtures();
    assert_eq!(names, fixtures.iter().map(|(name, ..)| *name).collect::<Vec<_>>(), "a fixture for every recipe");
    for (&(name, file, ref bytes, positions), recipe) in fixtures.iter().zip(&recipes) {
        written(dir.path(), file, bytes);
        let lost = format!("lost: {}", recipe["lost"][0].as_str().expect("a text"));
        let done = run(&dir, &format!("data recipe import {name} {file} --out {name} --split-seed 7")).succeeds();
        done.says_in_prose(&[name, "rejected 0", &lost]);
        let manifest = run(&dir, &format!("data info {name} --json")).json()["manifest"].clone();
        assert_eq!((&manifest["game"], &manifest["licence"]), (&recipe["game"], &recipe["licence"]), "{name}");
        let found = manifest["counts"]["positions"].as_u64().expect("a number");
        assert!(found > 0 && (positions == 0 || found == positions), "{name}: {found} positions");
        let made_by = manifest["made_by"].as_str().expect("a text");
        let format = format!("--from {file} --format {}", recipe["format"].as_str().expect("a name"));
        assert!(made_by.starts_with("posenc data import --game ") && made_by.contains(&format), "{made_by}");
        assert_eq!(made_by.contains(" --eval-after"), name == "lichess-months", "{made_by}");
        let shown = run(&dir, &format!("data recipe show {name}")).succeeds().stdout;
        let same = shown.lines().find_map(|line| line.strip_prefix("  the same  posenc ")).expect("a command");
        let same = same.replace("FILE…", file).replace("DIR", &format!("same-{name} --name {name} --split-seed 7"));
        let same = format!("{} {same}", env!("CARGO_BIN_EXE_posenc"));
        answer(Command::new("sh").args(["-c", same.as_str()]).current_dir(&dir)).succeeds();
        let same = run(&dir, &format!("data info same-{name} --json")).json()["manifest"].clone();
        assert_eq!(same, manifest, "{name}");
    }
}

#[test]
fn a_source_and_a_licence_can_be_stated_instead_of_those_of_a_recipe() {
    let dir = TempDir::new().expect("a temporary folder");
    let (_, file, bytes, _) = fixtures().into_iter().find(|(name, ..)| *name == "dlshogi-hcpe").expect("a fixture");
    written(dir.path(), file, &bytes);
    for (out, more, stated) in [
        ("plain", "", ["not stated", "that of the games"]),
        ("stated", "--source self-play --licence MIT", ["self-play", "MIT"]),
    ] {
        run(&dir, &format!("data recipe import dlshogi-hcpe {file} --out {out} {more}")).succeeds();
        let manifest = run(&dir, &format!("data info {out} --json")).json()["manifest"].clone();
        assert_eq!(["source", "licence"].map(|key| manifest[key].as_str()), stated.map(Some));
    }
}

#[test]
fn files_that_are_not_whole_are_named() {
    let dir = TempDir::new().expect("a temporary folder");
    let name = "lichess_db_standard_rated_2013-04.pgn.zst";
    written(dir.path(), name, b"cut off");
    let import = |recipe: &str, file: &str| run(&dir, &format!("data recipe import {recipe} {file} --out set"));
    import("lichess-months", name).fails_with(&[name, "7 bytes, expected 23,299,559", "posenc data import"]);
    import("lichess-months", "nowhere.pgn").fails_with(&["nowhere.pgn"]);
    import("lichess", name).fails_with(&["no recipe \"lichess\"", "lichess-evals, lichess-months"]);
    assert!(!dir.path().join("set").exists());
}

#[test]
fn recipes_are_listed_and_shown() {
    let listed = run(root(), "data recipe list").succeeds();
    listed.says(&["recipe", "lichess-evals", "nodchip-psv", "shogi", "next: posenc data recipe show NAME"]);
    let shown = run(root(), "data recipe show lichess-evals").succeeds().stdout;
    assert_eq!(
        shown.lines().take(11).collect::<Vec<_>>(),
        [
            "lichess-evals: positions that Lichess' users let Stockfish analyse (chess)",
            "  where     https://database.lichess.org/#evals",
            "  licence   CC0-1.0",
            "  size      about 22 GB packed, 410 million positions, as users of it counted;",
            "            it grows every month",
            "  hashes    not known, the file is replaced every month",
            "  fetch     curl -LO https://database.lichess.org/lichess_db_eval.jsonl.zst",
            "  import    posenc data recipe import lichess-evals FILE… --out DIR",
            "            FILE is lichess_db_eval.jsonl.zst, or as much of it as was fetched",
            "  the same  posenc data import --game chess --format lichess_evals --from FILE… \
             --source \"https://database.lichess.org/#evals\" --licence \"CC0-1.0\" --out DIR",
            "  lost      all searches of a position but the deepest; of that all moves but",
        ]
    );
    run(root(), "data recipe show lichess").fails_with(&["no recipe"]);
    for recipe in recipes() {
        let name = recipe["name"].as_str().expect("a name");
        let shown = run(root(), &format!("data recipe show {name}")).succeeds().stdout;
        for key in ["where", "licence", "size", "hashes", "fetch", "import", "lost", "facts"] {
            assert!(shown.lines().any(|line| line.starts_with(&format!("  {key} "))), "{name}: {key}");
        }
        // An address, a file's name or a command is not broken.
        let is_command = |line: &str| line.contains("  fetch") || line.starts_with("  the same  ");
        let is_wide = |line: &&str| line.chars().count() > 80 && line.trim().contains(' ') && !is_command(line);
        let commands: Vec<&str> = ["fetch", "then"]
            .iter()
            .flat_map(|key| match &recipe[*key] {
                Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
                Value::String(text) => vec![text.as_str()],
                _ => Vec::new(),
            })
            .collect();
        let wide: Vec<&str> = shown.lines().filter(is_wide).collect();
        assert!(wide.iter().all(|line| commands.iter().any(|command| line.ends_with(command))), "{wide:#?}");
        assert_eq!(run(root(), &format!("data recipe show {name} --json")).json(), recipe);
    }
}
