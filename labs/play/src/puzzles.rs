//! Puzzles: positions with a line of moves that the solver must find.

pub mod plot;
mod read;
mod solve;

pub use read::{Puzzle, read};
pub use solve::{Attempt, Band, PuzzleScore, Rule, Theme, attempts};
