//! The size of a grid, and the folder of its trials.

/// Cells that a grid may have. A plan with more is refused, so that a small file cannot take all memory.
pub const MOST_CELLS: usize = 100_000;

/// The folder of trials in a run folder.
pub const TRIALS: &str = "tuning";
