//! Reads YAML into types, and turns serde_yaml's errors into ones that say what to do.

use super::source::{ConfigError, Source, dotted, undotted};
use super::suggest::nearest;
use serde::de::{Deserialize as _, DeserializeOwned, IgnoredAny};
use serde_yaml::with::singleton_map_recursive;

/// Reads a document. Enums are the name of a variant, or a map of that name to its options.
pub(crate) fn parse<T: DeserializeOwned>(source: &Source) -> Result<T, ConfigError> {
    if source.text().trim().is_empty() {
        return Err(source.error("the file is empty").help("start from experiments/quickstart.yaml"));
    }
    // What is no YAML is told as such, before types stumble over the pieces of it.
    let document = || serde_yaml::Deserializer::from_str(source.text());
    IgnoredAny::deserialize(document()).map_err(|error| explain(source, &error))?;
    singleton_map_recursive::deserialize(document()).map_err(|error| explain(source, &error))
}

/// A message of serde_yaml taken apart: `path: complaint at line 3 column 5`.
struct Complaint<'a> {
    /// The node's path as serde_yaml writes it, without a last key that the complaint is about.
    path: &'a str,
    text: &'a str,
}

fn explain(source: &Source, error: &serde_yaml::Error) -> ConfigError {
    let message = error.to_string();
    let text = match message.rfind(" at line ") {
        Some(end) if error.location().is_some() => &message[..end],
        _ => &message,
    };
    let complaint = take_path_off(text);
    let at = |message: String| match error.location() {
        Some(place) => source.error_in_line(place.line(), place.column(), message),
        None => source.error(message),
    };
    unknown_name(&complaint, &at)
        .or_else(|| missing_key(&complaint, &at))
        .or_else(|| key_twice(&complaint, source))
        .or_else(|| wrong_type(&complaint, &at))
        .or_else(|| not_yaml(text, source, error))
        .unwrap_or_else(|| at(text.to_owned()))
}

/// serde_yaml puts the path before the complaint; every complaint of serde starts with one of a few words.
fn take_path_off(text: &str) -> Complaint<'_> {
    match text.split_once(": ") {
        Some((path, rest)) if !path.is_empty() && !path.contains([' ', '`', '"']) => Complaint { path, text: rest },
        _ => Complaint { path: "", text },
    }
}

impl Complaint<'_> {
    fn within(&self) -> String {
        let path = self.path.trim_end_matches(".?");
        if path.is_empty() { "at the top of the file".to_owned() } else { format!("in `{path}`") }
    }
}

/// The words between backticks or double quotes.
fn quoted(text: &str) -> Vec<&str> {
    let quote = if text.contains('`') { '`' } else { '"' };
    text.split(quote).skip(1).step_by(2).collect()
}

fn unknown_name(complaint: &Complaint<'_>, at: &dyn Fn(String) -> ConfigError) -> Option<ConfigError> {
    let (what, rest) = [("key", "unknown field "), ("value", "unknown variant ")]
        .into_iter()
        .find_map(|(what, start)| Some((what, complaint.text.strip_prefix(start)?)))?;
    let words = quoted(rest);
    let (wrong, valid) = words.split_first()?;
    let error = at(format!("unknown {what} `{wrong}` {}", complaint.within())).valid(valid.iter().copied());
    if *wrong == "<<" {
        return Some(error.help("merge keys are not read: give a whole value an anchor and repeat it, `key: *name`"));
    }
    let meant = nearest(wrong, valid.iter().copied());
    Some(match (meant, valid.is_empty()) {
        (Some(meant), _) => error.help(format!("did you mean `{meant}`?")),
        (None, true) => error.help("nothing can be set here: write {} or leave it out"),
        (None, false) => error.help(format!("write one of the valid {what}s")),
    })
}

fn missing_key(complaint: &Complaint<'_>, at: &dyn Fn(String) -> ConfigError) -> Option<ConfigError> {
    let key = *quoted(complaint.text.strip_prefix("missing field ")?).first()?;
    Some(at(format!("`{key}` is missing {}", complaint.within())).help(format!("add `{key}: …`; it has no default")))
}

fn key_twice(complaint: &Complaint<'_>, source: &Source) -> Option<ConfigError> {
    let key = *quoted(complaint.text.strip_prefix("duplicate field ")?).first()?;
    let message = format!("`{key}` stands twice {}", complaint.within());
    let error = source.error_at_second_key(&undotted(complaint.path), key, message);
    Some(error.help("keep one of the two"))
}

fn wrong_type(complaint: &Complaint<'_>, at: &dyn Fn(String) -> ConfigError) -> Option<ConfigError> {
    let rest = ["invalid type: ", "invalid value: ", "invalid length "]
        .into_iter()
        .find_map(|start| complaint.text.strip_prefix(start))?;
    let (found, expected) = rest.rsplit_once(", expected ")?;
    let wanted = in_words(expected);
    let path = complaint.path.trim_end_matches(".?");
    let place = if path.is_empty() { String::new() } else { format!("`{path}`: ") };
    Some(at(format!("{place}expected {wanted}, found {}", found.replace("unit value", "nothing"))).help(hint(expected)))
}

/// Names of Rust's types as a reader of YAML knows them.
fn in_words(expected: &str) -> String {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more".to_owned(),
        "i32" | "i64" | "isize" => "a whole number".to_owned(),
        "f32" | "f64" => "a number".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "a sequence" => "a list".to_owned(),
        other => {
            other.strip_prefix("struct ").map_or_else(|| other.to_owned(), |_| "a map of keys to values".to_owned())
        }
    }
}

fn hint(expected: &str) -> &'static str {
    match expected {
        "u8" | "u16" | "u32" | "u64" | "usize" => "write digits only: 1000, not 1e3, 1_000 or \"1000\"",
        "f32" | "f64" => "write it like 0.001 or 1e-3, without quotes",
        "a boolean" => "YAML 1.2 knows true and false only; yes, no, on and off are texts",
        "a sequence" => "write a list: [a, b], or one `- a` per line",
        _ => "compare experiments/quickstart.yaml",
    }
}

/// What is no YAML at all.
fn not_yaml(text: &str, source: &Source, error: &serde_yaml::Error) -> Option<ConfigError> {
    let place = error.location()?;
    let tab = source.text().lines().position(|line| line.trim_start_matches(' ').starts_with('\t'));
    if (text.contains("cannot start any token") || text.contains("a tab character"))
        && let Some(line) = tab
    {
        let column = source.text().lines().nth(line)?.find('\t')? + 1;
        let error = source.error_in_line(line + 1, column, "a tab stands in the indentation");
        return Some(error.help("YAML indents with spaces: replace the tab"));
    }
    let scanner = ["did not find", "mapping values are not allowed", "found ", "while ", "unknown anchor", "could not"];
    scanner.iter().any(|start| text.starts_with(start)).then(|| {
        source
            .error_in_line(place.line(), place.column(), format!("this is not YAML: {text}"))
            .help("check the indentation, brackets and quotes of this line and the one before")
    })
}

/// An error about a node that was read but makes no sense, in the words of the library that says so.
pub(crate) fn refused(source: &Source, path: &[super::source::Step], reason: impl std::fmt::Display) -> ConfigError {
    source.error_at(path, format!("`{}`: {reason}", dotted(path)))
}
