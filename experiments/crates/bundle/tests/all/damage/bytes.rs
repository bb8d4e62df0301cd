//! Bytes that are damaged.

use super::fixtures::{bundle, bytes_of, packed, run_folder};
use super::laws;
use super::pieces::damage;
use serde_json::Value;

/// A file of the run folder.
fn file(path: &str) -> Vec<u8> {
    bytes_of(path, &run_folder()[path])
}

#[test]
fn plan_is_safe() {
    damage("plan", file("grid.json"), laws::plan);
}

#[test]
fn metric_lines_are_safe() {
    damage("metric_lines", file("chess-shaw-0123456789ab/seed-0/metrics.jsonl"), laws::metric_lines);
}

#[test]
fn packed_bundle_is_safe() {
    damage("bundle", packed(&Value::from(bundle())), laws::packed);
}
