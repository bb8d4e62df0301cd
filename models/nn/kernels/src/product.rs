//! The three products with a table of classes, head by head, over blocks of positions that fit into the cache.
//!
//! Each takes a group of rows (queries, or keys) of a block of positions into a buffer, where every row's
//! numbers for the whole block lie together, multiplies there and writes the result back. So each product is one of
//! small dense matrices, whatever the tensors' strides, and no table is ever expanded for all pairs.

use crate::buffer::{BLOCK, BlockRows, Buffer, GROUP, padded};
use crate::instructions::{Kernel, Workers};
use crate::lanes::Lanes;
use crate::matrices::{Operand, SmallProduct};
use crate::operands::TILE;
use crate::{Rows, Side};

/// A product of pairs `[b,h,l,l]`, vectors `[b,h,l,k]` and a table `[1,h,c,k]`. The table's vector for own row i and other row
/// j is that of the pair's class as the side sees it.
#[derive(Debug, Clone, Copy)]
pub enum Product<'a> {
    /// pairs(i, j) = vectors(i)·table(i, j); with `add` it is added to what is there.
    Dots {
        vectors: Rows,
        table: Rows,
        /// Written; with `add`, or for the side of keys, read before.
        pairs: Rows,
        side: &'a Side,
        /// Whether to add. The side of keys always adds.
        add: bool,
    },
    /// vectors(i) = Σ_j pairs(i, j)·table(i, j).
    Mix { pairs: Rows, table: Rows, vectors: Rows, side: &'a Side },
    /// table(class) = Σ pairs(i, j)·vectors(i) over the batch and the pairs of the class.
    Collect { pairs: Rows, vectors: Rows, table: Rows, side: &'a Side },
}

impl Product<'_> {
    /// Computes it, head by head.
    ///
    /// # Safety
    /// The memory of the operands lives until the call returns, nothing else uses what is written, and it overlaps nothing
    /// that is read.
    ///
    /// # Panics
    /// If pairs, vectors and table are not of one sequence, batch and width.
    pub unsafe fn compute(self, workers: Workers) {
        let (Self::Dots { vectors, table, pairs, side, .. }
        | Self::Mix { pairs, table, vectors, side }
        | Self::Collect { pairs, vectors, table, side }) = self;
        assert!(side.fits(pairs, vectors, table), "pairs, vectors and table are of one sequence, batch and width");
        // SAFETY: the caller vouches for the memory; the shapes match.
        unsafe { workers.run(pairs.heads, |head| OfHead { product: self, head }) };
    }
}

/// A product for one head.
///
/// Running it needs operands that [`Product::compute`] checked, with their memory, and the instructions of the lanes.
struct OfHead<'a> {
    product: Product<'a>,
    head: usize,
}

impl Kernel for OfHead<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes, const R: usize>(self) {
        let head = self.head;
        // SAFETY: `Product::compute` checked the shapes, and its caller vouches for the memory; units are heads.
        unsafe {
            match self.product {
                Product::Dots { vectors, table, pairs, side, add } => {
                    dots::<L, R>(head, vectors, table, pairs, side, add);
                }
                Product::Mix { pairs, table, vectors, side } => mix::<L, R>(head, pairs, table, vectors, side),
                Product::Collect { pairs, vectors, table, side } => collect::<L, R>(head, pairs, vectors, table, side),
            }
        }
    }
}

