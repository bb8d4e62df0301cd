//! The working memory of the products: a group of rows of a block of positions, out of the tensors and back, transposed or
//! not.
//!
//! Row strides alias in the cache, so rows of consecutive positions are copied to a contiguous buffer.

use crate::lanes::{Lanes, WIDEST, add, load, store};
use crate::operands::TILE;
use crate::{Rows, Side};

/// Positions that are taken at once: what a row of classes is looked up for.
pub(crate) const BLOCK: usize = 32;
/// Rows that are taken at once: of a transposed matrix, one line of the cache.
pub(crate) const GROUP: usize = WIDEST;

/// A width as buffers have it: a multiple of the widest register.
pub(crate) fn padded(count: usize) -> usize {
    count.next_multiple_of(WIDEST)
}

/// Rows of a block of positions.
#[derive(Clone, Copy)]
pub(crate) struct BlockRows {
    first: usize,
    pub(crate) block: usize,
    pub(crate) first_row: usize,
    pub(crate) rows: usize,
}

impl BlockRows {
    pub(crate) fn all(batch: usize, length: usize) -> impl Iterator<Item = Self> {
        (0..batch).step_by(BLOCK).flat_map(move |first| {
            (0..length).step_by(GROUP).map(move |first_row| Self {
                first,
                block: BLOCK.min(batch - first),
                first_row,
                rows: GROUP.min(length - first_row),
            })
        })
    }

    /// Where a row of a position of the block lies in the tensor, and its number in the buffer.
    #[inline(always)]
    fn place(self, rows: Rows, head: usize, position: usize, row: usize) -> (*mut f32, usize) {
        (rows.row(self.first + position, head, self.first_row + row), row * self.block + position)
    }
}

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct CacheLine([f32; WIDEST]);

/// Numbers for the products to work in: `[row, position, padded width]`, or a table.
///
/// # Safety
/// Its unsafe functions need the instructions of `L`, tensors with memory for their shapes, a part of these, and as many
/// rows of `width` numbers in the buffer as they fill or read.
pub(crate) struct Buffer {
    lines: Vec<CacheLine>,
}

impl Buffer {
    pub(crate) fn new(count: usize) -> Self {
        Self { lines: vec![CacheLine([0.0; WIDEST]); count.div_ceil(WIDEST)] }
    }

    pub(crate) fn at(&self, offset: usize) -> *const f32 {
        self.lines.as_ptr().cast::<f32>().wrapping_add(offset)
    }

    pub(crate) fn at_mut(&mut self, offset: usize) -> *mut f32 {
        self.lines.as_mut_ptr().cast::<f32>().wrapping_add(offset)
    }

    /// A head's table with rows padded by zeros.
    #[inline(always)]
    pub(crate) unsafe fn of_table<L: Lanes>(table: Rows, head: usize) -> Self {
        let width = padded(table.width);
        let mut buffer = Self::new(table.length * width);
        for class in 0..table.length {
            // SAFETY: the table has this row, and the buffer one of `width` numbers, not fewer, for each class.
            unsafe { copy::<L>(table.row(0, head, class), buffer.at_mut(class * width), table.width) };
        }
        buffer
    }

    #[inline(always)]
    pub(crate) unsafe fn store_table<L: Lanes>(&self, table: Rows, head: usize, width: usize) {
        for class in 0..table.length {
            // SAFETY: as in `of_table`.
            unsafe { copy::<L>(self.at(class * width), table.row(0, head, class), table.width) };
        }
    }

    #[inline(always)]
    pub(crate) unsafe fn load<L: Lanes>(&mut self, rows: Rows, head: usize, part: BlockRows, width: usize) {
        for position in 0..part.block {
            for row in 0..part.rows {
                let (from, to) = part.place(rows, head, position, row);
                // SAFETY: `place` gives a row of the tensor and one of the buffer, whose rows have `width` numbers, not
                // fewer.
                unsafe { copy::<L>(from, self.at_mut(to * width), rows.width) };
            }
        }
    }

    #[inline(always)]
    pub(crate) unsafe fn store<L: Lanes>(&self, rows: Rows, head: usize, part: BlockRows, width: usize) {
        for position in 0..part.block {
            for row in 0..part.rows {
                let (to, from) = part.place(rows, head, position, row);
                // SAFETY: as in `load`.
                unsafe { copy::<L>(self.at(from * width), to, rows.width) };
            }
        }
    }

