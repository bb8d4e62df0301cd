//! The losses and metrics of each head, a module a head.

/// The policy, and the policy at a high temperature.
pub mod policy {
    use crate::metric::{Direction, Loss, Measures, Metric, Target, loss};

    /// How many likeliest moves `policy_top5` looks at.
    pub const TOP: i64 = 5;

    const fn mean(name: &'static str, unit: &'static str, direction: Direction, description: &'static str) -> Metric {
        Metric::mean(name, unit, direction, Target::Policy, description)
    }

    pub const LOSS: Loss = loss!(
        "policy" = 1.0,
        "nats",
        Target::Policy,
        "Cross-entropy of the policy.",
        "cross-entropy of the policy with the target moves"
    )
    .renormalised();
    pub const Z_LOSS: Loss = loss!(
        "policy_z" = 1e-4,
        "nats²",
        Target::Policy,
        "Squared logarithm of the sum of the policy's exponentials.",
        "squared logarithm of the sum of the policy's exponentials",
    )
    .renormalised();
    pub const KL: Metric =
        mean("policy_kl", "nats", Direction::Lower, "policy cross-entropy less the entropy of its target")
            .renormalised();
    pub const ACCURACY: Metric = Metric::share(
        "policy_accuracy",
        Target::Policy,
        "positions whose likeliest move (of the legal ones, unless `mask: none`) is one of the target's best",
    )
    .renormalised();
    pub const TOP_ACCURACY: Metric = Metric::share(
        "policy_top5",
        Target::Policy,
        "positions whose five likeliest moves (of the legal ones, unless `mask: none`) hold one of the target's best",
    )
    .renormalised();
    pub const ACCURACY_UNMASKED: Metric = Metric::share(
        "policy_accuracy_unmasked",
        Target::Policy,
        "positions whose likeliest move of all, legal or not, is one of the target's best",
    )
    .of_illegal_moves();
    pub const LOSS_UNMASKED: Metric = mean(
        "policy_loss_unmasked",
        "nats",
        Direction::Lower,
        "cross-entropy of the policy over all moves, legal or not, with the target moves",
    )
    .of_illegal_moves();
    pub const ENTROPY: Metric =
        mean("policy_entropy", "nats", Direction::Neither, "entropy of the policy over all moves, legal or not")
            .of_illegal_moves();
    pub const LEGAL_MASS: Metric =
        Metric::share("legal_mass", Target::Policy, "probability on legal moves before any mask").of_illegal_moves();
    pub const UNIFORM: Metric = mean(
        "uniform_baseline",
        "nats",
        Direction::Neither,
        "policy cross-entropy of a uniform choice among legal moves",
    );

    pub const SOFT_LOSS: Loss = loss!(
        "soft_policy" = 8.0,
        "nats",
        Target::Policy,
        "Cross-entropy of the policy at a high temperature.",
        "cross-entropy of the soft policy with the targets at its temperature"
    )
    .renormalised();
    pub const SOFT_KL: Metric =
        mean("soft_policy_kl", "nats", Direction::Lower, "soft policy cross-entropy less the entropy of its target")
            .renormalised();

    pub(crate) const SOFT: Measures = Measures { losses: &[SOFT_LOSS], metrics: &[SOFT_KL] };

    pub(crate) const MEASURES: Measures = Measures {
        losses: &[LOSS, Z_LOSS],
        metrics: &[
            KL,
            ACCURACY,
            TOP_ACCURACY,
            ACCURACY_UNMASKED,
            LOSS_UNMASKED,
            ENTROPY,
            LEGAL_MASS,
            UNIFORM,
            Metric::count("policy_targets", "positions", Target::Policy, "positions whose move is a policy target"),
        ],
    };
}

/// Win, draw and loss, of the game or by the value of the position, as logits or as plain shares.
pub(super) mod result {
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
    const SHARES_ACCURACY: Metric = Metric::share(
        "result_shares_accuracy",
        Target::Outcome,
        "positions whose largest of these numbers is the outcome",
    );
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

    pub(crate) const LOGITS: Measures =
        Measures { losses: &[LOGITS_LOSS], metrics: &[LOGITS_ACCURACY, targets("value_targets")] };

    pub(crate) const SHARES: Measures =
        Measures { losses: &[SHARES_LOSS], metrics: &[SHARES_ACCURACY, targets("result_shares_targets")] };

    pub(crate) const VALUE_LOGITS: Measures = Measures {
        losses: &[VALUE_LOGITS_LOSS],
        metrics: &[VALUE_LOGITS_ACCURACY, value_targets("value_result_targets")],
    };

    pub(crate) const VALUE_SHARES: Measures = Measures {
        losses: &[VALUE_SHARES_LOSS],
        metrics: &[VALUE_SHARES_ACCURACY, value_targets("value_shares_targets")],
    };
}

/// The win rate of the side to move.
pub mod win_rate {
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
        let [policy, result, value] =
            [policy::LOSS_UNMASKED.name, RESULT_LOSS.metric.name, VALUE_LOSS.metric.name].map(of);
        Some(policy? + (1.0 - LAMBDA) * result? + LAMBDA * value?)
    }

    pub(crate) const MEASURES: Measures = Measures {
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
}

