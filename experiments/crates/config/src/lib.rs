//! The experiment file: YAML → typed [`Experiment`] → [`Cell`]s, everything refusable refused before the first step.
//!
//! ```text
//! files, --set ─ yaml ─▶ base, axes … ─ expand ─▶ a tree for each row ─ reader ─▶ BaseConfig ─ resolve ─▶ rows ─▶ cells
//! ```
//! Files are merged and expanded as trees whose values know where they were written; each row's tree is read into types
//! once. So a setting is one field of [`TrainConfig`], [`EvalConfig`] or [`BaseConfig`] (or of an option below them), and
//! is then an axis by its dotted name.
//! Every error names its place in the file, the names that would have been right, and a remedy ([`ConfigError`]).

mod checks;
mod rows;
pub mod schema;
mod settings;
mod yaml;

pub use checks::targets::{OnMissingTargets, heads_with_targets};
// For the crates that may not import `dataset`.
pub use dataset::bounded;
// Plain data that settings share with networks and records.
pub use facts::{
    Interaction, Margins, Mask, NetworkFacts, Numerics, Primary, Quantity, ReadAt, Role, Weights, columns, counted,
    grouped, in_words, listed, metrics, name, numerics, printable, printable_lines, shell_word,
};
pub use rows::cell::{self, Cell};
pub use rows::experiment::{self, Experiment};
pub use rows::identity::{self, SCHEMA_VERSION};
pub use rows::matched::{self, Matched};
pub use rows::network_cost::{self, NetworkCost, PartCost};
pub use rows::row::{Row, RowData};
pub use rows::trials::{self, Tuning};
pub use settings::data::{self, DataView, Generate};
pub use settings::losses::{self, LossChanges, LossWeights};
pub use settings::phase::Phase;
pub use settings::pictures::{self, Pictures};
pub use settings::precision::{self, Dtype, MicroBatch, Products};
pub use settings::run::{self, BaseConfig, EvalConfig, ImportedWeights, RunConfig, TrainConfig};
pub use settings::setting::{self, Setting};
pub use settings::{evaluate, start_weights};
pub use yaml::source::{self, ConfigError, Source};
pub use yaml::suggest::nearest;
pub use yaml::values::encoding_stacks;
