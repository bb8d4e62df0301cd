//! The gradient of weights.

use crate::buffer::Buffer;
use crate::lanes::{Lanes, add};
use crate::matrices::{Operand, SmallProduct};
use crate::operands::Numbers;
use crate::row_blocks::STRIP;

/// Adds up dyᵀ·x and Σ dy of a layer's W `[e,d]` and b `[e]`, strip by strip.
///
/// What a tile of the product reads of a strip is packed first: the row strides of the tensors alias in the cache.
///
/// # Safety
/// To add a strip needs its rows of x and dy, sums for W and b, and the lanes that this was created with; d and e are multiples
/// of [`WIDTH`](super::WIDTH).
pub(crate) struct OfWeight {
    shape: [usize; 2],
    /// A strip of x in groups of two registers of columns.
    x: Buffer,
    x_places: Vec<usize>,
    /// A strip of one group of dy's columns.
    of_y: Buffer,
    /// Where the rows of W begin, of those in a group.
    places: Vec<usize>,
}

/// Tiles of rows in a group of dy's columns.
const TILES: usize = 8;

impl OfWeight {
    #[inline(always)]
    pub(crate) fn new<L: Lanes, const R: usize>([e, d]: [usize; 2]) -> Self {
        Self {
            shape: [e, d],
            x: Buffer::new(STRIP * d.next_multiple_of(2 * L::COUNT)),
            x_places: (0..STRIP).map(|row| row * 2 * L::COUNT).collect(),
            of_y: Buffer::new(STRIP * TILES * R),
            places: (0..TILES * R).map(|row| row * d).collect(),
        }
    }

    /// Adds the part of `rows` rows of x and dy, at most [`STRIP`], to `sums`: W's, then b's.
    #[inline(always)]
    pub(crate) unsafe fn add<L: Lanes, const R: usize>(
        &mut self,
        x: Numbers,
        of_y: Numbers,
        rows: usize,
        sums: Numbers,
    ) {
        let [e, d] = self.shape;
        let of_bias = sums.after(e * d);
        // SAFETY: the caller vouches for `rows` rows of x and dy, for `sums`, and for the instructions. Widths are
        // whole registers, so the buffers have the groups of columns that are packed and multiplied.
        unsafe {
            self.pack_x::<L>(x, rows);
            for first in (0..e).step_by(TILES * R) {
                let count = (TILES * R).min(e - first);
                self.pack_y::<L, R>(of_y.after(first), count, rows, of_bias.after(first));
                for column in (0..d).step_by(2 * L::COUNT) {
                    let a = Operand { start: self.of_y.at(0), row: 1, depth: TILES * R };
                    let b = (self.x.at(column * STRIP), &self.x_places[..rows]);
                    let c = (sums.at(first * d + column), &self.places[..count]);
                    SmallProduct { a, b, columns: (2 * L::COUNT).min(d - column), c, add: true }.compute::<L, R>();
                }
            }
        }
    }

    #[inline(always)]
    unsafe fn pack_x<L: Lanes>(&mut self, x: Numbers, rows: usize) {
        let [_, d] = self.shape;
        for row in 0..rows {
            for column in (0..d).step_by(L::COUNT) {
                let group = 2 * L::COUNT;
                let to = self.x.at_mut((column / group * STRIP + row) * group + column % group);
                // SAFETY: d is a multiple of the register, and the buffer has a strip of each group of columns.
                unsafe { L::load(x.at(row * d + column)).store(to) };
            }
        }
    }

    /// Puts `count` columns together, and adds them to the bias' gradient.
    #[inline(always)]
    unsafe fn pack_y<L: Lanes, const R: usize>(&mut self, of_y: Numbers, count: usize, rows: usize, of_bias: Numbers) {
        let [e, _] = self.shape;
        for row in 0..rows {
            for column in (0..count).step_by(L::COUNT) {
                // SAFETY: `count` is a multiple of the register, and the buffer has a strip of that many columns.
                unsafe {
                    let numbers = L::load(of_y.at(row * e + column));
                    numbers.store(self.of_y.at_mut(row * TILES * R + column));
                    add(numbers, of_bias.at(column), count - column);
                }
            }
        }
    }
}
