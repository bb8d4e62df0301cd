//! The doc comments of settings as descriptions.

use crate::settings::file::{ExperimentFile, PrimaryEntry};
use crate::settings::phase::Phase;
use crate::settings::run::{BaseConfig, EvalConfig, TrainConfig};
use crate::settings::start_weights::Start;
use crate::settings::tune::TuneEntry;
use facts::Docs;
use models::{ChessformerConfig, Outputs};
use serde_json::{Value, json};

/// The path of a map, and its keys.
type Documented = (&'static [&'static str], Docs);

pub(super) const OF_FILE: &[Documented] =
    &[(&[], ExperimentFile::DOCS), (&["primary"], PrimaryEntry::DOCS), (&["tune"], TuneEntry::DOCS)];

pub(super) const OF_BASE: &[Documented] = &[
    (&[], BaseConfig::DOCS),
    (&["train"], TrainConfig::DOCS),
    (&["train", "start"], Start::DOCS),
    (&["train", "phases"], Phase::DOCS),
    (&["eval"], EvalConfig::DOCS),
    (&["model", "chessformer"], ChessformerConfig::DOCS),
    (&["model", "chessformer", "outputs"], Outputs::DOCS),
    (&["model", "decoder", "outputs"], Outputs::DOCS),
    (&["model", "resnet", "outputs"], Outputs::DOCS),
];

pub(super) fn describe(schema: &mut Value, documented: &[Documented]) {
    for &(key_path, docs) in documented {
        put(schema, key_path, docs);
    }
}

fn put(schema: &mut Value, key_path: &[&str], docs: Docs) {
    let Some(map) = schema.as_object_mut() else { return };
    for form in map.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten() {
        put(form, key_path, docs);
    }
    if let Some(items) = map.get_mut("items") {
        put(items, key_path, docs);
    }
    let Some(properties) = map.get_mut("properties").and_then(Value::as_object_mut) else { return };
    if let [key, rest @ ..] = key_path {
        properties.get_mut(*key).into_iter().for_each(|part| put(part, rest, docs));
        return;
    }
    for (key, lines) in docs {
        if let Some(part) = properties.get_mut(*key) {
            part["description"] = json!(sentence(lines));
        }
    }
}

/// The lines of a doc comment as one text.
fn sentence(lines: &[&str]) -> String {
    lines.iter().map(|line| line.trim()).collect::<Vec<_>>().join(" ")
}
