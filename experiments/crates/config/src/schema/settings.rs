//! Where experiment files name settings, all of their dotted names are offered.

use crate::settings::setting::{GROUPS, SHORT, Setting};
use serde_json::{Map, Value, json};

/// Puts the schema of a run into that of a file: as `base`, and in parts wherever settings are named. Returns the parts
/// that several places share.
pub(super) fn put_in(file: &mut Value, mut base: Value) -> Map<String, Value> {
    // What `base` leaves out comes from another file, or from axes.
    without_required(&mut base);
    for group in GROUPS {
        without_required(&mut base["properties"][group]);
    }
    let mut names: Vec<(String, Value)> = Vec::new();
    collect(&base, &mut Vec::new(), &mut names);
    let names: Vec<(String, Value)> = names
        .into_iter()
        .filter_map(|(name, schema)| Some((Setting::named(&name).filter(|one| one.fixed().is_none())?.name(), schema)))
        .collect();
    let properties = |of: fn(&Value) -> Value| -> Map<String, Value> {
        names.iter().map(|(name, schema)| (name.clone(), of(schema))).collect()
    };
    let open = |properties: Map<String, Value>, option: Value| {
        let encoding = properties["encoding"].clone();
        json!({
            "type": "object",
            "properties": properties,
            "patternProperties": {OF_A_STACK: encoding, OPTION_OF_A_STACK: option},
            "additionalProperties": false,
        })
    };
    let in_a_stack = [OF_A_STACK, OPTION_OF_A_STACK].map(|pattern| json!({"type": "string", "pattern": pattern}));
    let words: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
    let setting = [json!({"enum": words})].into_iter().chain(in_a_stack).collect::<Vec<_>>();
    let defs = [
        ("setting", json!({"anyOf": setting})),
        ("point", open(properties(Value::clone), word_or_words())),
        ("axes", open(properties(list), json!({"type": "array", "items": word_or_words()}))),
        ("place", place(&names)),
    ];
    base["description"] = file["properties"]["base"]["description"].take();
    file["properties"]["base"] = base;
    defs.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect()
}

/// The name of one encoding in a stack by its place, `encoding.1`, and of its options, `encoding.1.shaw.terms`.
const OF_A_STACK: &str = r"^encoding\.[0-9]+$";
const OPTION_OF_A_STACK: &str = r"^encoding\.[0-9]+\.";

fn word() -> Value {
    let kinds = ["string", "number", "boolean", "null"].map(|kind| json!({"type": kind}));
    json!({"anyOf": kinds})
}

fn word_or_words() -> Value {
    json!({"anyOf": [word(), {"type": "array", "items": word()}]})
}

fn list(setting: &Value) -> Value {
    let mut items = setting.clone();
    let mut take = |key: &str| items.as_object_mut().and_then(|items| items.remove(key));
    let (description, _) = (take("description"), take("default"));
    let mut list = json!({"type": "array", "items": items});
    if let Some(text) = description {
        list["description"] = text;
    }
    list
}

/// A setting with values of it: maps are checked as in `axes`, all other values are words and numbers.
fn place(names: &[(String, Value)]) -> Value {
    let form = |axis: Value, values: Value| {
        json!({
            "type": "object",
            "properties": {"axis": axis, "values": values},
            "required": ["axis", "values"],
            "additionalProperties": false,
        })
    };
    let (maps, words): (Vec<_>, Vec<_>) =
        names.iter().partition(|(_, schema)| schema.to_string().contains("\"properties\""));
    let of_map = |(name, _): &&(String, Value)| {
        form(json!({"enum": [name]}), json!({"$ref": format!("#/$defs/axes/properties/{name}")}))
    };
    let words: Vec<&str> = words.iter().map(|(name, _)| name.as_str()).collect();
    let of_words = form(json!({"enum": words}), json!({"type": "array", "items": word()}));
    let named = |pattern: &str| json!({"type": "string", "pattern": pattern});
    let of_stack = form(named(OF_A_STACK), json!({"$ref": "#/$defs/axes/properties/encoding"}));
    let of_option = form(named(OPTION_OF_A_STACK), json!({"type": "array", "items": word_or_words()}));
    json!({"anyOf": maps.iter().map(of_map).chain([of_words, of_stack, of_option]).collect::<Vec<_>>()})
}

fn without_required(schema: &mut Value) {
    if let Some(map) = schema.as_object_mut() {
        map.remove("required");
    }
}

/// The path of every value, with the schema of the value.
fn collect(schema: &Value, key_path: &mut Vec<String>, out: &mut Vec<(String, Value)>) {
    let forms =
        schema.get("anyOf").and_then(Value::as_array).map_or_else(|| vec![schema], |forms| forms.iter().collect());
    for properties in forms.into_iter().filter_map(|form| form.get("properties")?.as_object()) {
        for (key, schema) in properties {
            key_path.push(key.clone());
            let name = key_path.join(".");
            if !out.iter().any(|(known, _)| *known == name) {
                out.push((name, schema.clone()));
            }
            collect(schema, key_path, out);
            key_path.pop();
        }
    }
}

/// Replaces the short names that the reader offers for settings by references.
pub(super) fn refer(schema: &mut Value, key: &str) {
    let is_short = |names: &mut dyn Iterator<Item = &str>| {
        let names: Vec<&str> = names.collect();
        SHORT.iter().all(|(short, _)| names.contains(short))
    };
    let words = schema.get("enum").and_then(Value::as_array);
    if words.is_some_and(|words| is_short(&mut words.iter().filter_map(Value::as_str))) {
        *schema = json!({"$ref": "#/$defs/setting"});
        return;
    }
    let keys = schema.get("properties").and_then(Value::as_object);
    if keys.is_some_and(|keys| keys.len() == 2 && ["axis", "values"].iter().all(|key| keys.contains_key(*key))) {
        *schema = json!({"$ref": "#/$defs/place"});
        return;
    }
    if keys.is_some_and(|keys| is_short(&mut keys.keys().map(String::as_str))) {
        *schema = json!({"$ref": if key == "axes" { "#/$defs/axes" } else { "#/$defs/point" }});
        return;
    }
    let Some(map) = schema.as_object_mut() else { return };
    for (key, part) in map.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten() {
        refer(part, key);
    }
    map.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten().for_each(|form| refer(form, key));
    for part in ["items", "additionalProperties"] {
        if let Some(part) = map.get_mut(part) {
            refer(part, key);
        }
    }
}
