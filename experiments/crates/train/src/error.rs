//! Why a cell stopped, or its network cannot be used.

use crate::checkpoint::CheckpointError;
use config::ConfigError;
use dataset::DatasetError;
use models::{ModelError, OptimizerError};
use records::lines::ReadError;
use records::{Failure, FailureKind, RecordError, UserError};
use std::io;
use std::path::{Path, PathBuf};
use tch::TchError;

#[derive(Debug, thiserror::Error)]
pub enum TrainError {
    /// An invalid file: the configuration, or the tables of `train.start`.
    #[error("{path}: {reason}")]
    Config { path: PathBuf, reason: String },
    #[error(transparent)]
    Settings(#[from] Box<ConfigError>),
    #[error(transparent)]
    User(#[from] UserError),
    #[error("{0}")]
    Open(DatasetError),
    #[error(transparent)]
    Data(#[from] DatasetError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Optimizer(#[from] OptimizerError),
    #[error("cannot {action} {path}: {cause}; the last checkpoint is safe, and the next run resumes from it")]
    Io { action: &'static str, path: PathBuf, cause: io::Error },
    /// Of a file that no checkpoint needs.
    #[error("cannot {action} {path}: {cause}")]
    File { action: &'static str, path: PathBuf, cause: io::Error },
    #[error("{} exists already; name a folder or file that does not", .0.display())]
    Exists(PathBuf),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Lines(#[from] ReadError),
    #[error("the {what} of step {step} is not finite ({value}); {}", FailureKind::NotFinite.remedy())]
    NotFinite { what: String, step: u64, value: f64 },
    #[error(
        "training measures \"{0}\", and the registry of metrics lacks it, so no report could read it; add it to `of_training` \
         in models/facts/src/metrics.rs"
    )]
    UnknownMetric(String),
    /// Resuming would not be bit-identical.
    #[error(
        "resuming from step {step} would not be bit-identical: {}; restore what changed, or force \
         it (`posenc run --force`), which the manifest will say",
        differences.join("; ")
    )]
    OtherBits { step: u64, differences: Vec<String> },
    #[error("the device has no room for a step of a single position; take a smaller network or another device")]
    NoRoom,
    #[error("LibTorch: {0}")]
    Torch(TchError),
    #[error("cannot start a thread: {0}; free memory or raise the limit on processes (ulimit -u), and run again")]
    Thread(io::Error),
    #[error("the thread that makes batches panicked; its message is above")]
    NoBatches,
}

/// Not by `#[from]`: the message would then contain the cause twice.
impl From<TchError> for TrainError {
    fn from(cause: TchError) -> Self {
        Self::Torch(cause)
    }
}

/// LibTorch's message without the C++ backtrace; other texts unchanged.
pub fn without_backtrace(text: &str) -> &str {
    text.split_once("\nException raised from").map_or(text, |(message, _)| message)
}

impl TrainError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io { action, path: path.to_owned(), cause }
    }

    pub(super) fn file(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::File { action, path: path.to_owned(), cause }
    }

    /// The failure for the cell's status. The kind of errors of LibTorch and of the system follows from their text.
    pub(super) fn failure(&self) -> Failure {
        let text = self.to_string();
        let cause = without_backtrace(&text);
        match self {
            Self::NotFinite { .. } => Failure { kind: FailureKind::NotFinite, cause: cause.to_owned() },
            Self::NoBatches => Failure { kind: FailureKind::Panic, cause: cause.to_owned() },
            _ => Failure::from_text(cause),
        }
    }

    /// Whether the cell can resume from its last checkpoint once the cause is fixed.
    pub fn resumable(&self) -> bool {
        match self {
            Self::Io { .. }
            | Self::Lines(_)
            | Self::Thread(_)
            | Self::NoBatches
            | Self::Torch(_)
            | Self::OtherBits { .. }
            | Self::Open(_) => true,
            Self::Checkpoint(error) => matches!(error, CheckpointError::Io { .. }),
            Self::Record(error) => matches!(error, RecordError::Io { .. }),
            Self::Data(error) => matches!(error, DatasetError::Io { .. } | DatasetError::CacheUnwritable { .. }),
            _ => false,
        }
    }
}
