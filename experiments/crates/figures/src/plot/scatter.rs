//! Points in a plane with intervals: quality against cost, one game against another.

use super::axes::Frame;
use super::labels::{self, Labels, Placed};
use super::legend::Legend;
use super::scale::Scale;
use super::{Medium, Style, number};
use crate::{Anchor, Canvas, Interval};

#[derive(Debug, Clone, PartialEq)]
pub struct ScatterPlot {
    pub title: String,
    pub x_label: String,
    pub y_label: String,
    pub points: Vec<ScatterPoint>,
    pub guide: Guide,
    pub size: (f64, f64),
}

#[derive(Debug, Clone, PartialEq)]
pub struct ScatterPoint {
    pub label: String,
    pub style: Style,
    pub at: (f64, f64),
    pub across: Option<Interval>,
    pub upright: Option<Interval>,
}

/// What helps to read the points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guide {
    /// The line of points that no other one beats in both: cheap is on the left, good below or above.
    Front { low_is_good: bool },
    /// Both zero lines, and the diagonal on which both games agree.
    Agreement,
}

const COLUMN_HEIGHT: f64 = 320.0;

/// Draws the points; nothing below two.
pub fn draw(plot: &ScatterPlot, id: &str, medium: Medium) -> Option<String> {
    (plot.points.len() > 1).then(|| drawn(plot, id, medium))
}

fn drawn(plot: &ScatterPlot, id: &str, medium: Medium) -> String {
    let width = medium.width(plot.size.0);
    let height = if medium == Medium::Page { plot.size.1 } else { COLUMN_HEIGHT };
    let size = (width, height);
    // Intervals fill a column's plot, so its names are above it, as those of a page if one of them finds no room.
    let bare = frame(plot, size, 0.0);
    let beside = if medium == Medium::Page { beside(plot, &bare, size) } else { None };
    let names = if beside.is_some() { &plot.points[..0] } else { &plot.points[..] };
    let legend = Legend::new(names.iter().map(|point| (point.style, &point.label[..])), width - 8.0);
    let frame = frame(plot, size, legend.height);
    let mut canvas = Canvas::new(width, height + legend.height);
    legend.draw(&mut canvas);
    frame.axes(&mut canvas, &plot.x_label, &plot.y_label);
    guide(plot, &frame, &mut canvas);
    for point in &plot.points {
        let (x, y) = place(point, &frame);
        let class = format!("thin {}", point.style.class());
        point.across.iter().for_each(|ends| canvas.line(&class, (frame.at_x(ends.low), y), (frame.at_x(ends.high), y)));
        point
            .upright
            .iter()
            .for_each(|ends| canvas.line(&class, (x, frame.at_y(ends.low)), (x, frame.at_y(ends.high))));
    }
    for point in &plot.points {
        let tooltip = format!("{}: {}, {}", point.label, number(point.at.0), number(point.at.1));
        point.style.mark(&mut canvas, place(point, &frame), 5.0, &tooltip);
    }
    for (point, placed) in plot.points.iter().zip(beside.iter().flatten()) {
        if placed.far {
            let half = labels::width(&point.label) / 2.0;
            canvas.line("leader", place(point, &frame), (placed.at.0 + half, placed.at.1 - 4.0));
        }
        canvas.text(&format!("label {}", point.style.class()), placed.at, Anchor::Start, &point.label);
    }
    let text = |point: &ScatterPoint| format!("{} at {}, {}", point.label, number(point.at.0), number(point.at.1));
    let texts: Vec<String> = plot.points.iter().map(text).collect();
    canvas.titled(medium, id, &plot.title, &format!("{} against {}: {}.", plot.y_label, plot.x_label, texts.join("; ")))
}

fn place(point: &ScatterPoint, frame: &Frame) -> (f64, f64) {
    (frame.at_x(point.at.0), frame.at_y(point.at.1))
}