    #[inline(always)]
    pub(crate) unsafe fn add<L: Lanes>(&self, rows: Rows, head: usize, part: BlockRows, width: usize) {
        for position in 0..part.block {
            for row in 0..part.rows {
                let (to, from) = part.place(rows, head, position, row);
                for i in (0..rows.width).step_by(L::COUNT) {
                    let left = rows.width - i;
                    // SAFETY: as in `load`; `left` numbers of the row follow.
                    unsafe { add(load::<L>(self.at(from * width + i), left), to.wrapping_add(i), left) };
                }
            }
        }
    }

    #[inline(always)]
    pub(crate) unsafe fn load_pairs<L: Lanes>(
        &mut self,
        pairs: Rows,
        head: usize,
        part: BlockRows,
        width: usize,
        side: &Side,
    ) {
        // SAFETY: the caller vouches for what either of them needs.
        unsafe {
            if side.is_transposed {
                self.load_transposed::<L>(pairs, head, part, width);
            } else {
                self.load::<L>(pairs, head, part, width);
            }
        }
    }

    /// Takes columns of the pairs as rows.
    #[inline(always)]
    unsafe fn load_transposed<L: Lanes>(&mut self, pairs: Rows, head: usize, part: BlockRows, width: usize) {
        let stride = part.block * width;
        for (position, other, row) in part.tiles(pairs.width) {
            let to = self.at_mut((row * part.block + position) * width + other);
            let from = pairs.row(part.first + position, head, other).wrapping_add(part.first_row + row);
            if part.is_whole(pairs.width, other, row) {
                // SAFETY: the whole tile lies within the rows and columns of the pairs, and within those of the buffer.
                unsafe { L::transpose(rows_from(from, pairs.width), to, stride) };
            } else {
                for (i, j) in part.rest(pairs.width, other, row) {
                    // SAFETY: the pair lies within the tensor and the buffer.
                    unsafe { *to.wrapping_add(j * stride + i) = *from.wrapping_add(i * pairs.width + j) };
                }
            }
        }
    }

    /// Adds rows to columns of the pairs.
    #[inline(always)]
    pub(crate) unsafe fn add_transposed<L: Lanes>(&self, pairs: Rows, head: usize, part: BlockRows, width: usize) {
        let stride = part.block * width;
        for (position, other, row) in part.tiles(pairs.width) {
            let from = self.at((row * part.block + position) * width + other);
            let to = pairs.row(part.first + position, head, other).wrapping_add(part.first_row + row);
            if part.is_whole(pairs.width, other, row) {
                // SAFETY: as in `load_transposed`.
                unsafe { L::add_transposed(rows_from(from, stride), to, pairs.width) };
            } else {
                for (i, j) in part.rest(pairs.width, other, row) {
                    // SAFETY: as in `load_transposed`.
                    unsafe { *to.wrapping_add(i * pairs.width + j) += *from.wrapping_add(j * stride + i) };
                }
            }
        }
    }
}

/// What is transposed, tile by tile.
impl BlockRows {
    /// (position in the block, first other row, first row in the group).
    fn tiles(self, length: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..self.block).flat_map(move |position| {
            (0..length)
                .step_by(TILE)
                .flat_map(move |other| (0..self.rows).step_by(TILE).map(move |row| (position, other, row)))
        })
    }

    fn is_whole(self, length: usize, other: usize, row: usize) -> bool {
        other + TILE <= length && row + TILE <= self.rows
    }

    /// The pairs (other row, row) within a tile over the edge.
    fn rest(self, length: usize, other: usize, row: usize) -> impl Iterator<Item = (usize, usize)> {
        let (others, rows) = (TILE.min(length - other), TILE.min(self.rows - row));
        (0..others).flat_map(move |i| (0..rows).map(move |j| (i, j)))
    }
}

#[inline(always)]
fn rows_from(start: *const f32, stride: usize) -> [*const f32; TILE] {
    let mut rows = [start; TILE];
    for i in 1..TILE {
        rows[i] = rows[i - 1].wrapping_add(stride);
    }
    rows
}

/// A row, without the call that a copy of unknown length would be.
///
/// # Safety
/// There are `count` numbers at `from` and place for them at `to`; the processor has the instructions of `L`.
#[inline(always)]
unsafe fn copy<L: Lanes>(from: *const f32, to: *mut f32, count: usize) {
    for i in (0..count).step_by(L::COUNT) {
        // SAFETY: the caller vouches for `count` numbers at either place, of which `count − i` follow, and for the
        // instructions.
        unsafe { store(load::<L>(from.wrapping_add(i), count - i), to.wrapping_add(i), count - i) };
    }
}
