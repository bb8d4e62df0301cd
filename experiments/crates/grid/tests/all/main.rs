//! Tests of grids, in one binary.

mod plan;
mod scheduler;
mod select;
mod tuning;
