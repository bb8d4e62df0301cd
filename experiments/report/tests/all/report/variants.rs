//! Learning rates, sizes and budgets: rows that are variants of each other.

use crate::report::folder::{Folder, SEEDS, close};
use records::plan::Row;
use report::model::comparison::Verdict;
use report::model::variants::Multiple;
use report::sizes::{Place, place_on};
use serde_json::{Value, json};
use spec::{NetworkFacts, Role};

/// A grid of rows with runs and losses on test, the first the reference; on validation losses are 0.5 higher.
fn grid(rows: &[(&str, Value, [f64; 3])]) -> Folder {
    let mut folder = Folder::new();
    let like = folder.plan.rows[0].clone();
    folder.plan.rows = rows
        .iter()
        .enumerate()
        .map(|(i, (label, config, _))| Row {
            label: (*label).to_owned(),
            folder: format!("chess-{label}-0123456789ab"),
            role: if i == 0 { Role::Reference } else { Role::Compared },
            network: NetworkFacts {
                trunk: config["model"].as_u64().unwrap_or(100) as usize,
                heads: 0,
                encoding: 0,
                ..like.network.clone()
            },
            ..like.clone()
        })
        .collect();
    folder.write_plan();
    for (label, config, losses) in rows {
        folder.row(label, *losses);
        for seed in SEEDS {
            folder.manifest(label, seed, |manifest| {
                manifest["config"] = config.clone();
                manifest["config"]["seed"] = json!(seed);
            });
        }
    }
    folder
}

fn run(encoding: &str, model: u64, rate: f64, steps: u64) -> Value {
    json!({"encoding": encoding, "model": model, "train": {"steps": steps, "learning_rate": {"values": [rate, rate / 10.0]}}})
}

#[test]
fn rates_are_chosen_on_validation_and_compared_on_test() {
    let report = grid(&[
        ("absolute-a", run("absolute", 1, 1e-3, 9), [2.5, 2.6, 2.55]),
        ("absolute-b", run("absolute", 1, 3e-3, 9), [2.4, 2.5, 2.46]),
        ("absolute-c", run("absolute", 1, 9e-3, 9), [2.7, 2.8, 2.75]),
        ("shaw-a", run("shaw", 1, 1e-3, 9), [2.30, 2.39, 2.37]),
        ("shaw-b", run("shaw", 1, 3e-3, 9), [2.35, 2.45, 2.42]),
    ])
    .report();
    let sweep = report.games[0].sweep.as_ref().expect("rows differ in their rate only");
    assert_eq!(sweep.reference, "absolute-b");
    let labels: Vec<_> = sweep.chosen.iter().map(|one| (&one.label[..], one.tried, one.at_the_edge)).collect();
    assert_eq!(labels, [("absolute-b", 3, false), ("shaw-a", 2, true)]);
    let shaw = &sweep.chosen[1];
    close(shaw.difference.expect("three pairs").mean, -0.1);
    close(shaw.validation.mean, (2.30 + 2.39 + 2.37) / 3.0 + 0.5);
    // scipy.stats.ttest_1samp([-.1, -.11, -.09], 0).pvalue
    close(shaw.holm_p.expect("three pairs"), 0.003_316_758_722_356_871);
    assert_eq!(shaw.verdict, Verdict::Better);
}

