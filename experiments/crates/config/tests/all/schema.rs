//! The JSON Schema of experiment files: it fits every file of the project and no misspelt one, docs/settings.md has its
//! keys, and its defaults are those of the code.

use config::Experiment;
use config::schema::{self, keys};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use testing::{experiment_files, experiments_folder, load, load_with, root, small};

/// It takes a while: the reader is asked about every key.
static SCHEMA: LazyLock<Value> = LazyLock::new(schema::schema);

fn fits(document: &Value) -> Result<(), String> {
    fits_part(&SCHEMA, document)
}

/// The schema that a reference stands for.
fn meant(part: &Value) -> &Value {
    let name = part["$ref"].as_str().map(|name| name.trim_start_matches('#'));
    name.map_or(part, |name| SCHEMA.pointer(name).expect("what is referred to is there"))
}

/// Whether a value fits a part of the schema, with the keywords of JSON Schema (draft 2020-12) that the schema uses.
/// Another keyword fails the test.
fn fits_part(schema: &Value, value: &Value) -> Result<(), String> {
    const KNOWN: &str = "$schema $defs $ref title description default type enum anyOf properties patternProperties \
                         pattern required additionalProperties items minimum exclusiveMinimum minProperties \
                         maxProperties";
    let map = schema.as_object().expect("a schema is a map");
    assert!(map.keys().all(|key| KNOWN.split(' ').any(|known| known == key)), "{:?}", map.keys());
    let wrong = |what: &str| Err(format!("{value}: {what}"));
    if map.contains_key("$ref") {
        return fits_part(meant(schema), value);
    }
    if let Some(forms) = map.get("anyOf").and_then(Value::as_array) {
        let tried: Vec<_> = forms.iter().map(|form| fits_part(form, value)).collect();
        return if tried.iter().any(Result::is_ok) { Ok(()) } else { wrong(&format!("none of {tried:?}")) };
    }
    if let Some(words) = map.get("enum").and_then(Value::as_array) {
        return if words.contains(value) { Ok(()) } else { wrong("no such word") };
    }
    let Some(kind) = map.get("type").and_then(Value::as_str) else { return Ok(()) };
    let of_type = match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        other => panic!("unknown type {other}"),
    };
    if !of_type {
        return wrong(&format!("is no {kind}"));
    }
    if let Some(pattern) = map.get("pattern").and_then(Value::as_str)
        && !is_match(pattern, value.as_str().expect("a text"))
    {
        return wrong("another pattern");
    }
    let number = |key: &str| map.get(key).and_then(Value::as_f64);
    if number("minimum").is_some_and(|least| value.as_f64().is_some_and(|value| value < least)) {
        return wrong("too small");
    }
    if number("exclusiveMinimum").is_some_and(|least| value.as_f64().is_some_and(|value| value <= least)) {
        return wrong("too small");
    }
    if let Some(items) = map.get("items") {
        return value.as_array().expect("a list").iter().try_for_each(|item| fits_part(items, item));
    }
    let Some(entries) = value.as_object() else { return Ok(()) };
    let count = entries.len() as f64;
    if number("minProperties").is_some_and(|least| count < least) || number("maxProperties").is_some_and(|m| count > m)
    {
        return wrong("too few or too many keys");
    }
    for key in map.get("required").and_then(Value::as_array).into_iter().flatten() {
        if !entries.contains_key(key.as_str().expect("a key")) {
            return wrong(&format!("{key} is missing"));
        }
    }
    // Maps are closed, except those whose keys are names of the file's own.
    let rest = map.get("additionalProperties").expect("every map is closed");
    let free = Some(rest).filter(|rest| rest.is_object());
    assert!(free.is_some() || *rest == Value::Bool(false), "every map is closed");
    let by_pattern = |key: &String| {
        let patterns = map.get("patternProperties").and_then(Value::as_object)?;
        patterns.iter().find(|(pattern, _)| is_match(pattern, key)).map(|(_, part)| part)
    };
    entries.iter().try_for_each(|(key, value)| match schema["properties"].get(key).or(by_pattern(key)).or(free) {
        Some(part) => fits_part(part, value).map_err(|error| format!("{key}: {error}")),
        None => Err(format!("unknown key {key}")),
    })
}

