//! Puzzles: positions with a line of moves that the solver must find.

pub mod plot;
mod read;
mod score;
mod solve;

pub use read::{Puzzle, read};
pub use score::{Band, PuzzleScore, Theme};
pub use solve::{Attempt, Rule, attempts};
