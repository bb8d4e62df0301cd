//! The policy at a high temperature. Its parameters are declared with the policy's, whose embedding it shares.

use super::policy::renormalised;
use super::{HeadDeclaration, HeadName, Need};
use crate::examples::{Column, Target};
use crate::loss::{PolicyTargets, policy_cross_entropy_rows, policy_divergence_rows};
use crate::measure::Visit;
use crate::metric::{Direction, Loss, Metric, loss};
use serde::{Deserialize, Serialize};

/// The policy at a high temperature.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SoftPolicy {
    /// T: its target is the policy's to the power of 1/T, made to add up to 1 again.
    pub temperature: f64,
    /// Width of queries and keys; the policy's by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
}

impl Default for SoftPolicy {
    fn default() -> Self {
        Self { temperature: 4.0, depth: None }
    }
}

const LOSS: Loss = renormalised(loss!(
    "soft_policy" = 8.0,
    "nats",
    Target::Policy,
    "Cross-entropy of the policy at a high temperature.",
    "cross-entropy of the soft policy with the targets at its temperature"
));
const KL: Metric = Metric::mean(
    "soft_policy_kl",
    "nats",
    Direction::Lower,
    Target::Policy,
    "soft policy cross-entropy less the entropy of its target",
)
.renormalised();

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
    losses: &[LOSS],
    metrics: &[KL],
    columns: &[Column::PolicyIndex, Column::PolicyProb, Column::Legal],
    needs: &[Need::Distributions],
    evaluate,
};

fn evaluate(visit: &mut Visit<'_>) {
    let (Some(logits_bv), Some(options)) = (visit.output.get(HeadName::SoftPolicy), visit.outputs().soft_policy) else {
        return;
    };
    let softened = visit.examples.policy().softened(options.temperature);
    let targets = PolicyTargets { prob_bk: &softened, ..visit.examples.policy() };
    visit.policy_loss(&LOSS, logits_bv, |log_probs| policy_cross_entropy_rows(log_probs, targets));
    if visit.wants_values() {
        let log_probs = visit.measured_log_probs(logits_bv);
        visit.value(&KL, || policy_divergence_rows(&log_probs, targets));
    }
}
