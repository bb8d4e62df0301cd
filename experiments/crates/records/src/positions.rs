//! `test-positions.parquet`: what the final evaluation measured on each test position. The format is
//! [`dataset::position_metrics`]'s.

pub use dataset::position_metrics::{
    MAP_LOSS, MEASURES, PositionMetrics, PositionRow, PositionsError, encode, of_games, read, write,
};
use facts::Weights;

/// The file's name in a cell's folder.
pub const fn file(weights: Weights) -> &'static str {
    match weights {
        Weights::Raw => "test-positions.parquet",
        Weights::Averaged => "test-positions-averaged.parquet",
    }
}
