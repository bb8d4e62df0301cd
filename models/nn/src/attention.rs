//! Attention: each query's softmax over the keys, and the mixture of values that it weighs.
//!
//! On CPUs one operation of posenc's computes it, on f32 and, computed in f32, on bf16; on GPUs one of LibTorch's, unless
//! the weights are asked for. Products of tensors give the same numbers up to rounding.

use crate::differentiable::apply;
use crate::fused::attention::{AttentionOperation, Placement};
use crate::fused::{supports_device, widened};
use crate::{Backend, Views};
use kernels::Instructions;
use tch::{Kind, Tensor};

/// The longest sequence of the operation: a row of weights and the keys of a head fit into the cache.
const LONGEST: i64 = 128;
const WIDEST: i64 = 1 << 6;

/// Queries, keys and values, in layouts that [`attention`] reads without a copy.
#[derive(Debug)]
pub struct Projections {
    /// Queries `[b,h,l,k]`.
    pub q_bhlk: Tensor,
    /// Keys `[b,h,l,k]`.
    pub k_bhlk: Tensor,
    /// Values `[b,h,l,k]`.
    pub v_bhlk: Tensor,
    /// `[b,l,3,h,k]`, of which the three are views: the operation writes its gradient in one go.
    together: Option<Tensor>,
}

impl Projections {
    /// From one projection `[b,l,3,h,k]`.
    pub fn from_qkv(all_bl3hk: Tensor) -> Self {
        let parts = Self::of(all_bl3hk.unbind(2));
        let together = is_one_operation(&parts.q_bhlk).then_some(all_bl3hk);
        Self { together, ..parts }
    }

    /// From a projection of queries and keys `[b,l,2 or more,h,k]` and one of values `[b,l,1,h,k]`.
    pub fn from_qk_and_v(qk: &Tensor, v: &Tensor) -> Self {
        Self::of(qk.unbind(2).into_iter().take(2).chain(v.unbind(2)).collect())
    }

    fn of(parts_blhk: Vec<Tensor>) -> Self {
        let parts: [Tensor; 3] = parts_blhk.try_into().expect("queries, keys and values are three");
        let parts = parts.map(|part| part.transpose(1, 2));
        let reads_views = is_one_operation(&parts[0]) || Backend::on(parts[0].device()) == Backend::Fused;
        let [q_bhlk, k_bhlk, v_bhlk] = if reads_views { parts } else { parts.map(|part| part.contiguous()) };
        Self { q_bhlk, k_bhlk, v_bhlk, together: None }
    }

    /// The same values with other queries and keys.
    pub fn with(self, q_bhlk: Tensor, k_bhlk: Tensor) -> Self {
        Self { q_bhlk, k_bhlk, together: None, ..self }
    }

    /// The factor of the products q·k.
    fn scale(&self) -> f64 {
        (self.q_bhlk.size()[3] as f64).sqrt().recip()
    }
}

/// Additive terms of the attention logits; each broadcasts to `[b,h,l,l]` (query token, then key token).
#[derive(Debug, Default)]
pub struct Logits {
    /// Added to q·k before it is divided by √k.
    pub before_scale: Option<Tensor>,
    /// Added after the division.
    pub after_scale: Option<Tensor>,
}

/// What [`attention`] gives.
#[derive(Debug)]
pub struct Mixture {
    /// The sum of the values by their weights, `[b,l,h,k]`.
    pub mixed_blhk: Tensor,
    /// The weights `[b,h,l,l]`, if they were asked for; gradients flow through them.
    pub weights_bhll: Option<Tensor>,
}

/// `softmax((q·kᵀ + before)/√k + after + mask)·v`, in the projections' element type. No gradient flows to the mask `[l,l]`.
/// Bits do not depend on the number of threads.
///
/// # Panics
/// If sizes do not fit each other, or memory runs out.
pub fn attention(qkv: &Projections, terms: Logits, mask: Option<&Tensor>, with_weights: bool) -> Mixture {
    if is_one_operation(&qkv.q_bhlk) {
        one_operation(qkv, &terms, mask, with_weights, Instructions::fastest())
    } else if Backend::on(qkv.q_bhlk.device()) == Backend::Fused && !with_weights {
        scaled_dot_product(qkv, terms, mask)
    } else {
        products(qkv, terms, mask, with_weights)
    }
}

/// Whether attention of queries like these is one operation.
fn is_one_operation(q_bhlk: &Tensor) -> bool {
    let (batch, _, length, width) = q_bhlk.size4().expect("queries are [b,h,l,k]");
    let sizes = batch > 0 && (1..=LONGEST).contains(&length) && (1..=WIDEST).contains(&width);
    let kind = matches!(q_bhlk.kind(), Kind::Float | Kind::BFloat16);
    sizes && kind && supports_device(q_bhlk.device())
}

