//! The policy, and the policy at a high temperature.

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
    mean("policy_kl", "nats", Direction::Lower, "policy cross-entropy less the entropy of its target").renormalised();
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
/// The cross-entropy without a mask.
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
pub const UNIFORM: Metric =
    mean("uniform_baseline", "nats", Direction::Neither, "policy cross-entropy of a uniform choice among legal moves");

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

pub(super) const SOFT: Measures = Measures { losses: &[SOFT_LOSS], metrics: &[SOFT_KL] };

pub(super) const MEASURES: Measures = Measures {
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
