//! The experiment file: YAML → typed [`Experiment`] → [`Cell`]s, everything refusable refused before the first step.
//!
//! ```text
//! files, --set ─ yaml ─▶ base, axes … ─ expand ─▶ a tree for each row ─ reader ─▶ BaseConfig ─ resolve ─▶ rows ─▶ cells
//! ```
//! Files are merged and expanded as trees whose values know where they were written; each row's tree is read into types
//! once. So a setting is one field of [`TrainConfig`], [`EvalConfig`] or [`BaseConfig`] (or of an option below them), and
//! is then an axis by its dotted name.
//! Every error names its place in the file, the names that would have been right, and a remedy ([`ConfigError`]).

mod all_errors;
mod base;
pub mod cell;
mod config_yaml;
pub mod data;
pub mod evaluate;
mod expand;
pub mod experiment;
mod file;
mod find_problems;
pub mod identity;
mod interactions;
mod label;
pub mod losses;
pub mod matched;
mod names;
pub mod network_cost;
mod no_effect;
mod opened_datasets;
mod phase;
mod phase_steps;
pub mod pictures;
pub mod precision;
mod preset;
mod primary;
mod reader;
mod references;
mod resolve;
mod row;
mod rows;
pub mod run;
pub mod schema;
mod seeds;
pub mod setting;
pub mod source;
pub mod start_weights;
mod suggest;
mod targets;
mod tree;
pub mod trials;
mod tune;
mod values;
mod visitors;
mod warnings;
mod yaml;

pub use cell::Cell;
pub use data::{DataView, Generate};
// For the crates that may not import `dataset`.
pub use dataset::bounded;
pub use experiment::Experiment;
// Plain data that settings share with networks and records.
pub use facts::{
    Interaction, Margins, Mask, NetworkFacts, Numerics, Primary, Quantity, ReadAt, Role, Weights, columns, counted,
    grouped, in_words, listed, metrics, name, numerics, printable, printable_lines, shell_word,
};
pub use identity::SCHEMA_VERSION;
pub use losses::{LossChanges, LossWeights};
pub use matched::Matched;
pub use network_cost::{NetworkCost, PartCost};
pub use phase::Phase;
pub use pictures::Pictures;
pub use precision::{Dtype, MicroBatch, Products};
pub use row::{Row, RowData};
pub use run::{BaseConfig, EvalConfig, ImportedWeights, RunConfig, TrainConfig};
pub use setting::Setting;
pub use source::{ConfigError, Source};
pub use suggest::nearest;
pub use targets::{OnMissingTargets, heads_with_targets};
pub use trials::Tuning;
pub use values::encoding_stacks;
