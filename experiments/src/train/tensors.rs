//! A batch as tensors on the device.

use dataset::Batch;
use models::loss::{PolicyTargets, expand_mask};
use tch::{Device, TchError, Tensor};

/// A batch on the device. Rows stay packed and legal moves stay bits until the network needs them.
#[derive(Debug)]
pub struct Tensors {
    /// Packed rows `[b,row]`, u8.
    pub packed: Tensor,
    /// Legal moves as bits `[b,⌈v/8⌉]`, u8.
    pub legal_bits: Tensor,
    /// Policy indices `[b,k]`, i64; −1 for none.
    pub policy_index: Tensor,
    /// Their probabilities `[b,k]`, f32.
    pub policy_prob: Tensor,
    /// 0 win, 1 draw, 2 loss, −1 unknown, `[b]`, i64.
    pub outcome: Tensor,
}

impl Tensors {
    /// Copies a batch to a device.
    ///
    /// # Errors
    /// If the device has no room.
    pub fn new(batch: &Batch, device: Device) -> Result<Self, TchError> {
        let rows = batch.size as i64;
        let place = |tensor: Tensor| tensor.f_view([rows, -1])?.f_to_device(device);
        Ok(Self {
            packed: place(Tensor::f_from_slice(&batch.packed)?)?,
            legal_bits: place(Tensor::f_from_slice(&batch.legal)?)?,
            policy_index: place(Tensor::f_from_slice(&batch.policy_index)?)?,
            policy_prob: place(Tensor::f_from_slice(&batch.policy_prob)?)?,
            outcome: Tensor::f_from_slice(&batch.outcome)?.f_to_device(device)?,
        })
    }

    /// Legal moves, bool `[b,v]`.
    pub fn legal(&self, moves: usize) -> Tensor {
        expand_mask(&self.legal_bits, moves)
    }

    /// The policy's targets.
    #[must_use]
    pub fn targets(&self) -> PolicyTargets<'_> {
        PolicyTargets { index_bk: &self.policy_index, prob_bk: &self.policy_prob }
    }
}
