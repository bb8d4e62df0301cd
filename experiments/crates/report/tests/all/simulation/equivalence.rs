//! Rows whose true difference is the margin are rarely called equivalent, and rows without a difference as often as
//! docs/statistics.md lists.

use super::designs::{Design, Effects, Lengths, ROWS, Seeds, null_tests, tested};
use super::{grids, noise, sample, share};
use report::statistics::{MeanTest, holm, two_one_sided};
use std::f64::consts::SQRT_2;

const ALPHA: f64 = 0.05;

/// Margins in true standard errors of the mean difference.
const MARGINS: [f64; 4] = [2.0, 3.0, 4.0, 6.0];

/// The true standard error of a row's mean in every [`Design`].
const ERROR: f64 = 0.01;

/// Effects of games, lengths, and shares of seeds, games and positions in the variance of the mean.
const NOISE: [(Effects, Lengths, [f64; 3]); 7] = [
    (Effects::Normal, Lengths::Uniform, [1.0, 0.0, 0.0]),
    (Effects::Normal, Lengths::Uniform, [0.5, 0.5, 0.0]),
    (Effects::Normal, Lengths::Uniform, [0.2, 0.5, 0.3]),
    (Effects::HeavyTails, Lengths::Uniform, [0.5, 0.5, 0.0]),
    (Effects::HeavyTails, Lengths::Uniform, [0.2, 0.5, 0.3]),
    (Effects::Skewed, Lengths::Lognormal, [0.5, 0.5, 0.0]),
    (Effects::Skewed, Lengths::Lognormal, [0.2, 0.5, 0.3]),
];

/// Counts over grids, with one margin.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    /// Rows called equivalent that truly differ by the margin, by the sign of the difference; each row by itself.
    at_the_margin: [usize; 2],
    /// Grids whose rows all differ by the margin, with a row called equivalent after Holm's correction.
    false_grids: usize,
    /// Rows called equivalent that do not differ, each by itself.
    alone: usize,
    /// The same after Holm's correction over a grid of such rows.
    in_a_grid: usize,
}

impl Counts {
    fn add(&mut self, tests: &[MeanTest], margin: f64) {
        let p_values = |truth: f64| -> Vec<Option<f64>> {
            let shifted = tests.iter().map(|test| MeanTest::new(test.mean + truth, test.error, test.freedom));
            shifted.map(|test| Some(two_one_sided(&test, margin))).collect()
        };
        let alone = |p_values: &[Option<f64>]| p_values.iter().flatten().filter(|&&p| p < ALPHA).count();
        let corrected =
            |p_values: &[Option<f64>]| holm(p_values, ALPHA).iter().flatten().filter(|holm| holm.p < ALPHA).count();
        let [above, below, equal] = [margin, -margin, 0.0].map(p_values);
        self.at_the_margin[0] += alone(&above);
        self.at_the_margin[1] += alone(&below);
        self.false_grids += usize::from(corrected(&above) > 0);
        self.alone += alone(&equal);
        self.in_a_grid += corrected(&equal);
    }
}

#[test]
fn rows_that_differ_by_the_margin_are_rarely_called_equivalent() {
    let grids = grids();
    // As if the rows of a grid were one.
    let noise = noise(grids);
    for &seeds in sample(&[3, 5, 10], 1) {
        for (effects, lengths, shares) in NOISE {
            let design = Design { seeds, games: 61, shares, effects, lengths, luck: Seeds::Equal };
            let mut counts = [Counts::default(); MARGINS.len()];
            for grid in 0..grids {
                let tests = null_tests(grid, &design);
                // A difference has the noise of the row and of the reference.
                MARGINS.iter().zip(&mut counts).for_each(|(margin, own)| own.add(&tests, margin * SQRT_2 * ERROR));
            }
            for (margin, own) in MARGINS.iter().zip(counts) {
                let of_rows = |count: usize| count as f64 / (grids * ROWS as u64) as f64;
                let [above, below] = own.at_the_margin.map(of_rows);
                let (false_grids, power) = (own.false_grids as f64 / grids as f64, of_rows(own.alone));
                println!(
                    "{seeds} seeds, {effects:?} effects, {lengths:?} lengths, shares {shares:?}, {grids} grids, a margin of \
                     {margin} standard errors: called equivalent are {:.1} % of the rows that lie on the margin above and \
                     {:.1} % below, in {:.1} % of the grids after Holm's correction; {:.1} % of the rows without a \
                     difference, {:.1} % after Holm's correction",
                    100.0 * above,
                    100.0 * below,
                    100.0 * false_grids,
                    100.0 * power,
                    100.0 * of_rows(own.in_a_grid)
                );
                let worst = above.max(below).max(false_grids);
                assert!(worst <= ALPHA + noise, "{design:?}, {margin}: {own:?}");
                assert!(*margin < 6.0 || power > 0.9, "{design:?}: {own:?}: the tests have lost their power");
            }
        }
    }
}

/// A mean of few very skewed effects is not normal: of the two sides, one has too many false equivalences. Differences
/// between two rows are less skewed than these.
#[test]
fn few_games_with_very_skewed_effects_have_more_false_equivalences() {
    let trials = grids();
    let (effects, lengths, luck) = (Effects::Skewed, Lengths::Lognormal, Seeds::Equal);
    for (seeds, games) in sample(&[3, 5, 10], 1).iter().flat_map(|&seeds| [(seeds, 32), (seeds, 200)]) {
        let mut worst: f64 = 0.0;
        for shares in [[0.5, 0.5, 0.0], [0.05, 0.95, 0.0]] {
            let design = Design { seeds, games, shares, effects, lengths, luck };
            let margin = 4.0 * ERROR;
            for truth in [margin, -margin] {
                worst = worst.max(share(0..trials, |trial| {
                    let test = tested(trial, &design);
                    two_one_sided(&MeanTest::new(test.mean + truth, test.error, test.freedom), margin) < ALPHA
                }));
            }
        }
        println!(
            "skewed effects, {seeds} seeds, {games} games, {trials} test sets of each design: at most {:.1} % of the rows on the \
             margin are called equivalent",
            100.0 * worst
        );
        assert!(worst <= 0.12 + noise(trials), "{seeds} seeds, {games} games: {worst}");
    }
}
