//! A network's outputs on positions, for people and for other programs.
//!
//! ```text
//! cell ─ config.yaml, weights ─▶ cell::Loaded ┐
//! FEN, SFEN, moves ─────────────▶ positions   ├─▶ forward::Answers ─▶ export folder, predictions
//! dataset ─ batch ──────────────▶ gradient    ┘
//! ```

pub mod activations;
pub mod cell;
pub mod export;
pub mod forward;
pub mod gradient;
pub mod positions;
pub mod predict;
mod readme;
pub mod results;
pub mod situation;
pub mod tensors_file;

pub use cell::{Loaded, Origin};
pub use forward::{Answers, outputs};
pub use situation::{Request, Situation};
