//! The products of a dense layer whose weights fit into the cache.
//!
//! y = x·Wᵀ + b for the rows of x, and the gradient dy·W of these rows. Libraries for large products copy both operands into the
//! order in which they read them; here the weights are put into that order once, and rows are read where they are. The
//! gradient of W sums over all rows: there, MKL is as fast.

use crate::buffer::Buffer;
use crate::instructions::Kernel;
use crate::lanes::{Lanes, WIDEST};
use crate::matrices::{Operand, SmallProduct};
use crate::row_blocks::{Block, Numbers};
use crate::workers::Workers;

/// Columns of a panel: two of the widest registers.
const PANEL: usize = 2 * WIDEST;

/// Widths are multiples of it.
pub const WIDTH: usize = WIDEST;

/// The sizes of a layer.
#[derive(Debug, Clone, Copy)]
pub struct Dense {
    /// n.
    pub rows: usize,
    /// d, a multiple of [`WIDTH`].
    pub inputs: usize,
    /// e, a multiple of [`WIDTH`].
    pub outputs: usize,
}

impl Dense {
    /// Writes y `[n,e]` for x `[n,d]`, W `[e,d]` and b `[e]`.
    ///
    /// # Safety
    /// As for [`ResidualNorm::compute`](crate::norm::ResidualNorm::compute).
    pub unsafe fn compute(self, x: Numbers, weight: Numbers, bias: Option<Numbers>, y: Numbers, workers: Workers) {
        let Self { rows, inputs, outputs } = self;
        // SAFETY: the caller vouches for the memory; blocks write to rows of their own.
        unsafe {
            let panels = Panels::new([inputs, outputs], |row, column| *weight.at(column * inputs + row));
            workers.run_blocks(rows, |block| Product { a: x, panels: &panels, bias, c: y, block });
        }
    }

    /// Writes the gradient of x `[n,d]`, given that of y `[n,e]` and W.
    ///
    /// # Safety
    /// As for [`Self::compute`].
    pub unsafe fn gradient_of_rows(self, of_y: Numbers, weight: Numbers, of_x: Numbers, workers: Workers) {
        let Self { rows, inputs, outputs } = self;
        // SAFETY: as above.
        unsafe {
            let panels = Panels::new([outputs, inputs], |row, column| *weight.at(row * inputs + column));
            workers.run_blocks(rows, |block| Product { a: of_y, panels: &panels, bias: None, c: of_x, block });
        }
    }
}

/// A matrix `[rows, columns]` as a product reads it: columns in groups of [`PANEL`], each group row by row.
struct Panels {
    numbers: Buffer,
    rows: usize,
    columns: usize,
    /// Where the rows of a panel begin.
    places: Vec<usize>,
}

impl Panels {
    unsafe fn new([rows, columns]: [usize; 2], at: impl Fn(usize, usize) -> f32) -> Self {
        let mut numbers = Buffer::new(rows * columns.next_multiple_of(PANEL));
        for column in 0..columns {
            let (panel, within) = (column / PANEL, column % PANEL);
            for row in 0..rows {
                // SAFETY: the buffer has room for whole panels.
                unsafe { *numbers.at_mut((panel * rows + row) * PANEL + within) = at(row, column) };
            }
        }
        Self { numbers, rows, columns, places: (0..rows).map(|row| row * PANEL).collect() }
    }
}

/// Rows of C = A·B + b.
struct Product<'a> {
    a: Numbers,
    panels: &'a Panels,
    bias: Option<Numbers>,
    c: Numbers,
    block: Block,
}

impl Kernel for Product<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes, const R: usize>(self) {
        let Self { a, panels, bias, c, block } = self;
        let (depth, width) = (panels.rows, panels.columns);
        let c_places: Vec<usize> = (0..block.rows.len()).map(|row| row * width).collect();
        if let Some(bias) = bias {
            for row in block.rows.clone() {
                unsafe { std::ptr::copy_nonoverlapping(bias.at(0), c.at(row * width), width) };
            }
        }
        let mut column = 0;
        while column < width {
            let columns = PANEL.min(width - column);
            let a = Operand { start: a.at(block.rows.start * depth), row: depth, depth: 1 };
            let b = panels.numbers.at(column * depth);
            let c = c.at(block.rows.start * width + column);
            unsafe {
                SmallProduct { a, b, b_rows: &panels.places, columns, c, c_rows: &c_places, add: bias.is_some() }
                    .compute::<L, R>()
            };
            column += PANEL;
        }
    }
}
