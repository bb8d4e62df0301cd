//! The sink that appends lines to `metrics.jsonl`.

use super::Sink;
use records::MetricLine;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::Path;

/// Appends lines to a file, each in one write, so that readers rarely see a partial line.
#[derive(Debug)]
pub struct Jsonl {
    file: File,
    len: u64,
}

impl Jsonl {
    /// Opens or creates the file and truncates it to `len` bytes, the length in the checkpoint.
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

    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the file is empty.
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
