//! One cell: data, network and optimiser, step by step, to the same bits however often it was interrupted.
//!
//! ```text
//! feed ─ batches ─▶ trainer ─ steps ─▶ recorder ─ lines ─▶ metrics.jsonl, TensorBoard, terminal
//!                      │  └─ evaluate ─ fixed positions ─▶ recorder
//!                      └─ checkpoint
//! ```

pub mod atomic;
pub mod batch_gradient;
pub mod bench;
pub mod cell;
pub mod checkpoint;
pub mod conditions;
mod describe;
pub mod error;
pub mod evaluate;
pub mod events;
mod feed;
mod fit;
pub mod folder;
pub mod identity;
mod learner;
pub mod machine;
pub mod manifest;
pub mod metrics;
mod micro;
mod objective;
mod pictures;
pub mod positions;
pub mod record_error;
mod recorder;
pub mod setup;
pub mod signals;
mod stages;
pub mod status;
mod tally;
pub mod tensors;
pub mod threads;
mod trainer;

pub use cell::{CellOptions, Outcome, run_cell};
pub use error::TrainError;
pub use manifest::Manifest;
pub use recorder::Note;
pub use setup::Setup;
