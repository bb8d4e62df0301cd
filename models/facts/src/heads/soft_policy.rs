//! The policy at a high temperature.

use crate::metric::{Direction, Loss, Measures, Metric, Target, loss};

pub const LOSS: Loss = loss!(
    "soft_policy" = 8.0,
    "nats",
    Target::Policy,
    "Cross-entropy of the policy at a high temperature.",
    "cross-entropy of the soft policy with the targets at its temperature"
)
.renormalised();
pub const KL: Metric = Metric::mean(
    "soft_policy_kl",
    "nats",
    Direction::Lower,
    Target::Policy,
    "soft policy cross-entropy less the entropy of its target",
)
.renormalised();

pub(super) const MEASURES: Measures = Measures { losses: &[LOSS], metrics: &[KL] };
