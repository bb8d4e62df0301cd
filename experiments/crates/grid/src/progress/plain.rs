//! Plain lines, for logs and batch systems.

use super::observer::{Observer, ending, retrying, stopping};
use crate::interrupt::StopRequest;
use crate::task::{Outcome, Task};
use records::failure::Failure;
use std::io::Write;

/// Lines such as `cell 3/24 done: chess-shaw seed 1 (12.3 s)`.
#[derive(Debug)]
pub struct Plain<W> {
    names: Vec<String>,
    ended: usize,
    to: W,
}

impl<W: Write> Plain<W> {
    /// Lines about these tasks. Write errors are ignored: a closed pipe must not end a grid.
    pub fn new(tasks: &[Task], to: W) -> Self {
        Self { names: tasks.iter().map(|task| task.name.clone()).collect(), ended: 0, to }
    }

    fn print(&mut self, text: &str) {
        let _ = writeln!(self.to, "{text}");
    }
}

impl<W: Write> Observer for Plain<W> {
    fn started(&mut self, task: usize) {
        self.print(&format!("cell started: {}", self.names[task]));
    }

    fn elsewhere(&mut self, task: usize) {
        self.print(&format!("another runner trains {}; waiting for it", self.names[task]));
    }

    fn retry_later(&mut self, task: usize, failure: &Failure) {
        self.print(&retrying(&self.names[task], failure));
    }

    fn poll(&mut self, _running: &[usize]) {}

    fn ended(&mut self, task: usize, outcome: &Outcome) {
        self.ended += 1;
        let place = format!("{}/{}", self.ended, self.names.len());
        if let Some(text) = ending(&place, &self.names[task], outcome) {
            self.print(&text);
        }
    }

    fn request(&mut self, request: StopRequest, running: usize) {
        self.print(&stopping(request, running));
    }

    fn end(&mut self) {
        let _ = self.to.flush();
    }
}
