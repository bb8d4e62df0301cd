//! Chess on 8×8, with shakmaty's rules.
//!
//! Networks see positions from the side to move's view: Black's board is mirrored by rank (files are unchanged), and
//! the piece codes mean "own" and "opponent" instead of White and Black. Inputs and vocabularies in
//! [`Frame::FirstPlayer`](crate::Frame) show White's view to both.

pub mod bag;
mod compact;
pub mod endgame;
pub mod evaluations;
mod fen;
pub mod history;
mod input;
mod key;
pub mod lc0;
mod moves;
pub mod pgn;
mod position;
mod referee;
pub mod rights;
mod rules;
mod tactics;
mod uci;
mod vocabularies;
mod white_moves;

pub use position::ChessPosition;

use crate::conventions::{Notation, Orientation};
use crate::geometry::Geometry;
use crate::input::InputLayout;
use crate::kind::GameKind;
use crate::moves::FromTo;
use crate::position::Game;
use crate::vocabulary::{MovesName, Vocabulary};

/// Chess.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chess;

impl Game for Chess {
    const KIND: GameKind = GameKind::Chess;
    const NAME: &'static str = "chess";
    const GEOMETRY: Geometry = Geometry::new(8, 8);
    const ORIENTATION: Orientation = Orientation::Mirrored;
    const NOTATION: Notation = Notation::Uci;
    const COLOURS: [&'static str; 2] = ["White", "Black"];
    const DROPS: &'static [u8] = b"";
    const PROMOTIONS: &'static [u8] = b"qrbn";
    const PIECES: &'static [&'static str] = &["pawn", "knight", "bishop", "rook", "queen", "king"];
    type Position = ChessPosition;

    fn from_to() -> &'static FromTo {
        moves::vocabulary()
    }

    fn vocabularies() -> &'static [(MovesName, Vocabulary)] {
        vocabularies::all()
    }

    fn inputs() -> &'static [InputLayout] {
        input::layouts()
    }
}
