//! The difference of two players in Elo, from their score.
//!
//! - Logistic Elo of a score `s`: `−400 · log₁₀(1/s − 1)`. Elo, "The Rating of Chessplayers, Past and Present" (1978).
//! - Its interval: the normal interval of `s`, with both ends converted. The standard error of `s` is `√(v/n)`, where `v`
//!   is the variance of an observation's score and `n` the number of observations: pairs of games (pentanomial) or games
//!   (trinomial).
//! - Normalized Elo: `(s − ½)/σ · 800/ln 10`, where `σ` is the standard deviation of a game. A pair of games has half a
//!   game's variance, so `σ = √(2v)` with pairs and `√v` with games. It is near logistic Elo if no game is drawn and does
//!   not shrink as draws become more frequent. Van den Bergh, "Normalized Elo" (2020),
//!   <https://www.cantate.be/Fishtest/normalized_elo.pdf>.
//! - Likelihood of superiority: `Φ((s − ½)/√(v/n))`, a probability.
//!
//! Fastchess has the same numbers: <https://github.com/Disservin/fastchess>, `app/src/elo`.

use crate::interval::{Interval, normal_cdf, standard_errors};
use crate::pairs::Outcomes;

/// Elo of odds 10 : 1.
pub const ELO_PER_DECADE: f64 = 400.0;

/// Normalized Elo of one standard deviation of a game: `800 / ln 10`.
pub const NORMALIZED_PER_DEVIATION: f64 = 2.0 * ELO_PER_DECADE / std::f64::consts::LN_10;

/// Logistic Elo of a score per game. Infinite at 0 (negative) and 1; not a number outside of [0, 1].
pub fn elo_of_score(score: f64) -> f64 {
    // Not by 1/s − 1, which loses the digits of scores near 1.
    ELO_PER_DECADE * (score / (1.0 - score)).log10()
}

/// The score per game that a logistic difference in Elo predicts.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / ELO_PER_DECADE))
}

/// A number with its confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub value: f64,
    pub interval: Interval,
}

/// How much stronger the first player is.
///
/// ```
/// use strength::Trinomial;
/// use strength::elo::Difference;
///
/// // 40 losses, 60 draws and 100 wins.
/// let found = Difference::of(&Trinomial([40, 60, 100]), 0.95).expect("there are games");
/// assert_eq!((found.score, found.elo.value.round()), (0.65, 108.0));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// Points per game, from 0 to 1.
    pub score: f64,
    /// The standard error of the score, in points per game.
    pub error: f64,
    pub elo: Estimate,
    pub normalized: Estimate,
    /// The likelihood of superiority: the probability that the first player is the stronger one, from 0 to 1.
    pub superiority: f64,
}

impl Difference {
    /// Of counts, with intervals at confidence `level`, e.g. 0.95; none without games.
    ///
    /// An interval end whose score lies outside of (0, 1) is infinite. If all observations are equal, the error is zero
    /// and both ends are the value itself: all points won is `+∞` Elo, all points lost `−∞`, all draws 0, and the
    /// superiority 1, 0 or ½. Such an error means only that nothing varied; [`crate::sweep`] bounds the Elo of a score of 0 or 1.
    ///
    /// # Panics
    /// If `level` is not inside (0, 1).
    pub fn of<O: Outcomes>(outcomes: &O, level: f64) -> Option<Self> {
        let reach = standard_errors(level);
        let (score, variance) = (outcomes.mean()?, outcomes.variance()?);
        let error = (variance / outcomes.observations() as f64).sqrt();
        let deviation = (variance * O::GAMES as f64).sqrt();
        let ends = Interval { low: score - reach * error, high: score + reach * error };
        let estimate = |of: &dyn Fn(f64) -> f64| Estimate { value: of(score), interval: ends.map(of) };
        Some(Self {
            score,
            error,
            elo: estimate(&|score| elo_of_score(score.clamp(0.0, 1.0))),
            normalized: estimate(&|score| NORMALIZED_PER_DEVIATION * ratio(score - 0.5, deviation)),
            superiority: normal_cdf(ratio(score - 0.5, error)),
        })
    }
}

