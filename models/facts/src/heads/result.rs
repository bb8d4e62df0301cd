//! Win, draw and loss, of the game or by the value of the position, as logits or as plain shares.

use crate::metric::{Loss, Measures, Metric, Target, loss};

const LOGITS_LOSS: Loss = loss!(
    "value" = 1.0,
    "nats",
    Target::Outcome,
    "Cross-entropy of win/draw/loss.",
    "cross-entropy of win/draw/loss with the game's outcome"
);
const LOGITS_ACCURACY: Metric = Metric::share(
    "value_accuracy",
    Target::Outcome,
    "positions whose likeliest of win/draw/loss is the outcome; a draw is a draw",
);
/// The weight is ChessDecoder's.
const SHARES_LOSS: Loss = loss!(
    "result_shares" = 1.0,
    "",
    Target::Outcome,
    "Squared error of win, draw and loss as plain numbers.",
    "squared error of win/draw/loss as plain numbers with the game's outcome, the mean of the three"
);
const SHARES_ACCURACY: Metric =
    Metric::share("result_shares_accuracy", Target::Outcome, "positions whose largest of these numbers is the outcome");
const VALUE_LOGITS_LOSS: Loss = loss!(
    "value_result" = 1.0,
    "nats",
    Target::ValueShares,
    "Cross-entropy of win/draw/loss with the position's.",
    "cross-entropy of win/draw/loss with the shares of the position's value and probability of a draw"
);
const VALUE_LOGITS_ACCURACY: Metric = value_accuracy("value_result_accuracy");
const VALUE_SHARES_LOSS: Loss = loss!(
    "value_shares" = 1.0,
    "",
    Target::ValueShares,
    "Squared error of win, draw and loss as plain numbers with the position's.",
    "squared error of win/draw/loss as plain numbers with the shares of the position's value and probability of a draw, the \
     mean of the three"
);
const VALUE_SHARES_ACCURACY: Metric = value_accuracy("value_shares_accuracy");

const fn value_accuracy(name: &'static str) -> Metric {
    let description = "positions whose largest of win/draw/loss is the largest of the target";
    Metric::share(name, Target::ValueShares, description)
}

const fn targets(name: &'static str) -> Metric {
    Metric::count(name, "positions", Target::Outcome, "positions whose game has a known outcome")
}

const fn value_targets(name: &'static str) -> Metric {
    Metric::count(name, "positions", Target::ValueShares, "positions with a value and a probability of a draw")
}

pub(super) const LOGITS: Measures =
    Measures { losses: &[LOGITS_LOSS], metrics: &[LOGITS_ACCURACY, targets("value_targets")] };

pub(super) const SHARES: Measures =
    Measures { losses: &[SHARES_LOSS], metrics: &[SHARES_ACCURACY, targets("result_shares_targets")] };

pub(super) const VALUE_LOGITS: Measures =
    Measures { losses: &[VALUE_LOGITS_LOSS], metrics: &[VALUE_LOGITS_ACCURACY, value_targets("value_result_targets")] };

pub(super) const VALUE_SHARES: Measures =
    Measures { losses: &[VALUE_SHARES_LOSS], metrics: &[VALUE_SHARES_ACCURACY, value_targets("value_shares_targets")] };
