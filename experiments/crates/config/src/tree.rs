//! A document as a tree of values, each of which knows where it was written: trees of several files are merged, and an
//! error about a value still shows its line.

use super::source::{ConfigError, Source, Step, YamlPath, dotted};
use super::syntax;
use dataset::yaml::check_nesting;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use std::cell::RefCell;
use std::fmt;

/// Where a value was written.
#[derive(Debug, Clone)]
pub(crate) struct Origin {
    pub(crate) source: Source,
    pub(crate) path: YamlPath,
}

impl Origin {
    /// An error about the value.
    pub(crate) fn error(&self, message: impl Into<String>) -> ConfigError {
        self.source.error_at(&self.path, message)
    }

    /// An error about the value that names its place in the file: `` `base.train.steps`: … ``.
    pub(crate) fn refused(&self, reason: impl fmt::Display) -> ConfigError {
        self.error(format!("`{}`: {reason}", dotted(&self.path)))
    }

    /// An error about the key that the value has.
    pub(crate) fn key_error(&self, message: impl Into<String>) -> ConfigError {
        match self.path.iter().rposition(|step| matches!(step, Step::Key(_))) {
            Some(last) => {
                let Step::Key(key) = &self.path[last] else { return self.error(message) };
                self.source.error_at_key(&self.path[..last], key, 1, message)
            }
            None => self.error(message),
        }
    }

    /// The way to the map that holds the value's key.
    pub(crate) fn of_map(&self) -> &[Step] {
        let last = self.path.iter().rposition(|step| matches!(step, Step::Key(_)));
        &self.path[..last.unwrap_or(0)]
    }

    fn at(&self, step: impl Into<Step>) -> Self {
        let mut path = self.path.clone();
        path.push(step.into());
        Self { source: self.source.clone(), path }
    }
}

/// A value with its origin.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) content: Content,
    pub(crate) origin: Origin,
}

/// Two nodes are equal if they say the same, wherever they say it.
impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.content == other.content
    }
}

/// What a node holds. Keys of a map are in the order of the file and differ from each other.
#[derive(Debug, Clone, PartialEq)]
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
    pub(crate) fn parse(source: &Source) -> Result<Self, ConfigError> {
        let twice = RefCell::new(None);
        let origin = Origin { source: source.clone(), path: YamlPath::new() };
        let text = source.yaml();
        check_nesting(&text).map_err(|error| source.error(error.to_string()))?;
        let read = Reading { origin, twice: &twice }.deserialize(serde_yaml::Deserializer::from_str(&text));
        let node = read.map_err(|error| syntax::not_yaml(source, &error))?;
        match twice.into_inner() {
            None => Ok(node),
            Some((path, key)) => {
                let message = format!("`{key}` stands twice {}", within(&path));
                Err(source.error_at_key(&path, &key, 2, message).help("keep one of the two"))
            }
        }
    }

    pub(crate) fn empty_map(origin: Origin) -> Self {
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

    /// What stands at a way of keys and numbers.
    pub(crate) fn get<S: AsRef<str>>(&self, way: &[S]) -> Option<&Self> {
        way.iter().try_fold(self, |node, step| node.child(step.as_ref()))
    }

    /// The innermost node on a way that is there.
    pub(crate) fn nearest<S: AsRef<str>>(&self, way: &[S]) -> &Self {
        (0..=way.len()).rev().find_map(|end| self.get(&way[..end])).unwrap_or(self)
    }

    /// Takes away what stands at a way.
    pub(crate) fn remove(&mut self, way: &[String]) {
        let Some((last, way)) = way.split_last() else { return };
        let mut node = self;
        for step in way {
            let Some(next) = node.entry_mut(step) else { return };
            node = next;
        }
        if let Content::Map(entries) = &mut node.content {
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

    /// Puts a value at a way; maps on the way that are missing are made. A name stands for a map of it to nothing, so
    /// that `encoding.shaw.terms` can be put where `encoding: shaw` stands.
    ///
    /// # Errors
    /// If something on the way is neither a map nor an element of a list.
    pub(crate) fn set(&mut self, way: &[String], value: Self) -> Result<(), ConfigError> {
        let Some((step, rest)) = way.split_first() else {
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

    /// What is wrong with a value, in one word: its type.
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

/// Reads a node and what is in it.
struct Reading<'a> {
    origin: Origin,
    /// The first key that stands twice in its map.
    twice: &'a RefCell<Option<(YamlPath, String)>>,
}

impl Reading<'_> {
    fn leaf(self, content: Content) -> Node {
        Node { content, origin: self.origin }
    }
}

impl<'de> DeserializeSeed<'de> for Reading<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reading<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value without a YAML tag")
    }

    fn visit_unit<E: Error>(self) -> Result<Node, E> {
        Ok(self.leaf(Content::Null))
    }

    fn visit_none<E: Error>(self) -> Result<Node, E> {
        self.visit_unit()
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Node, E> {
        Ok(self.leaf(Content::Bool(value)))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Node, E> {
        Ok(self.leaf(Content::Unsigned(number)))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Node, E> {
        Ok(self.leaf(u64::try_from(number).map_or(Content::Signed(number), Content::Unsigned)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Node, E> {
        Ok(self.leaf(Content::Float(number)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        Ok(self.leaf(Content::Text(text.to_owned())))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Node, S::Error> {
        let mut elements = Vec::new();
        while let Some(element) =
            seq.next_element_seed(Reading { origin: self.origin.at(elements.len()), twice: self.twice })?
        {
            elements.push(element);
        }
        Ok(self.leaf(Content::List(elements)))
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Node, M::Error> {
        let mut entries: Vec<(String, Node)> = Vec::new();
        while let Some(key) = map.next_key::<String>()? {
            let node = map.next_value_seed(Reading { origin: self.origin.at(key.as_str()), twice: self.twice })?;
            if entries.iter().any(|(known, _)| *known == key) {
                self.twice.borrow_mut().get_or_insert_with(|| (self.origin.path.clone(), key.clone()));
            }
            entries.push((key, node));
        }
        Ok(self.leaf(Content::Map(entries)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn parse(text: &str) -> Node {
        Node::parse(&Source::new(Path::new("x.yaml"), text)).unwrap_or_else(|error| panic!("{error}"))
    }

    fn way(text: &str) -> Vec<String> {
        text.split('.').map(str::to_owned).collect()
    }

    #[test]
    fn a_value_can_be_put_anywhere() {
        let put = |text: &str, at: &str, value: &str| {
            let mut tree = parse(text);
            tree.set(&way(at), parse(value)).map(|()| tree)
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
        tree.remove(&way("a.b"));
        tree.remove(&way("e.f"));
        assert_eq!(tree, parse("{a: {c: 2}, d: 3}"));
    }

    #[test]
    fn every_value_knows_its_line() {
        let tree = parse("a: 1\nb:\n  - {c: 2}\n");
        let place = tree.get(&["b", "0", "c"]).map(|node| node.origin.error("").place.map(|place| place.line));
        assert_eq!(place, Some(Some(3)));
        assert_eq!(tree.nearest(&["b", "0", "x", "y"]).origin.path, crate::source::at!["b", 0]);
    }
}
