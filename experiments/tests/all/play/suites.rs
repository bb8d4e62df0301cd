//! `posenc eval` with untrained networks: puzzles, suites, mates, test positions, and an engine's scores of every move.

use crate::cli::{posenc, run};
use serde_json::Value;
use std::fs;
use testing::{Finished, assert_says, program, root};

const EPD: &str = "\
6k1/5ppp/8/8/8/8/8/R6K w - - bm Ra8#; id \"mates.1\"; c8 \"10 1\"; c9 \"a1a8 a1a7\";
4k3/8/8/8/8/8/4P3/4K3 w - - am e4; id \"waits.1\"; c8 \"3\"; c9 \"e2e3\";
";

/// A mate in one that several moves give, and a line of two moves of the solver.
const PUZZLES: &str = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Themes
mate,7k/5ppp/8/8/8/8/8/R5RK b - - 0 1,h8g8 a1a8,900,80,mateIn1
line,r5k1/pp3p1p/2b2qp1/3pr3/8/4P2P/R1PN1PP1/Q3K2R w K - 0 19,a2a7 e5e3 f2e3 f6a1 a7a1 a8a1,1493,76,crushing long
";

fn eval(finished: &Finished, game: &str, options: &str) -> Vec<Value> {
    run(finished.path(), &format!("eval {} --json {options}", finished.cell(game))).json_lines()
}

fn write(finished: &Finished, name: &str, text: &str) {
    fs::write(finished.path().join(name), text).expect("written");
}

#[test]
fn puzzles_and_suites_are_scored_by_moves_and_by_points() {
    let finished = Finished::new();
    write(&finished, "puzzles.csv", PUZZLES);
    let asked = "--puzzles puzzles.csv --agent policy --agent value --rating-plot figure.svg";
    let lines = eval(&finished, "chess", asked);
    let drawn = fs::read_to_string(finished.path().join("figure.svg")).expect("a figure");
    assert_eq!((drawn.matches("<polyline").count(), drawn.matches("<circle").count()), (2, 4), "two agents, two bands");
    assert_eq!(lines.len(), 2);
    for told in &lines {
        assert_eq!(told["score"]["moves"]["of"], 4, "one move and three");
        assert_eq!(told["puzzles"][1]["answers"].as_array().map(Vec::len), Some(3));
    }
    // The value agent sees the mate by the rules.
    assert_eq!((&lines[1]["agent"], &lines[1]["puzzles"][0]["solved"]), (&"value".into(), &true.into()));
    let flops = |line: usize| lines[line]["paper_flops"].as_u64().expect("a count");
    assert!(flops(0) > 0 && flops(1) == 20 * flops(0), "the paper counts 20 moves of a position");
    let search = "--puzzles puzzles.csv --agent search:cpuct=1000,fpu=0 --visits 1000";
    let told = eval(&finished, "chess", search).remove(0);
    assert_eq!(told["agent"], "search:visits=1000,cpuct=1000,fpu=0");
    assert_eq!(told["puzzles"][0]["solved"], true, "every move is visited");
    let eval_chess = |options: &str| run(finished.path(), &format!("eval {} {options}", finished.cell("chess")));
    eval_chess("--puzzles puzzles.csv --visits 9").fails_with(&["--visits 9", "--agent search"]);

    write(&finished, "suite.epd", EPD);
    let told = eval(&finished, "chess", "--suite suite.epd --agent value").remove(0);
    // The value agent mates; what it plays in the other position is the network's.
    let waits = told["answers"][1] == "e2e4";
    assert_eq!(told["answers"][0], "a1a8");
    assert_eq!(told["score"]["solved"]["right"], if waits { 1 } else { 2 });
    let points = 10.0 + if told["answers"][1] == "e2e3" { 3.0 } else { 0.0 };
    assert_eq!(told["score"]["points"], serde_json::json!([points, 13.0]));
    let parts = told["score"]["parts"].as_array().expect("parts");
    assert_eq!(parts.iter().map(|part| part["name"].as_str()).collect::<Vec<_>>(), [Some("mates"), Some("waits")]);

    write(&finished, "puzzles.csv", &PUZZLES.replace("h8g8", "h8g1"));
    write(&finished, "suite.epd", &EPD.replace("Ra8#", "Rb8#"));
    eval_chess("--puzzles puzzles.csv").fails_with(&["puzzles.csv, puzzle mate", "h8g1"]);
    eval_chess("--suite suite.epd").fails_with(&["suite.epd, line 1", "Rb8"]);
    eval_chess("").misused_with(&["--puzzles", "--calibration"]);
    eval_chess("--calibration 0").misused_with(&["invalid value '0'", "--calibration"]);
}

