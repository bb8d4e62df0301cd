//! A JSON Schema of experiment files, so that editors complete and check them.
//!
//! Nobody writes it down: the reader of experiment files is asked. It is given documents with one odd value in one place,
//! and its complaint names the keys or the words that could stand there, or says that the type is wrong. So the schema
//! cannot differ from what is read, and the types, which live in several crates, need to know nothing of it.

mod complaint;
mod describe;
mod share;

use super::base::WrittenBase;
use super::file::ExperimentFile;
use complaint::{Complaint, ODD};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

/// A step into a document.
#[derive(Debug, Clone, PartialEq)]
enum Step {
    Key(String),
    Element,
}

/// The schema of experiment files.
#[must_use]
pub fn schema() -> Value {
    let Node { mut schema, .. } = explore(&mut Vec::new());
    describe::describe(&mut schema);
    let mut whole = share::share(schema);
    if let Some(map) = whole.as_object_mut() {
        map.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        map.insert("title".to_owned(), json!("An experiment of posenc"));
    }
    whole
}

/// What can stand at a place.
struct Node {
    schema: Value,
    /// A value that is read there; none where nothing was found.
    sample: Option<Value>,
}

/// One of the forms in which a value can be written.
struct Form {
    schema: Value,
    sample: Value,
}

/// What the reader says about a document with `value` at `path` and nothing else in it.
fn ask(path: &[Step], value: Value) -> Complaint {
    let document = path.iter().rev().fold(value, |inner, step| match step {
        Step::Key(key) => Value::Object(Map::from_iter([(key.clone(), inner)])),
        Step::Element => Value::Array(vec![inner]),
    });
    Complaint::of(ExperimentFile::<WrittenBase>::deserialize(document).err().map(|error| error.to_string()))
}

fn explore(path: &mut Vec<Step>) -> Node {
    let whatever = [json!(ODD), json!({ODD: null}), json!(1), json!([])];
    if !path.is_empty() && whatever.into_iter().all(|value| ask(path, value).accepts()) {
        return Node { schema: json!({}), sample: Some(Value::Null) };
    }
    let mut forms: Vec<Form> = Vec::new();
    forms.extend(number(path));
    forms.extend(words(path));
    if ask(path, json!(true)).accepts() {
        forms.push(Form { schema: json!({"type": "boolean"}), sample: json!(true) });
    }
    forms.extend(map(path));
    forms.extend(list(path));
    if !path.is_empty() && ask(path, Value::Null).accepts() {
        forms.push(Form { schema: json!({"type": "null"}), sample: Value::Null });
    }
    let sample = forms.first().map(|form| form.sample.clone());
    let mut schemas: Vec<Value> = forms.into_iter().map(|form| form.schema).collect();
    let schema = if schemas.len() == 1 { schemas.remove(0) } else { json!({"anyOf": schemas}) };
    Node { schema, sample }
}

fn number(path: &[Step]) -> Option<Form> {
    let accepts = |value: Value| ask(path, value).accepts();
    if !accepts(json!(1)) {
        return None;
    }
    let mut schema = json!({"type": if accepts(json!(0.5)) { "number" } else { "integer" }});
    if !accepts(json!(-1)) && !accepts(json!(-0.5)) {
        schema["minimum"] = json!(0);
    }
    Some(Form { schema, sample: json!(1) })
}

/// Words that are read as they are: any, or those that the reader names.
fn words(path: &[Step]) -> Option<Form> {
    let complaint = ask(path, json!(ODD));
    if complaint.accepts() {
        return Some(Form { schema: json!({"type": "string"}), sample: json!("x") });
    }
    let read = |word: &String| ask(path, json!(word)).accepts();
    let words: Vec<String> = complaint.names().iter().filter(|word| read(word)).cloned().collect();
    let sample = json!(words.first()?);
    Some(Form { schema: json!({"enum": words}), sample })
}

