//! Why a grid cannot start.

use std::io;
use std::path::PathBuf;

/// Why a grid cannot start. A cell that fails is an outcome, not an error.
#[derive(Debug, thiserror::Error)]
pub enum GridError {
    /// The output folder cannot be written.
    #[error("cannot write to {path}: {cause}; free or repair it, or name another place with --out")]
    Unwritable { path: PathBuf, cause: io::Error },
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
    Config { cell: String, cause: serde_yaml::Error },
    /// A search needs a better side.
    #[error("`tune` needs a primary metric of which more or less is better, and {0} has no better side; take another")]
    NothingToOptimise(String),
    /// The metrics of a trial cannot be read.
    #[error(transparent)]
    Metrics(records::lines::ReadError),
    /// The new plan lacks finished cells of the present one.
    #[error(
        "{run_dir} has {cells} finished cells that the new plan lacks ({}): the file or the version of posenc has changed; to \
         keep both, give the file another `name` or name another folder with --out; to take these cells out of the plan, \
         add --replace (their files stay)",
        listed(rows)
    )]
    Dropped {
        run_dir: PathBuf,
        cells: usize,
        /// The folders of their rows.
        rows: Vec<String>,
    },
    /// A finished cell elsewhere is not what the name of its folder says.
    #[error(
        "the finished cell {cell} in {from} is refused: {reason}; leave out what holds it (--from, --cells) or delete its \
         folder, and the cell is trained here"
    )]
    NotGenuine {
        cell: String,
        /// The run folder or the bundle.
        from: String,
        reason: String,
    },
    /// Another smoke run of the experiment uses the same folder.
    #[error("another smoke run is at work in {0}; wait for it, or name another place with --out")]
    SmokeAtWork(PathBuf),
}

const SHOWN: usize = 3;

/// The first names, and how many others there are.
fn listed(names: &[String]) -> String {
    let first = names[..names.len().min(SHOWN)].join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => first,
        others => format!("{first} and {others} more"),
    }
}
