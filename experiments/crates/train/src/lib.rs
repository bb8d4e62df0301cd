//! Training of one cell: data, network and optimiser, step by step; interrupted runs resume bit-identically.
//!
//! ```text
//! feed ─ batches ─▶ trainer ─ steps ─▶ recorder ─ lines ─▶ metrics.jsonl, TensorBoard, terminal
//!                      │  └─ evaluate ─ fixed positions ─▶ recorder
//!                      └─ checkpoint
//! ```

pub mod bench;
pub mod cell;
pub mod checkpoint;
pub mod environment;
pub mod error;
pub mod evaluate;
pub mod events;
mod feed;
mod fit;
pub mod inference;
mod learner;
mod manifest;
mod metric_sums;
mod micro;
mod phases;
pub mod pictures;
mod random_batch;
pub mod ranks;
mod recorder;
pub mod setup;
pub mod signals;
pub mod sinks;
pub mod start_tables;
pub mod tensors;
mod trainer;
pub mod validation_sample;

pub use cell::{CellOutcome, run_cell};
pub use error::TrainError;
pub use recorder::Note;
pub use setup::{CellOptions, Setup};
