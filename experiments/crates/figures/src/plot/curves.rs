//! Lines over steps, with bands over seeds.

use super::axes::Frame;
use super::labels::{fitted, spread, width};
use super::legend::Legend;
use super::scale::Scale;
use super::{Medium, Style, number};
use crate::{Anchor, Canvas};

#[derive(Debug, Clone, PartialEq)]
pub struct CurvePlot {
    pub title: String,
    pub x_label: String,
    /// The name of x in a tooltip.
    pub x_name: &'static str,
    pub y_label: String,
    /// Whether axes are logarithmic where their values lie far apart.
    pub of_sizes: bool,
    pub series: Vec<Series>,
    /// A level to mark, and its label.
    pub level: Option<(f64, String)>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    pub label: String,
    pub style: Style,
    pub points: Vec<Point>,
    /// A thin line without band and markers.
    pub faint: Vec<(f64, f64)>,
}

/// A point of a line and the ends of its band.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub low: f64,
    pub high: f64,
}

const WIDTH: f64 = 560.0;
const TOP: f64 = 12.0;
const BELOW: f64 = 46.0;
const HEIGHT: f64 = 340.0;
/// The widest name at the end of a line.
const NAME: f64 = 190.0;

/// Draws the lines; none if no line has two points.
pub fn draw(plot: &CurvePlot, id: &str, medium: Medium) -> Option<String> {
    let is_line = |series: &Series| series.points.len() > 1 || series.faint.len() > 1;
    plot.series.iter().any(is_line).then(|| drawn(plot, id, medium))
}

fn drawn(plot: &CurvePlot, id: &str, medium: Medium) -> String {
    let total = medium.width(WIDTH);
    // A column has no room for names at the ends of lines, and a page for as many as have room below each other.
    let have_room = spread(&vec![0.0; plot.series.len()], TOP + 6.0, HEIGHT - BELOW).is_some();
    let named_ends = medium == Medium::Page && have_room;
    let names = if named_ends { &plot.series[..0] } else { &plot.series[..] };
    let legend = Legend::new(names.iter().map(|series| (series.style, &series.label[..])), total - 8.0);
    let points = || plot.series.iter().flat_map(|series| &series.points);
    let faint = || plot.series.iter().flat_map(|series| &series.faint);
    let widest = plot.series.iter().map(|series| width(&series.label)).fold(0.0, f64::max);
    let level = plot.level.iter().map(|(level, _)| *level);
    let across = points().map(|point| point.x).chain(faint().map(|at| at.0));
    let upright = points().flat_map(|point| [point.low, point.high]).chain(faint().map(|at| at.1)).chain(level);
    let frame = Frame {
        left: 64.0,
        right: if named_ends { total - 28.0 - widest.min(NAME) } else { total - 16.0 },
        top: TOP + legend.height,
        bottom: HEIGHT - BELOW + legend.height,
        x: if plot.of_sizes { Scale::of_sizes(across) } else { Scale::tight(across) },
        y: if plot.of_sizes { Scale::of_sizes(upright) } else { Scale::linear(upright) },
    };
    let mut canvas = Canvas::new(total, HEIGHT + legend.height);
    legend.draw(&mut canvas);
    frame.axes(&mut canvas, &plot.x_label, &plot.y_label);
    if let Some((level, what)) = &plot.level {
        let y = frame.at_y(*level);
        canvas.line("level", (frame.left, y), (frame.right, y));
        match left_is_emptier(plot, *level) {
            true => canvas.text("note", (frame.left + 4.0, y - 5.0), Anchor::Start, what),
            false => canvas.text("note", (frame.right - 4.0, y - 5.0), Anchor::End, what),
        }
    }
    for series in &plot.series {
        let class = series.style.class();
        let along = |of: fn(&Point) -> f64| -> Vec<(f64, f64)> {
            series.points.iter().map(|point| (frame.at_x(point.x), frame.at_y(of(point)))).collect()
        };
        canvas.band(&format!("band {class}"), &along(|p| p.high), &along(|p| p.low));
        let faint: Vec<_> = series.faint.iter().map(|&(x, y)| (frame.at_x(x), frame.at_y(y))).collect();
        if faint.len() > 1 {
            canvas.path(&format!("line faint {class}"), series.style.dash(), &faint);
        }
    }
    for series in &plot.series {
        let line: Vec<_> = series.points.iter().map(|point| (frame.at_x(point.x), frame.at_y(point.y))).collect();
        canvas.path(&format!("line {}", series.style.class()), series.style.dash(), &line);
        for (point, place) in series.points.iter().zip(line) {
            let x = (point.x * 1e6).round() / 1e6;
            let [y, low, high] = [point.y, point.low, point.high].map(number);
            let tooltip = format!("{}, {} {x}: {y} [{low}, {high}]", series.label, plot.x_name);
            series.style.mark(&mut canvas, place, 3.2, &tooltip);
        }
    }
    if named_ends {
        end_labels(plot, &frame, &mut canvas);
    }
    let labels: Vec<&str> = plot.series.iter().map(|series| series.label.as_str()).collect();
    let description = format!("{} over {} for {}.", plot.y_label, plot.x_label, labels.join(", "));
    canvas.titled(medium, id, &plot.title, &description)
}

/// Whether lines are farther from a level at their starts than at their ends.
fn left_is_emptier(plot: &CurvePlot, level: f64) -> bool {
    let nearest = |of: fn(&Series) -> Option<&Point>| {
        plot.series.iter().filter_map(of).map(|point| (point.y - level).abs()).fold(f64::INFINITY, f64::min)
    };
    nearest(|series| series.points.first()) > nearest(|series| series.points.last())
}

/// Each line's name at its right end.
fn end_labels(plot: &CurvePlot, frame: &Frame, canvas: &mut Canvas) {
    let last = |points: &[Point]| points.last().map(|point| (point.x, point.y));
    let end = |series: &Series| last(&series.points).or_else(|| series.faint.last().copied());
    let ends: Vec<_> = plot.series.iter().filter_map(|series| Some((series, end(series)?))).collect();
    let wanted: Vec<f64> = ends.iter().map(|(_, (_, y))| frame.at_y(*y) + 4.0).collect();
    let heights = spread(&wanted, frame.top + 6.0, frame.bottom).unwrap_or_default();
    for ((series, (x, y)), height) in ends.iter().zip(heights) {
        canvas.line("leader", (frame.at_x(*x) + 4.0, frame.at_y(*y)), (frame.right + 10.0, height - 4.0));
        let (class, name) = (format!("label {}", series.style.class()), fitted(&series.label, NAME));
        canvas.text(&class, (frame.right + 12.0, height), Anchor::Start, &name);
    }
}
