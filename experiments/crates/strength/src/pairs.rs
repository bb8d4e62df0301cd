//! Results of games and of pairs of games, as counts.
//!
//! Two engines play each opening twice with colours exchanged. The two games of a pair depend on each other through the
//! opening, so the *pair* is the unit of statistics: it has 0, ½, 1, 1½ or 2 points, and its five counts are the
//! pentanomial. Games without pairs have the trinomial of losses, draws and wins.
//! Van den Bergh, "Normalized Elo" (2020), <https://www.cantate.be/Fishtest/normalized_elo.pdf>; fishtest and fastchess
//! count the same way: <https://github.com/official-stockfish/fishtest>, <https://github.com/Disservin/fastchess>.
//!
//! All results are the first player's. A score is points per game, from 0 to 1.

/// The result of a game for the first player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GameResult {
    Loss,
    Draw,
    Win,
}

impl GameResult {
    /// The results from the worst to the best.
    pub const ALL: [Self; 3] = [Self::Loss, Self::Draw, Self::Win];

    /// Half points: 0, 1 or 2. Also the result's place in lists ordered as loss, draw, win.
    pub fn half_points(self) -> usize {
        self as usize
    }
}

/// Counts of equally spaced outcomes from all points lost to all points won.
pub trait Outcomes {
    const GAMES: u64;

    /// How often each outcome occurred, in ascending order of points.
    fn counts(&self) -> &[u64];

    fn observations(&self) -> u64 {
        self.counts().iter().sum()
    }

    fn games(&self) -> u64 {
        Self::GAMES * self.observations()
    }

    /// The score that outcome `index` stands for, from 0 to 1.
    fn score(&self, index: usize) -> f64 {
        index as f64 / (self.counts().len() - 1) as f64
    }

    /// The mean score per game; none without games.
    fn mean(&self) -> Option<f64> {
        let all = self.observations();
        let sum: f64 = self.counts().iter().enumerate().map(|(i, &count)| count as f64 * self.score(i)).sum();
        (all > 0).then(|| sum / all as f64)
    }

    /// The variance of an observation's score (division by their number), in squared points per game; none without games.
    fn variance(&self) -> Option<f64> {
        let mean = self.mean()?;
        let square = |(i, &count): (usize, &u64)| count as f64 * (self.score(i) - mean).powi(2);
        Some(self.counts().iter().enumerate().map(square).sum::<f64>() / self.observations() as f64)
    }
}

/// Counts of pairs of games with 0, ½, 1, 1½ and 2 points of the first player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pentanomial(pub [u64; 5]);

impl Pentanomial {
    pub fn add(&mut self, [one, other]: [GameResult; 2]) {
        self.0[one.half_points() + other.half_points()] += 1;
    }
}

impl Outcomes for Pentanomial {
    const GAMES: u64 = 2;

    fn counts(&self) -> &[u64] {
        &self.0
    }
}

/// Counts of losses, draws and wins of the first player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Trinomial(pub [u64; 3]);

impl Trinomial {
    pub fn add(&mut self, result: GameResult) {
        self.0[result.half_points()] += 1;
    }
}

impl Outcomes for Trinomial {
    const GAMES: u64 = 1;

    fn counts(&self) -> &[u64] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::GameResult::{Draw, Loss, Win};
    use super::*;

    #[test]
    fn pairs_are_counted_by_their_points() {
        let pairs = [[Loss, Loss], [Loss, Draw], [Draw, Loss], [Win, Loss], [Draw, Draw], [Win, Draw], [Win, Win]];
        let mut counts = Pentanomial::default();
        pairs.into_iter().for_each(|pair| counts.add(pair));
        assert_eq!(counts, Pentanomial([1, 2, 2, 1, 1]));
        assert_eq!((counts.observations(), counts.games()), (7, 14));
        let half_points: usize = pairs.iter().flatten().map(|game| game.half_points()).sum();
        assert!((counts.mean().unwrap() - half_points as f64 / 28.0).abs() < 1e-15);
    }

    #[test]
    fn games_are_counted_by_their_points() {
        let mut counts = Trinomial::default();
        [Win, Draw, Win, Loss].into_iter().for_each(|result| counts.add(result));
        assert_eq!(counts, Trinomial([1, 1, 2]));
        assert_eq!(counts.mean(), Some(0.625));
        // (1·0.625² + 1·0.125² + 2·0.375²) / 4.
        assert!((counts.variance().unwrap() - 0.171_875).abs() < 1e-15);
        assert_eq!(Trinomial::default().mean(), None);
        assert_eq!(Pentanomial::default().variance(), None);
    }
}
