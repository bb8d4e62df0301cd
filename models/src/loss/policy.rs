//! Losses of policies, and of win, draw and loss as logits, row by row, as in [`super`].

use nn::constant;
use tch::{Kind, Tensor};

/// The logit of an illegal move: far enough down that its probability is exactly 0 beside any legal move, and finite,
/// so that neither a row without legal moves nor a target on an illegal move makes a NaN.
pub(crate) const ILLEGAL_LOGIT: f64 = -1e30;

/// Sparse policy targets of a batch.
#[derive(Debug, Clone, Copy)]
pub struct PolicyTargets<'a> {
    /// Vocabulary indices `[b,k]`, i64; −1 where a row has fewer than `k` candidates, in all places if it is no target.
    pub index_bk: &'a Tensor,
    /// Their probabilities `[b,k]`, f32, 1 together in a row that is a target; what stands beside −1 is not read.
    pub prob_bk: &'a Tensor,
}

impl PolicyTargets<'_> {
    /// Which rows have a target, bool `[b]`.
    pub fn present(&self) -> Tensor {
        self.used().any_dim(1, false)
    }

    /// The targets' entropy in nats, `[b]`: what cross-entropy can fall to.
    pub fn entropy_rows(&self) -> Tensor {
        let prob = self.probabilities();
        -prob.xlogy(&prob).sum_dim_intlist([1i64].as_slice(), false, Kind::Float)
    }

    /// The targets' probabilities at a temperature T, `[b,k]`: p^(1/T), made to add up to 1 again in each row. (Lc0's
    /// training code, `soft_policy_temperature`: moves of probability 0 keep it.)
    pub fn softened(&self, temperature: f64) -> Tensor {
        let raised = self.probabilities().pow_tensor_scalar(temperature.recip());
        let whole = raised.sum_dim_intlist([1i64].as_slice(), true, Kind::Float);
        raised / whole.clamp_min(f64::from(f32::MIN_POSITIVE))
    }

    /// Whether one of the moves `[b,m]` is one of the target's best, of which ties are all: bool `[b]`; false in rows without a
    /// target.
    pub fn hits(&self, moves_bm: &Tensor) -> Tensor {
        let prob = self.probabilities();
        let best_bk = prob.eq_tensor(&prob.amax([1i64].as_slice(), true)).logical_and(&self.used());
        let same_bmk = moves_bm.unsqueeze(2).eq_tensor(&self.index_bk.unsqueeze(1));
        same_bmk.logical_and(&best_bk.unsqueeze(1)).flatten(1, 2).any_dim(1, false)
    }

    fn used(&self) -> Tensor {
        self.index_bk.ge(0)
    }

    /// Probabilities with 0 in unused places.
    pub(super) fn probabilities(&self) -> Tensor {
        self.prob_bk.where_self(&self.used(), &self.prob_bk.zeros_like())
    }
}

/// The mean of a sum over examples, `count` of which have a target, scalars both; 0 if there are none.
pub fn mean(sum: &Tensor, count: &Tensor) -> Tensor {
    sum / count.clamp_min(1.0)
}

/// Legal moves, one bit each (the lowest bit of a byte first), as bool `[b,v]`. `bits_bn`: u8 `[b, ⌈v/8⌉]`.
pub fn expand_mask(bits_bn: &Tensor, moves: usize) -> Tensor {
    const PLACES: [i64; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
    let places = constant::kept(&PLACES, Kind::Uint8, bits_bn.device());
    bits_bn.unsqueeze(-1).bitwise_and_tensor(&places).ne(0).flatten(1, 2).narrow(1, 0, moves as i64)
}

/// Policy logits `[b,v]` behind the mask: −1e30 where a move is illegal (`legal_bv`: bool).
pub fn mask_policy(logits_bv: &Tensor, legal_bv: &Tensor) -> Tensor {
    logits_bv.masked_fill(&legal_bv.logical_not(), ILLEGAL_LOGIT)
}

/// Log-probabilities `[b,v]` of policy logits, over the legal moves (bool `[b,v]`) or over the whole vocabulary. The
/// probability of an illegal move is exactly 0.
pub fn policy_log_probs(logits_bv: &Tensor, legal_bv: Option<&Tensor>) -> Tensor {
    match legal_bv {
        None => logits_bv.log_softmax(-1, Kind::Float),
        Some(legal) => mask_policy(logits_bv, legal).log_softmax(-1, Kind::Float),
    }
}

/// Cross-entropy of the policy against sparse targets in nats, `[b]`.
pub fn policy_cross_entropy_rows(log_probs_bv: &Tensor, targets: PolicyTargets<'_>) -> Tensor {
    let chosen = log_probs_bv.gather(1, &targets.index_bk.clamp_min(0), false);
    -(chosen * targets.probabilities()).sum_dim_intlist([1i64].as_slice(), false, Kind::Float)
}

/// Squared logarithm of the sum of the exponentials of logits `[b,v]`, `[b]`, f32; 0 in rows that are not present (bool
/// `[b]`).
pub fn policy_z_rows(logits_bv: &Tensor, present_b: &Tensor) -> Tensor {
    let log_sum = logits_bv.to_kind(Kind::Float).logsumexp([-1i64].as_slice(), false);
    let zero = log_sum.zeros_like();
    (&log_sum * &log_sum).where_self(present_b, &zero)
}

/// Entropy of the policy in nats, `[b]`; of log-probabilities behind a mask, that over the legal moves.
pub fn policy_entropy_rows(log_probs_bv: &Tensor) -> Tensor {
    -(log_probs_bv.exp() * log_probs_bv).sum_dim_intlist([1i64].as_slice(), false, Kind::Float)
}

/// Kullback–Leibler divergence of the policy from sparse targets in nats, `[b]`: cross-entropy without the targets'
/// own entropy, so that a perfect policy has 0. (Lc0's "policy loss".)
pub fn policy_divergence_rows(log_probs_bv: &Tensor, targets: PolicyTargets<'_>) -> Tensor {
    policy_cross_entropy_rows(log_probs_bv, targets) - targets.entropy_rows()
}

/// Cross-entropy in nats of win/draw/loss logits `[b,3]` against outcomes `[b]`, i64: 0 win, 1 draw, 2 loss for the
/// side to move, −1 unknown. `[b]`.
pub fn wdl_cross_entropy_rows(wdl_b3: &Tensor, outcome_b: &Tensor) -> Tensor {
    let log_probs = wdl_b3.log_softmax(-1, Kind::Float);
    let chosen = log_probs.gather(1, &outcome_b.clamp_min(0).unsqueeze(1), false).squeeze_dim(1);
    -(chosen * outcome_b.ge(0).to_kind(Kind::Float))
}
