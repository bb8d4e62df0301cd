//! Beside the name of a preset, any size of its network can stand.

use super::super::preset::PRESET;
use serde_json::{Value, json};

/// Parts the schema of a network in two forms: an architecture with its sizes, or a preset with those that differ.
pub(super) fn beside_sizes(model: &mut Value) {
    let mut with_preset = model.clone();
    if let Some(properties) = model["properties"].as_object_mut() {
        properties.remove(PRESET);
    }
    for (_, sizes) in with_preset["properties"].as_object_mut().into_iter().flatten() {
        sizes.as_object_mut().map(|sizes| sizes.remove("required"));
    }
    with_preset["required"] = json!([PRESET]);
    with_preset["maxProperties"] = json!(2);
    *model = json!({"anyOf": [model.take(), with_preset]});
}
