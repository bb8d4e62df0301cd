//! Why a grid cannot start.

use std::io;
use std::path::PathBuf;

/// Why a grid cannot start. A cell that fails is an outcome, not an error.
#[derive(Debug, thiserror::Error)]
pub enum GridError {
    /// The output folder cannot be written.
    #[error("cannot write to {path}: {cause}; free or repair it, or name another place with --out")]
    Unwritable {
        /// The path.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// The selection is empty.
    #[error("no cell has all the values of --only; the rows are {}", rows.join(", "))]
    NothingSelected {
        /// The labels of all rows.
        rows: Vec<String>,
    },
    /// A value of the selection is no cell's.
    #[error("--only: no cell has {value}; the rows are {}", rows.join(", "))]
    NoSuchValue {
        /// The setting with the value.
        value: String,
        /// The labels of all rows.
        rows: Vec<String>,
    },
    /// A cell's configuration cannot be written as YAML.
    #[error("the configuration of {cell} cannot be written as YAML: {cause}; keep its dataset under a path in UTF-8")]
    Config {
        /// The cell.
        cell: String,
        /// The cause.
        cause: serde_yaml::Error,
    },
    /// A search needs a better side.
    #[error("`tune` needs a primary metric of which more or less is better, and {0} has no better side; take another")]
    NothingToOptimise(String),
    /// The metrics of a trial cannot be read.
    #[error(transparent)]
    Metrics(records::lines::ReadError),
    /// A finished cell elsewhere is not what the name of its folder says.
    #[error(
        "the finished cell {cell} in {from} is refused: {reason}; leave out what holds it (--from, --cells) or delete its \
         folder, and the cell is trained here"
    )]
    NotGenuine {
        /// Its row and seed.
        cell: String,
        /// The run folder or the bundle.
        from: String,
        /// What speaks against it.
        reason: String,
    },
    /// Another smoke run of the experiment uses the same folder.
    #[error("another smoke run is at work in {0}; wait for it, or name another place with --out")]
    SmokeAtWork(PathBuf),
}
