//! Receivers of metrics and pictures besides `metrics.jsonl`: TensorBoard's event files and the terminal.

pub mod progress;
pub mod tensorboard;

use crate::pictures::Picture;
use records::MetricLine;
use std::io;

pub trait Sink: Send {
    fn line(&mut self, line: &MetricLine) -> io::Result<()>;

    /// Records a picture; ignored by sinks without pictures.
    fn picture(&mut self, _picture: &Picture) -> io::Result<()> {
        Ok(())
    }

    /// Makes everything recorded so far durable or visible.
    fn flush(&mut self) -> io::Result<()>;

    /// Marks the cell as done: no line follows.
    fn end(&mut self) -> io::Result<()> {
        self.flush()
    }
}
