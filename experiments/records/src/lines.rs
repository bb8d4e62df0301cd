//! `metrics.jsonl`: one JSON object per line, appended. Everything else can be rebuilt from it.

use super::MetricLine;
use dataset::bounded;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file of metric lines cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {cause}; restore it, or delete the cell's folder to train the cell again")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// A line is invalid.
    #[error("{path}, line {line}: {cause}; a resumed cell rewrites everything after its last checkpoint")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The reason.
        cause: serde_json::Error,
    },
}

/// Every complete line of a file. An unfinished last line (no line break: the cell is writing it, or was killed) is
/// left out.
///
/// # Errors
/// If the file cannot be read, or a complete line is invalid.
pub fn read(path: &Path) -> Result<Vec<MetricLine>, ReadError> {
    let text = bounded::read(path, bounded::RECORD).map_err(|cause| ReadError::Io { path: path.to_owned(), cause })?;
    let complete = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    text[..complete]
        .split_inclusive(|&byte| byte == b'\n')
        .enumerate()
        .map(|(i, line)| {
            serde_json::from_slice(line).map_err(|cause| ReadError::Line { path: path.to_owned(), line: i + 1, cause })
        })
        .collect()
}
