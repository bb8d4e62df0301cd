//! What a small cell measured.

use serde_json::{Value, json};

/// The metric lines of a cell with this loss on test positions.
pub(crate) fn lines(loss: f64) -> Vec<Value> {
    let line = |step: u64, split: &str, metrics: Value| {
        let time = json!({"unix_s": 1.0, "wall_s": 1.0, "positions_per_s": 10.0});
        json!({"step": step, "split": split, "epochs": 0.5, "metrics": metrics, "time": time})
    };
    let test = json!({
        "policy_loss": loss, "policy_accuracy": 0.4, "uniform_baseline": 3.4, "value_loss": 0.9, "positions": 8.0,
        "policy_targets": 8.0, "policy_kl": loss - 0.3, "policy_loss.opening": loss + 0.2, "policy_targets.opening": 4.0,
    });
    vec![
        line(50, "validation", json!({"policy_loss": loss + 1.0})),
        line(100, "train", json!({"policy_loss": loss - 0.5, "clipped": 0.5})),
        line(100, "train_sample", json!({"policy_loss": loss - 0.05, "policy_accuracy": 0.5})),
        line(100, "validation", json!({"policy_loss": loss + 0.5})),
        line(100, "test", test),
    ]
}
