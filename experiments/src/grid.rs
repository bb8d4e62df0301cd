//! Many cells: which are done, which run, which failed.

pub mod damage;
pub mod error;
pub mod failure;
pub mod interrupt;
pub mod limits;
pub mod lock;
pub mod measure;
pub mod overview;
pub mod plan;
pub mod planned;
pub mod prepare;
pub mod progress;
pub mod prune;
pub mod retry;
pub mod scheduler;
pub mod select;
pub mod slurm;
pub mod start_over;
pub mod state;
pub mod step_times;
pub mod worker;

pub use error::GridError;
pub use failure::{Failure, FailureKind};
pub use interrupt::Interrupt;
pub use limits::Limits;
pub use lock::CellLock;
pub use plan::Plan;
pub use prepare::{Choice, Prepared};
pub use scheduler::{Outcome, Scheduler, Task};
pub use select::Selector;
pub use state::CellState;
pub use step_times::StepTimes;
pub use worker::Worker;
