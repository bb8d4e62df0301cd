//! Parts of run folders that tests of reports and of the live page write by hand.

use facts::Role;
use records::plan::{FORMAT, Plan, Row};
use serde_json::{Value, json};

/// A chess row whose encodings have this number of parameters.
pub(crate) fn chess_row(label: &str, folder: String, role: Role, encoding: usize) -> Row {
    let network = json!({
        "trunk": 1000, "heads": 200, "encoding": encoding, "injection_points": "logits",
        "position_sources": ["value head"],
    });
    let row = json!({
        "game": "chess", "label": label, "folder": folder, "role": role, "mask": "train", "network": network,
    });
    serde_json::from_value(row).expect("a row")
}

pub(crate) fn plan(seeds: Vec<u64>, rows: Vec<Row>) -> Plan {
    let primary = json!({"metric": "policy_loss", "weights": "raw"});
    let plan = json!({"format": FORMAT, "experiment": "by-hand", "primary": primary, "seeds": seeds, "rows": rows});
    serde_json::from_value(plan).expect("a plan")
}

/// A manifest, without which a cell is not compared.
pub(crate) fn manifest() -> Value {
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
