//! Plots as SVG: small functions from plain data to text. What is drawn was summarised elsewhere.
//!
//! Colours, type sizes and dark mode come from the page's style sheet by classes (`c0` … `c6` and `ref` are the rows of
//! a report, told apart by marker, dash and label too, so that no plot needs colours to be read). Every plot has a title
//! and a description for those who do not see it, and every mark a tooltip.

pub(super) mod canvas;
pub(super) mod curves;
pub(super) mod dots;
pub(super) mod forest;
mod labels;
mod legend;
mod medium;
mod scale;
pub(super) mod scatter;

pub(super) use medium::{Medium, STYLE};

/// How a row is drawn wherever it appears.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// The reference: in the colour of the text.
    Reference,
    Twin,
    /// The n-th of the other rows.
    Row(usize),
}

/// Colours that can be told apart by all eyes (Okabe and Ito, "Color Universal Design", 2008), without black and yellow.
const COLOURS: usize = 6;
/// Dashes, each used for one round of colours.
const DASHES: [&str; 3] = ["", "6 3", "2 3"];

impl Style {
    fn class(self) -> String {
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
}
