//! How a step is computed: micro-batches, averages of the weights, bf16.

use crate::heads::{mapped, scored, with_heads};
use config::{Dtype, Mask, MicroBatch, RunConfig, Weights};
use games::map_labels::MapShape;
use models::average::SwaConfig;
use models::optimizer::AdamwConfig;
use models::{AverageConfig, ModelConfig, OptimizerConfig, Schedule};
use records::{MetricLine, Part};
use std::path::Path;
use testing::{Bench, assert_same_bits, events, lines, manifest, status};
use train::checkpoint::{load_averaged, load_final};
use train::setup::declare;

pub(crate) fn final_weights(dir: &Path, run: &RunConfig) -> Vec<f32> {
    let (_, layout) = declare(run).expect("the network");
    load_final(dir, &layout).expect("final weights")
}

pub(crate) fn relative_distance(a: &[f32], b: &[f32]) -> f64 {
    let norm = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let difference = norm(&mut a.iter().zip(b).map(|(a, b)| f64::from(a - b)));
    difference / norm(&mut b.iter().map(|&b| f64::from(b)))
}

/// One step that is the gradient itself: with so large an ε nothing is divided by its size, and nothing clips.
pub(crate) fn gradient_step(run: &RunConfig, micro: Option<MicroBatch>) -> RunConfig {
    let mut run = run.clone();
    run.train.steps = 1;
    run.train.log_every = 1;
    run.train.clip = None;
    run.train.optimizer =
        OptimizerConfig::Adamw(AdamwConfig { epsilon: 1e4, weight_decay: 0.0, ..AdamwConfig::default() });
    run.train.learning_rate = Schedule::new(0, vec![1e4], Vec::new()).expect("a rate");
    run.train.micro_batch = micro;
    run
}

/// Every loss, the gradient's norm and the weights after a step are those of the whole batch, 8 positions, some without
/// a target.
fn assert_micro_batches_are_the_batch(bench: &Bench, name: &str, run: &RunConfig, least: usize) {
    let whole_run = gradient_step(run, None);
    let whole = bench.trained(&format!("{name}-whole"), &whole_run);
    let train = |dir: &Path| lines(dir).into_iter().find(|line| line.split == Part::Train).expect("a line").metrics;
    let expected = train(&whole);
    let measured: Vec<_> = expected.iter().filter(|(name, _)| !name.starts_with("learning")).collect();
    assert!(measured.len() >= least, "{measured:?}");
    for size in [1, 3, 5, 8, 100] {
        let run = gradient_step(run, Some(MicroBatch::Of(size)));
        let dir = bench.trained(&format!("{name}-{size}"), &run);
        let found = train(&dir);
        for (metric, expected) in &measured {
            let found = found.get(metric).unwrap_or_else(|| panic!("{metric} is missing"));
            assert!((found - expected).abs() <= 1e-6 * expected.abs(), "{name} {size} {metric}: {found}, {expected}");
        }
        let distance = relative_distance(&final_weights(&dir, &run), &final_weights(&whole, &whole_run));
        assert!(distance < 1e-6, "{name} {size}: {distance}");
        assert!(size < 8 || distance == 0.0, "{name} {size}: one micro-batch is the batch");
    }
}

fn with_dropout(mut run: RunConfig) -> RunConfig {
    let ModelConfig::Chessformer(model) = &mut run.model else { panic!("a Chessformer") };
    model.dropout = 0.2;
    run
}

#[test]
fn micro_batches_make_the_step_of_the_whole_batch_and_drop_its_numbers() {
    let bench = Bench::new();
    for (name, run) in [("default", bench.run(1)), ("dropout", with_dropout(bench.run(1)))] {
        assert_micro_batches_are_the_batch(&bench, name, &run, 4);
    }
}

#[test]
fn a_resumed_cell_drops_the_same_numbers() {
    let bench = Bench::new();
    let run = bench.run(29);
    let [whole, _] = bench.resumed(&with_dropout(run.clone()), 28);
    assert_ne!(final_weights(&whole, &run), final_weights(&bench.trained("plain", &run), &run));
}

