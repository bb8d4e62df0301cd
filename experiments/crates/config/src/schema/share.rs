//! Parts of a schema that occur several times, written once under `$defs`.

use super::defaults::SAMPLE;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Shorter parts are repeated: a reference would be no easier to read.
const WORTH_SHARING: usize = 200;

/// The same schema with repeated parts referred to, and with `defs`, to which it refers already.
pub(super) fn share(mut schema: Value, mut own: Map<String, Value>) -> Value {
    bare(&mut schema);
    own.values_mut().for_each(bare);
    let mut seen: BTreeMap<String, (usize, String)> = BTreeMap::new();
    count(&schema, "root", &mut seen);
    own.iter().for_each(|(name, schema)| count(schema, name, &mut seen));
    let repeated = seen.into_iter().filter(|(text, (times, _))| *times > 1 && text.len() >= WORTH_SHARING);
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for (text, (_, key)) in repeated {
        let taken = |name: &String| names.values().any(|other| other == name) || own.contains_key(name);
        let name = std::iter::once(key.clone()).chain((2..).map(|n| format!("{key}_{n}"))).find(|name| !taken(name));
        names.extend(name.map(|name| (text, name)));
    }
    let mut defs = Map::new();
    for (text, name) in &names {
        let part: Value = serde_json::from_str(text).unwrap_or_default();
        defs.insert(name.clone(), referring(part, &names, true));
    }
    defs.extend(own.into_iter().map(|(name, schema)| (name, referring(schema, &names, true))));
    let mut whole = referring(schema, &names, true);
    if let Some(map) = whole.as_object_mut().filter(|_| !defs.is_empty()) {
        map.insert("$defs".to_owned(), Value::Object(defs));
    }
    whole
}

fn bare(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            map.remove(SAMPLE);
            map.values_mut().for_each(bare);
        }
        Value::Array(list) => list.iter_mut().for_each(bare),
        _ => {}
    }
}

/// Counts every map of the schema that is itself a schema; a part is named after the key at which it was first seen.
fn count(schema: &Value, key: &str, seen: &mut BTreeMap<String, (usize, String)>) {
    if schema.is_object() {
        seen.entry(schema.to_string()).or_insert_with(|| (0, key.to_owned())).0 += 1;
    }
    schema["properties"].as_object().into_iter().flatten().for_each(|(key, part)| count(part, key, seen));
    let forms = schema["anyOf"].as_array().into_iter().flatten();
    schema.get("items").into_iter().chain(forms).for_each(|part| count(part, key, seen));
}

fn referring(schema: Value, names: &BTreeMap<String, String>, top: bool) -> Value {
    if !top && let Some(name) = names.get(&schema.to_string()) {
        return json!({"$ref": format!("#/$defs/{name}")});
    }
    let Value::Object(map) = schema else { return schema };
    let inside = |key: &str, part: Value| match (key, part) {
        ("properties", Value::Object(properties)) => {
            properties.into_iter().map(|(key, part)| (key, referring(part, names, false))).collect()
        }
        ("anyOf", Value::Array(forms)) => forms.into_iter().map(|form| referring(form, names, false)).collect(),
        ("items", item) => referring(item, names, false),
        (_, part) => part,
    };
    map.into_iter().map(|(key, part)| (key.clone(), inside(&key, part))).collect()
}
