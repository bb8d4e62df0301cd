//! The SVG of a map, in colours of a light and a dark page.

use crate::Canvas;
use crate::canvas::Head;

/// The rules of every map on a light page. Ends of the scale are those of ColorBrewer's RdBu, which is safe for red-green
/// colour blindness; a value's opacity is its share of the scale, so that the middle is the paper.
const LIGHT: &str = "\
.paper { fill: #ffffff; } .cell { fill: #f7f7f7; } .grid { stroke: #d0d4d9; stroke-width: 0.5; fill: none; }
.high { fill: #b2182b; } .low { fill: #2166ac; } .mark { fill: none; stroke: #111111; stroke-width: 1.6; }
text { fill: #1a1d21; font-family: \"DejaVu Sans Condensed\", \"DejaVu Sans\", Arial, sans-serif; font-stretch: condensed; }
.title { font-size: 13px; font-weight: bold; } .label { font-size: 10.5px; } .soft { fill: #4d545c; font-size: 10.5px; }
.first { fill: #ffffff; stroke: #111111; stroke-width: 3.5; stroke-linejoin: round; }
.second { fill: #26292e; stroke: #ffffff; stroke-width: 2.5; stroke-linejoin: round; }
.wood { fill: #f3dfb0; stroke: #4a3a18; stroke-width: 3; stroke-linejoin: round; }
.letter { fill: #111111; font-size: 46px; font-weight: bold; } .promoted { fill: #a8121d; font-size: 40px; font-weight: bold; }
";

/// What differs on a dark page.
const DARK: &str = "\
@media (prefers-color-scheme: dark) {
.paper { fill: #14171a; } .cell { fill: #24282d; } .grid { stroke: #3a4048; }
.high { fill: #ff7a5c; } .low { fill: #58a6ff; } .mark { stroke: #f2f4f7; }
text { fill: #e8ebef; } .soft { fill: #aab2bb; }
.letter { fill: #111111; } .promoted { fill: #a8121d; } }
";

/// Whether a map follows the reader's colour scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Light or dark, as the reader's page is.
    Reader,
    Light,
}

impl Canvas {
    /// The SVG of a map. `id` must differ from those of all other maps of a page.
    pub fn map(&self, scheme: Scheme, id: &str, title: &str, description: &str) -> String {
        let (width, height) = self.size();
        let size = format!("width=\"{width:.0}\" height=\"{height:.0}\"");
        let dark = if scheme == Scheme::Reader { DARK } else { "" };
        let first = format!("<style>\n{LIGHT}{dark}</style>\n<rect class=\"paper\" {size}/>\n");
        self.document(&Head { class: "map", size: format!(" {size}"), first }, id, title, description)
    }
}
