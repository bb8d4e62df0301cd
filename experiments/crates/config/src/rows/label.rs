//! Short names of rows: the game, and the shortest distinguishing label of each varied axis.

use super::expand::Combination;
use super::row::for_folder;
use crate::settings::setting::Setting;
use encodings::EncodingConfig;
use models::ModelConfig;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// The part of a label that distinguishes a row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Label {
    game: &'static str,
    words: Vec<Word>,
}

/// One word of it: `shaw`, `layers 8`.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Word {
    /// The name of the option; none where the value is clear without it.
    key: String,
    value: String,
}

impl Label {
    /// For people, without the game: `shaw, layers 8`.
    pub(crate) fn name(&self) -> String {
        let words: Vec<String> = self.words.iter().map(Word::text).collect();
        words.join(", ")
    }

    /// For folders, with the game: `chess-shaw-layers8`.
    pub(crate) fn folder(&self) -> String {
        let words = self.words.iter().map(Word::folder);
        std::iter::once(self.game.to_owned()).chain(words).collect::<Vec<_>>().join("-")
    }
}

impl Word {
    fn plain(value: impl Into<String>) -> Self {
        Self { key: String::new(), value: value.into() }
    }

    fn of(key: &str, value: &Value) -> Self {
        Self { key: key.to_owned(), value: leaf(value) }
    }

    fn text(&self) -> String {
        format!("{} {}", self.key, self.value).trim().to_owned()
    }

    fn folder(&self) -> String {
        for_folder(&format!("{}{}", self.key, self.value))
    }
}

/// A label for each row; rows with different values get different ones. `settings` are those that may differ.
pub(crate) fn labels(rows: &[&Combination], settings: &[Setting]) -> Vec<Label> {
    let differs = |setting: &&Setting| rows.iter().any(|row| row.value(setting) != rows[0].value(setting));
    let mut varied: Vec<&Setting> =
        settings.iter().filter(|setting| setting.name() != "game").filter(differs).collect();
    let all = varied.clone();
    varied.retain(|setting| !all.iter().any(|other| other != setting && other.covers(setting)));
    let mut columns: Vec<Vec<Vec<Word>>> = varied.iter().map(|setting| column(rows, setting)).collect();
    // A row that has nothing which the others have is called by its encodings, and so are they.
    let is_unnamed = |row: usize| columns.iter().all(|column| column[row].is_empty());
    if (0..rows.len()).any(is_unnamed) {
        let encoding = Setting::named("encoding").expect("a short name is a name");
        columns.insert(0, column(rows, &encoding));
    }
    let words = |row: usize| columns.iter().flat_map(|column| column[row].clone()).collect();
    (0..rows.len()).map(|row| Label { game: rows[row].run.game.name(), words: words(row) }).collect()
}

/// The part of each row's label from a setting.
fn column(rows: &[&Combination], setting: &Setting) -> Vec<Vec<Word>> {
    let values: Vec<Value> = rows.iter().map(|row| row.value(setting).cloned().unwrap_or(Value::Null)).collect();
    let words: Vec<Vec<Word>> = match setting.name().as_str() {
        "encoding" => encodings(rows),
        "model" => models(rows, &values),
        "learning_rate" => rows.iter().map(|row| vec![rate(row)]).collect(),
        "train.start" => values.iter().map(started).collect(),
        "phases" => values.iter().map(phases).collect(),
        "train.encoding_rate" => {
            let words = |value: &Value| match value.as_f64() {
                Some(1.0) => Vec::new(),
                _ => vec![Word::plain(format!("encoding rate × {}", leaf(value)))],
            };
            values.iter().map(words).collect()
        }
        "input" | "moves" => values.iter().map(|value| vec![Word::plain(leaf(value))]).collect(),
        _ if values.iter().any(|value| value.is_object() || value.is_array()) => differences(&values),
        _ => rows.iter().map(|row| scalar(row, setting)).collect(),
    };
    distinguished(&values, words.into_iter().map(shortened).collect())
}

