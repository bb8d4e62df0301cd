//! Where metrics go: JSONL (the primary record), TensorBoard's event files, and the terminal.

pub mod jsonl;
pub mod progress;
pub mod tensorboard;

use crate::pictures::Picture;
use records::MetricLine;
use std::io;

/// Receives metric lines.
pub trait Sink: Send {
    /// Records one line.
    ///
    /// # Errors
    /// If it cannot be written.
    fn line(&mut self, line: &MetricLine) -> io::Result<()>;

    /// Records a picture; ignored by sinks without pictures.
    ///
    /// # Errors
    /// If it cannot be written.
    fn picture(&mut self, _picture: &Picture) -> io::Result<()> {
        Ok(())
    }

    /// Makes everything recorded so far durable or visible.
    ///
    /// # Errors
    /// If that fails.
    fn flush(&mut self) -> io::Result<()>;

    /// Marks the cell as done: no line follows.
    ///
    /// # Errors
    /// If it cannot be written.
    fn end(&mut self) -> io::Result<()> {
        self.flush()
    }
}
