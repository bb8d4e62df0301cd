//! Why a bundle cannot be made or verified.

use super::names::SUMS;
use records::plan::PlanError;
use std::io;
use std::path::{Path, PathBuf};

/// Why a bundle cannot be made or verified.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The folder is not a run folder.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The report cannot be made.
    #[error("the report cannot be made: {0}; fix this, or delete damaged files and run the experiment again")]
    Report(String),
    #[error(
        "{count} cells are not done, the first is {first}; finish them, or publish the finished ones with --partial"
    )]
    Unfinished { count: usize, first: String },
    #[error("{0} is there already; name another place with --out, or remove it")]
    Taken(PathBuf),
    /// A file cannot be read or written.
    #[error("cannot {action} {path}: {cause}; repair it or make room, and repeat the command")]
    Io { action: &'static str, path: PathBuf, cause: io::Error },
    /// A file still contains a path or name of this machine.
    #[error("{file} names a folder or the host of this machine ({what}), and was not published; please report this")]
    Leak { file: String, what: String },
    /// The file or folder is not a readable bundle.
    #[error("{path} is not a bundle, or is damaged: {reason}; get it again from its source")]
    Unreadable { path: PathBuf, reason: String },
    /// It exceeds the size limit.
    #[error("{path} unpacks to more than {limit} bytes; if that is meant, allow more with --max-bytes")]
    TooLarge { path: PathBuf, limit: u64 },
    /// What a report keeps in memory exceeds the limit.
    #[error(
        "{path} has more than {limit} bytes of JSON and YAML, which reports keep in memory; if that is meant, allow 64 times as \
         many with --max-bytes"
    )]
    TooManyRecords { path: PathBuf, limit: u64 },
    /// Files differ from the list of hashes.
    #[error("{} of its files are not what {SUMS} says: {}; get it again from its source", problems.len(), some(problems))]
    Changed { problems: Vec<String> },
    /// Cells cannot be trained again.
    #[error("{0}")]
    Rerun(String),
}

/// The first of a list of problems, which may be as long as the bundle.
fn some(problems: &[String]) -> String {
    const SHOWN: usize = 10;
    let more = problems.len().saturating_sub(SHOWN);
    let shown = problems[..problems.len() - more].join("; ");
    if more > 0 { format!("{shown}; and {more} more") } else { shown }
}

impl BundleError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io { action, path: path.to_owned(), cause }
    }

    pub(super) fn unreadable(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::Unreadable { path: path.to_owned(), reason: reason.to_string() }
    }
}
