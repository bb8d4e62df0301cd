//! Finished cells whose numbers cannot be read any more: the next run takes them for finished, and no report for read.

use super::failure::{Failure, FailureKind};
use crate::folder::METRICS_FILE;
use crate::lines;
use crate::lines::ReadError;
use std::path::Path;

/// The failure of a finished cell whose metrics cannot be read; none if they can.
pub fn of_finished(dir: &Path) -> Option<Failure> {
    lines::read(&dir.join(METRICS_FILE)).err().map(|error| failure(&error))
}

/// The failure of a finished cell whose metrics cannot be read.
pub fn failure(error: &ReadError) -> Failure {
    let cause = match error {
        ReadError::Io { path, cause } => format!("{} cannot be read: {cause}", path.display()),
        ReadError::Line { path, line, cause } => format!("{}, line {line}: {cause}", path.display()),
    };
    Failure { kind: FailureKind::Damaged, cause: format!("the cell finished, but {cause}") }
}
