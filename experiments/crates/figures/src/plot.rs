//! Plots as SVG: small functions from plain data to text. They draw values that were summarised elsewhere.
//!
//! Colours, type sizes and dark mode come from the page's style sheet by classes (`c0` … `c6` and `ref` are the rows of
//! a report, which also differ in marker, dash and label, so that no plot needs colours). Every plot has a title
//! and a description for screen readers, and every mark a tooltip.

mod axes;
pub mod curves;
pub mod dots;
pub mod forest;
pub mod head_maps;
pub mod hero;
mod labels;
mod legend;
mod medium;
mod scale;
pub mod scatter;

pub use medium::{Medium, PALETTE, STYLE};

use crate::{Canvas, Interval, escape};

/// A number of a tooltip: with four decimals, with none if it is large, and with seven if it is small.
fn number(value: f64) -> String {
    format!("{value:.*}", decimals(value))
}

/// The same with its sign.
fn signed(value: f64) -> String {
    format!("{value:+.*}", decimals(value))
}

/// A difference with its interval: for a tooltip, and for a screen reader.
fn with_interval(mean: f64, Interval { low, high }: Interval) -> [String; 2] {
    let [mean, low, high] = [mean, low, high].map(signed);
    [format!("{mean} [{low}, {high}]"), format!("{mean}, interval {low} to {high}")]
}

fn decimals(value: f64) -> usize {
    match value.abs() {
        1000.0.. => 0,
        size if size > 0.0 && size < 0.001 => 7,
        _ => 4,
    }
}

/// How a row is drawn wherever it appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// The reference: in the colour of the text.
    Reference,
    Twin,
    /// The n-th of the other rows.
    Row(usize),
}

/// The number of colours, which people with colour blindness distinguish (Okabe and Ito, "Color Universal Design", 2008), without black
/// and yellow.
const COLOURS: usize = 6;
/// Dashes, each used for one round of these colours.
const DASHES: [&str; 3] = ["", "6 3", "2 3"];

impl Style {
    /// Its class in a style sheet: a colour.
    pub fn class(self) -> String {
        match self {
            Self::Reference => "ref".to_owned(),
            Self::Twin => "twin".to_owned(),
            Self::Row(n) => format!("c{}", n % COLOURS),
        }
    }

    fn dash(self) -> &'static str {
        match self {
            Self::Reference => "",
            Self::Twin => DASHES[2],
            Self::Row(n) => DASHES[(n / COLOURS) % DASHES.len()],
        }
    }

    /// Which of the marker shapes; rows of one colour get different ones.
    fn shape(self) -> usize {
        match self {
            Self::Reference => 0,
            Self::Twin => 1,
            Self::Row(n) => 1 + n + n / COLOURS,
        }
    }

    /// Draws a row's marker with a tooltip.
    fn mark(self, canvas: &mut Canvas, at: (f64, f64), size: f64, tooltip: &str) {
        canvas.marker(&self.class(), self.shape(), at, size, tooltip);
    }
}

impl Canvas {
    /// A marker of one of six shapes, with a tooltip.
    fn marker(&mut self, class: &str, shape: usize, (x, y): (f64, f64), size: f64, tooltip: &str) {
        let corner = |dx: f64, dy: f64| format!("{:.1},{:.1}", x + dx * size, y + dy * size);
        let polygon = |corners: &[(f64, f64)]| {
            let corners: Vec<String> = corners.iter().map(|&(dx, dy)| corner(dx, dy)).collect();
            format!(r#"<polygon points="{}">"#, corners.join(" "))
        };
        let (shape, end) = match shape % 6 {
            0 => (format!(r#"<circle cx="{x:.1}" cy="{y:.1}" r="{size:.1}">"#), "circle"),
            1 => (polygon(&[(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)]), "polygon"),
            2 => (polygon(&[(0.0, -1.2), (1.1, 0.8), (-1.1, 0.8)]), "polygon"),
            3 => (polygon(&[(0.0, -1.3), (1.3, 0.0), (0.0, 1.3), (-1.3, 0.0)]), "polygon"),
            4 => (polygon(&[(0.0, 1.2), (1.1, -0.8), (-1.1, -0.8)]), "polygon"),
            _ => (polygon(&[(-0.6, -1.1), (0.6, -1.1), (1.2, 0.0), (0.6, 1.1), (-0.6, 1.1), (-1.2, 0.0)]), "polygon"),
        };
        let tooltip = escape(tooltip);
        self.push(&format!(r#"<g class="mark {class}">{shape}<title>{tooltip}</title></{end}></g>"#));
    }
}
