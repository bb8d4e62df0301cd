//! Tests of reports and statistics, in one binary.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "for those who ask with --nocapture")]

mod beside;
pub mod by_hand;
mod chromium;
mod report;
mod scaling;
mod simulation;
mod statistics;

use serde_json::Value;

#[track_caller]
fn close(got: f64, expected: f64, relative: f64) {
    assert!((got - expected).abs() <= relative * expected.abs(), "got {got}, expected {expected}");
}

fn number(value: &Value) -> f64 {
    value.as_f64().expect("a number")
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(number).collect()
}
