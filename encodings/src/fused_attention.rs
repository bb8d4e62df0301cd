//! Attention as one operation on CPUs: [`kernels::attention`] computes it, and LibTorch sees one node of the graph.
//!
//! It serves what encodings declare as terms of the logits, on f32. Where [`serves`] says no, products of tensors give
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
/// The widest head.
const WIDEST: i64 = 1 << 6;

/// Whether attention of this kind, on this device, over this many tokens with this head width can be one operation, and
/// shall be.
#[must_use]
pub fn serves(kind: Kind, device: Device, length: i64, head_width: i64) -> bool {
    let sizes = (1..=LONGEST).contains(&length) && (1..=WIDEST).contains(&head_width);
    sizes && kind == Kind::Float && device == Device::Cpu && fused::is_on()
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

/// `softmax((q·kᵀ + before)·scale + after + mask)·v`, with terms that broadcast to `[b,h,l,l]`; all f32 on the CPU. The
/// mask has no gradient. Bits do not depend on the number of threads.
///
/// # Panics
/// If sizes do not fit each other, or memory runs out.
#[must_use]
pub fn attend(
    projections: Projections<'_>,
    scale: f64,
    terms: &Logits,
    mask: Option<&Tensor>,
    with_weights: bool,
) -> Mixture {
    attend_with(Instructions::fastest(), projections, scale, terms, mask, with_weights)
}

fn attend_with(
    instructions: Instructions,
    projections: Projections<'_>,
    scale: f64,
    terms: &Logits,
    mask: Option<&Tensor>,
    with_weights: bool,
) -> Mixture {
    let (placement, mut inputs) = match projections {
        Projections::Together(all) => (Placement::Together, vec![all]),
        Projections::Apart { q, k, v } => (Placement::Apart, vec![q, k, v]),
    };
    let before = terms.before_scale.as_ref().map(|term| (term, scale as f32));
    let others = [terms.after_scale.as_ref(), mask].into_iter().flatten().map(|term| (term, 1.0));
    let terms: Vec<(Tensor, f32)> =
        before.into_iter().chain(others).map(|(term, factor)| (term.to_kind(Kind::Float), factor)).collect();
    inputs.extend(terms.iter().map(|(term, _)| term));
    let factors = terms.iter().map(|(_, factor)| *factor).collect();
    let operation = Operation { instructions, placement, scale: scale as f32, factors, with_weights };
    let mut outputs = apply(operation, &inputs).expect("LibTorch has memory for attention").into_iter();
    Mixture { mixed_blhk: outputs.next().expect("the mixture is the first output"), weights_bhll: outputs.next() }
}

#[cfg(test)]
mod tests;
