//! The decision of a player in a position.

/// A legal move with its weight. Weights of a position's moves sum to 1 for a policy; for values they are winning
/// probabilities.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightedMove {
    /// The move in UCI or USI.
    pub text: String,
    /// Its weight, 0 to 1.
    pub weight: f64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Decision {
    /// The legal moves, the best first; moves of the same weight stay in the order of the rules.
    pub moves: Vec<WeightedMove>,
    /// Which of them is played.
    pub chosen: usize,
    /// Expected points of the side to move, 0 to 1, if the network evaluates the position itself.
    pub points: Option<f64>,
    /// Its probabilities of win, draw and loss, if the network predicts them.
    pub result: Option<[f64; 3]>,
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
        Self { moves, chosen: 0, points: None, result: None }
    }
}
