//! Runs many cells as child processes, and reports their status.

pub mod authenticity;
pub mod baselines;
mod cell_progress;
pub mod interrupt;
pub mod limits;
pub mod over_seeds;
pub mod overview;
pub mod plan;
pub mod prepare;
pub mod progress;
pub mod prune;
pub mod retry;
mod reuse;
pub mod scheduler;
pub mod select;
pub mod step_times;
pub mod tuning;
pub mod worker;

pub use interrupt::Interrupt;
pub use limits::RunLimits;
pub use prepare::{Prepared, RunSelection};
pub use reuse::CellBundle;
pub use scheduler::Scheduler;
pub use select::Selector;
pub use worker::{Outcome, Task, Worker};
