//! Tensors `[n,d]` of many rows, in blocks: the same blocks for any number of threads.

use crate::instructions::{Kernel, Workers};
use crate::operands::Numbers;
use std::ops::Range;

/// Rows of a unit of work.
const BLOCK: usize = 256;
/// Rows that go through several products one after the other, so that what is between them stays in the cache.
pub(crate) const STRIP: usize = 64;
/// The fewest rows of a unit of work that adds something up over rows.
const GROUP: usize = 512;
/// The most of these units: each has memory for what it adds up.
const GROUPS: usize = 32;

impl Workers {
    /// Runs a kernel for each block of `rows`.
    ///
    /// # Safety
    /// As for [`Self::run`], where a unit is a block.
    pub(crate) unsafe fn run_blocks<K: Kernel>(self, rows: usize, kernel: impl Fn(Range<usize>) -> K + Sync) {
        // SAFETY: the caller vouches for it.
        unsafe { self.run(rows.div_ceil(BLOCK), |number| kernel(part(rows, BLOCK, number))) };
    }

    /// The same with numbers that are added up over rows: each kernel adds to `size` numbers of its own, zeros before, and
    /// these are added up in the order of the rows.
    ///
    /// # Safety
    /// As for [`Self::run_blocks`].
    pub(crate) unsafe fn run_and_add<K: Kernel>(
        self,
        rows: usize,
        size: usize,
        kernel: impl Fn(Range<usize>, Numbers) -> K + Sync,
    ) -> Vec<f32> {
        let (groups, of_group) = groups(rows);
        let mut sums = vec![0.0; groups * size];
        let places = Numbers(sums.as_mut_ptr());
        // SAFETY: the caller vouches for it, and groups have numbers of their own.
        unsafe { self.run(groups, |number| kernel(part(rows, of_group, number), places.after(number * size))) };
        let (total, others) = sums.split_at_mut(size);
        for other in others.chunks_exact(size.max(1)) {
            total.iter_mut().zip(other).for_each(|(total, part)| *total += part);
        }
        sums.truncate(size);
        sums
    }
}

/// How many units there are that add something up over rows, and the rows of each.
fn groups(rows: usize) -> (usize, usize) {
    let of_group = rows.div_ceil(GROUPS).max(GROUP);
    (rows.div_ceil(of_group).max(1), of_group)
}

/// The rows of a part, where each has `size`.
fn part(rows: usize, size: usize, number: usize) -> Range<usize> {
    number * size..rows.min((number + 1) * size)
}

/// Writes numbers to a tensor, if it is wanted.
///
/// # Safety
/// There is memory for them.
pub(crate) unsafe fn write(numbers: &[f32], to: Option<Numbers>) {
    if let Some(to) = to {
        // SAFETY: the caller vouches for it.
        unsafe { std::ptr::copy_nonoverlapping(numbers.as_ptr(), to.at(0), numbers.len()) };
    }
}
