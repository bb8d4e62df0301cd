//! Where metrics go: JSONL (the truth), TensorBoard's event files, and a person's terminal.

pub mod jsonl;
pub mod progress;
pub mod tensorboard;

use crate::pictures::Picture;
use records::MetricLine;
use std::io;

/// Something that takes metric lines.
pub trait Sink: Send {
    /// Takes one line.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn line(&mut self, line: &MetricLine) -> io::Result<()>;

    /// Takes a picture; passes it over where it has no place for it.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn picture(&mut self, _picture: &Picture) -> io::Result<()> {
        Ok(())
    }

    /// Makes everything taken so far durable or visible.
    ///
    /// # Errors
    /// If that fails.
    fn flush(&mut self) -> io::Result<()>;

    /// Takes note that the cell is done: no line will come after this.
    ///
    /// # Errors
    /// If it cannot be kept.
    fn end(&mut self) -> io::Result<()> {
        self.flush()
    }
}
