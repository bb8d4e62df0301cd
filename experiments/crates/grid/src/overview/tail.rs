//! The newest lines of a `metrics.jsonl`, read from its end.

use records::{MetricLine, Part};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// Bytes read at the end: about twenty lines with the metrics of every head.
const TAIL: u64 = 1 << 16;

#[derive(Debug, Default)]
pub(super) struct LatestLines {
    pub(super) any: Option<MetricLine>,
    pub(super) train: Option<MetricLine>,
    /// Whether the last complete line, or the file itself, cannot be read.
    pub(super) damaged: bool,
}

/// The newest lines; none if the file is missing. Unreadable lines are skipped.
pub(super) fn latest_lines(path: &Path) -> LatestLines {
    let tail = tail(path).unwrap_or_default();
    let complete = tail.rsplit_once('\n').map_or("", |(lines, _)| lines);
    let damaged = complete.lines().next_back().is_none_or(|line| serde_json::from_str::<MetricLine>(line).is_err());
    let mut latest = LatestLines { damaged, ..LatestLines::default() };
    for line in tail.lines().rev() {
        let Ok(line) = serde_json::from_str::<MetricLine>(line) else { continue };
        if line.split == Part::Train && latest.train.is_none() {
            latest.train = Some(line.clone());
        }
        latest.any.get_or_insert(line);
        if latest.train.is_some() {
            break;
        }
    }
    latest
}

fn tail(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
