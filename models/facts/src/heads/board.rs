//! The tokens of the next board.

use crate::metric::{Loss, Measures, Metric, Target, loss};

pub const LOSS: Loss = loss!(
    "board" = 1.0,
    "nats",
    Target::BoardTokens,
    "Cross-entropy of the tokens of boards.",
    "cross-entropy of the tokens of boards, given what came before each"
);
pub const ACCURACY: Metric =
    Metric::share("board_accuracy", Target::BoardTokens, "tokens of boards that are the likeliest ones");
const TOKENS: Metric =
    Metric::count("board_words", "words", Target::BoardTokens, "tokens of boards that are asked for");

pub(super) const MEASURES: Measures = Measures { losses: &[LOSS], metrics: &[ACCURACY, TOKENS] };
