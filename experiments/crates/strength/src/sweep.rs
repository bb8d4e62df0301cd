//! The bound on a difference in Elo if one player won every game.
//!
//! Results that do not vary have no variance, so [`crate::elo`] has no interval for them. The exact test of the binomial distribution
//! has a bound: of `n` independent games with the score `s`, all are won with probability `sⁿ` at most (a draw only lowers it), so
//! that scores below `(1 − level)^(1/n)` are rejected. Clopper and Pearson, "The use of confidence or fiducial limits illustrated in
//! the case of the binomial", Biometrika 26 (1934), <https://doi.org/10.1093/biomet/26.4.404>; the bound is one-sided.
//!
//! The two games of a pair are counted as independent. Where the opening favours one colour, they are less often both won than that,
//! and the bound is a cautious one.

use crate::elo::elo_of_score;
use crate::pairs::Outcomes;

/// A one-sided bound on a difference in Elo.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Bound {
    /// The first player won every game: the difference is not smaller.
    AtLeast(f64),
    /// The first player lost every game: the difference is not larger.
    AtMost(f64),
}

impl Bound {
    /// The bound at confidence `level`, e.g. 0.95; `None` without games, or where neither player won all of them.
    ///
    /// # Panics
    /// If `level` is not inside (0, 1).
    pub fn of<O: Outcomes>(outcomes: &O, level: f64) -> Option<Self> {
        let (counts, all) = (outcomes.counts(), outcomes.observations());
        let bound = Self::of_games(outcomes.games(), level)?;
        if counts.last() == Some(&all) {
            Some(Self::AtLeast(bound))
        } else if counts.first() == Some(&all) {
            Some(Self::AtMost(-bound))
        } else {
            None
        }
    }

    /// The least Elo of a player who won all of this number of games; `None` without games.
    ///
    /// # Panics
    /// If `level` is not inside (0, 1).
    pub fn of_games(games: u64, level: f64) -> Option<f64> {
        assert!(level > 0.0 && level < 1.0, "a confidence level lies inside (0, 1), got {level}");
        (games > 0).then(|| elo_of_score((1.0 - level).powf(1.0 / games as f64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elo::score_of_elo;
    use crate::pairs::{Pentanomial, Trinomial};

    /// One-sided Clopper–Pearson bounds of n of n: 0.05^(1/n). The rule of three: 1 − 3/n for large n.
    #[test]
    fn bounds_are_clopper_and_pearsons() {
        for (games, score) in [(1, 0.05), (2, 0.223_607), (8, 0.687_656), (10, 0.741_134), (100, 0.970_487)] {
            let bound = Bound::of_games(games, 0.95).expect("games");
            assert!((score_of_elo(bound) - score).abs() < 1e-6, "{games} games: {bound}");
        }
        let many = score_of_elo(Bound::of_games(3_000, 0.95).expect("games"));
        assert!((many - 0.999).abs() < 1e-5, "{many}");
        assert_eq!(Bound::of_games(0, 0.95), None);
    }

    #[test]
    fn only_a_sweep_has_a_bound_and_the_loser_has_the_opposite_one() {
        let Some(Bound::AtLeast(won)) = Bound::of(&Pentanomial([0, 0, 0, 0, 4]), 0.95) else { panic!("a sweep") };
        // Eight games: 400·log₁₀(0.687656 / 0.312344).
        assert!((won - 137.1).abs() < 0.05, "{won}");
        assert_eq!(Bound::of(&Pentanomial([4, 0, 0, 0, 0]), 0.95), Some(Bound::AtMost(-won)));
        assert_eq!(Bound::of(&Trinomial([0, 0, 8]), 0.95), Some(Bound::AtLeast(won)));
        for varied in [[0, 0, 0, 1, 4], [0, 0, 4, 0, 0], [1, 0, 0, 0, 4], [0; 5]] {
            assert_eq!(Bound::of(&Pentanomial(varied), 0.95), None, "{varied:?}");
        }
    }
}
