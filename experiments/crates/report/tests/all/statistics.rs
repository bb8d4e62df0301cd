//! The statistics behind the verdicts: against SciPy's values and against their own definition.

use crate::{close, number, numbers};
use report::statistics::crossed::{Differences, parts, test};
use report::statistics::{Interval, MeanTest, PairedTest, Summary, equivalence_interval, holm, two_one_sided};
use serde_json::Value;

fn fixture() -> Value {
    serde_json::from_str(include_str!("../fixtures/statistics.json")).expect("the fixture is JSON")
}

#[test]
fn paired_tests_agree_with_scipy() {
    let fixture = fixture();
    let cases = fixture["paired"].as_array().expect("a list");
    assert_eq!(cases.len(), 21);
    for case in cases {
        let test = PairedTest::of(&numbers(&case["differences"])).expect("two pairs or more");
        close(test.p, number(&case["p"]), 1e-7);
        for (level, ends) in case["intervals"].as_object().expect("a map") {
            let interval = test.interval(level.parse().expect("a level"));
            let ends = numbers(ends);
            // Relative to the interval's width: an end may lie next to zero.
            let width = ends[1] - ends[0];
            assert!((interval.low - ends[0]).abs() < 1e-7 * width, "{interval:?} {ends:?}");
            assert!((interval.high - ends[1]).abs() < 1e-7 * width, "{interval:?} {ends:?}");
        }
    }
}

#[test]
fn what_cannot_be_tested_is_none() {
    assert_eq!(Summary::of(&[]), None);
    assert_eq!(Summary::of(&[2.0]), Some(Summary { n: 1, mean: 2.0, sd: None }));
    assert_eq!(PairedTest::of(&[]), None);
    assert_eq!(PairedTest::of(&[1.0]), None);
    assert_eq!(PairedTest::of(&[1.0, f64::NAN, 2.0]), None);
    assert_eq!(PairedTest::of(&[1.7e308, 1.7e308]), None, "the sum is infinite");
    assert_eq!(PairedTest::of(&[1e200, -1e200]), None, "the squares are infinite");
    assert_eq!(MeanTest::new(f64::INFINITY, f64::INFINITY, 2.0).p, 1.0);
    assert!(MeanTest::new(1.0, 1.0, f64::NAN).interval(0.95).low.is_nan());
    assert_eq!(PairedTest::of(&[0.0, 0.0, 0.0]).map(|test| test.p), Some(1.0));
    assert_eq!(PairedTest::of(&[0.5, 0.5, 0.5]).map(|test| test.p), Some(0.0));
}

#[test]
fn holm_agrees_with_its_definition_written_in_python() {
    for case in fixture()["holm"].as_array().expect("a list") {
        let p_values: Vec<Option<f64>> = numbers(&case["p"]).into_iter().map(Some).collect();
        for (got, expected) in holm(&p_values, 0.05).iter().zip(numbers(&case["adjusted"])) {
            close(got.expect("every p was given").p, expected, 1e-12);
        }
    }
}

#[test]
fn a_comparison_without_a_p_value_still_counts_in_the_family() {
    let complete = holm(&[Some(0.02), Some(0.9), Some(1.0)], 0.05);
    let unfinished = holm(&[Some(0.02), Some(0.9), None], 0.05);
    assert_eq!(complete[..2], unfinished[..2]);
    assert_eq!(unfinished[2], None);
    assert!(unfinished[0].expect("tested").p > 0.05, "0.02 is not significant in a family of three");
}

/// A standard normal sample in cells of one reference and `rows` others, as paired differences to the reference.
/// Every comparison shares the reference's noise, as in a real grid.
fn null_grid(grid: u64, rows: usize, seeds: usize) -> Vec<Vec<f64>> {
    let mut stream = streams::stream(grid, &["test", "null grid"]);
    let mut draw = || -> Vec<f64> { (0..seeds).map(|_| streams::normal(&mut stream)).collect() };
    let reference = draw();
    (0..rows).map(|_| draw().iter().zip(&reference).map(|(row, reference)| row - reference).collect()).collect()
}

