//! From the gradient of the mixture to those of queries, keys, values and logits.

use super::packing::{Matrix, places};
use super::softmax::of_logits;
use super::{BatchHead, Scaled, Sizes, Strided};
use crate::buffer::Buffer;
use crate::instructions::{Kernel, Workers};
use crate::lanes::{Lanes, load, store};
use crate::matrices::{Operand, SmallProduct};
use crate::operands::Numbers;

#[derive(Debug, Clone, Copy)]
pub struct AttentionGradients {
    pub sizes: Sizes,
    pub q: Strided,
    pub k: Strided,
    pub v: Strided,
    pub scale: f32,
    /// The weights that the forward pass kept, `[b,h,l,l]`, read.
    pub weights: Strided,
    /// The gradient of the output `[b,h,l,k]`, read.
    pub of_output: Strided,
    /// That of the weights where these are used otherwise too, `[b,h,l,l]`, read.
    pub of_weights: Option<Strided>,
    pub of_q: Strided,
    pub of_k: Strided,
    pub of_v: Strided,
    /// That of the logits of every position, `[b,h,l,l]`, if it is wanted.
    pub of_logits: Option<Scaled>,
    /// Their sum over positions, `[h,l,l]` (the distance between positions is not used), if it is wanted.
    pub of_shared_logits: Option<Scaled>,
}

impl AttentionGradients {
    /// Computes them.
    ///
    /// # Safety
    /// As for [`Attention::compute`](super::Attention::compute).
    pub unsafe fn compute(self, workers: Workers) {
        let sizes = self.sizes;
        let Sizes { heads, length, .. } = sizes;
        // A sum [h,l,l] for each block.
        let numbers = heads * length * length;
        let mut sums = vec![0.0; if self.of_shared_logits.is_some() { self.sizes.blocks() * numbers } else { 0 }];
        let sum = self.of_shared_logits.is_some().then(|| Strided {
            start: Numbers(sums.as_mut_ptr()),
            position: numbers,
            head: length * length,
            row: length,
        });
        // SAFETY: the caller vouches for the memory; units write to rows of their own.
        unsafe { workers.run(sizes.blocks(), |block| Backward { gradients: self, block, sum }) };
        if let Some(shared) = self.of_shared_logits {
            // SAFETY: the caller vouches for the memory.
            unsafe { add_up(&sums, self.sizes, shared) };
        }
    }
}

/// The sum over blocks `[blocks,h,l,l]`, in their order.
unsafe fn add_up(sums: &[f32], sizes: Sizes, shared: Scaled) {
    let Sizes { heads, length, .. } = sizes;
    for head in 0..heads {
        for row in 0..length {
            let first = (head * length + row) * length;
            // SAFETY: a row of the result has this length.
            let to = unsafe { std::slice::from_raw_parts_mut(shared.rows.at(0, head, row), length) };
            to.fill(0.0);
            for block in sums.chunks_exact(heads * length * length) {
                to.iter_mut().zip(&block[first..]).for_each(|(to, part)| *to += part);
            }
            to.iter_mut().for_each(|to| *to *= shared.factor);
        }
    }
}

struct Backward {
    gradients: AttentionGradients,
    block: usize,
    /// Where the unit's block adds up the gradient of logits.
    sum: Option<Strided>,
}

