//! An SVG being written.

use super::labels;
use super::scale::Scale;
use super::{Medium, Style};
use facts::printable;
use std::fmt::Write as _;

/// Where a text is fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// An SVG being written. Coordinates are in its own units, about a screen's pixel each, from the upper left corner.
pub(super) struct Canvas {
    medium: Medium,
    width: f64,
    height: f64,
    body: String,
}

/// The inner rectangle of a plot, and its axes.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) x: Scale,
    pub(super) y: Scale,
}

impl Frame {
    /// Where a value lies from left to right.
    pub(super) fn at_x(&self, value: f64) -> f64 {
        self.left + self.x.share(value) * (self.right - self.left)
    }

    /// Where a value lies from top to bottom.
    pub(super) fn at_y(&self, value: f64) -> f64 {
        self.bottom - self.y.share(value) * (self.bottom - self.top)
    }
}

impl Canvas {
    pub(super) fn new(medium: Medium, width: f64, height: f64) -> Self {
        Self { medium, width, height, body: String::new() }
    }

    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        let _ = writeln!(self.body, r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#);
    }

    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let (anchor, text) = (anchor.name(), escape(text));
        let _ =
            writeln!(self.body, r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#);
    }

    /// A text from bottom to top, its middle at a point.
    pub(super) fn upright(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let text = escape(text);
        let _ = writeln!(
            self.body,
            r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="middle" transform="rotate(-90 {x:.1} {y:.1})">{text}</text>"#
        );
    }

    pub(super) fn path(&mut self, class: &str, dash: &str, points: &[(f64, f64)]) {
        let dash = if dash.is_empty() { String::new() } else { format!(r#" stroke-dasharray="{dash}""#) };
        let _ = writeln!(self.body, r#"<path class="{class}"{dash} d="{}"/>"#, through(points));
    }

    /// The area between an upper and a lower line of the same points.
    pub(super) fn band(&mut self, class: &str, upper: &[(f64, f64)], lower: &[(f64, f64)]) {
        let around: Vec<_> = upper.iter().chain(lower.iter().rev()).copied().collect();
        let _ = writeln!(self.body, r#"<path class="{class}" d="{}Z"/>"#, through(&around));
    }

    /// A row's marker with a tooltip.
    pub(super) fn marker(&mut self, style: Style, (x, y): (f64, f64), size: f64, tooltip: &str) {
        let corner = |dx: f64, dy: f64| format!("{:.1},{:.1}", x + dx * size, y + dy * size);
        let polygon = |corners: &[(f64, f64)]| {
            let corners: Vec<String> = corners.iter().map(|&(dx, dy)| corner(dx, dy)).collect();
            format!(r#"<polygon points="{}">"#, corners.join(" "))
        };
        let (shape, end) = match style.shape() % 6 {
            0 => (format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{size:.1}">"#), "circle"),
            1 => (polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]), "polygon"),
            2 => (polygon(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]), "polygon"),
            3 => (polygon(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]), "polygon"),
            4 => (polygon(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]), "polygon"),
            _ => (polygon(&[(-0.6, -1.1), (0.6, -1.1), (1.2, 0.0), (0.6, 1.1), (-0.6, 1.1), (-1.2, 0.0)]), "polygon"),
        };
        let tooltip = escape(tooltip);
        let _ = writeln!(self.body, r#"<g class="mark {}">{shape}<title>{tooltip}</title></{end}></g>"#, style.class());
    }

    /// Grid lines, tick labels and axis labels of a frame.
    pub(super) fn axes(&mut self, frame: &Frame, x_label: &str, y_label: &str) {
        self.x_axis(frame, x_label);
        let ticks = frame.y.ticks();
        for tick in &ticks {
            let y = frame.at_y(*tick);
            self.line("grid", (frame.left, y), (frame.right, y));
            self.text("tick", (frame.left - 6.0, y + 4.0), Anchor::End, &frame.y.label(*tick));
        }
        let widest = ticks.iter().map(|tick| frame.y.label(*tick).chars().count()).max().unwrap_or(0) as f64;
        let (label, middle) = centred(y_label, f64::midpoint(frame.top, frame.bottom), self.height);
        self.upright("axis", (frame.left - 14.0 - 6.5 * widest, middle), &label);
        self.line("rule", (frame.left, frame.top), (frame.left, frame.bottom));
    }

    /// The same from left to right only.
    pub(super) fn x_axis(&mut self, frame: &Frame, label: &str) {
        for tick in frame.x.ticks() {
            let x = frame.at_x(tick);
            self.line("grid", (x, frame.top), (x, frame.bottom));
            self.text("tick", (x, frame.bottom + 16.0), Anchor::Middle, &frame.x.label(tick));
        }
        let (label, middle) = centred(label, f64::midpoint(frame.left, frame.right), self.width);
        self.text("axis", (middle, frame.bottom + 36.0), Anchor::Middle, &label);
        self.line("rule", (frame.left, frame.bottom), (frame.right, frame.bottom));
    }

    /// The SVG. `id` must differ from those of all other plots of a page.
    pub(super) fn finish(self, id: &str, title: &str, description: &str) -> String {
        let Self { medium, width, height, body } = self;
        let (size, head) = medium.head((width, height));
        let (title, description) = (escape(title), escape(description));
        format!(
            "<svg class=\"plot\" id=\"{id}\"{size} viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-desc\" xmlns=\"http://www.w3.org/2000/svg\">\n\
             <title id=\"{id}-title\">{title}</title>\n<desc id=\"{id}-desc\">{description}</desc>\n{head}{body}</svg>\n"
        )
    }
}

/// The label of an axis, cut if it is longer than the plot, and where its middle is inside, near `middle`.
fn centred(label: &str, middle: f64, length: f64) -> (String, f64) {
    // These labels are narrower than the bold ones of rows.
    const NARROW: f64 = 0.83;
    let label = labels::fitted(label, (length - 8.0) / NARROW);
    let half = NARROW * labels::width(&label) / 2.0;
    (label, middle.min(length - half - 4.0).max(half + 4.0))
}

fn through(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let _ = write!(path, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
    }
    path
}

/// A text with the special characters of XML and HTML escaped, and without control characters.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            other => out.push(other),
        }
    }
    out
}
