//! Simulated differences of a row to its reference by seed and game, with a known mean.

use report::statistics::crossed::{Differences, test};
use report::statistics::{MeanTest, holm};
use streams::Stream;

const TRUTH: f64 = 0.02;

/// Comparisons in a grid, each against the one reference.
pub(super) const ROWS: usize = 10;

/// The differences of every row of a grid without differences, and how many positions each game has.
pub(super) fn null_grid(grid: u64, design: &Design) -> (Vec<Vec<Vec<f64>>>, Vec<u32>) {
    let mut stream = streams::stream(grid, &["test", "null grid of seeds and games"]);
    let positions = design.positions(&mut stream);
    let reference = design.sums(&positions, 0.0, &mut stream);
    let rows = (0..ROWS).map(|_| {
        let mut sums = design.sums(&positions, 0.0, &mut stream);
        sums.iter_mut().flatten().zip(reference.iter().flatten()).for_each(|(own, other)| *own -= other);
        sums
    });
    (rows.collect(), positions)
}

/// The tests of the rows of a grid without differences.
pub(super) fn null_tests(grid: u64, design: &Design) -> Vec<MeanTest> {
    let (rows, positions) = null_grid(grid, design);
    let of_row =
        |sums: &Vec<Vec<f64>>| test(Differences { sums, positions: &positions }).expect("seeds and games").test;
    rows.iter().map(of_row).collect()
}

/// Whether it has a verdict after Holm's correction.
pub(super) fn has_a_false_verdict(grid: u64, design: &Design) -> bool {
    let p_values: Vec<Option<f64>> = null_tests(grid, design).iter().map(|test| Some(test.p)).collect();
    holm(&p_values, 0.05).iter().flatten().any(|corrected| corrected.p < 0.05)
}

/// The test of a row's distance from the truth.
pub(super) fn tested(trial: u64, design: &Design) -> MeanTest {
    let mut stream = streams::stream(trial, &["test", "validation"]);
    let positions = design.positions(&mut stream);
    let sums = design.sums(&positions, TRUTH, &mut stream);
    let test = test(Differences { sums: &sums, positions: &positions }).expect("seeds and games").test;
    MeanTest::new(test.mean - TRUTH, test.error, test.freedom)
}

/// How the games' effects are distributed; all have the same variance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effects {
    Normal,
    /// Student's t with 3 degrees of freedom.
    HeavyTails,
    Skewed,
    /// Normal, and one of ten three times as wide.
    Contaminated,
}

/// How many positions games have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lengths {
    /// 5 to 64, each as likely.
    Uniform,
    Lognormal,
    TwoKinds,
}

/// The standard deviations of the seeds, in turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seeds {
    Equal,
    /// 1 : 2 : 4.
    Unequal,
}

/// What noise a test set has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Design {
    pub(super) seeds: usize,
    pub(super) games: usize,
    /// The shares of seeds, games and positions in the variance of the mean.
    pub(super) shares: [f64; 3],
    pub(super) effects: Effects,
    pub(super) lengths: Lengths,
    pub(super) luck: Seeds,
}

impl Design {
    /// How many positions each game has.
    pub(super) fn positions(&self, stream: &mut Stream) -> Vec<u32> {
        let length = |_| match self.lengths {
            Lengths::Uniform => 5 + streams::below(stream, 60) as u32,
            Lengths::TwoKinds => [10, 80][streams::below(stream, 2) as usize],
            Lengths::Lognormal => (30.0 * (0.6 * streams::normal(stream)).exp()).round().max(1.0) as u32,
        };
        (0..self.games).map(length).collect()
    }

    /// One row's sums over each game's positions, by seed, around this mean.
    pub(super) fn sums(&self, positions: &[u32], mean: f64, stream: &mut Stream) -> Vec<Vec<f64>> {
        let total: f64 = positions.iter().map(|&n| f64::from(n)).sum();
        let weights: f64 = positions.iter().map(|&n| (f64::from(n) / total).powi(2)).sum();
        let spread = 0.01;
        let [of_seeds, of_games, of_positions] = self.shares;
        let game_sd = spread * (of_games / weights).sqrt();
        let seed_sd = spread * (of_seeds * self.seeds as f64).sqrt();
        let position_sd = spread * (of_positions * self.seeds as f64 * total).sqrt();
        let characters: Vec<f64> = (0..self.games).map(|_| game_sd * self.effects.draw(stream)).collect();
        let of_seed = |seed: usize| {
            let luck = seed_sd * self.luck.of(seed, self.seeds) * streams::normal(stream);
            let of_game = |(game, &n): (usize, &u32)| {
                let n = f64::from(n);
                // Without noise of positions, drawing it would only cost time.
                let noise = if position_sd > 0.0 { position_sd * streams::normal(stream) } else { 0.0 };
                n * (mean + luck + characters[game]) + n.sqrt() * noise
            };
            positions.iter().enumerate().map(of_game).collect()
        };
        (0..self.seeds).map(of_seed).collect()
    }
}

impl Effects {
    /// With mean 0 and variance 1.
    fn draw(self, stream: &mut Stream) -> f64 {
        let mut normal = || streams::normal(stream);
        match self {
            Self::Normal => normal(),
            Self::HeavyTails => {
                let z = normal();
                let chi: f64 = (0..3).map(|_| normal().powi(2)).sum();
                z / chi.sqrt()
            }
            // Half the sum of two squares is exponential.
            Self::Skewed => f64::midpoint(normal().powi(2), normal().powi(2)) - 1.0,
            // Its variance is 0.9 + 0.1 · 9.
            Self::Contaminated => {
                let wide = if streams::below(stream, 10) == 0 { 3.0 } else { 1.0 };
                wide * streams::normal(stream) / 1.8_f64.sqrt()
            }
        }
    }
}

impl Seeds {
    /// A seed's standard deviation; their mean square is 1.
    fn of(self, seed: usize, seeds: usize) -> f64 {
        let size = |seed: usize| -> f64 {
            match self {
                Self::Equal => 1.0,
                Self::Unequal => [1.0, 2.0, 4.0][seed % 3],
            }
        };
        let mean_square = (0..seeds).map(|seed| size(seed).powi(2)).sum::<f64>() / seeds as f64;
        size(seed) / mean_square.sqrt()
    }
}

#[test]
fn every_distribution_of_games_has_mean_0_and_variance_1() {
    for (effects, off) in
        [(Effects::Normal, 0.02), (Effects::HeavyTails, 0.25), (Effects::Skewed, 0.04), (Effects::Contaminated, 0.04)]
    {
        let mut stream = streams::stream(1, &["test", "effects of games"]);
        let values: Vec<f64> = (0..100_000).map(|_| effects.draw(&mut stream)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
        assert!(mean.abs() < 0.02 && (variance - 1.0).abs() < off, "{effects:?}: {mean}, {variance}");
    }
}
