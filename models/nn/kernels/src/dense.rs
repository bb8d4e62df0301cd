//! The products of a dense layer.
//!
//! y = x·Wᵀ + b for the rows of x, and the gradients dy·W of these rows, dyᵀ·x of the weights and Σ dy of b. Libraries for large
//! products copy both operands into the order in which they read them; here the weights are put into that order once, and
//! rows are read where they are. The backward pass goes through the rows once for all three gradients, for which the weights
//! and their gradient should fit into the cache.

mod backward;
mod panels;

pub(crate) use backward::OfWeight;
pub(crate) use panels::{AddTo, Panels, RowProduct};

use crate::instructions::{Kernel, Workers};
use crate::lanes::{Lanes, WIDEST};
use crate::operands::Numbers;
use crate::row_blocks::{STRIP, write};
use std::ops::Range;

/// Widths are multiples of it.
pub const WIDTH: usize = WIDEST;

#[derive(Debug, Clone, Copy)]
pub struct Dense {
    pub rows: usize,
    /// d, a multiple of [`WIDTH`].
    pub inputs: usize,
    /// e, a multiple of [`WIDTH`].
    pub outputs: usize,
}

#[derive(Debug, Clone, Copy)]
pub struct DenseOperands {
    pub x: Numbers,
    pub weight: Numbers,
    pub bias: Option<Numbers>,
}

/// What a backward pass writes, where it is wanted.
#[derive(Debug, Clone, Copy)]
pub struct DenseGradients {
    pub of_x: Option<Numbers>,
    pub of_weight: Option<Numbers>,
    pub of_bias: Option<Numbers>,
}

impl Dense {
    /// Writes y `[n,e]`.
    ///
    /// # Safety
    /// As for [`ResidualNorm::compute`](crate::norm::ResidualNorm::compute); d and e are multiples of [`WIDTH`].
    pub unsafe fn compute(self, operands: DenseOperands, y: Numbers, workers: Workers) {
        let DenseOperands { x, weight, bias } = operands;
        let add_to = bias.map_or(AddTo::Nothing, AddTo::Bias);
        // SAFETY: the caller vouches for the memory; blocks write to rows of their own.
        unsafe {
            let panels = Panels::of_transposed(weight, self.shape(), workers);
            let (a_width, c_width) = (self.inputs, self.outputs);
            workers.run_blocks(self.rows, |rows| RowProduct {
                a: x.after(rows.start * a_width),
                panels: &panels,
                add_to,
                c: y.after(rows.start * c_width),
                rows: rows.len(),
            });
        }
    }

    /// Writes the gradients, given that of y `[n,e]`.
    ///
    /// # Safety
    /// As for [`Self::compute`].
    pub unsafe fn gradients(self, operands: DenseOperands, of_y: Numbers, to: DenseGradients, workers: Workers) {
        let weights = self.inputs * self.outputs;
        let adds = to.of_weight.is_some() || to.of_bias.is_some();
        // SAFETY: as above; sums have room for the weights and the bias.
        unsafe {
            let back = to.of_x.map(|of_x| (Panels::of(operands.weight, self.shape(), workers), of_x));
            let (x, back) = (operands.x, back.as_ref());
            let backward =
                |rows, sums: Numbers| Backward { layer: self, x, of_y, back, sums: adds.then_some(sums), rows };
            let sums = workers.run_and_add(self.rows, if adds { weights + self.outputs } else { 0 }, backward);
            if adds {
                write(&sums[..weights], to.of_weight);
                write(&sums[weights..], to.of_bias);
            }
        }
    }

    fn shape(self) -> [usize; 2] {
        [self.outputs, self.inputs]
    }
}

struct Backward<'a> {
    layer: Dense,
    x: Numbers,
    of_y: Numbers,
    /// W, and where the gradient of x goes.
    back: Option<&'a (Panels, Numbers)>,
    /// The gradients of W, then of b, to which it adds, if they are wanted.
    sums: Option<Numbers>,
    rows: Range<usize>,
}

impl Kernel for Backward<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes, const R: usize>(self) {
        let Self { layer, x, of_y, back, sums, rows } = self;
        let Dense { inputs, outputs, .. } = layer;
        let mut of_weight = sums.map(|sums| (OfWeight::new::<L, R>(layer.shape()), sums));
        for first in rows.clone().step_by(STRIP) {
            let (count, a) = (STRIP.min(rows.end - first), of_y.after(first * outputs));
            // SAFETY: the caller vouches for the layer's tensors and the instructions. Each strip has `count` of the
            // rows, and `sums` has places for the weight and the bias.
            unsafe {
                if let Some((panels, of_x)) = back {
                    let c = of_x.after(first * inputs);
                    RowProduct { a, panels, add_to: AddTo::Nothing, c, rows: count }.run::<L, R>();
                }
                if let Some((of_weight, sums)) = &mut of_weight {
                    of_weight.add::<L, R>(x.after(first * inputs), a, count, *sums);
                }
            }
        }
    }
}
