//! Why a network cannot play.

use std::path::{Path, PathBuf};
use tch::TchError;
use train::TrainError;

#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    #[error("the agent `{agent}` needs {needed}, and the network has none; {remedy}")]
    NoOutput { agent: &'static str, needed: &'static str, remedy: &'static str },
    #[error("{0}")]
    Agent(String),
    #[error("{}{place}: {reason}", file.display())]
    File { file: PathBuf, place: String, reason: String },
    #[error(transparent)]
    Network(#[from] TrainError),
    #[error(transparent)]
    Data(#[from] dataset::DatasetError),
    #[error(
        "{name} forfeited {count} games in a row, the last one because {reason}; correct the engine or its options (`posenc \
         match` gives it longer with --timeout), and remove the lines with `forfeit` from {} before the match is resumed",
        journal.display()
    )]
    Forfeits { name: String, count: usize, reason: String, journal: PathBuf },
    #[error(transparent)]
    Engine(#[from] engines::EngineError),
    #[error(transparent)]
    Openings(#[from] engines::GenerateError),
    #[error(transparent)]
    Torch(#[from] TchError),
}

/// A place in a file, after a comma (empty for the whole of it), and what is wrong there.
pub(crate) type Wrong = (String, String);

impl PlayError {
    pub(crate) fn at(file: &Path, (place, reason): Wrong) -> Self {
        Self::File { file: file.to_owned(), place, reason }
    }

    /// What is wrong with the whole of a file.
    pub(crate) fn file(file: &Path, reason: impl ToString) -> Self {
        Self::at(file, (String::new(), reason.to_string()))
    }
}
