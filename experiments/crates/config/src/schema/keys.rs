//! The keys of experiment files as text: tables for docs/settings.md, and lines for a terminal.

use super::explored;
use facts::columns::wrapped;
use serde_json::Value;
use std::collections::BTreeSet;

/// In a map, longer choices are written as their default and an ellipsis.
const FEW: usize = 6;
/// The keys of larger maps are not listed where all have values of one kind: names of metrics and losses.
const MANY: usize = 10;

const REQUIRED: &str = "required";
const NONE: &str = "–";

/// Every key by its path, with its values, default and meaning, in lines of 80 columns.
pub fn list() -> String {
    let (mut names, mut text) = (BTreeSet::new(), String::new());
    each(&whole(), "", &mut |name, part, default| {
        if !names.insert(name.to_owned()) {
            return;
        }
        let values = ValueWriter { is_elsewhere: &|_| true, seen: Vec::new() }.values(part, name).join(", ");
        let default = default.map_or_else(String::new, |default| format!(" ({default})"));
        let meaning = part["description"].as_str().map(|meaning| format!("    {}", meaning.replace('`', "")));
        for line in [Some(format!("{name}: {values}{default}")), meaning].into_iter().flatten() {
            text += &wrapped(&line, 80, "    ");
            text.push('\n');
        }
    });
    text
}

/// The keys of the map at a path, each with its values, the default first; none if there is no such map.
pub fn options(key_path: &str) -> Vec<String> {
    let whole = whole();
    let map = find(&whole, key_path).unwrap_or(&Value::Null);
    // Heads, and the resnet below a transformer, have keys of their own.
    let is_elsewhere = |name: &str| name.ends_with(".outputs") || name.ends_with(".resnet");
    let mut writer = ValueWriter { is_elsewhere: &is_elsewhere, seen: Vec::new() };
    keys(map).map(|(key, part)| format!("{key}: {}", writer.entry(map, key, part, &below(key_path, key)))).collect()
}

/// Every key, once for each form of the map that it stands in.
fn each(schema: &Value, key_path: &str, visit: &mut dyn FnMut(&str, &Value, Option<String>)) {
    for map in maps(schema).into_iter().filter(|map| uniform(map).is_none()) {
        for (key, part) in map["properties"].as_object().into_iter().flatten() {
            let name = below(key_path, key);
            visit(&name, part, default(map, key));
            each(part, &name, visit);
        }
    }
}

const START: &str = "<!-- keys: ";
const NAMED: &str = " -->\n";
const END: &str = "<!-- /keys -->\n";
/// What a block names that has the keys beside `base`.
const FILE: &str = "file";

/// Fills the blocks of keys of a page; `None` if a block names no map or has no end. A map without a block of its own is
/// a value in the row of its key: `{option: default}`.
pub fn fill(page: &str) -> Option<String> {
    let whole = whole();
    let key_paths: Vec<&str> = page.split(START).skip(1).filter_map(|rest| Some(rest.split_once(NAMED)?.0)).collect();
    let (mut filled, mut rest) = (String::new(), page);
    while let Some((before, block)) = rest.split_once(START) {
        let (key_path, block) = block.split_once(NAMED)?;
        filled += &format!("{before}{START}{key_path}{NAMED}{}{END}", table(&whole, key_path, &key_paths)?);
        rest = block.split_once(END)?.1;
    }
    Some(filled + rest)
}

