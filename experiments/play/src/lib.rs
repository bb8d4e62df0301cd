//! Trained networks as players: which move they choose, and how strong, human and well calibrated that makes them.
//!
//! ```text
//! cell ─▶ train::inspect::Loaded ─▶ player (policy, value) ─┬─▶ puzzles
//!                                                          ├─▶ engine: UCI, USI
//!                                                          └─▶ matches, against engines too
//! ```

pub mod decision;
pub mod engine;
pub mod error;
pub mod matches;
mod network;
pub mod player;
pub mod puzzles;
mod score;

pub use decision::{Decision, Weighed};
pub use error::PlayError;
pub use player::{Agent, Player};
