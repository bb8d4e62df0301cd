//! Pairs of channels rotated by angles, as RoPE does with queries and keys.

use crate::attention::{BatchHead, Sizes, Strided};
use crate::instructions::{Kernel, Workers};
use crate::lanes::Lanes;

/// A rotation of every pair of channels (0,1), (2,3), … of every token.
#[derive(Debug, Clone, Copy)]
pub struct Rotation<'a> {
    pub sizes: Sizes,
    pub input: Strided,
    pub output: Strided,
    pub cosine: &'a [f32],
    pub sine: &'a [f32],
    /// Whether angles are negated: the gradient of a rotation.
    pub backwards: bool,
}

impl Rotation<'_> {
    /// Computes it.
    ///
    /// # Safety
    /// As for [`Attention::compute`](crate::Attention::compute).
    ///
    /// # Panics
    /// If a table has another size, or k is odd.
    pub unsafe fn compute(self, workers: Workers) {
        let numbers = self.sizes.length * self.sizes.width;
        assert!([self.cosine, self.sine].iter().all(|table| table.len() == numbers), "tables [l,k]");
        assert!(self.sizes.width.is_multiple_of(2), "pairs of channels");
        // SAFETY: the caller vouches for the memory; units write to positions of their own.
        unsafe { workers.run(self.sizes.blocks(), |block| OfBlock { rotation: self, block }) };
    }
}

struct OfBlock<'a> {
    rotation: Rotation<'a>,
    block: usize,
}

impl Kernel for OfBlock<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes, const ROWS: usize>(self) {
        let Self { rotation: Rotation { sizes, input, output, cosine, sine, backwards }, block } = self;
        let Sizes { length, width, .. } = sizes;
        let sign = if backwards { -1.0 } else { 1.0 };
        for BatchHead { position, head } in sizes.of_block(block) {
            for token in 0..length {
                let from = input.at(position, head, token);
                let to = output.at(position, head, token);
                for channel in (0..width).step_by(2) {
                    let (c, s) = (cosine[token * width + channel], sign * sine[token * width + channel]);
                    // SAFETY: the caller vouches for rows of `width` numbers, which is even.
                    unsafe {
                        let (even, odd) = (*from.wrapping_add(channel), *from.wrapping_add(channel + 1));
                        *to.wrapping_add(channel) = even * c - odd * s;
                        *to.wrapping_add(channel + 1) = odd * c + even * s;
                    }
                }
            }
        }
    }
}
