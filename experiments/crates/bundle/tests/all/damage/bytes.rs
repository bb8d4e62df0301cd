//! Bytes that are cut, have flipped bits, or are any at all.

use super::counts::Counts;
use super::fixtures::{CONFIG, bundle, bytes_of, events, network, packed, run_folder};
use super::{laws, seeded};
use serde_json::Value;
use std::fs;
use std::path::Path;

const USUAL: u32 = 2_000;

/// Holds `law` on damaged copies of `piece`, which `POSENC_SEEDS`, a folder, gets as a sample for the fuzz target of this
/// name.
fn damage(name: &str, piece: Vec<u8>, law: impl Fn(&[u8]) -> Counts) {
    if let Some(samples) = std::env::var_os("POSENC_SEEDS") {
        let dir = Path::new(&samples).join(name);
        fs::create_dir_all(&dir).expect("a folder");
        fs::write(dir.join("sample-fixture"), &piece).expect("written");
    }
    let places = seeded::anywhere(piece.len());
    seeded::hold(name, USUAL, &seeded::damaged(piece, places), law);
}

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
fn run_config_is_safe() {
    damage("run_config", CONFIG.into(), laws::run_config);
}

#[test]
fn events_are_safe() {
    damage("events", events(), laws::events);
}

#[test]
fn network_is_safe() {
    damage("network", network(), laws::network);
}

#[test]
fn weights_are_safe() {
    damage("weights", laws::good_weights(), laws::weights);
}

#[test]
fn packed_bundle_is_safe() {
    damage("bundle", packed(&Value::from(bundle())), laws::packed);
}
