//! Differences of several rows on several slices, beside each other.

use super::axes::Frame;
use super::labels::{fitted, width};
use super::legend::Legend;
use super::scale::Scale;
use super::{Medium, Style, with_interval};
use crate::{Anchor, Canvas, Interval};

#[derive(Debug, Clone, PartialEq)]
pub struct DotPlot {
    pub title: String,
    pub x_label: String,
    pub groups: Vec<DotGroup>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct DotGroup {
    pub label: String,
    pub dots: Vec<Dot>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Dot {
    pub label: String,
    pub style: Style,
    pub mean: f64,
    pub interval: Interval,
}

const WIDTH: f64 = 540.0;
const DOT: f64 = 11.0;
const GAP: f64 = 10.0;

/// Draws the slices; nothing without any dot.
pub fn draw(plot: &DotPlot, id: &str, medium: Medium) -> Option<String> {
    plot.groups.iter().any(|group| !group.dots.is_empty()).then(|| drawn(plot, id, medium))
}

fn drawn(plot: &DotPlot, id: &str, medium: Medium) -> String {
    let total = medium.width(WIDTH);
    let height_of = |group: &DotGroup| DOT * group.dots.len().max(1) as f64 + GAP;
    let inner: f64 = plot.groups.iter().map(height_of).sum();
    let dots = || plot.groups.iter().flat_map(|group| &group.dots);
    let room = plot.groups.iter().map(|group| width(&group.label)).fold(60.0, f64::max).min(0.39 * total);
    let legend = Legend::new(dots().map(|dot| (dot.style, &dot.label[..])), total - 8.0);
    let top = legend.height + 14.0;
    let frame = Frame {
        left: 14.0 + room,
        right: total - 16.0,
        top,
        bottom: top + inner,
        x: Scale::linear(dots().flat_map(|dot| [dot.interval.low, dot.interval.high, dot.mean]).chain([0.0])),
        y: Scale::tight([0.0, 1.0]),
    };
    let mut canvas = Canvas::new(total, frame.bottom + 46.0);
    frame.x_axis(&mut canvas, &plot.x_label);
    legend.draw(&mut canvas);
    let zero = frame.at_x(0.0);
    canvas.line("zero", (zero, frame.top), (zero, frame.bottom));
    let mut top = frame.top;
    let mut texts = Vec::new();
    for group in &plot.groups {
        let below = top + height_of(group);
        canvas.line("grid", (frame.left, below), (frame.right, below));
        let at = (frame.left - 10.0, f64::midpoint(top, below) + 4.0);
        canvas.text("tick", at, Anchor::End, &fitted(&group.label, room));
        for (i, dot) in group.dots.iter().enumerate() {
            let y = top + GAP / 2.0 + DOT * (i as f64 + 0.5);
            let Interval { low, high } = dot.interval;
            canvas.line(&format!("thin {}", dot.style.class()), (frame.at_x(low), y), (frame.at_x(high), y));
            let [shown, spoken] = with_interval(dot.mean, dot.interval);
            let tooltip = format!("{}, {}: {shown}", dot.label, group.label);
            dot.style.mark(&mut canvas, (frame.at_x(dot.mean), y), 4.0, &tooltip);
            texts.push(format!("{}, {}: {spoken}", group.label, dot.label));
        }
        top = below;
    }
    canvas.titled(medium, id, &plot.title, &format!("{}.", texts.join("; ")))
}
