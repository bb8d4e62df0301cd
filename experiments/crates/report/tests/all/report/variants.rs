//! Sizes and budgets: rows that are variants of each other.

use crate::report::folder::{Folder, close};
use crate::scaling::at;
use facts::metrics::Direction;
use report::statistics::ladder::{Bounded, Ladder, non_increasing};
use report::text;
use serde_json::{Value, json};

/// A grid of rows with runs and losses on test, the first the reference; on validation losses are 0.5 higher.
fn grid(rows: &[(&str, Value, [f64; 3])]) -> Folder {
    let mut folder = Folder::new();
    let mut planned = folder.rows(rows.iter().map(|(label, ..)| (*label).to_owned()));
    for (row, (_, run, _)) in planned.iter_mut().zip(rows) {
        row.network.trunk = run["model"].as_u64().unwrap_or(100) as usize;
        (row.network.heads, row.network.encoding) = (0, 0);
    }
    folder.edit(|plan| plan.rows = planned);
    for (label, run, losses) in rows {
        folder.row(label, *losses);
        folder.run(label, run);
    }
    folder
}

fn run(encoding: &str, model: u64, rate: f64, steps: u64) -> Value {
    json!({"encoding": encoding, "model": model, "train": {"steps": steps, "learning_rate": {"values": [rate, rate / 10.0]}}})
}

#[test]
fn a_metric_lies_on_the_ladder_by_hand() {
    let rungs = [(100.0, 3.0), (400.0, 2.0), (1600.0, 1.5)];
    let ladder = Ladder::of(&rungs, Direction::Lower).expect("three sizes");
    let size = |ladder: &Ladder, metric: f64| at(ladder.size_at(metric));
    // Half way between two rungs is their geometric mean.
    for (metric, expected) in [(2.5, 200.0), (1.75, 800.0), (3.0, 100.0), (1.5, 1600.0)] {
        close(size(&ladder, metric), expected);
    }
    assert_eq!(ladder.size_at(1.4), Bounded::AtLeast(1600.0));
    assert_eq!(ladder.size_at(3.2), Bounded::AtMost(100.0));
    assert_eq!([1.0 / 256.0, 0.25].map(|size| Bounded::AtMost(size).to_string()), ["≤ 0.0039", "≤ 0.25"]);
    assert_eq!(Ladder::of(&rungs[..1], Direction::Lower), None);
    // The same as accuracies.
    let accuracies = rungs.map(|(size, metric)| (size, 10.0 - metric));
    close(size(&Ladder::of(&accuracies, Direction::Higher).expect("three sizes"), 7.5), 200.0);
    // Where larger is worse for a while, neighbours get their mean: 3, 2.5, 2.5, 1.
    let bent = Ladder::of(&[(100.0, 3.0), (200.0, 2.0), (400.0, 3.0), (800.0, 1.0)], Direction::Lower).expect("sizes");
    close(size(&bent, 2.75), 100.0 * 2.0_f64.sqrt());
    close(size(&bent, 2.5), 200.0 * 2.0_f64.sqrt());
    close(size(&bent, 1.75), 400.0 * 2.0_f64.sqrt());
}

#[test]
fn the_fit_never_rises_and_is_the_nearest_of_its_kind() {
    // scikit-learn's isotonic_regression(values, increasing=False) pools 2, 3 and then 2, 3, 4 with 1.
    assert_eq!(non_increasing(&[3.0, 2.0, 1.0]), [3.0, 2.0, 1.0]);
    assert_eq!(non_increasing(&[1.0, 2.0, 3.0]), [2.0; 3]);
    assert_eq!(non_increasing(&[5.0, 1.0, 2.0, 3.0, 0.0]), [5.0, 2.0, 2.0, 2.0, 0.0]);
    assert_eq!(non_increasing(&[4.0, 5.0, 1.0, 2.0]), [4.5, 4.5, 1.5, 1.5]);
    assert_eq!(non_increasing(&[]), Vec::<f64>::new());
}

#[test]
fn size_equivalents_lie_where_the_fit_over_all_seeds_has_the_mean() {
    let grid = grid(&[
        ("absolute-m", run("absolute", 100, 1e-3, 9), [3.0, 3.1, 3.2]),
        ("absolute-l", run("absolute", 400, 1e-3, 9), [2.0, 2.1, 2.2]),
        ("absolute-xl", run("absolute", 1600, 1e-3, 9), [1.0, 1.1, 1.2]),
        ("shaw-m", run("shaw", 100, 1e-3, 9), [2.5, 2.5, 2.8]),
        ("rope-m", run("rope", 100, 1e-3, 9), [3.3, 3.3, 3.3]),
    ]);
    let report = grid.report();
    let sizes = report.games[0].sizes.as_ref().expect("three sizes of the reference");
    assert_eq!((sizes.rungs, sizes.rows.len()), (3, 2));
    let shaw = sizes.rows[0].equivalents[0].expect("sizes are known").by_reference;
    // Less the seeds' luck of −0.1, 0, 0.1 the row has 2.6, 2.5, 2.7: the mean 2.6 lies 0.5 below the rung of 3.1.
    let of = |metric: f64| 4.0_f64.powf(3.1 - metric);
    close(at(shaw.at), of(2.6));
    // 0.1 / √3 · t₀.₉₇₅(2)
    let half = 0.1 / 3.0_f64.sqrt() * 4.302_652_729_911_275;
    let [low, high] = shaw.ends.map(at);
    assert!((low - of(2.6 + half)).abs() < 1e-6 && (high - of(2.6 - half)).abs() < 1e-6, "{shaw:?}");
    let rope = sizes.rows[1].equivalents[0].expect("sizes are known").by_reference;
    assert_eq!((rope.at, rope.ends[0]), (Bounded::AtMost(1.0), Bounded::AtMost(1.0)));
    assert!(text::draw(&report).contains("≤ 1.00 [≤ 1.00, "), "{}", text::draw(&report));
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
    let means: Vec<f64> = budgets.rows[0].differences.iter().map(|mean| mean.expect("pairs")).collect();
    close(means[0], 0.4 / 3.0);
    close(means[1], -0.5 / 3.0);
    // absolute < shaw < rope, then shaw < absolute < rope: one of three pairs is turned round.
    close(budgets.ranks[0].expect("three rows").tau, 1.0 / 3.0);
}