fn map(path: &mut Vec<Step>) -> Option<Form> {
    match ask(path, json!({ODD: null})) {
        Complaint::UnknownKey(names) => Some(keys(path, &names)),
        Complaint::UnknownWord(names) => choice(path, &names),
        Complaint::Missing(name) if is_read(path, &name) => Some(keys(path, &[name])),
        _ => None,
    }
}

/// Whether the map at `path` reads a key: some type is wrong there. (The key that is missed may belong to a map around
/// this one.)
fn is_read(path: &[Step], name: &str) -> bool {
    [Value::Null, json!([]), json!({ODD: null}), json!(ODD)]
        .into_iter()
        .any(|value| !ask(path, json!({name: value})).accepts())
}

/// A map with these keys.
fn keys(path: &mut Vec<Step>, names: &[String]) -> Form {
    let mut properties = Map::new();
    let mut samples = Map::new();
    for name in names {
        let Node { schema, sample } = within(path, Step::Key(name.clone()), explore);
        properties.insert(name.clone(), schema);
        samples.extend(sample.map(|sample| (name.clone(), sample)));
    }
    let required = required(path, &samples);
    let sample = Map::from_iter(required.iter().filter_map(|name| Some((name.clone(), samples.get(name)?.clone()))));
    let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    Form { schema, sample: Value::Object(sample) }
}

/// The keys without which a map is refused: what the reader misses, until it misses nothing more here.
fn required(path: &[Step], samples: &Map<String, Value>) -> Vec<String> {
    let mut present = Map::new();
    let mut required: Vec<String> = Vec::new();
    while let Complaint::Missing(name) = ask(path, Value::Object(present.clone())) {
        let Some(sample) = samples.get(&name).filter(|_| !required.contains(&name)) else { break };
        present.insert(name.clone(), sample.clone());
        // A key that is missed as before belongs to a map around this one.
        if ask(path, Value::Object(present.clone())) == Complaint::Missing(name.clone()) {
            break;
        }
        required.push(name);
    }
    // What another key can stand for is not required (a dataset's `path`, where each game has its own).
    let alone = |other: &str| Value::Object(Map::from_iter([(other.to_owned(), samples[other].clone())]));
    let misses = |other: &String, name: &String| ask(path, alone(other)) == Complaint::Missing(name.clone());
    let first = required.first().cloned();
    if let Some(first) = first.filter(|_| required.len() == 1)
        && samples.keys().any(|other| *other != first && !misses(other, &first))
    {
        required.clear();
    }
    required
}

/// A map of one of these names to its options; of several, if the reader takes several.
fn choice(path: &mut Vec<Step>, names: &[String]) -> Option<Form> {
    let mut properties = Map::new();
    let mut samples = Map::new();
    for name in names {
        let Node { schema, sample } = within(path, Step::Key(name.clone()), explore);
        let sample = sample.filter(|sample| !sample.is_null());
        if let Some(sample) = sample.filter(|sample| ask(path, json!({name: sample})).accepts()) {
            properties.insert(name.clone(), schema);
            samples.insert(name.clone(), sample);
        }
    }
    let (name, sample) = samples.iter().next()?;
    let sample = json!({name: sample});
    let several = samples.len() > 1
        && ask(path, Value::Object(samples.iter().take(2).map(|(k, v)| (k.clone(), v.clone())).collect())).accepts();
    let mut schema =
        json!({"type": "object", "properties": properties, "additionalProperties": false, "minProperties": 1});
    if !several {
        schema["maxProperties"] = json!(1);
    }
    Some(Form { schema, sample })
}

fn list(path: &mut Vec<Step>) -> Option<Form> {
    if !ask(path, json!([])).accepts() {
        return None;
    }
    let Node { schema, sample } = within(path, Step::Element, explore);
    let sample = sample?;
    Some(Form { schema: json!({"type": "array", "items": schema}), sample: json!([sample]) })
}

fn within(path: &mut Vec<Step>, step: Step, look: impl Fn(&mut Vec<Step>) -> Node) -> Node {
    path.push(step);
    let node = look(path);
    path.pop();
    node
}
