//! The parts of a variance over seeds and games, by hand and against statsmodels.

use report::statistics::MeanTest;
use report::statistics::crossed::{Differences, parts, test};
use serde_json::Value;

#[test]
fn parts_are_those_of_an_analysis_of_variance() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../fixtures/crossed.json")).expect("a list");
    for case in cases {
        let number = |name: &str| case[name].as_f64().expect("a number");
        let sums: Vec<Vec<f64>> = serde_json::from_value(case["sums"].clone()).expect("lists");
        let positions = vec![1; sums[0].len()];
        let (mean, found) = parts(Differences { sums: &sums, positions: &positions }).expect("seeds and games");
        for (got, expected) in [(mean, "mean"), (found.seeds, "seeds"), (found.games, "games"), (found.both, "both")] {
            assert!((got - number(expected)).abs() <= 1e-9 * number(expected).abs(), "{expected}: {got}");
        }
    }
}

fn mean_of(sums: &[Vec<f64>], positions: &[u32]) -> Option<MeanTest> {
    test(Differences { sums, positions }).map(|crossed| crossed.test)
}

#[test]
fn the_test_is_of_the_mean_over_positions() {
    // Two seeds, two games of 1 and 3 positions: (1 + 3)/4 and (2 + 6)/4, by hand.
    let sums = [vec![1.0, 3.0], vec![2.0, 6.0]];
    let found = mean_of(&sums, &[1, 3]).expect("two seeds and two games");
    assert_eq!(found.mean, 1.5);
    // Every position of a seed has the same difference, so only seeds vary: Student's interval of 1 and 2, whose half is
    // t₀.₉₇₅(1) · √½/√2.
    let half = 0.5 * 12.706_204_736;
    let ends = found.interval(0.95);
    assert!((ends.high - 1.5 - half).abs() < 1e-6 && (1.5 - ends.low - half).abs() < 1e-6, "{found:?}");
    assert_eq!(mean_of(&sums[..1], &[1, 3]), None);
    assert_eq!(mean_of(&sums, &[1, 0]), None);
    // Games without a position of the slice change nothing.
    let empty = [vec![1.0, 0.0, 4.0], vec![2.5, 0.0, 6.0]];
    let full = [vec![1.0, 4.0], vec![2.5, 6.0]];
    assert_eq!(mean_of(&empty, &[1, 0, 3]), mean_of(&full, &[1, 3]));
}

#[test]
fn a_few_long_games_have_few_degrees_of_freedom() {
    let of = |positions: &[u32]| {
        let sums: Vec<Vec<f64>> =
            (0..3).map(|seed| (0..positions.len()).map(|game| ((seed * 5 + game * 7) % 11) as f64).collect()).collect();
        test(Differences { sums: &sums, positions }).expect("seeds and games").effective_games
    };
    assert!((of(&[7; 20]) - 20.0).abs() < 1e-9, "equal games count one each");
    // (3·1 + 10²)² / (3·1 + 10⁴), by hand.
    assert!((of(&[1, 1, 1, 10]) - 103.0 * 103.0 / 10_003.0).abs() < 1e-9);
    assert!((of(&[4, 0, 4]) - 2.0).abs() < 1e-9, "a game without positions does not count");
}
