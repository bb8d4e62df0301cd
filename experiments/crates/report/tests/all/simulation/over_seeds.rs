//! Grids whose only noise is that of seeds.

use super::grids;
use report::statistics::{PairedTest, holm};

/// Comparisons in a grid, each against the one reference.
const ROWS: usize = 10;
const SEEDS: [usize; 2] = [3, 5];

/// What is true of a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Truth {
    /// No row differs from the reference.
    NoDifference,
    /// Half of the rows do.
    Differences,
}
const ALPHA: f64 = 0.05;

/// What a row's true difference is, in standard deviations of a cell over seeds. Where rows differ, some are worse.
fn effect(truth: Truth, row: usize) -> f64 {
    match truth {
        Truth::Differences if row >= ROWS / 2 => [0.5, -1.0, 2.0, -4.0, 7.0][row - ROWS / 2],
        _ => 0.0,
    }
}

/// The paired differences of each row. A cell is its seed's luck, which pairing takes away, and its own noise; rows share
/// the reference's.
fn differences(truth: Truth, grid: u64, seeds: usize) -> Vec<Vec<f64>> {
    let mut stream = streams::stream(grid, &["test", "simulated grid", &seeds.to_string()]);
    let mut draw = || streams::normal(&mut stream);
    let luck: Vec<f64> = (0..seeds).map(|_| 5.0 * draw()).collect();
    let mut cells = |effect: f64| -> Vec<f64> { luck.iter().map(|luck| luck + effect + draw()).collect() };
    let reference = cells(0.0);
    (0..ROWS)
        .map(|row| cells(effect(truth, row)).iter().zip(&reference).map(|(own, other)| own - other).collect())
        .collect()
}

#[test]
fn intervals_cover_and_false_verdicts_are_rare() {
    let grids = grids();
    for (seeds, truth) in SEEDS.iter().flat_map(|&seeds| [(seeds, Truth::NoDifference), (seeds, Truth::Differences)]) {
        let (mut covered, mut false_grids, mut found) = (0, 0, 0);
        for grid in 0..grids {
            let tests: Vec<PairedTest> =
                differences(truth, grid, seeds).iter().map(|d| PairedTest::of(d).expect("pairs")).collect();
            let corrected = holm(&tests.iter().map(|test| Some(test.p)).collect::<Vec<_>>(), ALPHA);
            let mut wrong = false;
            for (row, (test, holm)) in tests.iter().zip(corrected).enumerate() {
                let true_effect = effect(truth, row);
                let interval = test.interval(0.95);
                covered += u64::from(interval.low <= true_effect && true_effect <= interval.high);
                let verdict = holm.expect("every row was tested").p < ALPHA;
                wrong |= verdict && (true_effect == 0.0 || true_effect.signum() != test.mean.signum());
                found += u64::from(verdict && true_effect != 0.0);
            }
            false_grids += u64::from(wrong);
        }
        let coverage = covered as f64 / (grids * ROWS as u64) as f64;
        let error_rate = false_grids as f64 / grids as f64;
        let power = found as f64 / (grids * ROWS as u64 / 2) as f64;
        println!(
            "{truth:?}, {grids} grids of {ROWS} comparisons, {seeds} seeds: intervals cover {:.2} %, grids with a false verdict \
             {:.2} %, true differences found {:.1} %",
            100.0 * coverage,
            100.0 * error_rate,
            100.0 * power
        );
        assert!((coverage - 0.95).abs() <= 0.01, "{truth:?}, {seeds} seeds: {coverage}");
        assert!(error_rate <= 0.05, "{truth:?}, {seeds} seeds: {error_rate}");
        let sees = power > 0.05 || truth == Truth::NoDifference;
        assert!(sees, "{seeds} seeds: {power}: the correction has lost its power");
    }
}
