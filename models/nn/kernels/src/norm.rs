//! A residual sum and its root-mean-square norm, in one pass.
//!
//! s = a·stream + c·branch and s / √(mean(s²) + ε) · gain for every row (Zhang & Sennrich 2019, arXiv 1910.07467). Nothing is
//! kept for the backward pass: s and its mean square cost less to compute again than to bring from memory.

use crate::buffer::Buffer;
use crate::instructions::{Kernel, Workers};
use crate::lanes::{Lanes, add, load, store};
use crate::operands::Numbers;
use crate::row_blocks::write;
use std::ops::Range;

#[derive(Debug, Clone, Copy)]
pub struct ResidualNorm {
    pub rows: usize,
    pub width: usize,
    pub stream: (Numbers, f32),
    /// `[n,d]` and its factor, if there is a branch.
    pub branch: Option<(Numbers, f32)>,
    pub gain: Numbers,
    /// Added to the mean square.
    pub epsilon: f32,
}

/// What the backward pass writes.
#[derive(Debug, Clone, Copy)]
pub struct ResidualNormGradients {
    pub of_stream: Numbers,
    /// `[n,d]`, written if there is a branch.
    pub of_branch: Numbers,
    pub of_gain: Numbers,
}

impl ResidualNorm {
    /// Writes the norm to `output [n,d]`.
    ///
    /// # Safety
    /// All tensors have memory for their sizes until the call returns; nothing else uses what is written, and it overlaps
    /// nothing that is read.
    pub unsafe fn compute(self, output: Numbers, workers: Workers) {
        // SAFETY: the caller vouches for the memory; blocks write to rows of their own.
        unsafe { workers.run_blocks(self.rows, |rows| Forward { norm: self, output, rows }) };
    }

    /// Writes the gradients, given that of the output `[n,d]`.
    ///
    /// # Safety
    /// As for [`Self::compute`].
    pub unsafe fn gradients(self, of_output: Numbers, gradients: ResidualNormGradients, workers: Workers) {
        let ResidualNormGradients { of_stream, of_branch, of_gain } = gradients;
        let kernel = |rows, of_gain| Backward { norm: self, of_output, of_stream, of_branch, of_gain, rows };
        // SAFETY: as above.
        unsafe { write(&workers.run_and_add(self.rows, self.width, kernel), Some(of_gain)) };
    }

    /// Puts s into `sum`, padded by zeros, and gives 1/√(mean(s²) + ε).
    ///
    /// # Safety
    /// As for [`Self::compute`]; the row is one of the stream's, and `sum` has place for it in whole registers.
    #[inline(always)]
    unsafe fn summed<L: Lanes>(&self, row: usize, sum: *mut f32) -> f32 {
        let (start, d) = (row * self.width, self.width);
        // SAFETY: the caller vouches for this row of stream and branch, for place for `width` numbers in whole
        // registers at `sum`, and for the instructions.
        unsafe {
            let (stream, factor) = (self.stream.0.at(start), L::spread(&self.stream.1));
            let mut squares = L::zero();
            for j in (0..d).step_by(L::COUNT) {
                let mut s = load::<L>(stream.wrapping_add(j), d - j).times(factor);
                if let Some((branch, factor)) = &self.branch {
                    s = s.plus_product(load(branch.at(start + j), d - j), L::spread(factor));
                }
                s.store(sum.wrapping_add(j));
                squares = squares.plus_product(s, s);
            }
            (squares.sum() / d as f32 + self.epsilon).sqrt().recip()
        }
    }
}

/// The norm of some rows.
pub(crate) struct Forward {
    pub(crate) norm: ResidualNorm,
    pub(crate) output: Numbers,
    pub(crate) rows: Range<usize>,
}

impl Kernel for Forward {
    #[inline(always)]
    unsafe fn run<L: Lanes, const ROWS: usize>(self) {
        let Self { norm, output, rows } = self;
        let d = norm.width;
        let mut sum = Buffer::new(d.next_multiple_of(L::COUNT));
        for row in rows {
            // SAFETY: the caller vouches for `rows` of the tensors and for the gain; `sum` has `d` numbers in whole
            // registers.
            unsafe {
                let root = L::spread(&norm.summed::<L>(row, sum.at_mut(0)));
                for j in (0..d).step_by(L::COUNT) {
                    let normed = L::load(sum.at(j)).times(root).times(load(norm.gain.at(j), d - j));
                    store(normed, output.at(row * d + j), d - j);
                }
            }
        }
    }
}

/// The gradients of some rows.
pub(crate) struct Backward {
    pub(crate) norm: ResidualNorm,
    pub(crate) of_output: Numbers,
    pub(crate) of_stream: Numbers,
    pub(crate) of_branch: Numbers,
    /// `[d]`, to which these rows' part is added.
    pub(crate) of_gain: Numbers,
    pub(crate) rows: Range<usize>,
}

impl Kernel for Backward {
    #[inline(always)]
    unsafe fn run<L: Lanes, const ROWS: usize>(self) {
        let Self { norm, of_output, of_stream, of_branch, of_gain, rows } = self;
        let d = norm.width;
        let mut sum = Buffer::new(d.next_multiple_of(L::COUNT));
        for row in rows {
            let start = row * d;
            // SAFETY: the caller vouches for `rows` of the tensors, for the gain and for `[d]` sums of it; `sum` has
            // `d` numbers in whole registers.
            unsafe {
                let root = norm.summed::<L>(row, sum.at_mut(0));
                let spread_root = L::spread(&root);
                let mut product = L::zero();
                for j in (0..d).step_by(L::COUNT) {
                    let (s, of_output) = (L::load(sum.at(j)), load::<L>(of_output.at(start + j), d - j));
                    add(of_output.times(s.times(spread_root)), of_gain.at(j), d - j);
                    product = product.plus_product(of_output.times(load(norm.gain.at(j), d - j)), s);
                }
                // d(s·root) = root·ds − s·root³·mean(s·ds)
                let bent = L::spread(&(-root * root * root * (product.sum() / d as f32)));
                for j in (0..d).step_by(L::COUNT) {
                    let of_normed = load::<L>(of_output.at(start + j), d - j).times(load(norm.gain.at(j), d - j));
                    let of_sum = of_normed.times(spread_root).plus_product(L::load(sum.at(j)), bent);
                    store(of_sum.times(L::spread(&norm.stream.1)), of_stream.at(start + j), d - j);
                    if let Some((_, factor)) = &norm.branch {
                        store(of_sum.times(L::spread(factor)), of_branch.at(start + j), d - j);
                    }
                }
            }
        }
    }
}
