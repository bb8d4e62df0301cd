//! The names of rows above a plot.

use super::Style;
use super::labels::{fitted, width};
use crate::{Anchor, Canvas};

const LEFT: f64 = 12.0;
const LINE: f64 = 17.0;
/// Room for a marker before a name, and between two names.
const MARKER: f64 = 10.0;
const GAP: f64 = 20.0;

/// Markers with names, in as many lines as they need.
pub(super) struct Legend {
    entries: Vec<(Style, String, (f64, f64))>,
    /// The height of all lines; 0 without names.
    pub(super) height: f64,
}

impl Legend {
    /// Each name once, in lines that end at `right`.
    pub(super) fn new<'a>(names: impl IntoIterator<Item = (Style, &'a str)>, right: f64) -> Self {
        let (mut entries, mut x, mut y) = (Vec::<(Style, String, _)>::new(), LEFT, 14.0);
        for (style, name) in names {
            let name = fitted(name, right - LEFT - MARKER);
            if entries.iter().any(|(known, other, _)| *known == style && *other == name) {
                continue;
            }
            let length = MARKER + width(&name);
            if x > LEFT && x + length > right {
                (x, y) = (LEFT, y + LINE);
            }
            entries.push((style, name, (x, y)));
            x += length + GAP;
        }
        let height = if entries.is_empty() { 0.0 } else { y + 6.0 };
        Self { entries, height }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas) {
        for (style, name, (x, y)) in &self.entries {
            style.mark(canvas, (*x, *y), 4.5, name);
            canvas.text(&format!("label {}", style.class()), (x + MARKER, y + 4.0), Anchor::Start, name);
        }
    }
}
