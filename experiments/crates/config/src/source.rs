//! The text of an experiment file, and errors that point into it.

use dataset::bounded;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One step from a YAML node to a node in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The value of a key.
    Key(String),
    /// An element of a list.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Self {
        Self::Key(key.to_owned())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

/// The way from the document's root to a node.
pub type YamlPath = Vec<Step>;

/// A way to a node: `at!["axes", "encoding", 2]`.
macro_rules! at {
    ($($step:expr),* $(,)?) => { $crate::source::YamlPath::from([$($crate::source::Step::from($step)),*]) };
}
pub(crate) use at;

/// The same way as a reader would write it: `axes.encoding[2]`.
pub(crate) fn dotted(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Key(key) if text.is_empty() => text.push_str(key),
            Step::Key(key) => text.extend([".", key]),
            Step::Index(index) => text.push_str(&format!("[{index}]")),
        }
    }
    text
}

/// An experiment file that something is wrong with. Shown as
/// ```text
/// experiments/quickstart.yaml:9:7: unknown key `tabel` in `base.encoding[0].absolute`
///    9 |       tabel: learned
///      |       ^^^^^
///   valid: at, table, values, init_std
///   help: did you mean `table`?
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    pub path: PathBuf,
    /// Where in it, if that is known.
    pub place: Option<Box<Place>>,
    pub message: String,
    /// What could stand there, where that is a list of names.
    pub valid: Vec<String>,
    /// What to do about it.
    pub remedy: Option<String>,
}

/// A place in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The line's number, from 1.
    pub line: usize,
    /// The character in it, from 1.
    pub column: usize,
    pub text: String,
}

impl Display for ConfigError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(place) = &self.place {
            write!(f, ":{}:{}", place.line, place.column)?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(place) = &self.place {
            write!(f, "{place}")?;
        }
        if !self.valid.is_empty() {
            write!(f, "\n  valid: {}", self.valid.join(", "))?;
        }
        if let Some(remedy) = &self.remedy {
            write!(f, "\n  help: {remedy}")?;
        }
        Ok(())
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // A tab would be drawn wider than one character and push the line away from its caret.
        let shown = self.text.replace('\t', "→");
        let width = self.line.to_string().len().max(4);
        let before = self.column - 1;
        let marked = self.text.chars().skip(before).take_while(|c| is_word(*c)).count().max(1);
        write!(f, "\n{:>width$} | {shown}", self.line)?;
        write!(f, "\n{:>width$} | {:before$}{}", "", "", "^".repeat(marked))
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/')
}

impl std::error::Error for ConfigError {}

