//! Minishogi on 5×5: posenc's own rules.
//!
//! Each side has a king, a gold, a silver, a bishop, a rook and a pawn, which move as in shogi; pieces promote on the last rank.
//! As in shogi, captured pieces are dropped, a file has at most one unpromoted pawn of a side, and a pawn is not dropped to give
//! mate. Networks see positions from the side to move's view: White's board is rotated by 180°.

mod board;
mod game;
mod input;
mod moves;
mod position;
mod rules;
mod sfen;

pub use moves::MinishogiMove;
pub use position::MinishogiPosition;

/// Minishogi.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Minishogi;
