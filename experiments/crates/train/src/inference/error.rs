//! Why a cell cannot be inspected.

use crate::TrainError;
use crate::checkpoint::CheckpointError;
use dataset::DatasetError;
use games::GameKind;
use models::ModelError;
use records::RecordError;
use std::io;
use std::path::PathBuf;
use tch::TchError;

/// Why a cell cannot be inspected.
#[derive(Debug, thiserror::Error)]
pub enum InferenceError {
    /// History was requested for an input without history.
    #[error("the input {0} shows no earlier positions, so that there is nothing to fill: leave --history-fill out")]
    NoHistory(&'static str),
    /// The folder is not a cell's.
    #[error("{} is not a cell: it has no config.yaml. {hint}", dir.display())]
    NoCell { dir: PathBuf, hint: String },
    /// The cell has no weights yet.
    #[error("{} has no weights yet, neither final ones nor a checkpoint; run its experiment first", dir.display())]
    NoWeights { dir: PathBuf },
    /// The run does not average weights.
    #[error("{} has no averaged weights: its run has no `averaging`; leave --averaged out", dir.display())]
    NoAverage { dir: PathBuf },
    /// Final weights are not those that the cell ended with.
    #[error(
        "{} is damaged or holds other weights: {record} records the BLAKE3 {expected}, found {found}; copy the cell's folder \
         again from where it was trained, or remove it and run its experiment again",
        file.display()
    )]
    OtherWeights {
        file: PathBuf,
        /// The file with the hash.
        record: &'static str,
        expected: String,
        /// The hash of the weights.
        found: String,
    },
    /// Weights are infinite or not numbers.
    #[error(
        "the weights of {} cannot be used: {count} of the {size} numbers of {tensor} are infinite or not numbers; copy the \
         cell's folder again from where it was trained, or remove it and run its experiment again",
        dir.display()
    )]
    NotFinite {
        dir: PathBuf,
        tensor: String,
        /// Numbers of it that are not finite.
        count: usize,
        size: usize,
    },
    /// A text is not a position of the cell's game.
    #[error("{place}no position of {}, which the cell is of: {reason}", game.name())]
    Position {
        /// Where the text is, with a colon; empty for an argument.
        place: String,
        game: GameKind,
        reason: String,
    },
    #[error("{0} holds no position; write one FEN or SFEN a line")]
    NoPositions(String),
    /// The network has fewer layers.
    #[error("--layers {layer}: the network has {layers} attention layers, numbered from 0")]
    NoLayer { layer: usize, layers: usize },
    #[error("{} exists already; name a folder or file that does not", .0.display())]
    Exists(PathBuf),
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {cause}", path.display())]
    Io { action: &'static str, path: PathBuf, cause: io::Error },
    /// The output cannot be written in its format.
    #[error("cannot write {what}: {reason}")]
    Format { what: &'static str, reason: String },
    /// The cell's configuration is invalid, or a step failed.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The weights cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The cell's status or manifest cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The dataset cannot be read.
    #[error(transparent)]
    Data(#[from] DatasetError),
    /// The network cannot be declared.
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
    pub(super) fn io(action: &'static str, path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io { action, path: path.to_owned(), cause }
    }
}
