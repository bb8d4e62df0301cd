//! Values of positions: from engine scores to winning probabilities, and the targets derived from them.

use games::{GameKind, GameResult, Score, Side, with_game};
use serde::{Deserialize, Serialize};

/// A logistic curve: a score of `s` points is a winning probability of `1 / (1 + exp(−per_point · s))`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ValueCurve {
    pub name: String,
    /// The slope per hundredth of a pawn.
    pub per_point: f64,
}

impl ValueCurve {
    /// The usual curve of a game.
    pub fn of(game: GameKind) -> Self {
        let (name, per_point) = with_game!(game, G => G::VALUE_CURVE);
        Self { name: name.to_owned(), per_point }
    }

    /// The probability that `side` wins; 0 or 1 for a mate.
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

/// Lc0's decay of the short-term value: an expected depth of six plies.
pub const SHORT_TERM_DECAY: f64 = 5.0 / 6.0;

/// The value target of a batch. The store keeps the source's value (its score through the manifest's curve, or an
/// engine's root value); the other targets are computed from it when the dataset is opened, so that one import is
/// enough for every target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueTarget {
    /// The stored value: from the score of the played move, or the root value.
    Score,
    /// The game's result for the side to move: 1, ½ or 0, NaN if unknown; the mean if games were merged.
    Result,
    /// The exponential average of the following values, [`short_term`].
    ShortTerm {
        /// The decay per ply, [`SHORT_TERM_DECAY`] in Lc0.
        decay: f64,
    },
}

pub(crate) fn mover(first: Side, ply: usize) -> Side {
    if ply.is_multiple_of(2) { first } else { first.other() }
}

/// A result as points of a side: 1, ½, 0, NaN if unknown.
pub(crate) fn result_for(result: GameResult, side: Side) -> f32 {
    result.points_of(side).unwrap_or(f32::NAN)
}

/// Lc0's short-term value: backwards over a game, `s = θ·s + (1 − θ)·x`, with `x` the value from one side's view, `s`
/// starting at the last value, and the result from the side to move's view. `values` are winning probabilities of the
/// side to move; a ply without one (NaN) is skipped. Reference: lc0 `src/trainingdata/rescorer.cc` (`q_st`), which uses
/// q = 2p − 1; the result is the same, because the average is linear.
pub fn short_term(values: &[f32], decay: f64) -> Vec<f32> {
    averaged(values, decay, |ply, p| if ply.is_multiple_of(2) { p } else { 1.0 - p })
}

/// The same average of draw probabilities, which are equal for both sides: `d_st` of the same reference.
pub fn short_term_draw(draws: &[f32], decay: f64) -> Vec<f32> {
    averaged(draws, decay, |_, draw| draw)
}

/// `turned` is a ply's number from one side's view, and back.
fn averaged(column: &[f32], decay: f64, turned: impl Fn(usize, f64) -> f64) -> Vec<f32> {
    let mut out = vec![f32::NAN; column.len()];
    let mut state: Option<f64> = None;
    for (ply, &number) in column.iter().enumerate().rev().filter(|(_, number)| !number.is_nan()) {
        let x = turned(ply, number.into());
        let next = state.map_or(x, |state| decay * state + (1.0 - decay) * x);
        state = Some(next);
        out[ply] = turned(ply, next) as f32;
    }
    out
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
    fn the_short_term_value_looks_ahead_from_one_side() {
        // White: 0.6, 0.7 (0.3 for Black), 1.0; by hand with θ = 5/6.
        let values = short_term(&[0.6, 0.3, 1.0], SHORT_TERM_DECAY);
        let white_at_1 = 5.0 / 6.0 * 1.0 + 0.7 / 6.0;
        let white_at_0 = 5.0 / 6.0 * white_at_1 + 0.6 / 6.0;
        for (found, expected) in values.iter().zip([white_at_0, 1.0 - white_at_1, 1.0]) {
            assert!((f64::from(*found) - expected).abs() < 1e-6, "{values:?}");
        }
        // Plies that say nothing change nothing; a decay of 0 is the value itself.
        let gaps = short_term(&[f32::NAN, 0.3, f32::NAN, 0.2], SHORT_TERM_DECAY);
        assert!(gaps[0].is_nan() && gaps[2].is_nan());
        assert!((f64::from(gaps[1]) - (5.0 / 6.0 * 0.2 + 0.3 / 6.0)).abs() < 1e-6, "{gaps:?}");
        assert_eq!(short_term(&[0.6, 0.3, 1.0], 0.0), [0.6, 0.3, 1.0]);
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
