//! `train.start` with the tables that `posenc export` writes.

use crate::cli::run_args;
use config::{RunConfig, TrainConfig};
use testing::{Bench, assert_same_bits, encoding};

#[test]
fn tables_that_start_at_zero_and_are_learnt_are_a_usual_run() {
    let bench = Bench::new();
    let mut usual = bench.run(6);
    usual.encoding = vec![encoding("relative_bias: {share: displacement}")];
    let with = |train: TrainConfig| RunConfig { train, ..usual.clone() };
    let plain = bench.trained("plain", &usual);
    let untrained = with(TrainConfig { steps: 1, encoding_rate: 0.0, ..usual.train.clone() });
    let untrained = bench.trained("untrained", &untrained).display().to_string();
    run_args(bench.path(), &["export", &untrained, "--out", "export"]).succeeds();
    let tables = bench.path().join("export/tables.safetensors");
    let blake3 = blake3::hash(&std::fs::read(&tables).expect("tables")).to_hex().to_string();
    let start = serde_json::json!({"tables": tables, "blake3": blake3});
    let start = Some(serde_json::from_value(start).expect("a start"));
    let started = with(TrainConfig { start, ..usual.train.clone() });
    assert_same_bits(&plain, &bench.trained("zeros", &started));
}
