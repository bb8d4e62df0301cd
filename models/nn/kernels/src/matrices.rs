//! The product of two small matrices, in registers.

use crate::lanes::Lanes;

/// A matrix: element (r, d) lies at `r·row + d·depth`.
#[derive(Clone, Copy)]
pub(crate) struct Operand {
    pub(crate) start: *const f32,
    pub(crate) row: usize,
    pub(crate) depth: usize,
}

/// C = A·B, or C += A·B: `A [rows, depth]`, `B [depth, columns]`, `C [rows, columns]`.
///
/// # Safety
/// To compute it needs memory for all three at the places given, C's apart from the others', and the instructions of the
/// lanes.
#[derive(Clone, Copy)]
pub(crate) struct SmallProduct<'a> {
    pub(crate) a: Operand,
    /// B, and where its rows begin from there.
    pub(crate) b: (*const f32, &'a [usize]),
    /// A multiple of the register.
    pub(crate) columns: usize,
    /// C, and where its rows begin from there. A row that is listed twice gets both sums.
    pub(crate) c: (*mut f32, &'a [usize]),
    /// Whether the product is added to what is there.
    pub(crate) add: bool,
}

impl SmallProduct<'_> {
    /// Computes it, in tiles of R rows, and what is left over in smaller ones.
    #[inline(always)]
    pub(crate) unsafe fn compute<L: Lanes, const R: usize>(mut self) {
        // SAFETY: the caller vouches for the three matrices and the instructions.
        unsafe {
            self.strips::<L, R>();
            self.strips::<L, 4>();
            self.strips::<L, 2>();
            self.strips::<L, 1>();
        }
    }

    /// Computes as many groups of R rows as there are, and takes them off.
    #[inline(always)]
    unsafe fn strips<L: Lanes, const R: usize>(&mut self) {
        while let Some((rows, rest)) = self.c.1.split_at_checked(R) {
            // SAFETY: as for `compute`; these R rows are some of C's, and `a` begins at the first of them.
            unsafe { SmallProduct { c: (self.c.0, rows), ..*self }.strip::<L, R>() };
            self.a.start = self.a.start.wrapping_add(R * self.a.row);
            self.c.1 = rest;
        }
    }

    #[inline(always)]
    unsafe fn strip<L: Lanes, const R: usize>(self) {
        let from = |column: usize| Self {
            b: (self.b.0.wrapping_add(column), self.b.1),
            c: (self.c.0.wrapping_add(column), self.c.1),
            ..self
        };
        let mut column = 0;
        while column + 2 * L::COUNT <= self.columns {
            // SAFETY: as for `compute`; two registers of columns are left.
            unsafe { from(column).tile::<L, R, true>() };
            column += 2 * L::COUNT;
        }
        if column < self.columns {
            // SAFETY: as for `compute`; columns are whole registers, so that one of them is left.
            unsafe { from(column).tile::<L, R, false>() };
        }
    }

    /// R rows and two registers of columns, or one.
    #[inline(always)]
    unsafe fn tile<L: Lanes, const R: usize, const TWO: bool>(self) {
        let Self { a, b: (b, b_rows), c: (c, c_rows), add, .. } = self;
        // SAFETY: the caller vouches for R rows of A and C, for B with the columns that are read here, and for the
        // instructions.
        unsafe {
            let (mut left, mut right) = ([L::zero(); R], [L::zero(); R]);
            let mut a_column = a.start;
            for &offset in b_rows {
                let b_row = b.wrapping_add(offset);
                let b_left = L::load(b_row);
                let b_right = if TWO { L::load(b_row.wrapping_add(L::COUNT)) } else { b_left };
                let mut a_at = a_column;
                for r in 0..R {
                    let factor = L::spread(a_at);
                    left[r] = left[r].plus_product(factor, b_left);
                    if TWO {
                        right[r] = right[r].plus_product(factor, b_right);
                    }
                    a_at = a_at.wrapping_add(a.row);
                }
                a_column = a_column.wrapping_add(a.depth);
            }
            for r in 0..R {
                let to = c.wrapping_add(c_rows[r]);
                put(left[r], to, add);
                if TWO {
                    put(right[r], to.wrapping_add(L::COUNT), add);
                }
            }
        }
    }
}

#[inline(always)]
unsafe fn put<L: Lanes>(sum: L, to: *mut f32, add: bool) {
    // SAFETY: the caller vouches for the numbers of a register at `to`, and for the instructions.
    unsafe {
        let all = if add { sum.plus(L::load(to)) } else { sum };
        all.store(to);
    }
}
