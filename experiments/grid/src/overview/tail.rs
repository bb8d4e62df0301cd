//! The newest lines of a `metrics.jsonl`, without reading the rest of it.

use records::{MetricLine, Part};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Bytes at the end that are looked at: some twenty lines with the metrics of every head.
const TAIL: u64 = 1 << 16;

/// The newest lines that can be read.
#[derive(Debug, Default)]
pub(super) struct Newest {
    /// Of any split.
    pub(super) any: Option<MetricLine>,
    /// Of training.
    pub(super) train: Option<MetricLine>,
    /// Whether the last complete line, or the file itself, cannot be read.
    pub(super) damaged: bool,
}

/// The newest lines; none where there is no file, and those that cannot be read are passed over: who looks on is not
/// the one to complain.
pub(super) fn newest(path: &Path) -> Newest {
    let tail = tail(path).unwrap_or_default();
    let complete = tail.rsplit_once('\n').map_or("", |(lines, _)| lines);
    let damaged = complete.lines().next_back().is_none_or(|line| serde_json::from_str::<MetricLine>(line).is_err());
    let mut newest = Newest { damaged, ..Newest::default() };
    for line in tail.lines().rev() {
        let Ok(line) = serde_json::from_str::<MetricLine>(line) else { continue };
        if line.split == Part::Train && newest.train.is_none() {
            newest.train = Some(line.clone());
        }
        newest.any.get_or_insert(line);
        if newest.train.is_some() {
            break;
        }
    }
    newest
}

fn tail(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
