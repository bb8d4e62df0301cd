//! Short names of rows: the game, and on every axis that varies the least that tells its values apart.

use super::axes::{AxisName, Point};
use super::phases::Phase;
use super::values::EncodingStack;
use encodings::EncodingConfig;
use models::ModelConfig;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// A label for each row, fit to be a part of a folder's name; different points get different labels.
pub(crate) fn labels(points: &[Point]) -> Vec<String> {
    let mut labels: Vec<String> = points.iter().map(|p| p.game.map_or("", |game| game.name()).to_owned()).collect();
    let mut varied: Vec<AxisName> = AxisName::ALL
        .iter()
        .copied()
        .filter(|&axis| axis != AxisName::Game && points.iter().any(|point| !point.same(&points[0], axis)))
        .collect();
    if varied.is_empty() {
        varied.push(AxisName::Encoding);
    }
    for axis in varied {
        for (label, part) in labels.iter_mut().zip(parts(points, axis)) {
            label.push('-');
            label.push_str(&part);
        }
    }
    labels
}

/// What an axis adds to the label of each row.
fn parts(points: &[Point], axis: AxisName) -> Vec<String> {
    let texts = match axis {
        AxisName::Game => json(points, |p| p.game.as_ref()).iter().map(leaf).collect(),
        AxisName::Encoding => encodings(points),
        AxisName::Model => models(points),
        AxisName::Input => json(points, |p| p.input.as_ref()).iter().map(leaf).collect(),
        AxisName::Mask => prefixed("mask", &json(points, |p| p.mask.as_ref())),
        AxisName::Optimizer => differences(&json(points, |p| p.optimizer.as_ref().map(|choice| &choice.0))),
        AxisName::LearningRate => points
            .iter()
            .map(|p| {
                p.learning_rate.as_ref().map_or_else(String::new, |rate| {
                    let form = if rate.0.is_cosine() { "cosine" } else { "lr" };
                    format!("{form}{}", rate.0.first())
                })
            })
            .collect(),
        AxisName::Batch => prefixed("batch", &json(points, |p| p.batch.as_ref())),
        AxisName::Steps => prefixed("steps", &json(points, |p| p.steps.as_ref())),
        AxisName::Moves => points.iter().map(|p| p.moves.unwrap_or_default().name().to_owned()).collect(),
        AxisName::Phases => points.iter().map(|p| phases(p.phases.as_deref().unwrap_or_default())).collect(),
    };
    told_apart(points, axis, texts.iter().map(|text| shortened(&folder_safe(text)).to_owned()).collect())
}

/// What an axis may add: names of folders have 255 bytes at most, and people read them.
const LONGEST: usize = 80;

/// The words that there is room for; [`told_apart`] numbers what becomes equal.
fn shortened(text: &str) -> &str {
    match text.get(..LONGEST) {
        Some(beginning) if text.len() > LONGEST => beginning.rsplit_once('-').map_or(beginning, |(words, _)| words),
        _ => text,
    }
}

fn phases(phases: &[Phase]) -> String {
    if phases.is_empty() { "shuffled".to_owned() } else { format!("phases{}", phases.len()) }
}

fn json<'a, T: Serialize + 'a>(points: &'a [Point], value: impl Fn(&'a Point) -> Option<&'a T>) -> Vec<Value> {
    points.iter().map(|point| serde_json::to_value(value(point)).unwrap_or(Value::Null)).collect()
}

fn prefixed(prefix: &str, values: &[Value]) -> Vec<String> {
    values.iter().map(|value| format!("{prefix}{}", leaf(value))).collect()
}

