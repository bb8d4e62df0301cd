//! The channels whose unit differs: Lc0 feeds its networks the raw count of rule 50, posenc a share of it.

use games::{FeatureKind, InputLayout};
use models::input::Expander;

/// Changes the weights of scalar inputs by `change(weight, scale)`; `rows` has `row` values per output, which begin with
/// `area` values for each input plane.
fn of_scalars(rows: &mut [f32], input: &InputLayout, [area, row]: [usize; 2], change: impl Fn(f32, f32) -> f32) {
    let first = Expander::new(input).channels() - input.features.len();
    for (i, feature) in input.features.iter().enumerate() {
        let FeatureKind::Scalar { scale } = feature.kind else { continue };
        for outputs in rows.chunks_exact_mut(row) {
            outputs[(first + i) * area..][..area].iter_mut().for_each(|weight| *weight = change(*weight, scale));
        }
    }
}

/// Lc0's weights for posenc's inputs: `row` values per output, `area` of them per plane.
pub(super) fn by_scaled_channels(mut rows: Vec<f32>, input: &InputLayout, area: usize, row: usize) -> Vec<f32> {
    of_scalars(&mut rows, input, [area, row], |weight, scale| weight * scale);
    rows
}

/// posenc's weights for Lc0's inputs: the inverse, for kernels of one square.
pub(super) fn by_raw_channels(mut rows: Vec<f32>, input: &InputLayout, row: usize) -> Vec<f32> {
    of_scalars(&mut rows, input, [1, row], |weight, scale| weight / scale);
    rows
}
