//! The three products, head by head.

use crate::products::OfHead;
use crate::workers::Workers;
use crate::{Rows, Side, Table};

/// A product of pairs `[b,h,l,l]`, vectors `[b,h,l,k]` and a table `[h,c,k]`. The table's vector for own row i and other row
/// j is that of the pair's class as the side sees it.
#[derive(Debug, Clone, Copy)]
pub enum Product<'a> {
    /// pairs(i, j) = vectors(i)·table(i, j); with `add` it is added to what is there.
    Dots {
        vectors: Rows,
        table: Table,
        /// Written; with `add`, or for the side of keys, read before.
        pairs: Rows,
        side: &'a Side,
        /// Whether to add. The side of keys always adds.
        add: bool,
    },
    /// vectors(i) = Σ_j pairs(i, j)·table(i, j).
    Mix { pairs: Rows, table: Table, vectors: Rows, side: &'a Side },
    /// table(class) = Σ pairs(i, j)·vectors(i) over the batch and the pairs of the class.
    Collect { pairs: Rows, vectors: Rows, table: Table, side: &'a Side },
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
