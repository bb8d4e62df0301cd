//! Tests of reports and statistics, in one binary.

mod beside;
mod report;
mod simulation;
mod statistics;
