//! Shogi on 9×9: shogi_core's types, rsshogi's rules.
//!
//! Networks see positions from the side to move's view: White's board is rotated by 180°, and the piece codes mean
//! "own" and "opponent" instead of Black and White.
//!
//! # Record formats
//! Each module has `records`, which splits a stream into the bytes of its records with bounded memory, and `parse`,
//! which reads and checks one of them; so records can be parsed in parallel, and a damaged one does not affect others.
//!
//! | module | a record is | becomes |
//! |---|---|---|
//! | [`csa`] | a game, `/` between games | [`crate::ParsedGame`] |
//! | [`kif`] | a game, one in a file | [`crate::ParsedGame`] |
//! | [`usi_lines`] | a line: a start and moves | [`crate::ParsedGame`] |
//! | [`hcpe3`] | a game with visit counts | [`crate::ParsedGame`] with candidates |
//! | [`hcpe`] | 38 bytes: a position, a move, a score, a result (HCPE and HCPE2) | [`crate::ParsedPosition`] |
//! | [`psv`] | 40 bytes: the same with its ply | [`crate::ParsedPosition`] |
//!
//! [`detect`](mod@detect) distinguishes the binary ones; [`hcpe::Hcpe::new`] and [`psv::Psv::new`] write records of a
//! [`Board`] and a move, [`hcpe3::Game::new`] those of a game.

mod attacked;
mod board;
mod checks;
mod compact;
pub mod csa;
pub mod detect;
mod frame;
pub mod hcp;
pub mod hcpe;
pub mod hcpe3;
mod input;
pub mod kif;
pub mod labels;
pub mod move16;
mod moves;
mod outcome;
mod packed;
pub mod packed_sfen;
mod planes;
mod position;
pub mod psv;
mod referee;
pub mod repetition;
mod replay;
mod rules;
mod sfen;
mod shown;
mod tactics;
pub mod usi_lines;

pub use board::{BadPosition, Board};
pub use position::ShogiPosition;

use crate::conventions::{Notation, Orientation};
use crate::geometry::Geometry;
use crate::input::InputLayout;
use crate::kind::GameKind;
use crate::moves::FromTo;
use crate::position::Game;
use crate::vocabulary::{MovesName, Vocabulary};

/// Shogi.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shogi;

impl Game for Shogi {
    const KIND: GameKind = GameKind::Shogi;
    const NAME: &'static str = "shogi";
    const GEOMETRY: Geometry = Geometry::new(9, 9);
    const ORIENTATION: Orientation = Orientation::Turned;
    const NOTATION: Notation = Notation::Usi;
    const COLOURS: [&'static str; 2] = ["Black", "White"];
    const DROPS: &'static [u8] = b"PLNSGBR";
    const PROMOTIONS: &'static [u8] = b"+";
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

    fn vocabularies() -> &'static [(MovesName, Vocabulary)] {
        planes::vocabularies()
    }

    fn inputs() -> &'static [InputLayout] {
        input::layouts()
    }
}
