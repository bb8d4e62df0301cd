//! Moves to the end of the game.

use crate::metric::{Direction, Loss, Measures, Metric, Target, loss};

/// The weight is that of the example in the code of the Chessformer paper.
pub const LOSS: Loss = loss!(
    "moves_left" = 1.0,
    "",
    Target::MovesLeft,
    "Huber's loss of the moves left, in units of 20.",
    "Huber's loss of the moves left, in units of 20"
);
pub const ERROR: Metric = Metric::mean(
    "moves_left_error",
    "moves",
    Direction::Lower,
    Target::MovesLeft,
    "mean absolute error of the moves left",
);
const TARGETS: Metric =
    Metric::count("moves_left_targets", "positions", Target::MovesLeft, "positions whose game has a known end");

pub(super) const MEASURES: Measures = Measures { losses: &[LOSS], metrics: &[ERROR, TARGETS] };
