//! Parts of run folders that tests of reports and of the live page write by hand.

use facts::{Margins, Mask, NetworkFacts, Primary, ReadAt, Role, Weights};
use games::GameKind;
use records::plan::{FORMAT, Plan, Row};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A chess row whose encodings have this number of parameters.
pub(crate) fn chess_row(label: &str, folder: String, role: Role, encoding: usize) -> Row {
    let (injection_points, position_sources) = ("logits".to_owned(), vec!["value head".to_owned()]);
    Row {
        game: GameKind::Chess,
        label: label.to_owned(),
        name: None,
        folder,
        role,
        reference: None,
        exploratory: false,
        mask: Mask::Train,
        network: NetworkFacts { trunk: 1000, heads: 200, encoding, injection_points, position_sources },
        matched: None,
        axes: BTreeMap::new(),
    }
}

pub(crate) fn plan(seeds: Vec<u64>, rows: Vec<Row>) -> Plan {
    let metric = "policy_loss".to_owned();
    Plan {
        format: FORMAT,
        experiment: "by-hand".to_owned(),
        question: None,
        expect: None,
        smoke: false,
        primary: Primary { metric, at: ReadAt::Last, weights: Weights::Raw, difference: None },
        seeds,
        rows,
        interactions: Vec::new(),
        equivalent_within: Margins::default(),
        late_margin: false,
        late_comparisons: false,
        floor: Margins::default(),
        extrapolate: None,
    }
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
