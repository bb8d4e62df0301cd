//! Why a cell or a run folder cannot be inspected.

use figures::convert::ConversionError;
use records::positions::PositionsError;
use records::{RecordError, UserError};
use std::io;
use std::path::{Path, PathBuf};
use tch::TchError;
use train::TrainError;

#[derive(Debug, thiserror::Error)]
pub enum InspectionError {
    #[error(transparent)]
    Train(#[from] TrainError),
    #[error(transparent)]
    Plan(#[from] UserError),
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error(transparent)]
    Positions(#[from] PositionsError),
    #[error("{} has no attention heads: its architecture is {architecture}; inspect a cell of a transformer", cell.display())]
    NoHeads { cell: PathBuf, architecture: &'static str },
    #[error("{}: no cell is finished; wait for `posenc run`, or name the folder of a cell", .0.display())]
    NothingFinished(PathBuf),
    #[error("--square {text}: expected a square of {game} such as {example}")]
    Square { text: String, game: &'static str, example: String },
    #[error(
        "--controls {found}: a p-value below {alpha} needs at least {least} networks with random weights; give 0 to leave \
         the comparison out"
    )]
    Controls { found: usize, least: usize, alpha: f64 },
    #[error("cannot {action} {}: {cause}", path.display())]
    Io { action: &'static str, path: PathBuf, cause: io::Error },
    #[error("cannot draw {name}: {reason}")]
    Picture { name: String, reason: ConversionError },
    #[error("LibTorch: {0}")]
    Torch(TchError),
}

/// Not by `#[from]`: the message would then contain the cause twice.
impl From<TchError> for InspectionError {
    fn from(cause: TchError) -> Self {
        Self::Torch(cause)
    }
}

impl InspectionError {
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |cause| Self::Io { action, path: path.to_owned(), cause }
    }
}
