//! The baselines of the two starter sets.

use baselines::{FIT_POSITIONS, Measured, PRIOR_POSITIONS, Source};
use dataset::{Dataset, Split, evaluation_batches};
use games::InputName;
use std::path::{Path, PathBuf};

const TEST_POSITIONS: u64 = 2000;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../experiments/data").join(name)
}

fn measured(name: &str) -> Measured {
    let source = Source::read(&folder(name), None, &[], TEST_POSITIONS).expect("a starter set");
    source.measure().expect("policy targets")
}

/// The uniform loss and the target's entropy over the batches that cells are tested on, and their number of targets.
fn from_batches(name: &str) -> (f64, f64, usize) {
    let dataset = Dataset::open(&folder(name)).expect("a starter set");
    let batches = evaluation_batches(&dataset, Split::Test, InputName::PieceTokens, 256, TEST_POSITIONS);
    let (mut uniform, mut entropy, mut targets) = (0.0, 0.0, 0);
    for batch in batches.expect("test games") {
        let batch = batch.expect("a batch");
        for row in 0..batch.size {
            let chosen = &batch.policy_prob[row * batch.candidates..][..batch.candidates];
            if batch.policy_index[row * batch.candidates] < 0 {
                continue;
            }
            let bytes = dataset.legal_bytes();
            let legal: u32 = batch.legal[row * bytes..][..bytes].iter().map(|byte| byte.count_ones()).sum();
            uniform += f64::from(legal).ln();
            entropy -= chosen.iter().filter(|&&p| p > 0.0).map(|&p| f64::from(p) * f64::from(p).ln()).sum::<f64>();
            targets += 1;
        }
    }
    (uniform / targets as f64, entropy / targets as f64, targets)
}

/// Compares with the batches, and the baselines with each other.
fn holds(name: &str, measured: &Measured, below_uniform: f64) {
    let (uniform, entropy, targets) = from_batches(name);
    assert_eq!(measured.positions.len(), targets);
    assert!((measured.mean(|position| position.uniform).loss - uniform).abs() < 1e-5, "{name}");
    assert!((measured.entropy() - entropy).abs() < 1e-5, "{name}");
    let [uniform, prior, model] = [
        measured.mean(|position| position.uniform),
        measured.mean(|position| position.static_prior),
        measured.mean(|position| position.log_linear),
    ];
    assert!(model.loss < prior.loss && prior.loss < uniform.loss, "{name}: {uniform:?} {prior:?} {model:?}");
    assert!(model.loss < uniform.loss - below_uniform, "{name}: {uniform:?} {model:?}");
    assert!(model.accuracy > 2.0 * uniform.accuracy && measured.entropy() < model.loss, "{name}: {model:?}");
    let fitted = &measured.fitted;
    assert_eq!((fitted.model_positions, fitted.prior_positions), (FIT_POSITIONS, PRIOR_POSITIONS));
}

#[test]
fn chess_is_measured_where_cells_are_tested_with_the_same_digits_twice() {
    let first = measured("chess-starter");
    holds("chess-starter", &first, 0.27);
    assert_eq!(first, measured("chess-starter"));
}

#[test]
fn shogi_is_measured_where_cells_are_tested() {
    holds("shogi-starter", &measured("shogi-starter"), 0.6);
}

#[test]
fn the_identity_depends_on_what_the_numbers_depend_on() {
    let identity = |name: &str, buckets: &[String], positions: u64| {
        Source::read(&folder(name), None, buckets, positions).expect("a starter set").identity()
    };
    let usual = identity("chess-starter", &[], 2000);
    assert_eq!(usual, identity("chess-starter", &[], 2000));
    let others = [
        identity("shogi-starter", &[], 2000),
        identity("chess-starter", &[], 2001),
        identity("chess-starter", &["1500".to_owned()], 2000),
    ];
    assert!(others.iter().all(|other| *other != usual));
}
