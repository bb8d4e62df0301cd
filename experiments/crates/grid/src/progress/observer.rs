//! What the scheduler tells of, and the words for it.

use crate::interrupt::StopRequest;
use crate::task::Outcome;
use records::failure::Failure;

/// Observes the scheduler. Tasks are named by their index.
pub trait Observer {
    /// A cell's process was started.
    fn started(&mut self, task: usize);

    /// Another runner trains the cell; this one waits for it.
    fn elsewhere(&mut self, task: usize);

    /// A cell failed with a temporary failure, and will be retried.
    fn retry_later(&mut self, task: usize, failure: &Failure);

    /// Called often, with the running cells.
    fn poll(&mut self, running: &[usize]);

    /// A cell has an outcome.
    fn ended(&mut self, task: usize, outcome: &Outcome);

    /// The run is being stopped; `running` cells still run.
    fn request(&mut self, request: StopRequest, running: usize);

    fn end(&mut self);
}

/// The message when a run is being stopped.
pub(super) fn stopping(request: StopRequest, running: usize) -> String {
    match request {
        StopRequest::Kill => format!("killing {running} cells; the next run resumes each from its last checkpoint"),
        _ => format!("stopping: {running} cells write a checkpoint (press Ctrl-C again to kill them)"),
    }
}

/// The message about a cell that will be retried.
pub(super) fn retrying(name: &str, failure: &Failure) -> String {
    format!("{name}: {failure}; it is retried when no other cell runs")
}

/// The message about a cell that has ended; none if it needed no work.
pub(super) fn ending(place: &str, name: &str, outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Finished { took } => Some(format!("cell {place} done: {name} ({:.1} s)", took.as_secs_f64())),
        Outcome::Failed(failure) => Some(format!("cell {place} FAILED: {name}: {failure}")),
        Outcome::Interrupted => Some(format!("cell {place} stopped at a checkpoint: {name}")),
        Outcome::AlreadyFinished | Outcome::NotStarted => None,
    }
}
