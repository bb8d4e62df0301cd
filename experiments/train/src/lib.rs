//! One cell: data, network and optimiser, step by step, to the same bits however often it was interrupted.
//!
//! ```text
//! feed ─ batches ─▶ trainer ─ steps ─▶ recorder ─ lines ─▶ metrics.jsonl, TensorBoard, terminal
//!                      │  └─ evaluate ─ fixed positions ─▶ recorder
//!                      └─ checkpoint
//! ```

pub mod batch_gradient;
pub mod bench;
pub mod cell;
pub mod checkpoint;
mod describe;
mod drawing;
pub mod error;
pub mod evaluate;
pub mod events;
mod feed;
mod fit;
pub mod inspect;
mod learner;
mod micro;
mod objective;
pub mod pictures;
mod random_batch;
mod recorder;
pub mod setup;
pub mod signals;
pub mod sinks;
mod stages;
mod tally;
pub mod tensors;
pub mod threads;
mod trainer;

pub use cell::{CellOptions, Outcome, run_cell};
pub use error::TrainError;
pub use recorder::Note;
pub use setup::Setup;
