//! Why a checkpoint cannot be used.

use std::io;
use std::path::{Path, PathBuf};

/// Why a checkpoint cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// A file cannot be read or written.
    #[error("cannot {action} {path}: {cause}; fix this, and the next run resumes from the newest valid checkpoint")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// A file is damaged.
    #[error("{path} is damaged: {what}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// The checkpoint belongs to another network.
    #[error("{path} holds parameters of another network: {what}")]
    OtherNetwork {
        /// The file.
        path: PathBuf,
        /// The first difference.
        what: String,
    },
    /// There are checkpoints, and all are invalid.
    #[error("no checkpoint in {dir} can be used ({why}); remove that folder to begin this cell again from step 0")]
    NoneUsable {
        /// The folder.
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
