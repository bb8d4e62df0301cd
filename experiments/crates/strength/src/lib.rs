//! The numbers of playing strength: from results of games and puzzles to ratings, tests and their errors.
//!
//! ```text
//! games ─ pairs ─▶ counts ─┬─ elo ─▶ difference with its interval (sweep: its bound, where one player won every game)
//!                          ├─ sprt ─▶ accept one hypothesis, or play on
//!                          └─ bradley_terry ─▶ ratings of many players
//! puzzles ─ puzzle_rating ─▶ rating        probabilities ─ calibration ─▶ bins, Brier score
//! ```
//! Everything here is a function of its arguments: no files, no clock, no tensors, no chance.

pub mod bradley_terry;
pub mod calibration;
pub mod elo;
pub mod interval;
pub mod kendall;
pub mod pairs;
pub mod puzzle_rating;
pub mod sprt;
pub mod sweep;

pub use interval::Interval;
pub use pairs::{GameResult, Outcomes, Pentanomial, Trinomial};

/// Why a test or a rating cannot be computed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StrengthError(String);
