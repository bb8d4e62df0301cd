//! Finished cells with unreadable metrics: they stay finished for the next run, and count as failed in reports.

use crate::failure::{Failure, FailureKind};
use crate::folder::METRICS_FILE;
use crate::lines::{self, ReadError};
use std::path::Path;

/// The failure of a finished cell; `None` if its metrics are readable.
pub fn of_finished(dir: &Path) -> Option<Failure> {
    lines::read(&dir.join(METRICS_FILE)).err().map(|error| failure(&error))
}

pub fn failure(error: &ReadError) -> Failure {
    let cause = match error {
        ReadError::Io { path, cause } => format!("{} cannot be read: {cause}", path.display()),
        ReadError::Line { path, line, cause } => format!("{}, line {line}: {cause}", path.display()),
    };
    Failure { kind: FailureKind::Damaged, cause: format!("the cell finished, but {cause}") }
}
