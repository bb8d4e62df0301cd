//! `posenc data`: records become datasets, and bad records lose nothing else.

use crate::cli::run;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;
use testing::{chess_records, shogi_records};

fn folder() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

fn write(dir: &Path, name: &str, text: &str) {
    std::fs::write(dir.join(name), text).expect("the folder can be written");
}

fn info(dir: &Path, dataset: &str) -> Value {
    let answer = run(dir, &["data", "info", dataset, "--json"]).succeeds();
    serde_json::from_str(&answer.stdout).expect("one JSON object")
}

#[test]
fn an_import_says_what_it_kept() {
    let dir = folder();
    write(dir.path(), "games.pgn", &chess_records());
    let import = ["data", "import", "--game", "chess", "--from", "games.pgn", "--out", "set", "--name", "tiny"];
    let more = ["--source", "made for a test", "--licence", "CC0-1.0", "--policy-from-ply", "2", "--split-seed", "7"];
    let answer = run(dir.path(), &[&import[..], &more].concat()).succeeds();
    assert!(answer.stdout.contains("49 games with 196 positions"), "{}", answer.stdout);
    let info = info(dir.path(), "set");
    let manifest = &info["manifest"];
    assert_eq!(manifest["name"], "tiny");
    assert_eq!(manifest["source"], "made for a test");
    assert_eq!(manifest["licence"], "CC0-1.0");
    assert_eq!(manifest["policy_from_ply"], 2);
    assert_eq!(manifest["counts"]["kept"], 49);
    let splits = ["train", "validation", "test"].map(|split| info["splits"][split]["games"].as_u64().unwrap_or(0));
    assert_eq!(splits.iter().sum::<u64>(), 49);
    let text = run(dir.path(), &["data", "info", "set"]).succeeds().stdout;
    for part in
        ["tiny (chess)", "made for a test", "CC0-1.0", "positions by phase", "opening", "games by result", "###"]
    {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    run(dir.path(), &["data", "verify", "set"]).succeeds();
}

#[test]
fn baselines_of_a_dataset_are_measured_without_a_network() {
    let dir = folder();
    write(dir.path(), "games.pgn", &chess_records());
    run(dir.path(), &["data", "import", "--game", "chess", "--from", "games.pgn", "--out", "set"]).succeeds();
    let text = run(dir.path(), &["data", "baselines", "set", "--test-positions", "100"]).succeeds().stdout;
    for part in ["uniform over legal moves", "static prior", "log-linear model", "below uniform"] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
    let json = run(dir.path(), &["data", "baselines", "set", "--json"]).succeeds().stdout;
    let set: Value = serde_json::from_str(&json).expect("one JSON object");
    assert_eq!((&set["game"], &set["baselines"][0]["loss"].is_f64()), (&Value::from("chess"), &true));
    assert!(set["model_weights"].as_array().is_some_and(|weights| weights.len() > 40), "{json}");
    run(dir.path(), &["data", "baselines", "nowhere"]).fails_with(&["nowhere"]);
}

#[test]
fn csa_files_of_many_games_are_read() {
    let dir = folder();
    write(dir.path(), "games.csa", &shogi_records());
    run(dir.path(), &["data", "import", "--game", "shogi", "--from", "games.csa", "--out", "set"]).succeeds();
    assert_eq!(info(dir.path(), "set")["manifest"]["counts"]["kept"], 81);
}

#[test]
fn an_existing_folder_is_not_touched() {
    let dir = folder();
    write(dir.path(), "games.pgn", &chess_records());
    std::fs::create_dir(dir.path().join("set")).expect("a folder");
    write(dir.path(), "set/mine.txt", "keep me");
    let answer = run(dir.path(), &["data", "import", "--game", "chess", "--from", "games.pgn", "--out", "set"]);
    answer.fails_with(&["set exists already", "choose another name"]);
    let entries = std::fs::read_dir(dir.path().join("set")).expect("the folder").count();
    assert_eq!(entries, 1);
}

#[test]
fn an_illegal_move_costs_its_game_only() {
    let dir = folder();
    let bad = "[Result \"1-0\"]\n\n1. e4 e5 2. Ke3 1-0\n\n";
    write(dir.path(), "games.pgn", &format!("{bad}{}", chess_records()));
    let import = ["data", "import", "--game", "chess", "--from", "games.pgn", "--out"];
    let answer = run(dir.path(), &[&import[..], &["set"]].concat()).succeeds();
    for part in
        ["kept 49", "rejected 1", "illegal_move 1", "games.pgn, game 0, ply 2", "Ke3", "correct them", "rejects.jsonl"]
    {
        assert!(answer.stdout.contains(part), "{part:?} is not in:\n{}", answer.stdout);
    }
    let answer = run(dir.path(), &[&import[..], &["strict", "--strict"]].concat());
    answer.fails_with(&["games.pgn, game 0", "Ke3"]);
    write(dir.path(), "ga\u{7}mes.pgn", &format!("{bad}{}", chess_records()));
    let import = ["data", "import", "--game", "chess", "--from", "ga\u{7}mes.pgn", "--out", "bell"];
    let said = run(dir.path(), &import).succeeds().stdout;
    assert!(said.contains("the first: ga�mes.pgn, game 0"), "{said}");
    let left: Vec<_> = std::fs::read_dir(dir.path()).expect("the folder").filter_map(Result::ok).collect();
    assert!(left.iter().all(|entry| !entry.file_name().to_string_lossy().contains("strict")), "{left:?}");
}

#[test]
fn a_wrong_board_in_csa_costs_its_game_only() {
    let dir = folder();
    // The second row has ten squares; the third game's king could be captured.
    let first_row = "P1-KY-KE-GI-KI-OU-KI-GI-KE-KY";
    let wide = format!("V2.2\n{first_row}\nP2 * -HI *  *  *  *  *  * -KA * \n+\n+7776FU\n%TORYO\n/\n");
    let hanging = "V2.2\nP-51OU\nP+52HI59OU\n+\n+5251HI\n%TORYO\n/\n";
    write(dir.path(), "games.csa", &format!("{wide}{}{hanging}", shogi_records()));
    let import = ["data", "import", "--game", "shogi", "--from", "games.csa", "--out"];
    let answer = run(dir.path(), &[&import[..], &["set"]].concat()).succeeds();
    for part in [
        "kept 81",
        "rejected 2",
        "start_position 2",
        "games.csa, game 0: row P2 does not have 9 squares",
        "correct them",
        "rejects.jsonl",
    ] {
        assert!(answer.stdout.contains(part), "{part:?} is not in:\n{}", answer.stdout);
    }
    let rejects = std::fs::read_to_string(dir.path().join("set/rejects.jsonl")).expect("the list");
    assert!(rejects.contains("could capture the king"), "{rejects}");
    run(dir.path(), &[&import[..], &["strict", "--strict"]].concat()).fails_with(&["games.csa, game 0", "row P2"]);
}

#[test]
fn an_output_folder_that_cannot_be_written_is_named() {
    let dir = folder();
    write(dir.path(), "games.pgn", &chess_records());
    write(dir.path(), "file", "keep me");
    let answer = run(dir.path(), &["data", "import", "--game", "chess", "--from", "games.pgn", "--out", "file/set"]);
    let answer = answer.fails_with(&["cannot write to file: ", "name another place"]);
    assert_eq!(answer.stderr.lines().count(), 1, "{}", answer.stderr);
    assert_eq!(std::fs::read_to_string(dir.path().join("file")).expect("the file"), "keep me");
}

#[test]
fn what_cannot_be_imported_is_said_in_one_line() {
    let dir = folder();
    write(dir.path(), "empty.pgn", "");
    write(dir.path(), "games.pgn", &chess_records());
    let import = |from: &str, more: &[&str]| {
        let args = ["data", "import", "--game", "chess", "--from", from, "--out", "set"];
        run(dir.path(), &[&args[..], more].concat())
    };
    import("absent.pgn", &[]).fails_with(&["absent.pgn"]);
    import("empty.pgn", &[]).fails_with(&["none of the 0 games"]);
    import("games.pgn", &["--test", "0.6", "--validation", "0.5"]).fails_with(&["leave no games to train on"]);
    import("games.pgn", &["--test", "1.5"]).fails_with(&["--test 1.5"]);
    assert!(!dir.path().join("set").exists());
    assert_eq!(import("games.pgn", &["--max-games", "many"]).code, Some(2));
}

#[test]
fn what_is_no_dataset_is_named() {
    let dir = folder();
    run(dir.path(), &["data", "info", "absent"]).fails_with(&["there is no folder absent", "posenc data import"]);
    run(dir.path(), &["data", "info", "."]).fails_with(&["holds no dataset.yaml"]);
    write(dir.path(), "dataset.yaml", "format: 1\nnmae: x\n");
    run(dir.path(), &["data", "info", "."]).fails_with(&["is not a valid manifest", "nmae"]);
}

#[test]
fn filters_are_counted_and_recorded() {
    let dir = folder();
    write(dir.path(), "games.pgn", &chess_records());
    let import = ["data", "import", "--game", "chess", "--from", "games.pgn", "--out", "set"];
    let answer = run(dir.path(), &[&import[..], &["--skip-plies", "1", "--result", "draw"]].concat()).succeeds();
    assert!(answer.stdout.contains("49 games with 147 positions"), "{}", answer.stdout);
    assert!(
        answer.stdout.contains("positions of the games kept left out by filters: skip_plies 49"),
        "{}",
        answer.stdout
    );
    let info = info(dir.path(), "set");
    assert_eq!(info["manifest"]["filters"]["skip_plies"], 1);
    assert_eq!(info["manifest"]["counts"]["filtered_positions"]["skip_plies"], 49);
    let made_by = info["manifest"]["made_by"].as_str().expect("a text");
    assert!(made_by.contains("--result draw") && made_by.contains("--skip-plies 1"), "{made_by}");
    let none = run(
        dir.path(),
        &["data", "import", "--game", "chess", "--from", "games.pgn", "--out", "none", "--rating-each", "1"],
    );
    none.fails_with(&["none of the 49 games", "the filters left out 49"]);
    let wrong = run(dir.path(), &[&import[..7], &["other", "--rating-each", "x"]].concat());
    assert_eq!(wrong.code, Some(2));
}

#[test]
fn datasets_are_made_of_datasets() {
    let dir = folder();
    write(dir.path(), "games.pgn", &chess_records());
    run(dir.path(), &["data", "import", "--game", "chess", "--from", "games.pgn", "--out", "set"]).succeeds();
    run(dir.path(), &["data", "split", "set", "--split-by-opening", "2", "--out", "split"]).succeeds();
    run(dir.path(), &["data", "merge", "set", "split", "--out", "merged"]).succeeds();
    let averaged = run(dir.path(), &["data", "average", "merged", "--out", "averaged"]).succeeds().stdout;
    // The start, 7 first moves, 49 pairs, 49 times a third move: all in all 106 different positions of 196.
    assert!(averaged.contains("196 positions became 106"), "{averaged}");
    for set in ["split", "merged", "averaged"] {
        let answer = run(dir.path(), &["data", "verify", set]).succeeds();
        assert!(answer.stdout.contains("is whole"), "{}", answer.stdout);
    }
    run(dir.path(), &["data", "verify", "averaged", "--by-position"]).succeeds();
    run(dir.path(), &["data", "verify", "set", "--by-position"]).fails_with(&[
        "occur in training too",
        "make the dataset again; ",
        ": `posenc data import",
    ]);
    let text = run(dir.path(), &["data", "info", "averaged"]).succeeds().stdout;
    for part in ["single positions without games", "moves by kind", "positions by moves of the policy target"] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

#[test]
fn exports_are_written_once() {
    let dir = folder();
    write(dir.path(), "games.pgn", &chess_records());
    run(dir.path(), &["data", "import", "--game", "chess", "--from", "games.pgn", "--out", "set"]).succeeds();
    let export = ["data", "export", "set", "--to", "pgn", "--out", "out.pgn"];
    assert!(run(dir.path(), &export).succeeds().stdout.contains("49 games as pgn"));
    run(dir.path(), &export).fails_with(&["cannot create out.pgn", "not there yet"]);
    run(dir.path(), &["data", "export", "set", "--to", "psv", "--out", "x"]).fails_with(&["psv holds shogi"]);
    assert!(!dir.path().join("x").exists(), "half a file is worse than none");
    run(dir.path(), &["data", "import", "--game", "chess", "--from", "out.pgn", "--out", "again"]).succeeds();
    assert_eq!(info(dir.path(), "again")["manifest"]["counts"]["kept"], 49);
    let bench = run(dir.path(), &["bench", "import", "--game", "chess", "--from", "out.pgn", "--json"]).succeeds();
    let rates: Value = serde_json::from_str(&bench.stdout).expect("JSON");
    assert_eq!((&rates[0]["rate"]["records"], &rates[0]["rate"]["positions"]), (&49.into(), &196.into()));
}

#[test]
fn the_value_of_lc0s_chunks_can_be_chosen() {
    let dir = folder();
    let chunks = Path::new(env!("CARGO_MANIFEST_DIR")).join("../games/tests/data/lc0_v6_selfplay.tar");
    let chunks = chunks.to_str().expect("a path in UTF-8");
    let import = |value: &str, out: &str| {
        run(dir.path(), &["data", "import", "--game", "chess", "--from", chunks, "--value", value, "--out", out])
    };
    import("best", "set").succeeds();
    let found = info(dir.path(), "set");
    assert_eq!(found["manifest"]["value_source"], "best");
    assert!(found["manifest"]["made_by"].as_str().is_some_and(|words| words.contains("--value best")));
    for split in ["train", "validation", "test"] {
        assert_eq!(found["splits"][split]["draws"], found["splits"][split]["positions"], "{split}");
    }
    let text = run(dir.path(), &["data", "info", "set"]).succeeds().stdout;
    assert!(text.contains("Lc0's best value") && text.contains("positions by probability of a draw"), "{text}");
    let refused = import("bets", "other");
    assert!(refused.stderr.contains("root, best, played, original"), "{}", refused.stderr);
}
