//! The three products, head by head.

use crate::{Instructions, Rows, Side, Table};

/// A product of pairs `[b,h,l,l]`, vectors `[b,h,l,k]` and a table `[h,c,k]`. The table's vector for own row i and other row
/// j is that of the pair's class as the side sees it.
#[derive(Debug, Clone, Copy)]
pub enum Product<'a> {
    /// pairs(i, j) = vectors(i)·table(i, j); with `add` it is added to what is there.
    Dots {
        /// Read.
        vectors: Rows,
        /// Read.
        table: Table,
        /// Written; with `add`, or for the side of keys, read before.
        pairs: Rows,
        /// The classes.
        side: &'a Side,
        /// Whether to add. The side of keys always adds.
        add: bool,
    },
    /// vectors(i) = Σ_j pairs(i, j)·table(i, j).
    Mix {
        /// Read.
        pairs: Rows,
        /// Read.
        table: Table,
        /// Written.
        vectors: Rows,
        /// The classes.
        side: &'a Side,
    },
    /// table(class) = Σ pairs(i, j)·vectors(i) over the batch and the pairs of the class.
    Collect {
        /// Read.
        pairs: Rows,
        /// Read.
        vectors: Rows,
        /// Written.
        table: Table,
        /// The classes.
        side: &'a Side,
    },
}

impl Product<'_> {
    /// Computes it, head by head, on this many threads.
    ///
    /// # Safety
    /// The memory of the operands lives until the call returns, nothing else uses what is written, and it overlaps nothing
    /// that is read.
    ///
    /// # Panics
    /// If pairs, vectors and table are not of one sequence, batch and width.
    pub unsafe fn compute(self, instructions: Instructions, threads: usize) {
        let (Self::Dots { vectors, table, pairs, side, .. }
        | Self::Mix { pairs, table, vectors, side }
        | Self::Collect { pairs, vectors, table, side }) = self;
        assert!(side.fits(pairs, vectors, table), "pairs, vectors and table are of one sequence, batch and width");
        let heads = pairs.heads();
        let threads = threads.clamp(1, heads.max(1));
        let work = |thread: usize| {
            for head in (thread..heads).step_by(threads) {
                // SAFETY: the processor has the instructions; the caller vouches for the memory; the shapes match.
                unsafe { self.of_head(instructions, head) };
            }
        };
        std::thread::scope(|scope| {
            for thread in 1..threads {
                scope.spawn(move || work(thread));
            }
            work(0);
        });
    }

    #[cfg(target_arch = "x86_64")]
    unsafe fn of_head(self, instructions: Instructions, head: usize) {
        use crate::instructions::Set;
        unsafe {
            match instructions.0 {
                Set::Avx512 => crate::x86_64::with_avx512(self, head),
                Set::Avx2 => crate::x86_64::with_avx2(self, head),
            }
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    unsafe fn of_head(self, instructions: Instructions, _: usize) {
        match instructions.0 {}
    }
}
