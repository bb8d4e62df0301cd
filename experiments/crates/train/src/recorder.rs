//! The sinks of a cell: a primary one that must not fail, and others that may.

use super::error::TrainError;
use crate::pictures::Picture;
use crate::sinks::Sink;
use crate::sinks::jsonl::Jsonl;
use records::MetricLine;
use std::path::{Path, PathBuf};

/// Takes one line of text for the cell's log.
pub type Note<'a> = &'a mut dyn FnMut(&str);

/// Writes every line to `metrics.jsonl` and then to the others.
pub(super) struct Recorder {
    primary_log: Jsonl,
    path: PathBuf,
    others: Vec<SecondarySink>,
}

struct SecondarySink {
    name: &'static str,
    sink: Box<dyn Sink>,
    failed: bool,
}

impl Recorder {
    /// Opens the primary log and truncates it to the length in the checkpoint.
    pub(super) fn open(path: &Path, len: u64) -> Result<Self, TrainError> {
        let primary_log = Jsonl::open(path, len).map_err(TrainError::io("open", path))?;
        Ok(Self { primary_log, path: path.to_owned(), others: Vec::new() })
    }

    /// Adds a sink whose failure is logged once and does not stop the cell.
    pub(super) fn add(&mut self, name: &'static str, sink: Box<dyn Sink>) {
        self.others.push(SecondarySink { name, sink, failed: false });
    }

    /// Whether the cell has no line yet.
    pub(super) fn is_empty(&self) -> bool {
        self.primary_log.is_empty()
    }

    pub(super) fn line(&mut self, line: &MetricLine, note: Note<'_>) -> Result<(), TrainError> {
        self.primary_log.line(line).map_err(TrainError::io("write", &self.path))?;
        self.others.iter_mut().for_each(|other| other.attempt(note, |sink| sink.line(line)));
        Ok(())
    }

    /// Records a picture. The primary log does not store pictures.
    pub(super) fn picture(&mut self, picture: &Picture, note: Note<'_>) {
        self.others.iter_mut().for_each(|other| other.attempt(note, |sink| sink.picture(picture)));
    }

    pub(super) fn show(&mut self, note: Note<'_>) {
        self.others.iter_mut().for_each(|other| other.attempt(note, |sink| sink.flush()));
    }

    /// Ends all sinks: no line will follow.
    pub(super) fn end(&mut self, note: Note<'_>) {
        self.others.iter_mut().for_each(|other| other.attempt(note, |sink| sink.end()));
    }

    /// Syncs the primary log to disk.
    pub(super) fn sync(&mut self) -> Result<(), TrainError> {
        self.primary_log.flush().map_err(TrainError::io("write", &self.path))
    }
}

impl SecondarySink {
    fn attempt(&mut self, note: Note<'_>, action: impl FnOnce(&mut dyn Sink) -> std::io::Result<()>) {
        if self.failed {
            return;
        }
        if let Err(error) = action(&mut *self.sink) {
            self.failed = true;
            note(&format!("{} failed and gets no more lines ({error}); metrics.jsonl has all lines", self.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Weights;
    use records::{Metrics, Part, Time, lines};
    use std::io;

    struct Full;

    impl Sink for Full {
        fn line(&mut self, _line: &MetricLine) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::StorageFull.into())
        }
    }

    #[test]
    fn a_sink_that_fails_is_named_once_and_the_truth_has_every_line() {
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
            recorder.show(&mut |text| notes.push(text.to_owned()));
        }
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with("TensorBoard failed"));
        assert_eq!(lines::read(&path).unwrap().len(), 3);
    }
}
