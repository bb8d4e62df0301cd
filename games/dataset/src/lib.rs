//! Datasets: import of game records, the Parquet store, the split by game, and batches of packed positions.
//!
//! A dataset is one directory: `dataset.yaml` (a [`Manifest`]; its text is read and written by the caller, because
//! this crate knows no YAML) beside Parquet shards with one row per game. Positions are replayed when they are
//! loaded, so history, repetition and legal moves are exact, and everything is a function of (dataset, seed).
//!
//! ```text
//! file ─ games' formats ─▶ import ─▶ store (Parquet) ─▶ loader ─▶ Batch of packed rows ─▶ (device)
//! ```

pub mod bench;
pub mod error;
pub mod import;
pub mod info;
pub mod loader;
pub mod manifest;
mod playback;
pub mod split;
pub mod store;
pub mod value;

pub use bench::{LoaderRate, bench_loader};
pub use error::DatasetError;
pub use import::{ImportOptions, ImportReport, Progress, import};
pub use info::{Info, summarise};
pub use loader::{Batch, Dataset, LoaderConfig, TrainLoader, evaluation_batches};
pub use manifest::{MANIFEST_FILE, Manifest};
pub use split::{PerSplit, Split};
pub use value::ValueCurve;