/// Scalar rewards: the data's own estimate, and the average over the plies to come.
pub(super) mod reward {
    use crate::metric::{Measures, Metric, Target, loss};

    /// The measures of a reward, by the names of its losses and the words for the reward. The losses are those of the reward, of
    /// its predicted error and of its interval.
    macro_rules! measures {
        ($what:literal, $target:ident, [$value:literal, $error:literal, $buckets:literal, $targets:literal]) => {
            Measures {
                losses: &[
                    loss!(
                        $value = 1.0,
                        "",
                        Target::$target,
                        concat!("Squared error of the ", $what, "."),
                        concat!("squared error of the ", $what, ", which lies in −1…1"),
                    ),
                    loss!(
                        $error = 1.0,
                        "",
                        Target::$target,
                        concat!("Squared error of the predicted squared error of the ", $what, "."),
                        concat!("squared error of the predicted squared error of the ", $what),
                    ),
                    loss!(
                        $buckets = 0.1,
                        "nats",
                        Target::$target,
                        concat!("Cross-entropy of the interval of the ", $what, "."),
                        concat!("cross-entropy of the interval that the ", $what, " lies in"),
                    ),
                ],
                metrics: &[Metric::count(
                    $targets,
                    "positions",
                    Target::$target,
                    concat!("positions that have the ", $what),
                )],
            }
        };
    }

    pub(crate) const Q: Measures = measures!("reward", Value, ["q", "q_error", "q_buckets", "q_targets"]);

    pub(crate) const SHORT_TERM: Measures = measures!(
        "short-term reward",
        ShortTerm,
        ["short_term", "short_term_error", "short_term_buckets", "short_term_targets"]
    );
}

/// Moves to the end of the game.
pub mod moves_left {
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

    pub(crate) const MEASURES: Measures = Measures { losses: &[LOSS], metrics: &[ERROR, TARGETS] };
}

/// Measures that the heads of maps share.
pub mod map {
    use crate::metric::{Lookup, Loss, Measures, Metric, Target, loss};

    pub const LOSS: Loss = loss!(
        "map" = 1.0,
        "nats",
        Target::MapCells,
        "Cross-entropy of the map's labels.",
        "cross-entropy of the map's labels, over labelled cells"
    );

    pub const ACCURACY: Metric =
        Metric::share("map_accuracy", Target::MapCells, "labelled cells whose likeliest label is theirs");
    pub const RECALL: Metric =
        Metric::share("map_recall", Target::MapCellsAboveZero, "the same of cells with another label than 0");
    pub const SPECIFICITY: Metric =
        Metric::share("map_specificity", Target::MapCellsOfZero, "the same of cells with the label 0");
    const BALANCED: Metric = Metric::share(
        "map_balanced_accuracy",
        Target::MapCells,
        "the mean of map_recall and map_specificity: the label 0 for all cells gives 0.5",
    )
    .derived(balanced);
    const CELLS: Metric = Metric::count("map_cells", "cells", Target::MapCells, "labelled cells");

    fn balanced(of: Lookup<'_>) -> Option<f64> {
        Some((of(RECALL.name)? + of(SPECIFICITY.name)?) / 2.0)
    }

    pub(crate) const MEASURES: Measures =
        Measures { losses: &[LOSS], metrics: &[ACCURACY, RECALL, SPECIFICITY, BALANCED, CELLS] };
}

/// The tokens of the next board.
pub mod board {
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

    pub(crate) const MEASURES: Measures = Measures { losses: &[LOSS], metrics: &[ACCURACY, TOKENS] };
}

/// The rights that the move played leaves.
pub mod rights {
    use crate::metric::{Loss, Measures, Metric, Target, loss};

    pub const LOSS: Loss = loss!(
        "rights" = 1.0,
        "nats",
        Target::Rights,
        "Binary cross-entropy of the rights after the move played.",
        "binary cross-entropy of the rights after the move played, the mean over the rights"
    );
    pub const ACCURACY: Metric = Metric::share(
        "rights_accuracy",
        Target::Rights,
        "positions of whose rights after the move played all are predicted right",
    );
    const TARGETS: Metric =
        Metric::count("rights_targets", "positions", Target::Rights, "positions whose move played is known");

    pub(crate) const MEASURES: Measures = Measures { losses: &[LOSS], metrics: &[ACCURACY, TARGETS] };
}

/// The choice of a second pass.
pub mod refined {
    use crate::metric::{Loss, Measures, Metric, Target, loss};

    /// A batch's count must be known before the candidates are, so it is that of the policy's targets.
    pub const LOSS: Loss = loss!(
        "refined" = 1.0,
        "nats",
        Target::Policy,
        "Cross-entropy of the choice among the likeliest moves.",
        "cross-entropy of the choice among the likeliest moves, 0 where the target is none of them"
    );
    pub const ACCURACY: Metric = Metric::share(
        "refined_accuracy",
        Target::Policy,
        "positions whose move after the second pass is one of the target's best",
    );
    pub const TARGET_IN_CANDIDATES: Metric =
        Metric::share("refined_among", Target::Policy, "positions whose target is among the moves of the second pass");

    pub(crate) const MEASURES: Measures = Measures { losses: &[LOSS], metrics: &[ACCURACY, TARGET_IN_CANDIDATES] };
}