impl ConfigError {
    /// The same error with the names that would have been right.
    pub fn valid<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.valid = names.into_iter().map(Into::into).collect();
        self
    }

    /// The same error with what to do about it.
    pub fn help(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

/// A text in YAML: a file, or the value of an option of the command line. A clone shares the text.
#[derive(Debug, Clone)]
pub struct Source {
    path: Arc<Path>,
    text: Arc<str>,
    /// The folder that paths in the text are relative to.
    folder: Arc<Path>,
    /// Bytes at the beginning of the text that are not YAML: `train.steps=` of an option.
    before: usize,
}

/// No experiment is longer; a wrong file (a dataset, a checkpoint) is refused before it is parsed.
const MAX_BYTES: u64 = 1 << 20;

impl Source {
    /// Reads a file, without its byte order mark.
    ///
    /// # Errors
    /// If it cannot be read, is not a regular file, is longer than 1 MiB or is not UTF-8.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let wrong = |message: String| ConfigError {
            path: path.to_owned(),
            place: None,
            message,
            valid: Vec::new(),
            remedy: Some("give the path of an experiment file, e.g. experiments/quickstart.yaml".to_owned()),
        };
        let text = bounded::read_text(path, MAX_BYTES).map_err(|error| wrong(format!("cannot be read: {error}")))?;
        Ok(Self::new(path, text))
    }

    /// A text that is already in memory.
    pub fn new(path: &Path, text: impl Into<String>) -> Self {
        let folder = path.parent().unwrap_or(Path::new(""));
        Self { path: path.into(), text: text.into().into(), folder: folder.into(), before: 0 }
    }

    /// The value of an option `name` of the command line, without its first `before` bytes. Paths in it are relative to
    /// the folder of `file`.
    pub fn option(name: &str, text: &str, before: usize, file: &Self) -> Self {
        Self { path: Path::new(name).into(), text: text.into(), folder: Arc::clone(&file.folder), before }
    }

    /// Whether it is the value of an option of the command line.
    pub(crate) fn is_option(&self) -> bool {
        self.before > 0
    }

    /// The folder that paths in the text are relative to.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The text with blanks for what is not YAML, so that columns stay.
    pub(crate) fn yaml(&self) -> String {
        format!("{}{}", " ".repeat(self.before), &self.text[self.before..])
    }

    /// The file's path as it was given.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// An error about the file as a whole.
    pub fn error(&self, message: impl Into<String>) -> ConfigError {
        ConfigError {
            path: self.path.to_path_buf(),
            place: None,
            message: message.into(),
            valid: Vec::new(),
            remedy: None,
        }
    }

    /// An error about the node at `path`; it points at the innermost part of the way that exists.
    pub fn error_at(&self, path: &[Step], message: impl Into<String>) -> ConfigError {
        let place = (1..=path.len()).rev().find_map(|end| self.find(&path[..end], Target::Value));
        let place = place.or_else(|| self.is_option().then(|| Box::new(self.place(1, self.before + 1))));
        ConfigError { place, ..self.error(message) }
    }

    /// An error about the key `key` in the map at `path`: about the `nth` of that name, counted from 1.
    pub fn error_at_key(&self, path: &[Step], key: &str, nth: usize, message: impl Into<String>) -> ConfigError {
        let place = self.find(path, Target::Key { key, nth });
        let error = self.error_at(path, message);
        ConfigError { place: place.or(error.place), ..error }
    }

    /// An error at a line and a column, both from 1.
    pub fn error_in_line(&self, line: usize, column: usize, message: impl Into<String>) -> ConfigError {
        ConfigError { place: Some(Box::new(self.place(line, column))), ..self.error(message) }
    }

    fn place(&self, line: usize, column: usize) -> Place {
        let text = self.text.lines().nth(line.saturating_sub(1)).unwrap_or_default().to_owned();
        Place { line: line.max(1), column: column.clamp(1, text.chars().count() + 1), text }
    }

    /// Where a node stands: walks there with the real parser and fails on purpose, since it is its errors that know
    /// line and column.
    fn find(&self, path: &[Step], target: Target<'_>) -> Option<Box<Place>> {
        let probe = Probe { path, target };
        let error = probe.deserialize(serde_yaml::Deserializer::from_str(&self.yaml())).err()?;
        let location = error.location().filter(|_| error.to_string().contains(FOUND))?;
        Some(Box::new(self.place(location.line(), location.column())))
    }
}

/// What a [`Probe`]'s error says; no message of serde_yaml holds it.
const FOUND: &str = "\u{2}found\u{3}";

#[derive(Debug, Clone, Copy)]
enum Target<'a> {
    Value,
    Key { key: &'a str, nth: usize },
}

/// Follows a path and fails with [`FOUND`] at its end.
#[derive(Debug, Clone, Copy)]
struct Probe<'a> {
    path: &'a [Step],
    target: Target<'a>,
}

