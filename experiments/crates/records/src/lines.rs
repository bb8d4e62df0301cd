//! `metrics.jsonl`: one JSON object per line, appended. Everything else can be rebuilt from it.

use dataset::bounded;
use facts::Weights;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Error, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// The metrics of one step on one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricLine {
    pub step: u64,
    pub split: Part,
    /// The weights that were evaluated; left out for raw weights.
    #[serde(default, skip_serializing_if = "Weights::are_raw")]
    pub weights: Weights,
    /// Epochs of the training positions seen by then.
    pub epochs: f64,
    /// The values, in the order of the registry ([`facts::metrics`]). A metric without meaning for the cell or
    /// without positions is left out.
    pub metrics: Metrics,
    /// The times, which bit-identical runs do not share.
    pub time: Time,
}

impl MetricLine {
    /// The name of a metric beside those of other splits: `<split>/<metric>`, of averaged weights `<split>_averaged/<metric>`.
    pub fn tag(&self, metric: &str) -> String {
        let split = self.split.name();
        match self.weights.are_raw() {
            true => format!("{split}/{metric}"),
            false => format!("{split}_{}/{metric}", self.weights.name()),
        }
    }

    /// The loss of its step: the weighted sum of the losses, otherwise that of the policy.
    pub fn loss(&self) -> Option<f64> {
        ["loss", "policy_loss"].iter().find_map(|name| self.metrics.get(name))
    }
}

games::named! {
    /// The positions of a line: a split of the dataset; of the training split either the batches or a sample.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Part {
        /// Batches of the training split while they were trained on: means over the steps since the last such line.
        Train = "train",
        /// A fixed sample of the training split, evaluated like test positions, for the gap between training and test.
        TrainSample = "train_sample",
        Validation = "validation",
        Test = "test",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// When the line was written: seconds since 1970.
    pub unix_s: f64,
    /// Seconds of training and evaluation by then, over all sessions of the cell.
    pub wall_s: f64,
    /// Training positions a second since the last line of its split; on evaluations, evaluated ones.
    pub positions_per_s: f64,
}

/// Names and values, in order.
///
/// ```
/// # use records::Metrics;
/// let mut metrics = Metrics::default();
/// metrics.push("policy_loss", 2.5);
/// assert_eq!(metrics.get("policy_loss"), Some(2.5));
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Metrics(Vec<(String, f64)>);

impl Metrics {
    pub fn push(&mut self, name: &str, value: f64) {
        self.0.push((name.to_owned(), value));
    }

    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.iter().find(|(n, _)| n == name).map(|&(_, value)| value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.0.iter().map(|(name, value)| (name.as_str(), *value))
    }
}

impl Serialize for Metrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Metrics {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Metrics;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map from metric names to numbers")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Metrics, A::Error> {
                let mut metrics = Vec::new();
                while let Some(entry) = map.next_entry::<String, f64>()? {
                    metrics.push(entry);
                }
                Ok(Metrics(metrics))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Why a file of metric lines cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("cannot read {path}: {cause}; restore it, or delete the cell's folder to train the cell again")]
    Io { path: PathBuf, cause: io::Error },
    #[error("{path}, line {line}: {cause}; a resumed cell rewrites everything after its last checkpoint")]
    Line { path: PathBuf, line: usize, cause: serde_json::Error },
}

/// Bytes of the longest line; they have a few thousand.
const LONGEST: u64 = 4 << 20;

/// The beginning of a line's times, which come last.
const TIMES: &str = ",\"time\":";

/// The complete lines of a file. A last line without a line break is left out: the cell is writing it, or was killed.
pub fn read(path: &Path) -> Result<Vec<MetricLine>, ReadError> {
    Ok(Follower::default().new_lines(path)?.lines)
}

/// Reads a growing file, each time only the lines that are new.
#[derive(Debug, Clone, Default)]
pub struct Follower {
    /// Bytes and lines that were read.
    read: u64,
    lines: usize,
    /// The last of these bytes.
    end: Vec<u8>,
}

/// The complete lines of a file since the last time.
#[derive(Debug, Clone, PartialEq)]
pub struct NewLines {
    /// Whether the lines of earlier times no longer hold: a resumed cell rewrites those after its checkpoint.
    pub from_start: bool,
    pub lines: Vec<MetricLine>,
}

impl Follower {
    /// Bytes by which a rewritten file is recognised: they hold the times of the last line.
    const END: usize = 128;

