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
//! | [`usi_lines`](crate::usi_lines) | a line: a start and moves | [`crate::ParsedGame`] |
//! | [`hcpe3`] | a game with visit counts | [`crate::ParsedGame`] with candidates |
//! | [`hcpe`] | 38 bytes: a position, a move, a score, a result (HCPE and HCPE2) | [`crate::ParsedPosition`] |
//! | [`psv`] | 40 bytes: the same with its ply | [`crate::ParsedPosition`] |
//!
//! [`detect`](mod@detect) distinguishes the binary ones; [`hcpe::Hcpe::new`] and [`psv::Psv::new`] write records of a
//! [`Board`] and a move, [`hcpe3::Game::new`] those of a game.

mod board;
mod checks;
pub mod csa;
pub mod detect;
mod frame;
mod game;
pub mod hcp;
pub mod hcpe;
pub mod hcpe3;
mod input;
pub mod kif;
pub mod move16;
mod moves;
mod outcome;
mod packed;
pub mod packed_sfen;
mod piece_numbers;
mod planes;
mod position;
pub mod psv;
pub mod repetition;
mod replay;
mod rules;
mod sfen;

pub use board::{BadPosition, Board};
pub use position::ShogiPosition;

/// Shogi.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shogi;