#[test]
fn micro_batches_weigh_every_head_by_the_targets_of_the_whole_batch() {
    let bench = Bench::new();
    let heads = r#"{"policy": {}, "soft_policy": {}, "result": {}, "q": {"buckets": 8}, "short_term": {"buckets": 4},
        "moves_left": {"embedding": 4, "hidden": 8}}"#;
    let run = RunConfig { data: scored(bench.path()), ..bench.run(1) };
    let mut run = with_heads(run, heads);
    run.train.mask = Mask::Eval;
    assert_micro_batches_are_the_batch(&bench, "heads", &run, 20);
    for (shape, head) in
        [(MapShape::Squares, r#"{"per_square": {"classes": 3}}"#), (MapShape::Pairs, r#"{"pairs": {}}"#)]
    {
        let run = RunConfig { data: mapped(bench.path(), shape), ..bench.run(1) };
        assert_micro_batches_are_the_batch(&bench, &format!("{shape:?}").to_lowercase(), &with_heads(run, head), 3);
    }
}

#[test]
fn auto_takes_the_whole_batch_where_it_fits_and_says_so() {
    let bench = Bench::new();
    let mut run = bench.run(12);
    let a = bench.trained("plain", &run);
    run.train.micro_batch = Some(MicroBatch::Auto);
    let b = bench.trained("auto", &run);
    assert_same_bits(&a, &b);
    assert_eq!([&a, &b].map(|dir| manifest(dir).identity.micro_batch), [None, Some(8)]);
}

fn swa(every: u64) -> Option<AverageConfig> {
    Some(AverageConfig::Swa(SwaConfig { every, max_n: 2 }))
}

#[test]
fn averaged_weights_are_evaluated_beside_the_raw_ones() {
    let bench = Bench::new();
    let raw = bench.trained("raw", &bench.run(22));
    let run = RunConfig { train: config::TrainConfig { averaging: swa(3), ..bench.run(22).train }, ..bench.run(22) };
    let dir = bench.trained("averaged", &run);
    let (of_raw, averaged): (Vec<_>, Vec<_>) = lines(&dir).into_iter().partition(|line| line.weights == Weights::Raw);
    let untimed = |lines: &[MetricLine]| -> Vec<_> {
        lines.iter().map(|line| (line.step, line.split, line.metrics.clone())).collect()
    };
    assert_eq!(untimed(&of_raw), untimed(&lines(&raw)), "the training is the same");
    let places: Vec<_> = averaged.iter().map(|line| (line.split, line.step)).collect();
    let validated = [10, 20, 22].map(|step| (Part::Validation, step));
    let expected = [&validated[..], &[(Part::TrainSample, 22), (Part::Test, 22)]].concat();
    assert_eq!(places, expected, "none before there is an average, none of training batches");
    let test = |lines: &[MetricLine]| lines.last().and_then(|line| line.metrics.get("policy_loss")).expect("a loss");
    assert_ne!(test(&averaged), test(&of_raw), "they are other weights");
    let (_, layout) = declare(&run).expect("the network");
    let saved = load_averaged(&dir, &layout).expect("averaged weights");
    assert_ne!(saved, final_weights(&dir, &run));
    assert!(load_averaged(&raw, &layout).is_err(), "there is none without an average");
    let tags: Vec<String> = events(&dir).scalars.into_iter().map(|(tag, ..)| tag).collect();
    assert!(
        tags.iter().any(|tag| tag == "test_averaged/policy_loss") && tags.iter().any(|tag| tag == "test/policy_loss")
    );
}

#[test]
fn averages_and_bf16_resume_bit_identically() {
    let bench = Bench::new();
    let mut run = bench.run(29);
    run.train.averaging = swa(3);
    run.train.dtype = Dtype::Bf16;
    run.train.micro_batch = Some(MicroBatch::Of(3));
    let [undisturbed, resumed] = bench.resumed(&run, 28);
    let (_, layout) = declare(&run).expect("the network");
    let averaged = |dir: &Path| load_averaged(dir, &layout).expect("averaged weights");
    assert_eq!(averaged(&undisturbed), averaged(&resumed));
    assert_eq!(manifest(&resumed).identity.dtype, "bf16");
}

#[test]
fn bf16_learns_about_what_f32_does() {
    let bench = Bench::new();
    let mut run = bench.run(12);
    run.train.steps = 60;
    let f32 = bench.trained("f32", &run);
    run.train.dtype = Dtype::Bf16;
    let bf16 = bench.trained("bf16", &run);
    let loss = |dir: &Path| lines(dir).last().and_then(|line| line.metrics.get("policy_loss")).expect("a loss");
    let (exact, rounded) = (loss(&f32), loss(&bf16));
    assert!(exact != rounded && (exact - rounded).abs() < 0.02 * exact, "{exact} and {rounded}");
    assert_ne!(status(&f32).result, status(&bf16).result);
}
