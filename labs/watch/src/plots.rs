//! The small plots of a row: the curve of a cell, and differences seed by seed.

use crate::curve::Curve;
use crate::view::ViewRow;
use report::comparison::Comparison;
use report::numbers::alone;
use std::fmt::Write as _;

/// A tile in units of its plot, and the room for its number.
const TILE: (f64, f64) = (96.0, 46.0);
const NUMBER: f64 = 14.0;

/// Of the plot of differences.
const WIDTH: f64 = 160.0;

/// Differences that are drawn as dots.
const DOTS: usize = 100;

/// Differences that a tooltip lists.
const LISTED: usize = 12;

/// The scales that the rows of a game share.
pub(crate) struct Scales {
    steps: f64,
    loss: (f64, f64),
    difference: (f64, f64),
}

impl Scales {
    /// The upper end of losses is the median of first values, so that a cell that diverges does not flatten the others.
    pub(crate) fn of(lines: &[ViewRow<'_>]) -> Self {
        let cells = || lines.iter().flat_map(|line| line.cells);
        let steps = cells().map(|cell| cell.progress.steps.max(cell.progress.step)).max().unwrap_or_default();
        let lowest =
            cells().flat_map(|cell| cell.values.curve.points()).map(|(_, loss)| loss).fold(f64::INFINITY, f64::min);
        let mut first: Vec<f64> =
            cells().filter_map(|cell| cell.values.curve.points().next()).map(|(_, loss)| loss).collect();
        first.sort_by(f64::total_cmp);
        let highest = first.get(first.len() / 2).copied().unwrap_or_default();
        let comparisons = lines.iter().filter_map(|line| line.report?.comparison.as_ref());
        let differences = comparisons.flat_map(|comparison| &comparison.differences).map(|&(_, difference)| difference);
        let ends = differences.filter(|difference| difference.is_finite());
        Self {
            steps: steps.max(1) as f64,
            loss: wide((lowest.min(highest), highest)),
            difference: wide(
                ends.fold((0.0, 0.0), |(low, high), difference| (difference.min(low), difference.max(high))),
            ),
        }
    }
}

/// Ends that are not equal.
fn wide((low, high): (f64, f64)) -> (f64, f64) {
    if high > low { (low, high) } else { (low - 0.5, low + 0.5) }
}

/// The training loss of a cell in its tile; empty without a value.
pub(crate) fn curve(curve: &Curve, class: &str, scales: &Scales) -> String {
    let ((width, height), (low, high)) = (TILE, scales.loss);
    let mut points = String::new();
    for (step, loss) in curve.points() {
        let x = 3.0 + (step / scales.steps).min(1.0) * (width - 6.0);
        let y = height - 4.0 - ((loss - low) / (high - low)).clamp(0.0, 1.0) * (height - 6.0 - NUMBER);
        let _ = write!(points, "{x:.0},{y:.1} ");
    }
    if points.is_empty() {
        return points;
    }
    let points = points.trim_end();
    format!(
        "<svg class=\"plot\" viewBox=\"0 0 {width} {height}\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
         <polyline class=\"line {class}\" points=\"{points}\"/></svg>"
    )
}

/// Row less reference: a dot for each seed, and a bar at their mean.
pub(crate) fn differences(comparison: Option<&Comparison>, class: &str, scales: &Scales, height: f64) -> String {
    let (low, high) = scales.difference;
    let x = |difference: f64| 5.0 + (difference - low) / (high - low) * (WIDTH - 10.0);
    let mut body = format!("<path class=\"zero\" d=\"M{:.1} 0V{height}\"/>", x(0.0));
    let mut label = String::new();
    if let Some(comparison) = comparison {
        let middle = height / 2.0;
        let drawn = comparison.differences.iter().filter(|(_, difference)| difference.is_finite());
        let _ = write!(body, "<g class=\"mark {class}\">");
        for (seed, difference) in drawn.clone().take(DOTS) {
            let _ = write!(body, "<circle cx=\"{:.1}\" cy=\"{middle}\" r=\"3\"/>", x(*difference));
            if comparison.differences.len() <= LISTED {
                let _ = writeln!(label, "seed {seed}: {}", alone(*difference));
            }
        }
        body += "</g>";
        if let Some(mean) = comparison.mean().filter(|mean| mean.is_finite()) {
            let (x, top, bottom) = (x(mean), middle - 8.0, middle + 8.0);
            let _ = write!(body, "<path class=\"thin {class}\" d=\"M{x:.1} {top}V{bottom}\"/>");
            let _ = write!(label, "mean of {}: {}", drawn.count(), alone(mean));
        }
    }
    let label = if label.is_empty() { label } else { format!("<title>{label}</title>") };
    format!("<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">{label}{body}</svg>")
}
