//! Random weights, none of them zero.

use nn::{Init, Layout, Part, Range};
use streams::stream;

/// How far tables, norms, biases and gates are moved from their first values: enough that every one of them shows in
/// the output, and that some gates close.
const FULL_STD: f64 = 0.4;

/// How far weights of matrix products are moved: little beside Glorot's values, enough for those that start at zero.
const MATRIX_STD: f64 = 0.02;

/// Weights in layout order: first values and a normal step from each, from streams of their own; padding is zero.
pub(super) fn weights(layout: &Layout, seed: u64) -> Vec<f32> {
    let mut values = vec![0f32; layout.len()];
    for param in layout.params() {
        let std = match param.range {
            Range::Full => FULL_STD,
            Range::Matrix => MATRIX_STD,
        };
        let first = param.init.values(&mut stream(seed, &["random weights", "first", &param.name]), &param.shape);
        let steps =
            Init::Normal { std }.values(&mut stream(seed, &["random weights", "step", &param.name]), &param.shape);
        for ((value, first), step) in values[param.offset..].iter_mut().zip(first).zip(steps) {
            let moved = first + step;
            // A variance is positive.
            *value = if param.part == Part::Statistic { moved.abs() } else { moved };
        }
    }
    values
}
