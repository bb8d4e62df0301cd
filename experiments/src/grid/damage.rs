//! Finished cells whose numbers cannot be read any more: the next run takes them for finished, and no report for read.

use super::failure::{Failure, FailureKind};
use super::prepare::write_config;
use crate::sinks::jsonl::{self, ReadError};
use crate::train::cell::METRICS_FILE;
use crate::train::setup::CONFIG_FILE;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What a folder that was put aside is called in front of its name.
pub const ASIDE: &str = "damaged-";

/// What is wrong with the metrics of the finished cell in a folder, if they cannot be read.
#[must_use]
pub fn of_finished(dir: &Path) -> Option<Failure> {
    jsonl::read(&dir.join(METRICS_FILE)).err().map(|error| failure(&error))
}

/// The failure of a finished cell whose metrics cannot be read.
#[must_use]
pub fn failure(error: &ReadError) -> Failure {
    let cause = match error {
        ReadError::Io { path, cause } => format!("{} cannot be read: {cause}", path.display()),
        ReadError::Line { path, line, cause } => format!("{}, line {line}: {cause}", path.display()),
    };
    Failure { kind: FailureKind::Damaged, cause: format!("the cell finished, but {cause}") }
}

/// Renames a cell's folder, so that nothing of it is lost, and begins it anew with its configuration; says where the
/// old one is.
///
/// # Errors
/// If the folder cannot be renamed or made.
pub fn put_aside(dir: &Path) -> io::Result<PathBuf> {
    let text = fs::read_to_string(dir.join(CONFIG_FILE))?;
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let unused = (0..).map(|count: u32| match count {
        0 => dir.with_file_name(format!("{ASIDE}{name}")),
        _ => dir.with_file_name(format!("{ASIDE}{name}-{count}")),
    });
    let aside = unused.into_iter().find(|path| !path.exists()).unwrap_or_else(|| dir.with_file_name(ASIDE));
    fs::rename(dir, &aside)?;
    write_config(dir, &text)?;
    Ok(aside)
}
