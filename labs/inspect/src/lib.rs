//! Analyses of the attention heads of a trained network.
//!
//! ```text
//! cell ─ positions ─▶ observe ─▶ layer (maps, statistics) ─▶ displacement ─▶ permutation ─▶ significance ─▶ heads.json
//! random weights ──▶ observe ─▶ layer ──────────────────────────────────────────────────────────┘
//! ```
//! Everything from maps to names is a function of arrays.

pub mod ablated;
pub mod ablation;
pub mod analysis;
pub mod displacement;
pub mod error;
mod hover_board;
pub mod layer;
mod layer_figure;
pub mod maps;
mod observe;
pub mod output;
mod page;
pub mod permutation;
pub mod position;
pub mod run;
pub mod signal_by_piece;
pub mod significance;
pub mod tables;
pub mod terminal;

/// The relations of squares by which heads are described: movements of pieces.
pub mod relation {
    pub use games::movement::{Movement as Relation, Step, distance};
}

pub use error::InspectionError;
pub use run::{Options, inspect};
