//! `metrics.jsonl`: one JSON object per line, appended. Everything else can be rebuilt from it.

use super::{MetricLine, stored};
use std::io::{self, BufRead as _, BufReader, Error, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

/// Why a file of metric lines cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be opened or read.
    #[error("cannot read {path}: {cause}; restore it, or delete the cell's folder to train the cell again")]
    Io { path: PathBuf, cause: io::Error },
    #[error("{path}, line {line}: {cause}; a resumed cell rewrites everything after its last checkpoint")]
    Line { path: PathBuf, line: usize, cause: serde_json::Error },
}

/// Bytes of the longest line; they have a few thousand.
const LONGEST: u64 = 4 << 20;

/// What separates the part of a line that is the same in every run from its times.
const TIMES: &str = ",\"time\":";

/// Every complete line of a file. An unfinished last line (no line break: the cell is writing it, or was killed) is
/// left out.
///
/// # Errors
/// If the file cannot be read, or a complete line is invalid.
pub fn read(path: &Path) -> Result<Vec<MetricLine>, ReadError> {
    let mut lines = Vec::new();
    each(path, |text| {
        let wrong = |cause| ReadError::Line { path: path.to_owned(), line: lines.len() + 1, cause };
        let line: MetricLine = serde_json::from_slice(text).map_err(wrong)?;
        lines.push(line);
        Ok(())
    })?;
    Ok(lines)
}

/// BLAKE3 of the complete lines of a file without their times: cells with the same numbers have the same.
pub fn hash(path: &Path) -> Result<String, ReadError> {
    let mut hasher = blake3::Hasher::new();
    each(path, |text| {
        hasher.update(without_times(&String::from_utf8_lossy(text)).as_bytes());
        hasher.update(b"\n");
        Ok(())
    })?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// A line without its times, which come last, and without its line break.
pub fn without_times(line: &str) -> &str {
    line.split_once(TIMES).map_or_else(|| line.trim_end_matches('\n'), |(numbers, _)| numbers)
}

/// Calls `each` with every complete line, its line break included.
fn each(path: &Path, mut each: impl FnMut(&[u8]) -> Result<(), ReadError>) -> Result<(), ReadError> {
    let io = |cause| ReadError::Io { path: path.to_owned(), cause };
    let mut file = BufReader::new(stored::open(path).map_err(io)?);
    let mut line = Vec::new();
    loop {
        line.clear();
        let length = file.by_ref().take(LONGEST).read_until(b'\n', &mut line).map_err(io)?;
        if line.last() == Some(&b'\n') {
            each(&line)?;
        } else if length as u64 == LONGEST {
            return Err(io(Error::new(ErrorKind::InvalidData, format!("a line is longer than {LONGEST} bytes"))));
        } else {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_a_hash_without_their_times() {
        let dir = tempfile::tempdir().unwrap();
        let line = |loss: f64, wall_s: f64| {
            let time = format!(r#"{{"unix_s":1.0,"wall_s":{wall_s},"positions_per_s":2.0}}"#);
            format!(r#"{{"step":1,"split":"test","epochs":0.5,"metrics":{{"policy_loss":{loss}}},"time":{time}}}"#)
        };
        let written = |name: &str, text: String| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let own = written("a", format!("{}\n{}\n", line(1.5, 1.0), line(1.25, 2.0)));
        let slower = written("b", format!("{}\n{}\n{}", line(1.5, 3.0), line(1.25, 4.0), &line(1.0, 5.0)[..20]));
        let other = written("c", format!("{}\n{}\n", line(1.5, 1.0), line(1.125, 2.0)));
        assert_eq!((read(&own).unwrap().len(), read(&slower).unwrap().len()), (2, 2));
        assert_eq!(hash(&own).unwrap(), hash(&slower).unwrap());
        assert_ne!(hash(&own).unwrap(), hash(&other).unwrap());
        let damaged = written("d", format!("{}\n{{}}\n", line(1.5, 1.0)));
        assert!(read(&damaged).unwrap_err().to_string().contains("d, line 2: "));
    }

    #[test]
    fn a_line_without_an_end_does_not_fill_the_memory() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("metrics.jsonl");
        std::fs::File::create(&path).unwrap().set_len(2 * LONGEST).unwrap();
        assert!(read(&path).unwrap_err().to_string().contains("a line is longer than"));
        assert!(hash(&path).is_err() && read(dir.path()).is_err());
    }
}
