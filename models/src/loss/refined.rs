//! The loss of the choice among a few moves.

use super::PolicyTargets;
use crate::heads::Refined;
use tch::{Kind, Tensor};

/// What a policy's targets say about the candidates.
#[derive(Debug)]
pub struct RefinedTargets {
    /// The share of the target's probability that lies on each of the candidates, 1 together, `[b,k]`; zeros in rows whose
    /// candidates have none of it.
    pub prob_bk: Tensor,
    /// Which rows' candidates have some, bool `[b]`.
    pub among_b: Tensor,
}

impl RefinedTargets {
    /// Looks up the candidates in the targets.
    pub fn new(refined: &Refined, targets: PolicyTargets<'_>) -> Self {
        let same = refined.moves_bk.unsqueeze(2).eq_tensor(&targets.index_bk.unsqueeze(1));
        let mass = (same.to_kind(Kind::Float) * targets.probabilities().unsqueeze(1)).sum_dim_intlist(
            [2i64].as_slice(),
            false,
            Kind::Float,
        );
        let mass = mass * refined.present_bk.to_kind(Kind::Float);
        let whole = mass.sum_dim_intlist([1i64].as_slice(), true, Kind::Float);
        let prob_bk = &mass / whole.clamp_min(f64::from(f32::MIN_POSITIVE));
        Self { prob_bk, among_b: whole.gt(0.0).squeeze_dim(1) }
    }
}

/// Cross-entropy in nats of the choice, `[b]`: 0 in rows whose target is none of the candidates.
pub fn refined_rows(refined: &Refined, targets: &RefinedTargets) -> Tensor {
    let log_probs = refined.logits_bk.log_softmax(-1, Kind::Float);
    -(log_probs * &targets.prob_bk).sum_dim_intlist([1i64].as_slice(), false, Kind::Float)
}
