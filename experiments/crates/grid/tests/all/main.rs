//! Tests of grids, in one binary.

mod planned;
mod scheduler;
mod select;
mod tuning;
