//! `posenc show`: one position for people, many for programs.

use crate::cli::{Answer, SHOGI_START, given, posenc, run_args};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn show(args: &[&str]) -> Answer {
    run_args(Path::new("."), &[&["show"], args].concat())
}

/// Sends lines to `show --json` and returns its answers.
fn ask(game: &str, lines: &str) -> (Answer, Vec<Value>) {
    let answer = given(posenc(Path::new("."), &["show", "--game", game, "--json"]), lines);
    let values = answer.stdout.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    (answer, values)
}

fn index_of(answer: &Value, mv: &str) -> Option<u64> {
    let legal = answer["legal"].as_array()?;
    legal.iter().find(|entry| entry["move"] == mv)?["index"].as_u64()
}

#[test]
fn the_text_shows_board_network_and_moves() {
    let parts = ["White to move", "  8  r  n  b  q  k  b  n  r", "castling.own.king_side", "20 legal moves", "e2e4"];
    show(&["--game", "chess", "--position", START]).succeeds().says(&parts);
    let parts = ["Black to move", "  i  L  N  S  G  K  G  S  N  L", "hand.own.pawn", "30 legal moves", "7g7f"];
    show(&["--game", "shogi", "--position", SHOGI_START]).succeeds().says(&parts);
    for (game, option, start) in [("chess", "--fen", START), ("shogi", "--sfen", SHOGI_START)] {
        let text = show(&["--game", game, "--position", start]).succeeds().stdout;
        assert_eq!(show(&["--game", game, option, "startpos"]).succeeds().stdout, text);
    }
    let named = show(&["--game", "chess", "--position", "startpos", "--json"]).json();
    assert_eq!(named["legal"].as_array().map(Vec::len), Some(20));
    assert_eq!(show(&["--game", "chess"]).code, Some(2));
    show(&["--game", "go", "--position", START]).misused_with(&["the games are chess, shogi"]);
}

#[test]
fn the_json_has_moves_indices_board_and_features() {
    let (answer, values) = ask("chess", &format!("{START}\n8/8/8/8/8/k7/p7/K7 w - - 3 9\n"));
    answer.succeeds();
    assert_eq!(values[0]["position"], START);
    assert_eq!(values[0]["legal"].as_array().map(Vec::len), Some(20));
    // The side to move's back rank first: rook 4, knight 2, bishop 3, queen 5, king 6.
    let board = values[0]["input"]["board"].as_array().expect("the codes");
    assert_eq!(board[..8], [4, 2, 3, 5, 6, 3, 2, 4].map(Value::from));
    assert_eq!(values[0]["input"]["features"]["castling.own.king_side"], 1);
    assert_eq!(values[1]["legal"], serde_json::json!([]), "stalemate");
    assert_eq!(values[1]["input"]["features"]["halfmove_clock"], 3);
    let args = ["--game", "shogi", "--position", SHOGI_START, "--json", "--input", "piece_tokens_aux"];
    assert_eq!(show(&args).json()["input"]["name"], "piece_tokens_aux");

    // Lc0's table: e1a1 is 97, e1h1 is 103 (castling is the king taking its rook), a7a8q is 1792.
    let (answer, values) = ask("chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\n8/P3k3/8/8/8/8/8/K7 w - - 0 1\n");
    answer.succeeds();
    assert_eq!(index_of(&values[0], "e1c1"), Some(97));
    assert_eq!(index_of(&values[0], "e1g1"), Some(103));
    assert_eq!(index_of(&values[1], "a7a8q"), Some(1792));
}

#[test]
fn a_bad_line_is_answered_and_the_rest_goes_on() {
    let (answer, values) = ask("chess", &format!("{START}\nnonsense\n\n{START}"));
    let answer = answer.fails_with(&["2 of 4 positions are bad; the first is line 2"]);
    assert_eq!(answer.stderr.trim().lines().count(), 1, "{}", answer.stderr);
    assert_eq!(values.len(), 4);
    assert_eq!(values[1]["position"], "nonsense");
    assert!(values[1]["error"].as_str().is_some_and(|error| error.contains("FEN")), "{}", values[1]);
    assert!(values[2]["error"].is_string());
    assert_eq!(values[3]["legal"].as_array().map(Vec::len), Some(20));
}

#[test]
fn a_king_that_can_be_captured_is_refused_with_the_remedy() {
    for (game, position, other) in
        [("chess", "4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "Black"), ("shogi", "4k4/4R4/9/9/9/9/9/9/4K4 b - 1", "White")]
    {
        let remedy = format!("could capture the king: {other} stands in check; let {other} move, or correct the board");
        show(&["--game", game, "--position", position]).fails_with(&[&remedy, "^"]);
    }
}

#[test]
fn whoever_asks_line_by_line_is_answered_line_by_line() {
    let mut child = posenc(Path::new("."), &["show", "--game", "shogi", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("posenc starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
    for _ in 0..3 {
        writeln!(stdin, "{SHOGI_START}").expect("posenc reads");
        stdin.flush().expect("posenc reads");
        let mut line = String::new();
        stdout.read_line(&mut line).expect("posenc answers before it gets the next line");
        assert!(line.contains("\"7g7f\""), "{line}");
    }
    drop(stdin);
    assert!(child.wait().expect("posenc ends").success());
}
