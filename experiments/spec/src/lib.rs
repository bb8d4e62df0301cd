//! The experiment file: YAML → typed [`Experiment`] → [`Cell`]s, everything refusable refused before the first step.
//!
//! ```text
//! text ─ source ─▶ syntax ─▶ file (as written) ─ expand ─▶ combinations ─ resolve ─▶ rows ─▶ cells
//! ```
//! Every error names its place in the file, the names that would have been right, and a remedy ([`ConfigError`]).

pub mod axes;
pub mod base;
pub mod cell;
pub mod data;
mod expand;
pub mod experiment;
pub mod file;
mod grouped;
pub mod identity;
mod idle;
pub mod interactions;
mod label;
pub mod losses;
pub mod matched;
pub mod metrics;
mod number_or_word;
pub mod phases;
pub mod pictures;
mod primary;
mod resolve;
pub mod run;
pub mod schema;
pub mod shape;
pub mod source;
pub mod step;
pub mod suggest;
mod syntax;
mod teach;
mod training;
pub mod values;
mod weights;

pub use cell::Cell;
pub use data::DataView;
pub use experiment::{Experiment, Role, Row, RowData};
pub use file::Primary;
pub use grouped::grouped;
pub use identity::{NUMERICS_VERSION, SCHEMA_VERSION};
pub use interactions::Interaction;
pub use losses::{LossChanges, LossWeights};
pub use matched::{Matched, Quantity};
pub use phases::Phase;
pub use pictures::Pictures;
pub use run::{EvalConfig, ImportedWeights, Mask, RunConfig, TrainConfig};
pub use shape::{PartShape, Shape};
pub use source::{ConfigError, Source};
pub use step::{Dtype, MicroBatch};
pub use teach::MissingTargets;
pub use values::ReadAt;
pub use weights::Weights;