impl<'de> DeserializeSeed<'de> for Probe<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match (self.path, self.target) {
            ([], Target::Value) => deserializer.deserialize_any(Here),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Probe<'_> {
    type Value = ();

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a node on the way")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let mut seen = 0;
        loop {
            let key = match (self.path, self.target) {
                ([], Target::Key { key, nth }) => {
                    map.next_key_seed(Key { wanted: Some((key, nth)), seen: &mut seen })?
                }
                _ => map.next_key_seed(Key { wanted: None, seen: &mut seen })?,
            };
            match (key, self.path) {
                (None, _) => return Ok(()),
                (Some(key), [Step::Key(wanted), rest @ ..]) if key == *wanted => {
                    map.next_value_seed(Probe { path: rest, target: self.target })?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<(), S::Error> {
        if let [Step::Index(index), rest @ ..] = self.path {
            for _ in 0..*index {
                seq.next_element::<IgnoredAny>()?;
            }
            seq.next_element_seed(Probe { path: rest, target: self.target })?;
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// Reads a key; fails at the n-th one that is `wanted`.
struct Key<'a> {
    wanted: Option<(&'a str, usize)>,
    seen: &'a mut usize,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key<'_> {
    type Value = String;

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: serde::de::Error>(self, key: &str) -> Result<String, E> {
        let Some((_, nth)) = self.wanted.filter(|(wanted, _)| *wanted == key) else { return Ok(key.to_owned()) };
        *self.seen += 1;
        if *self.seen == nth { Err(E::custom(FOUND)) } else { Ok(key.to_owned()) }
    }
}

/// Fails at whatever stands here.
struct Here;

impl<'de> Visitor<'de> for Here {
    type Value = ();

    fn expecting(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(FOUND)
    }

    // Every other kind of value fails by the default method, whose message says what was expected: FOUND.
    fn visit_map<M: MapAccess<'de>>(self, _: M) -> Result<(), M::Error> {
        Err(M::Error::custom(FOUND))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, _: S) -> Result<(), S::Error> {
        Err(S::Error::custom(FOUND))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source() -> Source {
        Source::new(Path::new("x.yaml"), "a: 1\nb:\n  - {c: 2}\n  - c: [3, é, 5]\n    d: null\nb2: 7\n")
    }

    #[test]
    fn every_node_is_found_where_it_stands() {
        let place = |path: YamlPath| {
            let place = source().error_at(&path, "").place.expect("the node exists");
            (place.line, place.column)
        };
        assert_eq!(place(at!["a"]), (1, 4));
        assert_eq!(place(at!["b", 0, "c"]), (3, 9));
        assert_eq!(place(at!["b", 1]), (4, 5));
        assert_eq!(place(at!["b", 1, "c", 2]), (4, 15));
        assert_eq!(place(at!["b", 1, "d"]), (5, 8));
        assert_eq!(place(at!["b2"]), (6, 5));
        assert_eq!(place(at!["b", 1, "missing", "deeper"]), (4, 5), "the innermost part that exists");
    }

    #[test]
    fn keys_are_found_by_name_and_number() {
        let source = Source::new(Path::new("x.yaml"), "m:\n  k: 1\n  l: 2\n  k: 3\n");
        let place = |key, nth| {
            let place = source.error_at_key(&at!["m"], key, nth, "").place.expect("it is there");
            (place.line, place.column)
        };
        assert_eq!([place("k", 1), place("k", 2), place("l", 1)], [(2, 3), (4, 3), (3, 3)]);
    }

    #[test]
    fn an_option_is_shown_as_it_was_given() {
        let file = Source::new(Path::new("folder/x.yaml"), "");
        let option = Source::option("--set", "a={b: 1}", 2, &file);
        let error = option.error_at(&at!["b"], "wrong");
        assert_eq!(error.to_string(), "--set:1:7: wrong\n   1 | a={b: 1}\n     |       ^");
        assert_eq!(option.folder(), Path::new("folder"));
    }

    #[test]
    fn paths_are_written_with_dots_and_brackets() {
        assert_eq!(dotted(&at!["base", "encoding", 0, "shaw", "terms", 1]), "base.encoding[0].shaw.terms[1]");
    }

    #[test]
    fn an_error_shows_the_line_and_a_caret_below_its_word() {
        let error = source().error_at(&at!["b", 1, "c", 1], "not a number").valid(["1", "2"]).help("write 4");
        let shown =
            "x.yaml:4:12: not a number\n   4 |   - c: [3, é, 5]\n     |            ^\n  valid: 1, 2\n  help: write 4";
        assert_eq!(error.to_string(), shown);
    }
}
