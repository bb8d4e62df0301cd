//! An SVG being written, in colours of a light and a dark page.

use report::html::escape;
use std::fmt::Write as _;

/// The rules of every picture on a light page. Ends of the scale are those of training's pictures, ColorBrewer's RdBu, which
/// is safe for red-green colour blindness; a value's opacity is its share of the scale, so that the middle is the paper.
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

/// Whether a picture follows the reader's colour scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Light or dark, as the reader's page is.
    Reader,
    Light,
}

/// Where a text is fixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// An SVG being written. Coordinates are pixels from the upper left corner.
#[derive(Debug, Clone, Default)]
pub struct Svg {
    body: String,
    width: f64,
    height: f64,
}

impl Svg {
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self { body: String::new(), width, height }
    }

    pub(super) fn rect(&mut self, class: &str, (x, y): (f64, f64), (width, height): (f64, f64)) {
        self.line(&format!(r#"<rect class="{class}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}"/>"#));
    }

    /// A rectangle in the colour of a value from −1 to 1, with a tooltip.
    pub(super) fn value(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), share: f64, tooltip: &str) {
        let share = if share.is_finite() { share.clamp(-1.0, 1.0) } else { 0.0 };
        let class = if share < 0.0 { "low" } else { "high" };
        let title = if tooltip.is_empty() { String::new() } else { format!("<title>{}</title>", escape(tooltip)) };
        self.line(&format!(
            r#"<rect class="{class}" fill-opacity="{:.3}" x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}">{title}</rect>"#,
            share.abs()
        ));
    }

    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = escape(text);
        self.line(&format!(r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="{anchor}">{text}</text>"#));
    }

    /// Elements in a box of 100 × 100 that is drawn into a square of this size.
    pub(super) fn boxed(&mut self, (x, y): (f64, f64), size: f64, turned: bool, elements: &str) {
        let scale = size / 100.0;
        let turn = if turned { " rotate(180 50 50)" } else { "" };
        self.line(&format!(r#"<g transform="translate({x:.1} {y:.1}) scale({scale:.4}){turn}">{elements}</g>"#));
    }

    fn line(&mut self, text: &str) {
        self.body.push_str(text);
        self.body.push('\n');
    }

    /// The picture as a file. `id` must differ from those of all other pictures of a page.
    pub fn file(&self, id: &str, title: &str, description: &str, scheme: Scheme) -> String {
        let Self { body, width, height } = self;
        let dark = if scheme == Scheme::Reader { DARK } else { "" };
        let mut file = String::new();
        // A String takes every character.
        let _ = write!(
            file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"map\" id=\"{id}\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-labelledby=\"{id}-title {id}-desc\">\n\
             <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n<style>\n{LIGHT}{dark}</style>\n\
             <rect class=\"paper\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n{body}</svg>\n",
            escape(title),
            escape(description)
        );
        file
    }
}
