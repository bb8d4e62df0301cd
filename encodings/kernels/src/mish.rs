//! Mish of a sum with a bias, in one pass.
//!
//! x·tanh(softplus(x)) for x = input + bias (Misra 2019, arXiv 1908.08681). With e = eˣ and n = e·(e + 2) it is x·n / (n + 2), and
//! its derivative n / (n + 2) + x·4·e·(e + 1) / (n + 2)²: neither loses digits on either side. The backward pass computes e
//! again.

use crate::buffer::Buffer;
use crate::exponential::exponential;
use crate::instructions::Kernel;
use crate::lanes::{Lanes, load, store};
use crate::row_blocks::{Block, Numbers};
use crate::workers::Workers;

/// From here on Mish is x in f32, and n + 2 would overflow not much later.
const HIGHEST: f32 = 20.0;

/// What both passes read.
#[derive(Debug, Clone, Copy)]
pub struct BiasMish {
    /// n.
    pub rows: usize,
    /// d, at least 1.
    pub width: usize,
    /// `[n,d]`.
    pub input: Numbers,
    /// `[d]`.
    pub bias: Option<Numbers>,
}

/// What the backward pass writes.
#[derive(Debug, Clone, Copy)]
pub struct BiasMishGradients {
    /// `[n,d]`.
    pub of_input: Numbers,
    /// `[d]`, if it is wanted.
    pub of_bias: Option<Numbers>,
}

impl BiasMish {
    /// Writes the activation to `output [n,d]`.
    ///
    /// # Safety
    /// As for [`ResidualNorm::compute`](crate::norm::ResidualNorm::compute).
    pub unsafe fn compute(self, output: Numbers, workers: Workers) {
        // SAFETY: the caller vouches for the memory; blocks write to rows of their own.
        unsafe { workers.run_blocks(self.rows, |block| Forward { mish: self, output, block }) };
    }

    /// Writes the gradients, given that of the output `[n,d]`.
    ///
    /// # Safety
    /// As for [`Self::compute`].
    pub unsafe fn gradients(self, of_output: Numbers, gradients: BiasMishGradients, workers: Workers) {
        let sizes = [self.rows, self.width];
        let kernel = |block, parts| Backward { mish: self, of_output, gradients, parts, block };
        // SAFETY: as above.
        unsafe { workers.run_blocks_and_add(sizes, gradients.of_bias, kernel) };
    }

    /// x, and of e = eˣ, where x is not large: e, n = e·(e + 2) and 1 / (n + 2).
    #[inline(always)]
    unsafe fn powers<L: Lanes>(&self, row: usize, j: usize) -> [L; 4] {
        let left = self.width - j;
        unsafe {
            let mut x = load::<L>(self.input.at(row * self.width + j), left);
            if let Some(bias) = self.bias {
                x = x.plus(load(bias.at(j), left));
            }
            let (two, one) = (L::spread(&2.0), L::spread(&1.0));
            let e = exponential(L::spread(&HIGHEST).smaller(x));
            let n = e.times(e.plus(two));
            [x, e, n, one.over(n.plus(two))]
        }
    }
}

struct Forward {
    mish: BiasMish,
    output: Numbers,
    block: Block,
}

impl Kernel for Forward {
    #[inline(always)]
    unsafe fn run<L: Lanes, const ROWS: usize>(self) {
        let Self { mish, output, block } = self;
        let d = mish.width;
        for row in block.rows {
            let mut j = 0;
            while j < d {
                unsafe {
                    let [x, _, n, share] = mish.powers::<L>(row, j);
                    store(x.times(n.times(share)), output.at(row * d + j), d - j);
                }
                j += L::COUNT;
            }
        }
    }
}

struct Backward {
    mish: BiasMish,
    of_output: Numbers,
    gradients: BiasMishGradients,
    /// `[blocks,d]`.
    parts: Numbers,
    block: Block,
}

impl Kernel for Backward {
    #[inline(always)]
    unsafe fn run<L: Lanes, const ROWS: usize>(self) {
        let Self { mish, of_output, gradients, parts, block } = self;
        let d = mish.width;
        let mut of_bias = Buffer::new(d.next_multiple_of(L::COUNT));
        for row in block.rows {
            let mut j = 0;
            while j < d {
                unsafe {
                    let [x, e, n, share] = mish.powers::<L>(row, j);
                    let (one, four) = (L::spread(&1.0), L::spread(&4.0));
                    let bent = e.times(e.plus(one)).times(share).times(share).times(four);
                    let slope = n.times(share).plus_product(x, bent);
                    let of_x = load::<L>(of_output.at(row * d + j), d - j).times(slope);
                    store(of_x, gradients.of_input.at(row * d + j), d - j);
                    let of_bias = of_bias.at_mut(j);
                    L::load(of_bias).plus(of_x).store(of_bias);
                }
                j += L::COUNT;
            }
        }
        for j in 0..d {
            unsafe { *parts.at(block.number * d + j) = *of_bias.at(j) };
        }
    }
}
