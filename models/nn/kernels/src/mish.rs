//! Mish of a sum with a bias, in one pass.
//!
//! x·tanh(softplus(x)) for x = input + bias (Misra 2019, arXiv 1908.08681). With e = eˣ and n = e·(e + 2) it is x·n / (n + 2), and
//! its derivative n / (n + 2) + x·4·e·(e + 1) / (n + 2)²: neither loses digits on either side. The backward pass computes e
//! again.

use crate::exponential::exponential;
use crate::instructions::{Kernel, Workers};
use crate::lanes::{Lanes, add, load, store};
use crate::operands::Numbers;
use crate::row_blocks::write;
use std::ops::Range;

/// From here on Mish is x in f32, and n + 2 would overflow not much later.
const HIGHEST: f32 = 20.0;

#[derive(Debug, Clone, Copy)]
pub struct BiasMish {
    pub rows: usize,
    pub width: usize,
    pub input: Numbers,
    pub bias: Option<Numbers>,
}

/// What the backward pass writes.
#[derive(Debug, Clone, Copy)]
pub struct BiasMishGradients {
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
        unsafe { workers.run_blocks(self.rows, |rows| Forward { mish: self, output, rows }) };
    }

    /// Writes the gradients, given that of the output `[n,d]`.
    ///
    /// # Safety
    /// As for [`Self::compute`].
    pub unsafe fn gradients(self, of_output: Numbers, gradients: BiasMishGradients, workers: Workers) {
        let BiasMishGradients { of_input, of_bias } = gradients;
        let kernel =
            |rows, of_bias| Backward { mish: self, of_output, of_input, of_bias: Some(of_bias), output: None, rows };
        // SAFETY: as above.
        unsafe { write(&workers.run_and_add(self.rows, self.width, kernel), of_bias) };
    }

    /// x, and of e = eˣ, where x is not large: e, n = e·(e + 2) and 1 / (n + 2).
    ///
    /// # Safety
    /// As for [`Self::compute`]; the row and the column j are some of the input's.
    #[inline(always)]
    unsafe fn powers<L: Lanes>(&self, row: usize, j: usize) -> [L; 4] {
        let left = self.width - j;
        // SAFETY: the caller vouches for this row of the input and for the bias, of which `left` numbers follow, and
        // for the instructions.
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

/// The activation of some rows.
pub(crate) struct Forward {
    pub(crate) mish: BiasMish,
    pub(crate) output: Numbers,
    pub(crate) rows: Range<usize>,
}

impl Kernel for Forward {
    #[inline(always)]
    unsafe fn run<L: Lanes, const ROWS: usize>(self) {
        let Self { mish, output, rows } = self;
        let d = mish.width;
        for row in rows {
            for j in (0..d).step_by(L::COUNT) {
                // SAFETY: the caller vouches for `rows` of the input and the output, of which `d − j` numbers follow in
                // this row.
                unsafe {
                    let [x, _, n, share] = mish.powers::<L>(row, j);
                    store(x.times(n.times(share)), output.at(row * d + j), d - j);
                }
            }
        }
    }
}

/// The gradients of some rows.
pub(crate) struct Backward {
    pub(crate) mish: BiasMish,
    pub(crate) of_output: Numbers,
    /// It may be where the gradient of the output is.
    pub(crate) of_input: Numbers,
    /// `[d]`, to which these rows' part is added, if it is wanted.
    pub(crate) of_bias: Option<Numbers>,
    /// The activation itself, written if it is wanted.
    pub(crate) output: Option<Numbers>,
    pub(crate) rows: Range<usize>,
}

impl Kernel for Backward {
    #[inline(always)]
    unsafe fn run<L: Lanes, const ROWS: usize>(self) {
        let Self { mish, of_output, of_input, of_bias, output, rows } = self;
        let d = mish.width;
        for row in rows {
            for j in (0..d).step_by(L::COUNT) {
                // SAFETY: the caller vouches for `rows` of the tensors, of which `d − j` numbers follow in this row,
                // and for `[d]` sums of the bias.
                unsafe {
                    let [x, e, n, share] = mish.powers::<L>(row, j);
                    let (one, four) = (L::spread(&1.0), L::spread(&4.0));
                    let bent = e.times(e.plus(one)).times(share).times(share).times(four);
                    let slope = n.times(share).plus_product(x, bent);
                    let of_x = load::<L>(of_output.at(row * d + j), d - j).times(slope);
                    store(of_x, of_input.at(row * d + j), d - j);
                    if let Some(of_bias) = of_bias {
                        add(of_x, of_bias.at(j), d - j);
                    }
                    if let Some(output) = output {
                        store(x.times(n.times(share)), output.at(row * d + j), d - j);
                    }
                }
            }
        }
    }
}
