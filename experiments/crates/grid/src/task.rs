//! A cell to train, and its outcome.

use records::Failure;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Its name in messages, e.g. `chess-shaw seed 1`.
    pub name: String,
    /// Its folder, which holds its configuration.
    pub dir: PathBuf,
}

/// The outcome of a cell in this run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Trained to its end by this runner.
    Finished {
        /// The time that it took.
        took: Duration,
    },
    /// It was finished before, or another runner finished it.
    AlreadyFinished,
    /// It failed, in this runner or another one.
    Failed(Failure),
    /// It stopped at a checkpoint.
    Interrupted,
    /// It was not started, because the run stopped first.
    NotStarted,
}
