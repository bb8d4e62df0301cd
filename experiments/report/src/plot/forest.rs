//! Differences to the reference with their intervals, one below the other.

use super::Style;
use super::canvas::{Anchor, Canvas, Frame};
use super::labels::width;
use super::scale::Scale;
use crate::statistics::Interval;

/// Differences and intervals.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ForestPlot {
    pub(crate) title: String,
    pub(crate) x_label: String,
    /// The labels left and right of zero; none if neither side is better.
    pub(crate) sides: Option<(&'static str, &'static str)>,
    pub(crate) rows: Vec<ForestRow>,
}

/// A difference.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ForestRow {
    pub(crate) label: String,
    pub(crate) style: Style,
    pub(crate) mean: f64,
    /// The plain 95 % interval: the thick line.
    pub(crate) plain: Interval,
    /// Holm's: the thin line.
    pub(crate) corrected: Option<Interval>,
    /// The verdict, on the right.
    pub(crate) verdict: String,
}

const WIDTH: f64 = 860.0;
const ROW: f64 = 30.0;

/// Draws the differences; nothing without any.
pub(crate) fn draw(plot: &ForestPlot, id: &str) -> Option<String> {
    (!plot.rows.is_empty()).then(|| drawn(plot, id))
}

fn drawn(plot: &ForestPlot, id: &str) -> String {
    let height = 76.0 + ROW * plot.rows.len() as f64;
    let widest = |of: fn(&ForestRow) -> &str| plot.rows.iter().map(|row| width(of(row))).fold(60.0, f64::max);
    let ends = plot.rows.iter().flat_map(|row| {
        [Some(row.plain), row.corrected].into_iter().flatten().flat_map(|ends| [ends.low, ends.high]).chain([row.mean])
    });
    let frame = Frame {
        left: 24.0 + widest(|row| &row.label).min(260.0),
        right: WIDTH - 24.0 - widest(|row| &row.verdict).min(220.0),
        top: 26.0,
        bottom: height - 46.0,
        x: Scale::linear(ends.chain([0.0])),
        y: Scale::tight([0.0, 1.0]),
    };
    let mut canvas = Canvas::new(WIDTH, height);
    canvas.x_axis(&frame, &plot.x_label);
    let zero = frame.at_x(0.0);
    canvas.line("zero", (zero, frame.top - 8.0), (zero, frame.bottom));
    if let Some((left, right)) = plot.sides {
        canvas.text("note", (zero - 8.0, frame.top - 12.0), Anchor::End, &format!("◀ {left}"));
        canvas.text("note", (zero + 8.0, frame.top - 12.0), Anchor::Start, &format!("{right} ▶"));
    }
    for (i, row) in plot.rows.iter().enumerate() {
        let y = frame.top + ROW * (i as f64 + 0.5);
        let class = row.style.class();
        canvas.text(&format!("label {class}"), (frame.left - 12.0, y + 4.0), Anchor::End, &row.label);
        let mut interval = |kind: &str, ends: &Interval| {
            canvas.line(&format!("{kind} {class}"), (frame.at_x(ends.low), y), (frame.at_x(ends.high), y));
        };
        row.corrected.iter().for_each(|ends| interval("thin", ends));
        interval("thick", &row.plain);
        let tooltip = format!("{}: {:+.4} [{:+.4}, {:+.4}]", row.label, row.mean, row.plain.low, row.plain.high);
        canvas.marker(row.style, (frame.at_x(row.mean), y), 5.5, &tooltip);
        canvas.text("tick", (frame.right + 12.0, y + 4.0), Anchor::Start, &row.verdict);
    }
    let said = plot.rows.iter().map(|row| {
        format!(
            "{}: {:+.4}, interval {:+.4} to {:+.4}, {}",
            row.label, row.mean, row.plain.low, row.plain.high, row.verdict
        )
    });
    canvas.finish(id, &plot.title, &format!("{}.", said.collect::<Vec<_>>().join("; ")))
}
