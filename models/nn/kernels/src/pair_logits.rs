//! Logits of the pairs of tokens that a mask selects.
//!
//! scale·q·k + extra for the pairs of a list, in each position only for those that its mask marks. Of a policy's moves between
//! squares a few dozen are legal where the list has thousands: a product of all queries with all keys computes the rest in vain.

use crate::instructions::{Kernel, Workers};
use crate::lanes::{Lanes, add, load};
use crate::operands::Numbers;

/// Positions of a unit of work.
const BLOCK: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    pub query: usize,
    pub key: usize,
    /// The extra term's, if it has one.
    pub extra: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
pub struct PairLogits<'a> {
    pub pairs: &'a [Pair],
    pub batch: usize,
    /// Queries of a position, m.
    pub queries: usize,
    /// Keys of a position, n.
    pub keys: usize,
    /// Extra terms of a position, e.
    pub extras: usize,
    /// Numbers of a query or key, w.
    pub width: usize,
    pub q: Numbers,
    pub k: Numbers,
    /// `[b,e]`; not read if no pair has an extra term.
    pub extra: Numbers,
    /// `[b,v]`: whether a pair is selected.
    pub asked: &'a [bool],
    pub scale: f32,
    /// The logit of a pair that is not selected.
    pub elsewhere: f32,
}

/// What the backward pass writes.
#[derive(Debug, Clone, Copy)]
pub struct PairLogitsGradients {
    pub of_q: Numbers,
    pub of_k: Numbers,
    pub of_extra: Numbers,
}

impl PairLogits<'_> {
    /// Writes the logits `[b,v]`.
    ///
    /// # Safety
    /// As for [`ResidualNorm::compute`](crate::norm::ResidualNorm::compute); the numbers of pairs are below m, n and e.
    ///
    /// # Panics
    /// If the mask has another size.
    pub unsafe fn compute(self, logits: Numbers, workers: Workers) {
        assert_eq!(self.asked.len(), self.batch * self.pairs.len(), "a mask of every pair of every position");
        // SAFETY: the caller vouches for the memory; units write to positions of their own.
        unsafe { workers.run(self.batch.div_ceil(BLOCK), |block| Forward { of: self, logits, block }) };
    }

    /// Writes the gradients, given that of the logits `[b,v]`.
    ///
    /// # Safety
    /// As for [`Self::compute`].
    pub unsafe fn gradients(self, of_logits: Numbers, to: PairLogitsGradients, workers: Workers) {
        // SAFETY: as above.
        unsafe { workers.run(self.batch.div_ceil(BLOCK), |block| Backward { of: self, of_logits, to, block }) };
    }

    fn positions(&self, block: usize) -> std::ops::Range<usize> {
        block * BLOCK..self.batch.min((block + 1) * BLOCK)
    }

    /// Where the pair's query and key begin.
    #[inline(always)]
    fn rows(&self, position: usize, pair: Pair) -> [usize; 2] {
        [(position * self.queries + pair.query) * self.width, (position * self.keys + pair.key) * self.width]
    }
}

struct Forward<'a> {
    of: PairLogits<'a>,
    logits: Numbers,
    block: usize,
}

impl Kernel for Forward<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes, const R: usize>(self) {
        let Self { of, logits, block } = self;
        for position in of.positions(block) {
            let first = position * of.pairs.len();
            for (number, &pair) in of.pairs.iter().enumerate() {
                let mut logit = of.elsewhere;
                if of.asked[first + number] {
                    let [query, key] = of.rows(position, pair);
                    // SAFETY: the caller vouches for the operands, and for a pair whose numbers are below m, n and e.
                    unsafe {
                        let mut sum = L::zero();
                        for i in (0..of.width).step_by(L::COUNT) {
                            let left = of.width - i;
                            sum = sum.plus_product(load(of.q.at(query + i), left), load(of.k.at(key + i), left));
                        }
                        let extra = pair.extra.map_or(0.0, |place| *of.extra.at(position * of.extras + place));
                        logit = sum.sum() * of.scale + extra;
                    }
                }
                // SAFETY: the caller vouches for place for `[b,v]` logits.
                unsafe { *logits.at(first + number) = logit };
            }
        }
    }
}

struct Backward<'a> {
    of: PairLogits<'a>,
    of_logits: Numbers,
    to: PairLogitsGradients,
    block: usize,
}

impl Kernel for Backward<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes, const R: usize>(self) {
        let Self { of, of_logits, to, block } = self;
        for position in of.positions(block) {
            // SAFETY: the caller vouches for place for the gradients of this position, to which no other unit writes.
            unsafe {
                to.of_q.at(position * of.queries * of.width).write_bytes(0, of.queries * of.width);
                to.of_k.at(position * of.keys * of.width).write_bytes(0, of.keys * of.width);
                to.of_extra.at(position * of.extras).write_bytes(0, of.extras);
            }
            let first = position * of.pairs.len();
            for (number, &pair) in of.pairs.iter().enumerate() {
                if !of.asked[first + number] {
                    continue;
                }
                let [query, key] = of.rows(position, pair);
                // SAFETY: as in `Forward`, and no other unit writes to the gradients of this position.
                unsafe {
                    let of_logit = *of_logits.at(first + number);
                    if let Some(place) = pair.extra {
                        *to.of_extra.at(position * of.extras + place) += of_logit;
                    }
                    let factor = L::spread(&(of_logit * of.scale));
                    for i in (0..of.width).step_by(L::COUNT) {
                        let left = of.width - i;
                        add(load::<L>(of.k.at(key + i), left).times(factor), to.of_q.at(query + i), left);
                        add(load::<L>(of.q.at(query + i), left).times(factor), to.of_k.at(key + i), left);
                    }
                }
            }
        }
    }
}
