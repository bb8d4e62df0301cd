//! Minishogi as a [`Game`]: its constants, moves and inputs.

use super::{Minishogi, MinishogiPosition, input, moves};
use crate::conventions::{Glyph, LICHESS, Notation, Orientation};
use crate::geometry::Geometry;
use crate::input::InputLayout;
use crate::kind::GameKind;
use crate::movement::Movement;
use crate::moves::FromTo;
use crate::position::Game;

impl Game for Minishogi {
    const KIND: GameKind = GameKind::Minishogi;
    const NAME: &'static str = "minishogi";
    const GEOMETRY: Geometry = Geometry::new(5, 5);
    const ORIENTATION: Orientation = Orientation::Turned;
    const NOTATION: Notation = Notation::Usi;
    const COLOURS: [&'static str; 2] = ["Black", "White"];
    const DROPS: &'static [u8] = b"PSGBR";
    const PROMOTIONS: &'static [u8] = b"+";
    /// Lichess' winning chances, which Lichess also takes for the scores of Fairy-Stockfish.
    const VALUE_CURVE: (&'static str, f64) = LICHESS;
    const BLOCK_BYTES: u64 = 10_000_000;
    const PIECES: &'static [&'static str] =
        &["pawn", "silver", "gold", "bishop", "rook", "king", "promoted_pawn", "promoted_silver", "horse", "dragon"];
    const GLYPHS: &'static [Glyph] = &Glyph::letters(["P", "S", "G", "B", "R", "K", "+P", "+S", "+B", "+R"]);
    const MOVEMENTS: &'static [Movement] = &[
        Movement::Rank,
        Movement::File,
        Movement::Rook,
        Movement::Diagonal,
        Movement::AntiDiagonal,
        Movement::Bishop,
        Movement::King,
        Movement::Silver,
        Movement::SilverBack,
        Movement::Gold,
        Movement::GoldBack,
    ];
    const EXAMPLES: &'static [(&'static str, &'static str)] = &[
        ("starting position", "startpos"),
        ("opening", "startpos moves 3e4d 3a2b 2e3d 4a3b"),
        ("middlegame", "r2gk/3sp/3b1/PGS2/K2BR b - 5"),
        ("endgame", "4R/1grk1/sgP2/1P1SB/1K3 b B 43"),
    ];
    type Position = MinishogiPosition;

    fn from_to() -> &'static FromTo {
        moves::vocabulary()
    }

    fn inputs() -> &'static [InputLayout] {
        input::layouts()
    }
}
