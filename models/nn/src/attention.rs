//! Attention as one operation on CPUs: [`kernels::attention`] computes it, and LibTorch sees one node of the graph.
//!
//! It serves what encodings declare as terms of the logits, on f32 and, computed in f32, on bf16. Where [`serves`] says no, products of tensors give
//! the same numbers up to rounding.

mod operation;

use crate::Logits;
use kernels::Instructions;
use nn::differentiable::apply;
use nn::fused;
use operation::{Operation, Placement};
use tch::{Device, Kind, Tensor};

/// The longest sequence: a row of weights and the keys of a head fit into the cache.
const LONGEST: i64 = 128;
const WIDEST: i64 = 1 << 6;

/// Whether attention of this kind, on this device, over this many tokens with this head width can be one operation, and
/// shall be.
pub fn serves(kind: Kind, device: Device, length: i64, head_width: i64) -> bool {
    let sizes = (1..=LONGEST).contains(&length) && (1..=WIDEST).contains(&head_width);
    sizes && matches!(kind, Kind::Float | Kind::BFloat16) && device == Device::Cpu && fused::is_on()
}

/// Queries, keys and values.
#[derive(Debug, Clone, Copy)]
pub enum Projections<'a> {
    /// As one projection gives them, `[b,l,3,h,k]`: the gradient is written in one go.
    Together(&'a Tensor),
    /// `[b,h,l,k]` each, in any layout.
    Apart {
        /// Queries.
        q: &'a Tensor,
        /// Keys.
        k: &'a Tensor,
        /// Values.
        v: &'a Tensor,
    },
}

/// What attention gives.
#[derive(Debug)]
pub struct Mixture {
    /// The values' mixture `[b,l,h,k]`.
    pub mixed_blhk: Tensor,
    /// The weights `[b,h,l,l]`, if they were asked for; gradients flow through them.
    pub weights_bhll: Option<Tensor>,
}

/// One attention: `softmax((q·kᵀ + before)·scale + after + mask)·v`, with terms that broadcast to `[b,h,l,l]`; all on the CPU,
/// projections in f32 or bf16, which is the results' element type too.
#[derive(Debug, Clone, Copy)]
pub struct Attend<'a> {
    /// Queries, keys and values.
    pub projections: Projections<'a>,
    /// Of the logits.
    pub scale: f64,
    /// What encodings add to the logits.
    pub terms: &'a Logits,
    /// `[l,l]`, without a gradient.
    pub mask: Option<&'a Tensor>,
    /// Whether the weights are wanted too.
    pub with_weights: bool,
}

impl Attend<'_> {
    /// Computes it. Bits do not depend on the number of threads.
    ///
    /// # Panics
    /// If sizes do not fit each other, or memory runs out.
    pub fn mix(self) -> Mixture {
        self.mix_with(Instructions::fastest())
    }

    fn mix_with(self, instructions: Instructions) -> Mixture {
        let (placement, projections) = match self.projections {
            Projections::Together(all) => (Placement::Together, vec![all]),
            Projections::Apart { q, k, v } => (Placement::Apart, vec![q, k, v]),
        };
        let kind = projections[0].kind();
        let wide: Vec<Tensor> = projections.into_iter().map(fused::widened).collect();
        let mut inputs: Vec<&Tensor> = wide.iter().collect();
        let scale = self.scale as f32;
        let before = self.terms.before_scale.iter().map(|term| (term, scale));
        let others = self.terms.after_scale.iter().chain(self.mask).map(|term| (term, 1.0));
        let (terms, factors): (Vec<Tensor>, Vec<f32>) =
            before.chain(others).map(|(term, factor)| (term.to_kind(Kind::Float), factor)).unzip();
        inputs.extend(&terms);
        let operation = Operation { instructions, placement, scale, factors, with_weights: self.with_weights };
        let outputs = apply(operation, &inputs).expect("LibTorch has memory for attention");
        let mut outputs = outputs.into_iter().map(|output| output.to_kind(kind));
        Mixture { mixed_blhk: outputs.next().expect("the mixture is the first output"), weights_bhll: outputs.next() }
    }
}

#[cfg(test)]
mod tests;
