//! The text of an experiment file, and errors that point into it.

use super::suggest::nearest;
use dataset::bounded;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One step from a YAML node to a node in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Step {
    Key(String),
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

/// The path from the document's root to a node.
pub type YamlPath = Vec<Step>;

/// The path of a node: `at!["axes", "encoding", 2]`.
macro_rules! at {
    ($($step:expr),* $(,)?) => { $crate::yaml::source::YamlPath::from([$($crate::yaml::source::Step::from($step)),*]) };
}
pub(crate) use at;

/// The path as text: `axes.encoding[2]`.
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
    pub location: Option<Box<Location>>,
    pub message: String,
    /// What could stand there, where that is a list of names.
    pub valid: Vec<String>,
    pub remedy: Option<String>,
    /// Further problems, shown after this one.
    pub others: Box<[ConfigError]>,
}

/// A character of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Location {
    pub line: usize,
    /// The character in it, from 1.
    pub column: usize,
    /// The line, or the part of a long one around the character.
    pub text: String,
    /// The characters of `text` before this one.
    before: usize,
}

/// Longer lines are shown in part.
const SHOWN: usize = 160;
const MOST_PROBLEMS: usize = 20;

impl Location {
    pub(crate) fn new(line: usize, column: usize, text: &[char]) -> Self {
        let (line, column) = (line.max(1), column.clamp(1, text.len() + 1));
        let start = if text.len() <= SHOWN { 0 } else { (column - 1).saturating_sub(SHOWN / 2) };
        let text = text.iter().skip(start).take(SHOWN).collect();
        Self { line, column, text, before: column - 1 - start }
    }
}

impl Display for ConfigError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(location) = &self.location {
            write!(f, ":{}:{}", location.line, location.column)?;
        }
        write!(f, ": {}", self.message)?;
        if let Some(location) = &self.location {
            write!(f, "{location}")?;
        }
        if !self.valid.is_empty() {
            write!(f, "\n  valid: {}", listed(&self.valid))?;
        }
        if let Some(remedy) = &self.remedy {
            write!(f, "\n  help: {remedy}")?;
        }
        self.others.iter().try_for_each(|other| write!(f, "\n{other}"))
    }
}

/// Names with commas. Hundreds of metrics of parts, such as `policy_loss.opening`, become a few words.
fn listed(names: &[String]) -> String {
    let parts: BTreeSet<&str> = names.iter().filter_map(|name| part(name, names)).collect();
    let with_parts = format!("each also with .{}", parts.iter().copied().collect::<Vec<_>>().join(", ."));
    let wholes = names.iter().filter(|name| part(name, names).is_none()).map(String::as_str);
    wholes.chain((!parts.is_empty()).then_some(with_parts.as_str())).collect::<Vec<_>>().join(", ")
}

/// `opening` of `policy_loss.opening`, if `policy_loss` is a name too.
fn part<'a>(name: &'a str, names: &[String]) -> Option<&'a str> {
    let (whole, part) = name.rsplit_once('.')?;
    names.iter().any(|name| name == whole).then_some(part)
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // A tab would be drawn wider than one character and push the line away from its caret.
        let shown = self.text.replace('\t', "→");
        let width = self.line.to_string().len().max(4);
        let before = self.before;
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
    pub(crate) fn new(path: PathBuf, location: Option<Location>, message: impl Into<String>) -> Self {
        let location = location.map(Box::new);
        Self { path, location, message: message.into(), valid: Vec::new(), remedy: None, others: Box::default() }
    }

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

    /// The same error about a wrong name: with the valid one that was probably meant, or with this remedy.
    pub(crate) fn with_suggestion(self, wrong: &str, otherwise: &str) -> Self {
        let meant =
            nearest(wrong, self.valid.iter().map(String::as_str)).map(|meant| format!("did you mean `{meant}`?"));
        self.help(meant.unwrap_or_else(|| otherwise.to_owned()))
    }

    /// What is wrong, and where, without the further problems.
    pub(crate) fn problem(&self) -> (&Path, Option<&Location>, &str) {
        (&self.path, self.location.as_deref(), &self.message)
    }

    /// The same error with further ones, each problem once.
    pub(crate) fn and(self, others: impl IntoIterator<Item = Self>) -> Self {
        let first = self.clone();
        Self::all(std::iter::once(self).chain(others)).unwrap_or(first)
    }

    /// Several errors as one that shows each problem once; none if there are none.
    pub(crate) fn all(errors: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut each: Vec<Self> = Vec::new();
        for mut error in errors {
            let others = std::mem::take(&mut error.others);
            for one in std::iter::once(error).chain(others.into_vec()) {
                if each.len() < MOST_PROBLEMS && !each.contains(&one) {
                    each.push(one);
                }
            }
        }
        let mut each = each.into_iter();
        let first = each.next()?;
        Some(Self { others: each.collect(), ..first })
    }
}

