//! What `posenc predict` prints.

use crate::cli::{SHOGI_START, given, posenc, run, run_args};
use crate::inspect::tensors;
use serde_json::Value;
use std::fs;
use std::process::Stdio;
use testing::Finished;

fn predict(finished: &Finished, game: &str, more: &[&str]) -> Value {
    run_args(finished.path(), &[&["predict", &finished.cell(game), "--json"], more].concat()).json()
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn shares(answer: &Value) -> Vec<f64> {
    answer["moves"].as_array().expect("moves").iter().map(|mv| number(&mv["probability"])).collect()
}

#[test]
fn probabilities_are_a_distribution_over_the_legal_moves() {
    let finished = Finished::new();
    for (game, more, legal) in [("chess", ["--fen", "startpos"], 20), ("shogi", ["--sfen", SHOGI_START], 30)] {
        let answer = predict(&finished, game, &more);
        let shares = shares(&answer);
        assert_eq!(shares.len(), legal);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(shares.windows(2).all(|pair| pair[0] >= pair[1]), "the likeliest first");
        let sum: f64 = ["win", "draw", "loss"].iter().map(|key| number(&answer["wdl"][key])).sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }
    // A probability is the softmax of its logit.
    let answer = predict(&finished, "chess", &["--fen", "startpos moves e2e4"]);
    let moves = answer["moves"].as_array().expect("moves");
    let ratio = (number(&moves[0]["logit"]) - number(&moves[5]["logit"])).exp();
    assert!((number(&moves[0]["probability"]) / number(&moves[5]["probability"]) / ratio - 1.0).abs() < 1e-9);
    assert!(moves.iter().any(|mv| mv["move"] == "e7e5"), "Black answers");

    let ask = |more: &[&str]| shares(&predict(&finished, "chess", &[&["--fen", "startpos"], more].concat()));
    let (plain, cold, frozen) = (ask(&[]), ask(&["--temperature", "0.2"]), ask(&["--temperature", "0"]));
    assert!(cold[0] > plain[0]);
    assert_eq!((frozen[0], frozen[1]), (1.0, 0.0));
    assert_eq!(ask(&["--top", "3"]), plain[..3], "the others are left out, not their share");
}

#[test]
fn all_moves_are_a_distribution_over_the_vocabulary() {
    let finished = Finished::new();
    for (game, position, moves, legal) in [("chess", "startpos", 1858, 20), ("shogi", SHOGI_START, 3781, 30)] {
        let [all, among_legal] = [&["--all-moves"][..], &[]]
            .map(|more| predict(&finished, game, &[&["--position", position], more].concat()));
        let listed = all["moves"].as_array().expect("moves");
        assert_eq!(listed.len(), moves);
        let all_shares = shares(&all);
        assert!((all_shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(all_shares.windows(2).all(|pair| pair[0] >= pair[1]), "the likeliest first");
        // Those of the legal ones stand in the same proportions as among legal moves only.
        let of_legal: Vec<&Value> = listed.iter().filter(|mv| mv["legal"] != false).collect();
        assert_eq!(of_legal.len(), legal);
        let mass: f64 = of_legal.iter().map(|mv| number(&mv["probability"])).sum();
        for (mv, share) in of_legal.iter().zip(shares(&among_legal)) {
            assert!((number(&mv["probability"]) / mass - share).abs() < 1e-9, "{mv}");
        }
    }
}

#[test]
fn a_dump_holds_the_numbers_of_an_export() {
    let finished = Finished::new();
    let text = "startpos\nstartpos moves d2d4 g8f6\n8/P3k3/8/8/8/8/8/K7 w - - 0 1\n";
    fs::write(finished.path().join("list"), text).expect("written");
    let cell = finished.cell("chess");
    run(finished.path(), &format!("predict {cell} --positions list --dump dump.safetensors")).succeeds();
    run(finished.path(), &format!("export {cell} --out export --positions list")).succeeds();
    let dumped = tensors(finished.path().join("dump.safetensors"));
    assert_eq!(dumped, tensors(finished.path().join("export/forward.safetensors")));
    assert_eq!(dumped.iter().find(|(name, ..)| name == "packed").map(|(_, shape, _)| shape[0]), Some(3));

    // Positions come from stdin, too, and text is for people.
    let command = posenc(finished.path(), &["predict", &finished.cell("shogi"), "--positions", "-", "--top", "2"]);
    let text = given(command, format!("startpos moves 7g7f\n{SHOGI_START}\n")).succeeds().stdout;
    assert!(text.starts_with("startpos moves 7g7f\n  wdl: win "), "{text}");
    assert_eq!(text.lines().filter(|line| line.ends_with('%') && !line.contains("wdl")).count(), 4, "{text}");
}

#[test]
fn a_dump_is_written_although_the_reader_of_the_text_has_seen_enough() {
    let finished = Finished::new();
    let cell = finished.cell("chess");
    let dump = ["predict", &cell, "--position", "startpos", "--dump", "dump.safetensors"];
    let mut command = posenc(finished.path(), &dump);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    let done = child.wait_with_output().expect("it ends");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(tensors(finished.path().join("dump.safetensors")).iter().any(|(name, ..)| name == "packed"));
}
