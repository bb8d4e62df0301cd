//! How far work on whole datasets is.

/// So much of all of it; work of several parts counts each anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Done {
    /// What is counted: `rows`, `positions`.
    pub what: &'static str,
    /// How many are done.
    pub done: u64,
    /// How many there are.
    pub total: u64,
}
