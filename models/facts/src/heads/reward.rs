//! Scalar rewards: the data's own estimate, and the average over the plies to come.

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

pub(super) const Q: Measures = measures!("reward", Value, ["q", "q_error", "q_buckets", "q_targets"]);

pub(super) const SHORT_TERM: Measures = measures!(
    "short-term reward",
    ShortTerm,
    ["short_term", "short_term_error", "short_term_buckets", "short_term_targets"]
);
