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
mod game;
pub mod history;
mod input;
mod key;
pub mod lc0;
mod moves;
pub mod pgn;
mod position;
pub mod rights;
mod rules;
mod vocabularies;

pub use position::ChessPosition;

/// Chess.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chess;