/// A quotient with 0/0 = 0.
fn ratio(above: f64, below: f64) -> f64 {
    if above == 0.0 { 0.0 } else { above / below }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::{Pentanomial, Trinomial};

    fn of<O: Outcomes>(outcomes: &O) -> Difference {
        Difference::of(outcomes, 0.95).expect("there are games")
    }

    /// The printed figure has this many decimals.
    fn agrees(ours: f64, theirs: f64) {
        assert!((ours - theirs).abs() <= 0.005_001, "{ours} is not {theirs}");
    }

    /// Fastchess, `app/tests/elo_test.cpp` at 2f5e888, "EloWDL" (wins, losses, draws there) and "EloPentanomial" (LL, LD, WL + DD, WD
    /// and WW): normalized Elo and its half width, logistic Elo and its half width, likelihood of superiority in percent.
    #[test]
    fn games_and_pairs_agree_with_fastchess() {
        type Case = (Difference, [f64; 2], Option<[f64; 2]>, Option<f64>);
        let cases: [Case; 6] = [
            (of(&Trinomial([89, 123, 76])), [-20.76, 40.13], None, Some(15.53)),
            (of(&Trinomial([96, 111, 136])), [49.77, 36.77], Some([40.70, 30.43]), Some(99.60)),
            (of(&Trinomial([356, 0, 34])), [-508.44, 34.48], None, None),
            (of(&Pentanomial([34, 54, 63, 64, 75])), [57.94, 28.28], Some([55.58, 27.65]), Some(100.00)),
            (of(&Pentanomial([332, 433, 498, 333, 334])), [-9.17, 10.96], Some([-8.64, 10.33]), Some(5.05)),
            (of(&Pentanomial([7895, 8757, 5685, 568, 9999])), [-19.01, 2.65], Some([-21.04, 2.95]), None),
        ];
        let agree = |ours: Estimate, [value, half]: [f64; 2]| {
            agrees(ours.value, value);
            agrees(ours.interval.half_width(), half);
        };
        for (ours, normalized, elo, superiority) in cases {
            agree(ours.normalized, normalized);
            elo.into_iter().for_each(|theirs| agree(ours.elo, theirs));
            superiority.into_iter().for_each(|percent| agrees(100.0 * ours.superiority, percent));
        }
    }

    #[test]
    fn elo_and_score_are_inverse_and_antisymmetric() {
        assert_eq!(elo_of_score(0.5), 0.0);
        assert_eq!(elo_of_score(1.0), f64::INFINITY);
        assert_eq!(elo_of_score(0.0), f64::NEG_INFINITY);
        assert!(elo_of_score(1.5).is_nan());
        // 10 : 1 is 400 Elo by definition.
        assert!((elo_of_score(10.0 / 11.0) - 400.0).abs() < 1e-10);
        for elo in [-1200.0, -35.0, 0.0, 0.5, 700.0] {
            assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-9, "{elo}");
            assert!((score_of_elo(elo) + score_of_elo(-elo) - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn exchanged_players_have_the_opposite_difference() {
        let (ours, theirs) = (of(&Pentanomial([3, 5, 9, 20, 4])), of(&Pentanomial([4, 20, 9, 5, 3])));
        assert!((ours.elo.value + theirs.elo.value).abs() < 1e-9);
        assert!((ours.elo.interval.low + theirs.elo.interval.high).abs() < 1e-9);
        assert!((ours.normalized.value + theirs.normalized.value).abs() < 1e-9);
        assert!((ours.superiority + theirs.superiority - 1.0).abs() < 1e-12);
        let Interval { low, high } = ours.elo.interval;
        assert!(ours.superiority > 0.5 && low < ours.elo.value && ours.elo.value < high);
    }

    #[test]
    fn games_in_independent_pairs_have_the_games_normalized_elo() {
        // Games won with probability 0.6, in pairs: 0.16, 0.48, 0.36.
        let (pairs, games) = (of(&Pentanomial([16, 0, 48, 0, 36])), of(&Trinomial([80, 0, 120])));
        assert!((pairs.normalized.value - games.normalized.value).abs() < 1e-9);
        assert!((pairs.error - games.error).abs() < 1e-12);
    }

    #[test]
    fn results_that_do_not_vary_are_infinite_or_zero() {
        let won = of(&Pentanomial([0, 0, 0, 0, 7]));
        assert_eq!((won.elo.value, won.normalized.value, won.superiority), (f64::INFINITY, f64::INFINITY, 1.0));
        assert_eq!(won.elo.interval, Interval { low: f64::INFINITY, high: f64::INFINITY });
        let lost = of(&Trinomial([7, 0, 0]));
        assert_eq!((lost.elo.value, lost.superiority), (f64::NEG_INFINITY, 0.0));
        let drawn = of(&Trinomial([0, 7, 0]));
        assert_eq!((drawn.elo.value, drawn.normalized.value, drawn.superiority), (0.0, 0.0, 0.5));
        assert_eq!(of(&Trinomial([0, 1, 3])).elo.interval.high, f64::INFINITY);
        assert_eq!(Difference::of(&Trinomial::default(), 0.95), None);
    }
}
