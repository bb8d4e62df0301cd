//! The win rate of the side to move.

use super::policy;
use crate::metric::{Direction, Lookup, Loss, Measures, Metric, Target, loss};

/// The share of the value of the position in dlshogi's loss, its `val_lambda`; the weights are 1 − λ and λ.
const LAMBDA: f64 = 0.333;

pub const RESULT_LOSS: Loss = loss!(
    "win_rate_result" = 0.667,
    "nats",
    Target::Points,
    "Binary cross-entropy of the win rate with the game's result.",
    "binary cross-entropy of the win rate with the game's result"
);
pub const VALUE_LOSS: Loss = loss!(
    "win_rate_value" = 0.333,
    "nats",
    Target::Value,
    "Binary cross-entropy of the win rate with the value of the position.",
    "binary cross-entropy of the win rate with the position's value"
);
pub const ACCURACY: Metric = Metric::share(
    "win_rate_accuracy",
    Target::DecidedPoints,
    "positions of decided games whose win rate is on the winner's side of one half; draws are left out",
);
pub const DRAWS_WON: Metric = Metric::share(
    "win_rate_accuracy_draws_won",
    Target::Points,
    "the same of all games with draws counted as wins of the side to move, as dlshogi's training prints it",
);
pub const ENTROPY: Metric =
    Metric::mean("win_rate_entropy", "nats", Direction::Neither, Target::Points, "entropy of the win rate");
const DLSHOGI_LOSS: Metric = Metric::mean(
    "dlshogi_loss",
    "nats",
    Direction::Lower,
    Target::Value,
    "policy_loss_unmasked + 0.667 win_rate_result_loss + 0.333 win_rate_value_loss, as dlshogi's training prints it",
)
.derived(dlshogi_loss)
.of_illegal_moves();

fn dlshogi_loss(of: Lookup<'_>) -> Option<f64> {
    let [policy, result, value] = [policy::LOSS_UNMASKED.name, RESULT_LOSS.metric.name, VALUE_LOSS.metric.name].map(of);
    Some(policy? + (1.0 - LAMBDA) * result? + LAMBDA * value?)
}

pub(super) const MEASURES: Measures = Measures {
    losses: &[RESULT_LOSS, VALUE_LOSS],
    metrics: &[
        ACCURACY,
        DRAWS_WON,
        ENTROPY,
        Metric::count("win_rate_targets", "positions", Target::Points, "positions whose game has a known result"),
        Metric::count("win_rate_decided", "positions", Target::DecidedPoints, "those whose game is not drawn"),
        Metric::count("win_rate_value_targets", "positions", Target::Value, "positions that have a value"),
        DLSHOGI_LOSS,
    ],
};
