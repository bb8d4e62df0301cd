//! Tensors `[n,d]` of many rows, in blocks: the same blocks for any number of threads.

use crate::instructions::Kernel;
use crate::workers::Workers;

/// Rows of a block.
const ROWS: usize = 256;

/// Where the numbers of a contiguous tensor begin. A copy does not keep the memory alive.
#[derive(Debug, Clone, Copy)]
pub struct Numbers(*mut f32);

// SAFETY: blocks write to rows of their own.
unsafe impl Send for Numbers {}
unsafe impl Sync for Numbers {}

impl Numbers {
    /// Those that begin at `start`.
    ///
    /// # Safety
    /// Memory for all of them is allocated there.
    #[must_use]
    pub unsafe fn new(start: *mut f32) -> Self {
        Self(start)
    }

    #[inline(always)]
    pub(crate) fn at(self, place: usize) -> *mut f32 {
        self.0.wrapping_add(place)
    }
}

/// Rows that one thread computes.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) number: usize,
    pub(crate) rows: std::ops::Range<usize>,
}

impl Workers {
    /// Runs a kernel for each block of `rows`.
    ///
    /// # Safety
    /// As for [`Self::run`], where a unit is a block.
    pub(crate) unsafe fn run_blocks<K: Kernel>(self, rows: usize, kernel: impl Fn(Block) -> K + Sync) {
        let block = |number: usize| Block { number, rows: number * ROWS..rows.min((number + 1) * ROWS) };
        // SAFETY: the caller vouches for it.
        unsafe { self.run(rows.div_ceil(ROWS), |number| kernel(block(number))) };
    }

    /// The same with a sum `[width]` over rows: each block writes its part at its number times the width, and the parts are
    /// added up in the order of the blocks.
    ///
    /// # Safety
    /// As for [`Self::run_blocks`]; there is memory for the sum, if it is wanted.
    pub(crate) unsafe fn run_blocks_and_add<K: Kernel>(
        self,
        [rows, width]: [usize; 2],
        sum: Option<Numbers>,
        kernel: impl Fn(Block, Numbers) -> K + Sync,
    ) {
        let mut parts = vec![0.0; rows.div_ceil(ROWS) * width];
        let places = Numbers(parts.as_mut_ptr());
        // SAFETY: the caller vouches for it, and blocks have parts of their own.
        unsafe { self.run_blocks(rows, |block| kernel(block, places)) };
        let Some(sum) = sum else { return };
        for column in 0..width {
            let total = parts.iter().skip(column).step_by(width).fold(0.0, |total, part| total + part);
            // SAFETY: the caller vouches for the memory.
            unsafe { sum.at(column).write(total) };
        }
    }
}
