//! `posenc data`: records become datasets, and bad records lose nothing else.

use crate::cli::{Answer, run, run_args};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;
use testing::{assert_says, chess_records, root, shogi_records};

/// A folder with chess games in `games.pgn`.
fn folder() -> TempDir {
    let dir = TempDir::new().expect("a temporary folder");
    write(&dir, "games.pgn", &chess_records());
    dir
}

fn write(dir: &TempDir, name: &str, text: &str) {
    std::fs::write(dir.path().join(name), text).expect("the folder can be written");
}

/// Imports a file of chess games to the dataset `out`.
fn import(dir: &TempDir, from: &str, out: &str, more: &str) -> Answer {
    run(dir, &format!("data import --game chess --from {from} --out {out} {more}"))
}

fn info(dir: &TempDir, dataset: &str) -> Value {
    run(dir, &format!("data info {dataset} --json")).json()
}

#[test]
fn records_of_single_positions_are_not_called_games() {
    let dir = TempDir::new().expect("a temporary folder");
    let hcpe = root().join("games/tests/data/shogi_selfplay_40games.hcpe");
    let from = hcpe.to_str().expect("a text");
    let told = run_args(&dir, &["data", "import", "--game", "shogi", "--from", from, "--out", "set"]).succeeds();
    let first = told.stdout.lines().next().expect("a line");
    assert!(first.starts_with("set: ") && first.ends_with(" single positions"), "{first}");
    let info = run(&dir, "data info set").succeeds();
    let info = info.says(&["single positions in 3 shards", "positions by result"]).stdout;
    assert!(!info.contains("games by") && !info.contains("games  positions") && !info.contains("  plies:"), "{info}");
    let verified = run(&dir, "data verify set").succeeds();
    let verified = verified.says(&["single positions replayed", "\nnovel positions: validation 100.0 %"]).stdout;
    assert!(!verified.contains("game"), "{verified}");
}

#[test]
fn only_options_of_filters_and_of_the_split_stand_below_their_headings() {
    for command in ["data import --help", "data recipe import --help"] {
        let help = run(root(), command).succeeds().stdout;
        let (above, below) = help.split_once("\nFilters:\n").expect("a heading");
        for option in ["--threads", "--strict"] {
            assert!(above.contains(option) && !below.contains(option), "{option}: {help}");
        }
    }
}

#[test]
fn an_import_says_what_it_kept() {
    let dir = folder();
    let stated = "data import --game chess --from games.pgn --out set --name tiny --licence CC0-1.0 --policy-from-ply 2 \
                  --split-seed 7 --source";
    let stated: Vec<&str> = stated.split(' ').chain(["made for a test"]).collect();
    run_args(&dir, &stated).succeeds().says(&["49 games with 196 positions"]);
    let found = info(&dir, "set");
    let manifest = &found["manifest"];
    let texts = ["name", "source", "licence"].map(|key| manifest[key].as_str());
    assert_eq!(texts, [Some("tiny"), Some("made for a test"), Some("CC0-1.0")]);
    assert_eq!((&manifest["policy_from_ply"], &manifest["counts"]["kept"]), (&2.into(), &49.into()));
    let splits = ["train", "validation", "test"].map(|split| found["splits"][split]["games"].as_u64().unwrap_or(0));
    assert_eq!(splits.iter().sum::<u64>(), 49);
    let parts =
        ["tiny (chess)", "made for a test", "CC0-1.0", "positions by phase", "opening", "games by result", "###"];
    run(&dir, "data info set").succeeds().says(&parts);
    run(&dir, "data verify set").succeeds();

    // Baselines are measured without a network.
    let parts = ["uniform over legal moves", "static prior", "log-linear model", "below uniform"];
    run(&dir, "data baselines set --test-positions 100").succeeds().says(&parts);
    let set = run(&dir, "data baselines set --json").json();
    assert_eq!((&set["game"], &set["baselines"][0]["loss"].is_f64()), (&Value::from("chess"), &true));
    assert!(set["model_weights"].as_array().is_some_and(|weights| weights.len() > 40), "{set}");
    run(&dir, "data baselines nowhere").fails_with(&["nowhere"]);

    // An export is written once.
    let export = || run(&dir, "data export set --to pgn --out out.pgn");
    export().succeeds().says(&["49 games as pgn"]);
    export().fails_with(&["cannot create out.pgn", "not there yet"]);
    run(&dir, "data export set --to psv --out x").fails_with(&["psv holds shogi, and "]);
    assert!(!dir.path().join("x").exists(), "the partial file is removed");
    import(&dir, "out.pgn", "again", "").succeeds();
    assert_eq!(info(&dir, "again")["manifest"]["counts"]["kept"], 49);
    let rates = run(&dir, "bench import --game chess --from out.pgn --json").json();
    assert_eq!((&rates[0]["rate"]["records"], &rates[0]["rate"]["positions"]), (&49.into(), &196.into()));
}