/// A number or word with the option's name. Where the value is the default, and so not part of the run as JSON, the label has
/// what the row's tree says.
fn scalar(row: &Combination, setting: &Setting) -> Vec<Word> {
    let written = || {
        row.tree.get(setting.key_path()).map(|node| Word { key: setting.last().to_owned(), value: node.to_string() })
    };
    row.value(setting).map(|value| Word::of(setting.last(), value)).or_else(written).into_iter().collect()
}

/// What a setting may add: names of folders have 255 bytes at most, and people read them.
const LONGEST: usize = 80;

/// The tables that a row starts with, by the name of their file.
fn started(value: &Value) -> Vec<Word> {
    let named = ["tables", "network"].into_iter().find_map(|kind| Some((kind, value[kind].as_str()?)));
    let Some((kind, path)) = named else { return Vec::new() };
    let name = Path::new(path).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let order = value["order"].as_str().filter(|&order| order != "kept").map(str::to_owned);
    let fit = value["fit"].as_str().map(str::to_owned);
    let [frozen, heads] = ["frozen", "heads"].map(|key| (value[key] == true).then(|| key.to_owned()));
    let scale = value["scale"].as_f64().filter(|&scale| scale != 1.0).map(|scale| format!("scale {scale}"));
    let rms = value["rms"].as_f64().map(|rms| format!("rms {rms}"));
    [Some(format!("{kind} {name}")), order, fit, frozen, heads, scale, rms]
        .into_iter()
        .flatten()
        .map(Word::plain)
        .collect()
}

/// The words that there is room for; [`distinguished`] numbers what becomes equal.
fn shortened(mut words: Vec<Word>) -> Vec<Word> {
    while words.len() > 1 && words.iter().map(|word| word.folder().len() + 1).sum::<usize>() > LONGEST {
        words.pop();
    }
    words
}

fn rate(row: &Combination) -> Word {
    let rate = &row.run.train.learning_rate;
    let key = if rate.is_cosine() { "cosine" } else { "lr" };
    Word { key: key.to_owned(), value: rate.first().to_string() }
}

fn phases(value: &Value) -> Vec<Word> {
    match value.as_array().map_or(0, Vec::len) {
        0 => vec![Word::plain("shuffled")],
        number => vec![Word { key: "phases".to_owned(), value: number.to_string() }],
    }
}

/// A value without quotes; whole numbers without a fraction.
fn leaf(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        Value::Number(number) => number.as_f64().map_or_else(|| number.to_string(), |number| number.to_string()),
        other => other.to_string(),
    }
}

/// An encoding's name alone where the rows have only one configuration of it, else with its options.
fn encodings(rows: &[&Combination]) -> Vec<Vec<Word>> {
    let all: Vec<&EncodingConfig> = rows.iter().flat_map(|row| &row.run.encoding).collect();
    let short = |one: &EncodingConfig| {
        let name = one.info().name;
        let alone = all.iter().all(|other| other.info().name != name || *other == one);
        if alone { name.to_owned() } else { one.label() }
    };
    let text = |stack: &[EncodingConfig]| stack.iter().map(short).collect::<Vec<_>>().join(" + ");
    rows.iter().map(|row| vec![Word::plain(text(&row.run.encoding))]).collect()
}

/// The leaves in which networks differ; where they are of several architectures, a published one's name.
fn models(rows: &[&Combination], values: &[Value]) -> Vec<Vec<Word>> {
    let names: Vec<&str> = rows.iter().map(|row| row.run.model.name()).collect();
    if names.iter().all(|name| *name == names[0]) {
        return differences(values);
    }
    let mut words: Vec<Vec<Word>> = rows.iter().map(|row| preset_of(&row.run.model)).collect();
    let others: Vec<usize> = (0..rows.len()).filter(|&row| words[row].is_empty()).collect();
    let of_others: Vec<Value> = others.iter().map(|&row| values[row].clone()).collect();
    others.into_iter().zip(of_each_name(&of_others)).for_each(|(row, own)| words[row] = own);
    words
}

/// The name of a published network with all of its heads.
fn preset_of(model: &ModelConfig) -> Vec<Word> {
    let known = models::presets().iter().find(|known| (known.model)().normalised() == *model);
    known.map(|known| Word::plain(known.name)).into_iter().collect()
}