#[test]
fn the_kings_walk_of_the_chessformer_paper_is_a_suite() {
    let finished = Finished::new();
    let suite = root().join("experiments/data/suites/king-walk.epd");
    fs::copy(suite, finished.path().join("king-walk.epd")).expect("copied");
    let told = eval(&finished, "chess", "--suite king-walk.epd").remove(0);
    assert_eq!(told["score"]["solved"]["of"], 4);
    assert_eq!(told["answers"].as_array().map(Vec::len), Some(4));
}

#[test]
fn mates_are_found_by_the_rules_and_false_alarms_are_checks() {
    let finished = Finished::new();
    write(&finished, "mates.sfen", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1\n");
    // Every move of the only rook gives check or none does: no move mates.
    write(&finished, "none.sfen", "4k4/9/9/9/9/9/9/9/4K4 b G 1\n");
    let told = eval(&finished, "shogi", "--mates mates.sfen --no-mates none.sfen --agent value");
    let of = |line: usize| (told[line]["kind"].clone(), told[line]["score"]["mates"]["right"].clone());
    assert_eq!((told.len(), of(0), of(1)), (2, ("mates".into(), 1.into()), ("no_mates".into(), 0.into())));
}

#[test]
fn calibration_is_of_the_test_positions_and_their_results() {
    let finished = Finished::new();
    for game in ["chess", "shogi"] {
        let told = eval(&finished, game, "--calibration --diagram calibration.svg").remove(0);
        let drawn = fs::read_to_string(finished.path().join("calibration.svg")).expect("a diagram");
        assert_says(&drawn, &["win: ECE", "loss: ECE"]);
        let parts = told["score"]["parts"].as_array().expect("parts");
        assert_eq!(parts[0]["name"], "all");
        let of_phases: u64 = parts[1..].iter().map(|part| part["positions"].as_u64().expect("a count")).sum();
        assert_eq!(parts[0]["positions"], of_phases);
        for part in parts {
            for result in part["results"].as_array().expect("three") {
                let bins = result["bins"].as_array().expect("bins");
                let all: u64 = bins.iter().map(|bin| bin[2].as_u64().expect("a count")).sum();
                assert_eq!(part["positions"], all);
                let error = result["error"].as_f64().expect("a number");
                assert!((0.0..=1.0).contains(&error), "{error}");
            }
            let mass = part["legal_mass"].as_f64().expect("the network has a policy");
            assert!(mass > 0.0 && mass < 0.5, "an untrained policy knows no rules: {mass}");
        }
    }
}

/// A program that is `posenc play` of this cell with the value agent; each start adds a line to the file `starts`.
fn engine(finished: &Finished, cell: &str) -> String {
    let posenc = posenc(finished.path(), &[]).get_program().to_string_lossy().into_owned();
    program(finished.path(), "engine", &format!("echo {cell} >> starts; exec '{posenc}' play {cell} --agent value\n"));
    "./engine".to_owned()
}

#[test]
fn a_network_agrees_with_its_own_values_as_an_engine() {
    let finished = Finished::new();
    let positions = [
        (
            "chess",
            "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n",
        ),
        ("shogi", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n4k4/9/4P4/9/9/9/9/9/4K4 b G 1\n"),
    ];
    for (game, text) in positions {
        write(&finished, "positions", text);
        let cell = finished.cell(game);
        let judge = engine(&finished, &cell) + "@1";
        let command = format!("eval {cell} --judged positions --judge {judge} --json --agent value --agent policy");
        let told = run(finished.path(), &command).json_lines();
        let starts = fs::read_to_string(finished.path().join("starts")).expect("the engine's starts");
        assert_eq!(starts.lines().filter(|line| *line == cell).count(), 1, "{game}: scored once for both agents");
        let [own, policy] = [0, 1].map(|i| &told[i]["score"]);
        assert_eq!((&own["positions"], &policy["positions"]), (&2.into(), &2.into()));
        // Scores are whole centipawns, which tie moves of nearly one value.
        assert!(own["tau"][0].as_f64().expect("τ") > 0.8, "{game}: {own}");
        assert_eq!(own["loss"][0], 0.0, "{game}: {own}");
        assert_eq!(own["best"], 1.0);
        assert!(policy["loss"][0].as_f64().expect("a loss") >= 0.0 && policy["tau"][0].as_f64().expect("τ") < 0.8);
    }
    // Black has one move.
    write(&finished, "positions", "k7/8/1K6/8/8/8/8/7R b - - 0 1\n");
    let cell = finished.cell("chess");
    let judge = engine(&finished, &cell) + "@1";
    let forced = run(finished.path(), &format!("eval {cell} --judged positions --judge {judge}")).succeeds();
    forced.says(&["no position in which the engine scored two moves or more"]);
    run(finished.path(), &format!("eval {cell} --judged positions --judge ./none@1")).fails_with(&["./none"]);
    run(finished.path(), &format!("eval {cell} --judged positions")).misused_with(&["--judge"]);
    run(finished.path(), &format!("eval {cell} --mates positions --judge ./none@1")).misused_with(&["--judged"]);
}
