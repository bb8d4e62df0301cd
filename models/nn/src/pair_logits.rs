//! Logits of those pairs of tokens that are asked about, as one operation on CPUs.

use crate::Differentiable;
use crate::differentiable::{Known, Results, apply_one};
use crate::fused::workers;
use crate::numbers::{contiguous, numbers, writable};
pub use kernels::pair_logits::Pair;
use kernels::pair_logits::{PairLogits as Kernel, PairLogitsGradients};
use std::sync::Arc;
use tch::{Device, Kind, TchError, Tensor};

/// `scale·q·k + extra` for the pairs of a list.
#[derive(Debug, Clone)]
pub struct PairLogits {
    /// The list, v.
    pub pairs: Arc<[Pair]>,
    /// The factor of q·k.
    pub scale: f64,
    /// The logit of a pair that is not asked about.
    pub elsewhere: f64,
}

impl PairLogits {
    /// Logits `[b,v]` for queries `[b,m,w]`, keys `[b,n,w]`, extra terms `[b,e]` and what is asked about, bool `[b,v]`, through
    /// which gradients flow to the first three; for tensors that [`crate::fused::serves`].
    ///
    /// # Panics
    /// If a tensor is another one, or memory runs out.
    pub fn of(&self, q: &Tensor, k: &Tensor, extra: &Tensor, asked: &Tensor) -> Tensor {
        let shape = [q.size()[0], self.pairs.len() as i64];
        assert!(asked.kind() == Kind::Bool && asked.size() == shape, "a mask {shape:?} of pairs, got {asked:?}");
        apply_one(Operation(self.clone()), &[q, k, extra, asked]).expect("LibTorch has memory for logits")
    }
}

/// Its inputs are queries, keys, extra terms and the mask.
struct Operation(PairLogits);

impl Operation {
    fn kernel<'a>(&'a self, inputs: &'a [Tensor]) -> Kernel<'a> {
        let sizes = |number: usize| inputs[number].size().into_iter().map(|size| size as usize).collect::<Vec<_>>();
        let (q, k, extra) = (sizes(0), sizes(1), sizes(2));
        let mask = &inputs[3];
        // SAFETY: the mask is a contiguous tensor of bytes that are 0 or 1, and lives as long as the inputs.
        let asked = unsafe { std::slice::from_raw_parts(mask.data_ptr().cast::<bool>(), mask.numel()) };
        Kernel {
            pairs: &self.0.pairs,
            batch: q[0],
            queries: q[1],
            keys: k[1],
            extras: extra[1],
            width: q[2],
            q: numbers(&inputs[0]),
            k: numbers(&inputs[1]),
            extra: numbers(&inputs[2]),
            asked,
            scale: self.0.scale as f32,
            elsewhere: self.0.elsewhere as f32,
        }
    }
}

impl Differentiable for Operation {
    fn forward(&self, inputs: &[Tensor], _: bool) -> Result<Results, TchError> {
        let inputs = contiguous(inputs)?;
        let logits = Tensor::f_empty(inputs[3].size(), (Kind::Float, Device::Cpu))?;
        // SAFETY: the tensors live, are contiguous and of the sizes given, and the logits are new.
        unsafe { self.kernel(&inputs).compute(numbers(&logits), workers()) };
        Ok(Results::one(logits))
    }

    fn backward(&self, known: Known<'_>, _: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let inputs = contiguous(known.inputs)?;
        let of_logits = known.gradients[0].as_ref().expect("a backward pass starts from the only output");
        let of_logits = of_logits.f_contiguous()?;
        let all = inputs[..3].iter().map(writable).collect::<Result<Vec<_>, _>>()?;
        let to = PairLogitsGradients { of_q: numbers(&all[0]), of_k: numbers(&all[1]), of_extra: numbers(&all[2]) };
        // SAFETY: as in `forward`.
        unsafe { self.kernel(&inputs).gradients(numbers(&of_logits), to, workers()) };
        Ok(all.into_iter().map(Some).chain([None]).collect())
    }
}
