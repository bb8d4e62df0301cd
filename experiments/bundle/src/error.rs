//! Why a bundle cannot be made or trusted.

use records::plan::PlanError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a bundle cannot be made or trusted.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The folder is no run folder.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The report cannot be drawn.
    #[error("the report cannot be drawn: {0}; mend that, or delete what is damaged and run the experiment again")]
    Report(String),
    /// Cells are not finished.
    #[error("{count} cells are not done, the first is {first}; finish them, or publish what there is with --partial")]
    Unfinished {
        /// How many.
        count: usize,
        /// One of them.
        first: String,
    },
    /// The place is taken.
    #[error("{0} is there already; name another place with --out, or remove it")]
    Taken(PathBuf),
    /// A file cannot be read or written.
    #[error("cannot {action} {path}: {cause}; nothing was published")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// A file still names this machine.
    #[error("{file} names a folder or the host of this machine ({what}), and was not published; please report this")]
    Leak {
        /// The file.
        file: String,
        /// What it names.
        what: String,
    },
    /// It is no bundle that can be read.
    #[error("{path} is no bundle, or a damaged one: {reason}; get it again from its source")]
    Unreadable {
        /// The bundle.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// It would take too much room.
    #[error("{path} unpacks to more than {limit} bytes; if that is meant, allow more with --max-bytes")]
    TooLarge {
        /// The bundle.
        path: PathBuf,
        /// The limit.
        limit: u64,
    },
    /// Files are not what the list says.
    #[error("{} of its files are not what {} says: {}; get it again from its source", problems.len(), super::SUMS, problems.join("; "))]
    Changed {
        /// One sentence each.
        problems: Vec<String>,
    },
    /// Cells cannot be trained again.
    #[error("{0}")]
    Rerun(String),
}

impl BundleError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io { action, path: path.to_owned(), cause }
    }

    pub(super) fn unreadable(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::Unreadable { path: path.to_owned(), reason: reason.to_string() }
    }
}
