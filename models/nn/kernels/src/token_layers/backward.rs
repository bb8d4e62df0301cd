//! From the gradient of the output to those of everything that the layers read.

use super::{DenseLayer, Saved, TokenLayers, TokenLayersGradients, scratch};
use crate::buffer::Buffer;
use crate::dense::{AddTo, OfWeight, Panels, RowProduct};
use crate::instructions::{Kernel, Workers};
use crate::lanes::Lanes;
use crate::operands::Numbers;
use crate::row_blocks::{STRIP, write};
use crate::{mish, norm};
use std::ops::Range;

/// Where the sums over rows stand among a group's numbers.
#[derive(Clone, Copy)]
struct Places {
    /// Of the output layer: first of its weight, then of its bias; the same below.
    out: usize,
    inner: usize,
    outer: usize,
    gains: [usize; 2],
    end: usize,
}

impl Places {
    fn of(layers: &TokenLayers) -> Self {
        let (d, wide) = (layers.width, layers.hidden);
        let inner = d * d + d;
        let outer = inner + wide * d + wide;
        let first_gain = outer + d * wide + d;
        Self { out: 0, inner, outer, gains: [first_gain, first_gain + d], end: first_gain + 2 * d }
    }
}

impl TokenLayers {
    /// Writes the gradients, given that of the output `[n,d]`.
    ///
    /// # Safety
    /// As for [`Self::compute`].
    pub unsafe fn gradients(self, kept: Saved, of_output: Numbers, to: TokenLayersGradients, workers: Workers) {
        let (d, wide) = (self.width, self.hidden);
        let places = Places::of(&self);
        // SAFETY: the caller vouches for the memory; groups write to rows and sums of their own.
        unsafe {
            let panels = [
                Panels::of(self.out.weight, [d, d], workers),
                Panels::of(self.inner.weight, [wide, d], workers),
                Panels::of(self.outer.weight, [d, wide], workers),
            ];
            let backward =
                |rows, sums| Backward { layers: self, kept, of_output, to, panels: &panels, places, sums, rows };
            let sums = workers.run_and_add(self.rows, places.end, backward);
            let write_layer = |at: usize, [e, d]: [usize; 2], to: DenseLayer| {
                write(&sums[at..at + e * d], Some(to.weight));
                write(&sums[at + e * d..at + e * d + e], to.bias);
            };
            write_layer(places.out, [d, d], to.of_out);
            write_layer(places.inner, [wide, d], to.of_inner);
            write_layer(places.outer, [d, wide], to.of_outer);
            for (at, to) in places.gains.into_iter().zip(to.of_gains) {
                write(&sums[at..at + d], Some(to));
            }
        }
    }
}

struct Backward<'a> {
    layers: TokenLayers,
    kept: Saved,
    of_output: Numbers,
    to: TokenLayersGradients,
    panels: &'a [Panels; 3],
    places: Places,
    sums: Numbers,
    rows: Range<usize>,
}

impl Kernel for Backward<'_> {
    #[inline(always)]
    unsafe fn run<L: Lanes, const R: usize>(self) {
        let Self { layers, kept, of_output, to, panels: [out, inner, outer], places, sums, rows } = self;
        let (d, wide) = (layers.width, layers.hidden);
        let shapes = [[d, d], [wide, d], [d, wide]];
        let [mut out_weight, mut inner_weight, mut outer_weight] = shapes.map(OfWeight::new::<L, R>);
        let mut buffers = [d, d, d, wide, wide].map(|width| Buffer::new(STRIP * width));
        let [normed, of_normed, of_branch, active, of_hidden] = buffers.each_mut().map(scratch);
        for first in rows.clone().step_by(STRIP) {
            let count = STRIP.min(rows.end - first);
            let narrow = |tensor: Numbers| tensor.after(first * d);
            let hidden = kept.hidden.after(first * wide);
            let first_norm = layers.norm(0, narrow(layers.stream), narrow(kept.attended), count);
            let product = |a, panels, add_to, c| RowProduct { a, panels, add_to, c, rows: count };
            // SAFETY: the caller vouches for the tensors, of the sizes given, for `sums` up to `places.end`, and for
            // the instructions; each buffer has a strip of rows, and the strip has `count` of them.
            unsafe {
                norm::Forward { norm: first_norm, output: normed, rows: 0..count }.run::<L, R>();
                norm::Backward {
                    norm: layers.norm(1, normed, narrow(kept.fed), count),
                    of_output: narrow(of_output),
                    of_stream: of_normed,
                    of_branch,
                    of_gain: sums.after(places.gains[1]),
                    rows: 0..count,
                }
                .run::<L, R>();
                product(of_branch, outer, AddTo::Nothing, of_hidden).run::<L, R>();
                mish::Backward {
                    mish: layers.mish(hidden, count),
                    of_output: of_hidden,
                    of_input: of_hidden,
                    of_bias: None,
                    output: Some(active),
                    rows: 0..count,
                }
                .run::<L, R>();
                outer_weight.add::<L, R>(active, of_branch, count, sums.after(places.outer));
                inner_weight.add::<L, R>(normed, of_hidden, count, sums.after(places.inner));
                product(of_hidden, inner, AddTo::Existing, of_normed).run::<L, R>();
                norm::Backward {
                    norm: first_norm,
                    of_output: of_normed,
                    of_stream: narrow(to.of_stream),
                    of_branch,
                    of_gain: sums.after(places.gains[0]),
                    rows: 0..count,
                }
                .run::<L, R>();
                out_weight.add::<L, R>(narrow(layers.mixed), of_branch, count, sums.after(places.out));
                product(of_branch, out, AddTo::Nothing, narrow(to.of_mixed)).run::<L, R>();
            }
        }
    }
}
