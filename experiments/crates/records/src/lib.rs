//! The content of a run folder: the format of every stored file, and how to read and replace it.
//!
//! ```text
//! runs/<experiment>/{grid.json, baselines.json, step-times.json, tuning.json},
//! runs/<experiment>/<row>/seed-<n>/{manifest.json, metrics.jsonl, status.json, strength.json, …}
//! ```
//! Training and the grid fill these records; reading one needs this crate only.

pub mod atomic;
pub mod baselines;
pub mod conditions;
pub mod damage;
pub mod device;
pub mod failure;
pub mod folder;
pub mod gpu;
pub mod identity;
pub mod inspected;
pub mod line;
pub mod lines;
pub mod lock;
pub mod machine;
pub mod manifest;
pub mod plan;
pub mod positions;
pub mod record_error;
pub mod revision;
pub mod state;
pub mod status;
pub mod step_times;
pub mod stored;
pub mod strength;
pub mod tuning;

pub use baselines::Baselines;
pub use failure::{Failure, FailureKind};
pub use gpu::Gpu;
pub use inspected::Inspected;
pub use line::{MetricLine, Metrics, Part, Time};
pub use lock::CellLock;
pub use manifest::Manifest;
pub use plan::Plan;
pub use record_error::RecordError;
pub use revision::Revision;
pub use state::CellState;
pub use status::Status;
pub use step_times::StepTimes;
pub use strength::Strength;
pub use tuning::TuningRecord;
