//! Running statistics: they follow the batches, are saved and averaged with the weights, and resume bit-identically.

use config::{MicroBatch, RunConfig};
use models::AverageConfig;
use models::average::SwaConfig;
use safetensors::SafeTensors;
use std::fs;
use std::path::Path;
use testing::{Bench, dlshogi, encoding};

const MODEL: &str = r#"{"resnet": {"blocks": 1, "channels": 6, "se": {"channels": 2},
    "value": {"channels": 2, "hidden": 4}}}"#;

fn residual(bench: &Bench, steps: u64) -> RunConfig {
    let mut run = bench.run(steps);
    run.model = serde_json::from_str(MODEL).expect("a model");
    run.encoding = vec![encoding("none")];
    run.train.averaging = Some(AverageConfig::Swa(SwaConfig { every: 2, max_n: 4 }));
    run
}

pub(crate) fn tensor(dir: &Path, file: &str, name: &str) -> Vec<f32> {
    let bytes = fs::read(dir.join("checkpoints").join(file)).expect("final weights");
    let tensors = SafeTensors::deserialize(&bytes).expect("a safetensors file");
    let view = tensors.tensor(name).expect("the tensor");
    view.data().chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

const STATISTICS: [(&str, f32); 2] =
    [("body.0.first.norm.running_mean", 0.0), ("value.reduce.norm.running_variance", 1.0)];

#[test]
fn running_statistics_go_on_to_the_same_bits() {
    let bench = Bench::new();
    let [undisturbed, _] = bench.resumed(&residual(&bench, 29), 28);
    for (name, first) in STATISTICS {
        let [plain, averaged] =
            ["final", "final-averaged"].map(|file| tensor(&undisturbed, &format!("{file}.safetensors"), name));
        assert!(plain.iter().all(|&value| value != first && value.is_finite()), "{name}: {plain:?}");
        assert!(averaged != plain && averaged.iter().all(|&value| value != first), "{name}: {averaged:?}");
    }
}

#[test]
fn micro_batches_give_the_statistics_their_mean() {
    let bench = Bench::new();
    // After one step a statistic is 0.9 of its initial value and 0.1 of the batch's. After a single convolution the mean of
    // the halves' means is the mean of the whole.
    let mut run = residual(&bench, 1);
    run.train.averaging = None;
    let whole = bench.trained("whole", &run);
    run.train.micro_batch = Some(MicroBatch::Of(4));
    let halves = bench.trained("halves", &run);
    let mean = |dir: &Path| tensor(dir, "final.safetensors", "embedding.norm.running_mean");
    let (whole, halves) = (mean(&whole), mean(&halves));
    assert!(whole.iter().zip(&halves).all(|(a, b)| (a - b).abs() < 1e-6), "{whole:?} {halves:?}");
    assert!(whole.iter().any(|value| value.abs() > 1e-3));
}

#[test]
fn convolutions_and_attention_with_batch_norm_go_on_to_the_same_bits() {
    let bench = Bench::new();
    bench.resumed(&dlshogi(&bench, 29), 28);
}
