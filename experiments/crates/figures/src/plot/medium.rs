//! What a plot is drawn for, and what an SVG outside a page needs.

use crate::Canvas;
use crate::canvas::Head;

/// The rules of plots, with the colours of the page that holds them.
pub const STYLE: &str = include_str!("plot.css");

/// The width of a column in units of a plot: text of 12.5 units is then 7.3 points high.
const COLUMN: f64 = 400.0;
const COLUMN_INCHES: f64 = 3.25;

/// The page's colours for print, as its style sheet has them.
pub const PRINT: [(&str, &str); 10] = [
    ("paper", "#ffffff"),
    ("ink", "#000000"),
    ("soft", "#444b53"),
    ("line", "#cfd4da"),
    ("c0", "#0072b2"),
    ("c1", "#d55e00"),
    ("c2", "#00805d"),
    ("c3", "#b8568f"),
    ("c4", "#a86b00"),
    ("c5", "#2a8fc4"),
];

/// What a plot is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// The HTML page, with colours from its style sheet.
    Page,
    /// A column of a printed paper, 3.25 inches (82.55 mm) wide, as a file that needs no other.
    Column,
}

impl Medium {
    /// The width of a plot in its units; `page` is that on the page.
    pub(super) fn width(self, page: f64) -> f64 {
        match self {
            Self::Page => page,
            Self::Column => COLUMN,
        }
    }

    /// For an SVG that is this many units wide and high.
    fn head(self, (width, height): (f64, f64)) -> Head {
        if self == Self::Page {
            return Head { class: "plot", size: String::new(), first: String::new() };
        }
        let rules = PRINT
            .iter()
            .fold(STYLE.to_owned(), |rules, (name, colour)| rules.replace(&format!("var(--{name})"), colour));
        let inches = height * COLUMN_INCHES / width;
        let size = format!(" width=\"{COLUMN_INCHES}in\" height=\"{inches:.4}in\"");
        let font = ".plot { font-family: \"DejaVu Sans\", Arial, sans-serif; font-stretch: condensed; }";
        let paper = format!("<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"#ffffff\"/>");
        Head { class: "plot", size, first: format!("<style>\n{font}\n{rules}</style>\n{paper}\n") }
    }
}

impl Canvas {
    /// The SVG of a plot. `id` must differ from those of all other plots of a page.
    pub(super) fn plot(&self, medium: Medium, id: &str, title: &str, description: &str) -> String {
        self.document(&medium.head(self.size()), id, title, description)
    }
}
