//! The loss of the rights after the move played.

use nn::constant;
use tch::{Kind, Reduction, Tensor};

/// The rights after the moves played.
#[derive(Debug)]
pub struct RightsTargets {
    /// 0 or 1 `[b,bits]`, f32; 0 in rows that have none.
    pub bits_bn: Tensor,
    /// Which rows have them, bool `[b]`.
    pub present_b: Tensor,
}

impl RightsTargets {
    /// From `[b]`, i64: the rights as bits, −1 where they are unknown. `columns` are the predicted bits, in order.
    pub fn new(rights_b: &Tensor, columns: &[i64]) -> Self {
        let shifts = constant::kept(columns, Kind::Int64, rights_b.device());
        let bits = rights_b.clamp_min(0).unsqueeze(1).bitwise_right_shift(&shifts);
        Self { bits_bn: bits.remainder(2).to_kind(Kind::Float), present_b: rights_b.ge(0) }
    }

    fn masked(&self, rows_b: &Tensor) -> Tensor {
        rows_b * self.present_b.to_kind(Kind::Float)
    }
}

/// Binary cross-entropy of the logits `[b,bits]` in nats, the mean over the bits, `[b]`.
pub fn rights_rows(logits_bn: &Tensor, targets: &RightsTargets) -> Tensor {
    let cells = logits_bn.binary_cross_entropy_with_logits::<Tensor>(&targets.bits_bn, None, None, Reduction::None);
    targets.masked(&cells.mean_dim([1i64].as_slice(), false, Kind::Float))
}

/// Whether every bit is the likelier answer, `[b]`, f32.
pub fn rights_hit_rows(logits_bn: &Tensor, targets: &RightsTargets) -> Tensor {
    let right = logits_bn.gt(0.0).to_kind(Kind::Float).eq_tensor(&targets.bits_bn);
    targets.masked(&right.all_dim(1, false).to_kind(Kind::Float))
}
