//! Policies without a network, measured on the test positions that networks are tested on.
//!
//! A policy loss has no scale by itself. Three baselines give it one: a uniform choice among the legal moves, a static
//! prior (how often a move is chosen when it is legal), and a log-linear model on hand features of position and move.
//! All three see the legal moves only, the same targets, and no tensor. Their numbers depend on the dataset and the
//! constants here, and on nothing else: not on threads, not on the clock.
//!
//! ```text
//! dataset ─ positions, legal moves, targets ─▶ features ─▶ log_linear (Newton's method) ─▶ losses per position
//!                                          └─▶ prior ──────────────────────────────────────┘
//! ```

mod choices;
mod features;
mod linear;
mod log_linear;
mod measure;
mod prior;
mod scores;

pub use features::Features;
pub use measure::{BaselinesError, FIT_POSITIONS, Fitted, Measured, PRIOR_POSITIONS, Source};
pub use scores::{PositionScores, Score};
