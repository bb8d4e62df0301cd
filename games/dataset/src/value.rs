//! From an engine's score to the probability of winning.

use games::{GameKind, Score, Side};
use serde::{Deserialize, Serialize};

/// A logistic curve: a score of `s` points is a winning probability of `1 / (1 + exp(−per_point · s))`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueCurve {
    /// Whose curve it is.
    pub name: String,
    /// The slope, per hundredth of a pawn.
    pub per_point: f64,
}

impl ValueCurve {
    /// The curve that is customary for a game: Lichess' winning chances for chess (0.00368208 per centipawn, as
    /// searchless_chess uses them too), dlshogi's for shogi (`1 / 756.0864962951762`).
    #[must_use]
    pub fn of(game: GameKind) -> Self {
        let (name, per_point) = match game {
            GameKind::Chess => ("lichess", 0.003_682_08),
            GameKind::Shogi => ("dlshogi", 1.0 / 756.086_496_295_176_2),
        };
        Self { name: name.to_owned(), per_point }
    }

    /// The probability that `side` wins. A mate is certain.
    #[must_use]
    pub fn win_probability(&self, score: Score, side: Side) -> f32 {
        let first_wins = match score {
            Score::Centipawns(points) => 1.0 / (1.0 + (-self.per_point * f64::from(points)).exp()),
            Score::MateIn(moves) => f64::from(u8::from(moves > 0)),
        };
        match side {
            Side::First => first_wins as f32,
            Side::Second => (1.0 - first_wins) as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_share_the_points_of_a_game() {
        let curve = ValueCurve::of(GameKind::Chess);
        for score in [Score::Centipawns(-250), Score::Centipawns(0), Score::MateIn(3), Score::MateIn(-1)] {
            let [first, second] = [Side::First, Side::Second].map(|side| curve.win_probability(score, side));
            assert!((first + second - 1.0).abs() < 1e-6, "{score:?}: {first} + {second}");
        }
        assert_eq!(curve.win_probability(Score::MateIn(-2), Side::Second), 1.0);
    }

    #[test]
    fn the_curves_are_those_of_their_sources() {
        // Lichess: win% = 50 + 50 (2 / (1 + exp(-0.00368208 cp)) - 1); at 100 cp this is 59.10 %.
        let chess = ValueCurve::of(GameKind::Chess).win_probability(Score::Centipawns(100), Side::First);
        assert!((chess - 0.5910).abs() < 1e-4, "{chess}");
        // dlshogi: 1 / (1 + exp(-0.0013226 x)); at 600 this is 68.86 %.
        let shogi = ValueCurve::of(GameKind::Shogi).win_probability(Score::Centipawns(600), Side::First);
        assert!((shogi - 0.6886).abs() < 1e-4, "{shogi}");
        let mate = ValueCurve::of(GameKind::Shogi).win_probability(Score::Centipawns(-100_000), Side::First);
        assert_eq!(mate, 0.0);
    }
}
