//! `test-positions.parquet`: the metrics of each test position in the final evaluation, in the format of
//! [`dataset::position_metrics`].

pub use dataset::position_metrics::{
    MAP_LOSS, MEASURES, PositionMetrics, PositionRow, PositionsError, encode, of_games, read, write,
};
use facts::Weights;

pub const fn file(weights: Weights) -> &'static str {
    match weights {
        Weights::Raw => "test-positions.parquet",
        Weights::Averaged => "test-positions-averaged.parquet",
    }
}
