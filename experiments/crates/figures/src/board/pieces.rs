//! Pieces as silhouettes in a box of 100 × 100: those of chess as figures, those of shogi as pentagons with a letter.

use games::GameKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Its kind, as [`games::Game::PIECES`] names it.
    pub kind: &'static str,
    /// Whether it is the side to move's.
    pub own: bool,
    /// Whether it is the first player's.
    pub first: bool,
}

/// The foot of every chess piece.
const FOOT: &str = "M22 90V80H78V90Z";

/// The outline of a chess piece above its foot; `None` for an unknown name.
const fn figure(kind: &str) -> Option<&'static str> {
    Some(match kind.as_bytes() {
        b"pawn" => "M50 20A13 13 0 0 1 58 43L66 80H34L42 43A13 13 0 0 1 50 20Z",
        b"rook" => "M26 22H37V32H45V22H55V32H63V22H74V42L66 48V70L72 80H28L34 70V48L26 42Z",
        b"knight" => "M34 80C33 62 47 56 47 44L35 53L25 46L40 27L41 15L52 24C72 28 78 54 73 80Z",
        b"bishop" => "M50 10A6 6 0 0 1 54 21C68 36 68 54 59 64L65 80H35L41 64C32 54 32 36 46 21A6 6 0 0 1 50 10Z",
        b"queen" => "M18 30L33 56L36 20L50 50L64 20L67 56L82 30L73 70L75 80H25L27 70Z",
        b"king" => {
            "M46 8H54V15H61V23H54V34C66 24 86 36 77 57L71 70L73 80H27L29 70L23 57C14 36 34 24 46 34V23H39V15H46Z"
        }
        _ => return None,
    })
}

/// A piece in a square of this corner and size.
pub(super) fn element(game: GameKind, piece: Piece, (x, y): (f64, f64), size: f64) -> String {
    let elements = match game {
        GameKind::Chess => {
            let class = if piece.first { "first" } else { "second" };
            let shape = figure(piece.kind).unwrap_or("M25 25H75V75H25Z");
            format!(r#"<path class="{class}" d="{FOOT}"/><path class="{class}" d="{shape}"/>"#)
        }
        GameKind::Shogi => {
            let letter = letter(piece.kind);
            let class = if letter.starts_with('+') { "promoted" } else { "letter" };
            format!(
                r#"<path class="wood" d="M50 8L78 22L88 92H12L22 22Z"/><text class="{class}" x="50" y="73" text-anchor="middle">{letter}</text>"#
            )
        }
    };
    // Shogi's opponent looks down the board.
    let turn = if game == GameKind::Shogi && !piece.own { " rotate(180 50 50)" } else { "" };
    format!(r#"<g transform="translate({x:.1} {y:.1}) scale({:.4}){turn}">{elements}</g>"#, size / 100.0)
}

/// The letter of a shogi piece, as SFEN writes it.
fn letter(kind: &str) -> &'static str {
    match kind {
        "king" => "K",
        "rook" => "R",
        "bishop" => "B",
        "gold" => "G",
        "silver" => "S",
        "knight" => "N",
        "lance" => "L",
        "pawn" => "P",
        "dragon" | "promoted_rook" => "+R",
        "horse" | "promoted_bishop" => "+B",
        "promoted_silver" => "+S",
        "promoted_knight" => "+N",
        "promoted_lance" => "+L",
        "promoted_pawn" | "tokin" => "+P",
        _ => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use games::{Game as _, chess::Chess, shogi::Shogi};

    #[test]
    fn every_piece_of_both_games_has_its_own_drawing() {
        for kind in Chess::PIECES {
            assert!(figure(kind).is_some(), "{kind}");
        }
        let mut letters: Vec<&str> = Shogi::PIECES.iter().map(|kind| letter(kind)).collect();
        assert!(!letters.contains(&"?"), "{:?} {letters:?}", Shogi::PIECES);
        letters.sort_unstable();
        letters.dedup();
        assert_eq!(letters.len(), Shogi::PIECES.len());
    }
}
