//! `posenc eval` on suites, mates and test positions, with untrained networks.

use crate::cli::run;
use serde_json::Value;
use std::fs;
use testing::Finished;

const EPD: &str = "\
6k1/5ppp/8/8/8/8/8/R6K w - - bm Ra8#; id \"mates.1\"; c8 \"10 1\"; c9 \"a1a8 a1a7\";
4k3/8/8/8/8/8/4P3/4K3 w - - am e4; id \"waits.1\"; c8 \"3\"; c9 \"e2e3\";
";

fn told(finished: &Finished, arguments: &[&str]) -> Vec<Value> {
    let answer = run(finished.path(), arguments).succeeds();
    answer.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn suites_are_scored_by_best_moves_and_by_points() {
    let finished = Finished::new();
    fs::write(finished.path().join("suite.epd"), EPD).expect("written");
    let cell = finished.cell("chess");
    let told = told(&finished, &["eval", &cell, "--suite", "suite.epd", "--agent", "value", "--json"]).remove(0);
    // The value agent mates; what it plays in the other position is the network's.
    let waits = told["answers"][1] == "e2e4";
    assert_eq!(told["answers"][0], "a1a8");
    assert_eq!(told["score"]["solved"]["right"], if waits { 1 } else { 2 });
    let points = 10.0 + if told["answers"][1] == "e2e3" { 3.0 } else { 0.0 };
    assert_eq!(told["score"]["points"], serde_json::json!([points, 13.0]));
    let parts = told["score"]["parts"].as_array().expect("parts");
    assert_eq!(parts.iter().map(|part| part["name"].as_str()).collect::<Vec<_>>(), [Some("mates"), Some("waits")]);
    let wrong = EPD.replace("Ra8#", "Rb8#");
    fs::write(finished.path().join("suite.epd"), wrong).expect("written");
    run(finished.path(), &["eval", &cell, "--suite", "suite.epd"]).fails_with(&["suite.epd, line 1", "Rb8"]);
}

#[test]
fn mates_are_found_by_the_rules_and_false_alarms_are_checks() {
    let finished = Finished::new();
    fs::write(finished.path().join("mates.sfen"), "4k4/9/4P4/9/9/9/9/9/4K4 b G 1\n").expect("written");
    // Every move of the only rook gives check or none does: no move mates.
    fs::write(finished.path().join("none.sfen"), "4k4/9/9/9/9/9/9/9/4K4 b G 1\n").expect("written");
    let cell = finished.cell("shogi");
    let arguments = ["eval", &cell, "--mates", "mates.sfen", "--no-mates", "none.sfen", "--agent", "value", "--json"];
    let told = told(&finished, &arguments);
    assert_eq!(told.len(), 2);
    assert_eq!((&told[0]["kind"], &told[0]["score"]["mates"]["right"]), (&"mates".into(), &1.into()));
    assert_eq!(told[1]["kind"], "no_mates");
    assert_eq!(told[1]["score"]["mates"]["right"], 0);
    let refused = run(finished.path(), &["eval", &cell]);
    assert_eq!(refused.code, Some(2), "nothing is asked");
    assert!(refused.stderr.contains("--puzzles") && refused.stderr.contains("--calibration"), "{}", refused.stderr);
}

#[test]
fn calibration_is_of_the_test_positions_and_their_results() {
    let finished = Finished::new();
    for game in ["chess", "shogi"] {
        let told =
            told(&finished, &["eval", &finished.cell(game), "--calibration", "--json", "--diagram", "calibration.svg"]);
        let told = &told[0];
        let drawn = fs::read_to_string(finished.path().join("calibration.svg")).expect("a diagram");
        assert!(drawn.contains("win: ECE") && drawn.contains("loss: ECE"), "{drawn}");
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
