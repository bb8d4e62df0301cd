//! The policy heads: the moves of the data, the same at a high temperature, and others by name.

use super::from_to::PolicyHeads;
use super::head::{Head, HeadDeclaration, Need, Site};
use super::plane_policy::PlanePolicyHeads;
use super::token_policy::TokenPolicyHeads;
use super::visit::Visit;
use crate::config::HeadName;
use crate::loss::examples::{Column, Target};
use crate::loss::metric::{Direction, Loss, Metric, loss};
use crate::loss::{
    PolicyTargets, policy_cross_entropy_rows, policy_divergence_rows, policy_entropy_rows, policy_log_probs,
    policy_z_rows,
};
use games::Vocabulary;
use tch::{Kind, Tensor};

/// How many likeliest moves `policy_top5` looks at.
const TOP: i64 = 5;

const fn mean(name: &'static str, unit: &'static str, direction: Direction, description: &'static str) -> Metric {
    Metric::mean(name, unit, direction, Target::Policy, description)
}

const LOSS: Loss = renormalised(loss!(
    "policy" = 1.0,
    "nats",
    Target::Policy,
    "Cross-entropy of the policy.",
    "cross-entropy of the policy with the target moves"
));
const Z_LOSS: Loss = Loss {
    asked: |outputs| outputs.policy.is_some_and(|options| options.z_loss),
    ..renormalised(loss!(
        "policy_z" = 1e-4,
        "nats²",
        Target::Policy,
        "Squared logarithm of the sum of the policy's exponentials.",
        "squared logarithm of the sum of the policy's exponentials",
    ))
};
const KL: Metric =
    mean("policy_kl", "nats", Direction::Lower, "policy cross-entropy less the entropy of its target").renormalised();
const ACCURACY: Metric = mean(
    "policy_accuracy",
    "share",
    Direction::Higher,
    "positions whose likeliest move (of the legal ones, unless `mask: none`) is one of the target's best",
)
.renormalised();
const TOP_ACCURACY: Metric = mean(
    "policy_top5",
    "share",
    Direction::Higher,
    "positions whose five likeliest moves (of the legal ones, unless `mask: none`) hold one of the target's best",
)
.renormalised();
const ACCURACY_UNMASKED: Metric = mean(
    "policy_accuracy_unmasked",
    "share",
    Direction::Higher,
    "positions whose likeliest move of all, legal or not, is one of the target's best",
)
.of_illegal_moves();
/// The cross-entropy without a mask.
pub(super) const LOSS_UNMASKED: Metric = mean(
    "policy_loss_unmasked",
    "nats",
    Direction::Lower,
    "cross-entropy of the policy over all moves, legal or not, with the target moves",
)
.of_illegal_moves();
const ENTROPY: Metric =
    mean("policy_entropy", "nats", Direction::Neither, "entropy of the policy over all moves, legal or not")
        .of_illegal_moves();
const LEGAL_MASS: Metric =
    mean("legal_mass", "share", Direction::Higher, "probability on legal moves before any mask").of_illegal_moves();
const UNIFORM: Metric =
    mean("uniform_baseline", "nats", Direction::Neither, "policy cross-entropy of a uniform choice among legal moves");

/// The loss of a policy, which a mask makes another one.
const fn renormalised(loss: Loss) -> Loss {
    Loss { metric: loss.metric.renormalised(), ..loss }
}

pub(super) const DECLARATION: HeadDeclaration = HeadDeclaration {
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
    columns: &[Column::PolicyIndex, Column::PolicyProb, Column::Legal],
    needs: &[Need::Moves],
    evaluate,
    declare: |at| {
        let outputs = &at.config.outputs;
        (outputs.policy.is_some() || outputs.soft_policy.is_some()).then(|| Ok(declare(at)))
    },
};

/// The policies, in the form that the vocabulary has.
fn declare(at: &mut Site<'_>) -> Box<dyn Head> {
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

const SOFT_LOSS: Loss = renormalised(loss!(
    "soft_policy" = 8.0,
    "nats",
    Target::Policy,
    "Cross-entropy of the policy at a high temperature.",
    "cross-entropy of the soft policy with the targets at its temperature"
));
const SOFT_KL: Metric = Metric::mean(
    "soft_policy_kl",
    "nats",
    Direction::Lower,
    Target::Policy,
    "soft policy cross-entropy less the entropy of its target",
)
.renormalised();

/// Its parameters are declared with the policy's, whose embedding it shares.
pub(super) const SOFT: HeadDeclaration = HeadDeclaration {
    losses: &[SOFT_LOSS],
    metrics: &[SOFT_KL],
    columns: &[Column::PolicyIndex, Column::PolicyProb, Column::Legal],
    needs: &[Need::Distributions],
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
pub(super) const FURTHER: HeadDeclaration = HeadDeclaration {
    losses: &[],
    metrics: &[],
    columns: &[],
    needs: &[Need::Teacher],
    evaluate: |_| {},
    declare: |_| None,
};
