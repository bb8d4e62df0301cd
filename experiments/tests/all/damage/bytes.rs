//! Bytes that are cut, have flipped bits, or are any at all.

use super::counts::Counts;
use super::fixtures::{CONFIG, bundle, bytes_of, events, network, packed, run_folder};
use super::{laws, seeded};
use serde_json::Value;

/// Inputs for each reader.
const USUAL: u32 = 2_000;

fn damage(name: &str, piece: Vec<u8>, law: impl Fn(&[u8]) -> Counts) {
    let places = seeded::anywhere(piece.len());
    seeded::hold(name, USUAL, &seeded::damaged(piece, places), law);
}

/// A file of the run folder.
fn file(path: &str) -> Vec<u8> {
    bytes_of(path, &run_folder()[path])
}

#[test]
fn plan_is_safe() {
    damage("grid.json", file("grid.json"), laws::plan);
}

#[test]
fn metric_lines_are_safe() {
    damage("metrics.jsonl", file("chess-shaw-0123456789ab/seed-0/metrics.jsonl"), laws::metric_lines);
}

#[test]
fn run_config_is_safe() {
    damage("config.yaml", CONFIG.into(), laws::run_config);
}

#[test]
fn events_are_safe() {
    damage("event file", events(), laws::events);
}

#[test]
fn network_is_safe() {
    damage("Lc0's weights file", network(), laws::network);
}

#[test]
fn weights_are_safe() {
    damage("safetensors", laws::good_weights(), laws::weights);
}

#[test]
fn packed_bundle_is_safe() {
    damage("packed bundle", packed(&Value::from(bundle())), laws::packed);
}
