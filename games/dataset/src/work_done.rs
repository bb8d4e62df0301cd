//! Progress of work on whole datasets.

/// Completed and total units; each part of the work counts from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkDone {
    pub what: &'static str,
    pub done: u64,
    pub total: u64,
}
