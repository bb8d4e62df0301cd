//! An SVG being written.

use crate::escape;
use std::fmt::Write as _;

games::named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Anchor {
        Start = "start",
        Middle = "middle",
        End = "end",
    }
}

/// The elements of an SVG. Coordinates are in user units, about a screen's pixel each, from the upper left corner.
///
/// ```
/// use figures::board::Scheme;
/// use figures::{Anchor, Canvas};
///
/// let mut canvas = Canvas::new(80.0, 20.0);
/// canvas.text("label", (4.0, 14.0), Anchor::Start, "a < b");
/// let svg = canvas.map(Scheme::Light, "example", "An example", "A text.");
/// assert!(svg.starts_with("<svg ") && svg.contains("a &lt; b"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Canvas {
    width: f64,
    height: f64,
    body: String,
}

/// The parts of an SVG that depend on its medium.
pub(crate) struct Head {
    pub(crate) class: &'static str,
    pub(crate) size: String,
    /// Its first elements: rules and paper.
    pub(crate) first: String,
}

impl Canvas {
    pub fn new(width: f64, height: f64) -> Self {
        Self { width, height, body: String::new() }
    }

    pub(crate) fn size(&self) -> (f64, f64) {
        (self.width, self.height)
    }

    /// Its elements, without the document around them.
    pub fn elements(&self) -> &str {
        &self.body
    }

    /// The same, lower by `down` on a canvas that is higher by as much.
    pub(crate) fn lowered(&self, down: f64) -> Self {
        let Self { width, height, body } = self;
        let body = format!("<g transform=\"translate(0 {down:.0})\">\n{body}</g>\n");
        Self { width: *width, height: height + down, body }
    }

    pub(crate) fn push(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    pub fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        self.push(&format!(r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#));
    }

    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let (anchor, text) = (anchor.name(), escape(text));
        self.push(&format!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#));
    }

    /// A text from bottom to top, its middle at a point.
    pub(crate) fn upright(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let text = escape(text);
        self.push(&format!(
            r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="middle" transform="rotate(-90 {x:.1} {y:.1})">{text}</text>"#
        ));
    }

    pub(crate) fn line(&mut self, class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
        self.push(&format!(r#"<line class="{class}" x1="{x1:.1}" y1="{y1:.1}" x2="{x2:.1}" y2="{y2:.1}"/>"#));
    }

    pub(crate) fn path(&mut self, class: &str, dash: &str, points: &[(f64, f64)]) {
        let dash = if dash.is_empty() { String::new() } else { format!(r#" stroke-dasharray="{dash}""#) };
        self.push(&format!(r#"<path class="{class}"{dash} d="{}"/>"#, through(points)));
    }

    /// The area between an upper and a lower line of the same points.
    pub(crate) fn band(&mut self, class: &str, upper: &[(f64, f64)], lower: &[(f64, f64)]) {
        let around: Vec<_> = upper.iter().chain(lower.iter().rev()).copied().collect();
        self.push(&format!(r#"<path class="{class}" d="{}Z"/>"#, through(&around)));
    }

    /// The SVG. `id` must differ from those of all other pictures of a page.
    pub(crate) fn document(&self, head: &Head, id: &str, title: &str, description: &str) -> String {
        let Self { width, height, body } = self;
        let Head { class, size, first } = head;
        let (title, description) = (escape(title), escape(description));
        format!(
            "<svg class=\"{class}\" id=\"{id}\"{size} viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-desc\" xmlns=\"http://www.w3.org/2000/svg\">\n\
             <title id=\"{id}-title\">{title}</title>\n<desc id=\"{id}-desc\">{description}</desc>\n{first}{body}</svg>\n"
        )
    }
}

fn through(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (i, (x, y)) in points.iter().enumerate() {
        let _ = write!(path, "{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' });
    }
    path
}
