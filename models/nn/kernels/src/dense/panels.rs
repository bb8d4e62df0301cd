//! Rows times weights.

use crate::buffer::Buffer;
use crate::instructions::{Kernel, Workers};
use crate::lanes::Lanes;
use crate::matrices::{Operand, SmallProduct};
use crate::operands::{Numbers, TILE};

/// A matrix `[rows, columns]` as a product reads it: columns in groups of two registers, each group row by row, so that what a
/// tile of the product reads lies together.
pub(crate) struct Panels {
    numbers: Buffer,
    columns: usize,
    group: usize,
    /// Where the rows of a group begin.
    places: Vec<usize>,
}

impl Panels {
    /// W `[e,d]`, to be multiplied by dy.
    ///
    /// # Safety
    /// The weight has memory for these sizes, which are multiples of [`WIDTH`](super::WIDTH).
    pub(crate) unsafe fn of(weight: Numbers, [e, d]: [usize; 2], workers: Workers) -> Self {
        let mut panels = Self::new([e, d], workers);
        // SAFETY: the caller vouches for the memory of the weight.
        unsafe { workers.instructions.run(Copy { weight, shape: [e, d], panels: &mut panels }) };
        panels
    }

    /// Wᵀ `[d,e]`, to be multiplied by x.
    ///
    /// # Safety
    /// As for [`Self::of`].
    pub(crate) unsafe fn of_transposed(weight: Numbers, [e, d]: [usize; 2], workers: Workers) -> Self {
        let mut panels = Self::new([d, e], workers);
        // SAFETY: as above.
        unsafe { workers.instructions.run(Transposition { weight, shape: [e, d], panels: &mut panels }) };
        panels
    }

    fn new([rows, columns]: [usize; 2], workers: Workers) -> Self {
        let group = 2 * workers.instructions.lanes();
        let numbers = Buffer::new(rows * columns.next_multiple_of(group));
        Self { numbers, columns, group, places: (0..rows).map(|row| row * group).collect() }
    }

    #[inline(always)]
    fn at_mut(&mut self, row: usize, column: usize) -> *mut f32 {
        let group = self.group;
        self.numbers.at_mut((column / group * self.places.len() + row) * group + column % group)
    }
}

/// From W `[e,d]`, multiples of a register, to its panels.
struct Copy<'a> {
    weight: Numbers,
    shape: [usize; 2],
    panels: &'a mut Panels,
}

impl Kernel for Copy<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes, const R: usize>(self) {
        let Self { weight, shape: [e, d], panels } = self;
        for column in (0..d).step_by(L::COUNT) {
            for row in 0..e {
                // SAFETY: the caller vouches for the weight, whose rows are whole registers, as are the panels'.
                unsafe { L::load(weight.at(row * d + column)).store(panels.at_mut(row, column)) };
            }
        }
    }
}

/// From W `[e,d]`, multiples of a tile, to the panels of Wᵀ.
struct Transposition<'a> {
    weight: Numbers,
    shape: [usize; 2],
    panels: &'a mut Panels,
}

impl Kernel for Transposition<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes, const R: usize>(self) {
        let Self { weight, shape: [e, d], panels } = self;
        for column in (0..e).step_by(TILE) {
            for row in (0..d).step_by(TILE) {
                let rows = std::array::from_fn(|i| weight.at((column + i) * d + row).cast_const());
                // SAFETY: the caller vouches for the weight, whose sizes are whole tiles; the panels have as many
                // columns and rows.
                unsafe { L::transpose(rows, panels.at_mut(row, column), panels.group) };
            }
        }
    }
}

/// What a product is added to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AddTo {
    /// Nothing: what is there is overwritten.
    Nothing,
    /// The same numbers in each row.
    Bias(Numbers),
    Existing,
}

/// C = A·B for some rows of A, added to something.
#[derive(Clone, Copy)]
pub(crate) struct RowProduct<'a> {
    pub(crate) a: Numbers,
    pub(crate) panels: &'a Panels,
    pub(crate) add_to: AddTo,
    pub(crate) c: Numbers,
    pub(crate) rows: usize,
}

impl Kernel for RowProduct<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes, const R: usize>(self) {
        let Self { a, panels, add_to, c, rows } = self;
        let (depth, width) = (panels.places.len(), panels.columns);
        let c_rows: Vec<usize> = (0..rows).map(|row| row * width).collect();
        if let AddTo::Bias(bias) = add_to {
            for place in &c_rows {
                // SAFETY: the caller vouches for C's rows and a bias of `width` numbers, which does not overlap them.
                unsafe { std::ptr::copy_nonoverlapping(bias.at(0), c.at(*place), width) };
            }
        }
        for column in (0..width).step_by(panels.group) {
            let product = SmallProduct {
                a: Operand { start: a.at(0), row: depth, depth: 1 },
                b: (panels.numbers.at(column * depth), &panels.places[..]),
                columns: panels.group.min(width - column),
                c: (c.at(column), &c_rows[..]),
                add: !matches!(add_to, AddTo::Nothing),
            };
            // SAFETY: the caller vouches for the rows of A and C; the panels have `depth` rows of each group of
            // columns.
            unsafe { product.compute::<L, R>() };
        }
    }
}