/// The two patterns of the schema: an encoding in a stack, and its options.
fn is_match(pattern: &str, text: &str) -> bool {
    let Some((place, option)) = text.strip_prefix("encoding.").map(|rest| rest.split_once('.').unwrap_or((rest, "")))
    else {
        return false;
    };
    let of_option = match pattern {
        r"^encoding\.[0-9]+$" => false,
        r"^encoding\.[0-9]+\." => true,
        other => panic!("another pattern: {other}"),
    };
    place.parse::<usize>().is_ok() && option.is_empty() != of_option
}

fn yaml(text: &str) -> Value {
    serde_yaml::from_str(text).expect("YAML")
}

fn read(path: &Path) -> Value {
    yaml(&fs::read_to_string(path).expect("the file"))
}

#[test]
fn every_experiment_of_the_project_fits() {
    assert!(experiment_files().len() >= 30);
    for path in experiment_files() {
        fits(&read(&path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

/// Every map of a document in turn gets a key that nothing is called.
#[test]
fn a_misspelt_key_fits_nowhere() {
    let mut tried = 0;
    for path in experiment_files() {
        let document = read(&path);
        for place in maps(&document, String::new()) {
            // What anchors hold is free.
            let mut wrong = document.clone();
            wrong.pointer_mut(&place).expect("a map")["lerning_rate"] = 1.into();
            assert!(fits(&wrong).is_err(), "{}: a wrong key in {place:?} fits", path.display());
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried} maps");
}

fn maps(value: &Value, place: String) -> Vec<String> {
    match value {
        Value::Object(map) => {
            let inner = map.iter().flat_map(|(key, value)| maps(value, format!("{place}/{key}")));
            std::iter::once(place.clone()).chain(inner.collect::<Vec<_>>()).collect()
        }
        Value::Array(list) => {
            list.iter().enumerate().flat_map(|(i, value)| maps(value, format!("{place}/{i}"))).collect()
        }
        _ => Vec::new(),
    }
}

#[test]
fn what_the_reader_refuses_does_not_fit() {
    let document = quickstart_with("{}");
    let wrong: [(&str, Value); 7] = [
        ("/base/train/steps", "many".into()),
        ("/base/train/batch", (-4).into()),
        ("/base/train/mask", "no".into()),
        ("/seeds", 3.into()),
        ("/axes/encoding/0", "ropes".into()),
        ("/primary/at", "first".into()),
        ("/base/input", "pieces".into()),
    ];
    for (place, value) in wrong {
        let mut changed = document.clone();
        *changed.pointer_mut(place).unwrap_or_else(|| panic!("quickstart.yaml has no {place}")) = value;
        assert!(fits(&changed).is_err(), "{place}");
    }
    for key in ["base", "seeds", "reference", "primary"] {
        let mut changed = document.clone();
        changed.as_object_mut().expect("a map").remove(key);
        assert!(fits(&changed).is_err(), "without {key}");
    }
}

#[test]
fn forms_that_are_read_in_more_than_one_way_fit_in_each() {
    let base = "name: x\nseeds: [0]\nreference: {}\nprimary: {metric: policy_loss, at: 100, weights: averaged}\n";
    for more in [
        "base: {data: {chess: a, shogi: {path: b, value: {short_term: {decay: 0.9}}}}}",
        "base: {data: {path: a, bucket: [low, high]}, encoding: [none, {rope: {layout: axial_2d, theta: 10}}]}",
        "base: {from: other.yaml, train: {micro_batch: auto, learning_rate: {warmup: 3, cosine: {from: 1e-3}}}}",
        "base: {data: a, train: {micro_batch: 8, optimizer: nadam}}\ncontrols:\n  - {row: a, match: {params: {encoding: shaw}, by: {ffn: 8, depth: 2}}}",
        "base: {}\nanchors: {a: [1, {b: c}]}\nconditional: [{when: {encoding: shaw}, axes: {batch: [1, 2]}}]",
    ] {
        let document = yaml(&format!("{base}{more}\n"));
        fits(&document).unwrap_or_else(|error| panic!("{more}: {error}"));
    }
}

/// The quickstart with other axes, or more keys.
fn quickstart_with(more: &str) -> Value {
    let mut document = read(&experiments_folder().join("quickstart.yaml"));
    let Value::Object(more) = yaml(more) else { panic!("a map") };
    document.as_object_mut().expect("a map").extend(more);
    document
}

#[test]
fn settings_are_named_with_dots_wherever_they_are_named() {
    for more in [
        "axes: {train.clip: [10, null], model.chessformer.layers: [4, 8], encoding.shaw.terms: [[q], [q, k]]}",
        "zip: [[train.clip, model.chessformer.layers]]",
        "exclude: [{train.clip: 10, model: {preset: cf-6m}}]",
        "include: [{train.averaging.swa.every: 10}]",
        "conditional: [{when: {train.clip: 10}, axes: {train.optimizer.adamw.weight_decay: [0, 0.1]}}]",
        "controls: [{row: {train.clip: 10}, match: {params: {train.clip: 1}, by: ffn}}]",
        "reference: {train: {clip: 10}}",
        "interactions: [{gap: {axis: train.clip, values: [1, 10]}, by: [{axis: encoding, values: [none, shaw]}]}]",
        "equivalent_within: {policy_loss: 0.02, policy_accuracy.novel: 0.01}",
        "names: {Shaw with clip: {encoding: shaw, train.clip: 10}, No position: none}",
    ] {
        fits(&quickstart_with(more)).unwrap_or_else(|error| panic!("{more}: {error}"));
    }
    for wrong in [
        "axes: {clip: [10]}",
        "axes: {train.clop: [10]}",
        "axes: {train.clip: 10}",
        "axes: {train.clip: [many]}",
        "axes: {eval.test_positions: [1, 2]}",
        "exclude: [{train.clip: many}]",
        "zip: [[clip]]",
        "axes: {encoding: [rope]}",
        "axes: {model: [chessformer]}",
        "equivalent_within: 0.02",
        "equivalent_within: {policy_loss: 0}",
        "equivalent_within: {policy_los: 0.02}",
        "names: {Shaw: 3}",
        "axes: {encoding: [{shaw: {}, smolgen: {}}]}",
        "names: {Shaw: {encodng: shaw}}",
        "interactions: [{gap: {axis: clip, values: [1, 10]}, by: {axis: encoding, values: [none, shaw]}}]",
        "interactions: [{gap: {axis: encoding, value: [1, 10]}, by: {axis: encoding, values: [none, shaw]}}]",
        "interactions: [{gap: {axis: encoding, values: [none, shaw]}, bye: {axis: encoding, values: [none, shaw]}}]",
    ] {
        assert!(fits(&quickstart_with(wrong)).is_err(), "{wrong}");
    }
}

#[test]
fn the_least_numbers_are_those_that_are_valid() {
    let least = |name: &str| {
        let found = meant(&SCHEMA["$defs"]["point"]["properties"][name]);
        let found = found.get("anyOf").and_then(|forms| forms.get(0)).unwrap_or(found);
        (found["minimum"].as_f64(), found["exclusiveMinimum"].as_f64())
    };
    let sizes = "model.chessformer.layers model.chessformer.ff model.resnet.blocks encoding.smolgen.hidden";
    for name in ["steps", "batch", "train.log_every"].into_iter().chain(sizes.split(' ')) {
        assert_eq!(least(name), (Some(1.0), None), "{name}");
    }
    assert_eq!(least("train.clip"), (None, Some(0.0)));
    for name in ["train.optimizer.adamw.weight_decay", "learning_rate"] {
        assert_eq!(least(name), (Some(0.0), None), "{name}");
    }
}

#[test]
fn doc_comments_are_the_descriptions() {
    let of = |place: &str| {
        let part = SCHEMA.pointer(place).unwrap_or_else(|| panic!("no {place}"));
        meant(part)["description"].as_str()
    };
    assert_eq!(of("/properties/seeds").map(|text| text.starts_with("Each is run")), Some(true));
    for name in ["train.clip", "game", "steps", "encoding", "train.start.frozen", "model.chessformer.norm"] {
        assert!(of(&format!("/$defs/point/properties/{name}")).is_some(), "{name}");
    }
    assert!(of("/properties/base/properties/from").is_some());
}

fn page() -> String {
    fs::read_to_string(root().join("docs/settings.md")).expect("docs/settings.md")
}

#[test]
fn the_page_has_the_keys_of_the_schema() {
    let page = page();
    let filled = keys::fill(&page).expect("every block names a map of keys, and ends");
    if page != filled {
        let written = Path::new(env!("CARGO_TARGET_TMPDIR")).join("settings.md");
        fs::write(&written, filled).expect("a file below target/");
        panic!("docs/settings.md is out of date: copy {} over it", written.display());
    }
}

#[test]
fn every_key_is_in_a_block_of_the_page() {
    let list = keys::list();
    assert!(list.lines().all(|line| line.chars().count() <= 80), "a line has more than 80 columns:\n{list}");
    let blocks: String = page().lines().filter(|line| line.starts_with("|`")).collect();
    let names = list.lines().filter(|line| !line.starts_with(' ')).filter_map(|line| Some(line.split_once(": ")?.0));
    let keys: Vec<&str> = names.filter_map(|name| name.rsplit('.').next()).collect();
    assert!(keys.len() > 300, "{} keys", keys.len());
    for key in keys {
        let written = [format!("|`{key}`|"), format!("{{{key}: "), format!(" {key}: ")];
        assert!(written.iter().any(|text| blocks.contains(text)), "`{key}` is in no block of docs/settings.md");
    }
}

/// The schema of a key, in whichever form of the map it stands.
fn below<'a>(part: &'a Value, key: &str) -> Option<&'a Value> {
    let part = meant(part);
    let mut forms = part["anyOf"].as_array().into_iter().flatten();
    part["properties"].get(key).or_else(|| forms.find_map(|form| below(form, key)))
}

#[test]
fn defaults_of_the_schema_are_those_of_the_code() {
    let runs = |experiment: &Experiment| experiment.rows.iter().map(|row| row.run.clone()).collect::<Vec<_>>();
    let plain = runs(&load(&small()));
    let mut checked = Vec::new();
    let paths: [&[&str]; 4] = [&[], &["train"], &["eval"], &["model", "chessformer"]];
    for path in paths {
        let base = below(&SCHEMA, "base").expect("a base");
        let map = path.iter().try_fold(base, |part, key| below(part, key)).expect("a map of keys");
        for (key, part) in meant(map)["properties"].as_object().expect("keys") {
            let Some(default) = meant(part).get("default") else { continue };
            fits_part(part, default).unwrap_or_else(|error| panic!("{path:?} {key}: {error}"));
            let set = format!("{}={default}", path.iter().copied().chain([key.as_str()]).collect::<Vec<_>>().join("."));
            let changed = load_with(&small(), &[set.as_str()]).unwrap_or_else(|error| panic!("{set}: {error}"));
            assert!(plain == runs(&changed), "{set} is not the default");
            checked.push(set);
        }
    }
    assert!(checked.len() >= 20, "{checked:?}");
}
