//! The product of two small matrices, in registers.

use crate::lanes::Lanes;

/// A matrix: element (r, d) lies at `r·row + d·depth`.
#[derive(Clone, Copy)]
pub(crate) struct Operand {
    pub(crate) start: *const f32,
    pub(crate) row: usize,
    pub(crate) depth: usize,
}

/// C = A·B, or C += A·B: `A [rows, depth]`, `B [depth, columns]`, `C [rows, columns]` with B's and C's rows at the
/// offsets given, `columns` a multiple of the register. Where two rows of C are one, it gets both sums.
#[inline(always)]
pub(crate) unsafe fn multiply<L: Lanes, const R: usize>(
    a: Operand,
    b: *const f32,
    b_rows: &[usize],
    columns: usize,
    c: *mut f32,
    c_rows: &[usize],
    add: bool,
) {
    let mut a = a;
    let tiles = c_rows.chunks_exact(R);
    let rest = tiles.remainder();
    for c_rows in tiles {
        unsafe { strip::<L, R>(a, b, b_rows, columns, c, c_rows, add) };
        a.start = a.start.wrapping_add(R * a.row);
    }
    for c_rows in rest.chunks_exact(1) {
        unsafe { strip::<L, 1>(a, b, b_rows, columns, c, c_rows, add) };
        a.start = a.start.wrapping_add(a.row);
    }
}

#[inline(always)]
unsafe fn strip<L: Lanes, const R: usize>(
    a: Operand,
    b: *const f32,
    b_rows: &[usize],
    columns: usize,
    c: *mut f32,
    c_rows: &[usize],
    add: bool,
) {
    let mut column = 0;
    while column + 2 * L::COUNT <= columns {
        unsafe { tile::<L, R, true>(a, b.wrapping_add(column), b_rows, c.wrapping_add(column), c_rows, add) };
        column += 2 * L::COUNT;
    }
    if column < columns {
        unsafe { tile::<L, R, false>(a, b.wrapping_add(column), b_rows, c.wrapping_add(column), c_rows, add) };
    }
}

/// R rows and two registers of columns, or one.
#[inline(always)]
unsafe fn tile<L: Lanes, const R: usize, const TWO: bool>(
    a: Operand,
    b: *const f32,
    b_rows: &[usize],
    c: *mut f32,
    c_rows: &[usize],
    add: bool,
) {
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

#[inline(always)]
unsafe fn put<L: Lanes>(sum: L, to: *mut f32, add: bool) {
    unsafe {
        let all = if add { sum.plus(L::load(to)) } else { sum };
        all.store(to);
    }
}
