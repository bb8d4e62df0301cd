//! Tensors `[n,d]` of many rows, in blocks: the same blocks for any number of threads.

use crate::threads::share;

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

/// Does `work` for each block of `rows`, on this many threads.
pub(crate) fn share_rows(rows: usize, threads: usize, work: impl Fn(Block) + Sync) {
    share(rows.div_ceil(ROWS), threads, |number| {
        work(Block { number, rows: number * ROWS..rows.min((number + 1) * ROWS) });
    });
}

/// A sum over rows, `[d]`: one part for each block.
pub(crate) struct Sums {
    parts: Vec<f32>,
    width: usize,
}

impl Sums {
    pub(crate) fn new(rows: usize, width: usize) -> Self {
        Self { parts: vec![0.0; rows.div_ceil(ROWS) * width], width }
    }

    /// Where a block adds up its part: at its number times the width.
    pub(crate) fn places(&mut self) -> Numbers {
        Numbers(self.parts.as_mut_ptr())
    }

    /// Writes the sum of the parts, in the order of the blocks.
    ///
    /// # Safety
    /// There is memory for it.
    pub(crate) unsafe fn add_up(&self, to: Numbers) {
        for column in 0..self.width {
            let sum = self.parts.iter().skip(column).step_by(self.width).fold(0.0, |sum, part| sum + part);
            unsafe { to.at(column).write(sum) };
        }
    }
}
