//! What `posenc predict` says.

use crate::cli::{posenc, run};
use crate::inspect::tensors;
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use testing::Finished;

const SHOGI_START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";

fn predict(game: &str, more: &[&str]) -> String {
    let finished = Finished::new();
    run(finished.path(), &[&["predict", &finished.cell(game)], more].concat()).succeeds().stdout
}

fn json(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

fn shares(answer: &Value) -> Vec<f64> {
    let moves = answer["moves"].as_array().expect("moves");
    moves.iter().map(|mv| mv["probability"].as_f64().expect("a probability")).collect()
}

#[test]
fn probabilities_are_a_distribution_over_the_legal_moves() {
    for (game, more, legal) in [("chess", ["--fen", "startpos"], 20), ("shogi", ["--sfen", SHOGI_START], 30)] {
        let answers = json(&predict(game, &[&more[..], &["--json"]].concat()));
        let shares = shares(&answers[0]);
        assert_eq!(shares.len(), legal);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(shares.windows(2).all(|pair| pair[0] >= pair[1]), "the likeliest first");
        let wdl = &answers[0]["wdl"];
        let sum: f64 = ["win", "draw", "loss"].iter().map(|key| wdl[key].as_f64().expect("a share")).sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_probability_is_the_softmax_of_its_logit() {
    let answer = &json(&predict("chess", &["--fen", "startpos moves e2e4", "--json"]))[0];
    let moves = answer["moves"].as_array().expect("moves");
    let number = |mv: &Value, key: &str| mv[key].as_f64().expect("a number");
    let ratio = (number(&moves[0], "logit") - number(&moves[5], "logit")).exp();
    assert!((number(&moves[0], "probability") / number(&moves[5], "probability") / ratio - 1.0).abs() < 1e-9);
    assert!(moves.iter().any(|mv| mv["move"] == "e7e5"), "Black answers");
}

#[test]
fn temperature_and_top_shape_the_answer() {
    let ask = |more: &[&str]| shares(&json(&predict("chess", &[&["--fen", "startpos", "--json"], more].concat()))[0]);
    let (plain, cold, frozen) = (ask(&[]), ask(&["--temperature", "0.2"]), ask(&["--temperature", "0"]));
    assert!(cold[0] > plain[0]);
    assert_eq!((frozen[0], frozen[1]), (1.0, 0.0));
    assert_eq!(ask(&["--top", "3"]), plain[..3], "the others are left out, not their share");
}

#[test]
fn a_dump_holds_the_numbers_of_an_export() {
    let (finished, out) = (Finished::new(), tempfile::tempdir().expect("a folder"));
    let list = out.path().join("list");
    fs::write(&list, "startpos\nstartpos moves d2d4 g8f6\n8/P3k3/8/8/8/8/8/K7 w - - 0 1\n").expect("written");
    let path = |name: &str| out.path().join(name).to_str().expect("UTF-8").to_owned();
    let (list, dump, dir) = (path("list"), path("dump.safetensors"), path("export"));
    let cell = finished.cell("chess");
    predict("chess", &["--positions", &list, "--dump", &dump]);
    run(finished.path(), &["export", &cell, "--out", &dir, "--positions", &list]).succeeds();
    let dumped = tensors(dump.into());
    assert_eq!(dumped, tensors(out.path().join("export/forward.safetensors")));
    assert_eq!(dumped.iter().find(|(name, ..)| name == "packed").map(|(_, shape, _)| shape[0]), Some(3));
}

#[test]
fn positions_come_from_stdin_too_and_text_is_for_people() {
    let finished = Finished::new();
    let mut command = posenc(finished.path(), &["predict", &finished.cell("shogi"), "--positions", "-", "--top", "2"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("posenc starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    writeln!(stdin, "startpos moves 7g7f\n{SHOGI_START}").expect("posenc reads");
    drop(stdin);
    let output = child.wait_with_output().expect("posenc ends");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success());
    assert!(text.starts_with("startpos moves 7g7f\n  wdl: win "), "{text}");
    assert_eq!(text.lines().filter(|line| line.ends_with('%') && !line.contains("wdl")).count(), 4, "{text}");
}
