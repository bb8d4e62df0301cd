//! Runs many cells as child processes, and reports their status.

pub mod baselines;
mod dropped;
pub mod error;
mod genuine;
pub mod interrupt;
pub mod limits;
pub mod measure;
pub mod over_seeds;
pub mod overview;
pub mod planned;
pub mod prepare;
pub mod progress;
pub mod prune;
pub mod retry;
mod reuse;
pub mod scheduler;
pub mod select;
pub mod start_over;
mod task;
pub mod tuning;
pub mod worker;

pub use error::GridError;
pub use interrupt::Interrupt;
pub use limits::Limits;
pub use prepare::{Prepared, RunSelection};
pub use reuse::CellBundle;
pub use scheduler::Scheduler;
pub use select::Selector;
pub use task::{Outcome, Task};
pub use worker::Worker;