/// The keys of a map; columns without content are left out.
fn table(whole: &Value, key_path: &str, key_paths: &[&str]) -> Option<String> {
    let (key_path, first) =
        if key_path == FILE { ("", "key".to_owned()) } else { (key_path, format!("`{key_path}.`")) };
    let map = find(whole, key_path)?;
    // A map has one meaning in all places: heads, the optimiser beside Muon.
    let is_elsewhere = |name: &str| {
        let (above, key) = name.rsplit_once('.').unwrap_or(("", name));
        let has_row = above != key_path && map["properties"].get(key).is_some();
        has_row || key_paths.iter().any(|key_path| key_path.rsplit('.').next() == Some(key))
    };
    let mut writer = ValueWriter { is_elsewhere: &is_elsewhere, seen: Vec::new() };
    let mut rows: Vec<[String; 4]> = Vec::new();
    for (key, part) in map["properties"].as_object()? {
        let default = match default(map, key) {
            Some(default) if default != REQUIRED => format!("`{default}`"),
            other => other.unwrap_or_default(),
        };
        let values: Vec<String> =
            writer.values(part, &below(key_path, key)).iter().map(|value| format!("`{value}`")).collect();
        let meaning = part["description"].as_str().unwrap_or_default().replace('|', "\\|");
        rows.push([format!("`{key}`"), default, values.join(", "), meaning]);
    }
    rows.sort_by_key(|[_, default, ..]| default != REQUIRED);
    let shown: Vec<usize> = (0..4).filter(|&column| rows.iter().any(|row| !row[column].is_empty())).collect();
    let line = |cells: &[String; 4]| {
        let cells = shown.iter().map(|&column| cells[column].as_str());
        let cells: Vec<&str> = cells.map(|cell| if cell.is_empty() { NONE } else { cell }).collect();
        format!("|{}|\n", cells.join("|"))
    };
    let head = [first, "default".to_owned(), "values".to_owned(), "meaning".to_owned()];
    let rule = ["---"; 4].map(str::to_owned);
    Some([&head, &rule].into_iter().chain(&rows).map(line).collect())
}

/// The first form of the map at a path.
fn find<'a>(whole: &'a Value, key_path: &str) -> Option<&'a Value> {
    let mut steps = key_path.split('.').filter(|key| !key.is_empty());
    let place = steps.try_fold(whole, |part, key| maps(part).into_iter().find_map(|map| map["properties"].get(key)))?;
    maps(place).into_iter().next()
}

/// The whole schema, in which no part is shared.
fn whole() -> Value {
    let (mut base, mut file) = explored();
    base["description"] = file["properties"]["base"]["description"].take();
    file["properties"]["base"] = base;
    file
}

fn below(key_path: &str, key: &str) -> String {
    if key_path.is_empty() { key.to_owned() } else { format!("{key_path}.{key}") }
}

/// The maps that can stand at a place, alone or in a list.
fn maps(schema: &Value) -> Vec<&Value> {
    let inner = ["items", "additionalProperties"].into_iter().filter_map(|key| schema.get(key));
    let inner = schema["anyOf"].as_array().into_iter().flatten().chain(inner).flat_map(maps);
    schema.get("properties").map(|_| schema).into_iter().chain(inner).collect()
}

/// The values of a map with many keys, if they are of one kind.
fn uniform(map: &Value) -> Option<&Value> {
    let (_, first) = keys(map).nth(MANY)?;
    keys(map).all(|(_, part)| part == first).then_some(first)
}

/// Whether it is a map of one name to its options.
fn is_choice(map: &Value) -> bool {
    map.get("maxProperties").is_some()
}

fn keys(map: &Value) -> impl Iterator<Item = (&String, &Value)> {
    map["properties"].as_object().into_iter().flatten()
}

/// The default of a key, or that it has to be written.
fn default(map: &Value, key: &str) -> Option<String> {
    let requires = || map["required"].as_array().is_some_and(|names| names.iter().any(|name| name == key));
    map["properties"][key].get("default").map(plain).or_else(|| requires().then(|| REQUIRED.to_owned()))
}

/// A value as YAML has it.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => format!("[{}]", list.iter().map(plain).collect::<Vec<_>>().join(", ")),
        Value::Number(number) => number.to_string().trim_end_matches(".0").to_owned(),
        other => other.to_string(),
    }
}

/// Writes what can stand at a place.
struct ValueWriter<'a> {
    /// Whether the keys of the map at a path are written somewhere else.
    is_elsewhere: &'a dyn Fn(&str) -> bool,
    seen: Vec<Value>,
}

