//! The decision of a player in a position.

/// A legal move with its weight. Weights of a position's moves sum to 1 for a policy, and for a search, where they are shares of the
/// visits; for values they are winning probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedMove {
    /// The move in UCI or USI.
    pub text: String,
    /// Its weight, 0 to 1.
    pub weight: f64,
    /// Expected points of the side that plays it, 0 to 1, if the position after it was evaluated.
    pub points: Option<f64>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The legal moves, the best first; moves of the same weight stay in the order of the rules.
    pub moves: Vec<WeightedMove>,
    pub chosen: usize,
    /// Expected points of the side to move, 0 to 1, if the network evaluates the position itself; the mean over visits for a search.
    pub points: Option<f64>,
    /// Its probabilities of win, draw and loss, if the network predicts them and no search changes them.
    pub result: Option<[f64; 3]>,
    /// Positions that were evaluated, or visits of a search.
    pub nodes: u64,
}

impl Decision {
    /// The move that is played, in UCI or USI; `None` where there is no legal one.
    pub fn text(&self) -> Option<&str> {
        self.moves.get(self.chosen).map(|mv| mv.text.as_str())
    }

    /// Of moves in the order of the rules: the heaviest first, and the first of them chosen.
    pub(crate) fn of(mut moves: Vec<WeightedMove>) -> Self {
        // Stable, so that equal moves keep their order.
        moves.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        Self { moves, chosen: 0, points: None, result: None, nodes: 1 }
    }
}

/// The place of a move that is drawn by `chance` in `[0,1)` among the likeliest moves, heaviest first, that have `top_p` together.
pub(crate) fn drawn(moves: &[WeightedMove], top_p: f64, chance: f64) -> usize {
    let mut before = 0.0;
    let kept = moves.iter().take_while(|mv| {
        let is_kept = before < top_p;
        before += mv.weight;
        is_kept
    });
    let kept: Vec<f64> = kept.map(|mv| mv.weight).collect();
    let mut left = chance * kept.iter().sum::<f64>();
    kept.iter()
        .position(|weight| {
            left -= weight;
            left < 0.0
        })
        .unwrap_or_else(|| kept.len().saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_drawn_by_their_shares_among_the_likeliest() {
        let moves = [0.5, 0.3, 0.2].map(|weight| WeightedMove { text: String::new(), weight, points: None });
        let of = |top_p: f64| [0.0, 0.49, 0.51, 0.79, 0.81, 0.999].map(|chance| drawn(&moves, top_p, chance));
        assert_eq!(of(1.0), [0, 0, 1, 1, 2, 2]);
        assert_eq!(of(0.5), [0; 6]);
        // Two moves with 0.8 together: the first up to 0.5 / 0.8.
        assert_eq!(of(0.6), [0, 0, 0, 1, 1, 1]);
    }
}
