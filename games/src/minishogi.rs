//! Minishogi on 5×5: posenc's own rules.
//!
//! Each side has a king, a gold, a silver, a bishop, a rook and a pawn, which move as in shogi; pieces promote on the last rank.
//! As in shogi, captured pieces are dropped, a file has at most one unpromoted pawn of a side, and a pawn is not dropped to give
//! mate. Networks see positions from the side to move's view: White's board is rotated by 180°.

mod board;
mod input;
mod legal;
mod moves;
mod position;
mod referee;
mod sfen;
mod tactics;

pub use moves::MinishogiMove;
pub use position::MinishogiPosition;

use crate::conventions::{Glyph, Notation, Orientation, Record};
use crate::geometry::Geometry;
use crate::input::InputLayout;
use crate::kind::GameKind;
use crate::movement::Movement;
use crate::moves::FromTo;
use crate::position::Game;
use crate::vocabulary::{MovesName, Vocabulary};

/// Minishogi.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Minishogi;

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
    const VALUE_CURVE: (&'static str, f64) = ("lichess", 0.003_682_08);
    const HAS_RIGHTS: bool = false;
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
    const RECORD: Record = Record::Usi;
    const FORMATS: &'static [&'static str] = &["usi"];
    type Position = MinishogiPosition;

    fn from_to() -> &'static FromTo {
        moves::vocabulary()
    }

    fn vocabularies() -> &'static [(MovesName, Vocabulary)] {
        moves::vocabularies()
    }

    fn inputs() -> &'static [InputLayout] {
        input::layouts()
    }
}
