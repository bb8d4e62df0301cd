//! The reader of YAML: a text becomes a tree of values with their locations. Words and numbers without quotes have the
//! types that `serde_yaml` gives them, which writes `config.yaml`.

use super::source::{ConfigError, Location, Source, Step, YamlPath};
use super::tree::{Content, Document, Node, Origin, within};
use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span};
use serde_yaml::Number;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

/// Trees are read recursively. An anchor inside of its own value would never end.
const MAX_DEPTH: usize = 128;
/// Repeated anchors make a small text a large tree.
const MOST_VALUES: usize = 1 << 16;
/// Bytes of the paths to all values: each value keeps its own.
const MOST_PATH_BYTES: usize = 1 << 26;

/// Reads a text.
/// Refuses more than one document, deep nesting, too many values, tags, and keys that are not words or stand twice.
pub(crate) fn parse(source: &Source) -> Result<Node, ConfigError> {
    let text = source.yaml();
    let (mut events, mut anchors) = (Vec::new(), BTreeMap::new());
    for event in Parser::new_from_str_with_options(&text, granit_parser::options! { emit_comments: false }) {
        let (event, span) = event.map_err(|error| not_yaml(source, &error))?;
        match &event {
            Event::Scalar(_, _, anchor, _) | Event::SequenceStart(_, anchor, _) | Event::MappingStart(_, anchor, _) => {
                anchors.insert(*anchor, events.len());
            }
            Event::Alias(_) | Event::SequenceEnd | Event::MappingEnd => {}
            Event::DocumentStart(..) if !events.is_empty() => {
                let error = source.error_in_line(span.start.line(), span.start.col() + 1, "a second document begins");
                return Err(error.help("take out the line `---`, or divide the file"));
            }
            _ => continue,
        }
        events.push((event, span));
    }
    let document = Document {
        // Origins are plain data, and so text in UTF-8.
        path: PathBuf::from(source.path().to_string_lossy().into_owned()),
        folder: PathBuf::from(source.folder().to_string_lossy().into_owned()),
        is_option: source.is_option(),
    };
    let lines: Vec<Vec<char>> = source.text().lines().map(|line| line.chars().collect()).collect();
    // The key of an option's value is the option's text before it: `train.steps` of `train.steps=500`.
    let key = source.is_option().then(|| Location::new(1, 1, lines.first().map_or(&[][..], Vec::as_slice)));
    let mut tree = Tree {
        document: document.into(),
        lines,
        events,
        anchors,
        left: MOST_VALUES,
        path_bytes: MOST_PATH_BYTES,
        twice: Vec::new(),
    };
    let node = tree.node(&mut 0, YamlPath::new(), key.as_ref())?;
    ConfigError::all(tree.twice).map_or(Ok(node), Err)
}

/// The events of a text, and the state for making a tree of them.
struct Tree<'a> {
    document: Arc<Document>,
    lines: Vec<Vec<char>>,
    events: Vec<(Event<'a>, Span)>,
    /// The event at which the value of an anchor begins.
    anchors: BTreeMap<usize, usize>,
    /// How many values there may still be.
    left: usize,
    /// How many bytes the paths to further values may have.
    path_bytes: usize,
    /// Keys that are listed twice in their map.
    twice: Vec<ConfigError>,
}