/// The leaves in which values differ: `width 64`, `heads 8`; of values with different names, the names too: `adamw`.
fn differences(values: &[Value]) -> Vec<Vec<Word>> {
    if values.iter().all(|value| choice(value).is_some())
        && values.iter().any(|value| choice(value) != choice(&values[0]))
    {
        return of_each_name(values);
    }
    let leaves: Vec<BTreeMap<String, Word>> = values.iter().map(leaves).collect();
    let differs = |key: &str| leaves.iter().any(|other| other.get(key) != leaves[0].get(key));
    let words = |own: &BTreeMap<String, Word>| {
        own.iter().filter(|(key, _)| differs(key)).map(|(_, word)| word.clone()).collect()
    };
    leaves.iter().map(words).collect()
}

/// The name of a value that is a name with options.
fn choice(value: &Value) -> Option<&str> {
    let map = value.as_object().filter(|map| map.len() == 1)?;
    map.keys().next().map(String::as_str)
}

/// Each value's name, and the leaves in which those of its name differ.
fn of_each_name(values: &[Value]) -> Vec<Vec<Word>> {
    let mut words: Vec<Vec<Word>> = vec![Vec::new(); values.len()];
    for (row, value) in values.iter().enumerate() {
        let own: Vec<usize> = (row..values.len()).filter(|&i| choice(&values[i]) == choice(value)).collect();
        if !words[row].is_empty() {
            continue;
        }
        let of_name: Vec<Value> = own.iter().map(|&i| values[i].clone()).collect();
        for (i, differences) in own.into_iter().zip(differences(&of_name)) {
            words[i] = choice(value).map(Word::plain).into_iter().chain(differences).collect();
        }
    }
    words
}

fn leaves(value: &Value) -> BTreeMap<String, Word> {
    fn walk(value: &Value, key: &str, key_path: &str, out: &mut BTreeMap<String, Word>) {
        match value {
            Value::Object(map) if key == "groups" => {
                out.insert(key_path.to_owned(), group(map));
            }
            Value::Object(map) => {
                map.iter().for_each(|(key, value)| walk(value, key, &format!("{key_path}.{key}"), out))
            }
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(i, value)| walk(value, key, &format!("{key_path}.{i}"), out));
            }
            value => {
                out.insert(key_path.to_owned(), Word::of(key, value));
            }
        }
    }
    let mut out = BTreeMap::new();
    walk(value, "", "", &mut out);
    out
}

/// A group of parameters with options of their own: `encoding rate × 20`.
fn group(options: &serde_json::Map<String, Value>) -> Word {
    let whose = ["part", "match"].iter().find_map(|key| options.get(*key).filter(|value| !value.is_null())).map(leaf);
    let further = options.iter().filter(|(key, value)| !value.is_null() && *key != "part" && *key != "match");
    let words = further.map(|(key, value)| match key.as_str() {
        "learning_rate" => format!("rate × {}", leaf(value)),
        key => format!("{} {}", key.replace('_', " "), leaf(value)),
    });
    Word::plain(whose.into_iter().chain(words).collect::<Vec<_>>().join(" "))
}

/// Numbers the words of different values that came out equal.
fn distinguished(values: &[Value], words: Vec<Vec<Word>>) -> Vec<Vec<Word>> {
    let mut known: Vec<(String, Vec<&Value>)> = Vec::new();
    let mut out = Vec::new();
    for (value, mut words) in values.iter().zip(words) {
        let text = words.iter().map(Word::folder).collect::<Vec<_>>().join("-");
        let i = known.iter().position(|(known, _)| *known == text).unwrap_or_else(|| {
            known.push((text, Vec::new()));
            known.len() - 1
        });
        let variants = &mut known[i].1;
        let number = variants.iter().position(|known| *known == value).unwrap_or_else(|| {
            variants.push(value);
            variants.len() - 1
        });
        match (number, words.last_mut()) {
            (0, _) => {}
            (_, Some(last)) => last.value = format!("{} #{}", last.value, number + 1),
            (_, None) => words.push(Word::plain(format!("#{}", number + 1))),
        }
        out.push(words);
    }
    out
}
