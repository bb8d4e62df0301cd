//! Progress of work on whole datasets.

/// Completed and total units; each part of the work counts from zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkDone {
    /// The unit: `rows`, `positions`.
    pub what: &'static str,
    /// Completed units.
    pub done: u64,
    /// Total units.
    pub total: u64,
}