impl Tree<'_> {
    /// The value that begins at the event `next`. `next` becomes the event after it.
    fn node(&mut self, next: &mut usize, path: YamlPath, key: Option<&Location>) -> Result<Node, ConfigError> {
        // A text of comments has no events.
        let Some((event, span)) = self.events.get(*next).cloned() else {
            let origin = Origin { source: Arc::clone(&self.document), ..Origin::default() };
            return Ok(Node { content: Content::Null, origin: origin.into() });
        };
        *next += 1;
        let location = self.location(span);
        if path.len() > MAX_DEPTH {
            return Err(self.refused(location, DEEP).help(SHALLOW));
        }
        let Some(left) = self.left.checked_sub(1) else {
            let error = self.refused(location, format!("the text has more than {MOST_VALUES} values"));
            return Err(error.help("an anchor that is repeated (*name) counts each time"));
        };
        self.left = left;
        let bytes = path.iter().map(|step| match step {
            Step::Key(key) => key.len(),
            Step::Index(_) => size_of::<usize>(),
        });
        let Some(path_bytes) = self.path_bytes.checked_sub(bytes.sum()) else {
            let error = self.refused(location, "the keys above the values are too long");
            return Err(error.help("write short keys on few levels"));
        };
        self.path_bytes = path_bytes;
        let tag = match &event {
            Event::Scalar(_, _, _, tag) | Event::SequenceStart(_, _, tag) | Event::MappingStart(_, _, tag) => {
                tag.as_deref()
            }
            _ => None,
        };
        if let Some(tag) = tag.filter(|tag| tag.is_custom()) {
            return Err(self.refused(location, format!("the tag `{tag}` is unknown")).help("leave it out"));
        }
        let content = match &event {
            Event::Alias(anchor) => {
                let mut start = self.anchors.get(anchor).copied().unwrap_or(self.events.len());
                return self.node(&mut start, path, key);
            }
            Event::Scalar(text, style, ..) => match tag.and_then(|tag| tag.core_suffix()) {
                Some("str") => Content::Text(text.clone().into_owned()),
                Some(_) => typed(text),
                None if *style == ScalarStyle::Plain => typed(text),
                None => Content::Text(text.clone().into_owned()),
            },
            Event::SequenceStart(..) => self.list(next, &path, key)?,
            _ => self.map(next, &path)?,
        };
        let origin = Origin { source: Arc::clone(&self.document), path, location, key: key.cloned() };
        Ok(Node { content, origin: origin.into() })
    }

    fn list(&mut self, next: &mut usize, path: &[Step], key: Option<&Location>) -> Result<Content, ConfigError> {
        let mut elements = Vec::new();
        while !self.ends(next) {
            let path = [path, &[Step::Index(elements.len())]].concat();
            elements.push(self.node(next, path, key)?);
        }
        Ok(Content::List(elements))
    }

    fn map(&mut self, next: &mut usize, path: &[Step]) -> Result<Content, ConfigError> {
        let (mut entries, mut names) = (Vec::new(), HashSet::new());
        while !self.ends(next) {
            let (event, span) = self.events[*next].clone();
            *next += 1;
            let location = self.location(span);
            let Event::Scalar(name, ..) = event else {
                return Err(self.refused(location, "a key must be a word").help("write maps as `key: value`"));
            };
            let name = name.into_owned();
            if !names.insert(name.clone()) {
                let error = self.refused(location.clone(), format!("`{name}` is listed twice {}", within(path)));
                self.twice.push(error.help("keep one of the two"));
            }
            let path = [path, &[Step::Key(name.clone())]].concat();
            entries.push((name, self.node(next, path, Some(&location))?));
        }
        Ok(Content::Map(entries))
    }

    /// Whether a list or a map ends at the event `next`; if so, `next` becomes the event after it.
    fn ends(&self, next: &mut usize) -> bool {
        let ends = matches!(self.events.get(*next), None | Some((Event::SequenceEnd | Event::MappingEnd, _)));
        *next += usize::from(ends);
        ends
    }

    fn location(&self, span: Span) -> Location {
        let (line, column) = (span.start.line(), span.start.col() + 1);
        Location::new(line, column, self.lines.get(line.saturating_sub(1)).map_or(&[][..], Vec::as_slice))
    }

    fn refused(&self, location: Location, message: impl Into<String>) -> ConfigError {
        ConfigError::new(self.document.path.clone(), Some(location), message)
    }
}

/// A word without quotes, with the type that `serde_yaml` gives it.
fn typed(text: &str) -> Content {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Content::Null,
        "true" | "True" | "TRUE" => Content::Bool(true),
        "false" | "False" | "FALSE" => Content::Bool(false),
        _ => match text.parse::<Number>() {
            Ok(number) => match (number.as_u64(), number.as_i64()) {
                (Some(number), _) => Content::Unsigned(number),
                (None, Some(number)) => Content::Signed(number),
                (None, None) => Content::Float(number.as_f64().unwrap_or(f64::NAN)),
            },
            Err(_) => Content::Text(text.to_owned()),
        },
    }
}

const DEEP: &str = "lists and maps are nested too deeply";
const SHALLOW: &str = "an experiment needs few levels: check the brackets, and anchors (&name) that repeat themselves";

