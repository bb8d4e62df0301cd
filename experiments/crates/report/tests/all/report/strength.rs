//! What cells did as players: pairs by seed, Elo, and the order of the rows.

use crate::report::folder::{Folder, SEEDS, close, says};
use records::Strength;
use records::strength::{Evaluation, Measure};
use serde_json::Value;

const ABSOLUTE: [f64; 3] = [0.20, 0.22, 0.21];
const SHAW: [f64; 3] = [0.30, 0.33, 0.31];
const ROPE: [f64; 3] = [0.20, 0.21, 0.19];

pub(crate) fn leave(folder: &Folder, label: &str, measure: Measure, name: &str, values: [f64; 3]) {
    for (seed, value) in SEEDS.into_iter().zip(values) {
        let dir = folder.cell(label, seed);
        let mut strength = Strength::read(&dir).expect("nothing, or a file");
        strength.put(Evaluation {
            identity: format!("{label} {seed} {name}"),
            measure,
            name: name.to_owned(),
            agent: "policy".to_owned(),
            value,
            of: 1_000,
            details: Value::Null,
        });
        strength.write(&dir).expect("written");
    }
}

#[test]
fn rows_are_compared_with_the_reference_seed_by_seed() {
    let folder = Folder::finished();
    assert!(folder.report().games[0].strength.is_empty(), "no cell was asked");
    for (label, values) in [("absolute", ABSOLUTE), ("shaw", SHAW), ("rope", ROPE), ("absolute-twin", ABSOLUTE)] {
        leave(&folder, label, Measure::Puzzles, "puzzles.csv", values);
    }
    // False alarms: the row with the fewest is the best.
    for (label, values) in [("absolute", SHAW), ("shaw", ABSOLUTE), ("rope", [0.4, 0.5, 0.6])] {
        leave(&folder, label, Measure::NoMates, "none.sfen", values);
    }
    leave(&folder, "shaw", Measure::Match, "reference", [0.6, 0.7, 0.65]);
    leave(&folder, "shaw", Measure::Match, "weak engine", [1.0; 3]);
    leave(&folder, "rope", Measure::Match, "weak engine", [0.0; 3]);
    let report = folder.report();
    let [puzzles, alarms, games, _] = &report.games[0].strength[..] else { panic!("four questions") };
    let labels: Vec<&str> = puzzles.rows.iter().map(|row| row.label.as_str()).collect();
    assert_eq!(labels, ["absolute", "shaw", "rope", "absolute-twin"], "the reference first, its control last");
    assert_eq!(puzzles.rows[0].difference, None);
    close(puzzles.rows[1].difference.expect("three pairs").mean, 0.31 / 3.0);
    assert_eq!(puzzles.ranks.map(|ranks| ranks.tau), Some(1.0), "puzzles order the rows as the loss does");
    assert_eq!(alarms.ranks.map(|ranks| ranks.tau), Some(1.0));
    // The reference stands at ½ against itself; three rows would be needed for an order.
    assert_eq!((games.rows.len(), games.ranks), (1, None));
    close(games.rows[0].difference.expect("three pairs").mean, 0.15);
    // t of 0.10, 0.11 and 0.10 with 2 degrees of freedom; 400·log10(p/(1−p)) Elo of 0.65, 0.526 and 0.774, and of
    // p = 0.05^(1/1000) where all cells won their 1,000 games, which have the same openings.
    let parts = [
        "strength: puzzles puzzles.csv, agent policy",
        "[+8.9, +11.8]",
        "+108 [+18, +214]",
        "absolute-twin (A/A)",
        "at least +1009",
        "at most −1009",
    ];
    says(&report, &parts);
}
