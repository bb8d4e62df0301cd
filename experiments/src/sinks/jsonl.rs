//! `metrics.jsonl`: one JSON object a line, appended; the truth from which everything else can be rebuilt.

use super::{MetricLine, Sink};
use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// The file's name in a cell's folder.
pub const FILE: &str = "metrics.jsonl";

/// Appends lines to a file, each with one write, so that a reader never sees half of one for long.
#[derive(Debug)]
pub struct Jsonl {
    file: File,
    len: u64,
}

impl Jsonl {
    /// Opens or creates the file and cuts it to `len` bytes: what a checkpoint knows of it.
    ///
    /// # Errors
    /// If it cannot be opened or cut, or is shorter than that.
    pub fn open(path: &Path, len: u64) -> io::Result<Self> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        if file.metadata()?.len() < len {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("it has fewer than {len} bytes")));
        }
        file.set_len(len)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self { file, len })
    }

    /// Bytes written so far.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether nothing was written yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Sink for Jsonl {
    fn line(&mut self, line: &MetricLine) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.file.write_all(&text)?;
        self.len += text.len() as u64;
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Why a file of metric lines cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {cause}; restore it, or delete the cell's folder to train the cell anew")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// A line is no metric line.
    #[error("{path}, line {line}: {cause}; a resumed cell rewrites everything after its last checkpoint")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        cause: serde_json::Error,
    },
}

/// Every complete line of a file. An unfinished last line (no line break: the cell is writing it, or was killed) is
/// left out.
///
/// # Errors
/// If the file cannot be read, or a complete line is no metric line.
pub fn read(path: &Path) -> Result<Vec<MetricLine>, ReadError> {
    let text = std::fs::read(path).map_err(|cause| ReadError::Io { path: path.to_owned(), cause })?;
    let complete = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    text[..complete]
        .split_inclusive(|&byte| byte == b'\n')
        .enumerate()
        .map(|(i, line)| {
            serde_json::from_slice(line).map_err(|cause| ReadError::Line { path: path.to_owned(), line: i + 1, cause })
        })
        .collect()
}