fn leaf(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// An encoding's name alone where the rows have only one configuration of it, else with its options.
fn encodings(points: &[Point]) -> Vec<String> {
    let stacks: Vec<&EncodingStack> = points.iter().filter_map(|point| point.encoding.as_ref()).collect();
    let all: Vec<&EncodingConfig> = stacks.iter().flat_map(|stack| &stack.0).collect();
    let short = |one: &EncodingConfig| {
        let name = one.entry().name;
        let alone = all.iter().all(|other| other.entry().name != name || *other == one);
        if alone { name.to_owned() } else { one.label() }
    };
    let text = |stack: &EncodingStack| stack.0.iter().map(short).collect::<Vec<_>>().join("+");
    points.iter().map(|point| point.encoding.as_ref().map_or_else(String::new, text)).collect()
}

/// The leaves in which networks differ; where they are of several architectures, a published one's name, and of the others
/// each with its architecture's name and the leaves in which those of its own differ.
fn models(points: &[Point]) -> Vec<String> {
    let names: Vec<_> = points.iter().map(|p| p.model.as_ref().map(|model| model.architecture().name())).collect();
    let values = json(points, |p| p.model.as_ref());
    if names.iter().all(|name| *name == names[0]) {
        return differences(&values);
    }
    let published = |point: &Point| point.model.as_ref().and_then(preset_of);
    let mut texts: Vec<String> = points.iter().map(|p| published(p).unwrap_or_default().to_owned()).collect();
    for name in &names {
        let own: Vec<usize> = (0..points.len()).filter(|&i| names[i] == *name && texts[i].is_empty()).collect();
        let values: Vec<Value> = own.iter().map(|&i| values[i].clone()).collect();
        for (i, text) in own.into_iter().zip(differences(&values)) {
            texts[i] = [name.unwrap_or_default(), &text]
                .into_iter()
                .filter(|word| !word.is_empty())
                .collect::<Vec<_>>()
                .join("-");
        }
    }
    texts
}

/// The name of a published network with all of its heads.
fn preset_of(model: &ModelConfig) -> Option<&'static str> {
    let own = model.architecture();
    models::presets().iter().find(|known| known.preset.architecture() == own).map(|known| known.name)
}

/// The leaves in which values differ, `width64-heads8`.
fn differences(values: &[Value]) -> Vec<String> {
    let leaves: Vec<BTreeMap<String, String>> = values.iter().map(leaves).collect();
    let differs = |key: &str| leaves.iter().any(|other| other.get(key) != leaves[0].get(key));
    let text = |own: &BTreeMap<String, String>| {
        let different = own.iter().filter(|(key, _)| differs(key));
        different.map(|(key, value)| format!("{}{value}", last_word(key))).collect::<Vec<_>>().join("-")
    };
    leaves.iter().map(text).collect()
}

fn leaves(value: &Value) -> BTreeMap<String, String> {
    fn walk(value: &Value, way: &str, out: &mut BTreeMap<String, String>) {
        match value {
            Value::Object(map) => map.iter().for_each(|(key, value)| walk(value, &format!("{way}.{key}"), out)),
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(i, value)| walk(value, &format!("{way}.{i}"), out))
            }
            value => {
                out.insert(way.to_owned(), leaf(value));
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(value, "", &mut out);
    out
}

fn last_word(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// Letters, digits and `+ - . _`; brackets and commas become dashes.
fn folder_safe(text: &str) -> String {
    let spaced: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() || "+-._".contains(c) { c } else { ' ' }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join("-").replace("-+", "+")
}

/// Numbers the texts of different values that came out equal.
fn told_apart(points: &[Point], axis: AxisName, texts: Vec<String>) -> Vec<String> {
    let mut values: Vec<(&str, Vec<&Point>)> = Vec::new();
    let mut out = Vec::new();
    for (point, text) in points.iter().zip(&texts) {
        let i = values.iter().position(|(known, _)| known == text).unwrap_or(values.len());
        if i == values.len() {
            values.push((text, Vec::new()));
        }
        let variants = &mut values[i].1;
        let v = variants.iter().position(|known| known.same(point, axis)).unwrap_or(variants.len());
        if v == variants.len() {
            variants.push(point);
        }
        out.push(if v == 0 && !text.is_empty() { text.clone() } else { format!("{text}{}", v + 1) });
    }
    out
}
