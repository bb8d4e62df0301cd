//! Logits of the pairs of tokens that a mask selects, as one operation on CPUs.

use super::operands::{contiguous, numbers, writable};
use super::workers;
use crate::Differentiable;
use crate::differentiable::{BackwardContext, Results, apply_one};
pub use kernels::pair_logits::Pair;
use kernels::pair_logits::{PairLogits as Kernel, PairLogitsGradients};
use std::sync::Arc;
use tch::{Device, Kind, TchError, Tensor};

/// `scale·q·k + extra` for the pairs of a list.
#[derive(Debug, Clone)]
pub struct PairLogits {
    /// The list of v pairs.
    pub pairs: Arc<[Pair]>,
    /// The factor of q·k.
    pub scale: f64,
    /// The logit of a pair that is not selected.
    pub elsewhere: f64,
}

impl PairLogits {
    /// Logits `[b,v]` for queries `[b,m,w]`, keys `[b,n,w]`, extra terms `[b,e]` and the selected pairs, bool `[b,v]`, through
    /// which gradients flow to the first three; for tensors that [`crate::fused::supports`].
    ///
    /// # Panics
    /// If a tensor is another one, if a pair's query, key or extra term is not below m, n or e, or if memory runs out.
    pub fn of(&self, q: &Tensor, k: &Tensor, extra: &Tensor, asked: &Tensor) -> Tensor {
        self.check(q, k, extra, asked);
        apply_one(PairLogitsOperation(self.clone()), &[q, k, extra, asked]).expect("LibTorch has memory for logits")
    }

    /// Checks what the kernel relies on: it reads and writes at the pairs' places.
    fn check(&self, q: &Tensor, k: &Tensor, extra: &Tensor, asked: &Tensor) {
        let is_read = |tensor: &Tensor| tensor.kind() == Kind::Float && tensor.device() == Device::Cpu;
        assert!([q, k, extra].into_iter().all(is_read), "f32 tensors on the CPU, got {q:?}, {k:?} and {extra:?}");
        let (q, k, extra) = (q.size(), k.size(), extra.size());
        let (&[batch, queries, width], &[of_keys, keys, key_width], &[of_extras, extras]) =
            (&q[..], &k[..], &extra[..])
        else {
            panic!("queries [b,m,w], keys [b,n,w] and extra terms [b,e], got {q:?}, {k:?} and {extra:?}");
        };
        let is_one_batch = (of_keys, of_extras, key_width) == (batch, batch, width);
        assert!(is_one_batch, "operands of one batch, q and k of one width, got {q:?}, {k:?} and {extra:?}");
        let shape = [batch, self.pairs.len() as i64];
        let is_mask = asked.kind() == Kind::Bool && asked.device() == Device::Cpu && asked.size() == shape;
        assert!(is_mask, "a mask {shape:?} of pairs on the CPU, got {asked:?}");
        let below = |place: usize, count: i64| place < count as usize;
        let fits = |pair: &Pair| {
            below(pair.query, queries) && below(pair.key, keys) && pair.extra.is_none_or(|place| below(place, extras))
        };
        let other = self.pairs.iter().find(|pair| !fits(pair));
        assert!(other.is_none(), "pairs of {queries} queries, {keys} keys and {extras} extra terms, got {other:?}");
    }
}

/// Its inputs are queries, keys, extra terms and the mask.
struct PairLogitsOperation(PairLogits);

impl PairLogitsOperation {
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

impl Differentiable for PairLogitsOperation {
    fn forward(&self, inputs: &[Tensor], _: bool) -> Result<Results, TchError> {
        let inputs = contiguous(inputs)?;
        let logits = Tensor::f_empty(inputs[3].size(), (Kind::Float, Device::Cpu))?;
        // SAFETY: the tensors live, are contiguous and of the sizes given, the logits are new, and `check` has seen every pair.
        unsafe { self.kernel(&inputs).compute(numbers(&logits), workers()) };
        Ok(Results::one(logits))
    }

    fn backward(&self, context: BackwardContext<'_>, _: &[bool]) -> Result<Vec<Option<Tensor>>, TchError> {
        let inputs = contiguous(context.inputs)?;
        let of_logits = context.gradient()?;
        let all = inputs[..3].iter().map(writable).collect::<Result<Vec<_>, _>>()?;
        let to = PairLogitsGradients { of_q: numbers(&all[0]), of_k: numbers(&all[1]), of_extra: numbers(&all[2]) };
        // SAFETY: as in `forward`.
        unsafe { self.kernel(&inputs).gradients(numbers(&of_logits), to, workers()) };
        Ok(all.into_iter().map(Some).chain([None]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Backend;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn ones(shape: &[i64]) -> Tensor {
        Tensor::ones(shape, (Kind::Float, Device::Cpu))
    }

    fn logits_of(pair: Pair) -> PairLogits {
        PairLogits { pairs: Arc::from([pair]), scale: 0.5, elsewhere: -9.0 }
    }

    #[test]
    fn pairs_and_tensors_that_do_not_fit_are_refused_and_nothing_is_read() {
        let pair = Pair { query: 2, key: 3, extra: Some(1) };
        let (q, k, extra) = (ones(&[2, 3, 8]), ones(&[2, 4, 8]), ones(&[2, 2]));
        let asked = Tensor::from_slice(&[true, false]).view([2, 1]);
        let refusal = |pair: Pair, operands: [&Tensor; 4]| {
            let [q, k, extra, asked] = operands;
            let run = || Backend::Kernels.run(|| logits_of(pair).of(q, k, extra, asked));
            let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("it is refused");
            panic.downcast_ref::<String>().expect("a message").clone()
        };
        let whole = [&q, &k, &extra, &asked];
        for other in [Pair { query: 3, ..pair }, Pair { key: 4, ..pair }, Pair { extra: Some(2), ..pair }] {
            let message = refusal(other, whole);
            assert!(message.contains("3 queries, 4 keys and 2 extra terms") && message.contains("Pair"), "{message}");
        }
        let (narrow, one, flat) = (ones(&[2, 4, 7]), ones(&[1, 4, 8]), ones(&[2, 32]));
        for (other, expected) in [(&narrow, "q and k of one width"), (&one, "of one batch"), (&flat, "keys [b,n,w]")] {
            let message = refusal(pair, [&q, other, &extra, &asked]);
            assert!(message.contains(expected), "{message}");
        }
        let double = q.to_kind(Kind::Double);
        assert!(refusal(pair, [&double, &k, &extra, &asked]).contains("f32 tensors on the CPU"));
        let mask = asked.view([1, 2]);
        assert!(refusal(pair, [&q, &k, &extra, &mask]).contains("a mask [2, 1]"));

        let logits = Backend::Kernels.run(|| logits_of(pair).of(&q, &k, &extra, &asked));
        // 0.5 · 8 + 1 where the pair is asked about.
        assert_eq!(Vec::<f32>::try_from(logits.view([2])).expect("two numbers"), [5.0, -9.0]);
    }
}