#[test]
fn a_metric_lies_on_the_ladder_by_hand() {
    let ladder = [(100.0, 3.0), (400.0, 2.0), (1600.0, 1.5)];
    let at = |metric: f64, base: f64| match place_on(&ladder, base, metric) {
        Some(Place::At(size)) => size,
        other => panic!("{other:?}"),
    };
    // Half way between two rungs is their geometric mean.
    close(at(2.5, 100.0), 200.0);
    close(at(1.75, 100.0), 800.0);
    close(at(3.0, 100.0), 100.0);
    assert_eq!(place_on(&ladder, 100.0, 1.4), Some(Place::Above(1600.0)));
    assert_eq!(place_on(&ladder, 100.0, 3.2), Some(Place::Below(100.0)));
    assert_eq!(place_on(&ladder[..1], 100.0, 9.0), None);
    // Where larger is worse for a while, the crossing nearest to the reference counts.
    let bent = [(100.0, 3.0), (200.0, 2.0), (400.0, 3.0), (800.0, 1.0)];
    let crossing = |base: f64| match place_on(&bent, base, 2.5) {
        Some(Place::At(size)) => size,
        other => panic!("{other:?}"),
    };
    close(crossing(100.0), 100.0 * 2.0_f64.sqrt());
    close(crossing(800.0), 400.0 * 2.0_f64.powf(0.25));
}

#[test]
fn size_equivalents_are_geometric_means_over_seeds() {
    let report = grid(&[
        ("absolute-m", run("absolute", 100, 1e-3, 9), [3.0, 3.1, 3.2]),
        ("absolute-l", run("absolute", 400, 1e-3, 9), [2.0, 2.1, 2.2]),
        ("absolute-xl", run("absolute", 1600, 1e-3, 9), [1.0, 1.1, 1.2]),
        ("shaw-m", run("shaw", 100, 1e-3, 9), [2.5, 2.5, 2.8]),
        ("rope-m", run("rope", 100, 1e-3, 9), [3.3, 3.3, 3.3]),
    ])
    .report();
    let sizes = report.games[0].sizes.as_ref().expect("three sizes of the reference");
    assert_eq!((sizes.rungs, sizes.rows.len()), (3, 2));
    let shaw = sizes.rows[0].equivalents[0].expect("every seed lies on the ladder");
    // ln of 4^0.5, 4^0.6, 4^0.4: the mean is that of 2.
    let Multiple::Of(mean, ends) = shaw.by_reference else { panic!("{shaw:?}") };
    close(mean, 2.0);
    // 0.1 ln 4 / √3 · t₀.₉₇₅(2)
    let half = 0.1 * 4.0_f64.ln() / 3.0_f64.sqrt() * 4.302_652_729_911_275;
    assert!((ends.high.ln() - 2.0_f64.ln() - half).abs() < 1e-6, "{ends:?}");
    assert_eq!(sizes.rows[1].equivalents[0].map(|rope| rope.by_reference), Some(Multiple::Below(1.0)));
    assert_eq!(sizes.rows[0].equivalents[2], None, "no step was timed");
}

#[test]
fn budgets_are_compared_with_the_reference_of_the_same_steps() {
    let report = grid(&[
        ("absolute-20", run("absolute", 1, 1e-3, 20), [3.0, 3.1, 3.2]),
        ("shaw-20", run("shaw", 1, 1e-3, 20), [3.1, 3.2, 3.4]),
        ("rope-20", run("rope", 1, 1e-3, 20), [3.2, 3.3, 3.5]),
        ("absolute-80", run("absolute", 1, 2e-3, 80), [2.0, 2.1, 2.2]),
        ("shaw-80", run("shaw", 1, 2e-3, 80), [1.8, 1.9, 2.1]),
        ("rope-80", run("rope", 1, 2e-3, 80), [2.1, 2.2, 2.4]),
    ])
    .report();
    let budgets = report.games[0].budgets.as_ref().expect("two budgets");
    assert_eq!((&budgets.steps[..], budgets.rows.len()), (&[20, 80][..], 2));
    assert_eq!(budgets.rows[0].label, "shaw");
    let means: Vec<f64> = budgets.rows[0].differences.iter().map(|test| test.expect("pairs").mean).collect();
    close(means[0], 0.4 / 3.0);
    close(means[1], -0.5 / 3.0);
    // absolute < shaw < rope, then shaw < absolute < rope: one of three pairs is turned round.
    close(budgets.ranks[0].expect("three rows").tau, 1.0 / 3.0);
    assert!(report.games[0].sweep.is_none(), "rates that go with their steps are no sweep");
}
