//! Pieces as silhouettes in a box of 100 × 100: figures, or pentagons with a letter.

use games::{GameKind, Glyph, with_game};

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
pub(super) fn element(game: GameKind, piece: Piece, (x, y): (f64, f64), size: f64) -> String {
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