fn one_operation(
    qkv: &Projections,
    terms: &Logits,
    mask: Option<&Tensor>,
    with_weights: bool,
    instructions: Instructions,
) -> Mixture {
    let (placement, projections) = match &qkv.together {
        // Terms before the scale are mostly products of queries and keys: then the gradients of these have several
        // parts, and are added up more cheaply apart.
        Some(all) if terms.before_scale.is_none() => (Placement::Together, vec![all]),
        _ => (Placement::Apart, vec![&qkv.q_bhlk, &qkv.k_bhlk, &qkv.v_bhlk]),
    };
    let kind = projections[0].kind();
    let wide: Vec<Tensor> = projections.into_iter().map(widened).collect();
    let mut inputs: Vec<&Tensor> = wide.iter().collect();
    let scale = qkv.scale() as f32;
    let before = terms.before_scale.iter().map(|term| (term, scale));
    let others = terms.after_scale.iter().chain(mask).map(|term| (term, 1.0));
    let (terms, factors): (Vec<Tensor>, Vec<f32>) =
        before.chain(others).map(|(term, factor)| (term.to_kind(Kind::Float), factor)).unzip();
    inputs.extend(&terms);
    let operation = AttentionOperation { instructions, placement, scale, factors, with_weights };
    let outputs = apply(operation, &inputs).expect("LibTorch has memory for attention");
    let mut outputs = outputs.into_iter().map(|output| output.to_kind(kind));
    Mixture { mixed_blhk: outputs.next().expect("the mixture is the first output"), weights_bhll: outputs.next() }
}

/// LibTorch's operation, which writes no weights to memory. All terms are one additive bias, whose gradient it computes.
fn scaled_dot_product(qkv: &Projections, terms: Logits, mask: Option<&Tensor>) -> Mixture {
    let (q, k, v, scale) = (&qkv.q_bhlk, &qkv.k_bhlk, &qkv.v_bhlk, qkv.scale());
    let before = terms.before_scale.map(|term| term * scale);
    let terms = before.into_iter().chain(terms.after_scale).chain(mask.map(Tensor::shallow_clone));
    let length = q.size()[2];
    let bias = terms.reduce(|sum, term| sum + term).map(|sum| over_all_pairs(sum, length).to_kind(q.kind()));
    let mixed = Tensor::scaled_dot_product_attention(q, k, v, bias, 0.0, false, scale, false);
    Mixture { mixed_blhk: mixed.transpose(1, 2), weights_bhll: None }
}

/// A term with four dimensions, the last two `[l,l]`: LibTorch repeats it over positions and heads itself.
fn over_all_pairs(term: Tensor, length: i64) -> Tensor {
    let term = (term.dim()..4).fold(term, |term, _| term.unsqueeze(0));
    match term.size()[..] {
        [_, _, rows, columns] if [rows, columns] == [length; 2] => term,
        ref size => term.expand([size[0], size[1], length, length], false).contiguous(),
    }
}

fn products(qkv: &Projections, terms: Logits, mask: Option<&Tensor>, with_weights: bool) -> Mixture {
    let weights = scores(qkv, terms, mask).softmax(-1, qkv.v_bhlk.kind());
    let mixed_blhk = weights.matmul(&qkv.v_bhlk).transpose(1, 2);
    Mixture { mixed_blhk, weights_bhll: with_weights.then_some(weights) }
}

/// [`attention`] by products of tensors, whose weights are dropped with the probability `share` before they mix values.
pub fn attention_with_dropout(
    qkv: &Projections,
    terms: Logits,
    mask: Option<&Tensor>,
    (views, share): (&Views, f64),
) -> Mixture {
    let weights = views.dropout(&scores(qkv, terms, mask).softmax(-1, qkv.v_bhlk.kind()), share);
    let mixed_blhk = weights.matmul(&qkv.v_bhlk).transpose(1, 2);
    Mixture { mixed_blhk, weights_bhll: Some(weights) }
}

/// The logits `[b,h,l,l]`.
fn scores(qkv: &Projections, terms: Logits, mask: Option<&Tensor>) -> Tensor {
    let (q_bhlk, keys, scale) = (&qkv.q_bhlk, qkv.k_bhlk.transpose(-2, -1), qkv.scale());
    let mut scores = match terms.before_scale {
        // Queries are the smaller tensor to scale.
        None => (q_bhlk * scale).matmul(&keys),
        Some(before) => add_and_scale(&before, q_bhlk, &keys, scale),
    };
    if let Some(after) = terms.after_scale {
        scores += after;
    }
    if let Some(mask) = mask {
        scores += mask;
    }
    scores
}

/// `(before + q·keys)·scale` in one pass over the logits.
fn add_and_scale(before: &Tensor, q_bhlk: &Tensor, keys_bhkl: &Tensor, scale: f64) -> Tensor {
    let product = [q_bhlk.size(), keys_bhkl.size()];
    let shape = [product[0][0], product[0][1], product[0][2], product[1][3]];
    let before = before.expand(shape, false).flatten(0, 1);
    before.baddbmm(&q_bhlk.flatten(0, 1), &keys_bhkl.flatten(0, 1), scale, scale).view(shape)
}

#[cfg(test)]
mod tests;
