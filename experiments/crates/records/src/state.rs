//! The status of a cell, from its status file and its lock.

use super::failure::Failure;
use super::lock::CellLock;
use crate::status::{State, Status};
use std::path::Path;

/// The status of a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CellState {
    /// Nothing was done for it yet.
    Pending,
    /// A process trains it now.
    Running(Progress),
    /// It stopped at a checkpoint, or its process was killed; the next run resumes it.
    Interrupted(Progress),
    Done,
    /// It was stopped by an error.
    Failed(Failure),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Progress {
    pub step: u64,
    /// In all; zero until the cell has said so.
    pub steps: u64,
}

impl CellState {
    /// Of the cell in a folder, which need not exist. The status file alone cannot tell a running cell from one whose
    /// process was killed: the lock can.
    pub fn of(dir: &Path) -> Self {
        let (state, progress, error) = match Status::read(dir) {
            Ok(Some(Status { state, step, steps, error, .. })) => (Some(state), Progress { step, steps }, error),
            Ok(None) => (None, Progress::default(), None),
            Err(damage) => (Some(State::Failed), Progress::default(), Some(damage.to_string())),
        };
        match state {
            Some(State::Done) => Self::Done,
            _ if CellLock::is_held(dir) => Self::Running(progress),
            Some(State::Running | State::Interrupted) => Self::Interrupted(progress),
            Some(State::Failed) => Self::Failed(Failure::told(error.as_deref().unwrap_or("it did not say why"))),
            None => Self::Pending,
        }
    }
}
