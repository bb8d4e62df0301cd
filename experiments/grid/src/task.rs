//! A cell to be trained, and how it came out.

use records::Failure;
use std::path::PathBuf;
use std::time::Duration;

/// A cell to be trained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// What a person calls it, e.g. `chess-shaw seed 1`.
    pub name: String,
    /// Its folder, with its configuration inside.
    pub dir: PathBuf,
}

/// How a cell came out of this run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Trained to its end, here.
    Finished {
        /// How long that took.
        took: Duration,
    },
    /// There was nothing to do: it was finished before, or another runner has finished it meanwhile.
    AlreadyFinished,
    /// It failed, here or in another runner.
    Failed(Failure),
    /// It was stopped at a checkpoint.
    Interrupted,
    /// It was not started, because the run was stopped first.
    NotStarted,
}
