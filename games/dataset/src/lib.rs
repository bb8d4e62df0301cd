//! Datasets: import of game records, the Parquet store, the split by game, and batches of packed positions.
//!
//! A dataset is a folder: `dataset.yaml` (a [`Manifest`]) beside Parquet shards with one row per game. Positions are
//! replayed when they are loaded, so history, repetition and legal moves are exact, and batches depend only on
//! (dataset, seed).
//!
//! ```text
//! file ─ games' formats ─▶ import ─▶ store (Parquet) ─▶ loader ─▶ Batch of packed rows ─▶ (device)
//! ```

pub mod agreement;
mod average;
pub mod bench;
pub mod bounded;
mod build;
mod contents;
mod derived;
pub mod error;
pub mod export;
pub mod filter;
mod folder;
mod generated;
pub mod import;
pub mod info;
pub mod loader;
pub mod manifest;
mod playback;
pub mod position_metrics;
mod remake;
pub mod split;
pub mod store;
pub mod time_control;
pub mod value;
pub mod verify;
mod work_done;
pub mod yaml;

pub use agreement::{Agreement, agreement};
pub use average::{Averaged, Merge, average};
pub use bench::{LoaderRate, bench_loader, repeat};
pub use build::SplitPlan;
pub use derived::{DataCost, DerivedOptions};
pub use error::DatasetError;
pub use export::{ExportFormat, Exported, export};
pub use filter::{Buckets, Filters};
pub use folder::DatasetFolder;
pub use generated::{
    Decided, GeneratedGame, GeneratedOptions, Label, MadePosition, write_generated, write_made, write_positions,
};
pub use import::{Format, ImportOptions, ImportProgress, ImportRate, ImportReport, bench_import, import, unpacked};
pub use info::{Info, summarise};
pub use loader::{
    Batch, Dataset, Endless, EndlessOptions, GenerationCounts, LoaderConfig, MOVE_TYPES, MoveTraits, Packer,
    PolicyPosition, PositionTraits, Targets, TrainLoader, evaluated_policy, evaluation_batches, evaluation_traits,
    sampled_policy,
};
pub use manifest::{Counts, EXACT_BELOW, MANIFEST_FILE, Manifest, MapInfo, Sampled, TestSet, Unit, content};
pub use remake::{RemakeOptions, remake};
pub use split::{PerSplit, Split, SplitBy};
pub use value::{ValueCurve, ValueTarget};
pub use verify::{Verification, verify};
pub use work_done::WorkDone;
