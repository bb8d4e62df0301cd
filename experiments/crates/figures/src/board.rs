//! Maps on boards: squares in the colours of values, with names, pieces and a scale.

pub mod pairs;
mod shades;
mod view;

pub use shades::{Shades, log2_ratios_to_uniform, short};
pub use view::View;

use crate::canvas::Head;
use crate::{Anchor, Canvas};
use games::{GameKind, Glyph, with_game};

/// A board on a canvas, rank 0 at the bottom and file 0 on the left.
#[derive(Debug, Clone, Copy)]
pub struct Board {
    pub game: GameKind,
    pub corner: (f64, f64),
    pub square: (f64, f64),
}

impl Board {
    pub fn size(&self) -> (f64, f64) {
        let geometry = self.game.geometry();
        (geometry.files() as f64 * self.square.0, geometry.ranks() as f64 * self.square.1)
    }

    /// The upper left corner of a square.
    pub fn at(&self, square: usize) -> (f64, f64) {
        let geometry = self.game.geometry();
        let down = geometry.ranks() - 1 - geometry.rank_of(square);
        (self.corner.0 + geometry.file_of(square) as f64 * self.square.0, self.corner.1 + down as f64 * self.square.1)
    }

    pub fn piece(&self, canvas: &mut Canvas, square: usize, piece: Piece) {
        canvas.push(&element(self.game, piece, self.at(square), self.square.0));
    }

    /// Names of files below, and of ranks on the left.
    pub fn names(&self, canvas: &mut Canvas, view: View) {
        let ((x, y), (width, height)) = (self.corner, self.square);
        let below = y + self.size().1 + 12.0;
        let (files, ranks) = view.names(self.game);
        for (column, name) in files.iter().enumerate() {
            canvas.text("label", (x + (column as f64 + 0.5) * width, below), Anchor::Middle, name);
        }
        for (row, name) in ranks.iter().enumerate() {
            canvas.text("label", (x - 4.0, y + (row as f64 + 0.5) * height + 4.0), Anchor::End, name);
        }
    }
}

/// A piece, drawn as a silhouette in a box of 100 × 100: a figure, or a pentagon with a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its kind, as [`games::Game::PIECES`] names it.
    pub kind: &'static str,
    /// Whether it is the side to move's.
    pub own: bool,
    /// Whether it is the first player's.
    pub first: bool,
}

const FOOT: &str = "M22 90V80H78V90Z";

/// A piece in a square of this corner and size.
fn element(game: GameKind, piece: Piece, (x, y): (f64, f64), size: f64) -> String {
    let glyph = with_game!(game, G => {
        G::PIECES.iter().zip(G::GLYPHS).find(|&(&kind, _)| kind == piece.kind).map(|(_, &glyph)| glyph)
    });
    let (elements, turn) = match glyph.unwrap_or(Glyph::Letter("?")) {
        Glyph::Figure(shape) => {
            let class = if piece.first { "first" } else { "second" };
            (format!(r#"<path class="{class}" d="{FOOT}"/><path class="{class}" d="{shape}"/>"#), "")
        }
        Glyph::Letter(letter) => {
            let class = if letter.starts_with('+') { "promoted" } else { "letter" };
            let tile = format!(
                r#"<path class="wood" d="M50 8L78 22L88 92H12L22 22Z"/><text class="{class}" x="50" y="73" text-anchor="middle">{letter}</text>"#
            );
            // The opponent looks down the board.
            (tile, if piece.own { "" } else { " rotate(180 50 50)" })
        }
    };
    format!(r#"<g transform="translate({x:.1} {y:.1}) scale({:.4}){turn}">{elements}</g>"#, size / 100.0)
}

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
    pub fn grid(&mut self, (x, y): (f64, f64), (width, height): (f64, f64), [columns, rows]: [usize; 2]) {
        for column in 0..columns {
            let left = x + column as f64 * width / columns as f64;
            self.rect("grid", (left, y), (width / columns as f64, height));
        }
        for row in 0..rows {
            self.rect("grid", (x, y + row as f64 * height / rows as f64), (width, height / rows as f64));
        }
    }

    /// The SVG of a map. `id` must differ from those of all other maps of a page.
    pub fn map(&self, scheme: Scheme, id: &str, title: &str, description: &str) -> String {
        let (width, height) = self.size();
        let size = format!("width=\"{width:.0}\" height=\"{height:.0}\"");
        let dark = if scheme == Scheme::Reader { DARK } else { "" };
        let first = format!("<style>\n{LIGHT}{dark}</style>\n<rect class=\"paper\" {size}/>\n");
        self.document(&Head { class: "map", size: format!(" {size}"), first }, id, title, description)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_of_every_game_has_its_own_drawing() {
        for game in GameKind::ALL {
            let kinds = with_game!(game, G => G::PIECES);
            let drawing = |&kind: &&'static str| element(game, Piece { kind, own: true, first: true }, (0.0, 0.0), 1.0);
            let mut drawings: Vec<String> = kinds.iter().map(drawing).collect();
            drawings.sort_unstable();
            drawings.dedup();
            assert_eq!(drawings.len(), kinds.len(), "{}", game.name());
        }
    }
}
