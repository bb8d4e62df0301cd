//! How steeply a metric still changes when training ends.

use super::{CurvePoint, RowReport};

/// The change of the primary metric on validation per doubling of the steps, over the last half of a row's steps: the slope of
/// the least-squares line through the means over seeds. None below two points there.
pub fn per_doubling(curve: &[CurvePoint]) -> Option<f64> {
    let last = curve.last()?.step;
    let points: Vec<(f64, f64)> = curve
        .iter()
        .filter(|point| point.step > 0 && point.step >= last.div_ceil(2))
        .map(|point| ((point.step as f64).log2(), point.level.mean))
        .collect();
    let n = points.len() as f64;
    let mean_x = points.iter().map(|point| point.0).sum::<f64>() / n;
    let mean_y = points.iter().map(|point| point.1).sum::<f64>() / n;
    let across: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let squares: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    (points.len() >= 2 && squares > 0.0).then(|| across / squares)
}

impl RowReport {
    /// The change of its primary metric per doubling of the steps at the end of training.
    pub fn per_doubling(&self) -> Option<f64> {
        per_doubling(&self.curve)
    }
}
