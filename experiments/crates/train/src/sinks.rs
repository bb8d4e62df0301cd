//! Receivers of metrics and pictures besides `metrics.jsonl`: TensorBoard's event files and the terminal.

pub mod progress;
pub mod tensorboard;

use crate::pictures::Picture;
use records::MetricLine;
use std::io;

/// Receives lines and pictures and shows them at once; each method may ignore its argument.
pub trait Sink: Send {
    fn line(&mut self, _line: &MetricLine) -> io::Result<()> {
        Ok(())
    }

    fn picture(&mut self, _picture: &Picture) -> io::Result<()> {
        Ok(())
    }

    /// Marks the cell as done: no line follows.
    fn end(&mut self) -> io::Result<()> {
        Ok(())
    }
}
