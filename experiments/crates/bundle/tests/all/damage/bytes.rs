//! Bytes that are damaged.

use super::fixtures::{bundle, bytes_of, packed, run_folder};
use super::{laws, seeded};
use serde_json::Value;

const USUAL: u32 = 2_000;

/// A file of the run folder.
fn file(path: &str) -> Vec<u8> {
    bytes_of(path, &run_folder()[path])
}

#[test]
fn plan_is_safe() {
    seeded::damage("plan", USUAL, file("grid.json"), laws::plan);
}

#[test]
fn metric_lines_are_safe() {
    let lines = file("chess-shaw-0123456789ab/seed-0/metrics.jsonl");
    seeded::damage("metric_lines", USUAL, lines, laws::metric_lines);
}

#[test]
fn packed_bundle_is_safe() {
    seeded::damage("bundle", USUAL, packed(&Value::from(bundle())), laws::packed);
}