fn not_yaml(source: &Source, error: &ScanError) -> ConfigError {
    let (line, column) = (error.marker().line(), error.marker().col() + 1);
    let is_indented_by_tab = |line: &str| line.trim_start_matches(' ').starts_with('\t');
    let tab = source.text().lines().position(is_indented_by_tab);
    if let Some(line) = tab.filter(|_| error.info().contains("tab")) {
        let column = source.text().lines().nth(line).and_then(|line| line.find('\t')).unwrap_or(0) + 1;
        let error = source.error_in_line(line + 1, column, "a tab stands in the indentation");
        return error.help("YAML indents with spaces: replace the tab");
    }
    // An error at the end of an option would point after its one line.
    let line = if source.is_option() { 1 } else { line };
    if *error.kind() == ErrorKind::RecursionLimitExceeded {
        return source.error_in_line(line, column, DEEP).help(SHALLOW);
    }
    let error = source.error_in_line(line, column, format!("this is not YAML: {}", error.info()));
    error.help("check the indentation, brackets and quotes of this line and the one before")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn parse(text: &str) -> Node {
        read(text).unwrap_or_else(|error| panic!("{error}"))
    }

    fn read(text: &str) -> Result<Node, ConfigError> {
        super::parse(&Source::new(Path::new("x.yaml"), text))
    }

    /// `serde_yaml` writes `config.yaml`: a word that it leaves without quotes must be the same value here.
    #[test]
    fn words_and_numbers_have_the_types_of_serde_yaml() {
        let words = "1 -1 +1 -0 0 007 0x1f 0o17 0b11 -0x1f 1_000 1e3 1e-3 1.0E-4 1. .5 -.5 +.5 .inf -.Inf +.INF .nan inf nan \
                     18446744073709551615 1e999 ~ null Null NULL nULL true True TRUE yes no on 2..6 12:30 2024-01-01 \
                     \"1\" 'true' \"\" word é";
        let more = ["!!str 1", "!!int 1", "!!float 1.5", "a b", "|\n  two\n  lines", ">\n  one\n  line"];
        for word in words.split(' ').chain(more) {
            let text = format!("key: {word}\n");
            let theirs: serde_yaml::Value =
                serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
            let ours = match &parse(&text).get(&["key"]).unwrap_or_else(|| panic!("{text}")).content {
                Content::Null => serde_yaml::Value::Null,
                Content::Bool(value) => (*value).into(),
                Content::Unsigned(number) => (*number).into(),
                Content::Signed(number) => (*number).into(),
                Content::Float(number) => (*number).into(),
                Content::Text(text) => text.as_str().into(),
                other => panic!("{other:?}"),
            };
            assert_eq!(ours, theirs["key"], "{word}");
        }
    }

    #[test]
    fn an_anchor_repeats_its_value_at_its_place() {
        let tree = parse("anchors: {a: &a [1, {b: &b 2}]}\nc: *a\nd: *b\n");
        assert_eq!(tree.get(&["c"]), tree.get(&["anchors", "a"]));
        assert_eq!(tree.get(&["d"]), Some(&parse("2")));
        let origin = &tree.get(&["c", "1", "b"]).expect("it is there").origin;
        assert_eq!(origin.refused("no").to_string().lines().next(), Some("x.yaml:1:28: `c[1].b`: no"));
        assert_eq!(
            tree.get(&["c"]).expect("it is there").origin.key_error("").location.map(|location| location.line),
            Some(2)
        );
    }

    #[test]
    fn what_would_fill_the_memory_is_refused() {
        let repeated = (1..20).map(|i| format!("a{i}: &a{i} [{}]\n", format!("*a{}, ", i - 1).repeat(9)));
        let text = format!("a0: &a0 [x]\n{}", repeated.collect::<String>());
        let wrong = |text: &str| read(text).expect_err("too much").to_string();
        assert!(wrong(&text).contains("more than 65536 values"), "{}", wrong(&text));
        let long = format!("? {}\n: [{}]\n", "k".repeat(400_000), "1,".repeat(60_000));
        assert!(wrong(&long).contains("too long"), "{}", wrong(&long));
        for deep in ["- ".repeat(1000), "[".repeat(1000), "a: &a [*a]\n".to_owned()] {
            assert!(wrong(&deep).contains("nested too deeply"), "{}", wrong(&deep));
        }
    }

    #[test]
    fn brackets_may_close_where_their_key_begins() {
        assert_eq!(parse("a: [\n  1,\n  2\n]\nb: {\n  c: 3\n}\n"), parse("a: [1, 2]\nb: {c: 3}"));
    }

    #[test]
    fn what_experiments_do_not_use_is_refused_with_its_place() {
        let wrong = |text: &str| read(text).expect_err("it is wrong").to_string();
        assert!(wrong("a: !b 1").starts_with("x.yaml:1:7: the tag `!b` is unknown"), "{}", wrong("a: !b 1"));
        assert!(wrong("? [a]\n: 1\n").contains("a key must be a word"));
        assert!(wrong("a: 1\n---\nb: 2\n").starts_with("x.yaml:2:1: a second document begins"));
        let twice = wrong("{a: 1, b: 2, a: 3, b: 4}");
        assert!(twice.contains(":1:14: `a` is listed twice") && twice.contains(":1:20: `b` is listed twice"));
        assert_eq!(parse("# nothing\n").content, Content::Null);
    }
}
