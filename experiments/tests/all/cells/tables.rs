//! `train.start` with the tables that `posenc export` writes.

use crate::cli::run;
use config::start::{Fit, Start, TableOrder};
use config::{RunConfig, TrainConfig};
use std::path::PathBuf;
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
    run(bench.path(), &["export", &untrained, "--out", "export"]).succeeds();
    let tables = bench.path().join("export/tables.safetensors");
    let blake3 = blake3::hash(&std::fs::read(&tables).expect("tables")).to_hex().to_string();
    let start = Some(Start {
        tables,
        network: PathBuf::new(),
        board: None,
        fit: Fit::Displacement,
        heads: false,
        blake3,
        order: TableOrder::Kept,
        frozen: false,
        scale: 1.0,
        rms: None,
    });
    let started = with(TrainConfig { start, ..usual.train.clone() });
    assert_same_bits(&plain, &bench.trained("zeros", &started));
}
