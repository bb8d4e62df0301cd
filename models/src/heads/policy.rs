//! The policy heads: the moves of the data, the same at a high temperature, and others by name.

use super::from_to::FromToLogits;
use super::{Head, HeadDeclaration, HeadName, Need, Output, Reading, always};
use crate::config::{ChessformerConfig, is_default};
use crate::examples::Column;
use crate::loss::{
    policy_cross_entropy_rows, policy_divergence_rows, policy_entropy_rows, policy_log_probs, policy_z_rows,
};
use crate::macs::HeadMacs;
use crate::measure::Visit;
use encodings::Tokens;
use facts::heads::policy::{
    ACCURACY, ACCURACY_UNMASKED, ENTROPY, KL, LEGAL_MASS, LOSS, LOSS_UNMASKED, TOP, TOP_ACCURACY, UNIFORM, Z_LOSS,
};
use games::FromTo;
use nn::{Activation, Init, LayoutBuilder, Linear, Part, Views};
use serde::{Deserialize, Serialize};
use tch::{Kind, Tensor};

/// The policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PolicyOptions {
    /// Whether training also minimises log² of the sum of exp(logit), `policy_z` among the weights of losses: PaLM's z-loss
    /// (Chowdhery et al. 2022, arXiv 2204.02311), which keeps logits near zero. Over legal moves where training masks the
    /// others.
    #[serde(skip_serializing_if = "is_default")]
    pub z_loss: bool,
}

/// One more policy.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FurtherPolicy {
    /// Width of queries and keys; the policy's by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<usize>,
}

/// Further policies have nothing to learn from.
pub(super) const FURTHER: HeadDeclaration =
    HeadDeclaration { columns: &[], needs: &[Need::Teacher], asked: always, evaluate: |_| {} };

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
    columns: &[Column::PolicyIndex, Column::PolicyProb, Column::Legal],
    needs: &[Need::Moves],
    asked: |loss, outputs| *loss != Z_LOSS || outputs.policy.is_some_and(|options| options.z_loss),
    evaluate,
};

fn evaluate(visit: &mut Visit<'_>) {
    let Some(logits_bv) = visit.output.get(HeadName::Policy) else { return };
    let targets = visit.examples.policy();
    visit.policy_loss(&LOSS, logits_bv, |log_probs| policy_cross_entropy_rows(log_probs, targets));
    if visit.outputs().policy.is_some_and(|options| options.z_loss) {
        let logits_bv = visit.trained_logits(logits_bv);
        visit.loss(&Z_LOSS, || policy_z_rows(&logits_bv, &targets.present()));
    }
    if !visit.wants_values() {
        return;
    }
    let (legal, log_probs) = (visit.legal(), visit.measured_log_probs(logits_bv));
    let unmasked = policy_log_probs(logits_bv, None);
    let top = TOP.min(visit.moves() as i64);
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

/// The attention policy, its soft companion and further ones, which have queries, keys, promotions and drops of their own
/// and share the embedding (Lc0's training code, `tf/tfprocess.py`, `policy_heads`).
#[derive(Debug)]
pub(super) struct PolicyHeads {
    embedding: Linear,
    vanilla: Option<FromToLogits>,
    soft: Option<FromToLogits>,
    further: Vec<(String, FromToLogits)>,
    activation: Activation,
    squares: u64,
}

impl PolicyHeads {
    pub(super) fn declare(
        builder: &mut LayoutBuilder,
        config: &ChessformerConfig,
        tokens: &Tokens,
        moves: &FromTo,
    ) -> Self {
        let (d, e) = (config.width as i64, config.policy_embedding() as i64);
        let outputs = &config.outputs;
        let mut policy = builder.scope("policy", Part::Head);
        let embedding = Linear::declare(&mut policy.sub("embedding"), d, e, Init::glorot_normal(d, e, 1.0), true);
        let vanilla =
            outputs.policy.map(|_| FromToLogits::declare(&mut policy, config.policy_depth(), config, tokens, moves));
        let soft = outputs.soft_policy.map(|soft| {
            let depth = soft.depth.unwrap_or(config.policy_depth());
            FromToLogits::declare(&mut builder.scope("soft_policy", Part::Head), depth, config, tokens, moves)
        });
        let further = outputs.further_policies.iter().map(|(name, options)| {
            let depth = options.depth.unwrap_or(config.policy_depth());
            let scope = &mut builder.scope("further_policies", Part::Head);
            (name.clone(), FromToLogits::declare(&mut scope.sub(name), depth, config, tokens, moves))
        });
        let (further, squares) = (further.collect(), tokens.geometry().squares() as u64);
        Self { embedding, vanilla, soft, further, activation: config.activation, squares }
    }

    /// The costs of a head, that of the embedding with the first one.
    fn cost(&self, name: &'static str, logits: &FromToLogits, first: bool) -> HeadMacs {
        let embedding = if first { self.squares * self.embedding.macs() } else { 0 };
        let weights = embedding + logits.weight_macs(self.embedding.macs());
        HeadMacs { name, macs: weights + logits.product_macs(), weights }
    }
}

impl Head for PolicyHeads {
    fn forward(&self, views: &Views, x_bld: &Tensor, output: &mut Output) {
        let embedded = self.activation.apply(&self.embedding.forward(views, x_bld));
        let legal = output.legal().map(Tensor::shallow_clone);
        let logits = |head: &FromToLogits| head.forward(views, &embedded, legal.as_ref());
        set_policies(output, self.vanilla.as_ref(), self.soft.as_ref(), logits);
        for (name, head) in &self.further {
            let logits_bv = logits(head);
            output.set_part(HeadName::FurtherPolicies, name.clone(), Reading::Policy, logits_bv);
        }
    }

    fn macs(&self) -> Vec<HeadMacs> {
        let vanilla = self.vanilla.as_ref().map(|logits| self.cost("policy", logits, true));
        let soft = self.soft.as_ref().map(|logits| self.cost("soft_policy", logits, self.vanilla.is_none()));
        let further = self.further.iter().map(|(_, logits)| self.cost("further_policies", logits, false));
        vanilla.into_iter().chain(soft).chain(further).collect()
    }

    fn position_sources(&self) -> Vec<&'static str> {
        let mut sources = vec!["policy vocabulary (only structurally possible moves)"];
        let named = self.further.iter().map(|(_, logits)| logits);
        if [&self.vanilla, &self.soft].into_iter().flatten().chain(named).any(FromToLogits::promotes) {
            sources.push("promotion logits (only where pieces promote)");
        }
        sources
    }

    fn paper_macs_per_square(&self) -> u64 {
        self.vanilla.as_ref().map_or(0, |logits| self.embedding.macs() + logits.weight_macs_per_square())
    }
}

/// Answers of a policy and its soft companion, where there are these.
pub(super) fn set_policies<T>(
    output: &mut Output,
    policy: Option<&T>,
    soft: Option<&T>,
    forward: impl Fn(&T) -> Tensor,
) {
    for (head, logits) in [(HeadName::Policy, policy), (HeadName::SoftPolicy, soft)] {
        if let Some(logits) = logits {
            output.set(head, Reading::Policy, forward(logits));
        }
    }
}
