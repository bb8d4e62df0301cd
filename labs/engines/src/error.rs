//! The errors of a generation.

use crate::engine::EngineError;
use dataset::DatasetError;
use std::io;
use std::path::{Path, PathBuf};

/// Why no dataset was made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// An option has an invalid value.
    #[error("{option}: {reason}")]
    Option {
        option: &'static str,
        /// What is wrong and what to do.
        reason: String,
    },
    /// An opening cannot be used.
    #[error("{file}, {place}: {reason}")]
    Opening {
        file: String,
        /// Line or game in it.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The engine cannot be used.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The dataset cannot be written.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The journal could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Io { action: &'static str, path: PathBuf, source: io::Error },
    /// Another process is making the same dataset.
    #[error("another process is making this dataset: it works in {}", .0.display())]
    Busy(PathBuf),
    /// The games of an interrupted generation were played under other conditions.
    #[error(
        "{} holds games of an interrupted generation under other conditions ({differences}): repeat them to resume it, \
         choose another --out, or remove that folder",
        dir.display()
    )]
    OtherConditions { dir: PathBuf, differences: String },
    #[error("{} is damaged ({reason}): remove its folder to start again", path.display())]
    Journal {
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A file could not be written; the finished games are kept.
    #[error("{source}; {done} of {games} games are kept: make room, and the same command resumes from there")]
    Interrupted {
        source: Box<GenerateError>,
        /// Games that are in the journal.
        done: u64,
        /// Games that were asked for.
        games: u64,
    },
    /// The generation was stopped on request.
    #[error("stopped with {done} of {games} games played; the same command resumes from there")]
    Stopped {
        /// Games that are in the journal.
        done: u64,
        /// Games that were asked for.
        games: u64,
    },
    /// No game could be finished.
    #[error("none of the {games} games could be played to its end; the first: {reason}")]
    NothingPlayed {
        /// Games that were asked for.
        games: u64,
        /// Why the first was given up.
        reason: String,
    },
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