impl ValueWriter<'_> {
    fn values(&mut self, part: &Value, key_path: &str) -> Vec<String> {
        let forms: Vec<&Value> = part["anyOf"].as_array().map_or_else(|| vec![part], |forms| forms.iter().collect());
        // A name stands for a map of it to no options.
        let is_named = |word: &str| forms.iter().any(|form| is_choice(form) && form["properties"].get(word).is_some());
        let mut texts: Vec<String> = Vec::new();
        for form in &forms {
            let written: Vec<String> = match (form["enum"].as_array(), form["type"].as_str()) {
                (Some(words), _) => words.iter().map(plain).filter(|word| !is_named(word)).collect(),
                (None, Some("object")) => self.map(form, key_path),
                (None, Some("array")) => match self.values(&form["items"], key_path) {
                    items if items.iter().all(|item| texts.contains(item)) => vec!["[…]".to_owned()],
                    items => vec![format!("[{}]", items.join("/"))],
                },
                (None, Some("null")) => Vec::new(),
                _ => vec![simple(form).to_owned()],
            };
            let new: Vec<String> = written.into_iter().filter(|text| !texts.contains(text)).collect();
            texts.extend(new);
        }
        texts
    }

    /// The forms of a map: one, or one for each name of a choice.
    fn map(&mut self, map: &Value, key_path: &str) -> Vec<String> {
        if let Some(part) = map.get("additionalProperties").filter(|part| part.is_object()).or_else(|| uniform(map)) {
            return vec![format!("{{NAME: {}}}", self.values(part, key_path).join("/"))];
        }
        if keys(map).next().is_none() {
            return vec!["{}".to_owned()];
        }
        if (self.is_elsewhere)(key_path) {
            return vec!["map".to_owned()];
        }
        if self.seen.contains(map) {
            return vec!["{…}".to_owned()];
        }
        self.seen.push(map.clone());
        let entries: Vec<String> = keys(map)
            .map(|(key, part)| format!("{key}: {}", self.entry(map, key, part, &below(key_path, key))))
            .collect();
        match is_choice(map) {
            true => entries.into_iter().map(|entry| format!("{{{entry}}}")).collect(),
            false => vec![format!("{{{}}}", entries.join(", "))],
        }
    }

    /// A value in a map: its default first, or its options.
    fn entry(&mut self, map: &Value, key: &str, part: &Value, key_path: &str) -> String {
        let values = self.values(part, key_path);
        let is_map = !maps(part).is_empty();
        match default(map, key) {
            Some(default) if default == REQUIRED && !is_map && values.len() > 1 => {
                format!("{} ({REQUIRED})", values.join("/"))
            }
            Some(default) if default == REQUIRED || is_map && !values.contains(&default) => values.join("/"),
            Some(default) if values.len() > FEW => format!("{default}/…"),
            Some(default) if values.contains(&default) => {
                let others = values.into_iter().filter(|value| *value != default);
                std::iter::once(default.clone()).chain(others).collect::<Vec<_>>().join("/")
            }
            Some(default) => default,
            None if is_map || is_choice(map) => values.join("/"),
            None => NONE.to_owned(),
        }
    }
}

/// A value without parts in words.
fn simple(form: &Value) -> &'static str {
    if let Some(name) = form["$ref"].as_str() {
        return match name.rsplit('/').next() {
            Some("setting") => "setting",
            Some("axes") => "{setting: [values]}",
            Some("place") => "{axis: setting, values: [values]}",
            _ => "{setting: value}",
        };
    }
    let number = |least: &str| form[least].as_u64();
    match (form["type"].as_str(), number("minimum"), number("exclusiveMinimum")) {
        (Some("integer"), Some(0), _) => "integer ≥0",
        (Some("integer"), Some(1), _) => "integer ≥1",
        (Some("integer"), ..) => "integer",
        (Some("number"), Some(0), _) => "number ≥0",
        (Some("number"), _, Some(0)) => "number >0",
        (Some("number"), ..) => "number",
        (Some("boolean"), ..) => "boolean",
        (Some("string"), ..) => "text",
        _ => "any",
    }
}
