//! The medium of a plot, and the parts of an SVG outside a page.

use super::labels::wrapped;
use crate::canvas::Head;
use crate::{Anchor, Canvas};

/// The rules of plots, with the colours of the page that holds them.
pub const STYLE: &str = include_str!("plot.css");

/// The width of a column in units of a plot: text of 12.5 units is then 7.3 points high.
const COLUMN: f64 = 400.0;
const COLUMN_INCHES: f64 = 3.25;

/// The smallest text of a plot is at least 11 pixels high on a page; narrower screens scroll.
const LEGIBLE: f64 = 11.0 / 12.0;

/// The height of a line of a title, and how much wider it is than one of a label.
const TITLE: f64 = 20.0;
const WIDER: f64 = 1.25;

/// The colours of plots: the name in the page's style sheet, the colour in print, which is that of the style sheet's print rules, and a
/// mid-tone for pages of any colour. Mid-tones have a contrast of 3.6 or more on white and on the dark pages of GitHub and mdBook.
pub const PALETTE: [(&str, &str, &str); 13] = [
    ("paper", "#ffffff", "none"),
    ("ink", "#000000", "#747b83"),
    ("soft", "#444b53", "#7a8189"),
    ("line", "#cfd4da", "#7a8189"),
    ("c0", "#0072b2", "#2f86c9"),
    ("c1", "#d55e00", "#d2601a"),
    ("c2", "#00805d", "#17936e"),
    ("c3", "#b8568f", "#bd5f98"),
    ("c4", "#a86b00", "#a87413"),
    ("c5", "#2a8fc4", "#3f8fb0"),
    ("good", "#00694c", "#12916a"),
    ("bad", "#a83c00", "#d05a1e"),
    ("open", "#4a5058", "#7a8189"),
];

/// The medium of a plot. No plot has a background.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Medium {
    /// The HTML page, with colours from its style sheet.
    Page,
    /// A column of a paper, 3.25 inches (82.55 mm) wide, as a file that needs no other and is legible on light and dark pages.
    Column,
    /// The same in the colours of print.
    Print,
}

impl Medium {
    /// The width of a plot in its units; `page` is that on the page.
    pub(super) fn width(self, page: f64) -> f64 {
        match self {
            Self::Page => page,
            Self::Column | Self::Print => COLUMN,
        }
    }

    /// For an SVG that is this many units wide and high.
    fn head(self, (width, height): (f64, f64)) -> Head {
        let grid = match self {
            Self::Page => {
                let size = format!(" style=\"min-width:{:.0}px\"", LEGIBLE * width);
                return Head { class: "plot", size, first: String::new() };
            }
            Self::Column => ".plot .grid { stroke-opacity: 0.35; }\n",
            Self::Print => "",
        };
        let rules = PALETTE.iter().fold(STYLE.to_owned(), |rules, &(name, in_print, on_any_page)| {
            rules.replace(&format!("var(--{name})"), if self == Self::Print { in_print } else { on_any_page })
        });
        let [across, down] = [width, height].map(inches);
        let size = format!(" width=\"{across}in\" height=\"{down}in\"");
        let font = ".plot { font-family: \"DejaVu Sans\", Arial, sans-serif; font-stretch: condensed; }";
        Head { class: "plot", size, first: format!("<style>\n{font}\n{rules}{grid}</style>\n") }
    }
}

/// A length in units as inches, `3.25`.
fn inches(units: f64) -> String {
    format!("{:.4}", units * COLUMN_INCHES / COLUMN).trim_end_matches('0').trim_end_matches('.').to_owned()
}

impl Canvas {
    /// The SVG of a plot, with its title above it as a file for any page. The report's page and papers have captions.
    pub(super) fn titled(&self, medium: Medium, id: &str, title: &str, description: &str) -> String {
        if medium != Medium::Column {
            return self.plot(medium, id, title, description);
        }
        let (across, _) = self.size();
        let lines = wrapped(title.trim_end_matches('.'), across / WIDER);
        let mut canvas = self.lowered(TITLE * lines.len() as f64);
        for (place, line) in (1..).zip(&lines) {
            canvas.text("title", (across / 2.0, TITLE * f64::from(place) - 4.0), Anchor::Middle, line);
        }
        canvas.plot(medium, id, title, description)
    }

    /// The SVG of a plot. `id` must differ from those of all other plots of a page.
    pub(super) fn plot(&self, medium: Medium, id: &str, title: &str, description: &str) -> String {
        self.document(&medium.head(self.size()), id, title, description)
    }
}
