//! Many cells: which are done, which run, which failed.

pub mod baselines;
pub mod error;
pub mod interrupt;
pub mod limits;
pub mod measure;
pub mod overview;
pub mod planned;
pub mod prepare;
pub mod progress;
pub mod prune;
pub mod retry;
pub mod scheduler;
pub mod select;
pub mod slurm;
pub mod start_over;
pub mod worker;

pub use error::GridError;
pub use interrupt::Interrupt;
pub use limits::Limits;
pub use prepare::{Choice, Prepared};
pub use scheduler::{Outcome, Scheduler, Task};
pub use select::Selector;
pub use worker::Worker;
