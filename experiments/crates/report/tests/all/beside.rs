//! What reports show beside the verdicts, against SciPy's and statsmodels' values.

use crate::{number, numbers};
use report::statistics::PairedTest;
use report::statistics::across::{hedges, middle, pooled_sd, rank_correlation, welch};
use report::statistics::power::{self, POWER};
use serde_json::Value;
use strength::kendall::tau;

fn cases(part: &str) -> Vec<Value> {
    let fixture: Value = serde_json::from_str(include_str!("../fixtures/beside.json")).expect("the fixture is JSON");
    let cases = fixture[part].as_array().expect("a list").clone();
    assert!(!cases.is_empty());
    cases
}

#[track_caller]
fn close(got: f64, expected: f64, off: f64) {
    assert!((got - expected).abs() <= off, "got {got}, expected {expected}");
}

/// The power of this number of pairs for an effect in standard deviations of the differences.
fn power_of(effect: f64, pairs: usize, alpha: f64) -> f64 {
    power::power(effect * (pairs as f64).sqrt(), (pairs - 1) as f64, alpha)
}

/// The least number of pairs that sees a difference, where differences have this standard deviation.
fn seeds_needed(difference: f64, sd: f64, alpha: f64) -> Option<usize> {
    power::seeds_needed(difference, alpha, |pairs| (sd / (pairs as f64).sqrt(), (pairs - 1) as f64))
}

#[test]
fn power_agrees_with_statsmodels() {
    for case in cases("power") {
        let pairs = case["pairs"].as_u64().expect("a number") as usize;
        close(power_of(number(&case["effect"]), pairs, number(&case["alpha"])), number(&case["power"]), 1e-5);
    }
    // Without an effect, the power is the level.
    close(power_of(0.0, 4, 0.05), 0.05, 1e-7);
}

#[test]
fn seeds_needed_are_the_first_that_suffice() {
    for case in cases("seeds_needed") {
        let needed = seeds_needed(number(&case["difference"]), number(&case["sd"]), number(&case["alpha"]));
        assert_eq!(needed.map(|n| n as u64), case["seeds"].as_u64(), "{case}");
    }
    assert_eq!(seeds_needed(1e-6, 1.0, 0.05), None, "the number is beyond any experiment");
    assert_eq!(seeds_needed(-0.02, 0.006, 0.05), seeds_needed(0.02, 0.006, 0.05));
}

#[test]
fn the_smallest_visible_difference_is_seen_as_often_as_said() {
    for (pairs, sd, alpha) in [(3_u32, 0.01, 0.05), (5, 2.0, 0.005), (10, 1.0, 0.05)] {
        let size = power::detectable_difference(sd / f64::from(pairs).sqrt(), f64::from(pairs - 1), alpha)
            .expect("there is spread");
        close(power_of(size / sd, pairs as usize, alpha), POWER, 1e-9);
    }
    assert_eq!(power::detectable_difference(0.0, 2.0, 0.05), None);
}

#[test]
fn welchs_test_agrees_with_scipy() {
    let of = |a: &[f64], b: &[f64]| welch(&PairedTest::of(a)?.into(), &PairedTest::of(b)?.into());
    for case in cases("welch") {
        let test = of(&numbers(&case["a"]), &numbers(&case["b"])).expect("two samples");
        close(test.p, number(&case["p"]), 1e-9);
        close(test.freedom, number(&case["freedom"]), 1e-9);
        let ends = test.interval(0.95);
        close(ends.low, number(&case["low"]), 1e-7);
        close(ends.high, number(&case["high"]), 1e-7);
    }
    assert_eq!((of(&[1.0], &[1.0, 2.0]), of(&[1.0, 1.0], &[2.0, 2.0])), (None, None));
    assert_eq!(of(&[0.0, 1e-150], &[0.0, 2e-150]), None, "the squares of the errors are 0");
}

#[test]
fn kendalls_tau_agrees_with_scipy() {
    for case in cases("kendall") {
        let found = tau(&numbers(&case["a"]), &numbers(&case["b"])).expect("no constant list");
        close(found, number(&case["tau"]), 1e-12);
    }
}

#[test]
fn hedges_factor_makes_effects_right_on_average() {
    for case in cases("hedges") {
        close(hedges(case["freedom"].as_u64().expect("a number") as usize), number(&case["factor"]), 1e-7);
    }
    assert_eq!((hedges(0), hedges(1)), (0.0, 0.0));
}

#[test]
fn the_middle_of_draws_is_numpys() {
    for case in cases("percentile") {
        let ends = middle(&numbers(&case["values"])).expect("values");
        close(ends.low, number(&case["low"]), 1e-12);
        close(ends.high, number(&case["high"]), 1e-12);
    }
    assert_eq!(middle(&[]), None);
}

#[test]
fn samples_are_pooled_around_their_own_means() {
    // Squares 2 and 6 around means 2 and 11, with 1 + 2 degrees of freedom.
    let pooled = pooled_sd(&[vec![1.0, 3.0], vec![9.0, 12.0, 12.0], vec![5.0]]).expect("there is spread");
    close(pooled.0, (8.0_f64 / 3.0).sqrt(), 1e-12);
    assert_eq!(pooled.1, 3);
    assert_eq!((pooled_sd(&[vec![1.0]]), pooled_sd(&[vec![1.0, 1.0]])), (None, None));
}

#[test]
fn rows_in_the_same_order_in_every_seed_are_correlated_without_doubt() {
    let rows = |shift: f64| (0..4).map(|row| vec![f64::from(row) + shift, f64::from(row)]).collect::<Vec<_>>();
    let same = rank_correlation(&rows(0.1), &rows(0.3)).expect("four rows");
    assert_eq!((same.tau, same.interval.low, same.interval.high), (1.0, 1.0, 1.0));
    let reversed: Vec<Vec<f64>> = rows(0.0).into_iter().rev().collect();
    assert_eq!(rank_correlation(&rows(0.1), &reversed).expect("four rows").tau, -1.0);
    // Two rows whose seeds disagree: one draw in four has the first seed twice, one the second.
    let unsure = vec![vec![0.0, 0.0], vec![1.0, -1.0], vec![3.0, 3.0]];
    let unsure = rank_correlation(&unsure, &rows(0.0)[..3]).expect("three rows");
    assert!(unsure.interval.low < 0.5 && unsure.interval.high == 1.0, "{unsure:?}");
    assert_eq!(rank_correlation(&rows(0.0)[..2], &rows(0.0)[..2]), None);
}
