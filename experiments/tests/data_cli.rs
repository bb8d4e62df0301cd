//! `posenc data`: records become datasets, and bad records lose nothing else.

mod cli;

use cli::{chess_records, run, shogi_records};
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

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
        ["kept 49", "rejected 1", "illegal_move 1", "games.pgn, game 0, ply 2", "Ke3", "mend them", "rejects.jsonl"]
    {
        assert!(answer.stdout.contains(part), "{part:?} is not in:\n{}", answer.stdout);
    }
    let answer = run(dir.path(), &[&import[..], &["strict", "--strict"]].concat());
    answer.fails_with(&["games.pgn, game 0", "Ke3"]);
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
        "mend them",
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
    run(dir.path(), &["data", "info", "."]).fails_with(&["is no manifest", "nmae"]);
}
