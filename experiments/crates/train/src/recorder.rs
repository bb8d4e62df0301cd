//! The sinks of a cell: `metrics.jsonl`, which must not fail, and others that may.

use crate::error::TrainError;
use crate::pictures::Picture;
use crate::sinks::Sink;
use records::MetricLine;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// Takes one line of text for the cell's log.
pub type Note<'a> = &'a mut dyn FnMut(&str);

/// Writes every line to `metrics.jsonl` and then to the others.
pub(super) struct Recorder {
    log: File,
    len: u64,
    path: PathBuf,
    others: Vec<SecondarySink>,
}

struct SecondarySink {
    name: &'static str,
    sink: Box<dyn Sink>,
    failed: bool,
}

impl Recorder {
    /// Opens or creates `metrics.jsonl` and truncates it to the length in the checkpoint.
    pub(super) fn open(path: &Path, len: u64) -> Result<Self, TrainError> {
        let log = open_log(path, len).map_err(TrainError::io("open", path))?;
        Ok(Self { log, len, path: path.to_owned(), others: Vec::new() })
    }

    /// Adds a sink whose failure is logged once and does not stop the cell.
    pub(super) fn add(&mut self, name: &'static str, sink: Box<dyn Sink>) {
        self.others.push(SecondarySink { name, sink, failed: false });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(super) fn line(&mut self, line: &MetricLine, note: Note<'_>) -> Result<(), TrainError> {
        self.append(line).map_err(TrainError::io("write", &self.path))?;
        self.others.iter_mut().for_each(|other| other.attempt(note, |sink| sink.line(line)));
        Ok(())
    }

    /// One write per line, so that readers rarely see a partial line.
    fn append(&mut self, line: &MetricLine) -> io::Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        self.log.write_all(&text)?;
        self.len += text.len() as u64;
        Ok(())
    }

    /// Records a picture, not in `metrics.jsonl`.
    pub(super) fn picture(&mut self, picture: &Picture, note: Note<'_>) {
        self.others.iter_mut().for_each(|other| other.attempt(note, |sink| sink.picture(picture)));
    }

    /// Ends all sinks: no line will follow.
    pub(super) fn end(&mut self, note: Note<'_>) {
        self.others.iter_mut().for_each(|other| other.attempt(note, |sink| sink.end()));
    }

    pub(super) fn sync(&self) -> Result<(), TrainError> {
        self.log.sync_data().map_err(TrainError::io("write", &self.path))
    }
}

impl SecondarySink {
    fn attempt(&mut self, note: Note<'_>, action: impl FnOnce(&mut dyn Sink) -> io::Result<()>) {
        if self.failed {
            return;
        }
        if let Err(error) = action(&mut *self.sink) {
            self.failed = true;
            note(&format!("{} failed and gets no more lines ({error}); metrics.jsonl has all lines", self.name));
        }
    }
}

fn open_log(path: &Path, len: u64) -> io::Result<File> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    if file.metadata()?.len() < len {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("it has fewer than {len} bytes")));
    }
    file.set_len(len)?;
    file.seek(SeekFrom::End(0))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Weights;
    use records::{Metrics, Part, Time, lines};

    struct Full;

    impl Sink for Full {
        fn line(&mut self, _line: &MetricLine) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn end(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }
    }

    #[test]
    fn a_sink_that_fails_is_named_once_and_the_log_has_every_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("metrics.jsonl");
        let mut recorder = Recorder::open(&path, 0).unwrap();
        recorder.add("TensorBoard", Box::new(Full));
        let mut notes = Vec::new();
        for step in 0..3 {
            let time = Time { unix_s: 0.0, wall_s: 0.0, positions_per_s: 0.0 };
            let (split, weights, metrics) = (Part::Train, Weights::Raw, Metrics::default());
            let line = MetricLine { step, split, weights, epochs: 0.0, metrics, time };
            recorder.line(&line, &mut |text| notes.push(text.to_owned())).unwrap();
            recorder.end(&mut |text| notes.push(text.to_owned()));
        }
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with("TensorBoard failed"));
        assert_eq!(lines::read(&path).unwrap().len(), 3);
    }
}
