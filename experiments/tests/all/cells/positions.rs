//! What a cell stores of each test position is what `posenc predict` says about it, position by position.

use crate::cli;
use config::{RunConfig, Weights};
use dataset::store::GameRow;
use dataset::{Manifest, Split};
use games::GameResult;
use models::AverageConfig;
use records::Part;
use records::positions::{MEASURES, PositionRow, file, read};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use testing::Bench;

/// The games of the test split by their number.
fn games(data: &Path) -> BTreeMap<u32, GameRow> {
    let manifest = Manifest::read(data).expect("a dataset");
    let rows = manifest.rows(data).map(|row| row.expect("a shard"));
    rows.filter(|row| row.split == Split::Test).map(|row| (row.id, row)).collect()
}

/// The moves of a game up to a ply, and the one played there.
fn at(game: &GameRow, ply: u16) -> (String, &str) {
    let moves: Vec<&str> = game.moves.split(' ').collect();
    let (before, played) = (&moves[..usize::from(ply)], moves[usize::from(ply)]);
    let text = if before.is_empty() { "startpos".to_owned() } else { format!("startpos moves {}", before.join(" ")) };
    (text, played)
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// Loss and hit of the policy and of the result, from an answer of `posenc predict`; there is no map.
fn by_hand(answer: &Value, game: &GameRow, ply: u16, played: &str) -> [Option<f64>; 5] {
    let moves = answer["moves"].as_array().expect("moves");
    let share = |mv: &Value| number(&mv["probability"]);
    let own = moves.iter().find(|mv| mv["move"] == played).expect("the move is legal");
    let best = moves.iter().map(share).fold(0.0, f64::max);
    let hit = |own: f64, best: f64| f64::from(u8::from(own == best));
    let is_target = ply >= game.policy_from_ply;
    let policy = is_target.then(|| [-share(own).ln(), hit(share(own), best)]);
    let wdl = ["win", "draw", "loss"].map(|key| number(&answer["wdl"][key]));
    // White moves at even plies.
    let outcome = match game.result {
        GameResult::Draw => 1,
        GameResult::FirstWins if ply.is_multiple_of(2) => 0,
        GameResult::SecondWins if !ply.is_multiple_of(2) => 0,
        _ => 2,
    };
    let likeliest = wdl.iter().copied().fold(0.0, f64::max);
    [policy.map(|p| p[0]), policy.map(|p| p[1]), Some(-wdl[outcome].ln()), Some(hit(wdl[outcome], likeliest)), None]
}

fn stored(dir: &Path, weights: Weights) -> Vec<PositionRow> {
    read(&dir.join(file(weights))).expect("stored positions")
}

#[test]
fn every_stored_position_is_what_the_final_weights_say_about_it() {
    let bench = Bench::new();
    let mut run: RunConfig = bench.run(24);
    run.eval.test_positions = 200;
    let swa = r#"{"swa": {"every": 5, "max_n": 10}}"#;
    run.train.averaging = Some(serde_json::from_str::<AverageConfig>(swa).expect("an average"));
    let dir = bench.trained("positions", &run);
    let (games, rows) = (games(&run.data), stored(&dir, Weights::Raw));
    assert!(rows.len() > 100, "{}", rows.len());

    let texts: Vec<String> = rows.iter().map(|row| at(&games[&row.game], row.ply).0).collect();
    fs::write(bench.path().join("list"), texts.join("\n")).expect("written");
    let cell = dir.display().to_string();
    let answers = cli::run_args(bench.path(), &["predict", &cell, "--json", "--positions", "list"]).json_lines();
    assert_eq!(answers.len(), rows.len());

    let mut sums = [(0.0, 0.0); MEASURES.len()];
    for (row, answer) in rows.iter().zip(&answers) {
        let game = &games[&row.game];
        let expected = by_hand(answer, game, row.ply, at(game, row.ply).1);
        for ((found, expected), (sum, count)) in row.values.iter().zip(expected).zip(&mut sums) {
            assert_eq!(found.is_some(), expected.is_some(), "game {} ply {}", row.game, row.ply);
            let (Some(found), Some(expected)) = (found, expected) else { continue };
            let near = (f64::from(*found) - expected).abs() < 1e-4 * (1.0 + expected);
            assert!(near, "game {} ply {}: {found}, not {expected}", row.game, row.ply);
            *sum += f64::from(*found);
            *count += 1.0;
        }
    }
    let lines = testing::lines(&dir);
    let of_test = |weights: Weights| lines.iter().rfind(|line| line.split == Part::Test && line.weights == weights);
    let test = of_test(Weights::Raw).expect("a line of the test split");
    for (name, (sum, count)) in MEASURES.iter().zip(sums).filter(|(_, (_, count))| *count > 0.0) {
        let metric = test.metrics.get(name).unwrap_or_else(|| panic!("no {name}"));
        assert!((metric - sum / count).abs() < 1e-9 * (1.0 + metric), "{name}: {metric}, not {}", sum / count);
    }
    assert_eq!(test.metrics.get("positions"), Some(rows.len() as f64));
    assert_eq!(test.metrics.get("policy_targets"), Some(sums[0].1));

    // Every test position of the games that are looked at is there once.
    let mut places: Vec<(u32, u16)> = rows.iter().map(|row| (row.game, row.ply)).collect();
    places.sort_unstable();
    let looked_at: Vec<u32> = places.iter().map(|&(game, _)| game).collect();
    let whole = |id: &u32| (0..games[id].plies).map(|ply| (*id, ply)).collect::<Vec<_>>();
    let mut ids = looked_at;
    ids.dedup();
    assert_eq!(places, ids.iter().flat_map(whole).collect::<Vec<_>>());

    // The averaged weights have a file of their own, whose means are those of their line.
    let averaged = stored(&dir, Weights::Averaged);
    let losses: Vec<f64> = averaged.iter().filter_map(|row| row.values[0]).map(f64::from).collect();
    let line = of_test(Weights::Averaged).expect("a line of the average");
    let metric = line.metrics.get("policy_loss").expect("a loss");
    assert!((losses.iter().sum::<f64>() / losses.len() as f64 - metric).abs() < 1e-9 * (1.0 + metric));
    assert_ne!(averaged, rows);
}
