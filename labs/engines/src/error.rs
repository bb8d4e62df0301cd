//! The errors of a generation.

use crate::engine::EngineError;
use dataset::DatasetError;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    #[error("{option}: {reason}")]
    Option { option: &'static str, reason: String },
    #[error("{file}, {place}: {reason}")]
    Opening { file: String, place: String, reason: String },
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    #[error("cannot {action} {}: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    #[error("another process is making this dataset: it works in {}", .0.display())]
    Busy(PathBuf),
    #[error(
        "{} holds games of an interrupted generation under other conditions ({differences}): repeat them to resume it, \
         choose another --out, or remove that folder",
        dir.display()
    )]
    OtherConditions { dir: PathBuf, differences: String },
    #[error("{} is damaged ({reason}): remove its folder to start again", path.display())]
    Journal { path: PathBuf, reason: String },
    /// A file could not be written; the finished games are kept.
    #[error("{source}; {done} of {games} games are kept: make room, and the same command resumes from there")]
    Interrupted { source: Box<GenerateError>, done: u64, games: u64 },
    #[error("stopped with {done} of {games} games played; the same command resumes from there")]
    Stopped { done: u64, games: u64 },
    #[error("none of the {games} games could be played to its end; the first: {reason}")]
    NothingPlayed { games: u64, reason: String },
}

impl GenerateError {
    /// Adds the number of kept games to an error about a file.
    pub(super) fn with_kept(self, done: u64, games: u64) -> Self {
        match self {
            Self::Io { .. } | Self::Dataset(DatasetError::Io { .. }) => {
                Self::Interrupted { source: Box::new(self), done, games }
            }
            other => other,
        }
    }

    /// Wraps an input or output error with what was tried and where.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}
