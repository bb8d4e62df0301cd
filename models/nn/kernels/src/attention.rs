//! Attention of short sequences as one operation, forward and backward.
//!
//! `softmax(scale·q·kᵀ + Σ factor·term)·v` for each position and head, with everything between the operands and the result
//! in the cache: the logits of a few rows at a time, which no other pass reads or writes. That no matrix of logits need go
//! to memory is the idea of FlashAttention (Dao et al. 2022, arXiv 2205.14135); its tiles with a running softmax are not
//! needed here, because whole rows of a board's tokens fit into the cache. For the backward pass the weights are kept.
//!
//! Units of work are blocks of positions, the same for any number of threads. A gradient that is summed over the batch is summed
//! within each block, then over blocks in their order.

mod backward;
mod forward;
mod packing;
mod softmax;

pub use backward::AttentionGradients;
pub use forward::Attention;

use crate::operands::Numbers;

/// Positions of a unit of work.
const BLOCK: usize = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    pub batch: usize,
    pub heads: usize,
    pub length: usize,
    /// Numbers of a query, key or value.
    pub width: usize,
}

impl Sizes {
    pub(crate) fn blocks(self) -> usize {
        self.batch.div_ceil(BLOCK)
    }

    /// The positions of a unit, each with all heads.
    pub(crate) fn of_block(self, block: usize) -> impl Iterator<Item = BatchHead> {
        let positions = block * BLOCK..self.batch.min((block + 1) * BLOCK);
        positions.flat_map(move |position| (0..self.heads).map(move |head| BatchHead { position, head }))
    }
}

/// A head of a position of the batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BatchHead {
    pub(crate) position: usize,
    pub(crate) head: usize,
}

/// The rows of a tensor of f32 `[b,h,l,…]`: each row is contiguous, the rest may lie in any layout, and a distance of 0
/// repeats what is there. A copy does not keep the memory alive.
#[derive(Debug, Clone, Copy)]
pub struct Strided {
    start: Numbers,
    position: usize,
    head: usize,
    row: usize,
}

impl Strided {
    /// The tensor whose first number is at `start`, with the distances between positions, heads and rows.
    ///
    /// # Safety
    /// The memory of every row is allocated.
    pub unsafe fn new(start: *mut f32, [position, head, row]: [usize; 3]) -> Self {
        Self { start: Numbers(start), position, head, row }
    }

    #[inline(always)]
    pub(crate) fn at(self, position: usize, head: usize, row: usize) -> *mut f32 {
        self.start.at(position * self.position + head * self.head + row * self.row)
    }
}

/// Rows `[b,h,l,l]`, read or written, and what their numbers are multiplied with.
#[derive(Debug, Clone, Copy)]
pub struct Scaled {
    pub rows: Strided,
    pub factor: f32,
}
