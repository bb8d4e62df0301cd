//! Differences position by position, with an interval over seeds and games.
//!
//! All seeds of a grid are tested on the same games, so a game's difference `d` at a seed is a sum of the seed's luck, the
//! game's character and what both have together, `d = μ + aₛ + b_g + e_sg`: two crossed random factors with positions
//! clustered in games. The mean over all then varies by `σₐ²/S + V(b) + V(e)/S`. A hierarchical bootstrap (seeds, then
//! games) draws that, but what it draws counts `e` among the seeds *and* among the games: Owen, "The pigeonhole bootstrap",
//! Annals of Applied Statistics 1 (2007), §3. So the parts are estimated separately, and the one counted twice is
//! subtracted, as in the analysis of variance and in Cameron, Gelbach & Miller, "Robust inference with multiway
//! clustering", Journal of Business & Economic Statistics 29 (2011).

use super::MeanTest;

/// The power of the seeds' share in the degrees of freedom: 0.4 for three seeds, 0.15 more for each further one, at most
/// 1.2. The test `simulation::choice` has the designs that chose it: with larger powers more than 5 of 100 grids without
/// differences have a verdict.
pub fn share_power(seeds: usize) -> f64 {
    (0.4 + 0.15 * (seeds as f64 - 3.0)).min(1.2)
}

#[derive(Debug, Clone, Copy)]
pub struct Differences<'a> {
    /// `sums[seed][game]`: the sum of the differences over a game's positions.
    pub sums: &'a [Vec<f64>],
    pub positions: &'a [u32],
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parts {
    /// Of the seeds, with what seeds and games have together: `σₐ²/S + V(e)/S`.
    pub seeds: f64,
    /// Of the games, likewise: `V(b) + V(e)/S`.
    pub games: f64,
    /// Of what they have together: `V(e)/S`.
    pub both: f64,
}

/// The test of a mean difference whose seeds and games both vary.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossed {
    /// The mean over seeds and positions, its standard error over seeds and games, and its test against zero.
    pub test: MeanTest,
    pub seeds: usize,
    pub games: usize,
    /// How many games of equal length would give the games' part of the variance as many degrees of freedom.
    pub effective_games: f64,
    /// The share of the games in the variance of the mean; the rest is of the seeds.
    pub games_share: f64,
}

impl Crossed {
    /// The standard error and the degrees of freedom that this number of seeds would have on the same games, if the
    /// present estimates of the variance are true.
    pub fn with_seeds(&self, seeds: usize) -> (f64, f64) {
        let variance = self.test.error.powi(2);
        let of_games = variance * self.games_share;
        let of_seeds = (variance - of_games) * self.seeds as f64 / seeds as f64;
        let all = of_seeds + of_games;
        (all.sqrt(), freedom(of_seeds / all, seeds, self.effective_games))
    }
}

/// The test of the mean difference; none below two seeds or two games with positions.
pub fn test(differences: Differences<'_>) -> Option<Crossed> {
    let (mean, parts) = parts(differences)?;
    let seeds = differences.sums.len();
    let games = differences.positions.iter().filter(|&&n| n > 0).count();
    let effective_games = effective_games(differences.positions);
    let of_games = (parts.games - parts.both).max(0.0);
    let variance = parts.seeds + of_games;
    let games_share = if variance > 0.0 { of_games / variance } else { 0.0 };
    let test = MeanTest::new(mean, variance.sqrt(), freedom(1.0 - games_share, seeds, effective_games));
    Some(Crossed { test, seeds, games, effective_games, games_share })
}

/// The mean difference, and the parts of its variance; a mean over positions is a ratio of sums over games, so a game
/// counts by its distance from the mean. None below two seeds or two games with positions.
pub fn parts(differences: Differences<'_>) -> Option<(f64, Parts)> {
    let Differences { sums, positions } = differences;
    let games = positions.iter().filter(|&&n| n > 0).count() as f64;
    let seeds = sums.len() as f64;
    if seeds < 2.0 || games < 2.0 {
        return None;
    }
    let total: f64 = positions.iter().map(|&n| f64::from(n)).sum();
    let of_seeds: Vec<f64> = sums.iter().map(|sums| sums.iter().sum::<f64>() / total).collect();
    let mean = of_seeds.iter().sum::<f64>() / seeds;
    let squares = |distances: &mut dyn Iterator<Item = f64>| distances.map(|distance| distance * distance).sum::<f64>();
    // How far a game moves the mean of a seed, and that of all seeds.
    let moves = |seed: usize, game: usize| (sums[seed][game] - f64::from(positions[game]) * of_seeds[seed]) / total;
    let moves_all = |game: usize| (0..sums.len()).map(|seed| moves(seed, game)).sum::<f64>() / seeds;
    let all: Vec<f64> = (0..positions.len()).map(moves_all).collect();
    let apart = (0..sums.len()).flat_map(|seed| (0..positions.len()).map(move |game| (seed, game)));
    let few_games = games / (games - 1.0);
    let parts = Parts {
        seeds: squares(&mut of_seeds.iter().map(|of_seed| of_seed - mean)) / (seeds - 1.0) / seeds,
        games: few_games * squares(&mut all.iter().copied()),
        both: few_games * squares(&mut apart.map(|(seed, game)| moves(seed, game) - all[game])) / (seeds - 1.0) / seeds,
    };
    Some((mean, parts))
}

/// `(Σn²)² / Σn⁴` for games of `n` positions: a sum of squares with the weights `n²` has as many degrees of freedom as one of
/// that many equal weights (Satterthwaite; Carter, Schnepel & Steigerwald, Review of Economics and Statistics 99, 2017). A
/// few long games carry the mean, and their number counts.
fn effective_games(positions: &[u32]) -> f64 {
    let sum = |power: i32| positions.iter().map(|&n| f64::from(n).powi(power)).sum::<f64>();
    sum(2).powi(2) / sum(4)
}

/// Degrees of freedom of a variance of which the seeds make up this share: `1/ν = qᵏ/(S − 1) + (1 − q)²/(G − 1)`, with the
/// effective number of games as `G`.
///
/// With `k` = 2 it is Satterthwaite's formula ("An approximate distribution of estimates of variance components",
/// Biometrics Bulletin 2, 1946), which takes the share for known. It is estimated, from two degrees of freedom where there
/// are three seeds: where it comes out small by chance, so does the variance, and at the strict levels of Holm's procedure
/// one of five grids without differences has a verdict. [`share_power`] is chosen by simulation: docs/statistics.md has the
/// designs that chose it and others that check it.
fn freedom(share: f64, seeds: usize, games: f64) -> f64 {
    let (of_seeds, of_games) = (seeds as f64 - 1.0, (games - 1.0).max(1.0));
    1.0 / (share.powf(share_power(seeds)) / of_seeds + (1.0 - share).powi(2) / of_games)
}
