//! What a block does with each token by itself, after attention: its output layer, a residual sum with its norm, the
//! feed-forward layer, and another residual sum with its norm.
//!
//! a = mixed·Wₒᵀ + bₒ, y = norm₁(stream + a), f = mish(y·W₁ᵀ + b₁)·W₂ᵀ + b₂, output = norm₂(y + f), with a factor for each
//! residual term ([`norm`](crate::norm), [`mish`](crate::mish), [`dense`](crate::dense)). These are the kernels of the parts, for a strip
//! of rows at a time, so that everything between stays in the cache. For the backward pass a, y·W₁ᵀ and f are kept; the rest is
//! computed again.

mod backward;

use crate::buffer::Buffer;
use crate::dense::{AddTo, Panels, RowProduct};
use crate::instructions::{Kernel, Workers};
use crate::lanes::Lanes;
use crate::mish::{self, BiasMish};
use crate::norm::{self, ResidualNorm};
use crate::operands::Numbers;
use crate::row_blocks::STRIP;
use std::ops::Range;

/// A layer's numbers, or where their gradients go.
#[derive(Debug, Clone, Copy)]
pub struct DenseLayer {
    pub weight: Numbers,
    pub bias: Option<Numbers>,
}

#[derive(Debug, Clone, Copy)]
pub struct TokenLayers {
    pub rows: usize,
    /// d, a multiple of [`WIDTH`](crate::dense::WIDTH).
    pub width: usize,
    /// Width inside the feed-forward layer, a multiple of it too.
    pub hidden: usize,
    pub stream: Numbers,
    /// The mixture of values `[n,d]`.
    pub mixed: Numbers,
    pub out: DenseLayer,
    /// The first feed-forward layer, `[hidden,d]`.
    pub inner: DenseLayer,
    pub outer: DenseLayer,
    pub gains: [Numbers; 2],
    /// Of the stream and of the branch, in both sums.
    pub factors: [f32; 2],
    pub epsilon: f32,
}

/// What a forward pass keeps for the backward pass.
#[derive(Debug, Clone, Copy)]
pub struct Saved {
    pub attended: Numbers,
    /// The product of the first feed-forward layer `[n,hidden]`.
    pub hidden: Numbers,
    /// The feed-forward layer's output `[n,d]`.
    pub fed: Numbers,
}

/// What the backward pass writes.
#[derive(Debug, Clone, Copy)]
pub struct TokenLayersGradients {
    pub of_stream: Numbers,
    pub of_mixed: Numbers,
    pub of_out: DenseLayer,
    /// Of the first feed-forward layer.
    pub of_inner: DenseLayer,
    pub of_outer: DenseLayer,
    pub of_gains: [Numbers; 2],
}

impl TokenLayers {
    /// Writes the output `[n,d]`, and what is kept if a backward pass follows.
    ///
    /// # Safety
    /// As for [`ResidualNorm::compute`]; the widths are multiples of [`WIDTH`](crate::dense::WIDTH).
    pub unsafe fn compute(self, output: Numbers, kept: Option<Saved>, workers: Workers) {
        let Self { width, hidden, .. } = self;
        // SAFETY: the caller vouches for the memory; blocks write to rows of their own.
        unsafe {
            let panels = [
                Panels::of_transposed(self.out.weight, [width, width], workers),
                Panels::of_transposed(self.inner.weight, [hidden, width], workers),
                Panels::of_transposed(self.outer.weight, [width, hidden], workers),
            ];
            workers.run_blocks(self.rows, |rows| Forward { layers: self, panels: &panels, kept, output, rows });
        }
    }

    /// Norm 0, of rows of the stream and of attention's output, or norm 1, of rows of norm 0 and of the feed-forward layer's
    /// output.
    fn norm(&self, number: usize, stream: Numbers, branch: Numbers, rows: usize) -> ResidualNorm {
        let [of_stream, of_branch] = self.factors;
        ResidualNorm {
            rows,
            width: self.width,
            stream: (stream, of_stream),
            branch: Some((branch, of_branch)),
            gain: self.gains[number],
            epsilon: self.epsilon,
        }
    }

    /// The activation, of rows of the first feed-forward layer's product.
    fn mish(&self, input: Numbers, rows: usize) -> BiasMish {
        BiasMish { rows, width: self.hidden, input, bias: self.inner.bias }
    }
}

/// Rows that nothing outside of a unit of work reads. The buffer's owner keeps it as long as they are used.
fn scratch(buffer: &mut Buffer) -> Numbers {
    Numbers(buffer.at_mut(0))
}

fn add_to(bias: Option<Numbers>) -> AddTo {
    bias.map_or(AddTo::Nothing, AddTo::Bias)
}

struct Forward<'a> {
    layers: TokenLayers,
    panels: &'a [Panels; 3],
    kept: Option<Saved>,
    output: Numbers,
    rows: Range<usize>,
}

impl Kernel for Forward<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes, const R: usize>(self) {
        let Self { layers, panels: [out, inner, outer], kept, output, rows } = self;
        let (d, wide) = (layers.width, layers.hidden);
        let mut buffers = [d, wide, d, d, wide].map(|width| Buffer::new(STRIP * width));
        let [attended, hidden, fed, normed, active] = buffers.each_mut().map(scratch);
        for first in rows.clone().step_by(STRIP) {
            let count = STRIP.min(rows.end - first);
            let Saved { attended, hidden, fed } = match kept {
                None => Saved { attended, hidden, fed },
                Some(Saved { attended, hidden, fed }) => Saved {
                    attended: attended.after(first * d),
                    hidden: hidden.after(first * wide),
                    fed: fed.after(first * d),
                },
            };
            let (stream, mixed) = (layers.stream.after(first * d), layers.mixed.after(first * d));
            let product = |a, panels, add_to, c| RowProduct { a, panels, add_to, c, rows: count };
            let norm = |norm, output| norm::Forward { norm, output, rows: 0..count };
            // SAFETY: the caller vouches for the tensors, of the sizes given, and for the instructions; each buffer has
            // a strip of rows, and the strip has `count` of them.
            unsafe {
                product(mixed, out, add_to(layers.out.bias), attended).run::<L, R>();
                norm(layers.norm(0, stream, attended, count), normed).run::<L, R>();
                product(normed, inner, AddTo::Nothing, hidden).run::<L, R>();
                mish::Forward { mish: layers.mish(hidden, count), output: active, rows: 0..count }.run::<L, R>();
                product(active, outer, add_to(layers.outer.bias), fed).run::<L, R>();
                norm(layers.norm(1, normed, fed, count), output.after(first * d)).run::<L, R>();
            }
        }
    }
}
