//! Random weights, none of them zero.

use nn::{Init, Layout, Part, Range};
use streams::stream;

/// Standard deviation of the noise on tables, norms, biases and gates: large enough that every one of them changes the
/// output, and that some gates close.
const FULL_STD: f64 = 0.4;

/// Standard deviation of the noise on matrices: small against Glorot's values, large enough for those that start at
/// zero.
const MATRIX_STD: f64 = 0.02;

/// Weights in layout order: initial values plus normal noise from separate streams; padding is zero.
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
            // A variance must be positive.
            *value = if param.part == Part::Statistic { moved.abs() } else { moved };
        }
    }
    values
}
