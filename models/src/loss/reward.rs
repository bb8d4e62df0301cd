//! Losses of scalar rewards and of the moves left, row by row, as in [`super`].

use super::result::known;
use tch::{Kind, Reduction, Tensor};

const MOVES_LEFT_UNIT: f64 = 20.0;

/// Where the loss of moves left goes over from squares to straight lines, in [`MOVES_LEFT_UNIT`]s.
const MOVES_LEFT_DELTA: f64 = 0.5;

/// Reward targets of a batch: −1 for a loss of the side to move, 1 for a win.
#[derive(Debug)]
pub struct RewardTargets {
    /// The rewards `[b]`, f32; 0 where there is none.
    pub q_b: Tensor,
    /// Which rows have one, bool `[b]`.
    pub present_b: Tensor,
}

impl RewardTargets {
    /// From winning probabilities p `[b]` (a draw is half a win; NaN where there is none): q = 2p − 1.
    pub fn of_probabilities(p_b: &Tensor) -> Self {
        let present_b = known(p_b);
        let q_b = (p_b * 2.0 - 1.0).where_self(&present_b, &p_b.zeros_like());
        Self { q_b, present_b }
    }

    /// 0 in rows without a target.
    fn masked(&self, rows_b: &Tensor) -> Tensor {
        rows_b * self.present_b.to_kind(Kind::Float)
    }
}

/// The squared error of rewards `[b]`, `[b]`.
pub fn reward_squared_error_rows(value_b: &Tensor, targets: &RewardTargets) -> Tensor {
    targets.masked(&(value_b - &targets.q_b).square())
}

/// The squared error of the predicted squared error `[b]`, `[b]`: (ê − (q − q̂)²)². No gradient reaches q̂, so that a
/// reward is not made predictable at the cost of being right.
pub fn reward_error_rows(error_b: &Tensor, value_b: &Tensor, targets: &RewardTargets) -> Tensor {
    targets.masked(&(error_b - reward_squared_error_rows(&value_b.detach(), targets)).square())
}

/// The interval of −1…1, cut into `buckets` equal ones, that rewards `[b]` lie in: ⌊(q + 1) / 2 · n⌋, and the last one
/// for q = 1. i64 `[b]`.
///
/// Lc0's training code (`tf/tfprocess.py`) clips q to 1 − 1e-9 for this, which is 1 in f32: its one-hot vector of a
/// certain win is all zeros, and the row teaches nothing. Here it is the last interval's.
pub fn reward_bucket(q_b: &Tensor, buckets: i64) -> Tensor {
    ((q_b + 1.0) / 2.0 * buckets as f64).floor().to_kind(Kind::Int64).clamp(0, buckets - 1)
}

/// Cross-entropy in nats of the logits `[b,buckets]` of a reward's interval, `[b]`.
pub fn reward_bucket_rows(buckets_bn: &Tensor, targets: &RewardTargets) -> Tensor {
    let buckets = buckets_bn.size().last().copied().unwrap_or(1);
    let place = reward_bucket(&targets.q_b, buckets).unsqueeze(1);
    let chosen = buckets_bn.log_softmax(-1, Kind::Float).gather(1, &place, false).squeeze_dim(1);
    targets.masked(&-chosen)
}

/// Huber's loss of the moves left `[b]`, both sides divided by 20, with δ = 0.5, `[b]` (Lc0's training code); `target_b` is NaN
/// where there is none.
pub fn moves_left_rows(moves_b: &Tensor, target_b: &Tensor) -> Tensor {
    let present = known(target_b);
    let target = target_b.where_self(&present, &target_b.zeros_like()) / MOVES_LEFT_UNIT;
    let rows = (moves_b / MOVES_LEFT_UNIT).huber_loss(&target, Reduction::None, MOVES_LEFT_DELTA);
    rows * present.to_kind(Kind::Float)
}
