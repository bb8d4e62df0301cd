//! Tests of grids, in one binary.

mod planned;
mod scheduler;
mod tuning;
