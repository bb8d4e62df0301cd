//! The content of a run folder: the format of every stored file, and how to read and replace it.
//!
//! ```text
//! runs/<experiment>/{grid.json, baselines.json, step-times.json, tuning.json},
//! runs/<experiment>/<row>/seed-<n>/{manifest.json, metrics.jsonl, status.json, strength.json, …}
//! ```
//! Training and the grid fill these records; reading one needs this crate only.

pub mod atomic;
pub mod axes;
pub mod baselines;
pub mod device;
pub mod failure;
pub mod files;
pub mod folder;
pub mod gpu;
pub mod head_maps;
pub mod identity;
pub mod inspected;
pub mod lines;
pub mod lock;
pub mod machine;
pub mod manifest;
pub mod plan;
pub mod positions;
pub mod status;
pub mod step_times;
pub mod strength;
pub mod time_left;
pub mod tuning;
mod user_error;

pub use axes::Axes;
pub use baselines::Baselines;
pub use failure::{Failure, FailureKind};
pub use files::RecordError;
pub use gpu::Gpu;
pub use inspected::Inspected;
pub use lines::{MetricLine, Metrics, Part, Time};
pub use lock::CellLock;
pub use manifest::{Manifest, Revision};
pub use plan::Plan;
pub use status::{CellState, Status};
pub use step_times::StepTimes;
pub use strength::Strength;
pub use tuning::TuningRecord;
pub use user_error::UserError;
