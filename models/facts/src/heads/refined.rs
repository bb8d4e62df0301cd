//! The choice of a second pass.

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

pub(super) const MEASURES: Measures = Measures { losses: &[LOSS], metrics: &[ACCURACY, TARGET_IN_CANDIDATES] };
