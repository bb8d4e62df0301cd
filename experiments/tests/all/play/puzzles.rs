//! `posenc eval --puzzles` on an untrained network.

use crate::cli::run;
use std::fs;
use testing::Finished;

/// A mate in one that several moves give, and a line of two moves of the solver.
const PUZZLES: &str = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Themes
mate,7k/5ppp/8/8/8/8/8/R5RK b - - 0 1,h8g8 a1a8,900,80,mateIn1
line,r5k1/pp3p1p/2b2qp1/3pr3/8/4P2P/R1PN1PP1/Q3K2R w K - 0 19,a2a7 e5e3 f2e3 f6a1 a7a1 a8a1,1493,76,crushing long
";

#[test]
fn puzzles_are_asked_move_by_move_by_both_agents() {
    let finished = Finished::new();
    fs::write(finished.path().join("puzzles.csv"), PUZZLES).expect("written");
    let cell = finished.cell("chess");
    let arguments = ["eval", &cell, "--puzzles", "puzzles.csv", "--agent", "policy", "--agent", "value", "--json"];
    let answer = run(finished.path(), &arguments).succeeds();
    let lines: Vec<serde_json::Value> =
        answer.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2);
    for told in &lines {
        assert_eq!(told["score"]["moves"]["of"], 4, "one move and three");
        assert_eq!(told["puzzles"][1]["answers"].as_array().map(Vec::len), Some(3));
    }
    // The value agent sees the mate by the rules.
    assert_eq!(lines[1]["agent"], "value");
    let flops = |line: usize| lines[line]["paper_flops"].as_u64().expect("a count");
    assert!(flops(0) > 0 && flops(1) == 20 * flops(0), "the paper counts 20 moves of a position");
    assert_eq!(lines[1]["puzzles"][0]["solved"], true);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let finished = Finished::new();
    fs::write(finished.path().join("puzzles.csv"), PUZZLES.replace("h8g8", "h8g1")).expect("written");
    let chess = finished.cell("chess");
    run(finished.path(), &["eval", &chess, "--puzzles", "puzzles.csv"])
        .fails_with(&["puzzles.csv, puzzle mate", "h8g1"]);
}
