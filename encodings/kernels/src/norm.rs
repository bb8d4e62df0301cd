//! A residual sum and its root-mean-square norm, in one pass.
//!
//! s = a·stream + c·branch and s / √(mean(s²) + ε) · gain for every row (Zhang & Sennrich 2019, arXiv 1910.07467). Nothing is
//! kept for the backward pass: s and its mean square cost less to compute again than to bring from memory.

use crate::buffer::Buffer;
use crate::instructions::Kernel;
use crate::lanes::{Lanes, load, store};
use crate::row_blocks::{Block, Numbers};
use crate::workers::Workers;

/// What both passes read.
#[derive(Debug, Clone, Copy)]
pub struct ResidualNorm {
    /// n.
    pub rows: usize,
    /// d, at least 1.
    pub width: usize,
    /// `[n,d]` and its factor.
    pub stream: (Numbers, f32),
    /// `[n,d]` and its factor, if there is a branch.
    pub branch: Option<(Numbers, f32)>,
    /// `[d]`.
    pub gain: Numbers,
    /// Added to the mean square.
    pub epsilon: f32,
}

/// What the backward pass writes.
#[derive(Debug, Clone, Copy)]
pub struct ResidualNormGradients {
    /// `[n,d]`.
    pub of_stream: Numbers,
    /// `[n,d]`, written if there is a branch.
    pub of_branch: Numbers,
    /// `[d]`.
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
        unsafe { workers.run_blocks(self.rows, |block| Forward { norm: self, output, block }) };
    }

    /// Writes the gradients, given that of the output `[n,d]`.
    ///
    /// # Safety
    /// As for [`Self::compute`].
    pub unsafe fn gradients(self, of_output: Numbers, gradients: ResidualNormGradients, workers: Workers) {
        let sizes = [self.rows, self.width];
        let kernel = |block, parts| Backward { norm: self, of_output, gradients, parts, block };
        // SAFETY: as above.
        unsafe { workers.run_blocks_and_add(sizes, Some(gradients.of_gain), kernel) };
    }

    /// Puts s into `sum`, padded by zeros, and gives 1/√(mean(s²) + ε).
    #[inline(always)]
    unsafe fn summed<L: Lanes>(&self, row: usize, sum: *mut f32) -> f32 {
        let (start, d) = (row * self.width, self.width);
        unsafe {
            let (stream, factor) = (self.stream.0.at(start), L::spread(&self.stream.1));
            let mut squares = L::zero();
            let mut j = 0;
            while j < d {
                let mut s = load::<L>(stream.wrapping_add(j), d - j).times(factor);
                if let Some((branch, factor)) = &self.branch {
                    s = s.plus_product(load(branch.at(start + j), d - j), L::spread(factor));
                }
                s.store(sum.wrapping_add(j));
                squares = squares.plus_product(s, s);
                j += L::COUNT;
            }
            (squares.sum() / d as f32 + self.epsilon).sqrt().recip()
        }
    }
}

struct Forward {
    norm: ResidualNorm,
    output: Numbers,
    block: Block,
}

impl Kernel for Forward {
    #[inline(always)]
    unsafe fn run<L: Lanes, const ROWS: usize>(self) {
        let Self { norm, output, block } = self;
        let d = norm.width;
        let mut sum = Buffer::new(d.next_multiple_of(L::COUNT));
        for row in block.rows {
            unsafe {
                let root = L::spread(&norm.summed::<L>(row, sum.at_mut(0)));
                let mut j = 0;
                while j < d {
                    let normed = L::load(sum.at(j)).times(root).times(load(norm.gain.at(j), d - j));
                    store(normed, output.at(row * d + j), d - j);
                    j += L::COUNT;
                }
            }
        }
    }
}

struct Backward {
    norm: ResidualNorm,
    of_output: Numbers,
    gradients: ResidualNormGradients,
    /// `[blocks,d]`.
    parts: Numbers,
    block: Block,
}

impl Kernel for Backward {
    #[inline(always)]
    unsafe fn run<L: Lanes, const ROWS: usize>(self) {
        let Self { norm, of_output, gradients, parts, block } = self;
        let d = norm.width;
        let mut sum = Buffer::new(d.next_multiple_of(L::COUNT));
        let mut of_gain = Buffer::new(d.next_multiple_of(L::COUNT));
        for row in block.rows {
            let start = row * d;
            unsafe {
                let root = norm.summed::<L>(row, sum.at_mut(0));
                let spread_root = L::spread(&root);
                let mut product = L::zero();
                let mut j = 0;
                while j < d {
                    let (s, of_output) = (L::load(sum.at(j)), load::<L>(of_output.at(start + j), d - j));
                    let of_gain = of_gain.at_mut(j);
                    L::load(of_gain).plus_product(of_output, s.times(spread_root)).store(of_gain);
                    product = product.plus_product(of_output.times(load(norm.gain.at(j), d - j)), s);
                    j += L::COUNT;
                }
                // d(s·root) = root·ds − s·root³·mean(s·ds)
                let bent = L::spread(&(-root * root * root * (product.sum() / d as f32)));
                j = 0;
                while j < d {
                    let of_normed = load::<L>(of_output.at(start + j), d - j).times(load(norm.gain.at(j), d - j));
                    let of_sum = of_normed.times(spread_root).plus_product(L::load(sum.at(j)), bent);
                    let of_stream = of_sum.times(L::spread(&norm.stream.1));
                    store(of_stream, gradients.of_stream.at(start + j), d - j);
                    if let Some((_, factor)) = &norm.branch {
                        store(of_sum.times(L::spread(factor)), gradients.of_branch.at(start + j), d - j);
                    }
                    j += L::COUNT;
                }
            }
        }
        for j in 0..d {
            unsafe { *parts.at(block.number * d + j) = *of_gain.at(j) };
        }
    }
}
