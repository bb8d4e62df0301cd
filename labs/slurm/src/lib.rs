//! A grid as a Slurm job array: one task per cell, each of which can be started any number of times.
//!
//! The queue is never queried: a cell's status is in its own folder. So a task whose cell is done ends at once, two
//! arrays of one grid share it through the cells' locks, and a requeued task resumes from its cell's checkpoint.

mod array;
mod queue;

pub use array::{Array, Resources, argument, divided, write_array};
pub use queue::{TIME_RAN_OUT, requeue, submit};
