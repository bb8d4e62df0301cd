//! A JSON Schema of experiment files, so that editors complete and check them.
//!
//! It is derived from the reader of experiment files. The reader gets documents with one odd value in one place,
//! and its error names the valid keys or words, or a wrong type. So the schema
//! cannot differ from the reader, and the types, which live in several crates, need no code for it.

mod defaults;
mod describe;
pub mod keys;
mod minima;
mod settings;
mod share;

use crate::settings::file::ExperimentFile;
use crate::settings::preset::{PRESET, read_run};
use crate::settings::run::BaseConfig;
use crate::yaml::reader::{Problem, Refusal, read};
use crate::yaml::source::Step;
use defaults::{SAMPLE, tree};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// A word that is neither a key nor a value of any setting.
const ODD: &str = "\u{1}";

const FROM: &str =
    "Another experiment file whose `base` is inherited, relative to this one. Its paths stay relative to it.";

pub fn schema() -> Value {
    let (mut base, mut file) = explored();
    beside_sizes(&mut base["properties"]["model"]);
    let defs = settings::put_in(&mut file, base);
    let mut whole = share::share(file, defs);
    if let Some(map) = whole.as_object_mut() {
        map.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        map.insert("title".to_owned(), json!("An experiment of posenc"));
    }
    whole
}

/// The schemas of `base` and of the keys beside it, with defaults and descriptions. Settings that are named are references.
fn explored() -> (Value, Value) {
    let mut base = Explorer(|value| read_run(&tree(value)).err()).explore(&mut Vec::new()).schema;
    minima::tighten(&mut base, &minima::is_a_run);
    let of_run = |run: &BaseConfig| serde_json::to_value(run).unwrap_or_default();
    defaults::add(&mut base, &|value| read_run(&tree(&value)).ok(), of_run);
    describe::describe(&mut base, describe::OF_BASE);
    base["properties"]["from"] = json!({"type": "string", "description": FROM});

    let mut file = Explorer(reads::<ExperimentFile>).explore(&mut Vec::new()).schema;
    minima::tighten(&mut file, &|value| reads::<ExperimentFile>(value).is_none());
    let of_file = |file: &ExperimentFile| json!({"evaluate": file.evaluate});
    defaults::add(&mut file, &|value| read::<ExperimentFile>(&tree(&value)).ok(), of_file);
    settings::refer(&mut file, "");
    describe::describe(&mut file, describe::OF_FILE);
    (base, file)
}

/// Parts the schema of a network in two forms: an architecture with its sizes, or a preset with those that differ.
fn beside_sizes(model: &mut Value) {
    let description = model.as_object_mut().and_then(|model| model.remove("description"));
    let mut with_preset = model.clone();
    if let Some(properties) = model["properties"].as_object_mut() {
        properties.remove(PRESET);
    }
    for (_, sizes) in with_preset["properties"].as_object_mut().into_iter().flatten() {
        sizes.as_object_mut().map(|sizes| sizes.remove("required"));
    }
    with_preset["required"] = json!([PRESET]);
    with_preset["maxProperties"] = json!(2);
    *model = json!({"description": description, "anyOf": [model.take(), with_preset]});
}