#[test]
fn an_empty_split_is_a_warning_that_names_the_options() {
    let dir = TempDir::new().expect("a temporary folder");
    let game = |moves: &str| format!("[Result \"1-0\"]\n\n1. {moves} 1-0\n\n");
    write(&dir, "games.pgn", &["e4 e5", "d4 d5", "c4 c5"].map(game).concat());
    let parts = ["warning: no game is in validation and test", "--validation (now 0.001), --test (now 0.001)"];
    import(&dir, "games.pgn", "few", "--validation 0.001 --test 0.001").succeeds().says(&parts);
    let tests = import(&dir, "games.pgn", "tests", "--test 1").succeeds();
    assert!(!tests.stdout.contains("warning"), "the other splits have no share: {}", tests.stdout);
    let refused = run(&dir, "new few.yaml --data few");
    let refused = refused.fails_with(&["posenc: --data: the dataset \"few\" has no validation games"]);
    assert!(!refused.stderr.contains("few.yaml") && !dir.path().join("few.yaml").exists(), "{}", refused.stderr);
}

#[test]
fn an_illegal_move_costs_its_game_only() {
    let dir = folder();
    let bad = "[Result \"1-0\"]\n\n1. e4 e5 2. Ke3 1-0\n\n";
    for name in ["games.pgn", "ga\u{7}mes.pgn"] {
        write(&dir, name, &format!("{bad}{}", chess_records()));
    }
    let place = "games.pgn, game 0, ply 2";
    let parts = ["kept 49", "rejected 1", "illegal_move 1", place, "Ke3", "correct them", "rejects.jsonl"];
    import(&dir, "games.pgn", "set", "").succeeds().says(&parts);
    import(&dir, "games.pgn", "strict", "--strict").fails_with(&[place, "Ke3", "without `strict` such games are left"]);
    import(&dir, "ga\u{7}mes.pgn", "bell", "").succeeds().says(&["the first: ga�mes.pgn, game 0"]);
    // A start has no ply.
    write(&dir, "starts.pgn", &format!("[FEN \"x\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n{}", chess_records()));
    import(&dir, "starts.pgn", "starts", "").succeeds().says(&["start_position 1", "the first: starts.pgn, game 0: "]);
    import(&dir, "starts.pgn", "strict", "--strict").fails_with(&["starts.pgn, game 0: "]);
    let left: Vec<_> = std::fs::read_dir(&dir).expect("the folder").filter_map(Result::ok).collect();
    assert!(left.iter().all(|entry| !entry.file_name().to_string_lossy().contains("strict")), "{left:?}");
}

#[test]
fn an_export_says_what_its_format_loses() {
    let dir = TempDir::new().expect("a temporary folder");
    write(&dir, "games.csa", &shogi_records());
    run(&dir, "data import --game shogi --from games.csa --out set").succeeds();
    let export = |format: &str| run(&dir, &format!("data export set --format {format} --out {format}"));
    export("hcpe3").succeeds().says(&["81 games as hcpe3", "lost: ratings"]);
    export("hcpe").succeeds().says(&["324 positions as hcpe", "soft policies, plies"]);
    assert_eq!(export("hcp").code, Some(2));
}

#[test]
fn what_cannot_be_imported_is_said_in_one_line_and_nothing_is_touched() {
    let dir = folder();
    write(&dir, "empty.pgn", "");
    write(&dir, "file", "keep me");
    std::fs::create_dir(dir.path().join("mine")).expect("a folder");
    write(&dir, "mine/mine.txt", "keep me");
    import(&dir, "absent.pgn", "set", "").fails_with(&["absent.pgn"]);
    import(&dir, "mine", "set", "").fails_with(&["cannot read mine: it is a folder; name its files: --from mine/*"]);
    import(&dir, "empty.pgn", "set", "").fails_with(&["none of the 0 games"]);
    import(&dir, "games.pgn", "set", "--test 0.6 --validation 0.5").fails_with(&["leave no games to train on"]);
    import(&dir, "games.pgn", "set", "--test 1.5").fails_with(&["--test 1.5"]);
    let refused = import(&dir, "games.pgn", "set", "--rating-each 1");
    refused.fails_with(&["none of the 49 games", "the filters left out 49"]);
    assert!(!dir.path().join("set").exists());
    for wrong in ["--max-games many", "--rating-each x"] {
        assert_eq!(import(&dir, "games.pgn", "set", wrong).code, Some(2));
    }
    import(&dir, "games.pgn", "mine", "").fails_with(&["mine exists already", "choose another name"]);
    assert_eq!(std::fs::read_dir(dir.path().join("mine")).expect("the folder").count(), 1);
    let answer =
        import(&dir, "games.pgn", "file/set", "").fails_with(&["cannot write to file: ", "name another place"]);
    assert_eq!(answer.stderr.lines().count(), 1, "{}", answer.stderr);
    assert_eq!(std::fs::read_to_string(dir.path().join("file")).expect("the file"), "keep me");

    run(&dir, "data info absent").fails_with(&["there is no folder absent", "posenc data import"]);
    run(&dir, "data info .").fails_with(&["holds no dataset.yaml"]);
    write(&dir, "dataset.yaml", "format: 1\nnmae: x\n");
    run(&dir, "data info .").fails_with(&["is not a valid manifest", "nmae"]);
}