    /// After an error the next call reads the same lines again.
    pub fn new_lines(&mut self, path: &Path) -> Result<NewLines, ReadError> {
        let io = |cause| ReadError::Io { path: path.to_owned(), cause };
        let mut file = bounded::open(path).map_err(io)?;
        let from_start = !self.is_continued(&mut file).map_err(io)?;
        let mut after = if from_start { Self::default() } else { self.clone() };
        file.seek(SeekFrom::Start(after.read)).map_err(io)?;
        let mut lines = Vec::new();
        each(path, file, |text| {
            let wrong = |cause| ReadError::Line { path: path.to_owned(), line: after.lines + 1, cause };
            lines.push(serde_json::from_slice(text).map_err(wrong)?);
            after.read += text.len() as u64;
            after.lines += 1;
            after.end = text[text.len().saturating_sub(Self::END)..].to_vec();
            Ok(())
        })?;
        *self = after;
        Ok(NewLines { from_start, lines })
    }

    /// Whether the file still has the last bytes that were read.
    fn is_continued(&self, file: &mut File) -> io::Result<bool> {
        let mut end = vec![0; self.end.len()];
        file.seek(SeekFrom::Start(self.read - end.len() as u64))?;
        match file.read_exact(&mut end) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
            outcome => outcome.map(|()| end == self.end),
        }
    }
}

/// BLAKE3 of the complete lines of a file without their times: the same for bit-identical cells.
pub fn hash(path: &Path) -> Result<String, ReadError> {
    let mut hasher = blake3::Hasher::new();
    let file = bounded::open(path).map_err(|cause| ReadError::Io { path: path.to_owned(), cause })?;
    each(path, file, |text| {
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
fn each(path: &Path, file: File, mut each: impl FnMut(&[u8]) -> Result<(), ReadError>) -> Result<(), ReadError> {
    let io = |cause| ReadError::Io { path: path.to_owned(), cause };
    let mut file = BufReader::new(file);
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

    fn line(step: u64, loss: f64, wall_s: f64) -> String {
        let time = format!(r#"{{"unix_s":1.0,"wall_s":{wall_s},"positions_per_s":2.0}}"#);
        format!(r#"{{"step":{step},"split":"test","epochs":0.5,"metrics":{{"loss":{loss}}},"time":{time}}}"#) + "\n"
    }

    #[test]
    fn lines_have_a_hash_without_their_times() {
        let dir = tempfile::tempdir().unwrap();
        let written = |name: &str, text: String| {
            let path = dir.path().join(name);
            std::fs::write(&path, text).unwrap();
            path
        };
        let own = written("a", line(1, 1.5, 1.0) + &line(1, 1.25, 2.0));
        let slower = written("b", line(1, 1.5, 3.0) + &line(1, 1.25, 4.0) + &line(1, 1.0, 5.0)[..20]);
        let other = written("c", line(1, 1.5, 1.0) + &line(1, 1.125, 2.0));
        assert_eq!((read(&own).unwrap().len(), read(&slower).unwrap().len()), (2, 2));
        assert_eq!(hash(&own).unwrap(), hash(&slower).unwrap());
        assert_ne!(hash(&own).unwrap(), hash(&other).unwrap());
        let damaged = written("d", line(1, 1.5, 1.0) + "{}\n");
        assert!(read(&damaged).unwrap_err().to_string().contains("d, line 2: "));
    }

    #[test]
    fn a_follower_reads_new_lines_and_notices_that_a_file_was_rewritten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("metrics.jsonl");
        let mut follower = Follower::default();
        assert!(follower.new_lines(&path).is_err());
        let mut steps = |text: &str| {
            std::fs::write(&path, text).unwrap();
            let new = follower.new_lines(&path)?;
            Ok::<_, ReadError>((new.from_start, new.lines.iter().map(|line| line.step).collect::<Vec<_>>()))
        };
        let first = line(10, 1.5, 1.0);
        assert_eq!(steps(&first).unwrap(), (false, vec![10]));
        assert_eq!(steps(&first).unwrap(), (false, vec![]));
        let half = format!("{first}{}", &line(20, 1.5, 2.0)[..30]);
        assert_eq!(steps(&half).unwrap(), (false, vec![]), "half a line is not read");
        let both = format!("{first}{}", line(20, 1.5, 2.0));
        assert_eq!(steps(&both).unwrap(), (false, vec![20]));
        let damaged = steps(&format!("{both}{{}}\n")).unwrap_err().to_string();
        assert!(damaged.contains("metrics.jsonl, line 3: "), "{damaged}");
        assert_eq!(steps(&format!("{both}{}", line(30, 1.5, 3.0))).unwrap(), (false, vec![30]));
        let resumed = format!("{first}{}{}", line(20, 1.5, 7.0), line(30, 1.5, 8.0));
        assert_eq!(steps(&resumed).unwrap(), (true, vec![10, 20, 30]));
        assert_eq!(steps(&first).unwrap(), (true, vec![10]));
        assert_eq!(steps("").unwrap(), (true, vec![]));
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
