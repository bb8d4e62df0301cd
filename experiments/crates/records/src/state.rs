//! The status of a cell, from its status file and its lock.

use super::failure::Failure;
use super::lock::CellLock;
use super::record_error::RecordError;
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
        let unreadable = |damage: RecordError| {
            Some(Status::new(State::Failed, 0, 0).with_failure(Failure::from_text(&damage.to_string())))
        };
        let status = Status::read(dir).unwrap_or_else(unreadable);
        let progress = status
            .as_ref()
            .map_or_else(Progress::default, |status| Progress { step: status.step, steps: status.steps });
        match status {
            Some(Status { state: State::Done, .. }) => Self::Done,
            _ if CellLock::is_held(dir) => Self::Running(progress),
            Some(status) if status.state == State::Failed => Self::Failed(status.failure()),
            Some(_) => Self::Interrupted(progress),
            None => Self::Pending,
        }
    }
}
