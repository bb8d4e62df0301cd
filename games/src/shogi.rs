//! Shogi on 9×9: shogi_core's types in front, rsshogi's rules behind them.
//!
//! Positions are shown to the network from the side to move's view: White's board is rotated by 180°, and the piece
//! codes say "own" and "opponent" instead of Black and White.

pub mod csa;
mod frame;
mod input;
mod moves;
mod position;
pub mod repetition;
mod sfen;

pub use position::ShogiPosition;

use crate::geometry::Geometry;
use crate::input::{InputLayout, InputName};
use crate::moves::FromTo;
use crate::position::{Game, GameKind};

/// Shogi.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shogi;

impl Game for Shogi {
    const KIND: GameKind = GameKind::Shogi;
    const NAME: &'static str = "shogi";
    const GEOMETRY: Geometry = Geometry::new(9, 9);
    const PIECES: &'static [&'static str] = &[
        "pawn",
        "lance",
        "knight",
        "silver",
        "gold",
        "bishop",
        "rook",
        "king",
        "promoted_pawn",
        "promoted_lance",
        "promoted_knight",
        "promoted_silver",
        "horse",
        "dragon",
    ];
    type Position = ShogiPosition;

    fn from_to() -> &'static FromTo {
        moves::vocabulary()
    }

    fn input(name: InputName) -> &'static InputLayout {
        input::layout(name)
    }
}