impl Kernel for Backward {
    #[inline(always)]
    unsafe fn run<L: Lanes, const R: usize>(self) {
        let Self { gradients: all, block, sum } = self;
        let Sizes { length, width, .. } = all.sizes;
        let (columns, channels) = (length.next_multiple_of(L::COUNT), width.next_multiple_of(L::COUNT));
        let mut values = Buffer::new(width * columns);
        let [mut queries, mut keys, mut of_output, mut found] = [(); 4].map(|()| Buffer::new(length * channels));
        let mut logits = Buffer::new(length * columns);
        let (value_places, row_places) = (places(width, columns), places(length, channels));
        let logit_places = places(length, columns);
        // SAFETY: the caller vouches for the operands, as `AttentionGradients::compute` asks, and for the instructions.
        // The buffers have the rows that are read and written here, each of whole registers, and `sum` has `[h,l,l]`
        // numbers for each block.
        unsafe {
            let (scale, one) = (L::spread(&all.scale), L::spread(&1.0));
            for BatchHead { position, head } in all.sizes.of_block(block) {
                let matrix = |of| Matrix { of, position, head, rows: length, width };
                matrix(all.v).pack_transposed::<L>(&mut values, columns);
                matrix(all.q).pack::<L>(&mut queries, channels);
                matrix(all.k).pack::<L>(&mut keys, channels);
                matrix(all.of_output).pack::<L>(&mut of_output, channels);
                for first in (0..length).step_by(R) {
                    let rows = R.min(length - first);
                    let a = Operand { start: of_output.at(first * channels), row: channels, depth: 1 };
                    let b = (values.at(0), &value_places[..]);
                    let c = (logits.at_mut(first * columns), &logit_places[..rows]);
                    SmallProduct { a, b, columns, c, add: false }.compute::<L, R>();
                    for row in first..first + rows {
                        let at = RowIndex { block, position, head, row, length };
                        of_row::<L>(&all, sum, at, logits.at_mut(row * columns));
                    }
                }
                let c = found.at_mut(0);
                // What is found over all rows of the position: [l,l]·[l,k].
                let product = |a, b| {
                    let (b, c) = ((b, &row_places[..]), (c, &row_places[..]));
                    SmallProduct { a, b, columns: channels, c, add: false }
                };
                let by_query = Operand { start: logits.at(0), row: columns, depth: 1 };
                product(by_query, keys.at(0)).compute::<L, R>();
                matrix(all.of_q).unpack(c, channels, 0, scale);
                let by_key = Operand { start: logits.at(0), row: 1, depth: columns };
                product(by_key, queries.at(0)).compute::<L, R>();
                matrix(all.of_k).unpack(c, channels, 0, scale);
                let start = all.weights.at(position, head, 0);
                let by_key = Operand { start, row: 1, depth: all.weights.row };
                product(by_key, of_output.at(0)).compute::<L, R>();
                matrix(all.of_v).unpack(c, channels, 0, one);
            }
        }
    }
}

#[derive(Clone, Copy)]
struct RowIndex {
    block: usize,
    position: usize,
    head: usize,
    row: usize,
    length: usize,
}

/// The gradient of a row of logits from that of its weights, in place, and to where it is wanted.
///
/// # Safety
/// As for [`AttentionGradients::compute`]; `gradient` has `length` numbers in whole registers, and `sum` a row for each place.
#[inline(always)]
unsafe fn of_row<L: Lanes>(all: &AttentionGradients, sum: Option<Strided>, at: RowIndex, gradient: *mut f32) {
    let RowIndex { block, position, head, row, length } = at;
    // SAFETY: the caller vouches for the operands, for `sum`, and for `gradient` of whole registers.
    unsafe {
        let also = all.of_weights.map(|of_weights| of_weights.at(position, head, row).cast_const());
        of_logits::<L>(gradient, length, all.weights.at(position, head, row), also);
        if let Some(Scaled { rows, factor }) = all.of_logits {
            let (to, factor) = (rows.at(position, head, row), L::spread(&factor));
            for j in (0..length).step_by(L::COUNT) {
                store(L::load(gradient.wrapping_add(j)).times(factor), to.wrapping_add(j), length - j);
            }
        }
        if let Some(sum) = sum {
            let to = sum.at(block, head, row);
            for j in (0..length).step_by(L::COUNT) {
                let before = load::<L>(to.wrapping_add(j), length - j);
                store(before.plus(L::load(gradient.wrapping_add(j))), to.wrapping_add(j), length - j);
            }
        }
    }
}
