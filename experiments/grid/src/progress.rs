//! What a person sees while a grid runs, on stderr: bars on a terminal, plain lines elsewhere.
//!
//! No colours are used, so `NO_COLOR` holds by construction.

mod bars;
mod plain;

pub use bars::Bars;
pub use plain::Plain;

use super::interrupt::StopRequest;
use super::task::{Outcome, Task};
use records::failure::Failure;
use std::io::{self, IsTerminal as _};

/// Something that watches the scheduler. Tasks are named by their index.
pub trait Watch {
    /// A cell's process was started.
    fn started(&mut self, task: usize);

    /// A cell is being trained by another runner; this one will wait for it.
    fn elsewhere(&mut self, task: usize);

    /// A cell failed in a way that may pass, and will be tried again.
    fn again(&mut self, task: usize, failure: &Failure);

    /// Called often, with the cells that run.
    fn look(&mut self, running: &[usize]);

    /// A cell has come to its outcome.
    fn ended(&mut self, task: usize, outcome: &Outcome);

    /// The run is being stopped, with so many cells running.
    fn request(&mut self, request: StopRequest, running: usize);

    /// Nothing more will come.
    fn end(&mut self);
}

/// Bars if stderr is a terminal, else plain lines.
#[must_use]
pub fn on_stderr(tasks: &[Task]) -> Box<dyn Watch> {
    if io::stderr().is_terminal() { Box::new(Bars::new(tasks)) } else { Box::new(Plain::new(tasks, io::stderr())) }
}

/// What is said when a run is being stopped.
fn stopping(request: StopRequest, running: usize) -> String {
    match request {
        StopRequest::Kill => format!("killing {running} cells; each goes on from its last checkpoint in the next run"),
        _ => format!("stopping: {running} cells write a checkpoint (once more to kill them)"),
    }
}

/// What is said of a cell that will be tried again.
fn retrying(name: &str, failure: &Failure) -> String {
    format!("{name}: {failure}; it is tried again when no other cell runs")
}

/// What is said of a cell that has ended; nothing of one that needed no work.
fn ending(place: &str, name: &str, outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Finished { took } => Some(format!("cell {place} done: {name} ({:.1} s)", took.as_secs_f64())),
        Outcome::Failed(failure) => Some(format!("cell {place} FAILED: {name}: {failure}")),
        Outcome::Interrupted => Some(format!("cell {place} stopped at a checkpoint: {name}")),
        Outcome::AlreadyFinished | Outcome::NotStarted => None,
    }
}
