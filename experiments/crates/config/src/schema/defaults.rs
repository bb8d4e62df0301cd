//! The defaults of keys: what the reader makes of sample documents without them.

use crate::yaml::tree::{Node as Tree, Origin};
use facts::setting;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Under this key a part of the schema keeps a value that is read there, until the schema is done.
pub(super) const SAMPLE: &str = "x-sample";

pub(super) fn tree(value: &Value) -> Tree {
    Tree::from_json(value.clone(), &Arc::new(Origin::default()))
}

/// Reads a document that has a value in some place; `None` if it is refused.
type Read<'a, T> = &'a dyn Fn(Value) -> Option<T>;

/// Adds them to a schema, where they are words, numbers or lists of these. `written` gives what was read as JSON; what it
/// leaves out is compared with what possible defaults are read as.
pub(super) fn add<T: PartialEq>(schema: &mut Value, read: Read<'_, T>, written: fn(&T) -> Value) {
    visit(schema, &mut Vec::new(), read, written);
}

fn visit<T: PartialEq>(schema: &mut Value, key_path: &mut Vec<String>, read: Read<'_, T>, written: fn(&T) -> Value) {
    let Some(map) = schema.as_object_mut() else { return };
    for form in map.get_mut("anyOf").and_then(Value::as_array_mut).into_iter().flatten() {
        visit(form, key_path, read, written);
    }
    if let Some(items) = map.get_mut("items") {
        visit(items, key_path, &|value| read(json!([value])), written);
    }
    if let Some(free) = map.get_mut("additionalProperties") {
        key_path.push("x".to_owned());
        visit(free, key_path, &|value| read(json!({"x": value})), written);
        key_path.pop();
    }
    let is_choice = map.contains_key("minProperties");
    let sample = map.get(SAMPLE).and_then(Value::as_object).filter(|_| !is_choice).cloned().unwrap_or_default();
    let Some(properties) = map.get_mut("properties").and_then(Value::as_object_mut) else { return };
    let sample = if is_choice { sample } else { readable(sample, properties, read) };
    for (key, part) in properties {
        key_path.push(key.clone());
        let put = |value: Value| read(Value::Object(with(&sample, key, value)));
        let mut rest = sample.clone();
        rest.remove(key);
        let plain = if is_choice { None } else { read(Value::Object(rest)) };
        if let Some(value) = plain.and_then(|plain| default(part, key_path, &plain, &put, written)) {
            part["default"] = value;
        }
        visit(part, key_path, &put, written);
        key_path.pop();
    }
}

/// A map of required keys, with one more if none of the others is required but one of them is needed.
fn readable<T>(sample: Map<String, Value>, properties: &Map<String, Value>, read: Read<'_, T>) -> Map<String, Value> {
    if read(Value::Object(sample.clone())).is_some() {
        return sample;
    }
    let sample_of = |part: &Value| part.get(SAMPLE).or_else(|| part["anyOf"][0].get(SAMPLE)).cloned();
    let mut longer = properties.iter().filter_map(|(key, part)| Some(with(&sample, key, sample_of(part)?)));
    longer.find(|map| read(Value::Object(map.clone())).is_some()).unwrap_or_else(|| sample.clone())
}

fn with(map: &Map<String, Value>, key: &str, value: Value) -> Map<String, Value> {
    let mut longer = map.clone();
    longer.insert(key.to_owned(), value);
    longer
}

fn default<T: PartialEq>(
    part: &Value,
    key_path: &[String],
    plain: &T,
    put: Read<'_, T>,
    written: fn(&T) -> Value,
) -> Option<Value> {
    let known = setting::value(&written(plain), key_path).cloned();
    let guessed = || candidates(part).into_iter().find(|value| put(value.clone()).as_ref() == Some(plain));
    let is_empty = |value: &Value| value.is_null() || value.is_object() || *value == json!("") || *value == json!([]);
    known.or_else(guessed).filter(|value| !is_empty(value))
}

/// Values that `config.yaml` leaves out where they are defaults. `null` is first: a sample's own sizes are 1, too.
fn candidates(part: &Value) -> Vec<Value> {
    let forms: Vec<&Value> = part["anyOf"].as_array().map_or_else(|| vec![part], |forms| forms.iter().collect());
    let of_form = |form: &&Value| match form["type"].as_str() {
        Some("boolean") => vec![json!(false), json!(true)],
        Some("integer" | "number") => vec![json!(0), json!(1)],
        _ => form["enum"].as_array().cloned().unwrap_or_default(),
    };
    let null = forms.iter().filter(|form| form["type"] == "null").map(|_| Value::Null);
    null.chain(forms.iter().flat_map(of_form)).collect()
}
