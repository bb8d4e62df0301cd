//! A document as a tree of values with their locations: trees of several files are merged, and an
//! error about a value still shows its line.

use super::source::{ConfigError, Location, Step, YamlPath, dotted};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file or the option of the command line that a value is written in.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Document {
    pub(crate) path: PathBuf,
    /// The folder that paths in it are relative to.
    pub(crate) folder: PathBuf,
    pub(crate) is_option: bool,
}

/// Where a value was written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Origin {
    pub(crate) source: Arc<Document>,
    pub(crate) path: YamlPath,
    pub(crate) location: Location,
    /// The location of its key; of an element, that of its list's.
    pub(crate) key: Option<Location>,
}

impl Origin {
    /// An error about the value. One about a whole file has no location.
    pub(crate) fn error(&self, message: impl Into<String>) -> ConfigError {
        let has_location = self.source.is_option || !self.path.is_empty();
        ConfigError::new(self.source.path.clone(), has_location.then(|| self.location.clone()), message)
    }

    /// An error about the value that names its path: `` `base.train.steps`: … ``. A whole text has none.
    pub(crate) fn refused(&self, reason: impl fmt::Display) -> ConfigError {
        match &self.path[..] {
            [] => self.error(reason.to_string()),
            path => self.error(format!("`{}`: {reason}", dotted(path))),
        }
    }

    /// A path that is written here, relative to the folder of its file, as an absolute one: cells run in processes of their own.
    pub(crate) fn absolute(&self, written: &Path) -> Result<PathBuf, ConfigError> {
        let path = std::path::absolute(self.source.folder.join(written)).map_err(|error| self.refused(error))?;
        if path.to_str().is_none() {
            let error =
                self.refused(format!("{} is not UTF-8, as the paths of a cell's configuration are", path.display()));
            return Err(error.help("move the file to a folder whose name is UTF-8"));
        }
        Ok(path)
    }

    /// An error about the key that the value has.
    pub(crate) fn key_error(&self, message: impl Into<String>) -> ConfigError {
        match &self.key {
            Some(key) => ConfigError::new(self.source.path.clone(), Some(key.clone()), message),
            None => self.error(message),
        }
    }

    /// An error about what the value, a map, lacks. In lines below its key a map begins with its first entry, which is not the
    /// location: the error points at the key.
    pub(crate) fn lacks(&self, message: impl Into<String>) -> ConfigError {
        let is_of_key = matches!(self.path.last(), Some(Step::Key(_)));
        match &self.key {
            Some(key) if is_of_key && key.line < self.location.line => self.key_error(message),
            _ => self.error(message),
        }
    }

    /// The path of the map that holds the value's key.
    pub(crate) fn of_map(&self) -> &[Step] {
        let last = self.path.iter().rposition(|step| matches!(step, Step::Key(_)));
        &self.path[..last.unwrap_or(0)]
    }
}

/// A value with its origin. Types that hold one are read like all others: the reader of trees hands it over as plain data,
/// under this name.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename = "posenc node")]
pub(crate) struct Node {
    pub(crate) content: Content,
    pub(crate) origin: Arc<Origin>,
}

/// Two nodes are equal if they say the same, wherever they say it.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content
    }
}

