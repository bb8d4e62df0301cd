//! Why a cell's network cannot be used.

use crate::TrainError;
use crate::checkpoint::CheckpointError;
use dataset::DatasetError;
use models::ModelError;
use records::{RecordError, UserError};
use std::io;
use std::path::{Path, PathBuf};
use tch::TchError;

#[derive(Debug, thiserror::Error)]
pub enum InferenceError {
    #[error(transparent)]
    User(#[from] UserError),
    #[error("{} exists already; name a folder or file that does not", .0.display())]
    Exists(PathBuf),
    #[error("cannot {action} {}: {cause}", path.display())]
    Io { action: &'static str, path: PathBuf, cause: io::Error },
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Data(#[from] DatasetError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("LibTorch: {0}")]
    Torch(TchError),
}

/// Not by `#[from]`: the message would then contain the cause twice.
impl From<TchError> for InferenceError {
    fn from(cause: TchError) -> Self {
        Self::Torch(cause)
    }
}

impl InferenceError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io { action, path: path.to_owned(), cause }
    }
}