/// The frame below a legend of this height.
fn frame(plot: &ScatterPlot, (width, height): (f64, f64), legend: f64) -> Frame {
    let ends = |interval: Option<Interval>, value: f64| {
        let (low, high) = interval.map_or((value, value), |ends| (ends.low, ends.high));
        [low, high]
    };
    let across: Vec<f64> = plot.points.iter().flat_map(|point| ends(point.across, point.at.0)).collect();
    let upright: Vec<f64> = plot.points.iter().flat_map(|point| ends(point.upright, point.at.1)).collect();
    let (x, y) = match plot.guide {
        Guide::Front { .. } => (Scale::of_sizes(across), Scale::linear(upright)),
        Guide::Agreement => {
            (Scale::linear(across.into_iter().chain([0.0])), Scale::linear(upright.into_iter().chain([0.0])))
        }
    };
    Frame { left: 74.0, right: width - 18.0, top: 14.0 + legend, bottom: height - 48.0 + legend, x, y }
}

/// The names beside their points; none if one of them finds no room.
fn beside(plot: &ScatterPlot, frame: &Frame, (width, _): (f64, f64)) -> Option<Vec<Placed>> {
    let places: Vec<_> = plot.points.iter().map(|point| place(point, frame)).collect();
    let mut labels = Labels::new((frame.left + 2.0, frame.top, width - 2.0, frame.bottom - 2.0), &places);
    for (point, &(x, y)) in plot.points.iter().zip(&places) {
        point.across.iter().for_each(|ends| labels.reserve((frame.at_x(ends.low), y), (frame.at_x(ends.high), y)));
        point.upright.iter().for_each(|ends| labels.reserve((x, frame.at_y(ends.low)), (x, frame.at_y(ends.high))));
    }
    plot.points.iter().zip(places).map(|(point, at)| labels.place(at, &point.label)).collect()
}

fn guide(plot: &ScatterPlot, frame: &Frame, canvas: &mut Canvas) {
    match plot.guide {
        Guide::Front { low_is_good } => {
            let points: Vec<_> = plot.points.iter().map(|point| point.at).collect();
            let mut stairs: Vec<(f64, f64)> = Vec::new();
            for (x, y) in pareto_front(&points, low_is_good) {
                let (x, y) = (frame.at_x(x), frame.at_y(y));
                stairs.extend(stairs.last().map(|&(_, before)| (x, before)));
                stairs.push((x, y));
            }
            stairs.extend(stairs.last().map(|&(_, last)| (frame.right, last)));
            canvas.path("front", "", &stairs);
        }
        Guide::Agreement => {
            let (zero_x, zero_y) = (frame.at_x(0.0), frame.at_y(0.0));
            canvas.line("zero", (zero_x, frame.top), (zero_x, frame.bottom));
            canvas.line("zero", (frame.left, zero_y), (frame.right, zero_y));
            if let Some((low, high)) = diagonal(frame) {
                let end = |value: f64| (frame.at_x(value), frame.at_y(value));
                canvas.line("level", end(low), end(high));
            }
        }
    }
}

/// The ends of the diagonal inside the frame; none if it does not pass through.
fn diagonal(frame: &Frame) -> Option<(f64, f64)> {
    let low = frame.x.invert(0.0).max(frame.y.invert(0.0));
    let high = frame.x.invert(1.0).min(frame.y.invert(1.0));
    (low < high).then_some((low, high))
}

/// The points that no other one beats: those for which nothing as cheap is as good, the cheapest first.
fn pareto_front(points: &[(f64, f64)], low_is_good: bool) -> Vec<(f64, f64)> {
    let badness = |y: f64| if low_is_good { y } else { -y };
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0).then(badness(a.1).total_cmp(&badness(b.1))));
    let mut front: Vec<(f64, f64)> = Vec::new();
    for point in sorted {
        if front.last().is_none_or(|best| badness(point.1) < badness(best.1)) {
            front.push(point);
        }
    }
    front
}

#[cfg(test)]
mod tests {
    use super::pareto_front;

    #[test]
    fn nothing_on_the_front_is_beaten() {
        let points = [(1.0, 5.0), (2.0, 6.0), (2.0, 4.0), (3.0, 4.0), (4.0, 1.0)];
        assert_eq!(pareto_front(&points, true), [(1.0, 5.0), (2.0, 4.0), (4.0, 1.0)]);
        assert_eq!(pareto_front(&points, false), [(1.0, 5.0), (2.0, 6.0)]);
    }
}
