//! Errors that several files have in common: where, why, and what to do.

use anyhow::{Error, anyhow};
use std::fmt::Display;
use std::io;
use std::path::Path;

/// A file or folder cannot be read or written.
pub(super) fn cannot(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    move |cause| match cause.kind() {
        io::ErrorKind::NotFound if action == "read" => anyhow!("there is no {}; check its path", path.display()),
        _ => anyhow!("cannot {action} {}: {cause}; repair it or make room, and repeat the command", path.display()),
    }
}

/// The file or folder is not a readable bundle.
pub(super) fn unreadable(path: &Path, reason: impl Display) -> Error {
    anyhow!("{} is not a bundle, or is damaged: {reason}; get it again from its source", path.display())
}

pub(super) fn taken(path: &Path) -> Error {
    anyhow!("{} is there already; name another place, or remove it", path.display())
}

pub(super) fn no_report(cause: impl Display) -> Error {
    anyhow!("the report cannot be made: {cause:#}; fix this, or delete damaged files and run the experiment again")
}