#[test]
fn the_printed_interval_excludes_zero_exactly_if_holm_rejects() {
    let (mut rejections, mut acceptances) = (0, 0);
    for grid in 0..2000 {
        // A shift that grows by row, so that step-down stops at every depth; degrees of freedom that are no whole number.
        let shifted = |(row, differences): (usize, Vec<f64>)| {
            let test = MeanTest::from(PairedTest::of(&differences).expect("five pairs"));
            MeanTest::new(test.mean + row as f64, test.error, test.freedom + (grid % 3) as f64 * 0.4)
        };
        let tests: Vec<MeanTest> = null_grid(grid, 6, 5).into_iter().enumerate().map(shifted).collect();
        let p_values: Vec<_> = tests.iter().map(|test| Some(test.p)).collect();
        for (test, holm) in tests.iter().zip(holm(&p_values, 0.05)) {
            let holm = holm.expect("every row was tested");
            let rejected = holm.p < 0.05;
            assert_eq!(test.interval(holm.level).excludes_zero(), rejected, "{test:?} {holm:?}");
            *(if rejected { &mut rejections } else { &mut acceptances }) += 1;
        }
    }
    assert!(rejections > 1000 && acceptances > 1000, "{rejections} rejections, {acceptances} acceptances");
}

#[test]
fn two_one_sided_tests_agree_with_scipy() {
    // scipy.stats: max(t.sf((mean + margin)/error, freedom), t.cdf((mean − margin)/error, freedom))
    let cases = [
        (0.01, 0.004, 2.0, 0.064_805_860_110_755_41),
        (-0.01, 0.004, 2.0, 0.064_805_860_110_755_41),
        (0.03, 0.004, 7.5, 0.980_589_870_863_187_2),
        (0.0, 0.01, 4.0, 0.058_058_261_758_407_78),
        (0.02, 0.01, 9.0, 0.5),
    ];
    for (mean, error, freedom, p) in cases {
        close(two_one_sided(&MeanTest::new(mean, error, freedom), 0.02), p, 1e-9);
    }
    let without_error = [0.01, 0.02, -0.03].map(|mean| two_one_sided(&MeanTest::new(mean, 0.0, 2.0), 0.02));
    assert_eq!(without_error, [0.0, 1.0, 1.0]);
}

#[test]
fn the_interval_of_equivalence_lies_within_the_margin_exactly_if_holm_rejects() {
    let (mut rejections, mut acceptances) = (0, 0);
    for grid in 0..2000 {
        let tests: Vec<MeanTest> =
            null_grid(grid, 6, 5).iter().map(|d| PairedTest::of(d).expect("five pairs").into()).collect();
        let margin = 1.0 + (grid % 7) as f64 * 0.5;
        let p_values: Vec<_> = tests.iter().map(|test| Some(two_one_sided(test, margin))).collect();
        for (test, holm) in tests.iter().zip(holm(&p_values, 0.05)) {
            let holm = holm.expect("every row was tested");
            let Interval { low, high } = equivalence_interval(test, &holm);
            let rejected = holm.p < 0.05;
            assert_eq!(-margin < low && high < margin, rejected, "{test:?} {holm:?} {margin}");
            *(if rejected { &mut rejections } else { &mut acceptances }) += 1;
        }
    }
    assert!(rejections > 1000 && acceptances > 1000, "{rejections} rejections, {acceptances} acceptances");
}

/// The parts of a variance over seeds and games, of statsmodels.
#[test]
fn parts_are_those_of_an_analysis_of_variance() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../fixtures/crossed.json")).expect("a list");
    for case in cases {
        let sums: Vec<Vec<f64>> = serde_json::from_value(case["sums"].clone()).expect("lists");
        let positions = vec![1; sums[0].len()];
        let (mean, found) = parts(Differences { sums: &sums, positions: &positions }).expect("seeds and games");
        for (got, expected) in [(mean, "mean"), (found.seeds, "seeds"), (found.games, "games"), (found.both, "both")] {
            close(got, number(&case[expected]), 1e-9);
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
