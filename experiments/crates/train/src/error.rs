//! Why a cell stopped.

use super::checkpoint::CheckpointError;
use dataset::DatasetError;
use models::{ModelError, OptimizerError};
use records::RecordError;
use records::lines::ReadError;
use records::{Failure, FailureKind};
use std::io;
use std::path::{Path, PathBuf};
use tch::TchError;

#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    #[error("{path}: {reason}")]
    Config { path: PathBuf, reason: String },
    /// The tables of `train.start` cannot be used.
    #[error("{path}: {reason}")]
    Tables {
        path: PathBuf,
        /// What is wrong, and the remedy.
        reason: String,
    },
    /// The dataset cannot be opened.
    #[error("{0}")]
    Open(DatasetError),
    /// The dataset belongs to another game.
    #[error(
        "the dataset {dataset} is of {found}, the cell is of {expected}; name a dataset of {expected} under `data`"
    )]
    OtherGame { dataset: String, found: &'static str, expected: &'static str },
    /// A game of the dataset cannot be read.
    #[error(transparent)]
    Data(#[from] DatasetError),
    /// The network cannot be declared.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The optimiser cannot be created or stepped.
    #[error(transparent)]
    Optimizer(#[from] OptimizerError),
    /// A file cannot be written; everything up to the last checkpoint is safe.
    #[error("cannot {action} {path}: {cause}; the last checkpoint is safe, and the next run resumes from it")]
    Io { action: &'static str, path: PathBuf, cause: io::Error },
    /// A checkpoint cannot be written or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The cell's status or manifest cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The metric lines that the cell wrote cannot be read again.
    #[error(transparent)]
    Lines(#[from] ReadError),
    /// A number is not finite.
    #[error("the {what} of step {step} is not finite ({value}); {remedy}")]
    NotFinite {
        what: String,
        /// At which step, counted from 1.
        step: u64,
        value: f64,
        remedy: &'static str,
    },
    /// Resuming would not be bit-identical.
    #[error(
        "resuming from step {step} would not be bit-identical: {}; restore what changed, or force \
         it (`posenc run --force`), which the manifest will say",
        differences.join("; ")
    )]
    OtherBits { step: u64, differences: Vec<String> },
    /// The device's memory is too small for a single position.
    #[error("the device has no room for a step of a single position; take a smaller network or another device")]
    NoRoom,
    #[error("LibTorch: {0}")]
    Torch(TchError),
    /// A thread cannot be started.
    #[error(
        "cannot start the loader's thread: {0}; free memory or raise the limit on processes (ulimit -u), and run again"
    )]
    Thread(io::Error),
}

/// Not by `#[from]`: the message would then contain the cause twice.
impl From<TchError> for TrainError {
    fn from(cause: TchError) -> Self {
        Self::Torch(cause)
    }
}

/// LibTorch's message without the C++ backtrace; other texts unchanged.
pub fn without_backtrace(text: &str) -> &str {
    text.split_once("\nException raised from").map_or(text, |(said, _)| said)
}

impl TrainError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io { action, path: path.to_owned(), cause }
    }

    /// The failure as the cell's status records it. Errors of LibTorch and of the system come as text, and so does their kind.
    pub(super) fn failure(&self) -> Failure {
        let text = self.to_string();
        let cause = without_backtrace(&text);
        match self {
            Self::NotFinite { .. } => Failure { kind: FailureKind::NotFinite, cause: cause.to_owned() },
            _ => Failure::from_text(cause),
        }
    }

    /// Whether the cell can resume from its last checkpoint once the cause is fixed.
    pub fn resumable(&self) -> bool {
        match self {
            Self::Io { .. }
            | Self::Lines(_)
            | Self::Thread(_)
            | Self::Torch(_)
            | Self::OtherBits { .. }
            | Self::Open(_) => true,
            Self::Checkpoint(error) => matches!(error, CheckpointError::Io { .. }),
            Self::Record(error) => matches!(error, RecordError::Io { .. }),
            Self::Data(error) => matches!(error, DatasetError::Io { .. }),
            _ => false,
        }
    }
}
