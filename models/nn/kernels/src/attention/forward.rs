//! From queries, keys and values to their mixture.

use super::packing::{Matrix, places};
use super::softmax::{RowTerm, ending, softmax};
use super::{BatchHead, Scaled, Sizes, Strided};
use crate::buffer::Buffer;
use crate::instructions::{Kernel, Workers};
use crate::lanes::Lanes;
use crate::matrices::{Operand, SmallProduct};

/// Terms at most: those of a row have their places on the stack.
const MOST_TERMS: usize = 4;

#[derive(Debug, Clone, Copy)]
pub struct Attention<'a> {
    pub sizes: Sizes,
    pub q: Strided,
    pub k: Strided,
    pub v: Strided,
    pub scale: f32,
    /// Additive terms of the logits.
    pub terms: &'a [Scaled],
    /// The mixture of values `[b,h,l,k]`, written.
    pub output: Strided,
    /// The weights `[b,h,l,l]`, written if they are wanted.
    pub weights: Option<Strided>,
}

impl Attention<'_> {
    /// Computes it.
    ///
    /// # Safety
    /// The memory of the operands, of the sizes given, lives until the call returns; nothing else uses what is written, and
    /// it overlaps nothing that is read.
    ///
    /// # Panics
    /// If there are more than four terms.
    pub unsafe fn compute(self, workers: Workers) {
        assert!(self.terms.len() <= MOST_TERMS, "at most {MOST_TERMS} terms of the logits");
        let sizes = self.sizes;
        // SAFETY: the caller vouches for the memory; units write to rows of their own.
        unsafe { workers.run(sizes.blocks(), |block| Forward { attention: self, block }) };
    }
}

struct Forward<'a> {
    attention: Attention<'a>,
    block: usize,
}

impl Kernel for Forward<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes, const R: usize>(self) {
        let Self { attention: Attention { sizes, q, k, v, scale, terms, output, weights }, block } = self;
        let Sizes { length, width, .. } = sizes;
        let (columns, channels) = (length.next_multiple_of(L::COUNT), width.next_multiple_of(L::COUNT));
        let mut keys = Buffer::new(width * columns);
        let mut values = Buffer::new(length * channels);
        let (mut logits, mut mixed) = (Buffer::new(R * columns), Buffer::new(R * channels));
        let (key_places, value_places) = (places(width, columns), places(length, channels));
        let (logit_places, mixed_places) = (places(R, columns), places(R, channels));
        // SAFETY: the caller vouches for the operands, as `Attention::compute` asks, and for the instructions. The
        // buffers have the rows that are read and written here, each of whole registers.
        unsafe {
            let (scale, one, ending) = (L::spread(&scale), L::spread(&1.0), ending::<L>(length));
            let mut row_terms = [RowTerm { start: std::ptr::null(), factor: L::zero() }; MOST_TERMS];
            for BatchHead { position, head } in sizes.of_block(block) {
                let matrix = |of| Matrix { of, position, head, rows: length, width };
                matrix(k).pack_transposed::<L>(&mut keys, columns);
                matrix(v).pack::<L>(&mut values, channels);
                for first in (0..length).step_by(R) {
                    let rows = R.min(length - first);
                    let a = Operand { start: q.at(position, head, first), row: q.row, depth: 1 };
                    let c = logits.at_mut(0);
                    let (b, of_logits) = ((keys.at(0), &key_places[..]), (c, &logit_places[..rows]));
                    SmallProduct { a, b, columns, c: of_logits, add: false }.compute::<L, R>();
                    for row in 0..rows {
                        for (of_row, term) in row_terms.iter_mut().zip(terms) {
                            let start = term.rows.at(position, head, first + row).cast_const();
                            *of_row = RowTerm { start, factor: L::spread(&term.factor) };
                        }
                        let kept = weights.map(|weights| weights.at(position, head, first + row));
                        softmax(c.wrapping_add(row * columns), length, scale, &row_terms[..terms.len()], ending, kept);
                    }
                    let a = Operand { start: logits.at(0), row: columns, depth: 1 };
                    let (b, c) = ((values.at(0), &value_places[..]), (mixed.at_mut(0), &mixed_places[..rows]));
                    SmallProduct { a, b, columns: channels, c, add: false }.compute::<L, R>();
                    let to = Matrix { rows, ..matrix(output) };
                    to.unpack(mixed.at(0), channels, first, one);
                }
            }
        }
    }
}
