//! Event files and weights of strangers: damaged bytes, and formats whose meaning is changed and whose checksums are made
//! again. Every reader holds its law ([`laws`]) on them.

#[path = "../../../../../games/tests/all/damage/counts.rs"]
pub mod counts;
#[path = "../../../../../games/dataset/tests/all/damage/documents.rs"]
pub mod documents;
pub mod laws;
mod meaning;
pub mod messages;
#[path = "../../../../../games/tests/all/damage/seeded.rs"]
pub mod seeded;

use serde_json::{Value, json};
use train::sinks::tensorboard::{self, HParams};

fn metrics() -> String {
    let line = |step: u64, split: &str, metrics: Value| {
        let time = json!({"unix_s": 1.0, "wall_s": 1.0, "positions_per_s": 10.0});
        format!("{}\n", json!({"step": step, "split": split, "epochs": 0.5, "metrics": metrics, "time": time}))
    };
    [
        line(50, "validation", json!({"policy_loss": 3.5})),
        line(100, "train", json!({"policy_loss": 2.0, "clipped": 0.5})),
        line(100, "train_sample", json!({"policy_loss": 2.45, "policy_accuracy": 0.5})),
        line(100, "validation", json!({"policy_loss": 3.0})),
        line(
            100,
            "test",
            json!({
                "policy_loss": 2.5, "policy_accuracy": 0.4, "uniform_baseline": 3.4, "value_loss": 0.9,
                "positions": 8.0, "policy_targets": 8.0, "policy_kl": 2.2, "policy_loss.opening": 2.7,
                "policy_targets.opening": 4.0,
            }),
        ),
    ]
    .concat()
}

/// TensorBoard's file with the lines of a cell.
fn events() -> Vec<u8> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let lines = dir.path().join("metrics.jsonl");
    std::fs::write(&lines, metrics()).expect("written");
    let hparams = HParams(vec![("train.batch".to_owned(), json!(4)), ("twin".to_owned(), json!(false))]);
    let file = tensorboard::rebuild(&lines, dir.path(), &hparams).expect("rebuilt");
    let bytes = std::fs::read(file).expect("a file");
    assert!(bytes.len() < 20_000, "{}", bytes.len());
    bytes
}

/// Bytes that are damaged.
mod bytes {
    use super::{events, laws, seeded};

    #[test]
    fn events_are_safe() {
        seeded::damage("events", 2_000, events(), laws::events);
    }

    #[test]
    fn weights_are_safe() {
        seeded::damage("weights", 2_000, laws::good_weights(), laws::weights);
    }
}