/// The reader's error for a document; `None` if it is valid.
fn reads<T: DeserializeOwned>(value: &Value) -> Option<Refusal> {
    read::<T>(&tree(value)).err()
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

/// Finds what a type's reader accepts: gives it documents and reads its errors.
#[derive(Clone, Copy)]
struct Explorer(fn(&Value) -> Option<Refusal>);

/// Whether the form is right: a key that is missed may belong to a map around the value.
fn accepts(problem: Option<&Problem>) -> bool {
    matches!(problem, None | Some(Problem::Missing(_) | Problem::Meaning(_)))
}

fn quoted(text: &str) -> Vec<String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

impl Explorer {
    /// The reader's error for a document with only `value` at `path`.
    fn refusal(self, path: &[Step], value: Value) -> Option<Refusal> {
        let document = path.iter().rev().fold(value, |inner, step| match step {
            Step::Key(key) => Value::Object(Map::from_iter([(key.clone(), inner)])),
            Step::Index(_) => Value::Array(vec![inner]),
        });
        (self.0)(&document)
    }

    fn ask(self, path: &[Step], value: Value) -> Option<Problem> {
        self.refusal(path, value).map(|refusal| refusal.problem)
    }

    /// Whether a word is read without options.
    fn accepts_word(self, path: &[Step], word: &str) -> bool {
        self.refusal(path, json!(word)).is_none_or(|refusal| {
            let misses_options = matches!(refusal.problem, Problem::Missing(_)) && refusal.key_path.len() >= path.len();
            accepts(Some(&refusal.problem)) && !misses_options
        })
    }

    fn accepts(self, path: &[Step], value: Value) -> bool {
        accepts(self.ask(path, value).as_ref())
    }

    fn explore(self, path: &mut Vec<Step>) -> Node {
        let whatever = [json!(ODD), json!({ODD: null}), json!(1), json!([])];
        if !path.is_empty() && whatever.into_iter().all(|value| self.accepts(path, value)) {
            return Node { schema: json!({}), sample: Some(Value::Null) };
        }
        let mut forms: Vec<Form> = Vec::new();
        forms.extend(self.number(path));
        forms.extend(self.words(path));
        if self.accepts(path, json!(true)) {
            forms.push(Form { schema: json!({"type": "boolean"}), sample: json!(true) });
        }
        forms.extend(self.map(path));
        forms.extend(self.list(path));
        if !path.is_empty() && self.accepts(path, Value::Null) {
            forms.push(Form { schema: json!({"type": "null"}), sample: Value::Null });
        }
        let sample = forms.first().map(|form| form.sample.clone());
        forms.iter_mut().for_each(|form| form.schema[SAMPLE] = form.sample.clone());
        let mut schemas: Vec<Value> = forms.into_iter().map(|form| form.schema).collect();
        let schema = if schemas.len() == 1 { schemas.remove(0) } else { json!({"anyOf": schemas}) };
        Node { schema, sample }
    }

    fn number(self, path: &[Step]) -> Option<Form> {
        let accepts = |value: Value| self.accepts(path, value);
        if !accepts(json!(1)) {
            return None;
        }
        let is_whole = !accepts(json!(0.5));
        let mut schema = json!({"type": if is_whole { "integer" } else { "number" }});
        if !accepts(json!(-1)) && !accepts(json!(-0.5)) {
            match (is_whole, accepts(json!(0))) {
                (_, true) => schema["minimum"] = json!(0),
                (true, false) => schema["minimum"] = json!(1),
                (false, false) => schema["exclusiveMinimum"] = json!(0),
            }
        }
        Some(Form { schema, sample: json!(1) })
    }

    /// Words that are read as they are: any, or those that the reader names.
    fn words(self, path: &[Step]) -> Option<Form> {
        let problem = self.ask(path, json!(ODD));
        if accepts(problem.as_ref()) {
            return Some(Form { schema: json!({"type": "string"}), sample: json!("x") });
        }
        let names = match problem? {
            Problem::Key(_, names) | Problem::Name(_, names) => names,
            Problem::Type(expected) => quoted(&expected),
            Problem::Missing(_) | Problem::Meaning(_) => return None,
        };
        let words: Vec<String> = names.into_iter().filter(|word| self.accepts_word(path, word)).collect();
        let sample = json!(words.first()?);
        Some(Form { schema: json!({"enum": words}), sample })
    }

    fn map(self, path: &mut Vec<Step>) -> Option<Form> {
        let refusal = self.refusal(path, json!({ODD: null}))?;
        match refusal.problem {
            Problem::Key(_, names) => Some(self.keys(path, &names)),
            Problem::Name(_, names) => self.choice(path, &names),
            Problem::Missing(name) if self.is_read(path, &name) => Some(self.keys(path, &[name])),
            Problem::Type(_) if refusal.key_path.last().is_some_and(|key| key == ODD) => self.free(path),
            _ => None,
        }
    }

    /// A map whose keys are names of the file's own.
    fn free(self, path: &mut Vec<Step>) -> Option<Form> {
        let Node { schema, sample } = self.within(path, Step::Key(ODD.to_owned()));
        let sample = json!({"x": sample?});
        Some(Form { schema: json!({"type": "object", "additionalProperties": schema}), sample })
    }

    /// Whether the map at `path` reads a key: some type is wrong there. (The key that is missed may belong to a map around
    /// this one.)
    fn is_read(self, path: &[Step], name: &str) -> bool {
        [Value::Null, json!([]), json!({ODD: null}), json!(ODD)]
            .into_iter()
            .any(|value| !self.accepts(path, json!({name: value})))
    }

    fn keys(self, path: &mut Vec<Step>, names: &[String]) -> Form {
        let mut properties = Map::new();
        let mut samples = Map::new();
        // What has a space is a remark about names.
        for name in names.iter().filter(|name| !name.contains(' ')) {
            let Node { schema, sample } = self.within(path, Step::Key(name.clone()));
            properties.insert(name.clone(), schema);
            samples.extend(sample.map(|sample| (name.clone(), sample)));
        }
        let required = self.required(path, &samples);
        let sample =
            Map::from_iter(required.iter().filter_map(|name| Some((name.clone(), samples.get(name)?.clone()))));
        let mut schema = json!({"type": "object", "properties": properties, "additionalProperties": false});
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        Form { schema, sample: Value::Object(sample) }
    }

    /// The required keys of a map: those that the reader reports as missing, one after another.
    fn required(self, path: &[Step], samples: &Map<String, Value>) -> Vec<String> {
        let mut present = Map::new();
        let mut required: Vec<String> = Vec::new();
        while let Some(Problem::Missing(name)) = self.ask(path, Value::Object(present.clone())) {
            let Some(sample) = samples.get(&name).filter(|_| !required.contains(&name)) else { break };
            present.insert(name.clone(), sample.clone());
            // A key that is missed as before belongs to a map around this one.
            if self.ask(path, Value::Object(present.clone())) == Some(Problem::Missing(name.clone())) {
                break;
            }
            required.push(name);
        }
        // What another key can stand for is not required (a dataset's `path`, where each game has its own).
        let alone = |other: &str| Value::Object(Map::from_iter([(other.to_owned(), samples[other].clone())]));
        let misses =
            |other: &String, name: &String| self.ask(path, alone(other)) == Some(Problem::Missing(name.clone()));
        let first = required.first().cloned();
        if let Some(first) = first.filter(|_| required.len() == 1)
            && samples.keys().any(|other| *other != first && !misses(other, &first))
        {
            required.clear();
        }
        required
    }

    /// A map of one of these names to its options; of several, if the reader takes several.
    fn choice(self, path: &mut Vec<Step>, names: &[String]) -> Option<Form> {
        let mut properties = Map::new();
        let mut samples = Map::new();
        for name in names {
            let Node { schema, sample } = self.within(path, Step::Key(name.clone()));
            let sample = sample.filter(|sample| !sample.is_null());
            if let Some(sample) = sample.filter(|sample| self.accepts(path, json!({name: sample}))) {
                properties.insert(name.clone(), schema);
                samples.insert(name.clone(), sample);
            }
        }
        let (name, sample) = samples.iter().next()?;
        let sample = json!({name: sample});
        // Two names where one is expected are refused as a meaning.
        let two = || Value::Object(samples.iter().take(2).map(|(k, v)| (k.clone(), v.clone())).collect());
        let several = samples.len() > 1 && matches!(self.ask(path, two()), None | Some(Problem::Missing(_)));
        let mut schema =
            json!({"type": "object", "properties": properties, "additionalProperties": false, "minProperties": 1});
        if !several {
            schema["maxProperties"] = json!(1);
        }
        Some(Form { schema, sample })
    }

    fn list(self, path: &mut Vec<Step>) -> Option<Form> {
        if !self.accepts(path, json!([])) {
            return None;
        }
        let Node { schema, sample } = self.within(path, Step::Index(0));
        let sample = sample?;
        Some(Form { schema: json!({"type": "array", "items": schema}), sample: json!([sample]) })
    }

    fn within(self, path: &mut Vec<Step>, step: Step) -> Node {
        path.push(step);
        let node = self.explore(path);
        path.pop();
        node
    }
}
