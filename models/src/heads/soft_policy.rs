//! The policy at a high temperature. Its parameters are declared with the policy's, whose embedding it shares.

use super::{HeadDeclaration, HeadName, Need, always};
use crate::examples::Column;
use crate::loss::{PolicyTargets, policy_cross_entropy_rows, policy_divergence_rows};
use crate::measure::Visit;
use facts::heads::soft_policy::{KL, LOSS};
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

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
    columns: &[Column::PolicyIndex, Column::PolicyProb, Column::Legal],
    needs: &[Need::Distributions],
    asked: always,
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
