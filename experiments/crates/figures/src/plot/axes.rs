//! The inner rectangle of a plot, and its axes.

use super::labels;
use super::scale::Scale;
use crate::{Anchor, Canvas};

pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) x: Scale,
    pub(super) y: Scale,
}

impl Frame {
    /// The place of a value from left to right.
    pub(super) fn at_x(&self, value: f64) -> f64 {
        self.left + self.x.share(value) * (self.right - self.left)
    }

    /// The place of a value from top to bottom.
    pub(super) fn at_y(&self, value: f64) -> f64 {
        self.bottom - self.y.share(value) * (self.bottom - self.top)
    }

    /// Draws grid lines, tick labels and axis labels.
    pub(super) fn axes(&self, canvas: &mut Canvas, x_label: &str, y_label: &str) {
        self.x_axis(canvas, x_label);
        let ticks = self.y.ticks();
        for tick in &ticks {
            let y = self.at_y(*tick);
            canvas.line("grid", (self.left, y), (self.right, y));
            canvas.text("tick", (self.left - 6.0, y + 4.0), Anchor::End, &self.y.label(*tick));
        }
        let widest = ticks.iter().map(|tick| self.y.label(*tick).chars().count()).max().unwrap_or(0) as f64;
        let (label, middle) = centred(y_label, f64::midpoint(self.top, self.bottom), (0.0, canvas.size().1));
        canvas.upright("axis", (self.left - 14.0 - 6.5 * widest, middle), &label);
        canvas.line("rule", (self.left, self.top), (self.left, self.bottom));
    }

    /// The same from left to right only.
    pub(super) fn x_axis(&self, canvas: &mut Canvas, label: &str) {
        self.x_grid(canvas, self.top, self.bottom);
        self.x_scale(canvas, label, (0.0, canvas.size().0));
    }

    /// The grid lines of x between two heights.
    pub(super) fn x_grid(&self, canvas: &mut Canvas, top: f64, bottom: f64) {
        for x in self.x.ticks().into_iter().map(|tick| self.at_x(tick)) {
            canvas.line("grid", (x, top), (x, bottom));
        }
    }

    /// The line of x with its tick labels, and its label, which stays between two places.
    pub(super) fn x_scale(&self, canvas: &mut Canvas, label: &str, room: (f64, f64)) {
        for tick in self.x.ticks() {
            canvas.text("tick", (self.at_x(tick), self.bottom + 16.0), Anchor::Middle, &self.x.label(tick));
        }
        let (label, middle) = centred(label, f64::midpoint(self.left, self.right), room);
        canvas.text("axis", (middle, self.bottom + 36.0), Anchor::Middle, &label);
        canvas.line("rule", (self.left, self.bottom), (self.right, self.bottom));
    }
}

/// The label of an axis, cut if it is longer than the room between two ends, and the place of its middle there, near `middle`.
fn centred(label: &str, middle: f64, (start, end): (f64, f64)) -> (String, f64) {
    // These labels are narrower than the bold ones of rows, in wide fonts hardly.
    const NARROW: f64 = 0.83;
    const WIDE: f64 = 0.98;
    let label = labels::fitted(label, (end - start - 8.0) / NARROW);
    let half = WIDE * labels::width(&label) / 2.0 + 4.0;
    let (first, last) = (start + half, end - half);
    let middle = if first > last { f64::midpoint(start, end) } else { middle.clamp(first, last) };
    (label, middle)
}
