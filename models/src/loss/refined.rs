//! The choice among a few moves, and its loss.

use super::policy::{ILLEGAL_LOGIT, PolicyTargets};
use tch::{Kind, Tensor};

/// The choice among a few moves.
#[derive(Debug)]
pub struct Refined {
    /// The candidates, indices of the vocabulary, the first pass's likeliest first, i64 `[b,k]`.
    pub moves_bk: Tensor,
    /// Which of them are legal moves, bool `[b,k]`.
    pub present_bk: Tensor,
    /// The second pass's logits `[b,k]`, −1e30 where there are fewer legal moves.
    pub logits_bk: Tensor,
}

impl Refined {
    /// From the candidates `[b,k]`, which of them are legal moves, bool `[b,k]`, and the logits of all `[b,k]`.
    pub fn new(moves_bk: Tensor, present_bk: Tensor, logits_bk: &Tensor) -> Self {
        let logits_bk = logits_bk.masked_fill(&present_bk.logical_not(), ILLEGAL_LOGIT);
        Self { moves_bk, present_bk, logits_bk }
    }

    /// The move that is chosen in the end, an index of the vocabulary, `[b,1]`.
    pub fn chosen(&self) -> Tensor {
        self.moves_bk.gather(1, &self.logits_bk.argmax(1, true), false)
    }
}

/// A policy's targets for the candidates.
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
