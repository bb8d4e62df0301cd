//! A static prior: how often a move is chosen when it is legal, whatever the position.
//!
//! Moves are the indices of the game's `from_to` vocabulary, in the frame of the side to move. The score of a move is
//! (mass + s·r) / (legal + s): `mass` is the sum of its target probabilities, `legal` the number of positions in which it
//! is legal, r the mean of mass by legal over all moves, and s the strength of the smoothing. The policy is the score,
//! renormalised over the legal moves.

use crate::scores::Score;
use dataset::PolicyPosition;
use games::{Game, Position as _};

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct StaticPrior {
    mass: Vec<f64>,
    legal: Vec<f64>,
    pub(crate) positions: usize,
}

impl StaticPrior {
    /// Strengths of the smoothing that are tried on the validation positions.
    pub(crate) const STRENGTHS: [f64; 6] = [1.0, 4.0, 16.0, 64.0, 256.0, 1024.0];
    /// The strength without validation positions.
    pub(crate) const USUAL_STRENGTH: f64 = 16.0;

    /// Counts of a vocabulary of this size, before the first position.
    pub(crate) fn new(moves: usize) -> Self {
        Self { mass: vec![0.0; moves], legal: vec![0.0; moves], positions: 0 }
    }

    /// Counts a position by the indices of its legal moves and their targets.
    pub(crate) fn add(&mut self, legal: &[u16], target: &[f64]) {
        for (&mv, &target) in legal.iter().zip(target) {
            self.mass[usize::from(mv)] += target;
            self.legal[usize::from(mv)] += 1.0;
        }
        self.positions += 1;
    }

    /// How many moves were legal in a counted position.
    pub(crate) fn seen(&self) -> usize {
        self.legal.iter().filter(|&&legal| legal > 0.0).count()
    }

    /// The logarithm of each move's score at this strength of the smoothing.
    pub(crate) fn log_scores(&self, strength: f64) -> Vec<f64> {
        let (mass, legal): (f64, f64) = (self.mass.iter().sum(), self.legal.iter().sum());
        let mean = if legal > 0.0 { mass / legal } else { 1.0 };
        let score = |(mass, legal): (&f64, &f64)| ((mass + strength * mean) / (legal + strength)).ln();
        self.mass.iter().zip(&self.legal).map(score).collect()
    }

    /// The strength whose policy has the least loss on these positions, and that loss; the first of equals. None without
    /// positions.
    pub(crate) fn best_strength(&self, positions: &[(Vec<u16>, Vec<f64>)]) -> Option<(f64, f64)> {
        let loss = |strength: f64| {
            let scores = self.log_scores(strength);
            Score::mean(positions.iter().map(|(legal, target)| Score::of(&of_moves(&scores, legal), target))).loss
        };
        let tried = Self::STRENGTHS.map(|strength| (strength, loss(strength)));
        let best = tried.into_iter().reduce(|best, other| if other.1 < best.1 { other } else { best });
        best.filter(|_| !positions.is_empty())
    }
}

/// The indices of a position's legal moves.
pub(crate) fn indices<G: Game>(position: &PolicyPosition<'_, G>) -> Vec<u16> {
    position.legal.iter().map(|&mv| position.position.move_index(mv)).collect()
}

pub(crate) fn of_moves(log_scores: &[f64], legal: &[u16]) -> Vec<f64> {
    legal.iter().map(|&mv| log_scores[usize::from(mv)]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_shares_of_the_positions_where_a_move_is_legal() {
        let mut prior = StaticPrior::new(4);
        prior.add(&[0, 1], &[1.0, 0.0]);
        prior.add(&[0, 2], &[0.25, 0.75]);
        prior.add(&[1, 2], &[0.0, 1.0]);
        assert_eq!((prior.positions, prior.seen()), (3, 3));
        // mass 1.25, 0, 1.75, 0; legal 2, 2, 2, 0; mean ½.
        let scores: Vec<f64> = prior.log_scores(2.0).iter().map(|score| score.exp()).collect();
        for (got, wanted) in scores.iter().zip([2.25 / 4.0, 1.0 / 4.0, 2.75 / 4.0, 0.5]) {
            assert!((got - wanted).abs() < 1e-15, "{scores:?}");
        }
    }

    #[test]
    fn the_strength_is_that_of_the_least_loss() {
        let mut prior = StaticPrior::new(2);
        (0..100).for_each(|_| prior.add(&[0, 1], &[1.0, 0.0]));
        let alike = [(vec![0, 1], vec![1.0, 0.0])];
        assert_eq!(prior.best_strength(&alike).map(|(strength, _)| strength), Some(1.0));
        let unlike = [(vec![0, 1], vec![0.0, 1.0])];
        assert_eq!(prior.best_strength(&unlike).map(|(strength, _)| strength), Some(1024.0));
        assert_eq!(prior.best_strength(&[]), None);
    }
}
