//! Rows of one position and head, out of a tensor into contiguous memory and back.

use super::Strided;
use crate::buffer::Buffer;
use crate::lanes::{Lanes, load, store};
use crate::operands::TILE;

/// Rows of a position and head.
///
/// # Safety
/// Its unsafe functions need a tensor with memory for these rows, as many rows in the buffer as they fill or read, which
/// lie `stride` apart and do not overlap, and the instructions of the lanes.
#[derive(Clone, Copy)]
pub(super) struct Matrix {
    pub(super) of: Strided,
    pub(super) position: usize,
    pub(super) head: usize,
    pub(super) rows: usize,
    pub(super) width: usize,
}

impl Matrix {
    #[inline(always)]
    pub(super) fn row(self, row: usize) -> *mut f32 {
        self.of.at(self.position, self.head, row)
    }

    /// Copies the rows to rows that lie `stride` apart, a multiple of the register.
    #[inline(always)]
    pub(super) unsafe fn pack<L: Lanes>(self, to: &mut Buffer, stride: usize) {
        for row in 0..self.rows {
            let (from, to) = (self.row(row), to.at_mut(row * stride));
            for column in (0..self.width).step_by(L::COUNT) {
                // SAFETY: the row has `width` numbers, and the buffer's row `stride`, whole registers that are not
                // fewer.
                unsafe { load::<L>(from.wrapping_add(column), self.width - column).store(to.wrapping_add(column)) };
            }
        }
    }

    /// Copies columns to rows that lie `stride` apart.
    #[inline(always)]
    pub(super) unsafe fn pack_transposed<L: Lanes>(self, to: &mut Buffer, stride: usize) {
        let (whole_rows, whole_width) = (self.rows / TILE * TILE, self.width / TILE * TILE);
        for row in (0..whole_rows).step_by(TILE) {
            for column in (0..whole_width).step_by(TILE) {
                let rows = std::array::from_fn(|i| self.row(row + i).wrapping_add(column).cast_const());
                // SAFETY: the tile lies within the rows and columns, and the buffer has `width` rows of at least `rows`
                // numbers.
                unsafe { L::transpose(rows, to.at_mut(column * stride + row), stride) };
            }
        }
        for row in 0..self.rows {
            let first = if row < whole_rows { whole_width } else { 0 };
            for column in first..self.width {
                // SAFETY: as above, for one number.
                unsafe { *to.at_mut(column * stride + row) = *self.row(row).wrapping_add(column) };
            }
        }
    }

    /// Writes rows that lie `stride` apart, times `factor`, to those from `first` on.
    #[inline(always)]
    pub(super) unsafe fn unpack<L: Lanes>(self, from: *const f32, stride: usize, first: usize, factor: L) {
        for row in 0..self.rows {
            let (from, to) = (from.wrapping_add(row * stride), self.row(first + row));
            for column in (0..self.width).step_by(L::COUNT) {
                // SAFETY: the row has `width` numbers, and `from` has `rows` rows of whole registers.
                unsafe {
                    let numbers = L::load(from.wrapping_add(column)).times(factor);
                    store(numbers, to.wrapping_add(column), self.width - column);
                }
            }
        }
    }
}

/// The places of `count` rows that lie `stride` apart.
pub(super) fn places(count: usize, stride: usize) -> Vec<usize> {
    (0..count).map(|row| row * stride).collect()
}