#[test]
fn filters_are_counted_and_recorded_and_datasets_are_made_of_datasets() {
    let dir = folder();
    let parts = ["49 games with 147 positions", "positions of the games kept left out by filters: skip_plies 49"];
    import(&dir, "games.pgn", "filtered", "--skip-plies 1 --result draw").succeeds().says(&parts);
    let manifest = &info(&dir, "filtered")["manifest"];
    assert_eq!(manifest["filters"]["skip_plies"], 1);
    assert_eq!(manifest["counts"]["filtered_positions"]["skip_plies"], 49);
    assert_says(manifest["made_by"].as_str().expect("a text"), &["--result draw", "--skip-plies 1"]);

    import(&dir, "games.pgn", "set", "").succeeds();
    run_args(&dir, &["data", "split", "set", "--split-by-opening", "2", "--out", "a split"]).succeeds();
    run_args(&dir, &["data", "merge", "set", "a split", "--out", "merged"]).succeeds();
    let made_by = info(&dir, "merged")["manifest"]["made_by"].to_string();
    assert_says(&made_by, &["posenc data merge set 'a split' --test "]);
    // The start, 7 first moves, 49 pairs, 49 times a third move: all in all 106 different positions of 196.
    run(&dir, "data average merged --memory 0 --out averaged").misused_with(&["invalid value '0'", "--memory"]);
    run(&dir, "data average merged --out averaged").succeeds().says(&["196 positions became 106"]);
    for set in ["a split", "merged", "averaged"] {
        run_args(&dir, &["data", "verify", set]).succeeds().says(&["is whole"]);
    }
    run(&dir, "data verify averaged --by-position").succeeds();
    let overlap = ["occur in training too", "games share positions; `posenc data average`"];
    run(&dir, "data verify set --by-position").fails_with(&overlap);
    let parts = ["without games: no history", "moves by kind", "positions by moves of the policy target"];
    run(&dir, "data info averaged").succeeds().says(&parts);
}

#[test]
fn scores_of_lichess_are_noted_if_they_are_read_as_those_of_engines() {
    let dir = TempDir::new().expect("a temporary folder");
    let site = "[Site \"https://lichess.org/abcdefgh\"]\n[Result \"1-0\"]\n\n";
    write(&dir, "games.pgn", &format!("{site}1. e4 {{ [%eval 0.3] }} 1... e5 {{ [%eval 0.2] }} 1-0\n"));
    import(&dir, "games.pgn", "before", "").succeeds().says(&["note: ", "import again with --eval-after"]);
    let told = import(&dir, "games.pgn", "after", "--eval-after").succeeds();
    assert!(!told.stdout.contains("note: "), "{}", told.stdout);
    let manifest = dataset::Manifest::read(&dir.path().join("after")).expect("a manifest");
    assert!(manifest.filters.eval_after && manifest.made_by.contains(" --eval-after "), "{}", manifest.made_by);
}

#[test]
fn scores_are_counted_at_their_whole_points_and_the_ends_are_open() {
    let dir = TempDir::new().expect("a temporary folder");
    write(&dir, "games.pgn", "1. e4 { [%eval 20.01] } 1... e5 { [%eval 99.00] } 2. d4 { [%eval 1.00] } *\n");
    import(&dir, "games.pgn", "set", "--test 1").succeeds();
    let line = |bin: &str| format!("\n  {bin:<22} {:>12}  ###", 1);
    let lines = ["≥ 2000", "≤ -2000", "100 … 200"].map(line);
    run(&dir, "data info set").succeeds().says(&lines.each_ref().map(String::as_str));
}

#[test]
fn the_value_of_lc0s_chunks_can_be_chosen() {
    let dir = folder();
    let chunks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games/tests/data/lc0_v6_selfplay.tar");
    std::fs::copy(chunks, dir.path().join("chunks.tar")).expect("copied");
    import(&dir, "chunks.tar", "set", "--value best").succeeds();
    let found = info(&dir, "set");
    assert_eq!(found["manifest"]["value_source"], "best");
    assert!(found["manifest"]["made_by"].as_str().is_some_and(|words| words.contains("--value best")));
    for split in ["train", "validation", "test"] {
        assert_eq!(found["splits"][split]["draws"], found["splits"][split]["positions"], "{split}");
    }
    run(&dir, "data info set").succeeds().says(&["Lc0's best value", "positions by probability of a draw"]);
    import(&dir, "chunks.tar", "other", "--value bets").misused_with(&["root, best, played, original"]);
}
