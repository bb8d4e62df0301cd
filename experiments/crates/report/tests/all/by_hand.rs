//! Parts of run folders that tests of several crates write by hand. They are no part of crate `testing`, which links LibTorch:
//! tests of reports and of the live page do not.

use records::plan::FORMAT;
use serde_json::{Value, json};

/// A chess row of a plan whose encodings have this number of parameters.
pub fn row(label: &str, folder: &str, role: &str, encoding: usize) -> Value {
    let network = json!({
        "trunk": 1000, "heads": 200, "encoding": encoding, "injection_points": "logits",
        "position_sources": ["value head"],
    });
    json!({"game": "chess", "label": label, "folder": folder, "role": role, "mask": "train", "network": network})
}

pub fn plan(seeds: &[u64], rows: &[Value]) -> Value {
    let primary = json!({"metric": "policy_loss", "weights": "raw"});
    json!({"format": FORMAT, "experiment": "by-hand", "primary": primary, "seeds": seeds, "rows": rows})
}

/// A manifest, without which a cell is not compared.
pub fn manifest() -> Value {
    json!({
        "identity": {
            "config": "c", "dataset": "d", "numerics": 1, "libtorch": "2.11.0",
            "instruction_set": "AVX2 (GenuineIntel)", "threads": 1, "device": "cpu", "dtype": "f32",
        },
        "dataset": {
            "name": "x", "content_hash": "d", "train_positions": 1, "validation_positions": 1,
            "test_positions": 1, "novel_test_positions": 0.9,
        },
        "sessions": [{"from_step": 0, "unix_s": 0.0}],
    })
}

pub fn line(step: u64, split: &str, metrics: &Value) -> Value {
    let time = json!({"unix_s": 1.0, "wall_s": 1.0, "positions_per_s": 10.0});
    json!({"step": step, "split": split, "epochs": 0.5, "metrics": metrics, "time": time})
}

/// The lines of a finished cell with these metrics on test.
pub fn lines(test: &Value) -> [Value; 5] {
    let loss = test["policy_loss"].as_f64().expect("a loss");
    [
        line(50, "validation", &json!({"policy_loss": loss + 1.0})),
        line(100, "train", &json!({"policy_loss": loss - 0.5})),
        line(100, "train_sample", &json!({"policy_loss": loss - 0.05, "policy_accuracy": 0.5})),
        line(100, "validation", &json!({"policy_loss": loss + 0.5})),
        line(100, "test", test),
    ]
}

/// The same with few metrics and this loss on test.
pub fn few_lines(loss: f64) -> [Value; 5] {
    let mut lines = lines(&json!({
        "policy_loss": loss, "policy_accuracy": 0.4, "uniform_baseline": 3.4, "value_loss": 0.9, "positions": 8.0,
        "policy_targets": 8.0, "policy_kl": loss - 0.3, "policy_loss.opening": loss + 0.2, "policy_targets.opening": 4.0,
    }));
    lines[1]["metrics"]["clipped"] = json!(0.5);
    lines
}
