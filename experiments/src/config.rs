//! The experiment file: YAML → typed [`Experiment`] → [`Cell`]s, everything refusable refused before the first step.
//!
//! ```text
//! text ─ source ─▶ syntax ─▶ file (as written) ─ expand ─▶ combinations ─ resolve ─▶ rows ─▶ cells
//! ```
//! Every error names its place in the file, the names that would have been right, and a remedy ([`ConfigError`]).

pub mod axes;
pub mod cell;
pub mod dataset;
mod expand;
pub mod experiment;
pub mod file;
pub mod identity;
mod label;
mod primary;
mod resolve;
pub mod run;
pub mod shape;
pub mod source;
pub(crate) mod suggest;
mod syntax;
pub mod values;

pub use cell::Cell;
pub use dataset::{check_shards, manifest_text, open_dataset, read_manifest};
pub use experiment::{Experiment, Role, Row, RowData};
pub use file::{Primary, Weights};
pub use identity::{NUMERICS_VERSION, SCHEMA_VERSION};
pub use run::{EvalConfig, LossWeights, Mask, MovesName, RunConfig, TrainConfig};
pub use shape::Shape;
pub use source::{ConfigError, Source};
pub use values::ReadAt;
