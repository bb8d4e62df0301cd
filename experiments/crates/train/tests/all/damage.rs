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

use crate::by_hand;
use serde_json::json;
use train::sinks::tensorboard::{self, HParams};

/// TensorBoard's file with the lines of a cell.
fn events() -> Vec<u8> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let lines = dir.path().join("metrics.jsonl");
    let metrics = by_hand::few_lines(2.5).map(|line| line.to_string() + "\n");
    std::fs::write(&lines, metrics.concat()).expect("written");
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
