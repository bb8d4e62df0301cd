//! `test-positions.parquet`: what the final evaluation measured on each test position. The format is
//! [`dataset::measured`]'s.

use crate::config::Weights;
pub use dataset::measured::{MEASURES, Measured, PositionRow, PositionsError, encode, read};

/// The file's name in a cell's folder.
#[must_use]
pub const fn file(weights: Weights) -> &'static str {
    match weights {
        Weights::Raw => "test-positions.parquet",
        Weights::Averaged => "test-positions-averaged.parquet",
    }
}
