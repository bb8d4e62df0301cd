//! Why a network cannot play.

use std::path::PathBuf;
use tch::TchError;
use train::inference::InferenceError;

/// Why a network cannot play, or its problems cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PlayError {
    /// The agent needs an output that the network does not have.
    #[error("the agent `{agent}` needs {needed}, and the network has none; {remedy}")]
    NoOutput {
        agent: &'static str,
        needed: &'static str,
        /// Another agent, or another network.
        remedy: &'static str,
    },
    /// An agent's name or option is wrong.
    #[error("{0}")]
    Agent(String),
    /// A file has another format than expected.
    #[error("{}{place}: {reason}", file.display())]
    File {
        file: PathBuf,
        /// Where in it, after a comma; empty for the whole of it.
        place: String,
        /// The expected format and the found one.
        reason: String,
    },
    /// The network cannot be evaluated.
    #[error(transparent)]
    Network(#[from] InferenceError),
    /// The file cannot be opened or unpacked.
    #[error(transparent)]
    Data(#[from] dataset::DatasetError),
    /// A contestant's engine failed in several games in a row.
    #[error(
        "{name} forfeited {count} games in a row, the last one because {reason}; correct the engine or its options (`posenc \
         match` gives it longer with --timeout), and remove the lines with `forfeit` from {} before the match is resumed",
        journal.display()
    )]
    Forfeits {
        name: String,
        count: usize,
        /// The last error of its engine.
        reason: String,
        /// The file with the games.
        journal: PathBuf,
    },
    #[error(transparent)]
    Engine(#[from] engines::EngineError),
    /// A book of openings cannot be used.
    #[error(transparent)]
    Openings(#[from] engines::GenerateError),
    #[error(transparent)]
    Torch(#[from] TchError),
}
