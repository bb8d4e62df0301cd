//! The policy heads: the moves of the data, the same at a high temperature, and others by name.

use super::from_to::PolicyHeads;
use super::head::{Head, HeadContext, HeadDeclaration, Need, always};
use super::plane_policy::PlanePolicyHeads;
use super::token_policy::TokenPolicyHeads;
use super::visit::Visit;
use crate::loss::examples::Column;
use crate::loss::{
    PolicyTargets, policy_cross_entropy_rows, policy_divergence_rows, policy_entropy_rows, policy_log_probs,
    policy_z_rows,
};
use facts::HeadName;
use facts::heads::policy::{
    ACCURACY, ACCURACY_UNMASKED, ENTROPY, KL, LEGAL_MASS, LOSS, LOSS_UNMASKED, SOFT_KL, SOFT_LOSS, TOP, TOP_ACCURACY,
    UNIFORM, Z_LOSS,
};
use games::Vocabulary;
use tch::{Kind, Tensor};

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
    columns: &[Column::PolicyIndex, Column::PolicyProb, Column::Legal],
    needs: &[Need::Moves],
    asked: |loss, outputs| *loss != Z_LOSS || outputs.policy.is_some_and(|options| options.z_loss),
    evaluate,
    declare: |at| {
        let outputs = &at.config.outputs;
        (outputs.policy.is_some() || outputs.soft_policy.is_some()).then(|| Ok(declare(at)))
    },
};

/// The policies, in the form that the vocabulary has.
fn declare(at: &mut HeadContext<'_>) -> Box<dyn Head> {
    match at.moves {
        Vocabulary::FromTo(moves) => Box::new(PolicyHeads::declare(at.builder, at.config, at.tokens, moves)),
        Vocabulary::Planes(moves) => Box::new(PlanePolicyHeads::declare(at.builder, at.config, at.tokens, moves)),
        Vocabulary::List(list) => {
            Box::new(TokenPolicyHeads::declare(at.builder, at.config, at.tokens, list.moves.len()))
        }
    }
}

fn evaluate(visit: &mut Visit<'_>) {
    let Some(logits_bv) = visit.output.get(HeadName::Policy) else { return };
    let targets = visit.examples.policy();
    visit.policy_loss(&LOSS, logits_bv, |log_probs| policy_cross_entropy_rows(log_probs, targets));
    if visit.outputs.policy.is_some_and(|options| options.z_loss) {
        let logits_bv = visit.trained_logits(logits_bv);
        visit.loss(&Z_LOSS, || policy_z_rows(&logits_bv, &targets.present()));
    }
    if !visit.wants_values() {
        return;
    }
    let (legal, log_probs) = (visit.legal(), visit.measured_log_probs(logits_bv));
    let unmasked = policy_log_probs(logits_bv, None);
    let top = TOP.min(visit.moves as i64);
    let sum = |rows: &Tensor| rows.sum_dim_intlist([-1i64].as_slice(), false, Kind::Float);
    visit.value(&KL, || policy_divergence_rows(&log_probs, targets));
    visit.value(&ACCURACY, || targets.hits(&log_probs.argmax(-1, true)));
    visit.value(&TOP_ACCURACY, || targets.hits(&log_probs.topk(top, -1, true, true).1));
    visit.value(&ACCURACY_UNMASKED, || targets.hits(&unmasked.argmax(-1, true)));
    visit.value(&LOSS_UNMASKED, || policy_cross_entropy_rows(&unmasked, targets));
    visit.value(&ENTROPY, || policy_entropy_rows(&unmasked));
    visit.value(&LEGAL_MASS, || sum(&(unmasked.exp() * legal.to_kind(Kind::Float))));
    visit.value(&UNIFORM, || sum(&legal).log());
}

/// Its parameters are declared with the policy's, whose embedding it shares.
pub(super) const SOFT: HeadDeclaration = HeadDeclaration {
    columns: &[Column::PolicyIndex, Column::PolicyProb, Column::Legal],
    needs: &[Need::Distributions],
    asked: always,
    evaluate: evaluate_soft,
    declare: |_| None,
};

fn evaluate_soft(visit: &mut Visit<'_>) {
    let (Some(logits_bv), Some(options)) = (visit.output.get(HeadName::SoftPolicy), visit.outputs.soft_policy) else {
        return;
    };
    let softened = visit.examples.policy().softened(options.temperature);
    let targets = PolicyTargets { prob_bk: &softened, ..visit.examples.policy() };
    visit.policy_loss(&SOFT_LOSS, logits_bv, |log_probs| policy_cross_entropy_rows(log_probs, targets));
    if visit.wants_values() {
        let log_probs = visit.measured_log_probs(logits_bv);
        visit.value(&SOFT_KL, || policy_divergence_rows(&log_probs, targets));
    }
}

/// Further policies have nothing to learn from.
pub(super) const FURTHER: HeadDeclaration =
    HeadDeclaration { columns: &[], needs: &[Need::Teacher], asked: always, evaluate: |_| {}, declare: |_| None };