/// A text in YAML: a file, or the value of an option of the command line. A clone shares the text.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// Refuses a file that is not regular, longer than 1 MiB, or not UTF-8.
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = bounded::read_text(path, MAX_BYTES).map_err(|error| {
            let error = ConfigError::new(path.to_owned(), None, format!("cannot be read: {error}"));
            error
                .help("give the path of an experiment file in UTF-8 of at most 1 MiB, e.g. experiments/quickstart.yaml")
        })?;
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

    /// The text with blanks in place of text that is not YAML, so that columns stay.
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
        ConfigError::new(self.path.to_path_buf(), None, message)
    }

    /// An error at a line and a column, both from 1.
    pub fn error_in_line(&self, line: usize, column: usize, message: impl Into<String>) -> ConfigError {
        let text: Vec<char> = self.text.lines().nth(line.saturating_sub(1)).unwrap_or_default().chars().collect();
        ConfigError::new(self.path.to_path_buf(), Some(Location::new(line, column, &text)), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_with_dots_and_brackets() {
        assert_eq!(dotted(&at!["base", "encoding", 0, "shaw", "terms", 1]), "base.encoding[0].shaw.terms[1]");
    }

    #[test]
    fn an_error_shows_the_line_and_a_caret_below_its_word() {
        let source = Source::new(Path::new("x.yaml"), "a: 1\nb: [3, é, 5]\n");
        let error = source.error_in_line(2, 8, "not a number").valid(["1", "2"]).help("write 4");
        let shown = "x.yaml:2:8: not a number\n   2 | b: [3, é, 5]\n     |        ^\n  valid: 1, 2\n  help: write 4";
        assert_eq!(error.to_string(), shown);
        let error = error.valid(["loss", "loss.opening", "train.clip", "loss.novel"]).to_string();
        assert!(error.contains("\n  valid: loss, train.clip, each also with .novel, .opening\n"), "{error}");
    }

    #[test]
    fn of_a_long_line_the_part_around_the_place_is_shown() {
        let long = format!("seeds: [{}]", "7, ".repeat(1000));
        let error = Source::new(Path::new("x.yaml"), long).error_in_line(1, 2001, "twice").to_string();
        let [_, text, caret] = error.lines().collect::<Vec<_>>()[..] else { panic!("{error}") };
        assert!(text.chars().count() < 200 && error.starts_with("x.yaml:1:2001: twice"), "{error}");
        assert_eq!(caret.find('^').and_then(|at| text.chars().nth(at)), Some('7'), "{error}");
    }

    #[test]
    fn several_errors_show_each_problem_once() {
        let error = |line| Source::new(Path::new("x.yaml"), "a\nb\n").error_in_line(line, 1, "wrong");
        let both = ConfigError::all([error(1), error(2)]).expect("errors");
        let all = ConfigError::all([both.clone(), both]).expect("errors").to_string();
        assert_eq!(all, "x.yaml:1:1: wrong\n   1 | a\n     | ^\nx.yaml:2:1: wrong\n   2 | b\n     | ^");
        assert_eq!(ConfigError::all([]), None);
    }
}