/// # Safety
/// As for [`OfHead`], whose operands these are; the same holds for the two functions below.
#[inline(always)]
unsafe fn dots<L: Lanes, const R: usize>(head: usize, vectors: Rows, table: Rows, pairs: Rows, side: &Side, add: bool) {
    let (length, width) = (padded(side.length), padded(table.width));
    // SAFETY: the caller vouches for the table and the instructions.
    let table = unsafe { Buffer::of_table::<L>(table, head) };
    let (mut own, mut found) = (Buffer::new(GROUP * BLOCK * width), Buffer::new(GROUP * BLOCK * length));
    // The row's vectors as columns, side by side.
    let mut columns = Buffer::new(width * length);
    let column_rows: Vec<usize> = (0..vectors.width).map(|channel| channel * length).collect();
    let found_rows: Vec<usize> = (0..BLOCK).map(|position| position * length).collect();
    for part in BlockRows::all(vectors.batch, side.length) {
        // SAFETY: the caller vouches for the tensors, of which `part` is some rows: at most `GROUP` of at most `BLOCK`
        // positions, as many as the buffers have. Both widths are whole tiles and registers, and a row of the side is whole
        // tiles of classes that the table has.
        unsafe {
            own.load::<L>(vectors, head, part, width);
            for row in 0..part.rows {
                let offsets = side.row(part.first_row + row);
                for (to, of_tile) in offsets.chunks_exact(TILE).enumerate() {
                    for channel in (0..width).step_by(TILE) {
                        let mut rows = [table.at(channel); TILE];
                        for (row, class) in rows.iter_mut().zip(of_tile) {
                            *row = row.wrapping_add(class * width);
                        }
                        L::transpose(rows, columns.at_mut(channel * length + to * TILE), length);
                    }
                }
                let a = Operand { start: own.at(row * part.block * width), row: width, depth: 1 };
                let b = (columns.at(0), &column_rows[..]);
                let c = (found.at_mut(row * part.block * length), &found_rows[..part.block]);
                SmallProduct { a, b, columns: length, c, add: false }.compute::<L, R>();
            }
            match (side.is_transposed, add) {
                (true, _) => found.add_transposed::<L>(pairs, head, part, length),
                (false, true) => found.add::<L>(pairs, head, part, length),
                (false, false) => found.store::<L>(pairs, head, part, length),
            }
        }
    }
}

#[inline(always)]
unsafe fn mix<L: Lanes, const R: usize>(head: usize, pairs: Rows, table: Rows, vectors: Rows, side: &Side) {
    let (length, width) = (padded(side.length), padded(table.width));
    // SAFETY: the caller vouches for the table and the instructions.
    let table = unsafe { Buffer::of_table::<L>(table, head) };
    let (mut weights, mut found) = (Buffer::new(GROUP * BLOCK * length), Buffer::new(GROUP * BLOCK * width));
    let found_rows: Vec<usize> = (0..BLOCK).map(|position| position * width).collect();
    let mut picked = vec![0; side.length];
    for part in BlockRows::all(pairs.batch, side.length) {
        // SAFETY: as in `dots`; `picked` are rows of the table.
        unsafe {
            weights.load_pairs::<L>(pairs, head, part, length, side);
            for row in 0..part.rows {
                for (to, class) in picked.iter_mut().zip(side.row(part.first_row + row)) {
                    *to = class * width;
                }
                let a = Operand { start: weights.at(row * part.block * length), row: length, depth: 1 };
                let c = (found.at_mut(row * part.block * width), &found_rows[..part.block]);
                SmallProduct { a, b: (table.at(0), &picked[..]), columns: width, c, add: false }.compute::<L, R>();
            }
            found.store::<L>(vectors, head, part, width);
        }
    }
}

#[inline(always)]
unsafe fn collect<L: Lanes, const R: usize>(head: usize, pairs: Rows, vectors: Rows, table: Rows, side: &Side) {
    let (length, width) = (padded(side.length), padded(table.width));
    let mut found = Buffer::new(table.length * width);
    let (mut weights, mut own) = (Buffer::new(GROUP * BLOCK * length), Buffer::new(GROUP * BLOCK * width));
    let own_rows: Vec<usize> = (0..BLOCK).map(|position| position * width).collect();
    let mut picked = vec![0; side.length];
    for part in BlockRows::all(pairs.batch, side.length) {
        // SAFETY: as in `dots`; `picked` are rows of `found`, which has one for each class.
        unsafe {
            weights.load_pairs::<L>(pairs, head, part, length, side);
            own.load::<L>(vectors, head, part, width);
            for row in 0..part.rows {
                for (to, class) in picked.iter_mut().zip(side.row(part.first_row + row)) {
                    *to = class * width;
                }
                let a = Operand { start: weights.at(row * part.block * length), row: 1, depth: length };
                let b = (own.at(row * part.block * width), &own_rows[..part.block]);
                SmallProduct { a, b, columns: width, c: (found.at_mut(0), &picked[..]), add: true }.compute::<L, R>();
            }
        }
    }
    // SAFETY: the caller vouches for the table; `found` has a row for each of its classes.
    unsafe { found.store_table::<L>(table, head, width) };
}
