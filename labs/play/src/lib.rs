//! Trained networks as players: which move they choose, and how strong, human and well calibrated that makes them.
//!
//! ```text
//! cell ─▶ train::inference::Loaded ─▶ player (policy, value, search) ─┬─▶ puzzles, suites, mates in one, engines' scores; calibration
//!                                                                     ├─▶ engine: UCI, USI
//!                                                                     └─▶ matches, against engines too
//! experiment's `evaluate` ─▶ evaluation: the same of every finished cell, kept in its folder
//! ```

mod agent;
pub mod calibration;
pub mod decision;
pub mod engine;
pub mod engine_agreement;
pub mod error;
pub mod evaluation;
pub mod matches;
pub mod mates;
mod network;
pub mod player;
pub mod puzzles;
mod score;
mod search;
mod share;
pub mod suites;

pub use agent::Agent;
pub use decision::{Decision, WeightedMove};
pub use error::PlayError;
pub use player::Player;
pub use search::Search;
pub use share::Share;
