//! Why a cell cannot be looked into.

use crate::TrainError;
use crate::checkpoint::CheckpointError;
use dataset::DatasetError;
use games::GameKind;
use models::ModelError;
use std::io;
use std::path::PathBuf;
use tch::TchError;

/// Why a cell cannot be looked into.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// History was to be made up for an input that shows none.
    #[error("the input {0} shows no earlier positions, so that there is nothing to fill: leave --history-fill out")]
    NoHistory(&'static str),
    /// The folder is no cell's.
    #[error("{} is no cell: it has no config.yaml. {hint}", dir.display())]
    NoCell {
        /// The folder.
        dir: PathBuf,
        /// Where cells are.
        hint: String,
    },
    /// Nothing was trained yet.
    #[error("{} has no weights yet, neither final ones nor a checkpoint; run its experiment first", dir.display())]
    NoWeights {
        /// The cell.
        dir: PathBuf,
    },
    /// The run averages no weights.
    #[error("{} has no averaged weights: its run has no `averaging`; leave --averaged out", dir.display())]
    NoAverage {
        /// The cell.
        dir: PathBuf,
    },
    /// A text is no position of the cell's game.
    #[error("{place}no position of {}, which the cell is of: {reason}", game.name())]
    Position {
        /// Where it stands, with a colon behind it; empty for an argument.
        place: String,
        /// The cell's game.
        game: GameKind,
        /// What is wrong.
        reason: String,
    },
    /// There are no positions.
    #[error("{0} holds no position; write one FEN or SFEN a line")]
    NoPositions(String),
    /// The output is there already.
    #[error("{} exists already; name a folder or file that does not", .0.display())]
    Exists(PathBuf),
    /// A file cannot be read or written.
    #[error("cannot {action} {}: {cause}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// The output cannot be put into its format.
    #[error("cannot write {what}: {reason}")]
    Format {
        /// What.
        what: &'static str,
        /// Why not.
        reason: String,
    },
    /// The cell's configuration cannot be used, or it cannot take a step.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// The weights cannot be read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The dataset cannot be read.
    #[error(transparent)]
    Data(#[from] DatasetError),
    /// The network cannot be declared.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// LibTorch failed.
    #[error("LibTorch: {0}")]
    Torch(TchError),
}

/// Not by `#[from]`, which would name the cause in the text and once more as its source.
impl From<TchError> for InspectError {
    fn from(cause: TchError) -> Self {
        Self::Torch(cause)
    }
}

impl InspectError {
    pub(super) fn io(action: &'static str, path: &std::path::Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io { action, path: path.to_owned(), cause }
    }
}
