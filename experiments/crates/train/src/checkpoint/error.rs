//! Why a checkpoint cannot be used.

use std::io;
use std::path::{Path, PathBuf};

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// A file cannot be read or written.
    #[error("cannot {action} {path}: {cause}; fix this, and the next run resumes from the newest valid checkpoint")]
    Io { action: &'static str, path: PathBuf, cause: io::Error },
    #[error("{path} is damaged: {what}")]
    Damaged { path: PathBuf, what: String },
    /// The checkpoint belongs to another network.
    #[error("{path} holds parameters of another network: {what}")]
    OtherNetwork { path: PathBuf, what: String },
    /// There are checkpoints, and all are invalid.
    #[error("no checkpoint in {dir} can be used ({why}); remove that folder to begin this cell again from step 0")]
    NoneUsable {
        dir: PathBuf,
        /// What is wrong with each, newest first.
        why: String,
    },
}

impl CheckpointError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io { action, path: path.to_owned(), cause }
    }

    pub(super) fn damaged(path: &Path, what: impl ToString) -> Self {
        Self::Damaged { path: path.to_owned(), what: what.to_string() }
    }
}
