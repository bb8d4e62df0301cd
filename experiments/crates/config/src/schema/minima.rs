//! The least numbers that are valid, not only read: layers, widths and learning rates are checked where networks are made.

use super::defaults::{SAMPLE, tree};
use crate::rows::network_cost::NetworkCost;
use crate::settings::preset::read_run;
use encodings::EncodingConfig;
use games::{GameKind, InputName, MovesName};
use models::GameSpec;
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// The board of the documents that are judged.
static SPEC: LazyLock<GameSpec> = LazyLock::new(|| GameSpec {
    input: GameKind::Chess.input(InputName::PieceTokens),
    moves: GameKind::Chess.moves(MovesName::default()),
});

/// Whether a document is a run that can be trained, as far as a file decides that.
pub(super) fn is_a_run(value: &Value) -> bool {
    let Ok(run) = read_run(&tree(value)) else { return false };
    // Only encodings are checked where a network is declared, which takes longer than all the rest.
    let declared = || NetworkCost::of_network(&run.model, &run.encoding, &SPEC).is_ok();
    run.model.check().is_ok()
        && (matches!(run.encoding[..], [EncodingConfig::None(_)]) || declared())
        && run.train.optimizer.check().is_ok()
        && run.train.averaging.is_none_or(|averaging| averaging.check().is_ok())
}

/// Gives every number of a schema its minimum. `valid` judges whole documents.
pub(super) fn tighten(schema: &mut Value, valid: &dyn Fn(&Value) -> bool) {
    number(schema, &|value| valid(&value));
}

/// `put` returns whether a value in the place of the schema makes a valid document.
fn number(schema: &mut Value, put: &dyn Fn(Value) -> bool) {
    let Some(map) = schema.as_object_mut() else { return };
    let sample = map.get(SAMPLE).cloned().unwrap_or_default();
    match map.get("type").and_then(Value::as_str) {
        Some("integer") if put(json!(1)) && !put(json!(0)) => {
            map.insert("minimum".to_owned(), json!(1));
        }
        Some("number") if put(json!(0.5)) && !put(json!(-0.5)) => {
            map.remove("minimum");
            let key = if put(json!(0.0)) { "minimum" } else { "exclusiveMinimum" };
            map.insert(key.to_owned(), json!(0));
        }
        Some("array") => {
            if let Some(items) = map.get_mut("items") {
                number(items, &|value| put(json!([value])));
            }
        }
        Some("object") => {
            let alone = map.contains_key("minProperties");
            let Some(properties) = map.get_mut("properties").and_then(Value::as_object_mut) else { return };
            for (key, schema) in properties {
                let with = |value: Value| {
                    let mut whole: Map<String, Value> =
                        if alone { Map::new() } else { sample.as_object().cloned().unwrap_or_default() };
                    whole.insert(key.clone(), value);
                    put(Value::Object(whole))
                };
                number(schema, &with);
            }
        }
        _ => {}
    }
    for form in map.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten() {
        number(form, put);
    }
}
