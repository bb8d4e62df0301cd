//! Win, draw and loss, as logits or as plain shares.

use crate::metric::{Direction, Loss, Measures, Metric, Target, loss};

pub const LOGITS_LOSS: Loss = loss!(
    "value" = 1.0,
    "nats",
    Target::Outcome,
    "Cross-entropy of win/draw/loss.",
    "cross-entropy of win/draw/loss with the game's outcome"
);
pub const LOGITS_ACCURACY: Metric =
    accuracy("value_accuracy", "positions whose likeliest of win/draw/loss is the outcome; a draw is a draw");
/// The weight is ChessDecoder's.
pub const SHARES_LOSS: Loss = loss!(
    "result_shares" = 1.0,
    "",
    Target::Outcome,
    "Squared error of win, draw and loss as plain numbers.",
    "squared error of win/draw/loss as plain numbers with the game's outcome, the mean of the three"
);
pub const SHARES_ACCURACY: Metric =
    accuracy("result_shares_accuracy", "positions whose largest of these numbers is the outcome");

const fn accuracy(name: &'static str, description: &'static str) -> Metric {
    Metric::mean(name, "share", Direction::Higher, Target::Outcome, description)
}

const fn targets(name: &'static str) -> Metric {
    Metric::count(name, "positions", Target::Outcome, "positions whose game has a known outcome")
}

pub(super) const LOGITS: Measures =
    Measures { losses: &[LOGITS_LOSS], metrics: &[LOGITS_ACCURACY, targets("value_targets")] };

pub(super) const SHARES: Measures =
    Measures { losses: &[SHARES_LOSS], metrics: &[SHARES_ACCURACY, targets("result_shares_targets")] };