/// The content of a node. Keys of a map are in the order of the file and differ from each other.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Content {
    Null,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// The name of the type in serde.
    pub(crate) const NAME: &str = "posenc node";

    /// A value that is written at another's place.
    pub(crate) fn from_json(value: Value, origin: &Arc<Origin>) -> Self {
        let node = |value| Self::from_json(value, origin);
        let content = match value {
            Value::Null => Content::Null,
            Value::Bool(value) => Content::Bool(value),
            Value::Number(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => Content::Unsigned(number),
                (None, Some(number)) => Content::Signed(number),
                (None, None) => Content::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Value::String(text) => Content::Text(text),
            Value::Array(elements) => Content::List(elements.into_iter().map(node).collect()),
            Value::Object(map) => Content::Map(map.into_iter().map(|(key, value)| (key, node(value))).collect()),
        };
        Self { content, origin: Arc::clone(origin) }
    }

    /// An error about the value at `path`; it points at the innermost part of the path that exists.
    pub(crate) fn error_at(&self, path: &[Step], message: impl Into<String>) -> ConfigError {
        let mut node = self;
        for step in path {
            let next = match step {
                Step::Key(key) => node.child(key),
                Step::Index(index) => node.elements().get(*index),
            };
            let Some(next) = next else { break };
            node = next;
        }
        node.origin.error(message)
    }

    pub(crate) fn empty_map(origin: Arc<Origin>) -> Self {
        Self { content: Content::Map(Vec::new()), origin }
    }

    /// The elements of a list; none of anything else.
    pub(crate) fn elements(&self) -> &[Self] {
        if let Content::List(elements) = &self.content { elements } else { &[] }
    }

    /// The value of a key, or the element of a number.
    fn child(&self, step: &str) -> Option<&Self> {
        match &self.content {
            Content::Map(entries) => entries.iter().find(|(key, _)| key == step).map(|(_, node)| node),
            Content::List(elements) => elements.get(step.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// The node at a path of keys and indices.
    pub(crate) fn get<S: AsRef<str>>(&self, key_path: &[S]) -> Option<&Self> {
        key_path.iter().try_fold(self, |node, step| node.child(step.as_ref()))
    }

    /// The innermost node on a path that exists.
    pub(crate) fn nearest<S: AsRef<str>>(&self, key_path: &[S]) -> &Self {
        (0..=key_path.len()).rev().find_map(|end| self.get(&key_path[..end])).unwrap_or(self)
    }

    /// Adds the keys that a map lacks. Two values of one key are merged likewise where `merges` allows it.
    pub(crate) fn fill(&mut self, other: Self, merges: &dyn Fn(&str, &Self, &Self) -> bool) {
        let (Content::Map(own), Content::Map(other)) = (&mut self.content, other.content) else { return };
        for (key, value) in other {
            match own.iter_mut().find(|(known, _)| *known == key) {
                None => own.push((key, value)),
                Some((_, known)) if merges(&key, known, &value) => known.fill(value, merges),
                Some(_) => {}
            }
        }
    }

    pub(crate) fn remove(&mut self, key_path: &[String]) {
        let Some((last, key_path)) = key_path.split_last() else { return };
        let node = key_path.iter().try_fold(self, |node, step| node.entry_mut(step));
        if let Some(Content::Map(entries)) = node.map(|node| &mut node.content) {
            entries.retain(|(key, _)| key != last);
        }
    }

    pub(crate) fn entry_mut(&mut self, step: &str) -> Option<&mut Self> {
        match &mut self.content {
            Content::Map(entries) => entries.iter_mut().find(|(key, _)| key == step).map(|(_, node)| node),
            Content::List(elements) => elements.get_mut(step.parse::<usize>().ok()?),
            _ => None,
        }
    }

    /// Puts a value at a path; missing maps on the path are made. A name stands for a map of it to nothing, so
    /// that `encoding.shaw.terms` can be put where `encoding: shaw` stands.
    pub(crate) fn set(&mut self, key_path: &[String], value: Self) -> Result<(), ConfigError> {
        let Some((step, rest)) = key_path.split_first() else {
            *self = value;
            return Ok(());
        };
        match &self.content {
            Content::Null => self.content = Content::Map(Vec::new()),
            Content::Text(name) => {
                let named = (name.clone(), Self::empty_map(self.origin.clone()));
                self.content = Content::Map(vec![named]);
            }
            _ => {}
        }
        if let Content::Map(entries) = &mut self.content
            && !entries.iter().any(|(key, _)| key == step)
        {
            entries.push((step.clone(), Self::empty_map(value.origin.clone())));
        }
        match self.entry_mut(step) {
            Some(next) => next.set(rest, value),
            None => {
                let what = match &self.content {
                    Content::List(elements) => {
                        format!("a list of {}, whose elements are named by number", elements.len())
                    }
                    _ => "no map".to_owned(),
                };
                Err(value.origin.key_error(format!("there is no `{step}` in {what}")))
            }
        }
    }

    /// The type of an invalid value, in one word.
    pub(crate) fn kind(&self) -> String {
        match &self.content {
            Content::Null => "nothing".to_owned(),
            Content::Bool(value) => format!("boolean `{value}`"),
            Content::Unsigned(number) => format!("integer `{number}`"),
            Content::Signed(number) => format!("integer `{number}`"),
            Content::Float(number) => format!("floating-point number `{number}`"),
            Content::Text(text) => format!("string {text:?}"),
            Content::List(_) => "a list".to_owned(),
            Content::Map(_) => "a map".to_owned(),
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        if let Content::Text(text) = &self.content { Some(text) } else { None }
    }
}

/// As a file would write it in one line.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.content {
            Content::Null => f.write_str("none"),
            Content::Bool(value) => value.fmt(f),
            Content::Unsigned(number) => number.fmt(f),
            Content::Signed(number) => number.fmt(f),
            Content::Float(number) => number.fmt(f),
            Content::Text(text) => f.write_str(text),
            Content::List(elements) => {
                let elements: Vec<String> = elements.iter().map(Self::to_string).collect();
                write!(f, "[{}]", elements.join(", "))
            }
            Content::Map(entries) => {
                let entries: Vec<String> = entries.iter().map(|(key, value)| format!("{key}: {value}")).collect();
                write!(f, "{{{}}}", entries.join(", "))
            }
        }
    }
}

/// ``in `base.train` ``, or at the top.
pub(crate) fn within(path: &[Step]) -> String {
    if path.is_empty() { "at the top of the file".to_owned() } else { format!("in `{}`", dotted(path)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::source::{Source, at};
    use std::path::Path;

    fn parse(text: &str) -> Node {
        crate::yaml::parse::parse(&Source::new(Path::new("x.yaml"), text)).unwrap_or_else(|error| panic!("{error}"))
    }

    fn key_path(text: &str) -> Vec<String> {
        text.split('.').map(str::to_owned).collect()
    }

    #[test]
    fn a_value_can_be_put_anywhere() {
        let put = |text: &str, at: &str, value: &str| {
            let mut tree = parse(text);
            tree.set(&key_path(at), parse(value)).map(|()| tree)
        };
        let put_in = |text: &str, at: &str, value: &str| put(text, at, value).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(put_in("{a: {b: 1}}", "a.b", "2"), parse("{a: {b: 2}}"));
        assert_eq!(put_in("{}", "a.b.c", "2"), parse("{a: {b: {c: 2}}}"));
        assert_eq!(put_in("{a: [{b: 1}, {b: 1}]}", "a.1.b", "2"), parse("{a: [{b: 1}, {b: 2}]}"));
        assert_eq!(put_in("{a: shaw}", "a.shaw.terms", "[q]"), parse("{a: {shaw: {terms: [q]}}}"));
        assert!(put("{a: 3}", "a.b", "2").is_err() && put("{a: [x]}", "a.b", "2").is_err());
    }

    #[test]
    fn what_is_removed_leaves_the_rest() {
        let mut tree = parse("{a: {b: 1, c: 2}, d: 3}");
        tree.remove(&key_path("a.b"));
        tree.remove(&key_path("e.f"));
        assert_eq!(tree, parse("{a: {c: 2}, d: 3}"));
    }

    #[test]
    fn every_value_knows_its_line() {
        let tree = parse("a: 1\nb:\n  - {c: 2}\n");
        let at = |path: YamlPath| tree.error_at(&path, "").location.map(|location| (location.line, location.column));
        assert_eq!(at(at!["b", 0, "c"]), Some((3, 9)));
        assert_eq!(at(at!["b", 0, "missing", "deeper"]), Some((3, 5)), "the innermost part that exists");
        assert_eq!(at(at!["missing"]), None, "an error about the whole file");
        assert_eq!(tree.nearest(&["b", "0", "x", "y"]).origin.path, at!["b", 0]);
    }

    /// An invariant of the reader of trees for types that contain nodes.
    #[test]
    fn a_node_is_the_same_once_it_was_handed_over() {
        let tree = parse("{a: [1, -2, 0.5, .inf, 1e-3], b: {c: null, d: true}, e: word, \"1\": \"2\"}");
        let plain = serde_yaml::to_value(&tree).expect("plain data");
        let again: Node = serde_yaml::from_value(plain).expect("a node");
        assert_eq!(again, tree);
        assert_eq!(again.error_at(&at!["b", "d"], "wrong"), tree.error_at(&at!["b", "d"], "wrong"));
    }
}
