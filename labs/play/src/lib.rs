//! Trained networks as players: which move they choose, and how strong, human and well calibrated that makes them.
//!
//! ```text
//! cell ─▶ train::inference::Loaded ─▶ player (policy, value) ─┬─▶ puzzles, suites, mates in one, engines' scores; calibration
//!                                                            ├─▶ engine: UCI, USI
//!                                                            └─▶ matches, against engines too
//! experiment's `evaluate` ─▶ evaluation: the same of every finished cell, kept in its folder
//! ```

pub mod calibration;
pub mod decision;
pub mod engine;
pub mod error;
pub mod evaluation;
pub mod judged;
mod lines;
pub mod matches;
pub mod mates;
mod network;
pub mod player;
pub mod puzzles;
mod score;
mod share;
pub mod suites;

pub use decision::{Decision, WeightedMove};
pub use error::PlayError;
pub use player::{Agent, Player};
pub use share::Share;
