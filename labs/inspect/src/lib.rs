//! Analyses of the attention heads of a trained network.
//!
//! ```text
//! cell ─ positions ─▶ observe ─▶ layer (maps, statistics) ─▶ displacement ─▶ permutation ─▶ naming ─▶ heads.json
//! random weights ──▶ observe ─▶ layer ───────────────────────────────────────────────────────┘
//! ```
//! Everything from maps to names is a function of arrays.

pub mod ablated;
pub mod ablation;
pub mod analysis;
pub mod displacement;
pub mod error;
pub mod layer;
pub mod maps;
pub mod naming;
mod observe;
pub mod occupants;
pub mod output;
mod page;
pub mod permutation;
pub mod position;
pub mod run;
mod sheet;
pub mod tables;
pub mod terminal;
mod touch;

/// The relations of squares by which heads are described: movements of pieces.
pub mod relation {
    pub use games::movement::{Movement as Relation, Step, distance};
}

pub use error::InspectionError;
pub use run::{Options, inspect};
