//! Tests of reports and statistics, in one binary.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "for those who ask with --nocapture")]

mod beside;
mod by_hand;
mod chromium;
mod report;
mod scaling;
mod simulation;
mod statistics;
